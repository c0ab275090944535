"""The statistics over several worlds, computed a second time with NumPy."""

import csv
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

Rows = list[dict[str, str]]
Scores = dict[str, list[npt.NDArray[np.float64]]]

EXPERIMENT = """
name = "three"
steps = 3000
seeds = 5
worlds = ["river-swim", "three-state:delta=0", "theta"]
agents = ["tucrl:alpha=0.05", "ucrl:alpha=0.05", "psrl", "random"]
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a small experiment, by the command of the wheel."""
    folder = tmp_path_factory.mktemp("across")
    (folder / "three.toml").write_text(EXPERIMENT)
    for arguments in (["run", "three.toml", "--out", "out"], ["report", "out"]):
        command = [sys.executable, "-m", "tucrl", *arguments]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "out" / "report"


def rows(report: Path, table: str) -> Rows:
    with (report / f"{table}.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def normalised(report: Path) -> Scores:
    """Gap regret at the end, divided by the mean of the worst agent of its world."""
    final: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows(report, "curves"):
        if row["t"] == "3000":
            final[row["world"]][row["label"]].append(float(row["gap_regret"]))
    scores: Scores = defaultdict(list)
    for agents in final.values():
        worst = max(np.mean(regret) for regret in agents.values())
        if worst > 0:
            for label, regret in agents.items():
                scores[label].append(np.array(regret) / worst)
    return scores


def iqm(values: npt.NDArray[np.float64]) -> float:
    """The mean without the lowest and the highest quarter, as a trimmed mean cuts them."""
    cut = int(0.25 * len(values))
    return float(np.mean(np.sort(values)[cut : len(values) - cut]))


def test_interquartile_means_agree_with_numpy(report: Path) -> None:
    scores = normalised(report)
    table = rows(report, "across")
    assert {row["label"] for row in table} == set(scores)
    means = [float(row["iqm"]) for row in table]
    assert means == sorted(means)
    random = np.random.default_rng(0)
    for row in table:
        own = scores[row["label"]]
        assert int(row["worlds"]) == len(own)
        assert float(row["iqm"]) == pytest.approx(iqm(np.concatenate(own)), rel=1e-12)
        # The interval of a second stratified bootstrap.
        draws = [
            iqm(np.concatenate([random.choice(world, len(world)) for world in own]))
            for _ in range(4000)
        ]
        low, high = np.quantile(draws, [0.025, 0.975])
        width = high - low
        assert float(row["iqm_low"]) == pytest.approx(low, abs=0.1 * width + 1e-9)
        assert float(row["iqm_high"]) == pytest.approx(high, abs=0.1 * width + 1e-9)


def test_profiles_and_improvements_agree_with_numpy(report: Path) -> None:
    scores = normalised(report)
    profiles = rows(report, "profiles")
    assert len(profiles) == 51 * len(scores)
    for row in profiles:
        share = np.mean(np.concatenate(scores[row["label"]]) <= float(row["tau"]))
        assert float(row["share"]) == pytest.approx(share, abs=1e-12)
        assert float(row["share_low"]) <= float(row["share"]) <= float(row["share_high"])
    improvements = rows(report, "improvements")
    assert len(improvements) == len(scores) * (len(scores) - 1) // 2
    for row in improvements:
        by_world = [
            np.mean((one[:, None] < two[None, :]) + 0.5 * (one[:, None] == two[None, :]))
            for one, two in zip(scores[row["first"]], scores[row["second"]], strict=True)
        ]
        assert float(row["probability"]) == pytest.approx(np.mean(by_world), rel=1e-12)


def test_the_random_agent_is_told_apart(report: Path) -> None:
    summary = [row for row in rows(report, "summary") if row["world"] == "river-swim"]
    ranks = {row["label"]: int(row["rank"]) for row in summary}
    assert ranks["random"] == max(ranks.values()) > 1
    assert {row["shown"] for row in summary} == {"gap"}
