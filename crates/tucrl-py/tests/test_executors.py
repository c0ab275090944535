"""An executor makes the runs elsewhere, and they are those of this machine, byte for byte."""

import multiprocessing
import os
import re
import signal
import sys
from collections.abc import Callable
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import bad_agents
import pytest
import tucrl
from tucrl import _cells, _native
from tucrl._run import Own

ROOT = Path(__file__).parents[3]
sys.path.append(str(ROOT / "examples" / "python"))
from own_agent import DiffQ  # noqa: E402

STEPS = 20_000


def experiment(folder: Path) -> Path:
    """Return an experiment of 18 runs: a generator, a table and a model file, agents of ours and of their own."""
    model = folder / "models" / "small.json"
    model.parent.mkdir(exist_ok=True)
    if not model.exists():
        tucrl.MDP("three-state:delta=0.1").to_file(model)
    text = (
        f'name = "e"\nsteps = {STEPS}\nseeds = 2\n'
        f'worlds = ["river-swim", "mountain-car:nx=5,nv=5", "{model.as_posix()}"]\n'
        'agents = ["tucrl:alpha=0.05", "psrl:split=mean", { spec = "python:class=own_agent.DiffQ", label = "mine" }]\n'
    )
    path = folder / "e.toml"
    path.write_text(text)
    return path


def bodies(folder: Path) -> dict[str, bytes]:
    """Return the body of every run, by the name of its file."""
    return {path.name: path.read_bytes().split(b"\n")[1] for path in (folder / "runs").glob("*.run")}


@pytest.fixture(scope="module")
def local(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, bytes]]:
    folder = tmp_path_factory.mktemp("local")
    path = experiment(folder)
    tucrl.run(path, out=folder / "out")
    found = bodies(folder / "out")
    assert len(found) == 18
    return path, found


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_processes_make_the_same_bytes(method: str, local: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    path, expected = local
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as executor:
        result = tucrl.run(path, out=tmp_path / "out", executor=executor, progress=False)
    assert bodies(tmp_path / "out") == expected
    assert len(result) == 18 and result.failed == []
    # Nothing is left to do.
    tucrl.run(path, out=tmp_path / "out", executor=Refuses())


class Refuses:
    """Takes nothing."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        """Refuse."""
        raise AssertionError("there is nothing to do")


class Wrapped:
    """Runs calls on threads, by a function that may change them."""

    def __init__(self, change: Callable[[Callable[[], Any], int], Any]) -> None:
        self.change, self.calls = change, 0
        self.threads = ThreadPoolExecutor(2)

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> "Future[Any]":
        """Start a call."""
        number = self.calls
        self.calls += 1
        return self.threads.submit(lambda: self.change(lambda: function(*arguments), number))


class Lost(Exception):
    """A worker is gone."""


def test_a_lost_run_is_made_again(local: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    def lose(call: Callable[[], Any], number: int) -> Any:
        made = call()
        if number % 3 == 0:
            raise Lost("the worker is gone")
        return made

    executor = Wrapped(lose)
    tucrl.run(local[0], out=tmp_path / "out", executor=executor)
    assert bodies(tmp_path / "out") == local[1] and executor.calls > 18


def test_a_run_that_is_always_lost_stops_with_what_is_kept(local: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    def lose(call: Callable[[], Any], number: int) -> Any:
        made = call()
        if number >= 5:
            raise Lost("out of memory")
        return made

    with pytest.raises(RuntimeError, match=r"was lost 3 times, the last time by Lost: out of memory; 5 of 18 runs are kept"):
        tucrl.run(local[0], out=tmp_path / "out", executor=Wrapped(lose), retries=2)
    assert len(bodies(tmp_path / "out")) == 5
    tucrl.run(local[0], out=tmp_path / "out", executor=Wrapped(lambda call, _: call()))
    assert bodies(tmp_path / "out") == local[1]


def test_a_damaged_record_is_made_again(local: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    def damage(call: Callable[[], Any], number: int) -> Any:
        kind, content = call()
        if number == 2:
            content = content.replace(b'"z":', b'"z":1', 1)
        elif number == 4:
            content = content[:-20]
        return kind, content

    executor = Wrapped(damage)
    tucrl.run(local[0], out=tmp_path / "out", executor=executor)
    assert bodies(tmp_path / "out") == local[1] and executor.calls == 20
    with pytest.raises(RuntimeError, match=r"the last time by .*the file is damaged: .*checksum differs"):
        tucrl.run(
            local[0],
            out=tmp_path / "never",
            executor=Wrapped(lambda call, _: (call()[0], call()[1].replace(b'"z":', b'"z":1', 1))),
            retries=1,
        )
    assert bodies(tmp_path / "never") == {}


def test_a_record_that_contradicts_another_is_refused(local: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    tucrl.run(local[0], out=tmp_path / "out")
    own = Own({}, {}, False, 60.0)
    cells = _native.Cells.of_file(local[0], None, [], own)
    assert cells.open(tmp_path / "out", True, None, False) == []
    sealed = cells.work(0, None, 20.0)
    # The same again is no contradiction; the run of another cell is.
    cells.accept(0, sealed)
    with pytest.raises(ValueError, match="it belongs to another cell: run is 0, not 1"):
        cells.accept(1, sealed)
    assert bodies(tmp_path / "out") == local[1]


def test_a_worker_of_another_version_is_refused(local: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    kind, why = _cells.work("0.0.1", "", None, 0, None, 20.0)
    assert kind == "refused" and re.search(r"this worker has tucrl .*, and 0\.0\.1 asks: install the same", why)

    class Mixed(Wrapped):
        """The worker of the sixth call has another version."""

        def submit(self, function: Callable[..., Any], /, *arguments: Any) -> "Future[Any]":
            """Start a call."""
            version = "0.0.1" if self.calls == 5 else arguments[0]
            return super().submit(function, version, *arguments[1:])

    with pytest.raises(RuntimeError, match=r"cannot be run: this worker has tucrl .*install the same.*; \d+ of 18 runs are kept"):
        tucrl.run(local[0], out=tmp_path / "out", executor=Mixed(lambda call, _: call()))
    kept = bodies(tmp_path / "out")
    assert 0 < len(kept) < 18 and kept.items() <= local[1].items()
    tucrl.run(local[0], out=tmp_path / "out", executor=Wrapped(lambda call, _: call()))
    assert bodies(tmp_path / "out") == local[1]


def test_progress_is_shown_while_runs_are_made_elsewhere(
    local: tuple[Path, dict[str, bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(tucrl._learn, "_PATIENCE", 0.0)
    for shown in (False, True):
        executor = Wrapped(lambda call, _: call())
        tucrl.run(local[0], out=tmp_path / str(shown), executor=executor, progress=shown)
        told = capsys.readouterr().err
        assert ("learning" in told and "100" in told) is shown, told


def test_a_killed_worker_breaks_a_pool_of_processes_and_nothing_is_lost(
    local: tuple[Path, dict[str, bytes]], tmp_path: Path
) -> None:
    executor = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))
    told: list[int] = []

    class Kills:
        """Kills a worker after some runs."""

        def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
            """Start a call."""
            told.append(1)
            if len(told) == 18:
                for process in list(executor._processes.values())[:1]:
                    os.kill(process.pid or 0, signal.SIGKILL)
            return executor.submit(function, *arguments)

    with pytest.raises(RuntimeError, match=r"\d+ of 18 runs are kept: call it again"):
        tucrl.run(local[0], out=tmp_path / "out", executor=Kills())
    executor.shutdown()
    assert len(bodies(tmp_path / "out")) < 18
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as another:
        tucrl.run(local[0], out=tmp_path / "out", executor=another)
    assert bodies(tmp_path / "out") == local[1]


def test_learn_takes_an_executor_and_objects_travel() -> None:
    agents = {"mine": DiffQ, "psrl": "psrl"}
    here = tucrl.learn("river-swim", agents, 5000, seeds=2)
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as executor:
        there = tucrl.learn("river-swim", agents, 5000, seeds=2, executor=executor)
        table = tucrl.learn(tucrl.MDP("river-swim"), agents, 5000, seeds=2, executor=executor)
    for name in ("curves", "summary", "pairs"):
        assert str(there.table(name)) == str(here.table(name)) == str(table.table(name))


def test_a_seed_that_is_drawn_is_drawn_once() -> None:
    executor = Wrapped(lambda call, _: call())
    result = tucrl.learn("river-swim", ["random", "oracle"], 100, seeds=2, seed=None, executor=executor)
    assert len(result) == 4 and result.failed == []


def test_bad_agents_fail_alone_elsewhere_too(tmp_path: Path) -> None:
    agents = {"bad": bad_agents.Raises, "good": bad_agents.InTurn}
    with ThreadPoolExecutor(2) as executor, pytest.warns(UserWarning, match="bad, run . failed: .*no such value"):
        result = tucrl.learn("river-swim", agents, 100, seeds=2, executor=executor)
    assert [label for label, _, _ in result.failed] == ["bad", "bad"] and len(result) == 4


def test_what_cannot_travel_is_said_before_anything_runs(tmp_path: Path) -> None:
    lock = __import__("threading").Lock()

    class Local(bad_agents.InTurn):
        def __init__(self, mask: Any) -> None:
            super().__init__(mask)
            assert lock is not None

    with pytest.raises(ValueError, match="cannot be sent to workers: it cannot be pickled"):
        tucrl.learn("river-swim", {"bad": Local}, 100, executor=Refuses())
    with pytest.raises(ValueError, match=r"is no executor: it has no submit"):
        tucrl.learn("river-swim", "random", 100, executor=3)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="retries = -1"):
        tucrl.learn("river-swim", "random", 100, executor=Refuses(), retries=-1)


def test_an_experiment_that_a_worker_cannot_run_is_refused_with_the_reason(tmp_path: Path) -> None:
    experiment = {"name": "x", "steps": 100, "seeds": 1, "worlds": ["theta"], "agents": ["heuristic"]}
    with pytest.raises(RuntimeError, match=r"theta heuristic #0 cannot be run: .*rule of thumb.*; 0 of 1 runs are kept"):
        tucrl.run(experiment, out=tmp_path / "out", executor=Wrapped(lambda call, _: call()))


def test_checkpoints_go_to_the_directory_that_workers_share(tmp_path: Path) -> None:
    experiment = {"name": "s", "steps": 3_000_000, "seeds": 1, "worlds": ["river-swim"], "agents": ["tucrl:alpha=0.05"]}
    state = tmp_path / "state"
    context = multiprocessing.get_context("spawn")
    executor = ProcessPoolExecutor(1, mp_context=context)
    future = executor.submit(os.getpid)
    worker = future.result()

    class Kills:
        """Kills its worker when a checkpoint is there."""

        def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
            """Start a call."""
            made = executor.submit(function, *arguments)
            while not made.done() and not list(state.glob("runs/*.state")):
                pass
            os.kill(worker, signal.SIGKILL)
            return made

    with pytest.raises(RuntimeError, match="0 of 1 runs are kept"):
        tucrl.run(experiment, out=tmp_path / "out", executor=Kills(), state_dir=state, checkpoint_seconds=0.05)
    executor.shutdown()
    assert list(state.glob("runs/*.state")), "it was killed in the middle of the run"
    with ProcessPoolExecutor(1, mp_context=context) as another:
        tucrl.run(experiment, out=tmp_path / "out", executor=another, state_dir=state)
    tucrl.run(experiment, out=tmp_path / "here")
    assert bodies(tmp_path / "out") == bodies(tmp_path / "here")
    (record,) = (tmp_path / "out").glob("runs/*.run")
    assert b'"sessions":2' in record.read_bytes().split(b"\n")[0], "it went on from the checkpoint"


def test_a_large_experiment_is_sent_to_workers_that_do_not_have_it(
    local: tuple[Path, dict[str, bytes]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_cells, "_LARGE", 10)
    sizes: list[int] = []

    class Measures:
        """Counts the calls that carry the experiment."""

        def __init__(self) -> None:
            self.pool = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))

        def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
            """Start a call."""
            sizes.append(0 if arguments[2] is None else len(arguments[2]))
            return self.pool.submit(function, *arguments)

    executor = Measures()
    tucrl.run(local[0], out=tmp_path / "out", executor=executor)
    executor.pool.shutdown()
    assert bodies(tmp_path / "out") == local[1] and sizes[0] == 0 and max(sizes) > 0


def test_a_full_disk_is_an_error_and_loses_nothing(local: tuple[Path, dict[str, bytes]], tmp_path: Path) -> None:
    out = tmp_path / "out"

    def fill(call: Callable[[], Any], number: int) -> Any:
        made = call()
        if number == 4:
            # No more files can be made, as on a full disk.
            (out / "runs").rename(tmp_path / "gone")
            (out / "runs").write_text("in the way")
        return made

    with pytest.raises(OSError, match=r"runs.*; \d+ of 18 runs are kept: call it again"):
        tucrl.run(local[0], out=out, executor=Wrapped(fill))
    (out / "runs").unlink()
    (tmp_path / "gone").rename(out / "runs")
    tucrl.run(local[0], out=out, executor=Wrapped(lambda call, _: call()))
    assert bodies(out) == local[1]
