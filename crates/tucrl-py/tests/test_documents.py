"""The Python code of the documents runs as it is printed, and does what it claims."""

import contextlib
import io
import random
import re
import warnings
from pathlib import Path
from typing import Any

import matplotlib
import pytest
import tucrl

matplotlib.use("Agg")

ROOT = Path(__file__).parents[3]
#: What follows a block of code, if anything: what it prints.
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)


def run(document: str, number: int, names: dict[str, Any], within: float = 0.01) -> list[float]:
    """Run one block of a document; return the numbers that it prints, which are those of the document."""
    text = (ROOT / document).read_text(encoding="utf-8")
    block = list(BLOCK.finditer(text))[number]
    printed = io.StringIO()
    # Errors name the line of the document.
    code = "\n" * (text.count("\n", 0, block.start()) + 1) + block[1]
    with contextlib.redirect_stdout(printed):
        exec(compile(code, str(ROOT / document), "exec"), names)
    claimed, found = block[2] or "", printed.getvalue()
    assert re.sub(NUMBER, "#", claimed) == re.sub(NUMBER, "#", found)
    # Another version of Gymnasium may draw other random numbers.
    assert numbers(found) == pytest.approx(numbers(claimed), rel=within, abs=1e-3)
    return numbers(found)


NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")


def numbers(text: str) -> list[float]:
    """Return the numbers in a text."""
    return [float(number.replace(",", "")) for number in NUMBER.findall(text)]


#: How many blocks of code the documents have.
COUNTS = {"README.md": 1, "docs/python.md": 4, "docs/reports.md": 1, "docs/from-logs.md": 6}
#: The last block of the first one is run by third_party.py.
COUNTS |= {"docs/your-own-agent.md": 4, "docs/your-own-world.md": 3, "docs/cluster.md": 2}


def test_every_block_is_tested() -> None:
    for document in [*ROOT.glob("*.md"), *(ROOT / "docs").glob("**/*.md")]:
        name = document.relative_to(ROOT).as_posix()
        assert document.read_text(encoding="utf-8").count("```python") == COUNTS.get(name, 0), name


def test_the_first_snippet_learns_to_drive_a_taxi() -> None:
    same = {BLOCK.findall((ROOT / name).read_text(encoding="utf-8"))[0] for name in ("README.md", "docs/python.md")}
    assert len(same) == 1, "the guide begins as the front page does"
    names: dict[str, Any] = {}
    earned, best = run("README.md", 0, names, within=0.2)
    # Our world is rescaled to [0, 1].
    assert best == pytest.approx(tucrl.MDP("taxi:map=v3").gain * 30 - 10, abs=1e-4)
    # A taxi that never delivers anybody, and never tries, loses 1 per step.
    idle = -1
    assert idle + 0.9 * (best - idle) < earned < best
    assert names["agent"].steps == 60_000 and names["env"].terminations > 2000


def test_models_are_solved_and_runs_compared_as_the_guide_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    import gymnasium

    names: dict[str, Any] = {"tucrl": tucrl, "gym": gymnasium}
    run("docs/python.md", 1, names)
    assert names["cliff"].gain == pytest.approx(-12 / 13, abs=1e-9)
    assert abs(names["taxi"].gain - tucrl.MDP("taxi:map=v3").gain) == 0.0
    run("docs/python.md", 2, names)
    summary = names["result"].to_pandas("summary").set_index("agent")
    assert summary["mean"]["tucrl:alpha=0.05"] < 0.01 * summary["mean"]["ucrl:alpha=0.05"]
    assert (tmp_path / "out.html").exists()


def test_a_report_is_read_as_its_manual_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    agents = ["random", "optimistic-q"]
    tucrl.learn("three-state:delta=0", agents, 1000, 2).report("out/first/report")
    names: dict[str, Any] = {}
    run("docs/reports.md", 0, names)
    assert set(names["curves"]["label"]) == set(agents)


def test_logs_are_used_as_their_manual_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for block in range(COUNTS["docs/from-logs.md"]):
        run("docs/from-logs.md", block, names, within=0.05)
    swim = names["swim"]
    # Swim until the island is reached, 1 / 0.3 steps, then rest, which leads back.
    assert names["model"].policy.tolist() == [1, 0] and names["model"].gain == pytest.approx(0.3 / 1.3, rel=0.05)
    assert names["found"].is_certified
    assert swim.evaluate(names["policy"])[0][0] == pytest.approx(swim.gain, abs=1e-9)
    assert list((tmp_path / "runs" / "lake").iterdir())


def test_the_guide_learns_to_balance_a_pole() -> None:
    import gymnasium

    names: dict[str, Any] = {"tucrl": tucrl, "gym": gymnasium}
    steps, *falls = run("docs/python.md", 3, names, within=1.0)
    assert falls == names["falls"] and falls[-1] < falls[0] / 2
    env = names["env"]
    env.reset(seed=0)
    before, choice = env.terminations, random.Random(0)
    for _ in range(int(steps)):
        env.step(choice.randrange(2))
    assert env.terminations - before == pytest.approx(450, rel=0.1)
    assert falls[-1] < 0.1 * 450


def test_an_agent_of_ones_own_is_run_as_its_guide_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    mine, psrl = run("docs/your-own-agent.md", 0, names)
    assert mine > 10 * psrl, "epsilon-greedy play stays where it first found a reward"
    run("docs/your-own-agent.md", 1, names)
    assert (tmp_path / "out/mine.html").exists() and names["result"].failed == []
    run("docs/your-own-agent.md", 2, names)
    # The agent of the guide is that of the examples.
    import importlib.util

    spec = importlib.util.spec_from_file_location("own_agent", ROOT / "examples/python/own_agent.py")
    assert spec is not None and spec.loader is not None
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)
    both = {"guide": names["DiffQ"], "example": example.DiffQ}
    result = tucrl.learn("river-swim", both, 2000, seeds=1, in_process=True)
    regret = result.to_pandas().groupby("label")["regret"].apply(list)
    assert regret["guide"] == regret["example"]


def test_a_world_of_ones_own_is_learned_as_its_guide_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        # Some runs are too short to show anything but exploration.
        warnings.simplefilter("ignore")
        for block in range(3):
            run("docs/your-own-world.md", block, names)
            if block == 0:
                names["queued"] = names["result"]
    summary = names["queued"].to_pandas("summary").set_index("agent")
    assert summary["mean"]["psrl:concentration=inverse-states"] < 0.5 * summary["mean"]["random"]


def test_an_executor_makes_the_runs_as_the_guide_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    run("docs/cluster.md", 0, names)
    assert names["result"].failed == [] and len(list((tmp_path / "out/far/runs").glob("*.run"))) == 12
    run("docs/cluster.md", 1, names)
    assert names["again"].failed == []
