"""What the end of an episode pays, where an episodic environment becomes a continuing one."""

import math
import warnings
from collections.abc import Callable
from typing import Any

#: A number, or a function of the last transition: state, action, reward, next state.
TerminalReward = float | Callable[[Any, int, float, Any], float]

#: Environments that pay the same for every step, whatever is done: only the length of an episode counts there, and
#: length means nothing once the reset is a transition. Keys are ids without their version.
_DEFAULTS: dict[str, tuple[float, str]] = {
    "CartPole": (-1.0, "every step pays 1, so that falling would cost nothing"),
    "MountainCar": (1.0, "every step pays -1, so that arriving would earn nothing"),
    "CliffWalking": (1.0, "every step pays -1, so that arriving would earn nothing"),
    "CliffWalkingSlippery": (1.0, "every step pays -1, so that arriving would earn nothing"),
}

_announced: set[str] = set()


class Endings:
    """The reward added where an episode terminates, and the cost of every reset."""

    def __init__(
        self, env: Any, terminal_reward: TerminalReward | None, reset_cost: float, stacklevel: int
    ) -> None:
        if terminal_reward is None:
            terminal_reward = _default(env, stacklevel + 1)
        self.terminal_reward: TerminalReward = (
            terminal_reward if callable(terminal_reward) else _finite("terminal_reward", terminal_reward)
        )
        self.reset_cost = _finite("reset_cost", reset_cost)
        if self.reset_cost < 0:
            raise ValueError(f"reset_cost = {reset_cost}: give a cost of at least 0")

    def paid(self, state: Any, action: int, reward: float, following: Any, terminated: bool) -> float:
        """Return what a transition pays that ends an episode."""
        extra = 0.0
        if terminated:
            given = self.terminal_reward
            extra = float(given(state, action, reward, following)) if callable(given) else given
        return reward + extra - self.reset_cost

    def __str__(self) -> str:
        """Return the arguments that differ from 0."""
        given = self.terminal_reward
        shown = [f"terminal_reward={given if callable(given) else format(given, 'g')}"] if given else []
        return ", ".join(shown + ([f"reset_cost={self.reset_cost:g}"] if self.reset_cost else []))


def _default(env: Any, stacklevel: int) -> float:
    spec: Any = getattr(getattr(env, "unwrapped", env), "spec", None)
    known = None if spec is None else _DEFAULTS.get(str(spec.id).rsplit("-v", 1)[0])
    # With this option CartPole already pays 0 per step and -1 for falling.
    if known is None or spec.kwargs.get("sutton_barto_reward"):
        return 0.0
    value, reason = known
    if spec.id not in _announced:
        _announced.add(spec.id)
        warnings.warn(
            f"{spec.id} gets terminal_reward={value:g} added where an episode terminates: {reason}; pass "
            f"terminal_reward={value:g} to agree, or terminal_reward=0 for the rewards of the environment alone",
            stacklevel=stacklevel + 1,
        )
    return value


def _finite(name: str, value: Any) -> float:
    number = float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} = {value} is not a finite number")
    return number
