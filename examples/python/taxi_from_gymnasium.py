# %% [markdown]
# # Taxi from Gymnasium
#
# Gymnasium's Taxi has 500 nominal states, 100 of them unreachable. Its episodes end, but regret is defined for a
# continuing MDP. `Continuing` makes the reset a transition.

# %%
import os

import gymnasium as gym
import tucrl

STEPS = int(os.environ.get("TUCRL_EXAMPLE_STEPS", "300000"))


def make_taxi() -> gym.Env[int, int]:
    """Make Taxi; its version depends on that of Gymnasium."""
    name = "Taxi-v4" if "Taxi-v4" in gym.registry else "Taxi-v3"
    return gym.make(name)


# %% [markdown]
# The optimal gain, computed exactly from the table that Gymnasium's toy environments expose. The agent does not see it.

# %%
truth = tucrl.MDP.from_gymnasium(make_taxi())
print(f"{truth.reachable.sum()} of {truth.states} states are reachable")
print(f"optimal gain {truth.gain:.4f} per step")

# %% [markdown]
# Learn it step by step through Gymnasium. The agent is not told how many states there are. With the widths of the proof
# (`alpha=1`) it would explore for longer than this script; narrower ones have no guarantee. The factor was chosen on
# other worlds (`experiments/first-minute.toml`).

# %%
env = tucrl.gym.Continuing(make_taxi(), reward_range=truth.reward_range)
agent = tucrl.Agent(
    "tucrl-plus:alpha=0.01", actions=env.actions, reward_range=env.reward_range, seed=0
)
state = env.reset(seed=0)
earned = 0.0
for step in range(1, STEPS + 1):
    action = agent.act(state)
    state, reward = env.step(action)
    agent.observe(reward, state)
    earned += reward
    if step % (STEPS // 5) == 0:
        print(
            f"step {step:7}: {agent.seen} states seen, {env.terminations} trips, "
            f"regret {step * truth.gain - earned:.0f}"
        )

# %% [markdown]
# An agent can be stored in the middle of an episode and continues bit-identically.

# %%
agent.save("taxi.state")
twin = tucrl.Agent.load("taxi.state")
assert twin.act(state) == agent.act(state)
print(f"stored after {twin.steps} steps in taxi.state")
