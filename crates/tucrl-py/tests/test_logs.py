"""Logs become models, certificates and a head start for agents."""

import copy
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import tucrl

ROWS = [("a", "x", 0.0, "b"), ("a", "x", 1.0, "a"), ("a", "y", 0.5, "b"), ("b", "x", 1.0, "a"), ("b", "x", 0.0, "b")]
COLUMNS = ["state", "action", "reward", "next_state"]


def by_hand(rows: list[tuple[Any, Any, float, Any]]) -> dict[tuple[Any, Any], tuple[Fraction, dict[Any, Fraction]]]:
    """Return the mean reward and the frequencies of every pair, counted another way."""
    pairs: dict[tuple[Any, Any], tuple[Fraction, dict[Any, Fraction]]] = {}
    for pair in {row[:2] for row in rows}:
        own = [row for row in rows if row[:2] == pair]
        mean = sum((Fraction(row[2]) for row in own), Fraction(0)) / len(own)
        nexts = {row[3] for row in own}
        pairs[pair] = (mean, {to: Fraction(sum(row[3] == to for row in own), len(own)) for to in nexts})
    return pairs


def frames() -> list[Any]:
    columns = {name: [row[place] for row in ROWS] for place, name in enumerate(COLUMNS)}
    structured = np.array(ROWS, dtype=[("state", "U1"), ("action", "U1"), ("reward", "f8"), ("next_state", "U1")])
    return [columns, pd.DataFrame(columns), pl.DataFrame(columns), structured, tucrl.Log(*columns.values())]


@pytest.mark.parametrize("log", frames(), ids=["dict", "pandas", "polars", "numpy", "log"])
def test_every_kind_of_frame_gives_the_frequencies_and_means_of_the_log(log: Any) -> None:
    mdp = tucrl.MDP.from_log(log, unvisited=("stay", 0.25))
    assert mdp.state_names == ["a", "b"] and mdp.action_names == ["x", "y"]
    numbers = {"a": 0, "b": 1, "x": 0, "y": 1}
    found = {
        (int(s), int(a), int(n)): p for s, a, n, p in zip(*mdp.transitions, strict=True)
    }
    for (state, action), (mean, law) in by_hand(ROWS).items():
        pair = numbers[state], numbers[action]
        assert mdp.mean_rewards[pair] == float(mean)
        for to, share in law.items():
            assert found.pop((*pair, numbers[to])) == float(share)
    # The pair that never occurs.
    assert found == {(1, 1, 1): 1.0} and mdp.mean_rewards[1, 1] == 0.25
    assert mdp.reward_range == (0.0, 1.0)


def test_a_pair_that_never_occurs_is_an_explicit_choice() -> None:
    columns = frames()[0]
    with pytest.raises(TypeError, match="unvisited"):
        tucrl.MDP.from_log(columns)  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="action 1 of state b never occurred: say what such pairs do"):
        tucrl.MDP.from_log(columns, unvisited="error")
    for wrong in ("drop", ("stay",), ("leave", 1.0), None):
        with pytest.raises(ValueError, match="accepted are"):
            tucrl.MDP.from_log(columns, unvisited=wrong)  # type: ignore[arg-type]
    uniform = tucrl.MDP.from_log(columns, unvisited=("uniform", 1.0))
    law = {int(n): p for s, a, n, p in zip(*uniform.transitions, strict=True) if (s, a) == (1, 1)}
    assert law == {0: 0.5, 1: 0.5}
    with pytest.raises(ValueError, match="reward"):
        tucrl.MDP.from_log(columns, unvisited=("stay", 7.0))


def test_whole_numbers_are_their_own_and_may_have_gaps() -> None:
    mdp = tucrl.MDP.from_transitions([0, 3], [0, 0], [1, 0], [3, 0], unvisited=("stay", 0.0), n_actions=2)
    assert (mdp.states, mdp.actions, mdp.state_names) == (4, 2, [])
    assert mdp.gain == pytest.approx(0.5)
    with pytest.raises(ValueError, match="outside n_states = 3"):
        tucrl.MDP.from_transitions([0, 3], [0, 0], [1, 0], [3, 0], unvisited="error", n_states=3)
    with pytest.raises(ValueError, match="largest state is 1000000"):
        tucrl.MDP.from_transitions([0], [0], [1.0], [1_000_000], unvisited=("stay", 0.0))


def test_observations_in_rows_of_an_array_are_states() -> None:
    states = np.array([[0.5, 1.0], [0.5, 2.0]])
    log = tucrl.Log(states, [0, 0], [0.0, 1.0], states[::-1])
    assert log.states == [(0.5, 1.0), (0.5, 2.0)] and log.number((0.5, 2.0)) == 1
    assert log.visits.tolist() == [[1], [1]]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([0], [0, 1], [0.0], [0]), "differ in length: 1 states, 2 actions"),
        (([], [], [], []), "no transitions"),
        ((["a"], [0], [float("nan")], ["a"]), "transition 0 of the log has the reward nan"),
        ((["a"], [0], ["much"], ["a"]), "the reward 'much'"),
        ((["a"], [0], [0.0], [None]), "transition 0 of the log has no state"),
        (([{}], [0], [0.0], ["a"]), "cannot be hashed"),
        (([-1], [0], [0.0], [0]), "is negative"),
        (("ab", [0, 0], [0, 0], [0, 0]), "states is a text"),
    ],
)
def test_what_is_wrong_with_a_log_is_said(columns: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tucrl.Log(*columns)


def test_missing_columns_and_rewards_out_of_range_are_said() -> None:
    with pytest.raises(ValueError, match="no column 'next_state'"):
        tucrl.MDP.from_log({"state": [0], "action": [0], "reward": [0.0]}, unvisited="error")
    with pytest.raises(ValueError, match="not in reward_range"):
        tucrl.MDP.from_transitions([0], [0], [2.0], [0], unvisited="error", reward_range=(0, 1))


def test_a_log_of_an_mdp_leads_back_to_it() -> None:
    world = tucrl.MDP("river-swim")
    walk, choice = world.walk(seed=1), np.random.default_rng(1)
    rows = []
    for _ in range(200_000):
        state, action = walk.state, int(choice.random() < 0.8)
        following, reward = walk.step(action)
        rows.append((state, action, reward, following))
    log = pd.DataFrame(rows, columns=COLUMNS)
    model = tucrl.MDP.from_log(log, unvisited="error", reward_range=(0, 1))
    assert model.gain == pytest.approx(world.gain, rel=0.1)
    assert world.evaluate(model.policy)[0][0] == pytest.approx(world.gain, abs=1e-9)


def test_certificates_hold_and_approach_the_optimum() -> None:
    world = tucrl.MDP("river-swim")
    gaps = []
    for samples in (10_000, 100_000, 1_000_000):
        found = tucrl.certify(world, samples=samples, rewards="deterministic", seed=3)
        assert found.is_certified and found.bound == "distance" and found.samples == samples
        assert found.gain <= world.evaluate(found.policy)[0].min()
        gaps.append(world.gain - found.gain)
    assert gaps[0] > gaps[1] > gaps[2] and gaps[1] / gaps[2] == pytest.approx(10**0.5, rel=0.3)
    random = tucrl.certify(world, samples=100_000, seed=3)
    assert random.reward_samples == 12_500 and random.samples == 87_500 and random.gain < found.gain
    shrunk = tucrl.certify(world, samples=1000, shrink=0.0, seed=3)
    assert not shrunk.is_certified and "nothing is certified" in str(shrunk)


def test_a_log_is_certified_by_its_rarest_pair_and_by_names() -> None:
    rng = np.random.default_rng(0)
    rows: list[tuple[str, str, float, str]] = []
    for _ in range(40_000):
        state = "good" if rng.random() < 0.5 else "bad"
        action = "stay" if rng.random() < 0.9 else "go"
        there = state if action == "stay" else ("good" if state == "bad" else "bad")
        rows.append((state, action, float(state == "good"), there))
    log = pd.DataFrame(rows, columns=COLUMNS)
    found = tucrl.certify(log, states=2, reward_range=(0, 1), rewards="deterministic")
    assert found.policy_dict == {"good": "stay", "bad": "go"}
    assert 0.5 < found.gain <= 1.0
    visits = tucrl.Log.from_frame(log).visits
    assert found.samples == visits.min()
    with pytest.raises(ValueError, match="2 of 3 states"):
        tucrl.certify(log, states=3, reward_range=(0, 1))
    with pytest.raises(ValueError, match="how many states are there"):
        tucrl.certify(log, reward_range=(0, 1))
    with pytest.raises(ValueError, match="which rewards are possible"):
        tucrl.certify(log, states=2)
    with pytest.raises(ValueError, match="not in reward_range"):
        tucrl.certify(log, states=2, reward_range=(0, 0.5))
    never = log[~((log["state"] == "bad") & (log["action"] == "go"))]
    with pytest.raises(ValueError, match="no sample of action 'go' in state 'bad'"):
        tucrl.certify(never, states=2, reward_range=(0, 1))
    noisy = log.assign(reward=rng.random(len(log)))
    with pytest.raises(ValueError, match="say that rewards are random"):
        tucrl.certify(noisy, states=2, reward_range=(0, 1), rewards="deterministic")


def test_a_function_is_a_sampler() -> None:
    rng = np.random.default_rng(1)

    def sampler(state: str, action: int) -> tuple[float, str]:
        there = "b" if action else "a"
        return float(rng.random() < (0.9 if state == "b" else 0.1)), there

    found = tucrl.certify(sampler, samples=4000, states=["a", "b"], actions=2, reward_range=(0, 1))
    assert found.policy_dict == {"a": 1, "b": 1} and 0.5 < found.gain < 0.9
    with pytest.raises(ValueError, match="not among states"):
        tucrl.certify(sampler, samples=10, states=["a"], actions=2, reward_range=(0, 1))
    with pytest.raises(ValueError, match="pass states"):
        tucrl.certify(sampler, samples=10, reward_range=(0, 1))
    with pytest.raises(ValueError, match="samples = None"):
        tucrl.certify(tucrl.MDP("river-swim"))
    with pytest.raises(ValueError, match="`delta` = 2 is out of range"):
        tucrl.certify(tucrl.MDP("river-swim"), samples=10, delta=2)


def walked(steps: int, seed: int) -> list[list[Any]]:
    walk, choice = tucrl.MDP("river-swim").walk(seed=seed), np.random.default_rng(seed)
    columns: list[list[Any]] = [[], [], [], []]
    for _ in range(steps):
        state, action = walk.state, int(choice.random() < 0.9)
        following, reward = walk.step(action)
        for column, value in zip(columns, (state, action, reward, following), strict=True):
            column.append(value)
    return columns


@pytest.mark.parametrize("spec", ["tucrl:alpha=0.05", "tucrl-plus", "psrl", "optimistic-q", "ucrl", "scal:c=10"])
def test_an_absorbed_log_is_counted_like_own_steps(spec: str) -> None:
    columns = walked(3000, seed=5)
    agent = tucrl.Agent(spec, states=6, actions=2, seed=1)
    agent.absorb(np.array(columns[0]), pd.Series(columns[1]), pl.Series(columns[2]), columns[3])
    assert (agent.absorbed, agent.steps, agent.state) == (3000, 0, None)
    log = tucrl.Log(*columns)
    by_row = [log.number(state) for state in agent.seen_states]
    assert (agent.visits == log.visits[by_row]).all()
    model, same = agent.to_mdp(unvisited=("stay", 0.0)), tucrl.MDP.from_log(log, unvisited=("stay", 0.0), reward_range=(0, 1))
    assert model.gain == pytest.approx(same.gain, abs=1e-9)
    # Where it then stands is said by the first act.
    agent.act(3)
    assert agent.state == 3
    with pytest.raises(ValueError, match="absorb after act"):
        agent.absorb(*columns)


def test_absorbed_logs_survive_pickle_copy_and_file(tmp_path: Path) -> None:
    agent = tucrl.Agent("tucrl:alpha=0.05", states=6, actions=2, seed=1)
    agent.absorb(*walked(2000, seed=2))
    agent.save(tmp_path / "a.state")
    twins = [copy.copy(agent), pickle.loads(pickle.dumps(agent)), tucrl.Agent.load(tmp_path / "a.state")]
    for twin in [agent, *twins]:
        walk = tucrl.MDP("river-swim").walk(seed=3)
        for _ in range(500):
            state, reward = walk.step(twin.act(walk.state))
            twin.observe(reward, state)
    for twin in twins:
        assert (twin.absorbed, twin.steps) == (2000, 500)
        assert (twin.visits == agent.visits).all() and twin.plan == agent.plan


def test_absorbing_in_parts_is_absorbing_at_once() -> None:
    columns = walked(2000, seed=4)
    whole, parts = (tucrl.Agent("tucrl:alpha=0.05", states=6, actions=2, seed=1) for _ in range(2))
    whole.absorb(*columns)
    parts.absorb(*(column[:700] for column in columns))
    parts.absorb(*(column[700:] for column in columns))
    assert whole.act(0) == parts.act(0) and whole.plan == parts.plan


def test_a_bad_step_leaves_the_agent_as_it_was() -> None:
    agent = tucrl.Agent("tucrl", states=3, actions=2)
    for columns, message in [
        (([0, 9], [0, 0], [0, 0], [0, 0]), "step 1 of the log: state 9 is outside"),
        (([0], [2], [0], [0]), "step 0 of the log: action = 2"),
        (([0], [0], [7], [0]), "step 0 of the log: reward 7"),
    ]:
        with pytest.raises(ValueError, match=message):
            agent.absorb(*columns)
        assert (agent.absorbed, agent.seen) == (0, 0)
    with pytest.raises(ValueError, match="does not learn from logs"):
        tucrl.Agent("random", states=3, actions=2).absorb([0], [0], [0], [0])


def test_masks_and_names_hold_for_logs_too() -> None:
    masks = {"l": [True, False, True], "r": [False, True, False]}
    agent = tucrl.Agent("tucrl", states=2, actions=3, mask=lambda state: masks[state])
    agent.absorb(["l", "r"], [2, 1], [0.0, 1.0], ["r", "l"])
    assert agent.visits.tolist() == [[0, 0, 1], [0, 1, 0]]
    assert agent.policy_dict(policy="greedy") == {"l": 2, "r": 1}
    with pytest.raises(ValueError, match="step 0 of the log: the state 'r' has no action 0"):
        agent.absorb(["r"], [0], [0.0], ["l"])
    assert agent.act("r") == 1


def test_a_log_saves_exploration() -> None:
    world = tucrl.MDP("river-swim")
    earned = []
    for steps in (0, 20_000):
        agent, walk = tucrl.Agent("tucrl:alpha=0.05", states=6, actions=2, seed=1), world.walk(seed=1)
        if steps:
            agent.absorb(*walked(steps, seed=7))
        total = 0.0
        for _ in range(3000):
            state, reward = walk.step(agent.act(walk.state))
            agent.observe(reward, state)
            total += reward
        earned.append(total)
    assert earned[1] > 1.1 * earned[0] and earned[1] > 0.7 * 3000 * world.gain
