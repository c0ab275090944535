"""Agents that do one thing wrong, for the tests; a worker process imports them."""

import os
import threading
import time
from typing import Any


class InTurn:
    """Plays the actions in turn; the ninth step is where the others go wrong."""

    def __init__(self, mask: Any) -> None:
        self.offered, self.taken = mask.sum(axis=1).tolist(), 0

    def act(self, state: int) -> Any:
        """Act."""
        return self.taken % self.offered[state]

    def observe(self, reward: float, next_state: int) -> None:
        """Observe."""
        self.taken += 1


class WrongAction(InTurn):
    """Plays an action that does not exist."""

    def act(self, state: int) -> Any:
        """Act."""
        return 7 if self.taken == 8 else 0


class Negative(InTurn):
    """Plays an action below 0."""

    def act(self, state: int) -> Any:
        """Act."""
        return -1 if self.taken == 8 else 0


class Nan(InTurn):
    """Plays not a number."""

    def act(self, state: int) -> Any:
        """Act."""
        return float("nan") if self.taken == 8 else 0


class Raises(InTurn):
    """Raises while it acts."""

    def act(self, state: int) -> Any:
        """Act."""
        if self.taken == 8:
            raise KeyError("no such value")
        return 0


class RaisesInTheEnd(InTurn):
    """Raises when it observes the last step of all."""

    def __init__(self, mask: Any, steps: int) -> None:
        super().__init__(mask)
        self.steps = steps

    def observe(self, reward: float, next_state: int) -> None:
        """Observe."""
        super().observe(reward, next_state)
        if self.taken == self.steps:
            raise RuntimeError("one too many")


class Interrupts(InTurn):
    """Raises what Ctrl-C raises."""

    def act(self, state: int) -> Any:
        """Act."""
        if self.taken == 8:
            raise KeyboardInterrupt
        return 0


class Exits(InTurn):
    """Ends its process."""

    def act(self, state: int) -> Any:
        """Act."""
        if self.taken == 8:
            os._exit(3)
        return 0


class NeverReturns(InTurn):
    """Waits forever."""

    def act(self, state: int) -> Any:
        """Act."""
        if self.taken == 8:
            print("stuck", flush=True)
        while self.taken == 8:
            time.sleep(0.01)
        return 0


class NotDeterministic(InTurn):
    """Draws from the system."""

    def act(self, state: int) -> Any:
        """Act."""
        return os.urandom(1)[0] % self.offered[state]


class NotPicklable(InTurn):
    """Has a lock, which cannot be pickled."""

    def __init__(self, mask: Any) -> None:
        super().__init__(mask)
        self.lock = threading.Lock()


class NotMade(InTurn):
    """Cannot be made."""

    def __init__(self, mask: Any) -> None:
        super().__init__(mask)
        raise OSError("no weights")


class NoObserve:
    """Has no method observe."""

    def act(self, state: int) -> int:
        """Act."""
        return 0


class Episodes(InTurn):
    """Tells of episodes of a hundred steps, and explains."""

    @property
    def episodes(self) -> list[dict[str, float]]:
        """The episodes that ended."""
        return [{"start": 100 * k + 1, "length": 100, "gain": 0.5} for k in range(self.taken // 100)]

    def explain(self, state: int) -> list[dict[str, Any]]:
        """Say of every action whether it is the next one."""
        actions = range(self.offered[state])
        return [{"action": a, "visits": self.taken, "is_planned": a == self.act(state)} for a in actions]


class Prints(InTurn):
    """Prints to the standard output, where a worker process has its answers."""

    def act(self, state: int) -> Any:
        """Act."""
        print("acting")
        return super().act(state)


def successors(state: int, action: int) -> list[tuple[int, float, float]]:
    """River-swim in three states."""
    if action == 0:
        return [(max(state - 1, 0), 1.0, 0.05 if state == 0 else 0.0)]
    up, down = min(state + 1, 2), max(state - 1, 0)
    return [(up, 0.35, float(state == 2)), (state, 0.6, float(state == 2)), (down, 0.05, float(state == 2))]


def failing(state: int, action: int) -> list[tuple[int, float, float]]:
    """Fails away from the start."""
    if state == 1:
        raise ZeroDivisionError("of no use")
    return [(1, 1.0, 0.0)]
