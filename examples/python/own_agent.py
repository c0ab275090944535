"""An agent of one's own beside those of the library: differential Q-learning (Wan, Naik, Sutton 2021).

    python examples/python/own_agent.py

`examples/rust/own-agent` is the same agent in Rust: with the same seeds both play the same actions.
"""

import os
from typing import Any

import tucrl


class DiffQ:
    """Average-reward Q-learning with epsilon-greedy play."""

    def __init__(self, mask: Any, seed: int, step: float = 0.1, epsilon: float = 0.1) -> None:
        self.step, self.epsilon, self.gain = step, epsilon, 0.0
        self.random = tucrl.Stream(seed)
        self.values = [[0.0] * count for count in mask.sum(axis=1).tolist()]
        self.last = (0, 0)

    def act(self, state: int) -> int:
        """Return the action to play."""
        values = self.values[state]
        is_random = self.random.chance(self.epsilon)
        action = self.random.below(len(values)) if is_random else values.index(max(values))
        self.last = (state, action)
        return action

    def observe(self, reward: float, next_state: int) -> None:
        """Learn from what the last action led to."""
        state, action = self.last
        error = reward - self.gain + max(self.values[next_state]) - self.values[state][action]
        self.values[state][action] += self.step * error
        self.gain += 0.1 * self.step * error


if __name__ == "__main__":
    experiment = {
        "name": "own-agent",
        "steps": int(os.environ.get("TUCRL_EXAMPLE_STEPS", "200000")),
        "seeds": 4,
        "worlds": ["river-swim"],
        "agents": {"my-q": DiffQ, "tucrl-plus": "tucrl-plus", "psrl": "psrl"},
    }
    result = tucrl.run(experiment, out="out/own-agent", checkpoint_seconds=1)
    print(result)
    print(*result.report("out/own-agent.html"))
