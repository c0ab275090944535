"""Runs the cells of an experiment by an executor.

An executor is any object with ``submit(function, *arguments)`` that returns something with ``done()`` and ``result()``.
It may run a cell more than once: the same cell gives the same bytes, so that each is kept once.
"""

import contextlib
import hashlib
import pickle
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Sequence
from os import PathLike
from typing import Any, Protocol

from tucrl import _native, _own

#: Runs that are submitted and not yet back, at most: a scheduler is not given a million at once.
_WINDOW = 1000
#: An experiment of more bytes is sent only to workers that do not have it.
_LARGE = 100_000
#: Experiments that a worker keeps, with their solved worlds.
_KEPT = 4
#: Seconds between looks at what is done.
_PAUSE = 0.02
#: Seconds between updates of the progress while no run ends.
_SHOWN = 0.5


class Future(Protocol):
    """What ``submit`` returns."""

    def done(self) -> bool:
        """Return whether there is a result, or a failure."""

    def result(self) -> Any:
        """Return the result, or raise what went wrong."""


class Executor(Protocol):
    """What runs functions elsewhere."""

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        """Start a call."""


def pack(made: dict[str, Any]) -> bytes:
    """Return all that a worker needs to make the same cells."""
    try:
        return _own._dumps(made, "")
    except ValueError as error:
        raise ValueError(f"an agent or world of the experiment cannot be sent to workers: {error}") from None


def _unpack(packed: bytes) -> _native.Cells:
    from tucrl import _worlds

    made = pickle.loads(packed)
    if "text" in made:
        return _native.Cells.of_file(made["path"], made["text"], made["files"], made["own"])
    return _native.Cells.of_world(
        _worlds.as_world(made["world"]),
        made["agents"],
        made["own"],
        made["steps"],
        made["seeds"],
        made["seed"],
        made["checkpoints"],
        made["exploration"],
    )


class _Known:
    """The experiments that this process has seen last."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cells: OrderedDict[str, _native.Cells] = OrderedDict()

    def get(self, digest: str, packed: bytes | None) -> _native.Cells | None:
        # Threads of one worker that ask at the same time get the same object: its worlds are solved once.
        with self._lock:
            found = self._cells.get(digest)
            if found is None and packed is not None:
                found = self._cells[digest] = _unpack(packed)
            if found is not None:
                self._cells.move_to_end(digest)
                while len(self._cells) > _KEPT:
                    self._cells.popitem(last=False)
            return found


_known = _Known()


def work(
    version: str,
    digest: str,
    packed: bytes | None,
    cell: int,
    state_dir: str | None,
    checkpoint_seconds: float,
) -> tuple[str, Any]:
    """Make one run, on a worker: ``("record", bytes)``, ``("missing", None)`` or ``("refused", reason)``.

    What the run itself does wrong is in its record. Exceptions are left to what goes wrong with the worker.
    """
    if version != _native.VERSION:
        return "refused", (
            f"this worker has tucrl {_native.VERSION}, and {version} asks: install the same version everywhere"
        )
    try:
        cells = _known.get(digest, packed)
        if cells is None:
            return "missing", None
        return "record", cells.work(cell, state_dir, checkpoint_seconds)
    except Exception as error:
        return "refused", f"{type(error).__name__}: {error}"


def drive(
    cells: _native.Cells,
    packed: bytes,
    executor: Executor,
    to_do: Sequence[int],
    *,
    retries: int,
    state_dir: "str | PathLike[str] | None",
    checkpoint_seconds: float,
    tell: Callable[[int], object] | None,
    keep: Callable[[int, bytes], Any],
) -> None:
    """Let an executor make the runs, and keep each as it comes.

    ``keep`` checks a sealed run and stores it, or returns what has ``done()`` and ``result()`` while it is being stored.
    """
    if not callable(getattr(executor, "submit", None)):
        raise ValueError(
            f"{executor!r} is no executor: it has no submit(function, *arguments); Ray has none, "
            f"use tucrl.executors.ray()"
        )
    if retries < 0:
        raise ValueError(f"retries = {retries}: give 0 or more")
    digest = hashlib.sha256(packed).hexdigest()
    directory = None if state_dir is None else str(state_dir)
    waiting, sent = deque(to_do), set(to_do if len(packed) < _LARGE else ())
    lost: Counter[int] = Counter()
    under_way: list[tuple[Any, int]] = []
    storing: list[tuple[Any, int]] = []
    kept = steps = 0
    told = time.monotonic()

    def count(cell: int) -> None:
        nonlocal kept, steps
        kept += 1
        steps += cells.title(cell)[1]

    def left(why: str, kind: type[Exception] = RuntimeError) -> Exception:
        for future, cell in storing:
            with contextlib.suppress(Exception):
                future.result()
                count(cell)
        return kind(f"{why}; {kept} of {len(to_do)} runs are kept: call it again for the others")

    def again(cell: int, why: object) -> None:
        lost[cell] += 1
        if lost[cell] > retries:
            times = f"{lost[cell]} times" if lost[cell] > 1 else "once"
            raise left(f"{cells.title(cell)[0]} was lost {times}, the last time by {why}")
        waiting.append(cell)

    try:
        while waiting or under_way or storing:
            while waiting and len(under_way) < _WINDOW:
                cell = waiting.popleft()
                content = packed if cell in sent else None
                try:
                    future = executor.submit(
                        work, _native.VERSION, digest, content, cell, directory, checkpoint_seconds
                    )
                except Exception as error:
                    raise left(f"the executor takes no more work ({type(error).__name__}: {error})") from error
                under_way.append((future, cell))
            done, under_way = _parted(under_way)
            stored, storing = _parted(storing)
            if not done and not stored:
                time.sleep(_PAUSE)
            for future, cell in stored:
                try:
                    future.result()
                except (OSError, RuntimeError) as error:
                    raise left(str(error), type(error)) from None
                count(cell)
            for future, cell in done:
                try:
                    kind, content = future.result()
                except Exception as error:
                    again(cell, f"{type(error).__name__}: {error}")
                    continue
                if kind == "missing":
                    sent.add(cell)
                    waiting.append(cell)
                elif kind == "refused":
                    raise left(f"{cells.title(cell)[0]} cannot be run: {content}")
                else:
                    try:
                        later = keep(cell, content)
                    except ValueError as error:
                        # What arrived is not what was sealed.
                        again(cell, error)
                        continue
                    except OSError as error:
                        raise left(str(error), type(error)) from None
                    if later is None:
                        count(cell)
                    else:
                        storing.append((later, cell))
            if tell is not None and (done or stored or time.monotonic() - told > _SHOWN):
                # A bar that appears late appears also while no run ends.
                tell(steps)
                told = time.monotonic()
    finally:
        for future, _ in under_way:
            cancel = getattr(future, "cancel", None)
            if callable(cancel):
                try:
                    cancel()
                except Exception:
                    # The executor is gone: there is nothing to cancel.
                    break


def _parted(under_way: list[tuple[Any, int]]) -> tuple[list[tuple[Any, int]], list[tuple[Any, int]]]:
    done: list[tuple[Any, int]] = []
    others: list[tuple[Any, int]] = []
    for pair in under_way:
        (done if pair[0].done() else others).append(pair)
    return done, others
