#!/usr/bin/env python3
"""Benchmarks tucrl against other packages and writes docs/benchmarks.md.

    python3 benchmarks/peers/run.py                 all rows, about half an hour
    python3 benchmarks/peers/run.py --medium        all but the largest garnet and full lengths, about ten minutes
    python3 benchmarks/peers/run.py --quick         small models only, less than five minutes
    python3 benchmarks/peers/run.py --models DIR    with the models of others in DIR, *.drn or *.drn.gz

Needs Python 3.10 or newer and Rust. Builds tucrl, makes a virtual environment per peer under target/peers,
installs the peers from the Python package index (one that will not install is reported as missing), exports
models with `tucrl export`, and gives every solver the same files. Every process is bound to one core. The
time of a solver is that of solving alone, best of five or ten; an answer that is wrong is named and not timed.

Models of the PRISM benchmark suite are not in this repository: their licence is PRISM's. Make them with PRISM or Storm
(`storm --prism FILE --exportbuild MODEL.drn`, with a reward per choice) and name their directory by --models or by the
environment variable TUCRL_MODELS. Models that the table expects and does not find are named in the document.
"""

import argparse
import datetime
import gzip
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import time
import venv
from pathlib import Path

from extras import EDGE_CASES, walk_in_c

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
WORK = ROOT / "target" / "peers"
TUCRL = ROOT / "target" / "release" / "tucrl"
DOCUMENT = ROOT / "docs" / "benchmarks.md"

SOLVERS = {
    "mdpsolver": ["mdpsolver", "numpy", "scipy"],
    "pymdptoolbox": ["pymdptoolbox", "numpy", "scipy"],
    "quantecon": ["quantecon", "numpy", "scipy"],
    "stormpy": ["stormpy"],
}
LEARNERS = ["statisticalrl-learners", "statisticalrl-environments"]
# Largest error of a right answer. Not all peers accept a smaller tolerance.
RIGHT = 1e-6
# Seconds for one solver on one model, plus up to READING for reading and building the model.
PATIENCE = 45
READING = 240
# A solver that takes fewer seconds is timed a second time.
QUICK = 5
# The goals of the solver rows, over every peer that gets a row right, and of the learner rows.
SOLVER_GOAL = 5
LEARNER_GOAL = 500
# The ratios that are also measured at full length.
LONG = ["--only", "whole-run", "--only", "accelerated"]
# The models of others that the table shows: the states of each.
THIRD_PARTY = {
    "coin2_K2": 272,
    "coin4_K2": 22_656,
    "csma2_4": 7_958,
    "csma2_4_reset": 7_958,
    "eajs_energy_capacity100_B5": 12_828,
    "firewire_delay3_fast0.5": 4_093,
    "ij": 1_023,
    "zeroconf_1000": 307_768,
    "zeroconf_1000_reset": 307_768,
    "zeroconf_N20_K2_resettrue_err0.1_reset": 670,
}
# With --quick, larger files are left out; with it and with --medium, a solver has fewer seconds.
QUICK_BYTES = 5_000_000
QUICK_PATIENCE = 10
# From this load average on, the document says that the machine was busy.
BUSY = 0.5


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--quick", action="store_true", help="leave out large models")
    size.add_argument("--medium", action="store_true", help="leave out the largest garnet and full lengths")
    parser.add_argument(
        "--models",
        type=Path,
        default=os.environ.get("TUCRL_MODELS"),
        help="directory of models of others, *.drn or *.drn.gz (default: the environment variable TUCRL_MODELS)",
    )
    parser.add_argument("--no-build", action="store_true", help="use target/release/tucrl as it is")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds a solver has for a model")
    ask = parser.parse_args()
    if ask.models is not None:
        ask.models = Path(ask.models)
        if not ask.models.is_dir():
            sys.exit(f"--models {ask.models}: there is no such directory")
    if ask.quick or ask.medium:
        ask.patience = min(ask.patience, QUICK_PATIENCE)
    if sys.version_info < (3, 10):
        sys.exit("Python 3.10 or newer is needed")
    load = os.getloadavg()[0]
    WORK.mkdir(parents=True, exist_ok=True)
    if not ask.no_build:
        say("building tucrl")
        subprocess.run(["cargo", "build", "--release", "--locked"], cwd=ROOT, check=True)
    say("installing peers")
    environments = {name: environment(name, packages) for name, packages in SOLVERS.items()}
    environments["statisticalrl"] = environment("statisticalrl", LEARNERS)
    ratio_rows, missed = ratios(ask)
    solver_rows, missed_solving = solving(environments, ask)
    model_rows, missed_models = third_party(environments, ask)
    edge_rows = edge_cases(environments, ask)
    learner_rows, missed_learning = learning(environments, ask)
    # Written only when complete, so that a failure keeps the old document.
    document = [
        heading(environments, load),
        ratio_rows,
        solver_rows,
        model_rows,
        edge_rows,
        learner_rows,
        not_met(missed + missed_solving + missed_models + missed_learning),
        commands(ask),
    ]
    DOCUMENT.write_text("\n".join(part for part in document if part), encoding="utf-8")
    say(f"wrote {DOCUMENT.relative_to(ROOT)}")


def say(text):
    print(f"[{time.strftime('%H:%M:%S')}] {text}", file=sys.stderr, flush=True)


# Environments


def environment(name, packages):
    """The interpreter of a virtual environment with the packages and their versions, or why there is none."""
    place = WORK / f"venv-{name}"
    python = place / "bin" / "python"
    if not python.exists():
        venv.create(place, with_pip=True)
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages]
    outcome = subprocess.run(install, capture_output=True, text=True)
    if outcome.returncode != 0:
        reason = (outcome.stderr.strip().splitlines() or ["no reason given"])[-1]
        say(f"{name} will not install: {reason}")
        return {"python": None, "reason": reason}
    code = "import importlib.metadata as m, sys; print(*(f'{p} {m.version(p)}' for p in sys.argv[1:]), sep=', ')"
    versions = subprocess.run([python, "-c", code, *packages], capture_output=True, text=True)
    return {"python": python, "versions": versions.stdout.strip()}


def bound(command, patience=None, **keywords):
    """Runs a command on one core; the last line of its output as JSON, or why there is none."""
    core = min(os.sched_getaffinity(0))
    surroundings = os.environ | {
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "NUMBA_NUM_THREADS": "1",
        "RAYON_NUM_THREADS": "1",
    }
    try:
        outcome = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            timeout=patience,
            env=surroundings,
            preexec_fn=lambda: os.sched_setaffinity(0, {core}),
            **keywords,
        )
    except subprocess.TimeoutExpired:
        return {"failure": f"not even built in {patience:.0f} s"}
    if outcome.returncode == -signal.SIGALRM:
        return {"failure": "no answer in time"}
    if outcome.returncode != 0:
        lines = outcome.stderr.strip().splitlines() or [f"exit code {outcome.returncode}"]
        return {"failure": lines[-1][:80]}
    return json.loads(outcome.stdout if outcome.stdout.startswith("{\n") else outcome.stdout.splitlines()[-1])


# Solvers


def model(name, world):
    """The path of a model as JSON, with the same model as DRN beside it."""
    path = WORK / f"{name}.json"
    for target in (path, path.with_suffix(".drn")):
        if not target.exists():
            subprocess.run([TUCRL, "export", world, "--to", target], check=True, capture_output=True)
    return path


def answers(environments, path, patience, peers=tuple(SOLVERS)):
    """The results of tucrl and some peers on a model, timed alternately, so that slow phases of the machine affect all;
    fast solvers are timed twice, and the better time counts."""
    found = {}
    for turn in range(2):
        for name in ("tucrl", *peers):
            before = found.get(name)
            if turn > 0 and ("failure" in before or before["seconds"] > QUICK):
                continue
            answer = ask_one(name, environments, path, patience)
            say(f"  {name}: {answer}")
            if before is None or answer.get("seconds", before["seconds"]) < before["seconds"]:
                found[name] = answer
    return found


def ask_one(name, environments, path, patience):
    """The result of one solver on a model."""
    if name == "tucrl":
        return bound([TUCRL, "bench", "--solve", path, "--json"], patience + READING)
    python = environments[name]["python"]
    if python is None:
        return {"failure": "not installed"}
    command = [python, HERE / "solve_peer.py", name, path, "--patience", patience]
    answer = bound(command, patience + READING, cwd=HERE)
    if answer.get("failure") == "no answer in time":
        answer["failure"] = f"no answer in {patience:.0f} s"
    return answer


def solving(environments, ask):
    # The solver was tuned on the garnet of seed 1, so another seed is timed.
    worlds = [
        ("garnet, 10⁴ states", "garnet-1e4-seed-11", "garnet:s=1e4,a=4,b=5,seed=11"),
        ("garnet, 10⁵ states", "garnet-1e5-seed-11", "garnet:s=1e5,a=4,b=5,seed=11"),
        ("garnet, 10⁶ states", "garnet-1e6-seed-11", "garnet:s=1e6,a=4,b=5,seed=11"),
        ("river-swim, 100 states", "river-swim-100", "river-swim:n=100"),
        ("river-swim, 1000 states", "river-swim-1000", "river-swim:n=1000"),
    ]
    if ask.quick:
        worlds = [world for world in worlds if "10⁵" not in world[0]]
    if ask.quick or ask.medium:
        worlds = [world for world in worlds if "10⁶" not in world[0]]
    lines = [
        "## Solvers\n",
        "The optimal gain, seconds of solving alone (not reading the file, not building the model), best of five, or of ten",
        "in two rounds where that takes a few seconds,",
        "on one core; in brackets the ratio to tucrl. tucrl gives certified",
        "bounds at most 1e-9 apart; the others were asked for 1e-9 where they accept a tolerance, and an answer",
        f"is called wrong when it is off by more than {RIGHT:g}. The garnets are those of seed 11; constants of our",
        "solver were chosen by trying them on seed 1.\n",
        "| world | tucrl | " + " | ".join(SOLVERS) + " |",
        "| --- |" + " --- |" * (1 + len(SOLVERS)),
    ]
    missed = []
    for title, name, world in worlds:
        say(f"solving {title}")
        found = answers(environments, model(name, world), ask.patience)
        ours = found["tucrl"]
        if "failure" in ours:
            sys.exit(f"tucrl failed on {title}: {ours['failure']}")
        cells = [title, seconds(ours["seconds"])]
        if ours["gain_error"] > 1e-9:
            sys.exit(f"tucrl's gain of {title} is only certain to {ours['gain_error']:g}")
        for peer in SOLVERS:
            cells.append(against(ours, found[peer]))
            times = times_longer(ours, found[peer])
            if times is not None and times < SOLVER_GOAL:
                missed.append(("solvers", f"{title}: {times:.3g}× over {peer}, not {SOLVER_GOAL}×"))
        lines.append("| " + " | ".join(cells) + " |")
    verdict = "not met, see below" if missed else "met"
    lines.append(f"\nGoal: {SOLVER_GOAL}× over every peer that gets a row right: {verdict}.")
    return "\n".join(lines) + "\n", missed


def third_party(environments, ask):
    """Models of others: those of stormpy's examples, and those in the directory that was given."""
    found = stormpy_examples(environments)
    if ask.models is not None:
        files = sorted(p for p in ask.models.iterdir() if p.name.endswith((".drn", ".drn.gz")))
        found += [unpacked(path) for path in files]
    present = {path.stem for path in found}
    absent = [name for name in THIRD_PARTY if name not in present]
    large = []
    if ask.quick:
        large = [path.stem for path in found if path.stat().st_size > QUICK_BYTES]
        found = [path for path in found if path.stem not in large]
    lines = [
        "## Models of others\n",
        "The optimal gain of models of the PRISM benchmark suite and of stormpy's examples, with a random reward per choice.",
        "Seconds of solving alone as above, best of five or ten; memory is the peak of the whole process, reading included.",
        "tucrl's gain is certified: the error is proved, and at most 1e-9 was asked for. Storm ran in its sound mode, which",
        "promises a relative 1e-6; the last column but one is how far its answer is from tucrl's. Models named `other-` were",
        "not used to tune tucrl.\n",
        "| model | states | transitions | tucrl | certified error | memory | stormpy, sound | memory | difference | ratio |",
        "| --- |" + " --- |" * 9,
    ]
    missed = []
    for path in found:
        say(f"solving {path.name}")
        answer = answers(environments, path, ask.patience, ["stormpy"])
        ours, storm = answer["tucrl"], answer["stormpy"]
        cells = [path.stem.replace("_", "\\_")]
        if "failure" in ours:
            cells += ["", "", ours["failure"].replace("|", "/"), "", ""]
            missed.append(("models", f"{path.stem}: {ours['failure']}"))
        else:
            cells += [f"{ours['states']}", f"{ours['transitions']}", seconds(ours["seconds"])]
            cells += [f"{ours['gain_error']:.1g}", megabytes(ours)]
            if ours["gain_error"] > 1e-9:
                missed.append(("models", f"{path.stem}: certified to {ours['gain_error']:.1g}, not to 1e-9"))
        if "failure" in storm:
            cells += [storm["failure"].replace("|", "/"), "", "", ""]
        else:
            cells += [seconds(storm["seconds"]), megabytes(storm)]
            if "failure" in ours:
                cells += ["", ""]
            else:
                times = storm["seconds"] / ours["seconds"]
                cells += [f"{abs(storm['gain'] - ours['gain']):.1g}", f"{times:.3g}×"]
                if times < 1:
                    missed.append(("models", f"{path.stem}: {times:.3g}× over stormpy, not 1×"))
        lines.append("| " + " | ".join(cells) + " |")
    if absent:
        where = "no directory was given by `--models`" if ask.models is None else "the directory given does not have them"
        lines.append(f"\nNot measured, because {where}: {', '.join(absent)}.")
    if large:
        lines.append(f"\nNot measured, because they are too large for `--quick`: {', '.join(large)}.")
    verdict = "not met, see below" if missed else "met"
    lines.append(f"\nGoal: first on every row, certified to 1e-9: {verdict}.")
    return "\n".join(lines) + "\n", missed


def stormpy_examples(environments):
    """The paths of stormpy's own example models."""
    python = environments["stormpy"]["python"]
    if python is None:
        return []
    place = WORK / "examples"
    place.mkdir(exist_ok=True)
    made = subprocess.run([python, HERE / "storm_models.py", place], capture_output=True, text=True)
    if made.returncode != 0:
        sys.exit(f"stormpy's examples cannot be built: {made.stderr.strip().splitlines()[-1]}")
    return [place / name for name in json.loads(made.stdout.splitlines()[-1])]


def unpacked(path):
    """The path of a model without compression."""
    if path.suffix != ".gz":
        return path
    target = WORK / path.stem
    if not target.exists() or target.stat().st_mtime < path.stat().st_mtime:
        with gzip.open(path, "rb") as packed, open(target.with_suffix(".part"), "wb") as plain:
            shutil.copyfileobj(packed, plain)
        target.with_suffix(".part").replace(target)
    return target


def megabytes(answer):
    return f"{answer['peak_mb']:.3g} MB" if "peak_mb" in answer else "unknown"


def times_longer(ours, theirs):
    """How many times longer a peer took, if its answer is right."""
    if "failure" in theirs or not abs(theirs["gain"] - ours["gain"]) <= RIGHT:
        return None
    return theirs["seconds"] / ours["seconds"]


def against(ours, theirs):
    if "failure" in theirs:
        return theirs["failure"].replace("|", "/")
    times = times_longer(ours, theirs)
    if times is None:
        return f"wrong: {theirs['gain']:.9g} instead of {ours['gain']:.9g}"
    return f"{seconds(theirs['seconds'])} ({times:.3g}×)"


def seconds(value):
    for factor, unit in ((1, "s"), (1e3, "ms"), (1e6, "µs")):
        if value * factor >= 1:
            return f"{value * factor:.3g} {unit}"
    return f"{value * 1e9:.3g} ns"


def edge_cases(environments, ask):
    lines = [
        "## Edge cases\n",
        "Small MDPs whose gain from state 0 is known in closed form. *Wrong* means without an error or a warning.\n",
        "| world | gain | tucrl | " + " | ".join(SOLVERS) + " |",
        "| --- | --- |" + " --- |" * (1 + len(SOLVERS)),
    ]
    for number, (title, (gain, states)) in enumerate(EDGE_CASES.items()):
        say(f"edge case: {title}")
        path = WORK / f"edge-{number}.json"
        rows = ",\n".join(json.dumps(state, separators=(",", ":")) for state in states)
        head = '{"format":"tucrl-mdp","version":1,\n"r_max":1.0,\n"start":0,\n"states":[\n'
        path.write_text(f"{head}{rows}\n]}}\n", encoding="utf-8")
        drawn = path.with_suffix(".drn")
        subprocess.run([TUCRL, "export", path, "--to", drawn, "--force"], check=True, capture_output=True)
        found = answers(environments, path, min(ask.patience, 20))
        cells = [title, f"{gain:g}"]
        for name in ("tucrl", *SOLVERS):
            answer = found[name]
            if "failure" in answer:
                cells.append(answer["failure"].replace("|", "/"))
            elif answer.get("high", 0.0) - answer.get("low", 0.0) > RIGHT:
                cells.append(f"none: its values only give {answer['low']:.4g} to {answer['high']:.4g}")
            elif abs(answer["gain"] - gain) <= RIGHT:
                cells.append("right")
            else:
                cells.append(f"wrong: {answer['gain']:.6g}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


# Learners


def learning(environments, ask):
    lines = [
        "## Learners\n",
        "Steps per second, planning included, delta = 0.05, best of ten runs in two rounds on one core. The peer is",
        "statisticalrl-learners on its own river-swim; `ucrl` is our UCRL2B. Both plan by their own confidence",
        "sets, and tucrl runs a hundred times as many steps.\n",
        "| world | learner | tucrl | statisticalrl | ratio |",
        "| --- | --- | --- | --- | --- |",
    ]
    missed = []
    python = environments["statisticalrl"]["python"]
    for length, steps in ((6, 20_000), (25, 10_000)):
        for ours, theirs in (("ucrl2", "ucrl2"), ("ucrl", "ucrl2b")):
            say(f"learning river-swim {length} with {theirs}")
            spent, peers = [], []
            # Alternately, as with the solvers.
            for _ in range(2):
                for seed in range(1, 6):
                    command = [TUCRL, "learn", f"river-swim:n={length}", "--agent", ours, "--steps", 100 * steps]
                    command += ["--seeds", 1, "--seed", seed, "--jobs", 1, "--json"]
                    run = bound(command)
                    spent.append(run["simulate_seconds"] + run["plan_seconds"])
                if python is not None:
                    command = [python, HERE / "learn_peer.py", theirs, length, steps]
                    peers.append(bound(command, READING, cwd=HERE))
            our_rate = 100 * steps / min(spent)
            cells = [f"river-swim, {length} states", theirs.upper(), f"{our_rate:.3g}"]
            if python is None:
                cells += ["not installed", ""]
            else:
                peer = min(peers, key=lambda peer: peer.get("seconds", float("inf")))
                if "failure" in peer:
                    cells += [peer["failure"].replace("|", "/"), ""]
                else:
                    rate = peer["steps"] / peer["seconds"]
                    cells += [f"{rate:.3g}", f"{our_rate / rate:.3g}×"]
                    if our_rate / rate < LEARNER_GOAL:
                        what = f"{theirs.upper()} on river-swim with {length} states"
                        missed.append(("learners", f"{what}: {our_rate / rate:.3g}×, not {LEARNER_GOAL}×"))
            lines.append("| " + " | ".join(cells) + " |")
    verdict = "not met, see below" if missed else "met"
    lines.append(f"\nGoal: {LEARNER_GOAL}× on every row: {verdict}.")
    return "\n".join(lines) + "\n", missed


# The document


def heading(environments, load):
    revision = subprocess.run(
        ["git", "rev-parse", "--short=12", "HEAD"], cwd=ROOT, capture_output=True, text=True
    ).stdout.strip()
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True).stdout.strip()
    installed = [
        f"- {name}: {one['versions'] if one['python'] else 'missing, ' + one['reason']}"
        for name, one in environments.items()
    ]
    return "\n".join(
        [
            "# Benchmarks\n",
            "Written by `python3 benchmarks/peers/run.py`; do not edit. All numbers of a row come from one run on",
            "one machine: compare within rows, not with other machines.",
            *([] if load < BUSY else [busy(load)]),
            "",
            f"- date: {datetime.date.today().isoformat()}",
            f"- machine: {processor()}, {os.cpu_count()} cores, {platform.system()} {platform.machine()}",
            f"- tucrl: revision {revision}, {compiler}; Python {platform.python_version()}",
            *installed,
            "",
        ]
    )


def busy(load):
    return (
        f"The machine was busy with other work: its load average was {load:.2g} at the start. All times suffer, those\n"
        "of the threads most."
    )


def not_met(missed):
    """The goals that were not met, each with its explanation in notes.md."""
    if not missed:
        return ""
    lines = ["## Goals that are not met\n"]
    notes, told = written_notes(), set()
    for name, what in missed:
        lines.append(f"- *{name}*, {what}")
        for (subject, part), text in notes.items():
            if subject == name and part in what and text not in told:
                told.add(text)
                lines += [f"  {line}" for line in text.splitlines()]
    return "\n".join(lines) + "\n"


def written_notes():
    """The texts of notes.md, by heading `## name` or `## name: part of the row`."""
    notes, key = {}, None
    for line in (HERE / "notes.md").read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            name, _, part = line.removeprefix("## ").partition(": ")
            key = (name, part)
            notes[key] = ""
        elif key and line.strip():
            notes[key] += line.strip() + "\n"
    return notes


def processor():
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown processor"


def bench(*options):
    """The report of `tucrl bench`."""
    say(f"tucrl bench {' '.join(options)}")
    command = [TUCRL, "bench", "--json", *options]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def ratios(ask):
    report = bench()
    # At full length where that is affordable.
    is_short = ask.quick or ask.medium
    rows = report["rows"] + ([] if is_short else bench("--full", *LONG)["rows"])
    lines = [
        "## Ratios\n",
        f"`tucrl bench`, in {report['seconds']:.0f} seconds: two ways of the same work, timed alternately."
        + ("" if is_short else f" The last rows: `tucrl bench --full {' '.join(LONG)}`.")
        + "\n",
        "| benchmark | what | measured | goal | | details |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    missed = []
    for row in rows:
        unit = "×" if row["unit"] == "x" else f" {row['unit']}"
        goal = ""
        if row["goal"]:
            (kind, value), = row["goal"].items()
            goal = f"{'≥' if kind == 'at_least' else '≤'} {value:g}{unit}"
        met = {True: "met", False: "**not met**", None: ""}[row["met"]]
        measured = f"{row['measured']:.3g}{unit}" if row["measured"] is not None else "unknown"
        cells = [row["name"], row["what"], measured, goal, met, row["details"]]
        lines.append("| " + " | ".join(cells) + " |")
        if row["met"] is False:
            missed.append((row["name"], f"{row['what']}: {measured}, not {goal}"))
    lines.append(f"\n{walk_in_c(WORK)}")
    return "\n".join(lines) + "\n", missed


def commands(ask):
    return "\n".join(
        [
            "## Commands\n",
            "```sh",
            f"python3 benchmarks/peers/run.py{' --quick' if ask.quick else ' --medium' if ask.medium else ''}"
            f"{' --models DIR' if ask.models else ''}    # this document",
            "tucrl bench                             # the ratios alone",
            "tucrl bench --solve MODEL --json        # our side of a solver row",
            "python solve_peer.py PEER MODEL         # their side, in target/peers/venv-PEER",
            "cargo bench -p tucrl                    # the kernels",
            "```\n",
        ]
    )


if __name__ == "__main__":
    main()
