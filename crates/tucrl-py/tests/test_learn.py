"""Many runs from Python are those of the command, and Python stays alive meanwhile."""

import json
import pickle
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
import tucrl
from tucrl._run import Own

matplotlib.use("Agg")

#: No agents and worlds of one's own.
NONE = Own({}, {}, False, 60.0)
WORLD, AGENTS = "three-state:delta=0", ["tucrl:alpha=0.05", "ucrl:alpha=0.05", "random"]


@pytest.fixture(scope="module")
def result() -> tucrl.Result:
    return tucrl.learn(WORLD, AGENTS, 50_000, seeds=3)


def test_the_numbers_are_those_of_the_command(result: tucrl.Result) -> None:
    command = [sys.executable, "-m", "tucrl", "learn", WORLD, "--steps", "5e4", "--seeds", "3"]
    command += [word for agent in AGENTS for word in ("--agent", agent)]
    lines = subprocess.run([*command, "--json"], capture_output=True, text=True, check=True).stdout
    told = [json.loads(line) for line in lines.splitlines()]
    curves = result.table()
    rows = [
        (agent, run, t, regret, pseudo)
        for agent, run, t, regret, pseudo in zip(
            *(curves[key] for key in ("agent", "run", "t", "regret", "pseudo_regret")), strict=True
        )
    ]
    expected = [
        (line["agent"], line["seed"], t, regret, pseudo)
        for line in told
        for (t, regret), (_, pseudo) in zip(line["regret"], line["pseudo_regret"], strict=True)
    ]
    assert rows == expected and len(rows) > 100


def test_threads_change_nothing(result: tucrl.Result) -> None:
    again = tucrl.learn(tucrl.MDP(WORLD), AGENTS, 50_000, seeds=3, jobs=1).table()
    for name, column in result.table().items():
        np.testing.assert_array_equal(column, again[name], name)


def test_a_result_becomes_frames_of_all_kinds(result: tucrl.Result) -> None:
    for name in ("curves", "summary", "pairs", "episodes"):
        table = result.table(name)
        size = len(table["world"])
        assert size > 0 and all(len(column) == size for column in table.values())
        pandas, polars, arrow = (
            result.to_pandas(name),
            result.to_polars(name),
            result.to_arrow(name),
        )
        assert pandas.shape == polars.shape == (arrow.num_rows, arrow.num_columns)
        assert list(pandas.columns) == polars.columns == arrow.column_names == list(table)
    last = result.to_pandas().groupby("agent")["regret"].last()
    assert last["tucrl:alpha=0.05"] < last["ucrl:alpha=0.05"] < 50_000
    assert len(result) == 9 and result.failed == []


def test_a_summary_says_who_is_better_and_how_regret_grows(result: tucrl.Result) -> None:
    summary = result.to_pandas("summary").set_index("agent")
    assert summary["rank"].to_dict()["tucrl:alpha=0.05"] == 1
    assert summary["growth"]["ucrl:alpha=0.05"] > 0.9 > summary["growth"]["tucrl:alpha=0.05"]
    text, page = repr(result), result._repr_html_()
    assert "three-state:delta=0, 50000 steps" in text and "±" in text
    assert page.count("<table>") == 1 and page.count("<tr>") == 4
    assert "ucrl:alpha=0.05" in page and "ucrl:alpha=0.05" in text


def test_a_notebook_shows_the_figure_beside_the_table(result: tucrl.Result) -> None:
    page = ElementTree.fromstring(result._repr_html_())
    table, figure = page
    assert (table.tag, figure.tag) == ("table", "figure")
    assert figure.attrib["aria-label"].startswith("gap regret in three-state:delta=0")
    style, svg = figure
    assert style.tag == "style"
    assert svg.tag == "{http://www.w3.org/2000/svg}svg"
    texts = [(text.text or "").strip() for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert "Gap regret in three-state:delta=0" in texts
    # Lines are labelled, with the name or its beginning.
    for agent in ("tucrl", "ucrl"):
        assert any(text.startswith(agent) for text in texts), texts


def test_labels_cannot_leave_their_place_in_a_notebook() -> None:
    label = "<script>alert(1)</script>"
    result = tucrl.learn("river-swim", {label: "random"}, 1000, 2)
    page = result._repr_html_()
    assert "<script" not in page
    assert label in "".join(ElementTree.fromstring(page).itertext())


def test_a_notebook_has_figures_of_four_worlds_at_most(tmp_path: Path) -> None:
    worlds = [f"river-swim:n={cells}" for cells in (3, 4, 5, 7, 8, 9)]
    experiment = {"name": "six", "steps": 100, "seeds": 1, "worlds": worlds, "agents": ["random"]}
    result = tucrl.run(experiment, out=tmp_path / "out")
    page = ElementTree.fromstring(result._repr_html_())
    figures = [child.attrib["aria-label"] for child in page if child.tag == "figure"]
    assert [f"in {world};" in told for world, told in zip(worlds, figures, strict=False)] == [True] * 4
    assert len(figures) == 4
    assert "2 more worlds" in "".join(page.itertext())


def test_a_figure_has_a_line_and_a_band_per_agent(result: tucrl.Result, tmp_path: Path) -> None:
    axes = result.plot()
    assert [line.get_label() for line in axes.get_lines()] == AGENTS
    assert len(axes.collections) == 3
    times, means = axes.get_lines()[0].get_data()
    curves = result.to_pandas()
    by_time = curves[curves["agent"] == AGENTS[0]].groupby("t")
    own = by_time["gap_regret"].mean()
    assert np.array_equal(times, own.index) and np.allclose(means, own)
    assert axes.get_ylabel() == "gap regret"
    realised = result.plot(regret="realised").get_lines()[0].get_data()[1]
    assert realised[-1] == pytest.approx(by_time["regret"].mean().iloc[-1])
    with pytest.raises(ValueError, match="choose one of 'gap', 'realised', 'pseudo'"):
        result.plot(regret="real")
    axes.figure.savefig(tmp_path / "regret.png")
    from matplotlib import pyplot

    assert result.plot(axes, log=False) is axes
    pyplot.close("all")


def test_a_report_is_a_page_or_a_folder(result: tucrl.Result, tmp_path: Path) -> None:
    assert result.report(tmp_path / "out.html") == [str(tmp_path / "out.html")]
    page = (tmp_path / "out.html").read_text()
    assert "tucrl:alpha=0.05" in page and "<script" in page
    files = result.report(tmp_path / "report")
    names = {Path(file).name for file in files}
    assert {"report.html", "report.md", "curves.parquet", "summary.csv"} <= names
    import pandas

    frame = pandas.read_parquet(tmp_path / "report" / "curves.parquet")
    assert np.array_equal(frame["regret"], result.table()["regret"])


def test_a_result_can_be_pickled(result: tucrl.Result) -> None:
    twin = pickle.loads(pickle.dumps(result))
    assert np.array_equal(twin.table()["regret"], result.table()["regret"])


def test_too_short_runs_and_unrecoverable_starts_are_warned_about() -> None:
    with pytest.warns(UserWarning, match="too few for its confidence widths"):
        tucrl.learn("taxi", "tucrl", 1000, 1)
    with pytest.warns(UserWarning, match="cannot be reached from every"):
        tucrl.learn(_trap(), "random", 1000, 1)


def _trap() -> tucrl.MDP:
    transitions = np.array([[[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [0.0, 1.0]]])
    return tucrl.MDP.from_arrays(transitions, np.array([[1.0, 0.0], [0.0, 0.0]]), axes="sas")


def test_a_run_that_fails_is_named_and_the_others_go_on() -> None:
    agents = ["ucrl:alpha=0.01,planner=plain,sweeps=3", "random"]
    with pytest.warns(UserWarning, match="run 0 failed: planning at step"):
        result = tucrl.learn(WORLD, agents, 10_000, 1)
    ((agent, run, why),) = result.failed
    assert agent.startswith("ucrl") and run == 0 and "did not converge" in why
    assert list(result._regret("regret", WORLD)) == ["random"]


def test_python_goes_on_while_agents_learn() -> None:
    ticks = []
    alive = threading.Event()

    def tick() -> None:
        while not alive.is_set():
            ticks.append(time.monotonic())
            time.sleep(0.01)

    thread = threading.Thread(target=tick)
    thread.start()
    began = time.monotonic()
    tucrl.learn(WORLD, "random", 3e7, 2)
    took = time.monotonic() - began
    alive.set()
    thread.join()
    heard = sum(began < moment < began + took for moment in ticks)
    assert heard > 5, f"{heard} ticks in {took} s"


def test_progress_is_told_and_ends_at_the_total() -> None:
    taken: list[int] = []
    mdp = tucrl.MDP(WORLD)
    tucrl._native.learn(mdp, [(None, "random")], NONE, 2e7, 2, 1, None, 10, taken.append, False)
    assert taken == sorted(taken) and taken[-1] == 4e7 and len(taken) >= 2


def test_an_exception_of_the_progress_bar_stops_the_runs() -> None:
    def refuse(taken: int) -> None:
        raise LookupError("enough")

    began = time.monotonic()
    with pytest.raises(LookupError, match="enough"):
        tucrl._native.learn(tucrl.MDP(WORLD), [(None, "random")], NONE, 1e10, 2, 1, None, 10, refuse, False)
    assert time.monotonic() - began < 30


INTERRUPTED = """
import sys, warnings, tucrl
warnings.simplefilter("ignore")
print("ready", flush=True)
try:
    tucrl.learn("river-swim", ["tucrl", "random"], 1e10, 2, progress=sys.argv[1] == "bar")
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


@pytest.mark.parametrize("progress", ["bar", "quiet"])
def test_ctrl_c_stops_all_runs(progress: str) -> None:
    running = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED, progress],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stdout is not None and running.stdout.readline() == "ready\n"
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    out, errors = running.communicate(timeout=30)
    assert (out, running.returncode) == ("stopped\n", 0), errors


@pytest.mark.parametrize("module", ["tqdm", None])
def test_a_bar_is_shown_when_asked_for(
    module: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tucrl._learn, "_PATIENCE", 0.0)
    if module is None:
        monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with warnings.catch_warnings():
        # tqdm misses the widgets of notebooks.
        warnings.simplefilter("ignore")
        tucrl.learn(WORLD, "random", 1e6, 2, progress=True)
    shown = capsys.readouterr().err
    assert "learning" in shown and "100" in shown
    tucrl.learn(WORLD, "random", 1e6, 2)
    assert capsys.readouterr().err == "", "no progress bar without a terminal"
