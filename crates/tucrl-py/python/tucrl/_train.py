"""The loop between an environment and an agent, with callbacks."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from tucrl import _native
from tucrl._progress import Line, is_watched

if TYPE_CHECKING:
    from tucrl.gym import Continuing

# Seconds between two looks at the progress.
_PERIOD = 0.2


@dataclass(frozen=True)
class EpisodeEnd:
    """What a callback of ``train`` is told at the end of an episode."""

    #: "plan": the agent has ended an episode of its own and made a new plan. "reset": the environment has ended one.
    kind: Literal["plan", "reset"]
    #: Steps of this training so far.
    step: int
    #: How many episodes of this kind have ended, counted from 1.
    index: int
    #: Length and total reward of the episode.
    length: int
    reward: float
    #: The agent; its plan is the new one.
    agent: _native.Agent


@dataclass(frozen=True)
class Training:
    """What ``train`` did."""

    #: Steps taken; fewer than asked if the callback stopped it.
    steps: int
    #: The sum of the rewards.
    reward: float
    #: Episodes of the agent and of the environment that ended.
    plans: int
    resets: int

    @property
    def reward_per_step(self) -> float:
        """The mean reward."""
        return self.reward / self.steps if self.steps else float("nan")


Callback = Callable[[EpisodeEnd], bool | None]


def train(
    env: "Continuing",
    agent: _native.Agent,
    steps: int,
    callback: Callback | None = None,
    progress: bool = True,
    *,
    seed: int | None = None,
) -> Training:
    """Let an agent learn in an environment; call back at the end of every episode.

    env: a ``Continuing`` environment. It is reset, unless the agent stands where the environment stands: then training
        goes on.
    steps: how many steps to take.
    callback: called with an ``EpisodeEnd`` when the agent has made a new plan and when the environment was reset;
        ``False`` ends the training.
    progress: whether to show a line on the standard error, if it is a terminal or a notebook.
    seed: passed to the reset of the environment.

    >>> import gymnasium, tucrl
    >>> env = tucrl.gym.Continuing(gymnasium.make("FrozenLake-v1"), reward_range=(0, 1))
    >>> agent = tucrl.Agent("tucrl:alpha=0.05", env.states, env.actions, seed=1)
    >>> lengths = []
    >>> done = tucrl.gym.train(env, agent, 1000, lambda end: lengths.append(end.length), seed=1)
    >>> done.steps, done.plans + done.resets == len(lengths)
    (1000, True)
    """
    if steps < 1 or int(steps) != steps:
        raise ValueError(f"steps = {steps!r} is not a whole number of at least 1")
    goes_on = seed is None and agent.state is not None and env.state == agent.state
    state = env.state if goes_on else env.reset(seed=seed)
    line = Line(progress and is_watched())
    total, ended = 0.0, {"plan": 0, "reset": 0}
    # Where the episodes under way began, and what had been earned then.
    began = {"plan": (0, 0.0), "reset": (0, 0.0)}
    taken, shown, plans = 0, time.monotonic(), agent.episodes_ended
    is_stopped = False

    def tell(kind: Literal["plan", "reset"]) -> bool:
        start, earned = began[kind]
        began[kind] = (taken, total)
        ended[kind] += 1
        end = EpisodeEnd(kind, taken, ended[kind], taken - start, total - earned, agent)
        return callback is not None and callback(end) is False

    try:
        while taken < steps and not is_stopped:
            action = agent.act(state)
            # An episode that ends before the first step of this training is not counted.
            if agent.episodes_ended != plans:
                plans = agent.episodes_ended
                if taken and tell("plan"):
                    break
            resets = env.terminations + env.truncations
            state, reward = env.step(action)
            agent.observe(reward, state)
            taken, total = taken + 1, total + reward
            if env.terminations + env.truncations != resets:
                is_stopped = tell("reset")
            if taken % 256 == 0 and time.monotonic() - shown > _PERIOD:
                shown = time.monotonic()
                line.show(f"{taken:,} of {steps:,} steps, reward per step {total / taken:.4g}")
    finally:
        line.close()
    return Training(taken, total, ended["plan"], ended["reset"])

