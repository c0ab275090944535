"""Measures the overhead of driving an agent from Python, and compares it with another learner in Python.

Prints rows of a Markdown table. Every ratio compares numbers that were measured side by side in this run.

    python benchmarks/python/overhead.py [--steps N] [--repeat N] [--slow-steps N] [--own]

The Rust loop is `tucrl.learn` with one thread: the same agent, world and random streams. "above the Rust loop" is the
time of `agent.act(state)` and `agent.observe(reward, state)` from Python, loop included, minus the time that
the same steps take in Rust without the world's part, which cancels: the world is stepped in both, in Python
by `Walk.step`, whose cost is measured alone and subtracted.

An agent that is written in Python is run by `tucrl.learn`, in this process and in another one, and by a loop in Python that
calls the same class: the difference is the cost of the laboratory.

The comparison is with UCRL2 of the package `statisticalrl-learners`, on the same river-swim with six states;
where that package is not installed, the row says so.
"""

import argparse
import statistics
import time
import warnings
from collections.abc import Callable

import tucrl

WORLD = "river-swim"
AGENTS = ["tucrl:alpha=0.05", "ucrl2:alpha=0.05", "random"]


def seconds(work: Callable[[], object]) -> float:
    """The time of a call."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def in_rust(mdp: tucrl.MDP, spec: str, steps: int) -> float:
    """One run in the Rust loop, world included."""
    return seconds(lambda: tucrl.learn(mdp, spec, steps, seeds=1, jobs=1, progress=False))


def in_python(mdp: tucrl.MDP, spec: str, steps: int) -> float:
    """The same run from Python, world included."""
    agent, walk = tucrl.Agent(spec, mdp.states, mdp.actions, seed=1), mdp.walk(seed=1)
    act, observe, step, state = agent.act, agent.observe, walk.step, walk.state

    def run() -> None:
        nonlocal state
        for _ in range(steps):
            state, reward = step(act(state))
            observe(reward, state)

    return seconds(run)


def world_in_python(mdp: tucrl.MDP, steps: int) -> float:
    """The world alone from Python, with the loop around it."""
    step = mdp.walk(seed=1).step

    def run() -> None:
        for _ in range(steps):
            _state, _reward = step(1)

    return seconds(run)


class Plain:
    """An agent that does next to nothing, so that what it costs is what is around it."""

    def __init__(self, actions: int) -> None:
        self.actions, self.taken, self.earned = actions, 0, 0.0

    def act(self, state: int) -> int:
        """Play the actions in turn."""
        return self.taken % self.actions

    def observe(self, reward: float, next_state: int) -> None:
        """Count."""
        self.taken += 1
        self.earned += reward


def own_agent(mdp: tucrl.MDP, steps: int, repeat: int) -> None:
    """Print what an agent written in Python costs in the laboratory, and in a loop in Python."""

    def bare() -> None:
        agent, walk = Plain(mdp.actions), mdp.walk(seed=1)
        act, observe, step, state = agent.act, agent.observe, walk.step, walk.state
        for _ in range(steps):
            state, reward = step(act(state))
            observe(reward, state)

    def learn(in_process: bool) -> float:
        agents = {"plain": Plain}
        return seconds(
            lambda: tucrl.learn(mdp, agents, steps, seeds=1, jobs=1, progress=False, in_process=in_process)
        )

    rounds = [(seconds(bare), learn(in_process=True), learn(in_process=False)) for _ in range(repeat)]
    loop = statistics.median(row[0] for row in rounds)
    here = statistics.median(row[1] - row[0] for row in rounds)
    there = statistics.median(row[2] - row[0] for row in rounds)
    print("| an agent written in Python | ns per step |")
    print("| --- | ---: |")
    print(f"| a loop in Python: `walk.step(agent.act(state))`, `agent.observe` | {1e9 * loop / steps:.0f} |")
    print(f"| `tucrl.learn(…, in_process=True)`, above that | {1e9 * here / steps:.0f} |")
    print(f"| the goal for that: at most 1500 | {'met' if 1e9 * here / steps <= 1500 else 'not met'} |")
    print(f"| `tucrl.learn(…)`, in another process, its start included, above that | {1e9 * there / steps:.0f} |")
    print()


def statisticalrl(steps: int) -> float | None:
    """UCRL2 of statisticalrl on the same chain, or nothing if the package is missing."""
    try:
        from statisticalrl_learners.MDPs_discrete.UCRL2 import UCRL2
    except ImportError:
        return None
    mdp = tucrl.MDP(WORLD)
    walk = mdp.walk(seed=1)
    learner = UCRL2(mdp.states, mdp.actions, delta=0.05)
    learner.reset(walk.state)
    state = walk.state

    def run() -> None:
        nonlocal state
        for _ in range(steps):
            action = int(learner.play(state))
            following, reward = walk.step(action)
            learner.update(state, action, reward, following)
            state = following

    return seconds(run)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=5, help="rounds; the median is shown")
    parser.add_argument("--slow-steps", type=int, default=20_000, help="steps of the other package")
    parser.add_argument("--own", action="store_true", help="only agents that are written in Python")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    mdp = tucrl.MDP(WORLD)
    mdp.gain
    if asked.own:
        own_agent(mdp, asked.steps, asked.repeat)
        return
    print("| agent | Rust loop, ns per step | from Python | above the Rust loop, act and observe |")
    print("| --- | ---: | ---: | ---: |")
    nano = 1e9 / asked.steps
    for spec in AGENTS:
        rounds = []
        for _ in range(asked.repeat):
            rust, python = in_rust(mdp, spec, asked.steps), in_python(mdp, spec, asked.steps)
            rounds.append((rust, python, python - world_in_python(mdp, asked.steps) - rust))
        rust, python, above = (nano * statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"| `{spec}` | {rust:.0f} | {python:.0f} | {above:.0f} |")
    print()
    own_agent(mdp, asked.steps, asked.repeat)
    compare(mdp, asked.slow_steps, asked.repeat)


def compare(mdp: tucrl.MDP, steps: int, repeat: int) -> None:
    """Print UCRL2 of both packages side by side: the learners alone, without the world."""
    rounds = []
    for _ in range(repeat):
        slow = statisticalrl(steps)
        if slow is None:
            print("statisticalrl-learners is not installed: no comparison with its UCRL2")
            return
        world = world_in_python(mdp, steps)
        own = in_python(mdp, "ucrl2", steps)
        rounds.append((slow - world, own - world, (slow - world) / (own - world)))
    theirs, ours, ratio = (statistics.median(column) for column in zip(*rounds, strict=True))
    print(f"| UCRL2 from Python, {steps} steps of {WORLD} | µs per step |")
    print("| --- | ---: |")
    print(f"| statisticalrl-learners | {1e6 * theirs / steps:.2f} |")
    print(f'| `tucrl.Agent("ucrl2", …)` | {1e6 * ours / steps:.3f} |')
    print(f"| ratio | {ratio:.0f} × |")


if __name__ == "__main__":
    main()
