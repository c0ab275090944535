"""What several tests need."""

from collections.abc import Callable
from typing import Any

import tucrl

#: An agent of every kind that needs nothing but sizes, with options that let it learn something soon.
LEARNERS = ["tucrl:alpha=0.05", "ucrl:alpha=0.05", "ucrl2:alpha=0.05", "scal:c=5,alpha=0.05"]
LEARNERS += ["optimistic-q", "random", "tucrl:alpha=0.05,ties=noise"]
LEARNERS += ["tucrl-plus", "tucrl-plus:union=discovery"]


def play(
    agent: tucrl.Agent, walk: tucrl.Walk, steps: int, name: Callable[[int], Any] = lambda s: s
) -> list[tuple[int, float, int]]:
    """Let an agent play; return actions, rewards and states."""
    history = []
    for _ in range(steps):
        action = agent.act(name(walk.state))
        state, reward = walk.step(action)
        agent.observe(reward, name(state))
        history.append((action, reward, state))
    return history


def drawn(spec: str, world: str, seed: int = 1, run: int = 0) -> tuple[tucrl.Agent, tucrl.Walk]:
    """Return an agent and a walk with the streams of one run of ``tucrl learn``."""
    mdp = tucrl.MDP(world)
    agent = tucrl.Agent(
        spec, mdp.states, mdp.actions, mask=mdp.action_mask, r_max=mdp.r_max, seed=seed, run=run
    )
    return agent, mdp.walk(seed=seed, run=run)
