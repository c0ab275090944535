"""A model from anywhere has the exact answers of the library."""

import copy
import pickle
import random
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

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
        "dense": tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, axes="sas"),
        "nested lists": tucrl.MDP.from_arrays(TRANSITIONS.tolist(), REWARDS.tolist(), axes="sas"),
        "by action": tucrl.MDP.from_arrays(per_action, REWARDS, axes="ass"),
        "an array by action": tucrl.MDP.from_arrays(np.array(per_action), REWARDS, axes="ass"),
        "an array of arrays": tucrl.MDP.from_arrays(objects(per_action), REWARDS, axes="ass"),
        "an array of sparse matrices": tucrl.MDP.from_arrays(objects(sparse), REWARDS),
        "sparse": tucrl.MDP.from_arrays(sparse, REWARDS),
        "old sparse": tucrl.MDP.from_arrays([scipy.sparse.coo_matrix(m) for m in sparse], REWARDS),
        "sparse rewards": tucrl.MDP.from_arrays(
            sparse, [scipy.sparse.csr_array(by_transition[:, a, :]) for a in (0, 1)]
        ),
        "sparse rewards in an array": tucrl.MDP.from_arrays(
            objects(sparse), objects([scipy.sparse.csr_array(by_transition[:, a, :]) for a in (0, 1)])
        ),
        "by transition": tucrl.MDP.from_arrays(TRANSITIONS, by_transition, axes="sas"),
        "by action and transition": tucrl.MDP.from_arrays(
            per_action, by_transition.transpose(1, 0, 2), axes="ass"
        ),
        "sparse, with dense rewards": tucrl.MDP.from_arrays(
            sparse, by_transition.transpose(1, 0, 2), axes="ass"
        ),
        "start law": tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, axes="sas", start=[1.0, 0.0]),
    }


def objects(parts: list[Any]) -> Any:
    """Return an array of objects, as the toolboxes of MATLAB's descendants hold their matrices."""
    array = np.empty(len(parts), dtype=object)
    array[:] = parts
    return array


def random_model(states: int, actions: int) -> tuple[Any, Any]:
    """Return transitions [s, a, s'] and rewards [s, a, s'] in which no two axes are alike."""
    draw = np.random.default_rng(states)
    transitions = draw.dirichlet(np.ones(states), size=(states, actions))
    return transitions, draw.random((states, actions, states))


@pytest.mark.parametrize("actions", [2, 3])
def test_an_array_and_its_lists_mean_the_same(actions: int) -> None:
    transitions, rewards = random_model(3, actions)
    by_action, rewards_by_action = transitions.transpose(1, 0, 2), rewards.transpose(1, 0, 2)
    expected = tucrl.MDP.from_arrays(transitions, rewards, axes="sas")
    paid = (transitions * rewards).sum(axis=2)
    assert np.allclose(expected.mean_rewards, paid, atol=1e-15)
    same = [
        tucrl.MDP.from_arrays(transitions.tolist(), rewards.tolist(), axes="sas"),
        tucrl.MDP.from_arrays(by_action, rewards_by_action, axes="ass"),
        tucrl.MDP.from_arrays(by_action.tolist(), rewards_by_action.tolist(), axes="ass"),
        tucrl.MDP.from_arrays(list(by_action), rewards_by_action, axes="ass"),
    ]
    if actions == 3:
        for given in (transitions, transitions.tolist(), list(transitions), by_action):
            with pytest.raises(ValueError, match="axes='sas' or axes='ass'"):
                tucrl.MDP.from_arrays(given, rewards)
        sparse = [scipy.sparse.csr_array(matrix) for matrix in by_action]
        with pytest.raises(ValueError, match="rewards have the shape .* axes='sas' or axes='ass'"):
            tucrl.MDP.from_arrays(sparse, rewards)
        # The issue: read the other way round the same numbers are another model.
        assert abs(tucrl.MDP.from_arrays(transitions, rewards, axes="ass").gain - expected.gain) > 1e-3
    else:
        # The shapes leave no choice, and transitions and rewards may differ.
        same += [
            tucrl.MDP.from_arrays(table, paid_by)
            for table in (transitions, by_action, transitions.tolist(), by_action.tolist())
            for paid_by in (rewards, rewards_by_action)
        ]
        for axes, table in (("ass", transitions), ("sas", by_action)):
            with pytest.raises(ValueError, match="which is not"):
                tucrl.MDP.from_arrays(table, rewards, axes=axes)  # type: ignore[arg-type]
    assert all(mdp == expected for mdp in same)


def test_one_state_and_one_action_are_not_ambiguous() -> None:
    assert tucrl.MDP.from_arrays([[[1.0]]], [[[0.5]]]).gain == pytest.approx(0.5)


def test_rounded_rows_are_normalized_when_asked() -> None:
    transitions, rewards = random_model(40, 3)
    rounded = transitions.astype(np.float32)
    with pytest.raises(ValueError, match="sum to .* pass normalize=True"):
        tucrl.MDP.from_arrays(rounded, rewards)
    mdp = tucrl.MDP.from_arrays(rounded, rewards, normalize=True)
    exact = tucrl.MDP.from_arrays(transitions, rewards)
    assert mdp.gain == pytest.approx(exact.gain, abs=1e-6)
    state, action, _, probability = mdp.transitions
    sums = np.bincount(state * 3 + action, weights=probability)
    assert np.abs(sums - 1).max() < 1e-12
    with pytest.raises(ValueError, match="sum to 0.9.*corrects rounding"):
        tucrl.MDP.from_arrays(0.9 * transitions, rewards, normalize=True)


def test_states_and_actions_have_the_names_given(tmp_path: Path) -> None:
    states, actions = ["low", "high"], ["stay", "go"]
    mdp = tucrl.MDP.from_arrays(
        TRANSITIONS, REWARDS, axes="sas", state_names=states, action_names=tuple(actions)
    )
    assert (mdp.state_names, mdp.action_names) == (states, actions)
    mdp.to_file(tmp_path / "named.json")
    assert tucrl.MDP(tmp_path / "named.json").state_names == states
    with pytest.raises(ValueError, match="1 state names for 2 states"):
        tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, axes="sas", state_names=["low"])
    with pytest.raises(ValueError, match="a list of names"):
        tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, axes="sas", state_names="ab")


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


def test_the_hardness_of_a_bandit_is_that_of_lai_and_robbins() -> None:
    means = np.array([[0.9, 0.5, 0.2]])
    bandit = tucrl.MDP.from_arrays(np.ones((1, 3, 1)), means, axes="sas", law="bernoulli")
    hardness = bandit.hardness()
    worse = means[0, 1:]
    divergence = worse * np.log(worse / 0.9) + (1 - worse) * np.log((1 - worse) / 0.1)
    assert hardness.lower_bound.certainty == "theorem"
    assert hardness.lower_bound.constant == pytest.approx(float(np.sum((0.9 - worse) / divergence)))
    assert hardness.lower_bound_known_rewards.constant == 0
    assert hardness.smallest_gap == pytest.approx(0.4)
    assert hardness.zero_gaps == 1
    assert hardness.regret_variance == pytest.approx(0.09)
    assert hardness.is_unique and hardness.is_unichain and hardness.left_out == {}
    assert pickle.loads(pickle.dumps(hardness)) == hardness


def test_what_is_infinite_or_left_out_is_told_apart() -> None:
    lost = tucrl.MDP("three-state:delta=0").hardness()
    assert (lost.lower_bound.certainty, lost.lower_bound.constant) == ("infinite", float("inf"))
    assert lost.burn_in is not None and lost.burn_in.ucrl_linear_regime == float("inf")
    assert lost.burn_in.diameter == 4
    cycle = tucrl.MDP.from_arrays([[[0.0, 1.0]], [[1.0, 0.0]]], [0.0, 1.0], axes="sas").hardness()
    assert cycle.mixing_time is None and "periodic" in cycle.left_out["mixing_time"]
    quick = tucrl.MDP("river-swim").hardness(diameters=False)
    assert quick.burn_in is None and "diameters" in quick.left_out["burn_in"]


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


def test_without_a_seed_every_sample_is_new_and_generators_are_seeds() -> None:
    mdp = tucrl.MDP("garnet:seed=1")

    def drawn(seed: Any = None) -> list[int]:
        states: list[int] = mdp.sample(0, 0, 200, seed=seed)[0].tolist()
        return states

    assert drawn() != drawn() and drawn(None) != drawn(None)
    for make in (np.random.default_rng, random.Random):
        one, two = make(7), make(7)
        first, second = drawn(one), drawn(one)
        assert first != second and [first, second] == [drawn(two), drawn(two)]
    for bad in (-1, 2**64, 0.5, "x", [1]):
        with pytest.raises(ValueError, match="is no seed.*default_rng.*fresh entropy"):
            drawn(bad)


def test_walks_agents_and_runs_take_such_seeds_too() -> None:
    mdp = tucrl.MDP("garnet:seed=1")

    def walked(seed: Any) -> list[int]:
        walk = mdp.walk(seed=seed)
        return [walk.step(0)[0] for _ in range(50)]

    def played(seed: Any) -> list[int]:
        agent = tucrl.Agent("random", 100, 4, seed=seed)
        actions = []
        for _ in range(50):
            actions.append(agent.act(0))
            agent.observe(0.0, 0)
        return actions

    def learned(seed: Any) -> list[float]:
        regret: list[float] = tucrl.learn(mdp, "random", 1000, 1, seed=seed).table()["regret"].tolist()
        return regret

    for draw in (walked, played, learned):
        assert draw(3) == draw(3) != draw(4)
        assert draw(None) != draw(None)
        assert draw(np.random.default_rng(1)) == draw(np.random.default_rng(1))
        generator = np.random.default_rng(1)
        assert draw(generator) != draw(generator), "a generator advances"


def test_walks_are_compared_and_pickled() -> None:
    for world in (tucrl.MDP("garnet:seed=1"), tucrl.World("breakout-game"), tucrl.World("taxi")):
        walk, twin = world.walk(seed=1), world.walk(seed=1)
        assert walk == twin and walk != world.walk(seed=2)
        for _ in range(30):
            walk.step(0)
        assert walk != twin
        other = pickle.loads(pickle.dumps(walk))
        assert other == walk == copy.copy(walk) and other.state == walk.state
        assert [other.step(0) for _ in range(30)] == [walk.step(0) for _ in range(30)]
        assert other == walk
    assert tucrl.MDP("taxi").walk() != tucrl.MDP("taxi:map=v3").walk()


def test_bernoulli_rewards_keep_their_means() -> None:
    mdp = tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, axes="sas", law="bernoulli")
    assert mdp.gain == pytest.approx(1.0, abs=1e-12)
    _, rewards = mdp.sample(0, 0, 1000)
    assert set(rewards.tolist()) == {0.0, 1.0}


@pytest.mark.parametrize("ending", ["json", "drn", "umb", "json.gz", "drn.gz"])
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


def test_a_reachable_part_says_so(tmp_path: Path) -> None:
    spec = "breakout-game:rows=2,columns=3"
    mdp, world = tucrl.MDP(spec), tucrl.World(spec)
    assert mdp.part_of == world.states > mdp.states == int(mdp.reachable.sum())
    part = f"the {mdp.states} reachable of {world.states} states"
    assert repr(mdp).startswith(f'tucrl.MDP("{spec}"): {part}, 3 actions, '), repr(mdp)
    twin = pickle.loads(pickle.dumps(mdp))
    assert twin == mdp and twin.part_of == world.states and repr(twin) == repr(mdp)
    mdp.to_file(tmp_path / "part.drn")
    remark = f"only the {mdp.states} reachable of the {world.states} states of {spec}, numbered anew"
    assert remark in (tmp_path / "part.drn").read_text()
    # A table with unreachable states is whole, and so is what was read from a file.
    for whole in (tucrl.MDP("taxi"), tucrl.MDP(tmp_path / "part.drn"), ways()["dense"]):
        assert whole.part_of is None and " reachable of " not in repr(whole)
    mdp.to_file(tmp_path / "part.json")
    assert tucrl.MDP(tmp_path / "part.json") == mdp


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
    "a skew table": (np.ones((2, 2, 3)), REWARDS, {}, "which is not states × actions × states"),
    "a lone sparse matrix": (scipy.sparse.eye_array(2), REWARDS, {}, "a list of them"),
    "a start outside": (TRANSITIONS, REWARDS, {"start": 7}, "start state 7 does not exist"),
    "a negative start": (TRANSITIONS, REWARDS, {"start": -1}, "numbered from 0"),
    "half a start": (TRANSITIONS, REWARDS, {"start": [0.5, 0.0]}, "start probabilities sum"),
    "unknown axes": (TRANSITIONS, REWARDS, {"axes": "sa"}, "'sas' and 'ass'"),
    "sparse matrices by state": ([scipy.sparse.eye_array(2)], REWARDS, {}, "one per action"),
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
        tucrl.MDP.from_arrays(table, rewards, **{"axes": "sas", **options})


def test_a_notebook_shows_a_small_model_as_its_diagram() -> None:
    space = "{http://www.w3.org/2000/svg}"
    picture = tucrl.MDP("three-state:delta=0")._repr_svg_()
    assert picture is not None
    svg = ElementTree.fromstring(picture)
    # Of the three states s1 is out of reach, and of the four pairs three are those of the optimal policy.
    states = [circle.attrib["class"] for circle in svg.iter(f"{space}circle")]
    assert states == ["state", "state out", "state"]
    squares = [square.attrib.get("class", "") for square in svg.iter(f"{space}rect")]
    assert squares.count("action best") == 3 and squares.count("action") == 1
    # Names are text, whatever they are.
    named = tucrl.MDP.from_arrays(TRANSITIONS, REWARDS, axes="sas", state_names=["<b>", "&amp;"])
    picture = named._repr_svg_()
    assert picture is not None
    texts = [text.text for text in ElementTree.fromstring(picture).iter(f"{space}text")]
    assert {"<b>", "&amp;"} <= set(texts)


def test_a_notebook_shows_a_large_model_as_text() -> None:
    # 16 states and 64 pairs, 500 states, and more states than can be solved at once in a notebook.
    for world in ("frozen-lake", "taxi", "breakout-game"):
        assert tucrl.MDP(world)._repr_svg_() is None
