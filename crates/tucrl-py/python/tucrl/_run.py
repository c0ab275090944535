"""Runs an experiment and keeps its results in a directory or an object store."""

import os
from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tucrl import _bucket, _native, _own, _worlds
from tucrl._learn import Result, bar

if TYPE_CHECKING:
    from obstore.store import ObjectStore

    from tucrl._cells import Executor

#: A class or function that makes an object with ``act(state)`` and ``observe(reward, next_state)``.
Factory = Callable[..., Any]

_LISTS = ("worlds", "agents")


class Own(NamedTuple):
    """Objects that stand for agents and worlds, by name, and how the agents are run."""

    agents: dict[str, Any]
    worlds: dict[str, Any]
    in_process: bool
    step_timeout: float


def named(agents: Any, known: dict[str, Any]) -> list[tuple[str | None, str]]:
    """Return the labels and specs of agents; those that are objects are added to the known ones."""
    if isinstance(agents, (str, bytes)) or (callable(agents) and not isinstance(agents, Mapping)):
        agents = [agents]
    pairs: Iterable[tuple[str | None, Any]]
    pairs = agents.items() if isinstance(agents, Mapping) else ((None, agent) for agent in agents)
    found = []
    for label, agent in pairs:
        if label is not None and not isinstance(label, str):
            raise ValueError(f"{label!r} is no label: labels of agents are texts")
        if isinstance(agent, str):
            found.append((label, agent))
            continue
        path, options = _own.describe(agent)
        scalars = {key: value for key, value in options.items() if _is_plain(value)}
        factory = agent
        if len(scalars) == len(options):
            # A factory and its options: both stand in the spec.
            while hasattr(factory, "func") and hasattr(factory, "keywords"):
                factory = factory.func
        else:
            scalars = {}
        name, number = path, 1
        while known.get(name, factory) is not factory:
            number += 1
            name = f"{path}#{number}"
        known[name] = factory
        words = [f"class={name}", *(f"{key}={_written(value)}" for key, value in scalars.items())]
        default = getattr(factory, "__name__", None)
        found.append((label or (default if not scalars else None), f"python:{','.join(words)}"))
    return found


def _is_plain(value: Any) -> bool:
    if isinstance(value, str):
        # As a text of the spec it would be read as something else.
        return value.isidentifier() and value not in ("true", "false")
    return isinstance(value, (bool, int, float)) and value == value and abs(value) != float("inf")


def _written(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def run(
    experiment: "str | PathLike[str] | Mapping[str, Any]",
    out: "str | PathLike[str] | ObjectStore | None" = None,
    *,
    resume: bool = True,
    jobs: int | None = None,
    only: str | None = None,
    retry_failed: bool = False,
    checkpoint_seconds: float = 20.0,
    step_timeout: float = 60.0,
    in_process: bool = False,
    progress: bool | None = None,
    executor: "Executor | None" = None,
    retries: int = 3,
    state_dir: "str | PathLike[str] | None" = None,
) -> Result:
    """Run an experiment as ``tucrl run`` does, keep its runs in a directory or an object store, and return them.

    Finished runs are kept, unfinished ones continued: after Ctrl-C, a kill or a failure, call it again.

    experiment: a file (docs/experiments.md), or a dictionary with the same keys. In a dictionary ``agents`` may be a
        dictionary from labels to specs, classes and functions, and ``worlds`` one from names to specs, ``MDP``,
        ``World`` and environments of Gymnasium.
    out: the directory; ``out/<name>`` unless given. An address such as ``"s3://bucket/folder"``, or a store of the package
        obstore, is an object store (docs/cluster.md).
    resume: whether to continue what the directory holds; if not, a directory with results is an error.
    jobs: number of threads; by default one per core.
    only: runs whose ``world label #run`` contains this text; ``*`` matches anything.
    retry_failed: whether to run again what failed before.
    checkpoint_seconds: how often an unfinished run is stored.
    step_timeout: seconds that a step of an agent written in Python may take; then its run fails.
    in_process: whether agents written in Python run in this process: faster to start, but what never returns cannot be
        ended, and they share one interpreter.
    progress: whether to show a bar; by default after two seconds, in a notebook or a terminal.
    executor: makes the runs elsewhere: any object with ``submit(function, *arguments)`` that returns something with
        ``done()`` and ``result()`` (docs/cluster.md). Each run takes one thread; ``jobs`` is not used.
    retries: how often a run is given to the executor again when its worker is lost.
    state_dir: a directory that all workers share; unfinished runs are stored there and go on after the loss of a worker.
        Without an executor it is of use only with an object store, which has finished runs alone.

    >>> import tempfile, tucrl
    >>> experiment = {"name": "first", "steps": 1000, "seeds": 2, "worlds": ["river-swim"], "agents": ["psrl", "random"]}
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     result = tucrl.run(experiment, out=folder)
    >>> len(result)
    4
    """
    _own.refuse_in_worker("tucrl.run")
    own = Own({}, {}, in_process, step_timeout)
    if isinstance(experiment, Mapping):
        path, text = os.path.join(os.curdir, "experiment.toml"), _toml(experiment, own)
    else:
        path, text = os.fspath(experiment), None
    def begun(folder: "str | PathLike[str] | None") -> _native.Cells:
        cells = _native.Cells.of_file(path, text, [], own)
        to_do[:] = cells.open(folder, resume, only, retry_failed)
        return cells

    def elsewhere(executor: "Executor", cells: _native.Cells, keep: "Callable[[int, bytes], Any]") -> Result:
        made = {"path": path, "text": cells.text[0], "files": cells.files(), "own": own}
        _elsewhere(cells, made, executor, to_do, retries, state_dir, checkpoint_seconds, progress, keep)
        return Result(cells.result())

    def here(folder: "str | PathLike[str] | None", resume: bool, push: Callable[[], None]) -> Result:
        shown = None

        def tell(taken: int, total: int) -> None:
            nonlocal shown
            push()
            if shown is None:
                shown = bar(total, progress)
            if shown is not None:
                shown.show(taken)

        try:
            return Result(
                _native.run(path, text, folder, own, resume, jobs, only, retry_failed, checkpoint_seconds, tell)
            )
        finally:
            push()
            if shown is not None:
                shown.close()

    to_do: list[int] = []
    bucket = _bucket.of(out)
    if bucket is None:
        folder = cast("str | PathLike[str] | None", out)
        if executor is None:
            return here(folder, resume, lambda: None)
        cells = begun(folder)
        return elsewhere(executor, cells, cells.accept)
    with bucket.copied(state_dir if executor is None else None) as copy:
        cells = begun(copy)
        bucket.begin(cells)
        if executor is None:
            return here(copy, True, bucket.push)
        return elsewhere(executor, cells, bucket.keep)


def _elsewhere(
    cells: _native.Cells,
    made: dict[str, Any],
    executor: "Executor",
    to_do: list[int],
    retries: int,
    state_dir: "str | PathLike[str] | None",
    checkpoint_seconds: float,
    progress: bool | None,
    keep: Callable[[int, bytes], Any],
) -> None:
    """Let an executor make some of the runs."""
    from tucrl import _cells

    packed = _cells.pack(made)
    shown = bar(sum(cells.title(cell)[1] for cell in to_do), progress)
    try:
        _cells.drive(
            cells,
            packed,
            executor,
            to_do,
            retries=retries,
            state_dir=state_dir,
            checkpoint_seconds=checkpoint_seconds,
            tell=None if shown is None else shown.show,
            keep=keep,
        )
    finally:
        if shown is not None:
            shown.close()


def _toml(experiment: Mapping[str, Any], own: Own) -> str:
    """Return the file that a dictionary stands for."""
    lines = [f"{key} = {_value(value)}" for key, value in experiment.items() if key not in _LISTS]
    if "worlds" in experiment:
        lines.append(f"worlds = [{', '.join(_worlds_of(experiment['worlds'], own))}]")
    if "agents" in experiment:
        entries = []
        agents = experiment["agents"]
        tables = [] if isinstance(agents, (str, Mapping)) or callable(agents) else agents
        if any(isinstance(agent, Mapping) for agent in tables):
            entries = [_value(agent) for agent in tables]
        else:
            for label, spec in named(agents, own.agents):
                entries.append(_value(spec) if label is None else _value({"spec": spec, "label": label}))
        lines.append(f"agents = [{', '.join(entries)}]")
    return "\n".join(lines) + "\n"


def _worlds_of(worlds: Any, own: Own) -> list[str]:
    if isinstance(worlds, (str, Mapping)) is False and not isinstance(worlds, Iterable):
        worlds = [worlds]
    if isinstance(worlds, str):
        worlds = [worlds]
    entries = []
    pairs = worlds.items() if isinstance(worlds, Mapping) else ((None, world) for world in worlds)
    for name, world in pairs:
        if isinstance(world, (str, Mapping)):
            if name is not None and name != world:
                raise ValueError(f"the world {world!r} has a name already: leave out {name!r}")
            entries.append(_value(world))
            continue
        made = _worlds.as_world(world, name)
        title = "".join(c if c.isalnum() or c in "-_." else "-" for c in str(name or made.name))
        if title in own.worlds:
            raise ValueError(f"two worlds are called {title!r}: give a dictionary with a name for each")
        own.worlds[title] = made
        table = {"spec": f"python:{title}", "content": _worlds.content(made)}
        entries.append(_value({key: value for key, value in table.items() if value is not None}))
    return entries


def _value(value: Any) -> str:
    """Return a value as TOML."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, str):
        escaped = "".join(c if c >= " " and c not in '"\\' and c != "\x7f" else f"\\u{ord(c):04x}" for c in value)
        return f'"{escaped}"'
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(item)}" for key, item in value.items()) + " }"
    if isinstance(value, Iterable):
        return f"[{', '.join(_value(item) for item in value)}]"
    if hasattr(value, "__index__"):
        return str(value.__index__())
    if hasattr(value, "__fspath__"):
        return _value(os.fspath(value))
    raise ValueError(f"{value!r} cannot stand in an experiment")
