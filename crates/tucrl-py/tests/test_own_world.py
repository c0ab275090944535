"""Worlds written in Python: functions, environments of Gymnasium, and models in memory."""

import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import bad_agents
import gymnasium
import numpy as np
import pytest
import tucrl
import tucrl.gym

HERE = Path(__file__).parent


def table() -> tucrl.MDP:
    """``bad_agents.successors`` as a table."""
    transitions, rewards = np.zeros((3, 2, 3)), np.zeros((3, 2, 3))
    for state in range(3):
        for action in range(2):
            for following, probability, reward in bad_agents.successors(state, action):
                transitions[state, action, following] += probability
                rewards[state, action, following] = reward
    return tucrl.MDP.from_arrays(transitions, rewards, axes="sas", r_max=1)


def walk() -> tucrl.World:
    return tucrl.World.from_successors(bad_agents.successors, states=3, actions=2)


def test_a_function_is_walked_and_learned_like_its_table() -> None:
    world = walk()
    assert (world.name, world.states, world.actions) == ("successors", 3, 2)
    first, second = world.walk(seed=3), table().walk(seed=3)
    for step in range(300):
        assert first.step(step % 2) == second.step(step % 2)
    agents = ["tucrl:alpha=0.05", "psrl"]
    ours, theirs = (tucrl.learn(w, agents, 3000, seeds=2).table() for w in (world, table()))
    for name in ("regret", "gap_regret", "pseudo_regret"):
        np.testing.assert_allclose(ours[name], theirs[name], atol=1e-8, err_msg=name)
    again = pickle.loads(pickle.dumps(world)).walk(seed=3)
    assert [again.step(1) for _ in range(20)] == [w.step(1) for w in [world.walk(seed=3)] for _ in range(20)]


def test_a_vast_function_is_learned_without_a_table() -> None:
    far = 2**39

    def around(state: int, action: int) -> list[tuple[int, float, float]]:
        return [(far + (state - far + action + 1) % 50, 1.0, float(action))]

    world = tucrl.World.from_successors(around, states=2**40, actions=2, start=far)
    result = tucrl.learn(world, "random", 1000, seeds=1)
    assert result.failed == []
    # The gain is 1, and a random action earns half of it.
    assert result.table()["pseudo_regret"][-1] == pytest.approx(500, abs=80)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (bad_agents.failing, "ZeroDivisionError: of no use"),
        (lambda s, a: [(0, 0.5, 0.0)], "sum to 0.5, which is not 1"),
        (lambda s, a: [(7, 1.0, 0.0)], "leads to state 7, but states are numbered 0 to 2"),
        (lambda s, a: [(0, 1.0, 2.0)], "has reward 2 outside"),
        (lambda s, a: [], "lists nothing"),
        (lambda s, a: ["here"], "list \\(next state, probability, reward\\)"),
    ],
)
def test_a_wrong_function_is_named_with_state_and_action(function: Any, sentence: str) -> None:
    world = tucrl.World.from_successors(function, states=3, actions=2)
    with pytest.raises((ValueError, RuntimeError), match=sentence):
        tucrl.learn(world, "random", 10)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (dict(states=0, actions=2), "states = 0"),
        (dict(states=3, actions=0), "a state has no actions"),
        (dict(states=3, actions=[1, 2]), "actions has 2 entries for 3 states"),
        (dict(states=3, actions=2, start=3), "start state 3 does not exist"),
        (dict(states=3, actions=2, reward_range=(1.0, 0.0)), "reward"),
    ],
)
def test_a_wrong_size_is_refused(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tucrl.World.from_successors(bad_agents.successors, **options)


def test_an_environment_with_a_table_is_solved_exactly(tmp_path: Path) -> None:
    env = gymnasium.make("FrozenLake-v1", is_slippery=True)
    exact = tucrl.MDP.from_gymnasium(env)
    for world in ("gym:FrozenLake-v1", env, "gym:FrozenLake-v1,is_slippery=true"):
        result = tucrl.learn(world, "psrl", 2000, seeds=1)
        same = tucrl.learn(exact, "psrl", 2000, seeds=1)
        np.testing.assert_array_equal(result.table()["gap_regret"], same.table()["gap_regret"])
    easy = tucrl.World("gym:FrozenLake-v1,is_slippery=false")
    assert easy.name == "gym:FrozenLake-v1,is_slippery=false"
    # Six steps to the goal, and the reset is part of the sixth.
    assert tucrl.MDP("gym:FrozenLake-v1,is_slippery=false").gain == pytest.approx(1 / 6)


def test_an_environment_without_a_table_is_simulated_by_every_run() -> None:
    spec = "gym:FrozenLake-v1,simulate=true,reward_low=0,reward_high=1,is_slippery=false"
    agents = {"random": "random", "psrl": "psrl", "mine": bad_agents.InTurn}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = [
            tucrl.learn(spec, agents, 600, seeds=2, jobs=jobs, in_process=in_process)
            for jobs, in_process in ((1, True), (2, True), (2, False))
        ]
    for result in results:
        assert result.failed == []
        for name, column in result.table().items():
            np.testing.assert_array_equal(column, results[0].table()[name], name)
    summary = results[0].to_pandas("summary")
    assert summary["gap_regret"].isna().all() if "gap_regret" in summary else True
    # Regret against nothing is minus the rewards: no more than one in six steps.
    curves = results[0].to_pandas().query("t == 600")
    assert (curves["regret"] <= 0).all() and (curves["regret"] >= -100).all()
    assert curves["regret"].min() < 0, "an agent found the goal"


def test_observations_of_several_parts_are_numbered() -> None:
    with pytest.raises(ValueError, match="reward_low"):
        tucrl.World("gym:Blackjack-v1")
    world = tucrl.World("gym:Blackjack-v1,reward_low=-1,reward_high=1")
    assert (world.states, world.actions) == (32 * 11 * 2, 2)
    walk = world.walk(seed=1)
    states = {walk.step(step % 2)[0] for step in range(500)}
    assert len(states) > 50 and max(states) < world.states
    again = pickle.loads(pickle.dumps(walk))
    assert [walk.step(0) for _ in range(50)] == [again.step(0) for _ in range(50)]
    with pytest.raises(ValueError, match="Discretize"):
        tucrl.World("gym:CartPole-v1,reward_low=0,reward_high=1,terminal_reward=-1")
    cells = tucrl.gym.Discretize(gymnasium.make("MountainCar-v0"), bins=(10, 10))
    env = tucrl.gym.Continuing(cells, reward_range=(-1, 0), terminal_reward=1)
    result = tucrl.learn(env, "random", 300, seeds=1)
    assert result.worlds == ["MountainCar-v0"] and result.failed == []


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ("gym:NoSuchWorld-v0", "NoSuchWorld"),
        ("gym", "say which environment"),
        ("gym:FrozenLake-v1,colour=red", "colour"),
        ("python:no_such_module.world", "no_such_module"),
        ("python:bad_agents.NoObserve", "is no world"),
    ],
)
def test_a_spec_that_names_no_world_says_why(spec: str, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        tucrl.World(spec)


def make_world(size: int = 3) -> tucrl.World:
    """Return a world, for specs."""
    return tucrl.World.from_successors(bad_agents.successors, states=size, actions=2, name="mine")


def test_an_experiment_has_worlds_of_every_kind(tmp_path: Path) -> None:
    experiment: dict[str, Any] = {
        "name": "worlds",
        "steps": 500,
        "seeds": 1,
        "agents": ["psrl", "random"],
        "worlds": {"table": table(), "function": walk(), "lake": gymnasium.make("FrozenLake-v1")},
    }
    result = tucrl.run(experiment, out=tmp_path / "out")
    assert result.worlds == ["python:table", "python:function", "python:lake"] and result.failed == []
    assert "3 worlds" in repr(result)
    with pytest.raises(ValueError, match="several worlds"):
        result.plot()
    # Again: nothing is left to do, and another content is another world.
    assert len(tucrl.run(experiment, out=tmp_path / "out")) == 6
    other = tucrl.MDP.from_arrays(np.ones((1, 2, 1)), np.array([[0.0, 1.0]]))
    with pytest.raises(ValueError, match="another experiment|worlds"):
        tucrl.run({**experiment, "worlds": {**experiment["worlds"], "table": other}}, out=tmp_path / "out")
    report = subprocess.run(
        [sys.executable, "-m", "tucrl", "status", str(tmp_path / "out")], capture_output=True, text=True
    )
    assert report.returncode == 0, report.stderr
    listed = tucrl.run(
        {**experiment, "name": "paths", "worlds": ["python:test_own_world.make_world,size=3", "river-swim"]},
        out=tmp_path / "paths",
    )
    assert listed.worlds == ["python:test_own_world.make_world,size=3", "river-swim"]


def test_a_killed_run_in_a_simulated_world_continues(tmp_path: Path) -> None:
    spec = "gym:FrozenLake-v1,simulate=true,reward_low=0,reward_high=1"
    experiment = {"name": "e", "steps": 60_000, "seeds": 1, "worlds": [spec], "agents": ["random"]}
    code = (
        "import sys, tucrl, warnings\nwarnings.simplefilter('ignore')\n"
        f"tucrl.run({experiment!r}, out=sys.argv[1], checkpoint_seconds=0.05)\n"
    )
    running = subprocess.Popen([sys.executable, "-c", code, str(tmp_path / "killed")])
    import time

    for _ in range(600):
        time.sleep(0.05)
        if list((tmp_path / "killed").glob("runs/*.state")):
            break
    running.kill()
    running.wait()
    assert list((tmp_path / "killed").glob("runs/*.state"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tables = [tucrl.run(experiment, out=tmp_path / name).table() for name in ("killed", "whole")]
    np.testing.assert_array_equal(tables[0]["regret"], tables[1]["regret"])


def test_rows_are_those_of_the_table() -> None:
    table = tucrl.MDP("river-swim")
    state, action, following, probability = table.transitions
    for world in (tucrl.World("river-swim"), tucrl.World(table)):
        assert world.start == {0: 1.0}
        actions, counts, rewards, listed, shares = world.rows(range(6))
        assert actions.tolist() == [2] * 6 and listed.tolist() == following.tolist()
        assert shares.tolist() == probability.tolist() and counts.sum() == len(state) == len(action)
        assert rewards.tolist() == pytest.approx(table.mean_rewards.ravel().tolist(), abs=0)
    with pytest.raises(ValueError, match="state 6 does not exist: states are numbered 0 to 5"):
        tucrl.World("river-swim").rows([6])


def test_rows_of_a_generator_are_listed_without_repetitions() -> None:
    world = tucrl.World.from_successors(lambda s, a: [(s, 0.25, 0.0), (9 - s, 0.5, 1.0), (s, 0.25, 0.4)], 10, 1)
    actions, counts, rewards, listed, shares = world.rows([7, 2])
    assert actions.tolist() == [1, 1] and counts.tolist() == [2, 2]
    assert listed.tolist() == [2, 7, 2, 7] and shares.tolist() == [0.5, 0.5, 0.5, 0.5]
    assert rewards.tolist() == pytest.approx([0.6, 0.6], abs=1e-15)
    simulated = tucrl.World.from_gymnasium("FrozenLake-v1", simulate=True, reward_range=(0.0, 1.0))
    assert isinstance(simulated, tucrl.World)
    with pytest.raises(ValueError, match="does not list them"):
        simulated.rows([0])
