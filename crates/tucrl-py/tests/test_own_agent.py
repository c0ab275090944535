"""Agents written in Python enter the same records as those of the library, and the bad ones harm no other run."""

import functools
import json
import os
import pickle
import re
import signal
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bad_agents
import numpy as np
import pytest
import tucrl

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT / "examples" / "python"))
from own_agent import DiffQ  # noqa: E402

#: What examples/rust/own-agent plays too; see examples/rust/own-agent/tests/beside_tucrl.rs.
EXPECTED = json.loads((ROOT / "examples/rust/own-agent/tests/gap_regret.json").read_text())


def both(in_process: bool) -> tucrl.Result:
    return tucrl.learn(
        EXPECTED["world"],
        {"mine": DiffQ, "psrl": "psrl"},
        EXPECTED["steps"],
        seeds=EXPECTED["seeds"],
        in_process=in_process,
    )


@pytest.fixture(scope="module")
def result() -> tucrl.Result:
    return both(in_process=False)


def gap_regret(result: tucrl.Result, label: str) -> list[list[float]]:
    curves = result.table()
    rows = zip(*(curves[key] for key in ("label", "run", "t", "gap_regret")), strict=True)
    return [[int(run), int(t), float(regret)] for own, run, t, regret in rows if own == label]


def test_the_agent_in_python_has_the_gap_regret_of_the_agent_in_rust(result: tucrl.Result) -> None:
    assert gap_regret(result, "mine") == EXPECTED["gap_regret"]


def test_the_example_has_at_most_30_lines_of_code() -> None:
    text = (ROOT / "examples/python/own_agent.py").read_text()
    body = text[text.index("class DiffQ") : text.index('if __name__')]
    assert len([line for line in body.splitlines() if line.strip()]) <= 30


def test_this_process_and_another_give_the_same_runs(result: tucrl.Result) -> None:
    again = both(in_process=True).table()
    for name, column in result.table().items():
        np.testing.assert_array_equal(column, again[name], name)


def test_a_run_is_what_a_loop_in_python_does(result: tucrl.Result) -> None:
    mdp, run = tucrl.MDP(EXPECTED["world"]), 1
    # The seed that a factory gets: the upper half of the first number of the agent's stream.
    seed = tucrl.Stream.of_run(1, run).bits() >> 32
    agent, walk, earned = DiffQ(mdp.action_mask, seed), mdp.walk(seed=1, run=run), 0.0
    for _ in range(EXPECTED["steps"]):
        state, reward = walk.step(agent.act(walk.state))
        agent.observe(reward, state)
        earned += reward
    curves = result.to_pandas()
    regret = curves[(curves.label == "mine") & (curves.run == run)].regret.iloc[-1]
    assert regret == pytest.approx(EXPECTED["steps"] * mdp.gain - earned, abs=1e-6)


def test_it_is_in_tables_figures_statistics_and_reports(result: tucrl.Result, tmp_path: Path) -> None:
    pairs = result.to_pandas("pairs")
    assert {"mine", "psrl"} <= set(pairs.to_numpy().reshape(-1).tolist())
    summary = result.to_pandas("summary").set_index("label")
    assert summary["runs"]["mine"] == EXPECTED["seeds"]
    assert summary["agent"]["mine"] == "python:class=own_agent.DiffQ"
    assert "mine" in repr(result) and "mine" in result._repr_html_()
    (page,) = result.report(tmp_path / "page.html")
    assert "mine" in Path(page).read_text()
    files = result.report(tmp_path / "all")
    assert any(file.endswith(".parquet") for file in files)
    assert pickle.loads(pickle.dumps(result)).failed == []


def test_a_factory_gets_what_its_signature_names() -> None:
    seen: list[dict[str, Any]] = []

    class Curious(bad_agents.InTurn):
        def __init__(
            self, states: int, actions: int, mask: Any, r_max: float, steps: int, *, seed: int, other: int = 5
        ) -> None:
            super().__init__(mask)
            seen.append(dict(states=states, actions=actions, mask=mask, r_max=r_max, steps=steps, seed=seed, other=other))

    mine = functools.partial(Curious, other=6)
    tucrl.learn("three-state:delta=0", mine, 10, seeds=2, in_process=True)
    first, second = seen
    mdp = tucrl.MDP("three-state:delta=0")
    assert (first["states"], first["actions"], first["r_max"]) == (mdp.states, mdp.actions, mdp.r_max)
    assert first["steps"] == 10 and first["other"] == 6
    np.testing.assert_array_equal(first["mask"], mdp.action_mask)
    assert first["seed"] != second["seed"] and 0 <= first["seed"] < 2**32


#: What DiffQ does not have.
SPEED: dict[str, Any] = {"speed": 1}


@pytest.mark.parametrize(
    ("factory", "sentence"),
    [
        (lambda weights: None, "it needs weights, which is not offered"),
        (functools.partial(DiffQ, **SPEED), "it has no option speed: its parameters are mask, seed, step, epsilon"),
        (7, "7 is no agent"),
    ],
)
def test_a_factory_that_cannot_be_called_is_refused_before_anything_runs(factory: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tucrl.learn("river-swim", {"mine": factory}, 10)


BAD: list[tuple[Callable[..., Any], str]] = [
    (bad_agents.WrongAction, r"step 9: ValueError: act\(\d\) returned 7, and the actions of state \d are 0 to 1"),
    (bad_agents.Negative, r"step 9: ValueError: act\(\d\) returned -1"),
    (bad_agents.Nan, r"step 9: ValueError: act\(\d\) returned nan of type float"),
    (bad_agents.Raises, r"step 9: KeyError: 'no such value'\n(.|\n)*bad_agents.py"),
    (bad_agents.RaisesInTheEnd, r"step 1000: RuntimeError: one too many"),
    (bad_agents.Interrupts, r"step 9: KeyboardInterrupt"),
    (bad_agents.NotMade, r"the agent cannot be made: OSError: no weights"),
    (bad_agents.NoObserve, r"the agent cannot be made: TypeError: NoObserve has no method observe"),
]
#: What only another process survives.
WORSE: list[tuple[Callable[..., Any], str]] = [
    (bad_agents.Exits, r"step \d+: the process of the agent ended \(exit status: 3\)"),
    (bad_agents.NeverReturns, r"took longer than step_timeout = 0.5 seconds(.|\n)*in act"),
]


@pytest.mark.parametrize("in_process", [True, False])
def test_a_bad_agent_fails_alone_and_says_why(in_process: bool) -> None:
    bad = BAD if in_process else BAD + WORSE
    agents: dict[str, Any] = {factory.__name__: factory for factory, _ in bad}
    agents |= {"good": bad_agents.InTurn, "psrl": "psrl"}
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        result = tucrl.learn(
            "river-swim",
            agents,
            1000,
            seeds=2,
            in_process=in_process,
            step_timeout=0.5,
        )
    failed = {(label, run): error for label, run, error in result.failed}
    assert set(failed) == {(factory.__name__, run) for factory, _ in bad for run in (0, 1)}
    for factory, pattern in bad:
        assert re.search(pattern, failed[factory.__name__, 0]), failed[factory.__name__, 0]
    assert len([w for w in told if "failed" in str(w.message)]) == 2 * len(bad)
    alone = tucrl.learn("river-swim", {"good": bad_agents.InTurn, "psrl": "psrl"}, 1000, seeds=2, in_process=True)
    for label in ("good", "psrl"):
        assert gap_regret(result, label) == gap_regret(alone, label) and gap_regret(alone, label)


@pytest.mark.parametrize("world", ["river-swim", "junk:base=river-swim,factor=10"])
def test_an_agent_that_is_not_deterministic_is_told_apart(world: str, tmp_path: Path) -> None:
    agents = {"mine": bad_agents.NotDeterministic, "good": DiffQ}
    with pytest.warns(UserWarning) as told:
        result = tucrl.learn(world, agents, 300, seeds=1)
    (said,) = [str(warning.message) for warning in told if "deterministic" in str(warning.message)]
    assert re.match(r"mine, run 0: its agent is not deterministic: .* it played \d instead of \d in step \d+", said), said
    assert len(result) == 2 and result.failed == []
    (page,) = result.report(tmp_path / "page.html")
    assert "its agent is not deterministic" in Path(page).read_text()


def test_an_agent_without_a_pickle_runs_and_is_not_continued(tmp_path: Path) -> None:
    experiment = {"name": "p", "steps": 200, "seeds": 1, "worlds": ["river-swim"]}
    with pytest.warns(UserWarning, match="mine, run 0: its agent cannot be pickled, so that a run that is stopped starts again"):
        result = tucrl.run({**experiment, "agents": {"mine": bad_agents.NotPicklable}}, out=tmp_path / "a")
    assert len(result) == 1 and result.failed == []
    with pytest.warns(UserWarning, match=r"mine, run 0: its agent cannot be pickled.* \(2 of 2 runs have remarks\)"):
        tucrl.learn("river-swim", {"mine": bad_agents.NotPicklable}, 200, seeds=2, in_process=True)
    # A factory that cannot be pickled cannot go to another process.
    lock = __import__("threading").Lock()

    class Local(bad_agents.InTurn):
        def __init__(self, mask: Any) -> None:
            super().__init__(mask)
            assert lock is not None

    with pytest.warns(UserWarning, match="it cannot be pickled"):
        result = tucrl.run({**experiment, "agents": {"bad": Local, "good": "random"}}, out=tmp_path / "b")
    assert [label for label, _, _ in result.failed] == ["bad"] and len(result) == 2


def test_episodes_of_an_agent_are_recorded(result: tucrl.Result) -> None:
    for in_process in (True, False):
        told = tucrl.learn("river-swim", {"mine": bad_agents.Episodes}, 1000, seeds=1, in_process=in_process)
        table = told.to_pandas("episodes")
        assert table["start"].tolist() == list(range(1, 1001, 100)) and set(table["gain"]) == {0.5}


def test_what_an_agent_explains_is_in_the_answer_of_learn() -> None:
    words = ["learn", "river-swim", "--agent", "python:class=bad_agents.Episodes", "--agent", "python:class=bad_agents.InTurn"]
    words += ["--steps", "7", "--seeds", "1", "--explain", "2", "--json"]
    command = [sys.executable, "-m", "tucrl", *words]
    ran = subprocess.run(command, cwd=Path(__file__).parent, capture_output=True, text=True, check=True)
    explains, silent = (json.loads(line) for line in ran.stdout.splitlines())
    told = [(entry["action"], entry["visits"], entry["is_planned"]) for entry in explains["explained"]]
    # Seven steps in turn: 0, 1, …, 0, and action 1 is next.
    assert told == [(0, 7, False), (1, 7, True)]
    assert all(entry["outlook"] is None for entry in explains["explained"])
    assert silent.get("explained") is None, "it has no explain"


def test_what_an_agent_prints_does_not_disturb_its_answers(capfd: pytest.CaptureFixture[str]) -> None:
    result = tucrl.learn("river-swim", {"mine": bad_agents.Prints}, 20, seeds=1)
    assert result.failed == [] and capfd.readouterr().err.count("acting") == 20


SCRIPT = """
import sys
sys.path.append({examples!r})
import tucrl
from own_agent import DiffQ

if __name__ == "__main__":
    agents = {{"my-q": DiffQ, "tucrl-plus": "tucrl-plus", "psrl": "psrl"}}
    experiment = {{"name": "e", "steps": {steps}, "seeds": 2, "worlds": ["river-swim"], "agents": agents}}
    result = tucrl.run(experiment, out=sys.argv[1], checkpoint_seconds=0.05)
    result.report(sys.argv[2])
    print(result.to_pandas()[["label", "run", "t", "gap_regret"]].to_csv())
"""


def test_a_killed_experiment_continues_to_the_same_table_and_page(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT.format(examples=str(ROOT / "examples" / "python"), steps=300_000))

    def command(name: str) -> list[str]:
        return [sys.executable, str(script), str(tmp_path / name), str(tmp_path / f"{name}.html")]

    whole = subprocess.run(command("whole"), capture_output=True, text=True, check=True)
    running = subprocess.Popen(command("killed"), start_new_session=True, stdout=subprocess.DEVNULL)
    for _ in range(600):
        time.sleep(0.05)
        if list((tmp_path / "killed").glob("runs/*my-q*.state")):
            break
    os.killpg(running.pid, signal.SIGKILL)
    running.wait()
    assert list((tmp_path / "killed").glob("runs/*my-q*.state")), "it was killed in the middle of a run"
    resumed = subprocess.run(command("killed"), capture_output=True, text=True, check=True)
    assert resumed.stdout == whole.stdout and resumed.stdout.count("my-q") > 50
    page = (tmp_path / "killed.html").read_text()
    assert all(label in page for label in ("my-q", "tucrl-plus", "psrl"))
    sessions = [
        json.loads(path.read_text().splitlines()[0])["provenance"]["sessions"]
        for path in (tmp_path / "killed").glob("runs/*my-q*.run")
    ]
    assert max(sessions) > 1, "a run was continued from its checkpoint"


def test_an_experiment_file_names_an_agent_in_python(tmp_path: Path) -> None:
    (tmp_path / "my_module.py").write_text((ROOT / "examples/python/own_agent.py").read_text())
    (tmp_path / "e.toml").write_text(
        'name = "e"\nsteps = 2000\nseeds = 2\nworlds = ["river-swim"]\n'
        'agents = ["tucrl", "python:class=my_module.DiffQ,epsilon=0.2", '
        '{ spec = "python:class=my_module.DiffQ", label = "mine" }]\n'
    )

    def command(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([sys.executable, "-m", "tucrl", *words], cwd=tmp_path, capture_output=True, text=True)

    ran = command("run", "e.toml")
    assert ran.returncode == 0 and "6 of 6 runs done" in ran.stdout, ran.stderr
    report = command("report", "out/e")
    assert "mine" in report.stdout and "python:class=my_module.DiffQ,epsilon=0.2" in report.stdout
    assert "6 of 6 runs done" in command("status", "out/e").stdout
    assert command("compare", "out/e", "out/e").returncode == 0
    record = json.loads(next((tmp_path / "out/e/runs").glob("*epsilon*r0000*")).read_text().splitlines()[1])
    assert record["options"]["epsilon"] == 0.2 and len(record["options"]["source"]) == 16
    same = tucrl.learn("river-swim", {"mine": functools.partial(DiffQ, epsilon=0.2)}, 2000, seeds=1, in_process=True)
    assert record["record"]["gap_regret"][-1][1] == gap_regret(same, "mine")[-1][2]


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("python:class=no_such_module.Agent", "No module named 'no_such_module'"),
        ("python:class=bad_agents.Missing", "bad_agents has no Missing"),
        ("python:class=bad_agents.InTurn,colour=red", "it has no option colour"),
        ("python", "python needs class"),
        ("python:class=InTurn", "'InTurn' names no module"),
    ],
)
def test_a_spec_that_names_no_agent_says_why(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tucrl.learn("river-swim", spec, 10)


def test_ctrl_c_ends_a_run_with_an_agent_that_never_returns(tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.append({str(Path(__file__).parent)!r}); import bad_agents, tucrl\n"
        "if __name__ == '__main__': tucrl.learn('river-swim', {'mine': bad_agents.NeverReturns}, 1000)"
    )
    script = tmp_path / "script.py"
    script.write_text(code)
    running = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None
    # What an agent prints in its process goes to the standard error.
    assert "stuck" in running.stderr.readline()
    running.send_signal(signal.SIGINT)
    _, error = running.communicate(timeout=50)
    assert "KeyboardInterrupt" in error and running.returncode != 0


def test_a_worker_ends_with_the_process_that_asked(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys; sys.path.append({str(Path(__file__).parent)!r}); import bad_agents, tucrl\n"
        "if __name__ == '__main__': tucrl.learn('river-swim', {'mine': bad_agents.NeverReturns}, 1000, seeds=1)"
    )
    running = subprocess.Popen([sys.executable, str(script)], stderr=subprocess.PIPE, text=True)
    assert running.stderr is not None and "stuck" in running.stderr.readline()
    running.kill()
    # The pipe is closed when the last process that has it ended.
    assert running.communicate(timeout=50)[1] == ""


@pytest.mark.parametrize("has_guard", [True, False])
def test_an_agent_of_the_script_itself_is_found_by_its_workers(has_guard: bool, tmp_path: Path) -> None:
    guard = "if __name__ == '__main__': " if has_guard else ""
    script = tmp_path / "script.py"
    script.write_text(
        "import sys\nsys.modules['cloudpickle'] = None\nimport tucrl, warnings\nwarnings.simplefilter('ignore')\n"
        "class Zero:\n    def act(self, state): return 0\n    def observe(self, reward, next_state): pass\n"
        f"{guard}print(tucrl.learn('river-swim', {{'mine': Zero}}, 100, seeds=1).failed)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    if has_guard:
        assert done.stdout == "[]\n"
    else:
        assert "put the call below `if __name__ ==" in done.stdout


def test_streams_draw_what_xoshiro256_plus_plus_draws() -> None:
    mask = 2**64 - 1

    def mixed(seed: int) -> list[int]:
        words = []
        for _ in range(4):
            seed = (seed + 0x9E3779B97F4A7C15) & mask
            z = seed
            z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & mask
            z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
            words.append(z ^ (z >> 31))
        return words

    def rotated(x: int, k: int) -> int:
        return ((x << k) | (x >> (64 - k))) & mask

    s, stream = mixed(12345), tucrl.Stream(12345)
    for _ in range(100):
        drawn = (rotated((s[0] + s[3]) & mask, 23) + s[0]) & mask
        t = (s[1] << 17) & mask
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotated(s[3], 45)
        assert stream.bits() == drawn
    copy = pickle.loads(pickle.dumps(stream))
    assert copy == stream and [copy.unit() for _ in range(5)] == [stream.unit() for _ in range(5)]
    assert 0 <= stream.below(3) < 3 and stream.chance(1.0) and not stream.chance(0.0)
    with pytest.raises(ValueError, match="at least 1"):
        stream.below(0)
