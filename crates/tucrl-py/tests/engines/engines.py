"""Real engines make an experiment while a worker is killed; the records are those of an undisturbed run here.

    python engines.py ENGINE [--overhead]

ENGINE is loky, dask, ray, mpi, submitit, store or disk; `.ci/engines` installs what they need and calls this file in a network that has
nothing but loopback. With ``--overhead`` the time per run of an experiment of short runs is printed instead.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import loopback
import stores
import tucrl
from started import ENGINES

HERE = Path(__file__).resolve()
ROOT = HERE.parents[4]
EXPERIMENT = """
name = "engines"
steps = {steps}
seeds = {seeds}
worlds = ["river-swim", "models/small.json"]
agents = {agents}
"""
AGENTS = '["tucrl:alpha=0.05", "psrl:split=mean", { spec = "python:class=own_agent.DiffQ", label = "mine" }]'
#: Engines of which one lost worker ends all others; what was kept stays, and a second call goes on.
FRAGILE = ("loky", "mpi")


def bodies(folder: Path) -> dict[str, bytes]:
    """Return the body of every run, by the name of its file."""
    return {path.name: path.read_bytes().split(b"\n")[1] for path in (folder / "runs").glob("*.run")}


def disturbed(out: Path, kill: Callable[[], None]) -> threading.Thread:
    """Kill a worker as soon as a few runs are there."""

    def wait() -> None:
        for _ in range(6000):
            if len(bodies(out)) >= 2:
                (out.parent / "killed").touch()
                kill()
                return
            time.sleep(0.02)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def survives(name: str, folder: Path, expected: dict[str, bytes]) -> None:
    """Lose a worker in the middle of an experiment, and end it."""
    there = folder / "there"
    with ENGINES[name](folder) as (executor, kill):
        thread = disturbed(there, kill)
        try:
            tucrl.run("e.toml", out="there", executor=executor, progress=False)
        except RuntimeError as error:
            if name not in FRAGILE or "takes no more work" not in str(error):
                raise
            assert 0 < len(bodies(there)) < len(expected), error
            with ENGINES[name](folder) as (another, _):
                tucrl.run("e.toml", out="there", executor=another, progress=False)
        thread.join()
    same(there, expected)


def same(there: Path, expected: dict[str, bytes]) -> None:
    """Compare with the undisturbed run; a worker was killed in the middle."""
    assert (there.parent / "killed").exists(), "all runs were made before a worker was killed"
    assert bodies(there) == expected, "records differ"
    print(f"  {len(expected)} runs, a worker killed, records identical", flush=True)


def mpi_job(*words: str) -> "subprocess.CompletedProcess[str]":
    """Start this file on three ranks: the first asks, the other two work."""
    mpiexec = Path(sys.executable).with_name("mpiexec")
    ranks = [str(mpiexec), "-n", "3", sys.executable, "-m", "mpi4py.futures", str(HERE), "mpi"]
    return subprocess.run([*ranks, *words], timeout=300, text=True, capture_output=True)


def mpi_survives(folder: Path, expected: dict[str, bytes]) -> None:
    """A rank that is killed takes the job with it; a second job ends the experiment."""
    lost = mpi_job("--rank", str(folder))
    kept = len(bodies(folder / "there"))
    assert lost.returncode != 0 and 0 < kept < len(expected), (lost, kept)
    again = mpi_job("--rank-again", str(folder))
    assert again.returncode == 0, again
    same(folder / "there", expected)


def measured(name: str, folder: Path, runs: int) -> None:
    """Print the time per run, by the executor and here, in turns."""
    with ENGINES[name](folder) as (executor, _):
        # Without what only the first runs pay: interpreters that start, worlds that are solved.
        tucrl.learn("river-swim", "random", 10, seeds=4, executor=executor)
        tucrl.run("e.toml", out="first", executor=executor, progress=False)
        times: dict[str, list[float]] = {"there": [], "here": []}
        for turn in range(3):
            for where in times:
                elsewhere: dict[str, Any] = {"executor": executor} if where == "there" else {"jobs": 2}
                began = time.perf_counter()
                tucrl.run("e.toml", out=f"{where}-{turn}", progress=False, **elsewhere)
                times[where].append(1e3 * (time.perf_counter() - began) / runs)
            assert bodies(folder / f"there-{turn}") == bodies(folder / f"here-{turn}"), "records differ"
    there, here = (statistics.median(each) for each in times.values())
    load = os.getloadavg()[0]
    print(f"| {name} | {there:.1f} ms | {here:.1f} ms | load {load:.1f}, {runs} runs of 1000 steps, median of 3 |", flush=True)


def main() -> None:
    """Run one engine."""
    assert loopback.is_alone(), "engines must listen on loopback only: start this file by loopback.py"
    name, mode = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else ""
    sys.path.append(str(ROOT / "examples" / "python"))
    if mode.startswith("--rank"):
        os.chdir(sys.argv[3])
        folder = Path.cwd()
        if mode == "--rank-measured":
            measured("mpi", folder, int(sys.argv[4]))
        elif mode == "--rank-again":
            with ENGINES["mpi"](folder) as (executor, _):
                tucrl.run("e.toml", out="there", executor=executor, progress=False)
        else:
            survives("mpi", folder, {"": b""} | bodies(folder / "here"))
        return
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        os.chdir(folder)
        (folder / "models").mkdir()
        tucrl.MDP("three-state:delta=0.1").to_file("models/small.json")
        steps, seeds, agents = (1000, 20, '["random", "oracle"]') if mode == "--overhead" else (200_000, 3, AGENTS)
        (folder / "e.toml").write_text(EXPERIMENT.format(steps=steps, seeds=seeds, agents=agents))
        tucrl.run("e.toml", out="here", progress=False, jobs=2)
        expected = bodies(folder / "here")
        assert len(expected) >= 12, len(expected)
        if mode == "--overhead" and name == "mpi":
            made = mpi_job("--rank-measured", str(folder), str(len(expected)))
            assert made.returncode == 0, made
            print(made.stdout, end="", flush=True)
        elif mode == "--overhead":
            measured(name, folder, len(expected))
        elif name == "mpi":
            mpi_survives(folder, expected)
        elif name == "store":
            stores.object_store(folder, expected)
        elif name == "disk":
            stores.full_disk(folder, expected)
        else:
            survives(name, folder, expected)


if __name__ == "__main__":
    main()
