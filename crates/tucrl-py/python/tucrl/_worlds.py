"""Worlds written in Python: functions of state and action, environments of Gymnasium, and objects found by name."""

import base64
import copy
import functools
import hashlib
import json
import math
import operator
import pickle
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from tucrl import _native, _own

# Of the keys of `gym:…`, those that are not for gymnasium.make.
_OURS = ("reward_low", "reward_high", "terminal_reward", "reset_cost", "simulate")


def as_world(world: Any, name: str | None = None) -> "_native.MDP | _native.World":
    """Return a world for whatever describes one."""
    if isinstance(world, (_native.MDP, _native.World)):
        return world
    if hasattr(world, "step") and hasattr(world, "reset"):
        return from_gymnasium(world, name=name)
    if isinstance(world, (str, bytes)) or hasattr(world, "__fspath__"):
        return _native.World(world)
    raise ValueError(
        f"{world!r} is no world: give a spec, a model file, an MDP, a World, or an environment of Gymnasium; "
        f"World.from_successors makes one from a function"
    )


def content(world: "_native.MDP | _native.World") -> str | None:
    """Return the beginning of a hash of a table; None for a world without one."""
    if not isinstance(world, _native.MDP):
        return None
    return hashlib.sha256(world.__reduce__()[1][1]).hexdigest()[:16]


def from_successors(
    successors: Callable[[int, int], Iterable[tuple[int, float, float]]],
    states: int,
    actions: int | Sequence[int],
    *,
    start: int | Mapping[int, float] = 0,
    reward_range: tuple[float, float] = (0.0, 1.0),
    name: str | None = None,
) -> "_native.World":
    """Make a world from a function; see ``World.from_successors``."""
    if not callable(successors):
        raise ValueError(f"successors = {successors!r} is no function of a state and an action")
    counts = list(actions) if isinstance(actions, Iterable) else [operator.index(actions)]
    law = list(start.items()) if isinstance(start, Mapping) else [(operator.index(start), 1.0)]
    low, high = reward_range
    title = name if name is not None else str(getattr(successors, "__name__", type(successors).__name__))
    return _native.World._listed(title, successors, states, counts, law, (float(low), float(high)))


def from_gymnasium(
    env: Any,
    *,
    reward_range: tuple[float, float] | None = None,
    terminal_reward: Any = None,
    reset_cost: float = 0.0,
    simulate: bool = False,
    name: str | None = None,
) -> "_native.MDP | _native.World":
    """Make a world from an environment; see ``World.from_gymnasium``."""
    from tucrl.gym import Continuing

    if isinstance(env, str):
        import gymnasium

        env = gymnasium.make(env)
    if not isinstance(env, Continuing):
        has_table = getattr(getattr(env, "unwrapped", env), "P", None) is not None
        if has_table and not simulate:
            return _native.MDP.from_gymnasium(
                env, reward_range=reward_range, terminal_reward=terminal_reward, reset_cost=reset_cost, name=name
            )
        if reward_range is None:
            raise ValueError(
                f"{env} has no table of transitions, so that its rewards are not known beforehand: pass "
                f"reward_range=(lowest, highest), or reward_low=… and reward_high=… in a spec"
            )
        env = Continuing(env, reward_range, terminal_reward=terminal_reward, reset_cost=reset_cost)
    elif env.learned_range is not None or reward_range is not None:
        raise ValueError("say by Continuing(env, reward_range) which rewards are possible")
    _radices(env.observation_space)
    if env.states is None or env.states > 1 << 63:
        raise ValueError(f"{env.observation_space} has no size up to 2**63: use tucrl.gym.Discretize")
    low, high = env.reward_range
    if name is None:
        spec = getattr(env.env, "spec", None)
        name = str(spec.id) if spec is not None else type(env.unwrapped).__name__
    make = functools.partial(Simulated, env)
    return _native.World._simulated(name, make, env.states, env.actions, (float(low), float(high)))


class Simulated:
    """An environment that one run steps: states and actions are numbers from 0."""

    def __init__(self, env: Any, seed: int) -> None:
        try:
            self.env = copy.deepcopy(env)
        except Exception as error:
            raise ValueError(
                f"every run needs a copy of its own, and {env} cannot be copied ({error}): give its name, gym:…"
            ) from None
        self.radices = _radices(env.observation_space)
        self.state = self._number(self.env.reset(seed=seed))

    def step(self, action: int) -> tuple[int, float]:
        """Play an action."""
        observed, reward = self.env.step(action)
        self.state = self._number(observed)
        return self.state, reward

    def _number(self, observed: Any) -> int:
        if isinstance(observed, int):
            return observed
        number = 0
        for (first, size), part in zip(self.radices, _flat(observed), strict=True):
            number = number * size + int(part) - first
        return number


def _radices(space: Any) -> list[tuple[int, int]]:
    """Return the first value and the number of values of all numbers that an observation consists of."""
    from gymnasium import spaces

    if isinstance(space, spaces.Discrete):
        return [(int(space.start), int(space.n))]
    if isinstance(space, spaces.MultiDiscrete):
        starts = getattr(space, "start", space.nvec * 0)
        return [(int(a), int(n)) for a, n in zip(starts.reshape(-1), space.nvec.reshape(-1), strict=True)]
    if isinstance(space, spaces.MultiBinary):
        return [(0, 2)] * math.prod(space.shape)
    if isinstance(space, spaces.Tuple):
        return [pair for part in space.spaces for pair in _radices(part)]
    if isinstance(space, spaces.Dict):
        return [pair for part in space.spaces.values() for pair in _radices(part)]
    raise ValueError(
        f"observations in {space} are not finitely many: cut them into cells by tucrl.gym.Discretize, and give the "
        f"environment as an object"
    )


def _flat(observed: Any) -> Iterable[Any]:
    if isinstance(observed, tuple):
        for part in observed:
            yield from _flat(part)
    else:
        yield observed


def from_gym(name: str, options: str, _: Any) -> "_native.MDP | _native.World":
    """Make the world that ``gym:…`` names."""
    import gymnasium

    if not name:
        raise ValueError("say which environment: gym:FrozenLake-v1")
    given = json.loads(options)
    ours = {key: given.pop(key) for key in _OURS if key in given}
    low, high = ours.pop("reward_low", None), ours.pop("reward_high", None)
    if (low is None) != (high is None):
        raise ValueError("reward_low and reward_high belong together: give both")
    range_ = None if low is None else (float(low), float(high))
    try:
        env = gymnasium.make(name, **given)
    except (gymnasium.error.Error, TypeError) as error:
        raise ValueError(f"gymnasium.make({name!r}): {error}") from None
    # Its name is that of the spec, which says more than the environment.
    return from_gymnasium(env, reward_range=range_, **ours)


def from_path(path: str, options: str, given: Any) -> "_native.MDP | _native.World":
    """Make the world that ``python:…`` names."""
    if not path:
        raise ValueError("say which world: python:package.module.name")
    found = _own.resolve(path) if given is None else given
    arguments = json.loads(options)
    is_world = isinstance(found, (_native.MDP, _native.World)) or hasattr(found, "reset")
    if callable(found) and (isinstance(found, type) or not is_world):
        found = found(**arguments)
    elif arguments:
        raise ValueError(f"{path} is a world and not a function: leave out {', '.join(arguments)}")
    return as_world(found, name=path)


def freeze(simulator: Simulated) -> str:
    """Return a simulator as text."""
    return base64.b85encode(pickle.dumps(simulator)).decode()


def thaw(text: str) -> Simulated:
    """Return the simulator of a text."""
    simulator = pickle.loads(base64.b85decode(text))
    assert isinstance(simulator, Simulated)
    return simulator
