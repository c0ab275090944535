# %% [markdown]
# # Why UCRL fails with unreachable states
#
# With `delta=0` one state of the three-state world is unreachable, and the agents are not told. UCRL's optimism
# keeps trying to get there. TUCRL truncates: it stops planning with states that it has not seen after enough
# visits elsewhere. This script draws the regret and prints the numbers behind it.

# %%
import os

import tucrl

STEPS = int(os.environ.get("TUCRL_EXAMPLE_STEPS", "1000000"))

world = tucrl.MDP("three-state:delta=0")
print(f"{world.classify()}, {world.reachable.sum()} of {world.states} states reachable")
print(f"optimal gain {world.gain:.6f}, diameter of the reachable part {world.diameter()}")

# %% [markdown]
# Four agents, several runs each, on all cores. TUCRL+ has the widths of its theorem; the others need narrower ones to
# learn in so few steps. SCAL is told more than the others: a bound on the span of the bias. The results are
# identical to those of `tucrl learn`.

# %%
agents = ["tucrl-plus", "tucrl:alpha=0.05", "ucrl:alpha=0.05", "scal:c=5,alpha=0.05"]
result = tucrl.learn(world, agents, steps=STEPS, seeds=8)
print(result)

# %% [markdown]
# UCRL spends about half of its steps on the action that, in its optimistic MDP, leads to the unseen state.

# %%
for spec in agents:
    visits = {(state, action): count for state, action, count in result.visits(spec, run=0)}
    wasted = STEPS - max(visits.values())
    print(f"{spec:22} {wasted / STEPS:7.2%} of the steps not on the best pair")

# %% [markdown]
# The episodes of one TUCRL agent: its optimistic gain, and whether it plans with the unseen state.

# %%
agent, walk = tucrl.Agent("tucrl:alpha=0.05", world=world, seed=1), world.walk(seed=1)
for _ in range(STEPS):
    here, reward = walk.step(agent.act(walk.state))
    agent.observe(reward, here)
for episode in agent.episodes[:: max(1, len(agent.episodes) // 8)]:
    belief = "plans with" if episode.believes_unseen else "plans without"
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
