"""Results in an object store are those of a directory, are kept once, and reveal no credentials."""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import obstore
import pytest
import tucrl
from obstore.store import MemoryStore
from tucrl import _bucket, _native
from tucrl._run import Own

EXPERIMENT = {
    "name": "far",
    "steps": 2000,
    "seeds": 3,
    "worlds": ["river-swim", "three-state:delta=0"],
    "agents": ["tucrl:alpha=0.05", "psrl"],
}


def contents(store: Any) -> dict[str, bytes]:
    """Return all objects."""
    paths = [meta["path"] for part in obstore.list(store) for meta in part]
    return {path: bytes(obstore.get(store, path).bytes()) for path in paths}


def bodies(store: Any) -> dict[str, bytes]:
    """Return the body of every run."""
    return {path: content.split(b"\n")[1] for path, content in contents(store).items() if path.endswith(".run")}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("here") / "out"
    tucrl.run(EXPERIMENT, out=folder)
    return {f"runs/{path.name}": path.read_bytes().split(b"\n")[1] for path in (folder / "runs").glob("*.run")}


class Between:
    """Runs calls on threads; something happens before each answer."""

    def __init__(self, happens: Callable[[Any], object]) -> None:
        self.happens, self.threads = happens, ThreadPoolExecutor(2)

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> "Future[Any]":
        """Start a call."""

        def call() -> Any:
            answer = function(*arguments)
            self.happens(answer)
            return answer

        return self.threads.submit(call)


@pytest.mark.parametrize("with_executor", [False, True])
def test_an_object_store_has_the_records_of_a_directory(with_executor: bool, expected: dict[str, bytes]) -> None:
    store = MemoryStore()
    executor = Between(lambda answer: None) if with_executor else None
    result = tucrl.run(EXPERIMENT, out=store, executor=executor, progress=False)
    assert len(result) == 12 and bodies(store) == expected
    assert sorted(contents(store)) == ["experiment.toml", *sorted(expected)]
    before = [meta for part in obstore.list(store) for meta in part]
    assert len(tucrl.run(EXPERIMENT, out=store, executor=executor)) == 12
    assert [meta for part in obstore.list(store) for meta in part] == before, "nothing is written again"


def test_an_address_is_opened_and_goes_on_where_it_ended(tmp_path: Path, expected: dict[str, bytes]) -> None:
    (tmp_path / "bucket").mkdir()
    address = f"file://{tmp_path}/bucket"
    assert len(tucrl.run(EXPERIMENT, out=address, only="psrl")) == 6
    assert len(tucrl.run(EXPERIMENT, out=address)) == 12
    found = {f"runs/{p.name}": p.read_bytes().split(b"\n")[1] for p in (tmp_path / "bucket" / "runs").iterdir()}
    assert found == expected
    # It is laid out as a directory is.
    assert len(tucrl.run(EXPERIMENT, out=tmp_path / "bucket")) == 12
    with pytest.raises(ValueError, match=r"file://.*/bucket"):
        tucrl.run(EXPERIMENT, out=address, resume=False)
    with pytest.raises(ValueError, match=r"file://.*/bucket.*steps"):
        tucrl.run({**EXPERIMENT, "steps": 3000}, out=address)


def test_what_another_process_stored_first_stays(expected: dict[str, bytes]) -> None:
    store = MemoryStore()
    cells = _native.Cells.of_file("e.toml", tucrl._run._toml(EXPERIMENT, Own({}, {}, False, 60.0)), [], Own({}, {}, False, 60.0))
    first = cells.work(0, None, 20.0)

    def stored(answer: Any) -> None:
        if not contents(store).get(f"runs/{cells.file(0)}"):
            obstore.put(store, f"runs/{cells.file(0)}", first, mode="create")

    tucrl.run(EXPERIMENT, out=store, executor=Between(stored), progress=False)
    assert bodies(store) == expected and contents(store)[f"runs/{cells.file(0)}"] == first


class Moody:
    """Acts by its mood, so that one cell has two results."""

    mood = 0

    def __init__(self, mask: Any) -> None:
        pass

    def act(self, state: int) -> int:
        """Choose."""
        if Moody.mood == 2:
            raise ArithmeticError("no such value")
        return Moody.mood

    def observe(self, reward: float, next_state: int) -> None:
        """Ignore."""


def moody(store: Any, mood: int, **options: Any) -> Any:
    """Run the agent in a mood."""
    Moody.mood = mood
    experiment = {"name": "m", "steps": 100, "seeds": 1, "worlds": ["river-swim"], "agents": {"moody": Moody}}
    return tucrl.run(experiment, out=store, in_process=True, **options)


def test_a_result_that_contradicts_another_is_refused_and_overwrites_nothing(tmp_path: Path) -> None:
    store, other = MemoryStore(), MemoryStore()
    moody(other, 1)
    (path,) = bodies(other)

    def stored(answer: Any) -> None:
        obstore.put(store, path, contents(other)[path], mode="create")

    with pytest.raises(RuntimeError, match=r"0 of 1 runs are kept"):
        moody(store, 0, executor=Between(stored))
    assert bodies(store) == bodies(other)
    # The same in a directory.
    own = Own({f"{__name__}.Moody": Moody}, {}, True, 60.0)
    text = contents(other)["experiment.toml"].decode()
    cells = _native.Cells.of_file("e.toml", text, [], own)
    cells.open(tmp_path / "out", True, None, False)
    cells.accept(0, contents(other)[path])
    Moody.mood = 0
    with pytest.raises(RuntimeError, match="differ"):
        cells.accept(0, cells.work(0, None, 20.0))


def test_a_failed_run_is_replaced_when_asked() -> None:
    store = MemoryStore()
    with pytest.warns(UserWarning, match="no such value"):
        moody(store, 2)
    (failed,) = bodies(store).values()
    with pytest.warns(UserWarning, match="no such value"):
        moody(store, 1)
    assert list(bodies(store).values()) == [failed]
    result = moody(store, 1, retry_failed=True)
    assert result.failed == [] and list(bodies(store).values()) != [failed]


def test_a_damaged_object_is_kept_aside_and_made_again(expected: dict[str, bytes]) -> None:
    store = MemoryStore()
    tucrl.run(EXPERIMENT, out=store)
    path = min(expected)
    broken = contents(store)[path].replace(b'"z":', b'"z":1', 1)
    obstore.put(store, path, broken)
    with pytest.warns(UserWarning, match="damaged"):
        tucrl.run(EXPERIMENT, out=store)
    assert bodies(store) == expected and contents(store)[f"{path}.damaged"] == broken


def test_unfinished_runs_are_kept_in_the_state_directory(tmp_path: Path, expected: dict[str, bytes]) -> None:
    store = MemoryStore()
    tucrl.run(EXPERIMENT, out=tmp_path / "state", only="psrl")
    tucrl.run(EXPERIMENT, out=store, state_dir=tmp_path / "state")
    assert bodies(store) == expected


def test_credentials_are_not_accepted_in_addresses_nor_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    for address in ("s3://tester:hunter2hunter2@bucket/far", "s3://bucket/far?sig=hunter2hunter2"):
        with pytest.raises(ValueError, match=r"s3://bucket/far has a user, a password or options") as refused:
            tucrl.run(EXPERIMENT, out=address)
        assert "hunter2" not in str(refused.value)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "hunter2hunter2")
    assert _bucket._said(ValueError("denied: hunter2hunter2\nDebug: more")) == "denied: ***"
    with pytest.raises(ValueError, match="gopher://bucket/far cannot be opened"):
        tucrl.run(EXPERIMENT, out="gopher://bucket/far")


def test_a_store_that_fails_is_an_error_with_the_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    store, real = MemoryStore(), obstore.put

    def full(store: Any, path: str, *arguments: Any, **options: Any) -> Any:
        if path.startswith("runs/") and len(bodies(store)) >= 3:
            raise obstore.exceptions.GenericError("quota exceeded\nDebug: more")
        return real(store, path, *arguments, **options)

    monkeypatch.setattr(obstore, "put", full)
    with pytest.raises(OSError, match=r"MemoryStore: quota exceeded: check .*; \d+ of 12 runs are kept: call it again"):
        tucrl.run(EXPERIMENT, out=store, executor=Between(lambda answer: None))
    with pytest.raises(OSError, match="quota exceeded"):
        tucrl.run(EXPERIMENT, out=store)
    monkeypatch.undo()
    assert len(bodies(store)) >= 3 and len(tucrl.run(EXPERIMENT, out=store)) == 12


def test_the_package_is_named_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "obstore", None)
    with pytest.raises(ImportError, match="pip install obstore"):
        tucrl.run(EXPERIMENT, out="s3://bucket/far")
