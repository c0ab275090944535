"""Agents written in Python: found by name, made for a world, packed for another process."""

import base64
import functools
import hashlib
import importlib
import inspect
import io
import json
import math
import operator
import pickle
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tucrl import _native

# What a factory may ask for by the names of its parameters.
OFFERED = ("states", "actions", "mask", "r_max", "steps", "seed")
# A mask with more entries would take more than 256 MB.
_LARGEST_MASK = 1 << 28

#: Whether this process runs an agent for another one.
is_worker = False


def resolve(path: str) -> Any:
    """Import what a dotted path names: ``package.module.Class``."""
    module, _, rest = path.rpartition(".")
    if not module:
        raise ValueError(f"{path!r} names no module: write package.module.name, as in an import")
    names = [rest]
    while True:
        try:
            found = importlib.import_module(module)
            break
        except ModuleNotFoundError as error:
            outer, _, name = module.rpartition(".")
            # The class may stand inside another one; an import that fails inside the module is passed on.
            if not outer or error.name is None or not (module == error.name or module.startswith(error.name + ".")):
                raise
            module, names = outer, [name, *names]
    for name in names:
        try:
            found = getattr(found, name)
        except AttributeError:
            raise ValueError(f"{module} has no {'.'.join(names)}: correct the path {path!r}") from None
    return found


def describe(factory: Callable[..., Any]) -> tuple[str, dict[str, Any]]:
    """Return the dotted path of a factory and the options that ``functools.partial`` fixed."""
    options: dict[str, Any] = {}
    while isinstance(factory, functools.partial):
        if factory.args:
            raise ValueError(f"{factory!r} fixes arguments by position: fix them by their names")
        options = {**factory.keywords, **options}
        factory = factory.func
    if not callable(factory):
        raise ValueError(
            f"{factory!r} is no agent: give a spec such as 'tucrl:alpha=0.05', a class, or a function that returns "
            f"an object with act(state) and observe(reward, next_state)"
        )
    kind = factory if hasattr(factory, "__qualname__") else type(factory)
    return f"{kind.__module__}.{kind.__qualname__}", options


def source(factory: Callable[..., Any]) -> str | None:
    """Return the beginning of the hash of a factory's source, where there is one."""
    while isinstance(factory, functools.partial):
        factory = factory.func
    try:
        text = inspect.getsource(factory if hasattr(factory, "__qualname__") else type(factory))
    except (OSError, TypeError):
        return None
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def wanted(factory: Callable[..., Any], options: Mapping[str, Any]) -> list[str]:
    """Return which of the offered arguments a factory names; an error if it needs others."""
    try:
        parameters = inspect.signature(factory).parameters
    except (ValueError, TypeError):
        # Classes written in C need not have a signature.
        return ["states", "actions", "seed"]
    takes_all = any(p.kind is p.VAR_KEYWORD for p in parameters.values())
    named = [name for name, p in parameters.items() if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    for name in options:
        if name not in named and not takes_all:
            raise ValueError(f"it has no option {name}: its parameters are {', '.join(named) or 'none'}")
    for name, p in parameters.items():
        is_given = name in OFFERED or name in options or p.default is not p.empty
        if p.kind is p.POSITIONAL_ONLY and p.default is p.empty:
            raise ValueError(f"its parameter {name} can only be given by position: let it have a name")
        if name in named and not is_given:
            raise ValueError(
                f"it needs {name}, which is not offered: give it a default or a value; offered are {', '.join(OFFERED)}"
            )
    return [name for name in OFFERED if name in named and name not in options]


def make(
    factory: Callable[..., Any],
    options: Mapping[str, Any],
    facts: Mapping[str, Any],
    offered: Callable[[], list[int]],
) -> Any:
    """Make an agent for a world; ``offered`` lists how many actions the states have."""
    arguments = {name: facts[name] for name in wanted(factory, options) if name != "mask"}
    if "mask" in wanted(factory, options):
        arguments["mask"] = _mask(facts["states"], facts["actions"], offered)
    return checked(factory(**arguments, **options))


def checked(agent: Any) -> Any:
    """Return an object if it is an agent."""
    for name in ("act", "observe"):
        if not callable(getattr(agent, name, None)):
            raise TypeError(
                f"{type(agent).__name__} has no method {name}: an agent has act(state) and observe(reward, next_state)"
            )
    return agent


def _mask(states: int, actions: int, offered: Callable[[], list[int]]) -> Any:
    import numpy as np

    if states * actions > _LARGEST_MASK:
        raise ValueError(f"a mask of {states} states × {actions} actions is too large: do without `mask`")
    return np.arange(actions)[None, :] < np.asarray(offered())[:, None]


def failure(error: BaseException) -> str:
    """Return an exception in one line, and the traceback from the code of the user on."""
    trace = error.__traceback__
    # Our own frames say nothing about the user's code.
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__ and trace.tb_next is not None:
        trace = trace.tb_next
    head = "".join(traceback.format_exception_only(type(error), error)).strip()
    told = "".join(traceback.format_exception(type(error), error, trace)).rstrip()
    return f"{head.splitlines()[-1]}\n{told}"


_EPISODE: dict[str, Any] = {
    "start": None,
    "length": None,
    "seen": 0,
    "unseen": 0,
    "under_visited": 0,
    "believes_unseen": False,
    "gain": 0.0,
    "span": 0.0,
    "span_seen": 0.0,
    "sweeps": 0,
}
_EXPLANATION: dict[str, Any] = {
    "action": None,
    "is_planned": False,
    "visits": 0,
    "next_states": 0,
    "threshold": None,
    "given_up_since": None,
    "reconsidered_from": None,
}


def episodes(agent: Any, known: int) -> str:
    """Return the episodes of an agent that ended, without those known already, as JSON."""
    found = getattr(agent, "episodes", None)
    if callable(found):
        found = found()
    if found is None or len(found) <= known:
        return ""
    records = []
    for index in range(known, len(found)):
        record = _fields(f"episodes[{index}]", found[index], _EPISODE)
        record["planned_unseen"] = record.pop("believes_unseen")
        records.append({**record, "stop": "Other", "evaluations": 0})
    return json.dumps(records)


def explained(agent: Any, state: int) -> str:
    """Return what an agent assumes about the actions of a state, as JSON."""
    explain = getattr(agent, "explain", None)
    if explain is None:
        return ""
    told = []
    for index, entry in enumerate(explain(state)):
        told.append({**_fields(f"explain({state})[{index}]", entry, _EXPLANATION), "outlook": None})
    return json.dumps(told)


def _fields(what: str, entry: Any, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return the known fields of a mapping or an object; what has no default must be there."""
    record = {}
    for name, default in fields.items():
        value = entry.get(name) if isinstance(entry, Mapping) else getattr(entry, name, None)
        value = default if value is None else value
        if value is None and name in ("start", "length", "action"):
            raise ValueError(f"{what} has no {name}")
        if isinstance(default, float):
            value = float(value)
            if not math.isfinite(value):
                raise ValueError(f"{what}: {name} = {value} is not finite")
        elif isinstance(default, bool):
            value = bool(value)
        elif value is not None:
            value = operator.index(value) if name != "threshold" else float(value)
        record[name] = value
    return record


def difference(agent: Any, steps: Sequence[tuple[int, int, int, float, int]]) -> str | None:
    """Return where an agent acts differently from one with its seed: steps are state, actions, action, reward, next state."""
    for number, (state, offered, before, reward, state_after) in enumerate(steps, 1):
        action = _native._ask(agent.act, state, offered)
        if action != before:
            return (
                f"its agent is not deterministic: made again with the same seed, and shown the same steps, it played "
                f"{action} instead of {before} in step {number}, so that its runs cannot be repeated; draw all random "
                f"numbers from `seed`"
            )
        agent.observe(reward, state_after)
    return None


def freeze(agent: Any) -> str:
    """Return an agent as text."""
    return base64.b85encode(_dumps(agent)).decode()


def thaw(text: str) -> Any:
    """Return the agent of a text."""
    return checked(pickle.loads(base64.b85decode(text)))


def _dumps(what: Any, or_else: str = ", or pass in_process=True") -> bytes:
    """Pickle; what only the main module has by value, where cloudpickle is installed."""
    try:
        packed = pickle.dumps(what)
    except Exception as error:
        by_value = _by_value(what, or_else)
        if by_value is None:
            raise ValueError(
                f"it cannot be pickled ({error}): define it at the top level of a module, or install cloudpickle{or_else}"
            ) from None
        return by_value
    if b"__main__" in packed:
        return _by_value(what, or_else) or packed
    return packed


def _by_value(what: Any, or_else: str = "") -> bytes | None:
    try:
        import cloudpickle
    except ImportError:
        return None
    packed = io.BytesIO()
    try:
        cloudpickle.dump(what, packed)
    except Exception as error:
        raise ValueError(f"it cannot be pickled ({error}): define it at the top level of a module{or_else}") from None
    return packed.getvalue()


def pack(factory: Any, options: Mapping[str, Any]) -> bytes:
    """Return all that another process needs to make agents."""
    from multiprocessing import spawn

    packed = _dumps((factory, dict(options)))
    prepared: dict[str, Any] = spawn.get_preparation_data("tucrl worker")
    for key in ("authkey", "name", "log_to_stderr", "log_level", "start_method"):
        prepared.pop(key, None)
    if b"__main__" not in packed:
        # The script that is running is imported only where the agent is defined in it.
        prepared = {key: value for key, value in prepared.items() if not key.startswith("init_main")}
    elif not any(key.startswith("init_main") for key in prepared) and _by_value(0) is None:
        raise ValueError(
            "another process cannot see what is defined in a notebook or at a prompt: install cloudpickle, define the "
            "agent in a module, or pass in_process=True"
        )
    return pickle.dumps((prepared, packed))


def unpack(packed: bytes) -> tuple[Any, dict[str, Any]]:
    """Undo ``pack`` in the other process."""
    from multiprocessing import spawn

    prepared, inner = pickle.loads(packed)
    spawn.prepare(prepared)
    factory, options = pickle.loads(inner)
    return factory, options


def interpreter() -> list[str]:
    """Return the command that starts another interpreter like this one."""
    import subprocess

    if not sys.executable:
        raise ValueError("this interpreter does not know its own program: pass in_process=True")
    flags: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
    return [sys.executable, *flags, "-c", "from tucrl._worker import main; main()"]


def refuse_in_worker(what: str) -> None:
    """Refuse work that a script starts while a worker imports it."""
    if is_worker:
        raise RuntimeError(
            f"{what} was called while a worker process imported this script: put the call below "
            f"`if __name__ == \"__main__\":`, or pass in_process=True"
        )
