# %% [markdown]
# # Why UCRL fails where some states cannot be reached
#
# The three-state world has a state that nobody can reach when `delta=0`, and the agents are not told.
# Optimism without end keeps trying to get there. TUCRL gives up on states that it has good reason to think
# unreachable. This script draws the figure of the story and says in numbers what it shows.

# %%
import os

import tucrl

STEPS = int(os.environ.get("TUCRL_EXAMPLE_STEPS", "1000000"))

world = tucrl.MDP("three-state:delta=0")
print(f"{world.classify()}, {world.reachable.sum()} of {world.states} states reachable")
print(f"optimal gain {world.gain:.6f}, diameter of the reachable part {world.diameter()}")

# %% [markdown]
# Three agents, several runs each, on all cores. SCAL knows more than the others: a bound on the span of the
# bias. The numbers are those of `tucrl learn`, to the last bit.

# %%
agents = ["tucrl:alpha=0.05", "ucrl:alpha=0.05", "scal:c=5,alpha=0.05"]
result = tucrl.learn(world, agents, steps=STEPS, seeds=8)
print(result)

# %% [markdown]
# Where do the steps go? UCRL spends about half of its steps on the action that it hopes leads to the state
# that it has never seen. There are two pairs of reachable states beside the one that pays best.

# %%
for spec in agents:
    visits = {(state, action): count for state, action, count in result.visits(spec, run=0)}
    wasted = STEPS - max(visits.values())
    print(f"{spec:22} {wasted / STEPS:7.2%} of the steps not on the best pair")

# %% [markdown]
# The same story as one agent tells it from inside: how optimistic is it, and does it believe in states that
# it has never seen?

# %%
agent, walk = tucrl.Agent("tucrl:alpha=0.05", world=world, seed=1), world.walk(seed=1)
for _ in range(STEPS):
    here, reward = walk.step(agent.act(walk.state))
    agent.observe(reward, here)
for episode in agent.episodes[:: max(1, len(agent.episodes) // 8)]:
    belief = "believes in" if episode.believes_unseen else "gave up on"
    print(f"from step {episode.start:7}: gain {episode.gain:.4f}, {belief} the unseen state")

# %%
try:
    figure = result.plot().figure
    figure.savefig("why_ucrl_fails.png", dpi=150)
    print("figure in why_ucrl_fails.png")
except ImportError:
    print("install matplotlib for the figure")
result.report("why_ucrl_fails.html")
print("report in why_ucrl_fails.html")
