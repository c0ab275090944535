"""TUCRL and related regret-minimising agents for finite MDPs with unknown reachable states.

``Agent`` is a learner, ``MDP`` a tabular model with exact solutions, ``World`` any environment of the library,
``learn`` runs many agents on all cores, ``run`` an experiment with results in a directory, and ``tucrl.gym`` connects
to Gymnasium. Agents and worlds may be your own; ``tucrl.testing`` checks them. ``worlds`` and ``agents`` list the
catalogues.

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

from tucrl import options
from tucrl._catalogue import AgentEntry, Parameter, WorldEntry, agents, worlds
from tucrl._learn import Result, learn
from tucrl._logs import Candidate, Certificate, Log, certify
from tucrl._native import MDP, VERSION, Agent, Plan, Stream, Walk, World
from tucrl._records import BurnIn, Episode, Explanation, Hardness, LowerBound
from tucrl._run import run

if TYPE_CHECKING:
    from tucrl import executors as executors
    from tucrl import gym as gym

__version__ = VERSION

__all__ = [
    "MDP",
    "Agent",
    "AgentEntry",
    "BurnIn",
    "Candidate",
    "Certificate",
    "Episode",
    "Explanation",
    "Hardness",
    "Log",
    "LowerBound",
    "Parameter",
    "Plan",
    "Result",
    "Stream",
    "Walk",
    "World",
    "WorldEntry",
    "__version__",
    "agents",
    "certify",
    "executors",
    "gym",
    "learn",
    "options",
    "run",
    "worlds",
]


def __getattr__(name: str) -> Any:
    # Imported on first use: Gymnasium takes longer to import than the rest of the package.
    if name in ("gym", "executors"):
        import importlib

        return importlib.import_module(f"tucrl.{name}")
    raise AttributeError(f"module 'tucrl' has no attribute {name!r}")


# If Gymnasium is already imported, register our environments with it.
if "gymnasium" in sys.modules:
    import tucrl.gym
