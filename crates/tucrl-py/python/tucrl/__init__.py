"""Agents that earn while they learn a finite world whose reachable states nobody has listed.

``Agent`` is a learner, ``MDP`` a world with exact answers, ``World`` any world, ``learn`` runs many agents on all cores, and
``tucrl.gym`` connects both to Gymnasium. ``worlds`` and ``agents`` list what there is.

>>> import tucrl
>>> world = tucrl.MDP("three-state:delta=0")
>>> agent = tucrl.Agent("tucrl:alpha=0.05", states=3, actions=2, mask=world.action_mask, seed=1)
>>> walk = world.walk(seed=1)
>>> for _ in range(10_000):
...     action = agent.act(walk.state)
...     state, reward = walk.step(action)
...     agent.observe(reward, state)
>>> agent.seen, agent.visits.sum()
(2, np.int64(10000))
"""

import sys
from typing import TYPE_CHECKING, Any

from tucrl._catalogue import AgentEntry, Parameter, WorldEntry, agents, worlds
from tucrl._learn import Result, learn
from tucrl._native import MDP, VERSION, Agent, Episode, Plan, Walk, World

if TYPE_CHECKING:
    from tucrl import gym as gym

__version__ = VERSION

__all__ = [
    "MDP",
    "Agent",
    "AgentEntry",
    "Episode",
    "Parameter",
    "Plan",
    "Result",
    "Walk",
    "World",
    "WorldEntry",
    "__version__",
    "agents",
    "gym",
    "learn",
    "worlds",
]


def __getattr__(name: str) -> Any:
    # Gymnasium takes longer to import than all the rest: only who asks for it waits for it.
    if name == "gym":
        import importlib

        return importlib.import_module("tucrl.gym")
    raise AttributeError(f"module 'tucrl' has no attribute {name!r}")


# Who has imported Gymnasium already can make our worlds by their names.
if "gymnasium" in sys.modules:
    import tucrl.gym
