"""An agent driven from Python is the agent of the library."""

import copy
import itertools
import json
import pickle
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
import tucrl
from helpers import LEARNERS, drawn, play

STEPS = 20_000


@pytest.mark.parametrize("spec", LEARNERS)
@pytest.mark.parametrize("world", ["three-state:delta=0", "river-swim"])
def test_regret_is_that_of_the_rust_loop_to_the_last_bit(spec: str, world: str) -> None:
    with warnings.catch_warnings():
        # So few steps are too few for some of them, which is said and does not matter here.
        warnings.simplefilter("ignore")
        result = tucrl.learn(world, spec, STEPS, seeds=2, seed=7)
    curves = result.table()
    gain = tucrl.MDP(world).gain
    for run in (0, 1):
        agent, walk = drawn(spec, world, seed=7, run=run)
        rewards = [reward for _, reward, _ in play(agent, walk, STEPS)]
        earned = list(itertools.accumulate(rewards))
        own = curves["run"] == run
        for t, regret in zip(curves["t"][own], curves["regret"][own], strict=True):
            assert regret == t * gain - earned[t - 1], f"{spec} in {world}, run {run}, step {t}"
        visits = [(s, a, n) for s, a, n in result.visits(result.table()["agent"][0], run)]
        if visits:
            rows = {state: row for row, state in enumerate(agent.seen_states)}
            assert all(agent.visits[rows[s], a] == n for s, a, n in visits)


NAMES = {
    "tuples": lambda s: (s // 2, ("x", s % 2)),
    "bytes": lambda s: bytes([s]),
    "texts": lambda s: f"state {s}",
    "numpy numbers": np.int64,
    "other numbers": lambda s: 10**12 + 7 * s,
    "frozen sets": lambda s: frozenset([s, -1]),
}


# In so vast a space these widths exclude nothing, which is said and does not matter here.
@pytest.mark.filterwarnings("ignore:.*confidence widths")
@pytest.mark.parametrize("spec", LEARNERS)
@pytest.mark.parametrize("name", NAMES.values(), ids=NAMES.keys())
def test_hashable_states_give_the_run_of_integers(spec: str, name) -> None:  # type: ignore[no-untyped-def]
    mdp = tucrl.MDP("river-swim")
    # States that are never visited may have any name and any number: only the sizes matter.
    states = 10**13
    plain = tucrl.Agent(spec, states, 2, seed=3)
    other = tucrl.Agent(spec, states, 2, seed=3)
    runs = [play(plain, mdp.walk(seed=3), 5000), play(other, mdp.walk(seed=3), 5000, name)]
    assert runs[0] == runs[1]
    assert other.seen_states == [name(state) for state in plain.seen_states]
    assert np.array_equal(plain.visits, other.visits)


@pytest.mark.parametrize("spec", LEARNERS)
@pytest.mark.parametrize("taken", [0, 1, 777])
@pytest.mark.parametrize("way", ["pickle", "file", "copy"])
@pytest.mark.parametrize("has_acted", [False, True])
def test_a_stored_agent_goes_on_bit_identically(
    spec: str, taken: int, way: str, has_acted: bool, tmp_path: Path
) -> None:
    def name(state: int) -> tuple[str, int]:
        return ("s", state)

    agent, walk = tucrl.Agent(spec, 6, 2, seed=1), tucrl.MDP("river-swim").walk(seed=1)
    play(agent, walk, taken, name)
    if has_acted:
        agent.act(name(walk.state))
    if way == "pickle":
        twin = pickle.loads(pickle.dumps(agent))
    elif way == "file":
        agent.save(tmp_path / "agent.state")
        twin = tucrl.Agent.load(tmp_path / "agent.state")
    else:
        twin = copy.deepcopy(agent)
    first: list[tuple[int, int, float]] = []
    second: list[tuple[int, int, float]] = []
    for learner, history in ((agent, first), (twin, second)):
        path = tucrl.MDP("river-swim").walk(seed=5)
        for _ in range(3000):
            # The same answers of the world, whatever was done before.
            action = learner.act() if learner.steps else learner.act(name(0))
            state, reward = path.step(action)
            learner.observe(reward, name(state))
            history.append((action, state, reward))
    assert first == second
    assert repr(agent.plan) == repr(twin.plan)
    assert agent.steps == twin.steps == taken + 3000


def test_copies_are_independent() -> None:
    agent, walk = tucrl.Agent("tucrl:alpha=0.05", 7, 2), tucrl.MDP("river-swim").walk()
    play(agent, walk, 100, str)
    for twin in (copy.copy(agent), copy.deepcopy(agent), pickle.loads(pickle.dumps(agent))):
        before = agent.visits.copy()
        twin.act()
        twin.observe(0.0, "a state of its own")
        assert np.array_equal(agent.visits, before) and agent.steps == 100
        assert "a state of its own" in twin.seen_states
        assert "a state of its own" not in agent.seen_states


def test_a_pickle_of_an_earlier_version_is_refused_with_what_to_do() -> None:
    agent = tucrl.Agent("tucrl", 3, 2)
    restore, (document, *rest) = agent.__reduce__()
    # The first version had no number, and the algorithm as a nested enum.
    old = json.loads(document)
    del old["version"]
    with pytest.raises(ValueError, match="pickled in version 1.*make the agent anew"):
        restore(json.dumps(old).encode(), *rest)
    # The second had other bits of logarithms, the third other defaults: continued now, the agent would have the bits of neither.
    for version in (2, 3):
        old["version"] = version
        refused = f"pickled in version {version}.*reads version 4.*make the agent anew"
        with pytest.raises(ValueError, match=refused):
            restore(json.dumps(old).encode(), *rest)
    assert restore(document, *rest).spec == agent.spec


def test_a_checkpoint_of_the_first_version_is_refused_with_what_to_do() -> None:
    # Written by the program before agents were open to everyone.
    fixtures = Path(__file__).parents[2] / "tucrl-lab/tests/data/version-1-stopped/runs"
    (path,) = fixtures.glob("*.state")
    with pytest.raises(ValueError, match="version 1 .*start the agent anew"):
        tucrl.Agent.load(path, world=tucrl.MDP("three-state:delta=0"))


def test_a_checkpoint_of_the_command_is_an_agent(tmp_path: Path) -> None:
    world, spec, steps = "three-state:delta=0", "tucrl:alpha=0.05", 10**9
    (tmp_path / "e.toml").write_text(
        f'name = "e"\nsteps = {steps}\nseeds = 1\nworlds = ["{world}"]\nagents = ["{spec}"]\n'
    )
    command = [sys.executable, "-m", "tucrl", "run", "e.toml", "--checkpoint-seconds", "0.2"]
    running = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE)
    try:
        for _ in range(600):
            found = list(tmp_path.glob("out/e/runs/*.state"))
            if found or running.poll() is not None:
                break
            time.sleep(0.1)
    finally:
        running.kill()
        _, told = running.communicate()
    assert found, told
    with pytest.raises(ValueError, match="pass world="):
        tucrl.Agent.load(found[0])
    agent = tucrl.Agent.load(found[0], world=tucrl.MDP(world))
    assert agent.spec == spec and agent.seen == 2
    assert agent.visits.sum() == agent.steps > 0
    before = agent.steps
    agent.act()
    agent.observe(0.5, 2)
    assert agent.steps == before + 1


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    agent, walk = tucrl.Agent("tucrl", 6, 2), tucrl.MDP("river-swim").walk()
    play(agent, walk, 10)
    path = tmp_path / "agent.state"
    agent.save(path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match="damaged"):
        tucrl.Agent.load(path)
    with pytest.raises(FileNotFoundError):
        tucrl.Agent.load(tmp_path / "nothing.state")


def test_a_state_that_no_file_can_hold_is_refused_and_named(tmp_path: Path) -> None:
    agent = tucrl.Agent("tucrl", 10, 2)
    agent.act(frozenset([1]))
    with pytest.raises(ValueError, match="use pickle"):
        agent.save(tmp_path / "agent.state")
    assert pickle.loads(pickle.dumps(agent)).seen_states == [frozenset([1])]


MASKS = np.array([[1, 1, 1, 0], [0, 0, 1, 0], [0, 1, 0, 1]], dtype=np.int8)


def masked_step(state: int, action: int, t: int) -> tuple[float, int]:
    assert MASKS[state, action], "an action that the state does not have"
    return (0.25 * action, (state + action + t % 2) % 3)


@pytest.mark.parametrize("spec", LEARNERS)
def test_masks_by_table_and_by_function_are_the_same_and_are_kept(spec: str) -> None:
    asked = []

    def function(state: int) -> list[bool]:
        asked.append(state)
        return [bool(flag) for flag in MASKS[state]]

    histories = []
    for mask in (MASKS, MASKS.astype(bool).tolist(), function):
        agent = tucrl.Agent(spec, 3, 4, mask=mask, seed=2)
        state, history = 0, []
        for t in range(4000):
            if t == 2000 and mask is not function:
                agent = pickle.loads(pickle.dumps(agent))
            action = agent.act(state)
            reward, state = masked_step(state, action, t)
            agent.observe(reward, state, action)
            history.append((action, state))
        histories.append(history)
        played = {(s, a) for (_, s), (a, _) in itertools.pairwise(history)}
        assert played <= {(s, a) for s, a in zip(*np.nonzero(MASKS), strict=True)}
    assert histories[0] == histories[1] == histories[2]
    assert sorted(asked) == [0, 1, 2], "a function is asked once per state"


def test_a_masked_run_equals_that_of_a_model_with_fewer_actions() -> None:
    mdp = tucrl.MDP.from_arrays(
        np.array([[[0.5, 0.5], [1.0, 0.0]], [[0.9, 0.1], [0.0, 0.0]]]),
        np.array([[0.1, 0.5], [1.0, 0.0]]),
        axes="sas",
    )
    assert mdp.action_mask.tolist() == [[True, True], [True, False]]
    told = tucrl.Agent("tucrl:alpha=0.05", 2, 2, mask=mdp.action_mask, seed=1)
    listed = tucrl.Agent("tucrl:alpha=0.05", world=mdp, seed=1)
    assert play(told, mdp.walk(seed=1), 5000) == play(listed, mdp.walk(seed=1), 5000)


def test_what_can_be_read_off_agrees_with_what_happened() -> None:
    agent, walk = drawn("tucrl:alpha=0.05", "river-swim")
    assert agent.plan is None and agent.policy is None and agent.episode is None
    assert agent.state is None and agent.visits.shape == (0, 2)
    start = walk.state
    history = play(agent, walk, 3000)
    assert agent.steps == 3000 and agent.state == walk.state == history[-1][2]
    states = [start] + [state for _, _, state in history]
    assert agent.seen == len(set(states)) == len(agent.seen_states)
    visits = np.zeros((6, 2), dtype=int)
    moves = np.zeros((6, 2, 6), dtype=int)
    for (action, _, after), before in zip(history, states, strict=False):
        visits[before, action] += 1
        moves[before, action, after] += 1
    rows = agent.seen_states
    assert np.array_equal(agent.visits, visits[rows])
    for row, action, after, count in zip(*agent.transitions, strict=True):
        assert moves[rows[row], action, rows[after]] == count
    assert agent.transitions[3].sum() == 3000
    # Means are those of the steps before the episode.
    assert agent.episode is not None
    paid: dict[tuple[int, int], list[float]] = {}
    for t, ((action, reward, _), before) in enumerate(zip(history, states, strict=False), start=1):
        if t < agent.episode.start:
            paid.setdefault((before, action), []).append(reward)
    for row, state in enumerate(rows):
        for action in (0, 1):
            mean = agent.mean_rewards[row, action]
            if (state, action) in paid:
                assert mean == pytest.approx(np.mean(paid[state, action]), abs=1e-12)
            else:
                assert np.isnan(mean)
    assert agent.policy is not None and np.allclose(agent.policy.sum(axis=1), 1.0)
    assert agent.plan is not None and agent.episode is not None
    low, high = agent.plan.gain_bounds
    assert low <= agent.plan.gain == agent.episode.gain <= high
    assert agent.plan.bias.min() == 0.0 and agent.plan.span_seen == np.ptp(agent.plan.bias)
    lengths = [episode.length for episode in agent.episodes]
    assert sum(lengths) == 3000
    starts = [episode.start for episode in agent.episodes]
    assert starts == [1, *np.cumsum(lengths)[:-1] + 1]
    assert agent.episodes[-1].stop == "horizon" and agent.episodes[0].stop != "horizon"
    z, y = agent.poor_steps
    assert 0 < z <= 3000 and 0 < y <= 3000


def test_every_agent_of_the_catalogue_can_be_driven() -> None:
    mdp = tucrl.MDP("three-state")
    for name, entry in tucrl.agents().items():
        # Only some worlds come with a person's rule of thumb.
        world = tucrl.World("breakout-game") if name == "heuristic" else mdp
        agent = tucrl.Agent(entry["example"], world=world, seed=1)
        assert agent.spec.split(":")[0] == name
        play(agent, world.walk(seed=1), 200)
        assert agent.steps == 200


def test_the_oracle_plays_the_optimal_policy() -> None:
    mdp = tucrl.MDP("river-swim")
    oracle = tucrl.Agent("oracle", world=mdp)
    assert {a for a, _, _ in play(oracle, mdp.walk(), 500)} == set(mdp.policy.tolist())
    assert pickle.loads(pickle.dumps(oracle)).act() == oracle.act()


def test_known_rewards_survive_a_file(tmp_path: Path) -> None:
    mdp = tucrl.MDP("river-swim")
    agent = tucrl.Agent("tucrl:known_rewards=true,alpha=0.05", world=mdp)
    play(agent, mdp.walk(), 50)
    agent.save(tmp_path / "a.state")
    with pytest.raises(ValueError, match="pass world="):
        tucrl.Agent.load(tmp_path / "a.state")
    twins = [tucrl.Agent.load(tmp_path / "a.state", world=mdp), pickle.loads(pickle.dumps(agent))]
    walks = [mdp.walk(seed=4) for _ in range(3)]
    for t in range(2000):
        actions = {a.act() for a in (agent, *twins)}
        assert len(actions) == 1, t
        action = actions.pop()
        for learner, walk in zip((agent, *twins), walks, strict=True):
            state, reward = walk.step(action)
            learner.observe(reward, state)


def test_options_may_be_keywords() -> None:
    by_text = tucrl.Agent("scal:c=5,alpha=0.25,augment=false", 3, 2)
    by_words = tucrl.Agent("scal", 3, 2, c=5, alpha=0.25, augment=False)
    # Keywords may be mixed with a spec.
    both = tucrl.Agent("scal:c=5", 3, 2, alpha=0.25, augment=False)
    assert by_text.spec == by_words.spec == both.spec == "scal:c=5,augment=false,alpha=0.25"


# In so vast a space these widths exclude nothing, which is said and does not matter here.
@pytest.mark.filterwarnings("ignore:.*confidence widths")
def test_a_world_without_a_table_can_be_walked_and_learned() -> None:
    world = pickle.loads(pickle.dumps(tucrl.World("breakout-game")))
    assert world.states > 10**10 and world.states == np.prod([size for _, size in world.factors])
    agent, walk = tucrl.Agent("tucrl:alpha=0.01", world=world, seed=2), world.walk(seed=2)
    history = play(agent, walk, 3000)
    state = history[-1][2]
    assert world.encode(world.decode(state)) == state and world.offered(state) == 3
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        curves = tucrl.learn(world, "tucrl:alpha=0.01", 3000, 1, seed=2).table()
    gain = curves["regret"][-1] + sum(reward for _, reward, _ in history)
    assert gain == pytest.approx(3000 * tucrl.MDP("breakout-game").gain, rel=1e-9)
    with pytest.raises(ValueError, match="does not exist"):
        world.decode(2**64 - 1)
    with pytest.raises(ValueError, match="does not exist"):
        world.offered(world.states)
    with pytest.raises(ValueError, match="no action 3"):
        walk.step(3)


# In so vast a space these widths exclude nothing, which is said and does not matter here.
@pytest.mark.filterwarnings("ignore:.*confidence widths")
def test_huge_spaces_cost_nothing() -> None:
    agent = tucrl.Agent("tucrl:alpha=0.01", states=2**63, actions=3, seed=0)
    state = 2**63 - 1
    for t in range(200):
        action = agent.act(state)
        state = (state + action + t) % 2**63
        agent.observe(0.5, state)
    assert agent.steps == 200 and agent.seen > 100


def test_episodes_and_plans_are_records() -> None:
    agent, walk = drawn("tucrl:alpha=0.05", "river-swim")
    twin, path = drawn("tucrl:alpha=0.05", "river-swim")
    play(agent, walk, 3000)
    play(twin, path, 3000)
    assert agent.episodes == twin.episodes and agent.episode == agent.episodes[-1]
    assert agent.episodes[0] != agent.episodes[1]
    assert pickle.loads(pickle.dumps(agent.episodes)) == agent.episodes
    import pandas

    frame = pandas.DataFrame(agent.episodes)
    assert list(frame.columns) == list(tucrl.Episode._fields)
    assert frame["length"].sum() == 3000 and frame["gain"].tolist() == [e.gain for e in agent.episodes]
    assert frame["stop"].iloc[-1] == "horizon" and len(frame) == len(agent.episodes)
    plan = agent.plan
    assert plan is not None and plan == twin.plan == agent.plan
    stored = pickle.loads(pickle.dumps(plan))
    assert stored == plan == copy.deepcopy(plan)
    assert np.array_equal(stored.bias, plan.bias) and stored.gain_bounds == plan.gain_bounds
    play(agent, walk, 3000)
    assert agent.plan != plan


def test_an_agent_warns_where_learn_would() -> None:
    spec, steps = "tucrl:alpha=0.01", 10_000
    with pytest.warns(UserWarning) as of_learn:
        tucrl.learn("taxi:map=v3", spec, steps, 1)
    with pytest.warns(UserWarning) as of_agent:
        tucrl.Agent(spec, world=tucrl.MDP("taxi:map=v3"), steps=steps)
    told, = {str(warning.message) for warning in of_learn}
    assert {str(warning.message) for warning in of_agent} == {told}
    assert "too few for its confidence widths" in told
    assert {warning.filename for warning in [*of_learn, *of_agent]} == {__file__}, "names this file"
    # Without a world all states are taken to be reachable, in vast spaces one.
    with pytest.warns(UserWarning, match="too few"):
        tucrl.Agent(spec, 500, 6, steps=steps)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tucrl.Agent(spec, 500, 6, steps=10**9)
        tucrl.Agent("tucrl:relaxation=mass,alpha=0.01", 2**40, 6, steps=10**6)


def test_the_number_of_states_may_be_left_out_and_any_hashable_is_a_state(tmp_path: Path) -> None:
    names = [0, -1, "two", ("three", 3), 4.5, frozenset({5})]
    walk = tucrl.MDP("river-swim").walk(seed=1)
    agent = tucrl.Agent("tucrl-plus", actions=2, seed=1)
    told = tucrl.Agent("tucrl-plus:union=discovery", states=6, actions=2, seed=1)
    assert agent.states is None and told.states == 6
    for step in range(2000):
        action = agent.act(names[walk.state])
        assert action == told.act(walk.state)
        state, reward = walk.step(action)
        agent.observe(reward, names[state])
        told.observe(reward, state)
        if step == 1000:
            agent = pickle.loads(pickle.dumps(agent))
    assert set(agent.seen_states) == {names[state] for state in told.seen_states}
    assert repr(agent).startswith('tucrl.Agent("tucrl-plus", actions=2)')
    with pytest.raises(ValueError, match="tucrl-plus needs no states"):
        tucrl.Agent("tucrl", actions=2)
    with pytest.raises(ValueError, match="how many actions"):
        tucrl.Agent("tucrl-plus")


def test_an_agent_explains_what_it_has_given_up() -> None:
    walk = tucrl.MDP("river-swim").walk(seed=1)
    agent = tucrl.Agent("tucrl-plus", states=10, actions=2, seed=1)
    for _ in range(5000):
        state, reward = walk.step(agent.act(walk.state))
        agent.observe(reward, state)
    told = agent.explain(0)
    assert [pair["action"] for pair in told] == [0, 1]
    assert agent.explain(0, 1) == told[1]
    assert [pair["visits"] for pair in told] == agent.visits[agent.seen_states.index(0)].tolist()
    for pair in told:
        assert pair["missing_mass"] is not None and 0 < pair["missing_mass"] <= 1
        assert (pair["given_up_since"] is None) == (pair["reconsidered_from"] is None)
    assert any(pair["given_up_since"] for pair in told)
    for state, action in ((9, None), (0, 7)):
        with pytest.raises(ValueError, match="has not seen the state 9|has no action 7"):
            agent.explain(state) if action is None else agent.explain(state, action)
    with pytest.raises(ValueError, match="keeps no counts"):
        random = tucrl.Agent("random", 3, 2)
        random.act(0)
        random.explain(0)
