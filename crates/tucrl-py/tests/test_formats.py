"""Model files that other programs write and read: umbi (unified Markov binary) and stormpy."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import umbi.ats
import umbi.umb

import tucrl

try:
    import stormpy
except ModuleNotFoundError:
    stormpy = None

needs_storm = pytest.mark.skipif(
    stormpy is None, reason="NOT TESTED: files were not read with stormpy, which has no wheel for this platform"
)
WORLDS = ["river-swim", "taxi:map=v3", "three-state", "garnet:s=50,a=3,b=4,seed=2"]


def tolls() -> tucrl.MDP:
    """Rewards below zero, two initial states, and rows with several entries."""
    transitions = np.array(
        [[[0.25, 0.75, 0.0], [0.0, 0.0, 1.0]], [[0.5, 0.0, 0.5], [0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0], [0.0, 0.1, 0.9]]]
    )
    rewards = np.array([[-1.0, 0.5], [2.0, -3.5], [0.0, 1 / 3]])
    return tucrl.MDP.from_arrays(transitions, rewards, axes="sas", start=[0.5, 0.5, 0.0], reward_range=(-4, 3))


def models() -> list[tucrl.MDP]:
    return [*map(tucrl.MDP, WORLDS), tolls()]


def rows(mdp: tucrl.MDP) -> list[tuple[int, int, int, float]]:
    return list(zip(*(array.tolist() for array in mdp.transitions)))


@pytest.mark.parametrize("mdp", models(), ids=lambda mdp: mdp.name)
def test_umbi_reads_what_is_written(mdp: tucrl.MDP, tmp_path: Path) -> None:
    mdp.to_file(tmp_path / "m.umb")
    # Strict: nothing in the file is unknown to umbi.
    found = umbi.umb.read(tmp_path / "m.umb", strict=True)
    system = found.index.transition_system
    assert (system.num_states, system.num_choices, system.num_players) == (mdp.states, mdp.pairs, 1)
    assert found.state_is_initial[: mdp.states] == (mdp.start > 0).tolist()
    theirs, rewards = [], np.zeros_like(mdp.mean_rewards)
    for state in range(mdp.states):
        choices = range(*found.state_to_choices[state : state + 2])
        for action, choice in enumerate(choices):
            assert found.choice_to_choice_action[choice] == action
            rewards[state, action] = found.annotations["rewards"]["reward"]["choices"][choice]
            for branch in range(*found.choice_to_branches[choice : choice + 2]):
                theirs.append((state, action, found.branch_to_target[branch], found.branch_to_probability[branch]))
    assert theirs == rows(mdp)
    assert (rewards[mdp.action_mask] == mdp.mean_rewards[mdp.action_mask]).all()
    if mdp.action_names:
        assert found.choice_action_to_string == mdp.action_names
    # The other interface of umbi, which checks more.
    assert umbi.ats.read(tmp_path / "m.umb").num_states == mdp.states


@pytest.mark.parametrize("mdp", models(), ids=lambda mdp: mdp.name)
def test_what_umbi_writes_is_read(mdp: tucrl.MDP, tmp_path: Path) -> None:
    mdp.to_file(tmp_path / "ours.umb")
    assert tucrl.MDP(tmp_path / "ours.umb") == mdp
    umbi.umb.write(umbi.umb.read(tmp_path / "ours.umb"), tmp_path / "theirs.umb")
    assert b"tucrl" not in gzip.decompress((tmp_path / "theirs.umb").read_bytes()), "our parameters are gone"
    back = tucrl.MDP(tmp_path / "theirs.umb", reward_range=mdp.reward_range)
    assert rows(back) == rows(mdp) and (back.start == mdp.start).all()
    assert (back.mean_rewards[mdp.action_mask] == mdp.mean_rewards[mdp.action_mask]).all()
    assert back.gain == pytest.approx(mdp.gain, abs=1e-9)


def test_a_model_that_umbi_made_is_read(tmp_path: Path) -> None:
    """Fractions as probabilities, and rewards of branches."""
    from fractions import Fraction

    from umbi.binary import SizedType
    from umbi.datatypes import NumericPrimitiveType

    rational = SizedType.for_type(NumericPrimitiveType.RATIONAL)
    made = umbi.umb.ExplicitUmb()
    made.index = umbi.umb.index.UmbIndex(
        transition_system=umbi.umb.index.TransitionSystem(
            num_players=1,
            num_states=2,
            num_initial_states=1,
            num_choices=2,
            num_branches=3,
            branch_probability_type=rational,
        ),
        annotations={
            "rewards": {"toll": umbi.umb.index.AnnotationDescription(applies_to=["branches"], type=rational)}
        },
    )
    made.state_is_initial = [False, True]
    made.state_to_choices, made.choice_to_branches = [0, 1, 2], [0, 2, 3]
    made.branch_to_target = [0, 1, 0]
    made.branch_to_probability = [Fraction(1, 3), Fraction(2, 3), Fraction(1)]
    made.annotations = {"rewards": {"toll": {"branches": [Fraction(3), Fraction(0), Fraction(1, 2)]}}}
    umbi.umb.write(made, tmp_path / "m.umb")
    mdp = tucrl.MDP(tmp_path / "m.umb")
    assert rows(mdp) == [(0, 0, 0, 1 / 3), (0, 0, 1, 2 / 3), (1, 0, 0, 1.0)]
    # A visit of state 0 pays 1 in the mean and leads to state 1, which pays 1/2, in 2/3 of the cases.
    assert mdp.start.tolist() == [0, 1] and mdp.gain == pytest.approx((1 + 1 / 3) / (1 + 2 / 3), abs=1e-12)


def storm_model(path: Path) -> Any:
    # pytest makes errors of warnings of Python; those of Storm are text.
    if path.suffix == ".umb":
        return stormpy.build_model_from_umb(str(path))
    return stormpy.build_model_from_drn(str(path))


@needs_storm
@pytest.mark.parametrize("ending", ["umb", "drn"])
@pytest.mark.parametrize("mdp", models(), ids=lambda mdp: mdp.name)
def test_storm_reads_what_is_written(mdp: tucrl.MDP, ending: str, tmp_path: Path) -> None:
    mdp.to_file(tmp_path / f"m.{ending}")
    model = storm_model(tmp_path / f"m.{ending}")
    assert (model.nr_states, model.nr_choices) == (mdp.states, mdp.pairs)
    assert list(model.initial_states) == np.flatnonzero(mdp.start).tolist()
    theirs = [
        (state.id, number, transition.column, transition.value)
        for state in model.states
        for number, action in enumerate(state.actions)
        for transition in action.transitions
    ]
    assert theirs == rows(mdp)
    rewards = model.reward_models["reward"].state_action_rewards
    assert list(rewards) == mdp.mean_rewards[mdp.action_mask].tolist()


@needs_storm
@pytest.mark.parametrize("world", ["river-swim", "garnet:s=50,a=3,b=4,seed=2"])
def test_storm_finds_the_same_gain(world: str, tmp_path: Path) -> None:
    from stormpy import developer

    mdp = tucrl.MDP(world)
    mdp.to_file(tmp_path / "m.umb")
    model = storm_model(tmp_path / "m.umb")
    formula = stormpy.parse_properties('R{"reward"}max=? [LRA]')[0]
    result = stormpy.model_checking(model, formula, environment=developer.get_sound_environment())
    assert float(result.get_value(model.initial_states[0])) == pytest.approx(mdp.gain, rel=2e-6)


def test_a_file_unpacks_to_a_limit(tmp_path: Path) -> None:
    path = tmp_path / "m.json.gz"
    path.write_bytes(gzip.compress(b" " * 1_000_000 + b"{}"))
    with pytest.raises(ValueError, match="unpacks to more than 100.0 kB.*unpack_limit"):
        tucrl.MDP(path, unpack_limit=100_000)
    with pytest.raises(ValueError, match="the key"):
        tucrl.MDP(path)


def test_files_of_prism_are_read_together(tmp_path: Path) -> None:
    (tmp_path / "m.tra").write_text("2 3 4\n0 0 0 0.5 go\n0 0 1 0.5 go\n0 1 0 1 stay\n1 0 0 1 go\n")
    (tmp_path / "m.sta").write_text("(x)\n0:(0)\n1:(1)\n")
    (tmp_path / "m.lab").write_text('0="init" 1="deadlock"\n1: 0\n')
    (tmp_path / "m.trew").write_text("2 3 2\n0 0 1 2\n1 0 0 1\n")
    mdp = tucrl.MDP(tmp_path / "m.tra")
    assert (mdp.action_names, mdp.state_names, mdp.start.tolist()) == (["go", "stay"], ["x=0", "x=1"], [0, 1])
    # Half of 2 per visit of state 0 and 1 of state 1, which is visited half as often.
    assert mdp.gain == pytest.approx((1 + 0.5) / 1.5, abs=1e-12)
