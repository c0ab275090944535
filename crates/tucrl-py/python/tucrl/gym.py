"""Gymnasium and tucrl, in both directions.

``Continuing`` turns an episodic environment into a continuing one, ``Discretize`` cuts a box of observations
into cells, ``train`` is the loop with callbacks, and ``TucrlEnv`` is a world of tucrl as an environment of Gymnasium.
Importing this module registers all worlds: ``tucrl/ThreeState-v0`` and so on.
"""

import copy
import math
import warnings
from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.wrappers import TimeLimit

from tucrl._catalogue import worlds
from tucrl._endings import Endings, TerminalReward
from tucrl._models import _checked_range
from tucrl._native import MDP, World
from tucrl._train import EpisodeEnd, Training, train

__all__ = ["Continuing", "Discretize", "EpisodeEnd", "Training", "TucrlEnv", "env_id", "train"]

# After this many equal rewards there is a warning.
_LONG = 10_000


class Continuing:
    """An episodic environment as a continuing one.

    When an episode *terminates*, the environment is reset at once and its initial state is the next state: the
    reset becomes a transition, which an agent can learn like any other.

    Time limits are removed by default: the state does not contain the remaining time, so that transitions with
    them are not Markov. With ``time_limits="keep"``, and where an environment truncates an episode by itself, a
    *truncated* episode is followed by a reset like a terminated one, with a warning the first time.

    A reset is free: where every step pays the same (CartPole, MountainCar, CliffWalking), all policies would be
    optimal. Say by ``terminal_reward`` what the end of an episode is worth.

    env: an environment of Gymnasium. It is stepped and reset; its wrappers stay as they are.
    reward_range: the lowest and the highest reward, ``terminal_reward`` and ``reset_cost`` included; rewards keep their
        units, and the agent is told the same: ``Agent(spec, env.states, env.actions, reward_range=env.reward_range)``.
        Without it rewards are rescaled to [0, 1] by the range seen so far, with a warning, because the same reward
        is then rescaled differently at different times.
    time_limits: ``"remove"`` or ``"keep"``.
    terminal_reward: added to the reward of a transition that terminates an episode: a number, or a function of the
        transition's state, action, reward and next state. By default -1 for CartPole, where an episode ends by a
        fall, 1 for MountainCar and CliffWalking, where it ends at the goal, and 0 for all others.
    reset_cost: subtracted from the reward of every transition after which the environment is reset, whether the episode
        terminated or was truncated.

    >>> import gymnasium, tucrl
    >>> env = tucrl.gym.Continuing(gymnasium.make("FrozenLake-v1"), reward_range=(0, 1))
    >>> env.states, env.actions
    (16, 4)
    >>> state = env.reset(seed=0)
    >>> state, reward = env.step(2)
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        reward_range: tuple[float, float] | None = None,
        *,
        time_limits: str = "remove",
        terminal_reward: TerminalReward | None = None,
        reset_cost: float = 0.0,
    ) -> None:
        if time_limits not in ("remove", "keep"):
            raise ValueError(f"time_limits = {time_limits!r}: accepted are 'remove' and 'keep'")
        actions = env.action_space
        if not isinstance(actions, spaces.Discrete):
            raise ValueError(f"the actions are {actions}: only spaces.Discrete can be learned")
        self.env = _without_time_limits(env) if time_limits == "remove" else env
        #: The lowest and the highest reward that ``step`` returns.
        self.reward_range = (0.0, 1.0) if reward_range is None else _checked_range(*reward_range)
        self._endings = Endings(env, terminal_reward, reset_cost, stacklevel=2)
        #: How many episodes have been terminated and truncated.
        self.terminations = 0
        self.truncations = 0
        self._first_action = int(actions.start)
        self._is_learned = reward_range is None
        self._state: Any = None
        self._is_ready = False
        #: The steps played, and the lowest and the highest reward so far.
        self._steps, self._lowest, self._highest = 0, math.inf, -math.inf
        if self._is_learned:
            warnings.warn(
                "no reward_range was declared: rewards are rescaled to [0, 1] by the range seen so far, "
                "differently before and after it grows; declare it, and rewards keep their units",
                stacklevel=2,
            )

    @property
    def state(self) -> Any:
        """The present state; ``None`` before the first reset."""
        return self._state

    @property
    def states(self) -> int | None:
        """The nominal number of states; ``None`` where the space of observations has no size."""
        return _size(self.env.observation_space)

    @property
    def actions(self) -> int:
        """The number of actions."""
        space = self.env.action_space
        assert isinstance(space, spaces.Discrete)
        return int(space.n)

    @property
    def learned_range(self) -> tuple[float, float] | None:
        """The lowest and the highest reward seen so far, if no range was declared."""
        return (self._lowest, self._highest) if self._is_learned and self._steps else None

    @property
    def terminal_reward(self) -> TerminalReward:
        """What is added where an episode terminates."""
        return self._endings.terminal_reward

    @property
    def reset_cost(self) -> float:
        """What every reset costs."""
        return self._endings.reset_cost

    @property
    def unwrapped(self) -> gym.Env[Any, Any]:
        """The environment inside all wrappers."""
        return self.env.unwrapped

    @property
    def observation_space(self) -> gym.Space[Any]:
        """The space of the environment's observations."""
        return self.env.observation_space

    @property
    def action_space(self) -> gym.Space[Any]:
        """The space of the environment's actions."""
        return self.env.action_space

    @property
    def render_mode(self) -> str | None:
        """How the environment is rendered."""
        return self.env.render_mode

    def render(self) -> Any:
        """Render the environment."""
        return self.env.render()

    def reset(self, *, seed: int | np.random.Generator | None = None) -> Any:
        """Reset the environment and return the first state.

        seed: passed to the environment; a generator draws a number for it.
        """
        if isinstance(seed, np.random.Generator):
            seed = int(seed.integers(2**31))
        observation, _ = self.env.reset(seed=seed)
        self._is_ready = True
        self._state = _state(observation, self.env.observation_space)
        return self._state

    def step(self, action: int) -> tuple[Any, float]:
        """Play an action; return the next state and the reward, in ``reward_range``."""
        if not self._is_ready:
            raise ValueError("step before reset: begin with state = env.reset(seed=…)")
        if not 0 <= action < self.actions:
            raise ValueError(f"action {action} does not exist: actions are 0 to {self.actions - 1}")
        played = self._first_action + int(action)
        observation, paid, terminated, truncated, _ = self.env.step(played)
        reward, following = float(paid), _state(observation, self.env.observation_space)
        if terminated or truncated:
            reward = self._endings.paid(self._state, int(action), reward, following, bool(terminated))
            self.terminations += bool(terminated)
            if not terminated:
                self._note_truncation()
            observation, _ = self.env.reset()
            following = _state(observation, self.env.observation_space)
        self._state = following
        self._check(reward)
        self._watch(reward)
        return following, self._rescaled(reward) if self._is_learned else reward

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def __enter__(self) -> "Continuing":
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __repr__(self) -> str:
        declared = None if self._is_learned else self.reward_range
        ends = f", {self._endings}" if str(self._endings) else ""
        return f"tucrl.gym.Continuing({self.env}, reward_range={declared}{ends})"

    def _watch(self, reward: float) -> None:
        self._steps += 1
        self._lowest, self._highest = min(self._lowest, reward), max(self._highest, reward)
        if self._steps == _LONG and self._lowest == self._highest:
            warnings.warn(
                f"all {_LONG} rewards so far were {reward:g}, after {self.terminations} episodes that terminated: nothing "
                f"told good actions from bad ones; if the environment pays the same for every step, say by "
                f"terminal_reward=… or reset_cost=… what the end of an episode is worth",
                stacklevel=3,
            )

    def _note_truncation(self) -> None:
        self.truncations += 1
        if self.truncations == 1:
            warnings.warn(
                "an episode was cut off before it terminated; the reset counts as a transition, which "
                "does not depend on the state alone",
                stacklevel=3,
            )

    def _check(self, reward: float) -> None:
        if not math.isfinite(reward):
            raise ValueError(f"the environment paid {reward}: rewards must be finite")
        low, high = self.reward_range
        if not (self._is_learned or low <= reward <= high):
            raise ValueError(
                f"the environment paid {reward}{', terminal_reward and reset_cost included' * bool(str(self._endings))}, "
                f"which is not in the declared range [{low}, {high}]: correct reward_range"
            )

    def _rescaled(self, reward: float) -> float:
        low, high = self._lowest, self._highest
        return (reward - low) / (high - low) if high > low else 0.0


class Discretize(gym.ObservationWrapper[np.int64, Any, npt.NDArray[Any]]):
    """A box of observations as cells of a grid, numbered from 0.

    Every number of the observation falls into one of ``bins`` equal parts of its range; values outside
    fall into the first or the last. The number of cells is a *nominal* size: an agent is told of all of
    them and visits only the reachable ones.

    env: an environment whose observations are a ``Box``.
    bins: number of parts, for all numbers or for each.
    low, high: the ranges, for all numbers or for each; where the box is unbounded they must be given.

    >>> import gymnasium, tucrl
    >>> env = tucrl.gym.Discretize(gymnasium.make("MountainCar-v0"), bins=(20, 20))
    >>> env.observation_space
    Discrete(400)
    >>> cart = gymnasium.make("CartPole-v1")
    >>> limits = [2.4, 3.0, 0.21, 3.0]
    >>> env = tucrl.gym.Discretize(cart, bins=8, low=[-x for x in limits], high=limits)
    >>> env.observation_space
    Discrete(4096)
    """

    def __init__(
        self,
        env: gym.Env[npt.NDArray[Any], Any],
        bins: int | Sequence[int] = 10,
        *,
        low: float | npt.ArrayLike | None = None,
        high: float | npt.ArrayLike | None = None,
    ) -> None:
        super().__init__(env)
        box = env.observation_space
        if not isinstance(box, spaces.Box):
            raise ValueError(f"the observations are {box}: only spaces.Box has to be discretized")
        size = int(np.prod(box.shape, dtype=np.int64))
        self._low = _each("low", box.low if low is None else low, size)
        self._high = _each("high", box.high if high is None else high, size)
        counts = _each("bins", bins, size)
        if not (np.all(counts == np.floor(counts)) and np.all(counts >= 1)):
            raise ValueError(f"bins = {bins}: give whole numbers of at least 1")
        self.bins: tuple[int, ...] = tuple(int(count) for count in counts)
        for index, (lowest, highest) in enumerate(zip(self._low, self._high, strict=True)):
            # Gymnasium writes 3.4e38 for "no limit".
            if not (abs(lowest) < 1e38 and abs(highest) < 1e38):
                raise ValueError(
                    f"number {index} of the observation has no limits: pass low=… and high=… with the "
                    f"relevant range; values outside fall into the first or the last bin"
                )
            if not lowest < highest:
                raise ValueError(f"number {index} of the observation: low {lowest} ≥ high {highest}")
        cells = math.prod(self.bins)
        if cells >= 2**63:
            raise ValueError(f"{cells} cells are more than 2**63: use fewer bins")
        self._scale = np.array(self.bins) / (self._high - self._low)
        self._last = np.array(self.bins, dtype=np.int64) - 1
        strides = [math.prod(self.bins[index + 1 :]) for index in range(size)]
        self._strides = np.array(strides, dtype=np.int64)
        self.observation_space = spaces.Discrete(cells)

    @property
    def states(self) -> int:
        """The number of cells."""
        return math.prod(self.bins)

    def observation(self, observation: npt.NDArray[Any]) -> np.int64:
        """Return the cell of an observation."""
        values = np.asarray(observation, dtype=np.float64).reshape(-1)
        if np.isnan(values).any():
            raise ValueError(f"the environment observed {observation}, which lies in no cell")
        parts = np.floor((values - self._low) * self._scale)
        cell = np.clip(parts, 0, self._last).astype(np.int64) @ self._strides
        return np.int64(cell)


class TucrlEnv(gym.Env[np.int64, np.int64]):
    """A world of tucrl as an environment of Gymnasium.

    Episodes never end. Rewards lie in the world's ``reward_range``. ``info["action_mask"]`` says which actions a state has;
    larger action numbers are taken modulo its number of actions.

    world: a spec, a model file, an ``MDP`` or a ``World``.
    parameters: parameters of the world, as in its spec.

    >>> import gymnasium, tucrl
    >>> env = gymnasium.make("tucrl/ThreeState-v0", delta=0.005)
    >>> observation, info = env.reset(seed=0)
    >>> observation, reward, terminated, truncated, info = env.step(1)
    >>> terminated, truncated
    (False, False)
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self, world: str | MDP | World = "three-state", *, render_mode: str | None = None, **parameters: Any
    ) -> None:
        if render_mode is not None:
            raise ValueError(f"render_mode = {render_mode!r}: rendering is not supported")
        self.render_mode = None
        if not isinstance(world, str) and parameters:
            raise ValueError(f"parameters apply to specs only: leave out {', '.join(parameters)}")
        if not isinstance(world, World):
            world = World(_spec(world, parameters) if isinstance(world, str) else world)
        self.world = world
        self.observation_space = spaces.Discrete(self.world.states)
        self.action_space = spaces.Discrete(self.world.actions)
        self._walk = self.world.walk()

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.int64, dict[str, Any]]:
        """Restart; the same seed gives the same walk for the same actions."""
        super().reset(seed=seed)
        walk_seed = int(self.np_random.integers(2**63)) if seed is None else seed
        self._walk = self.world.walk(seed=walk_seed)
        return np.int64(self._walk.state), self._info()

    def step(self, action: Any) -> tuple[np.int64, float, bool, bool, dict[str, Any]]:
        """Play an action."""
        played = int(action)
        last = self.world.actions - 1
        if not 0 <= played <= last:
            raise ValueError(f"action {played} does not exist: actions are 0 to {last}")
        state, reward = self._walk.step(played % self._walk.offered)
        return np.int64(state), reward, False, False, self._info()

    def _info(self) -> dict[str, Any]:
        flags = np.arange(self.world.actions) < self._walk.offered
        return {"action_mask": flags.astype(np.int8)}


def env_id(world: str) -> str:
    """Return the name under which a world is registered.

    >>> import tucrl.gym
    >>> tucrl.gym.env_id("three-state")
    'tucrl/ThreeState-v0'
    """
    return f"tucrl/{''.join(part.capitalize() for part in world.split('-'))}-v0"


def _register() -> None:
    for name in worlds():
        if env_id(name) not in gym.registry:
            gym.register(env_id(name), entry_point="tucrl.gym:TucrlEnv", kwargs={"world": name})


def _spec(world: str, parameters: dict[str, Any]) -> str:
    pieces = []
    for key, value in parameters.items():
        text = str(value).lower() if isinstance(value, bool) else str(value)
        if any(mark in text for mark in ":,="):
            raise ValueError(f"{key} = {text!r} is not one value")
        pieces.append(f"{key}={text}")
    if not pieces:
        return world
    return f"{world}{',' if ':' in world else ':'}{','.join(pieces)}"


def _without_time_limits(env: gym.Env[Any, Any]) -> gym.Env[Any, Any]:
    """Return the environment without its time limits; wrappers around one are copied, not changed."""
    if not isinstance(env, gym.Wrapper):
        return env
    inner = _without_time_limits(env.env)
    if isinstance(env, TimeLimit):
        return inner
    if inner is env.env:
        return env
    wrapper = copy.copy(env)
    wrapper.env = inner
    return wrapper


def _state(observation: Any, space: gym.Space[Any]) -> Any:
    """Return an observation as a hashable state; a number from 0 for ``Discrete`` spaces."""
    if isinstance(space, spaces.Discrete):
        return int(observation) - int(space.start)
    return _hashable(observation)


def _hashable(observation: Any) -> Any:
    if isinstance(observation, np.ndarray):
        return tuple(observation.reshape(-1).tolist())
    if isinstance(observation, np.generic):
        return observation.item()
    if isinstance(observation, (tuple, list)):
        return tuple(_hashable(part) for part in observation)
    if isinstance(observation, dict):
        return tuple(_hashable(part) for part in observation.values())
    return observation


def _size(space: gym.Space[Any]) -> int | None:
    """Return the number of observations of a space, or None if it is infinite or unknown."""
    if isinstance(space, spaces.Discrete):
        return int(space.n)
    if isinstance(space, spaces.MultiDiscrete):
        return math.prod(int(n) for n in space.nvec.reshape(-1))
    if isinstance(space, spaces.MultiBinary):
        return int(2 ** math.prod(space.shape))
    parts: Sequence[gym.Space[Any]] = ()
    if isinstance(space, spaces.Tuple):
        parts = space.spaces
    elif isinstance(space, spaces.Dict):
        parts = list(space.spaces.values())
    sizes = [_size(part) for part in parts]
    known = [size for size in sizes if size is not None]
    return math.prod(known) if known and len(known) == len(sizes) else None


def _each(name: str, value: Any, size: int) -> npt.NDArray[np.float64]:
    values = np.asarray(value, dtype=np.float64).reshape(-1)
    if values.size not in (1, size):
        raise ValueError(f"{name} has {values.size} entries for {size} numbers: give one or {size}")
    return np.broadcast_to(values, (size,)).astype(np.float64)


_register()
