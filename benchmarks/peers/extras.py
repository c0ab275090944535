"""Small parts of docs/benchmarks.md: MDPs with known gains, and the floor of the learning loop in C."""

import shutil
import subprocess
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "walk" / "taxi.c"

# The gain from state 0, and the states.
EDGE_CASES = {
    "a 2-cycle with rewards 1 and 0": (
        0.5,
        [[{"reward": 1.0, "to": [[1, 1.0]]}], [{"reward": 0.0, "to": [[0, 1.0]]}]],
    ),
    "a chooser and two absorbing states": (
        1.0,
        [
            [{"reward": 0.0, "to": [[1, 1.0]]}, {"reward": 0.0, "to": [[2, 1.0]]}],
            [{"reward": 0.25, "to": [[1, 1.0]]}],
            [{"reward": 1.0, "to": [[2, 1.0]]}],
        ],
    ),
    "a reachable pair and an isolated state": (
        0.75,
        [
            [{"reward": 0.5, "to": [[1, 1.0]]}],
            [{"reward": 1.0, "to": [[0, 1.0]]}],
            [{"reward": 0.125, "to": [[2, 1.0]]}],
        ],
    ),
}


def walk_in_c(place):
    """The floor of the learning loop in C, beside the bare loop in Rust that `learning-loop` has in its details."""
    compiler = shutil.which("cc")
    if compiler is None:
        return "The floor of `learning-loop` in C was not measured: there is no `cc`."
    times = {}
    for name, flags in (("the loop", []), ("the Markov chain of its policy, without actions", ["-DCHAIN"])):
        program = place / "walk-taxi"
        subprocess.run([compiler, "-O3", "-march=native", *flags, SOURCE, "-o", program], check=True)
        said = subprocess.run([program], check=True, capture_output=True, text=True).stdout.splitlines()
        times[name] = min(float(line.split()[0]) for line in said)
    best = ", ".join(f"{name} {value:.1f}" for name, value in times.items())
    return f"The floor of `learning-loop` in C (`benchmarks/walk/taxi.c`), best of five, ns per step: {best}."
