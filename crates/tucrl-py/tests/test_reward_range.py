"""Rewards outside [0, 1] keep their units everywhere."""

import copy
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tucrl

#: Two states; the best policy is in state 0 a third of the time and earns (-1 + 2 * 9.5) / 3 = 6 per step.
TRANSITIONS = np.array([[[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5], [0.5, 0.5]]])
REWARDS = np.array([[[0.0, -1.0], [-10.0, 0.0]], [[20.0, -1.0], [20.0, -1.0]]])
RANGE = (-10, 20)


def own() -> tucrl.MDP:
    return tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, axes="sas", reward_range=RANGE)


def zero() -> tucrl.MDP:
    """Return the same with every reward larger by 10."""
    return tucrl.MDP.from_arrays(TRANSITIONS, REWARDS + 10, axes="sas", r_max=30)


def test_a_model_answers_in_the_units_of_its_rewards() -> None:
    mdp, shifted = own(), zero()
    assert mdp.reward_range == RANGE and mdp.r_max == 30 and shifted.reward_range == (0, 30)
    assert abs(mdp.gain - 6) <= mdp.gain_error < 1e-12
    assert mdp.gain == shifted.gain - 10
    assert np.array_equal(mdp.gains, shifted.gains - 10)
    assert np.array_equal(mdp.bias, shifted.bias) and np.array_equal(mdp.policy, shifted.policy)
    assert mdp.mean_rewards.tolist() == [[-1, -10], [9.5, 9.5]]
    gain, bias = mdp.evaluate([1, 0])
    expected, same_bias = shifted.evaluate([1, 0])
    assert gain[0] == -10 and np.array_equal(gain, expected - 10) and np.array_equal(bias, same_bias)
    assert set(mdp.sample(1, 0, size=100, seed=1)[1].tolist()) == {20.0, -1.0}
    walk = mdp.walk(seed=1)
    assert walk.step(0) == (1, -1.0)
    assert tucrl.World(mdp).reward_range == RANGE


def test_a_reward_comes_back_as_it_was_given() -> None:
    mdp = tucrl.MDP.from_arrays(np.ones((1, 1, 1)), np.array([0.1]), reward_range=RANGE)
    assert mdp.mean_rewards[0, 0] == 0.1
    assert mdp.sample(0, 0)[1][0] == 0.1 and mdp.walk().step(0) == (0, 0.1)


def test_files_and_pickles_keep_the_range(tmp_path: Path) -> None:
    mdp = own()
    for name in ("m.json", "m.drn", "m.umb", "m.json.gz", "m.drn.gz"):
        mdp.to_file(tmp_path / name)
        back = tucrl.MDP(tmp_path / name)
        assert back == mdp and back.reward_range == RANGE and back.gain == mdp.gain
    assert pickle.loads(pickle.dumps(mdp)).reward_range == RANGE
    assert pickle.loads(pickle.dumps(tucrl.World(mdp))).reward_range == RANGE
    assert mdp != zero()
    wide = tucrl.MDP(tmp_path / "m.json", reward_range=[-100, 100])
    assert wide.r_max == 200 and wide.gain == pytest.approx(6, abs=1e-9)


def learned(agent: tucrl.Agent, mdp: tucrl.MDP, steps: int = 3000) -> list[int]:
    walk, played = mdp.walk(seed=1), []
    for _ in range(steps):
        played.append(agent.act(walk.state))
        state, reward = walk.step(played[-1])
        agent.observe(reward, state)
    return played


def test_an_agent_learns_the_same_in_other_units() -> None:
    agent = tucrl.Agent("tucrl:alpha=0.05", 2, 2, reward_range=RANGE)
    shifted = tucrl.Agent("tucrl:alpha=0.05", 2, 2, r_max=30)
    assert learned(agent, own()) == learned(shifted, zero())
    assert agent.reward_range == RANGE and agent.r_max == 30 and shifted.reward_range == (0, 30)
    assert np.array_equal(agent.mean_rewards, shifted.mean_rewards - 10, equal_nan=True)
    assert [e.gain for e in agent.episodes] == [e.gain - 10 for e in shifted.episodes]
    plan, other = agent.plan, shifted.plan
    assert plan is not None and other is not None
    assert plan.gain_bounds == tuple(gain - 10 for gain in other.gain_bounds)
    assert plan.span == other.span and np.array_equal(plan.bias, other.bias)
    assert 6 - 1e-9 <= plan.gain <= 20, "optimistic, in the units of the rewards"


def test_copies_pickles_and_files_of_an_agent_keep_its_range(tmp_path: Path) -> None:
    agent = tucrl.Agent("tucrl:alpha=0.05", 2, 2, reward_range=RANGE)
    learned(agent, own(), 100)
    agent.save(tmp_path / "a.state")
    for twin in (copy.copy(agent), pickle.loads(pickle.dumps(agent)), tucrl.Agent.load(tmp_path / "a.state")):
        assert twin.reward_range == RANGE
        twin.act()
        twin.observe(-10, 0)


def test_an_agent_of_a_world_has_its_range() -> None:
    mdp = own()
    oracle = tucrl.Agent("oracle", world=mdp)
    assert oracle.reward_range == RANGE
    assert set(learned(oracle, mdp, 50)) == {0}
    told = tucrl.Agent("tucrl:alpha=0.05,known_rewards=true", world=mdp)
    learned(told, mdp, 500)
    assert tucrl.Agent("tucrl", world=mdp, reward_range=(-10, 50)).r_max == 60
    with pytest.raises(ValueError, match=r"lie in \[-10, 20\]: leave out"):
        tucrl.Agent("tucrl", world=mdp, reward_range=(-20, 20))
    with pytest.raises(ValueError, match=r"lie in \[-10, 20\]: leave out"):
        tucrl.Agent("tucrl", world=mdp, r_max=30)


def test_many_runs_report_in_the_units_of_the_rewards() -> None:
    agents = ["tucrl:alpha=0.05", "random"]
    ours = tucrl.learn(own(), agents, steps=2000, seeds=2)
    theirs = tucrl.learn(zero(), agents, steps=2000, seeds=2)
    assert np.array_equal(ours.table("curves")["regret"], theirs.table("curves")["regret"])
    for table in ("summary", "episodes"):
        assert np.array_equal(ours.table(table)["gain"], theirs.table(table)["gain"] - 10)


def test_coin_flips_pay_the_lowest_or_the_highest_reward() -> None:
    mdp = tucrl.MDP.from_arrays(np.ones((1, 1, 1)), np.array([5.0]), reward_range=RANGE, law="bernoulli")
    assert mdp.mean_rewards[0, 0] == pytest.approx(5, abs=1e-12)
    rewards = mdp.sample(0, 0, size=4000, seed=1)[1]
    assert set(rewards.tolist()) == {-10.0, 20.0} and abs(rewards.mean() - 5) < 1


BAD: dict[str, Any] = {
    "both": lambda: tucrl.Agent("tucrl", 2, 2, r_max=1, reward_range=RANGE),
    "both of a model": lambda: tucrl.MDP("m.json", r_max=1, reward_range=RANGE),
    "both of arrays": lambda: tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, axes="sas", r_max=1, reward_range=RANGE),
}


@pytest.mark.parametrize("call", BAD.values(), ids=BAD)
def test_two_ranges_are_an_error(call: Any) -> None:
    with pytest.raises(ValueError, match="r_max and reward_range both say.*keep one"):
        call()


@pytest.mark.parametrize("bad", [(1, 1), (20, -10), (0, float("inf")), (float("nan"), 1), (-1e308, 1e308)])
def test_what_is_no_range_is_refused(bad: tuple[float, float]) -> None:
    with pytest.raises(ValueError, match="not a range of rewards: give the lowest"):
        tucrl.Agent("tucrl", 2, 2, reward_range=bad)
    with pytest.raises(ValueError, match="is no range: give"):
        tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, axes="sas", reward_range=bad)
    for shape in ((1, 2, 3), (1,), "01", 5):
        with pytest.raises(ValueError, match="two numbers: give"):
            tucrl.Agent("tucrl", 2, 2, reward_range=shape)  # type: ignore[arg-type]


def test_a_reward_outside_the_range_is_refused_with_the_remedy() -> None:
    agent = tucrl.Agent("tucrl", 2, 2, reward_range=RANGE)
    agent.act(0)
    for reward in (-10.1, 20.1, float("nan")):
        with pytest.raises(ValueError, match=r"not in \[-10, 20\].*reward_range=\(lowest, highest\)"):
            agent.observe(reward, 1)
    agent.observe(-10 - 1e-12, 1)
    with pytest.raises(ValueError, match=r"leaves \[0, 20\]: widen reward_range"):
        tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, axes="sas")
    with pytest.raises(ValueError, match=r"leaves \[-5, 20\]: widen reward_range"):
        tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, axes="sas", reward_range=(-5, 20))
    with pytest.raises(ValueError, match="reward_range is for model files, and taxi is not one"):
        tucrl.MDP("taxi", reward_range=RANGE)
