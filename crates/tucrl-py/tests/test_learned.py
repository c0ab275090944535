"""What an agent learned is used: predictions, policies, models, JSON, training loops."""

import json
from pathlib import Path
from typing import Any

import gymnasium
import pytest
import tucrl
import tucrl.gym

STEPS = 20_000


@pytest.fixture(scope="module")
def river() -> tuple[tucrl.MDP, tucrl.Agent]:
    world = tucrl.MDP("river-swim")
    agent, walk = tucrl.Agent("tucrl:alpha=0.05", world=world, seed=1), world.walk(seed=1)
    for _ in range(STEPS):
        state, reward = walk.step(agent.act(walk.state))
        agent.observe(reward, state)
    return world, agent


def test_predictions_learn_nothing(river: tuple[tucrl.MDP, tucrl.Agent]) -> None:
    _, agent = river
    before = (agent.steps, agent.visits.tolist(), len(agent.episodes), agent.plan)
    policy = agent.policy
    assert policy is not None
    for row, state in enumerate(agent.seen_states):
        assert policy[row, agent.predict(state)] >= 0.5
        assert agent.predict(state, policy="greedy") == agent.policy_dict(policy="greedy")[state]
    assert (agent.steps, agent.visits.tolist(), len(agent.episodes), agent.plan) == before
    with pytest.raises(ValueError, match="accepted are"):
        agent.predict(0, policy="best")  # type: ignore[arg-type]


def test_the_greedy_policy_is_optimal_in_the_empirical_model(river: tuple[tucrl.MDP, tucrl.Agent]) -> None:
    world, agent = river
    model = agent.to_mdp(unvisited=("stay", 0.0))
    by_row = [agent.policy_dict(policy="greedy")[state] for state in agent.seen_states]
    assert model.evaluate(by_row)[0][0] == pytest.approx(model.gain, abs=1e-9)
    full = agent.full_policy(default=0, policy="greedy")
    assert world.evaluate(full)[0][0] == pytest.approx(world.gain, abs=1e-9)
    # A dict with every state is a policy too.
    assert world.evaluate(agent.policy_dict(policy="greedy"))[0][0] == world.evaluate(full)[0][0]
    assert model.mean_rewards.shape == (6, 2) and (model.transitions[3] > 0).all()


def test_optimistic_and_greedy_are_told_apart() -> None:
    # One visit of each action: the greedy policy takes the better one, the optimist need not.
    agent = tucrl.Agent("ucrl", states=2, actions=2, seed=1)
    agent.absorb([0] * 30, [0] * 20 + [1] * 10, [0.5] * 20 + [0.4] * 10, [0] * 30)
    agent.act(0)
    assert agent.policy_dict(policy="greedy") == {0: 0}
    assert agent.policy_dict() == {0: 1}, "the rarer action has the wider interval"


def test_a_policy_with_gaps_is_filled_by_the_caller() -> None:
    world = tucrl.MDP("three-state:delta=0")
    agent, walk = tucrl.Agent("tucrl:alpha=0.05", world=world, seed=1), world.walk(seed=1)
    for _ in range(2000):
        state, reward = walk.step(agent.act(walk.state))
        agent.observe(reward, state)
    assert agent.seen == 2
    known = agent.policy_dict(policy="greedy")
    missing = ({0, 1, 2} - set(known)).pop()
    with pytest.raises(ValueError, match=f"no action for state {missing}"):
        world.evaluate(known)
    with pytest.raises(ValueError, match="has not planned for the state"):
        agent.predict(missing)
    for default in (0, [0, 0, 0], lambda state: 0):
        full = agent.full_policy(default=default, policy="greedy")
        assert [full[state] for state in known] == list(known.values()) and full[missing] == 0
    with pytest.raises(TypeError, match="default"):
        agent.full_policy()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="is no action"):
        agent.full_policy(default=5)
    with pytest.raises(ValueError, match="observed nothing yet"):
        tucrl.Agent("tucrl", 3, 2).to_mdp(unvisited="error")


def test_named_states_keep_their_names() -> None:
    agent = tucrl.Agent("tucrl-plus", actions=2, seed=1)
    agent.absorb(["x", "y"], [0, 1], [0.0, 1.0], ["y", "x"])
    model = agent.to_mdp(unvisited=("uniform", 0.0))
    assert model.state_names == ["x", "y"]
    with pytest.raises(ValueError, match="use policy_dict"):
        agent.full_policy(default=0)
    told = json.loads(agent.to_json())
    assert told["seen_states"] == ["x", "y"] and told["absorbed"] == 2
    assert told["policies"]["greedy"] == [["x", 0], ["y", 1]]


def test_json_has_all_that_was_counted(river: tuple[tucrl.MDP, tucrl.Agent]) -> None:
    _, agent = river
    told = json.loads(agent.to_json())
    assert told["spec"] == "tucrl:alpha=0.05" and told["steps"] == STEPS
    assert told["visits"] == agent.visits.tolist()
    assert sum(entry[3] for entry in told["transitions"]) == STEPS
    assert dict(map(tuple, told["policies"]["greedy"])) == agent.policy_dict(policy="greedy")


def lake() -> tuple[tucrl.gym.Continuing, tucrl.Agent]:
    env = tucrl.gym.Continuing(gymnasium.make("FrozenLake-v1", is_slippery=False), reward_range=(0, 1))
    return env, tucrl.Agent("tucrl:alpha=0.01", env.states, env.actions, seed=1, steps=5000)


def test_training_is_the_loop_and_episodes_add_up() -> None:
    ends: list[tucrl.gym.EpisodeEnd] = []
    env, agent = lake()
    done = tucrl.gym.train(env, agent, 5000, ends.append, progress=False, seed=3)
    own_env, own = lake()
    state, total = own_env.reset(seed=3), 0.0
    for _ in range(5000):
        state, reward = own_env.step(own.act(state))
        own.observe(reward, state)
        total += reward
    assert (done.steps, done.reward, done.resets) == (5000, total, own_env.terminations)
    assert (agent.visits == own.visits).all()
    plans = [end for end in ends if end.kind == "plan"]
    resets = [end for end in ends if end.kind == "reset"]
    assert (len(plans), len(resets)) == (done.plans, done.resets)
    assert [end.index for end in plans] == list(range(1, len(plans) + 1))
    lengths = [episode.length for episode in own.episodes[:-1]]
    assert [end.length for end in plans] == lengths[: len(plans)]
    assert sum(end.reward for end in resets) == pytest.approx(total)


def test_a_callback_stops_training_and_training_goes_on() -> None:
    env, agent = lake()
    done = tucrl.gym.train(env, agent, 5000, lambda end: end.index < 3, seed=3)
    assert 0 < done.steps < 5000 and max(done.plans, done.resets) == 3
    more = tucrl.gym.train(env, agent, 100)
    assert agent.steps == done.steps + 100 and more.steps == 100
    with pytest.raises(ValueError, match="steps = 0"):
        tucrl.gym.train(env, agent, 0)
    with pytest.raises(ValueError, match="the agent is in"):
        tucrl.gym.train(env, agent, 10, seed=8)


def test_scalars_of_a_callback_are_read_back_from_tensorboard_files(tmp_path: Path) -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.summary import Writer

    (env, agent), ends = lake(), []
    writer = Writer(str(tmp_path))

    def callback(end: tucrl.gym.EpisodeEnd) -> None:
        writer.add_scalar(f"{end.kind}/reward", end.reward, end.step)
        ends.append(end)

    tucrl.gym.train(env, agent, 2000, callback, seed=1)
    writer.close()
    events: Any = EventAccumulator(str(tmp_path), size_guidance={"tensors": 0})
    events.Reload()
    stored = events.Tensors("plan/reward")
    plans = [end for end in ends if end.kind == "plan"]
    assert [event.step for event in stored] == [end.step for end in plans]
