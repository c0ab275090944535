"""Times one peer's solver on one model file, best of several; run by run.py inside the peer's own
virtual environment. Prints one JSON object.

Only the call that solves is timed, not reading the file nor building the peer's own model. Some peers
return values instead of a gain: then the gain is the middle of the bounds that the values imply, which
is not timed either.
"""

import argparse
import json
import resource
import signal
import time

import models

ACCURACY = 1e-9


def mdpsolver(path):
    import mdpsolver

    model = models.read(path)
    rewards, columns, probabilities = models.lists(model)

    def prepare():
        # Build the model anew: a solved one would start from its solution.
        solver = mdpsolver.model()
        solver.mdp(discount=0.999, rewards=rewards, tranMatProbs=probabilities, tranMatColumns=columns)
        return solver

    def solve(solver):
        solver.solve(algorithm="mpi", criterion="average", tolerance=ACCURACY, parallel=False)

    def gain(solver):
        return models.gain_bounds(model, solver.getValueVector())

    return prepare, solve, gain


def pymdptoolbox(path):
    import mdptoolbox.mdp
    import mdptoolbox.util

    # Skip its checks, which fail with newer versions of NumPy and SciPy.
    mdptoolbox.util.check = lambda transitions, rewards: None
    states, actions, reward, matrix = models.pairs(models.read(path))
    transitions = [matrix[action::actions].tocsr() for action in range(actions)]

    def prepare():
        solver = mdptoolbox.mdp.RelativeValueIteration(
            transitions, reward.reshape(states, actions), epsilon=ACCURACY, max_iter=10_000_000
        )
        solver.setSilent()
        return solver

    return prepare, lambda solver: solver.run(), lambda solver: float(solver.average_reward)


def quantecon(path):
    """Has no average-reward criterion: approximated by a discount of almost 1."""
    import numpy as np
    from quantecon.markov import DiscreteDP

    discount = 1 - 1e-9
    states, actions, reward, matrix = models.pairs(models.read(path))
    s_indices, a_indices = np.divmod(np.arange(states * actions), actions)

    def prepare():
        return {"solver": DiscreteDP(reward, matrix, discount, s_indices, a_indices)}

    def solve(prepared):
        prepared["values"] = prepared["solver"].solve(method="policy_iteration").v

    return prepare, solve, lambda prepared: float((1 - discount) * prepared["values"][0])


def stormpy(path):
    """Sound: its bounds are within a relative 1e-6, its default; without, it only stops at a relative change of 1e-6."""
    import stormpy
    from stormpy import developer

    model = stormpy.build_model_from_drn(path.removesuffix(".json").removesuffix(".drn") + ".drn")
    reward = next(iter(model.reward_models))
    formula = stormpy.parse_properties(f'R{{"{reward}"}}max=? [LRA]')[0]
    environment = developer.get_sound_environment()

    def solve(prepared):
        prepared["result"] = stormpy.model_checking(model, formula, environment=environment)

    def gain(prepared):
        return float(prepared["result"].get_value(model.initial_states[0]))

    return dict, solve, gain


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("peer", choices=["mdpsolver", "pymdptoolbox", "quantecon", "stormpy"])
    parser.add_argument("model")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--patience", type=float, default=60.0, help="seconds for all tries; reading is not counted")
    ask = parser.parse_args()
    prepare, solve, gain = globals()[ask.peer](ask.model)
    times, spent = [], 0.0
    # Repeat only if there is time for another try as slow as the slowest.
    while len(times) < ask.times and spent + max(times, default=0.0) < ask.patience:
        prepared = prepare()
        # Ends the process even inside native code of the peer.
        signal.setitimer(signal.ITIMER_REAL, ask.patience - spent)
        clock = time.perf_counter()
        solve(prepared)
        times.append(time.perf_counter() - clock)
        signal.setitimer(signal.ITIMER_REAL, 0)
        spent += times[-1]
    found = gain(prepared)
    low, high = found if isinstance(found, tuple) else (found, found)
    answer = {"gain": low + (high - low) / 2, "low": low, "high": high}
    # Of the process, reading included; Linux counts kilobytes.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3
    print(json.dumps({"seconds": min(times), "times": len(times), "peak_mb": peak, **answer}))


if __name__ == "__main__":
    main()
