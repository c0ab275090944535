"""A model from anywhere has the exact answers of the library."""

import pickle
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
import tucrl

# Staying in state 1 pays 1 a step; leaving state 0 takes two steps on average.
TRANSITIONS = np.array([[[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0], [1.0, 0.0]]])
REWARDS = np.array([[0.5, 0.0], [1.0, 0.0]])


def ways() -> dict[str, tucrl.MDP]:
    per_action = [TRANSITIONS[:, action, :] for action in (0, 1)]
    sparse = [scipy.sparse.csr_array(matrix) for matrix in per_action]
    by_transition = np.repeat(REWARDS[:, :, None], 2, axis=2)
    return {
        "dense": tucrl.MDP.from_arrays(TRANSITIONS, REWARDS),
        "by action": tucrl.MDP.from_arrays(per_action, REWARDS),
        "sparse": tucrl.MDP.from_arrays(sparse, REWARDS),
        "old sparse": tucrl.MDP.from_arrays([scipy.sparse.coo_matrix(m) for m in sparse], REWARDS),
        "sparse rewards": tucrl.MDP.from_arrays(
            sparse, [scipy.sparse.csr_array(by_transition[:, a, :]) for a in (0, 1)]
        ),
        "by transition": tucrl.MDP.from_arrays(TRANSITIONS, by_transition),
        "lists": tucrl.MDP.from_arrays(np.array(TRANSITIONS.tolist()), REWARDS.tolist()),
        "start law": tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, start=[1.0, 0.0]),
    }


def test_arrays_of_all_kinds_are_the_same_model() -> None:
    models = ways()
    for name, mdp in models.items():
        assert mdp == models["dense"], name
        assert abs(mdp.gain - 1.0) <= mdp.gain_error < 1e-12
        assert mdp.bias.tolist() == pytest.approx([0.0, 2.0], abs=1e-12)
        assert mdp.span == pytest.approx(2.0, abs=1e-12)
        assert mdp.policy.tolist() == [1, 0]
        assert mdp.diameter() == mdp.diameter(reachable=False) == pytest.approx(2.0)
        assert mdp.classify() == "communicating"
        assert [c.tolist() for c in mdp.end_components] == [[0, 1]]


def test_answers_are_kept_and_cannot_be_written_to() -> None:
    mdp = tucrl.MDP("river-swim")
    for name in ("gains", "bias", "policy"):
        array = getattr(mdp, name)
        assert getattr(mdp, name) is array, "no copy"
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_the_class_of_a_world_and_its_parts() -> None:
    mdp = tucrl.MDP("three-state:delta=0")
    assert mdp.classify() == "weakly communicating"
    assert mdp.reachable.tolist() == [True, False, True]
    assert mdp.start_is_recoverable
    assert mdp.diameter() == 1.0 and mdp.diameter(reachable=False) == float("inf")
    assert mdp.gain == pytest.approx(2 / 3, abs=1e-12)
    taxi = tucrl.MDP("taxi")
    assert sorted(len(c) for c in taxi.end_components) == [25, 25, 25, 25, 400]
    assert taxi.reachable.sum() == 400 and taxi.states == 500


def test_transitions_rewards_and_start_are_those_given() -> None:
    mdp = ways()["dense"]
    state, action, following, probability = mdp.transitions
    table = np.zeros((2, 2, 2))
    table[state, action, following] = probability
    assert np.array_equal(table, TRANSITIONS)
    assert np.array_equal(mdp.mean_rewards, REWARDS)
    assert mdp.start.tolist() == [1.0, 0.0]


def test_a_policy_is_worth_what_its_equations_say() -> None:
    mdp = ways()["dense"]
    law = np.array([[0.25, 0.75], [0.5, 0.5]])
    gain, bias = mdp.evaluate(law)
    chain = np.einsum("sa,sat->st", law, TRANSITIONS)
    paid = (law * REWARDS).sum(axis=1)
    assert np.allclose(gain, gain[0]) and np.allclose(gain + bias, paid + chain @ bias)
    gain, _ = mdp.evaluate([0, 1])
    assert gain.tolist() == pytest.approx([0.5, 0.5])


def test_samples_have_the_right_law() -> None:
    mdp = tucrl.MDP("three-state:delta=0.2")
    state, action, following, probability = mdp.transitions
    for pair in sorted(set(zip(state.tolist(), action.tolist(), strict=True))):
        own = (state == pair[0]) & (action == pair[1])
        drawn, rewards = mdp.sample(*pair, 20_000, seed=1)
        shares = np.bincount(drawn, minlength=3) / 20_000
        # Five standard deviations of a share are at most 0.018.
        assert np.abs(shares[following[own]] - probability[own]).max() < 0.018
        assert abs(rewards.mean() - mdp.mean_rewards[pair]) < 0.018
    again, _ = mdp.sample(0, 0, 50, seed=3)
    assert np.array_equal(again, mdp.sample(0, 0, 50, seed=3)[0])


def test_bernoulli_rewards_keep_their_means() -> None:
    mdp = tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, law="bernoulli")
    assert mdp.gain == pytest.approx(1.0, abs=1e-12)
    _, rewards = mdp.sample(0, 0, 1000)
    assert set(rewards.tolist()) == {0.0, 1.0}


@pytest.mark.parametrize("ending", ["json", "drn"])
def test_a_file_and_a_pickle_bring_the_model_back(ending: str, tmp_path: Path) -> None:
    for mdp in (tucrl.MDP("taxi"), ways()["dense"]):
        path = tmp_path / f"model.{ending}"
        mdp.to_file(path, overwrite=path.exists())
        assert tucrl.MDP(path) == tucrl.MDP(str(path)) == mdp
        with pytest.raises(FileExistsError, match="overwrite=True"):
            mdp.to_file(path)
        assert pickle.loads(pickle.dumps(mdp)) == mdp
    with pytest.raises(FileNotFoundError):
        tucrl.MDP(tmp_path / "nothing.json")


def test_the_command_reads_what_python_writes(tmp_path: Path) -> None:
    ways()["dense"].to_file(tmp_path / "m.json")
    result = tucrl.learn(tmp_path / "m.json", "oracle", 1000, 1)
    assert abs(result.table()["regret"][-1]) <= 2.0 + 1e-9, "at most the span of the bias"


REFUSED = {
    "probabilities that do not sum to one": (TRANSITIONS * 0.9, REWARDS, {}, "sum to 0.9"),
    "a probability of NaN": (TRANSITIONS * np.nan, REWARDS, {}, "NaN|nan"),
    "a negative probability": (TRANSITIONS - 0.5, REWARDS, {}, "not a number in \\[0, 1\\]"),
    "rewards below 0": (TRANSITIONS, REWARDS - 1, {}, "leaves \\[0, 1\\].*reward_range"),
    "rewards above r_max": (TRANSITIONS, REWARDS, {"r_max": 0.5}, "leaves \\[0, 0.5\\]"),
    "the wrong number of rewards": (TRANSITIONS, np.ones(3), {}, "shape \\(3,\\)"),
    "a flat table": (np.ones((2, 2)), REWARDS, {}, "states × actions × states"),
    "a skew table": (np.ones((2, 2, 3)), REWARDS, {}, "first and the last number differ"),
    "a lone sparse matrix": (scipy.sparse.eye_array(2), REWARDS, {}, "a list of them"),
    "a start outside": (TRANSITIONS, REWARDS, {"start": 7}, "start state 7 does not exist"),
    "a negative start": (TRANSITIONS, REWARDS, {"start": -1}, "numbered from 0"),
    "half a start": (TRANSITIONS, REWARDS, {"start": [0.5, 0.0]}, "start probabilities sum"),
    "an unknown law": (TRANSITIONS, REWARDS, {"law": "normal"}, "constant.*bernoulli"),
    "a gap in the actions": (
        np.array([[[0.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 0.0]]]),
        REWARDS,
        {},
        "state 0 has action 1 but not action 0",
    ),
    "a state without actions": (
        np.array([[[0.0, 0.0]], [[0.0, 1.0]]]),
        np.zeros(2),
        {},
        "state 0 has no actions",
    ),
}


@pytest.mark.parametrize(("table", "rewards", "options", "fix"), REFUSED.values(), ids=REFUSED)
def test_a_table_that_is_no_model_is_refused_with_its_place(table, rewards, options, fix) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=f"(?s){fix}"):
        tucrl.MDP.from_arrays(table, rewards, **options)
