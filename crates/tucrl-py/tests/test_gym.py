"""Gymnasium's worlds can be learned, and ours can be made by Gymnasium."""

import warnings
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
import tucrl
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers import TimeLimit, TransformObservation
from tucrl import _endings


def make(*names: str, **options: Any) -> gym.Env[Any, Any]:
    """Make the first that this Gymnasium has; names change between versions."""
    with warnings.catch_warnings():
        # An old name is called old.
        warnings.simplefilter("ignore")
        for name in names:
            try:
                return gym.make(name, **options)
            except gym.error.Error:
                continue
    raise AssertionError(f"no {names} in Gymnasium {gym.__version__}")


TOYS = {
    "taxi": (("Taxi-v4", "Taxi-v3"), {}, "taxi:map=v3", 400),
    "cliff": (("CliffWalking-v1", "CliffWalking-v0"), {}, "cliff-walking", 37),
    "lake": (("FrozenLake-v1",), {}, "frozen-lake", 11),
    "calm lake": (("FrozenLake-v1",), {"is_slippery": False}, "frozen-lake:slippery=false", 11),
    "wide lake": (("FrozenLake-v1",), {"map_name": "8x8"}, "frozen-lake:map=8x8", 53),
}


@pytest.fixture(autouse=True)
def nothing_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin every test as a new process: what is announced once has not been."""
    monkeypatch.setattr(_endings, "_announced", set())


@pytest.mark.parametrize(("names", "options", "ours", "reachable"), TOYS.values(), ids=TOYS)
def test_a_toy_text_has_the_gain_of_our_world(
    names: tuple[str, ...], options: dict[str, Any], ours: str, reachable: int
) -> None:
    env = make(*names, **options)
    # The goal of the cliff, which Gymnasium does not pay for, is announced elsewhere.
    ends = 1.0 if ours == "cliff-walking" else None
    theirs = tucrl.MDP.from_gymnasium(env, terminal_reward=ends)
    world = tucrl.MDP(ours)
    # Our worlds are rescaled to [0, 1].
    low, high = theirs.reward_range
    assert abs((theirs.gain - low) / (high - low) - world.gain) < 1e-9
    assert theirs.states == world.states and theirs.actions == world.actions
    assert theirs.reachable.sum() == reachable == world.reachable.sum()
    assert theirs.start_is_recoverable


def test_rewards_keep_their_units_whatever_the_range() -> None:
    env = make("Taxi-v4", "Taxi-v3")
    narrow = tucrl.MDP.from_gymnasium(env)
    assert narrow.reward_range == (-10, 20)
    assert set(np.unique(narrow.mean_rewards)) == {-10.0, -1.0, 20.0}
    wide = tucrl.MDP.from_gymnasium(env, reward_range=(-100, 100))
    assert wide.gain == pytest.approx(narrow.gain, abs=1e-9)
    assert narrow.gain == pytest.approx(tucrl.MDP("taxi:map=v3").gain * 30 - 10, abs=1e-9)
    with pytest.raises(ValueError, match="leaves"):
        tucrl.MDP.from_gymnasium(env, reward_range=(0, 10))
    with pytest.raises(ValueError, match="no range"):
        tucrl.MDP.from_gymnasium(env, reward_range=(1, 1))
    with pytest.raises(ValueError, match="no table of transitions"):
        tucrl.MDP.from_gymnasium(make("MountainCar-v0"))


def test_a_cliff_is_walked_to_its_goal_and_not_in_circles() -> None:
    names = ("CliffWalking-v1", "CliffWalking-v0")
    with pytest.warns(UserWarning, match="terminal_reward=1 .*arriving would earn nothing") as told:
        cliff = tucrl.MDP.from_gymnasium(make(*names))
    assert [warning.filename for warning in told] == [__file__]
    assert "terminal_reward=1" in repr(cliff)
    # Thirteen steps from the start to the goal, of which the last pays 0 and the others -1.
    assert cliff.reward_range == (-100, 0)
    assert cliff.gain == pytest.approx(-12 / 13, abs=1e-9)
    assert len(set(cliff.policy.tolist())) > 1
    state, steps = int(np.argmax(cliff.start)), 0
    arrays = cliff.transitions
    following = {(s, a): n for s, a, n, _ in zip(*arrays, strict=True)}
    while steps == 0 or state != 36:
        state, steps = following[state, cliff.policy[state]], steps + 1
    assert steps == 13
    # Announced once; a number agrees, and 0 switches it off.
    again = tucrl.MDP.from_gymnasium(make(*names))
    assert again == cliff == tucrl.MDP.from_gymnasium(make(*names), terminal_reward=1)
    bare = tucrl.MDP.from_gymnasium(make(*names), terminal_reward=0)
    assert bare.reward_range == (-100, -1) and bare.gain == pytest.approx(-1.0)
    assert "terminal_reward" not in repr(bare)


def test_the_end_of_an_episode_pays_what_is_said() -> None:
    seen = []

    def twice(state: int, action: int, reward: float, following: int) -> float:
        seen.append((state, action, reward, following))
        return 2 * reward

    def after(ends: Any) -> list[float]:
        env = tucrl.gym.Continuing(Clock(), reward_range=(0, 10), time_limits="keep", **ends)
        env.reset()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # Two steps, a termination, a truncation.
            return [env.step(action)[1] for action in (1, 1, 2, 0)]

    assert after({}) == pytest.approx([1, 2, 3, 1])
    assert after({"terminal_reward": 4}) == pytest.approx([1, 2, 7, 1])
    assert after({"terminal_reward": twice}) == pytest.approx([1, 2, 9, 1])
    assert seen == [(2, 2, 3.0, 3)], "state, action, reward and next state as the agent sees them"
    assert after({"reset_cost": 1}) == pytest.approx([1, 2, 2, 0])
    assert after({"terminal_reward": 4, "reset_cost": 1}) == pytest.approx([1, 2, 6, 0])
    env = tucrl.gym.Continuing(Clock(), (0, 10), terminal_reward=4, reset_cost=0.5)
    assert "terminal_reward=4, reset_cost=0.5" in repr(env)
    assert (env.terminal_reward, env.reset_cost) == (4, 0.5)
    for wrong, fix in (
        ({"terminal_reward": float("nan")}, "not a finite number"),
        ({"reset_cost": -1}, "at least 0"),
    ):
        with pytest.raises(ValueError, match=fix):
            tucrl.gym.Continuing(Clock(), (0, 10), **wrong)
    env = tucrl.gym.Continuing(Clock(), (0, 10), terminal_reward=-4)
    env.reset()
    with pytest.raises(ValueError, match="paid -3.0, terminal_reward and reset_cost included"):
        env.step(2)


def test_a_table_pays_the_same_at_the_end_of_an_episode() -> None:
    def ending(state: int, action: int, reward: float, following: int) -> float:
        return -1.0 if following in (5, 7, 11, 12) else 1.0

    env = make("FrozenLake-v1", is_slippery=False)
    model = tucrl.MDP.from_gymnasium(env, terminal_reward=ending, reset_cost=0.5)
    # Six steps to the goal, which pays 1 + 1 - 0.5; a hole pays 0 - 1 - 0.5.
    assert model.reward_range == (-1.5, 1.5)
    assert model.gain == pytest.approx(1.5 / 6, abs=1e-9)
    walk = tucrl.gym.Continuing(env, (-1.5, 1.5), terminal_reward=ending, reset_cost=0.5)
    state, choice = walk.reset(seed=0), np.random.default_rng(0)
    for _ in range(2000):
        action = int(choice.integers(4))
        following, reward = walk.step(action)
        assert reward == pytest.approx(model.mean_rewards[state, action])
        state = following


@pytest.mark.parametrize(
    ("name", "value", "rewards"),
    [("CartPole-v1", -1, (0, 1)), ("CartPole-v0", -1, (0, 1)), ("MountainCar-v0", 1, (-1, 0))],
)
def test_well_known_environments_have_the_task_that_people_mean(
    name: str, value: float, rewards: tuple[float, float]
) -> None:
    with pytest.warns(UserWarning, match=f"{name} gets terminal_reward={value} ") as told:
        env = tucrl.gym.Continuing(make(name), reward_range=rewards)
    assert [warning.filename for warning in told] == [__file__]
    assert env.terminal_reward == value and f"terminal_reward={value}" in repr(env)
    tucrl.gym.Continuing(make(name), reward_range=rewards)  # announced once
    assert tucrl.gym.Continuing(make(name), rewards, terminal_reward=0).terminal_reward == 0


def test_a_cart_pole_that_pays_for_falling_needs_no_default() -> None:
    env = make("CartPole-v1", sutton_barto_reward=True)
    assert tucrl.gym.Continuing(env, reward_range=(-1, 0)).terminal_reward == 0


def test_rewards_that_say_nothing_are_pointed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tucrl.gym, "_LONG", 100)
    bare = tucrl.gym.Continuing(make("CartPole-v1"), reward_range=(0, 1), terminal_reward=0)
    told = tucrl.gym.Continuing(make("CartPole-v1"), reward_range=(0, 1), terminal_reward=-1)
    for env in (bare, told):
        env.reset(seed=0)
    for step in range(99):
        bare.step(step % 2)
    with pytest.warns(UserWarning, match="all 100 rewards so far were 1.*terminal_reward"):
        bare.step(1)
    for step in range(200):
        bare.step(step % 2)  # once
        told.step(0)


def test_a_world_in_which_every_policy_is_optimal_is_pointed_out() -> None:
    class Corridor(gym.Env[Any, Any]):
        observation_space = spaces.Discrete(3)
        action_space = spaces.Discrete(2)
        initial_state_distrib = np.array([1.0, 0.0, 0.0])
        P = {
            s: {a: [(1.0, max(0, min(2, s + 2 * a - 1)), -1.0, s == 1 and a == 1)] for a in (0, 1)}
            for s in range(3)
        }

    with pytest.warns(UserWarning, match="every policy has the same gain, -1 per step") as told:
        tucrl.MDP.from_gymnasium(Corridor())
    assert [warning.filename for warning in told] == [__file__]
    model = tucrl.MDP.from_gymnasium(Corridor(), terminal_reward=1)
    assert model.gain == pytest.approx(-0.5)
    with pytest.warns(UserWarning, match="every policy has the same gain, -1 per step"):
        tucrl.MDP.from_gymnasium(Corridor(), reward_range=(-1000, 500))


def test_a_reset_is_the_transition_that_the_model_says() -> None:
    env = tucrl.gym.Continuing(make("FrozenLake-v1", is_slippery=False), reward_range=(0, 1))
    model = tucrl.MDP.from_gymnasium(make("FrozenLake-v1", is_slippery=False))
    state = env.reset(seed=0)
    moves = dict.fromkeys(zip(*(column.tolist() for column in model.transitions[:3]), strict=True))
    choice = np.random.default_rng(0)
    for _ in range(2000):
        action = int(choice.integers(4))
        following, reward = env.step(action)
        assert (state, action, following) in moves
        assert reward == model.mean_rewards[state, action]
        state = following
    assert env.terminations > 50


class Clock(gym.Env[Any, Any]):
    """Counts steps, pays them, terminates or truncates when told."""

    observation_space = spaces.Discrete(100, start=3)
    action_space = spaces.Discrete(3, start=-1)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        super().reset(seed=seed)
        self.time = 0
        return 3, {}

    def step(self, action: int) -> tuple[int, float, bool, bool, dict[str, Any]]:
        assert action in (-1, 0, 1)
        self.time += 1
        return 3 + self.time, float(self.time), action == 1, action == -1, {}


def test_termination_is_a_transition_and_truncation_one_with_a_warning() -> None:
    env = tucrl.gym.Continuing(Clock(), reward_range=(0, 10))
    with pytest.raises(ValueError, match="step before reset"):
        env.step(0)
    assert env.reset() == 0 and env.states == 100 and env.actions == 3
    assert env.step(1) == (1, 1.0)
    assert env.step(2) == (0, 2.0), "the reward of the last step, the state of the reset"
    assert (env.terminations, env.truncations) == (1, 0)
    env.step(1)
    with pytest.warns(UserWarning, match="cut off"):
        assert env.step(0) == (0, 2.0)
    assert env.step(0) == (0, 1.0), "warned once"
    assert (env.terminations, env.truncations) == (1, 2)
    for action in (-1, 3):
        with pytest.raises(ValueError, match="does not exist"):
            env.step(action)


@pytest.mark.parametrize("is_inner", [False, True])
def test_time_limits_are_taken_off_unless_kept(is_inner: bool) -> None:
    def limited() -> gym.Env[Any, Any]:
        env: gym.Env[Any, Any] = TimeLimit(Clock(), max_episode_steps=4)
        return TransformObservation(env, lambda o: o, Clock.observation_space) if is_inner else env

    env = tucrl.gym.Continuing(limited(), reward_range=(0, 100))
    env.reset()
    assert [env.step(1)[0] for _ in range(8)] == [1, 2, 3, 4, 5, 6, 7, 8]
    kept = tucrl.gym.Continuing(limited(), reward_range=(0, 100), time_limits="keep")
    kept.reset()
    with pytest.warns(UserWarning, match="cut off"):
        assert [kept.step(1)[0] for _ in range(8)] == [1, 2, 3, 0, 1, 2, 3, 0]
    with pytest.raises(ValueError, match="'remove' and 'keep'"):
        tucrl.gym.Continuing(limited(), (0, 1), time_limits="x")


@pytest.mark.parametrize("is_inner", [False, True])
def test_the_callers_environment_keeps_its_time_limit(is_inner: bool) -> None:
    def limits(env: Any) -> int:
        found = 0
        while isinstance(env, gym.Wrapper):
            found, env = found + isinstance(env, TimeLimit), env.env
        return found

    theirs: gym.Env[Any, Any] = TimeLimit(Clock(), max_episode_steps=4)
    if is_inner:
        theirs = TransformObservation(theirs, lambda o: o, Clock.observation_space)
        theirs = TransformObservation(theirs, lambda o: o, Clock.observation_space)
    env = tucrl.gym.Continuing(theirs, reward_range=(0, 100))
    assert (limits(theirs), limits(env.env)) == (1, 0)
    assert env.unwrapped is theirs.unwrapped
    env.reset()
    assert [env.step(1)[0] for _ in range(6)] == [1, 2, 3, 4, 5, 6]
    theirs.reset()
    assert [theirs.step(0)[3] for _ in range(4)] == [False, False, False, True]


def test_what_the_environment_has_can_be_reached() -> None:
    class Drawn(Clock):
        metadata: dict[str, Any] = {"render_modes": ["ansi"]}
        render_mode = "ansi"
        closed = 0

        def render(self) -> str:
            return f"time {self.time}"

        def close(self) -> None:
            self.closed += 1

    inside = Drawn()
    with tucrl.gym.Continuing(TimeLimit(inside, 9), reward_range=(0, 10)) as env:
        env.reset(seed=np.random.default_rng(0))
        env.step(1)
        assert (env.render(), env.render_mode) == ("time 1", "ansi")
        assert env.unwrapped is inside
        assert env.observation_space == Clock.observation_space
        assert env.action_space == Clock.action_space
        assert inside.closed == 0
    assert inside.closed == 1


def test_a_generator_seeds_an_environment_and_advances() -> None:
    env = tucrl.gym.Continuing(make("Taxi-v4", "Taxi-v3"), reward_range=(-10, 20))

    def starts(generator: np.random.Generator) -> list[int]:
        return [env.reset(seed=generator) for _ in range(20)]

    assert starts(np.random.default_rng(3)) == starts(np.random.default_rng(3))
    assert len(set(starts(np.random.default_rng(3)))) > 10


def test_an_undeclared_reward_range_is_learned_with_a_warning() -> None:
    with pytest.warns(UserWarning, match="no reward_range was declared"):
        env = tucrl.gym.Continuing(Clock())
    env.reset()
    assert [env.step(1)[1] for _ in range(3)] == [0.0, 1.0, 1.0]
    env.step(2)
    assert env.learned_range == (1.0, 4.0) and env.reward_range == (0.0, 1.0)
    assert env.step(1)[1] == 0.0
    assert env.step(1)[1] == pytest.approx(1 / 3)


def test_a_reward_outside_the_declared_range_is_an_error() -> None:
    env = tucrl.gym.Continuing(Clock(), reward_range=(0, 1))
    env.reset()
    env.step(1)
    with pytest.raises(ValueError, match="paid 2.0.*correct reward_range"):
        env.step(1)
    for bad in ((1, 0), (0, float("nan")), (0, float("inf"))):
        with pytest.raises(ValueError, match="no range"):
            tucrl.gym.Continuing(Clock(), reward_range=bad)


def test_tuples_of_observations_are_states() -> None:
    env = tucrl.gym.Continuing(make("Blackjack-v1"), reward_range=(-1, 1))
    assert env.states == 32 * 11 * 2
    agent = tucrl.Agent(
        "tucrl:alpha=0.05", env.states, env.actions, reward_range=env.reward_range
    )
    state = env.reset(seed=1)
    assert isinstance(state, tuple)
    for _ in range(3000):
        state, reward = env.step(agent.act(state))
        agent.observe(reward, state)
    assert 50 < agent.seen < 704 and set(map(type, agent.seen_states)) == {tuple}


def test_only_discrete_actions_can_be_learned() -> None:
    with pytest.raises(ValueError, match="spaces.Discrete"):
        tucrl.gym.Continuing(make("Pendulum-v1"), reward_range=(-17, 0))


# So few steps are too few for these widths, which is said and does not matter here.
@pytest.mark.filterwarnings("ignore:.*confidence widths")
@pytest.mark.filterwarnings("ignore:.*gets terminal_reward")
def test_mountain_car_and_cart_pole_in_cells() -> None:
    car = tucrl.gym.Discretize(make("MountainCar-v0"), bins=(20, 21))
    pole = tucrl.gym.Discretize(
        make("CartPole-v1"), bins=6, low=[-2.4, -3, -0.21, -3], high=[2.4, 3, 0.21, 3]
    )
    assert car.states == 420 and pole.states == 6**4
    for cells, rewards in ((car, (-1, 0)), (pole, (0, 1))):
        env = tucrl.gym.Continuing(cells, reward_range=rewards)
        agent = tucrl.Agent(
            "tucrl:alpha=0.01", env.states, env.actions, seed=1, reward_range=env.reward_range
        )
        state = env.reset(seed=1)
        for _ in range(3000):
            state, reward = env.step(agent.act(state))
            agent.observe(reward, state)
        assert 5 < agent.seen < cells.states


def test_every_number_falls_into_its_part_and_what_is_outside_into_the_last() -> None:
    class Box(gym.Env[Any, Any]):
        observation_space = spaces.Box(np.array([0.0, -1.0]), np.array([1.0, np.inf]), dtype=np.float64)
        action_space = spaces.Discrete(2)

    with pytest.raises(ValueError, match="number 1 of the observation has no limits: pass low"):
        tucrl.gym.Discretize(Box())
    grid = tucrl.gym.Discretize(Box(), bins=(4, 3), high=[1.0, 2.0])
    cells = {(0.0, -1.0): 0, (0.24, -1.0): 0, (0.25, -1.0): 3, (1.0, 2.0): 11, (0.99, 0.5): 10}
    cells |= {(-5.0, -5.0): 0, (7.0, 1e300): 11, (0.5, 1.999): 8}
    for values, cell in cells.items():
        assert grid.observation(np.array(values)) == cell, values
    with pytest.raises(ValueError, match="lies in no cell"):
        grid.observation(np.array([np.nan, 0.0]))
    for options, fix in (
        ({"bins": (1, 2, 3)}, "3 entries for 2"),
        ({"bins": 0}, "at least 1"),
        ({"bins": 2.5}, "whole numbers"),
        ({"bins": 2**40}, "more than 2\\*\\*63"),
        ({"low": 3.0}, "≥ high"),
    ):
        with pytest.raises(ValueError, match=fix):
            tucrl.gym.Discretize(Box(), **{"high": [1.0, 2.0], **options})  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="only spaces.Box"):
        tucrl.gym.Discretize(make("FrozenLake-v1"))


@pytest.mark.parametrize("world", tucrl.worlds())
def test_every_world_is_registered_and_passes_gymnasiums_check(world: str) -> None:
    env = gym.make(tucrl.gym.env_id(world))
    check_env(env.unwrapped, skip_render_check=True)
    assert env.observation_space == spaces.Discrete(tucrl.worlds()[world]["states"])


def test_a_registered_world_takes_parameters_and_seeds() -> None:
    env = gym.make("tucrl/ThreeState-v0", delta=0.005)
    assert env.unwrapped.world.name == "three-state"  # type: ignore[attr-defined]
    histories = []
    for _ in range(2):
        state, _ = env.reset(seed=4)
        history = []
        for _ in range(50):
            state, reward, terminated, truncated, info = env.step(1)
            assert not terminated and not truncated and info["action_mask"].shape == (2,)
            history.append((int(state), reward))
        histories.append(history)
    assert histories[0] == histories[1]
    mdp = tucrl.MDP("three-state:delta=0.005")
    walk, offered = mdp.walk(seed=4), mdp.action_mask.sum(axis=1)
    assert histories[0] == [walk.step(1 % offered[walk.state]) for _ in range(50)]
    with pytest.raises(ValueError, match="delta"):
        gym.make("tucrl/ThreeState-v0", delta=2)
    with pytest.raises(ValueError, match="not one value"):
        gym.make("tucrl/ThreeState-v0", delta="0,rewards=mean")
    custom = gym.make("tucrl/ThreeState-v0", world=tucrl.MDP("taxi"))
    assert custom.observation_space == spaces.Discrete(500)


def test_our_worlds_can_be_learned_through_gymnasium() -> None:
    env = tucrl.gym.Continuing(gym.make("tucrl/RiverSwim-v0"), reward_range=(0, 1))
    mdp = tucrl.MDP("river-swim")
    through = tucrl.Agent("tucrl:alpha=0.05", env.states, env.actions, seed=1)
    direct = tucrl.Agent("tucrl:alpha=0.05", mdp.states, mdp.actions, seed=1)
    state, walk = env.reset(seed=9), mdp.walk(seed=9)
    assert state == walk.state
    for _ in range(2000):
        action = through.act(state)
        assert action == direct.act(walk.state)
        state, reward = env.step(action)
        through.observe(reward, state)
        after, paid = walk.step(action)
        direct.observe(paid, after)
    assert np.array_equal(through.visits, direct.visits)
