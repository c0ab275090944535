"""Counts the steps per second of a learner of statisticalrl-learners on its own river-swim; run by run.py
inside the peer's virtual environment. Prints one JSON object.

Every try is a fresh learner; planning counts, building the environment does not.
"""

import argparse
import contextlib
import io
import json
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("learner", choices=["ucrl2", "ucrl2b"])
    parser.add_argument("length", type=int)
    parser.add_argument("steps", type=int)
    parser.add_argument("--times", type=int, default=5)
    ask = parser.parse_args()

    import numpy as np

    np.infty = np.inf  # a name that newer versions of NumPy have dropped
    with contextlib.redirect_stdout(io.StringIO()):
        import statisticalrl_environments.register as worlds
        from statisticalrl_learners.MDPs_discrete.UCRL2 import UCRL2
        from statisticalrl_learners.MDPs_discrete.UCRL2B import UCRL2B

        world = worlds.make(f"river-swim-{ask.length}")
    kind = {"ucrl2": UCRL2, "ucrl2b": UCRL2B}[ask.learner]
    best, earned = float("inf"), 0.0
    for run in range(ask.times):
        np.random.seed(run)
        learner = kind(ask.length, 2, 0.05)
        state, _ = world.reset()
        earned = 0.0
        clock = time.perf_counter()
        learner.reset(state)
        for _ in range(ask.steps):
            action = learner.play(state)
            after, reward, _, _, _ = world.step(action)
            learner.update(state, action, reward, after)
            state = after
            earned += reward
        best = min(best, time.perf_counter() - clock)
    print(json.dumps({"seconds": best, "steps": ask.steps, "mean_reward": earned / ask.steps}))


if __name__ == "__main__":
    main()
