"""Every agent of the catalogue works from Python: whole runs, step by step, and from a pickle in the middle."""

import itertools
import pickle
import warnings
from pathlib import Path

import pytest
import tucrl
from helpers import play

STEPS = 1500
#: Options beside those of the catalogue's examples, so that every way of sampling is taken once.
OPTIONS = {
    "tucrl": "tucrl:alpha=0.05,relaxation=mass",
    "ucrl": "ucrl:set=kl,rule=tsde,alpha=0.05",
    "scal": "scal:c=2,set=kl,alpha=0.05",
    "psrl": "psrl:rewards=bernoulli",
    "tsde": "tsde:split=mean",
    "ds-psrl": "ds-psrl:rewards=normal-gamma",
    "optimistic-psrl": "optimistic-psrl:psi=20",
}
NEW = {"psrl", "tsde", "ds-psrl", "optimistic-psrl", "regal-c", "regal", "regal-d", "kl-ucrl"}
NEW |= {"ucrl3", "ucrl2b-2020", "focus", "pmevi-dt"}
CAST = {name: OPTIONS.get(name, entry["example"]) for name, entry in tucrl.agents().items()}


def test_the_cast_is_complete() -> None:
    assert set(CAST) >= NEW | {"tucrl", "ucrl", "ucrl2", "scal", "optimistic-q", "oracle", "random"}


def place(name: str) -> tuple[tucrl.MDP | tucrl.World, str]:
    """A world and its spec; only some worlds come with a person's rule of thumb."""
    if name == "heuristic":
        return tucrl.World("breakout-game"), "breakout-game"
    return tucrl.MDP("three-state:delta=0.005"), "three-state:delta=0.005"


@pytest.mark.parametrize("name", CAST)
def test_a_run_is_that_of_an_agent_driven_by_hand_and_pickled_on_the_way(
    name: str, tmp_path: Path
) -> None:
    world, text = place(name)
    with warnings.catch_warnings():
        # So few steps are too few for some of them, which is said and does not matter here.
        warnings.simplefilter("ignore")
        result = tucrl.learn(text, CAST[name], STEPS, seeds=1, seed=7)
    assert result.failed == []
    curves = result.table()
    agent = tucrl.Agent(CAST[name], world=world, steps=STEPS, seed=7, run=0)
    walk = world.walk(seed=7, run=0)
    assert agent.spec.split(":")[0] == name
    history = play(agent, walk, STEPS // 3)
    agent = pickle.loads(pickle.dumps(agent))
    history += play(agent, walk, STEPS // 3)
    # Asked for an action, stored, and continued from a file.
    action = agent.act(walk.state)
    agent.save(tmp_path / "agent.state")
    agent = tucrl.Agent.load(tmp_path / "agent.state", world=world)
    assert agent.act(walk.state) == action
    history += play(agent, walk, STEPS - len(history))
    earned = list(itertools.accumulate(reward for _, reward, _ in history))
    gain = tucrl.MDP(text).gain
    for t, regret in zip(curves["t"], curves["regret"], strict=True):
        assert regret == t * gain - earned[t - 1], f"{name}, step {t}"
    assert agent.steps == STEPS
