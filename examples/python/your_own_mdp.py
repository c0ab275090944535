# %% [markdown]
# # Your own MDP
#
# A machine runs, wears out, and can be repaired. Running a worn machine may break it; a broken machine can only be
# repaired. Given as arrays: what is the optimal policy, what is its gain, and how fast is it learned?

# %%
import os

import numpy as np
import tucrl

STEPS = int(os.environ.get("TUCRL_EXAMPLE_STEPS", "200000"))
GOOD, WORN, BROKEN, SCRAPPED = range(4)
RUN, REPAIR = range(2)

transitions = np.zeros((4, 2, 4))
transitions[GOOD, RUN] = [0.9, 0.1, 0.0, 0.0]
transitions[WORN, RUN] = [0.0, 0.7, 0.3, 0.0]
transitions[[GOOD, WORN], REPAIR] = [1.0, 0.0, 0.0, 0.0]
# A broken machine has only action 0: a row of zeros means that the action does not exist.
transitions[BROKEN, 0] = [0.2, 0.0, 0.8, 0.0]
# An unreachable state.
transitions[SCRAPPED, 0] = [0.0, 0.0, 0.0, 1.0]
rewards = np.zeros((4, 2))
rewards[GOOD, RUN], rewards[WORN, RUN] = 1.0, 0.8

world = tucrl.MDP.from_arrays(transitions, rewards, start=GOOD, law="bernoulli", name="machine")

# %% [markdown]
# Exact solution.

# %%
print(f"{world.classify()}; reachable: {world.reachable.tolist()}")
print(f"optimal gain {world.gain:.6f} ± {world.gain_error:.0e}, span {world.span:.4f}")
print(f"when worn: {'repair' if world.policy[WORN] == REPAIR else 'run'}")
never_repair = world.evaluate([RUN, RUN, 0, 0])[0]
print(f"never repairing a worn machine earns {never_repair[GOOD]:.6f}")

# %% [markdown]
# Learn it: many runs at once in Rust, as frames for further work.

# %%
result = tucrl.learn(world, ["tucrl-plus", "ucrl:alpha=0.05", "oracle"], STEPS, seeds=4)
print(result)

# %% [markdown]
# Or drive one agent yourself. States may be any hashable objects, and need not be counted; here they are names.

# %%
names = ["good", "worn", "broken", "scrapped"]
masks = dict(zip(names, world.action_mask, strict=True))
agent = tucrl.Agent("tucrl-plus", actions=2, mask=masks.__getitem__, seed=1)
walk = world.walk(seed=1)
for _ in range(STEPS):
    state, reward = walk.step(agent.act(names[walk.state]))
    agent.observe(reward, names[state])
assert agent.policy is not None
for name, choice, visits in zip(agent.seen_states, agent.policy, agent.visits, strict=True):
    print(f"{name:7} plays {choice.argmax()}, visits {visits.tolist()}")
world.to_file("machine.json", overwrite=True)
print("model in machine.json")
