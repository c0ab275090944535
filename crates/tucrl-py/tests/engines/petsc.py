"""examples/petsc agrees with `tucrl inspect` on one and two ranks, and refuses what it cannot number.

    python3 petsc.py PROGRAM            the program is the command tucrl
    python3 petsc.py --scaling [SIZE]   prints tables of strong and weak scaling; SIZE is the pool of the queues (80)

For the interpreter that has petsc4py (on Debian /usr/bin/python3), with tucrl on its path.
"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import tucrl

EXAMPLE = Path(__file__).resolve().parents[4] / "examples" / "petsc" / "gain.py"
#: Open MPI on this machine alone.
LOCAL = ("--allow-run-as-root", "--oversubscribe", "--mca", "oob_tcp_if_include", "lo", "--mca", "btl", "self,vader")


def solve(ranks: int, *words: str) -> "subprocess.CompletedProcess[str]":
    """Start the example."""
    command = ["mpiexec.openmpi", *LOCAL, "-n", str(ranks), sys.executable, str(EXAMPLE), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=600)


def answer(ranks: int, *words: str) -> dict[str, Any]:
    """Return what the example finds."""
    made = solve(ranks, *words)
    assert made.returncode == 0, (words, made.stdout, made.stderr)
    found: dict[str, Any] = json.loads(made.stdout)
    return found


def agrees(program: str, folder: Path) -> None:
    """Compare gains of generators, tables and files."""
    listed = tucrl.World.from_successors(lambda s, a: [(s, 0.25, 0.0), ((s + 1 + a) % 5, 0.5, 1.0), (s, 0.25, 0.0)], 5, 2)
    assert listed.rows([4])[1].tolist() == [2, 2], "a next state that is listed twice is one entry"
    tucrl.MDP("garnet:s=200,seed=3").to_file(folder / "garnet.umb")
    tucrl.MDP("taxi:map=v3").to_file(folder / "taxi.json")
    files = [str(folder / "garnet.umb"), str(folder / "taxi.json")]
    generators = ["queues:queues=3,capacity=4", "queues:queues=9,capacity=99,pool=6", "warehouse:robots=1", "mountain-car:nx=8,nv=9"]
    for world in [*generators, "three-state:delta=0", *files]:
        inspected = subprocess.run([program, "inspect", world, "--json", "--skip", "hardness"], capture_output=True, check=True)
        facts = json.loads(inspected.stdout)
        for ranks in (1, 2):
            found = answer(ranks, world)
            assert abs(found["gain"] - facts["gain"]) < 1e-9, (world, found, facts["gain"])
            assert abs(found["gain"] - facts["gain"]) <= found["error"] + facts["gain_error"], (world, found, facts)
            assert found["ranks"] == ranks and found["error"] <= 1e-10
        print(f"  {world.removeprefix(str(folder) + '/')}: {found['states']} states, gain {found['gain']:.9f}, as inspect has it", flush=True)
    whole = answer(2, "--all", files[0])
    assert abs(whole["gain"] - answer(1, files[0])["gain"]) < 1e-9


def refuses() -> None:
    """What cannot be numbered, does not exist or has several gains is said."""
    for ranks in (1, 2):
        many = solve(ranks, "queues:queues=3,capacity=4", "--limit", "50")
        assert many.returncode == 2 and "states, but fewer than 50 can be numbered" in many.stderr, many
        pairs = solve(ranks, "three-state:delta=0.1", "--limit", "4")
        assert pairs.returncode == 2 and "pairs, but fewer than 4" in pairs.stderr, pairs
        # 10^18 states have a name.
        nominal = solve(ranks, "--all", "queues:queues=9,capacity=99,pool=6")
        assert nominal.returncode == 2 and "1000000000000000000 states, but fewer than" in nominal.stderr, nominal
        unknown = solve(ranks, "no-such-world")
        assert unknown.returncode == 2 and "no-such-world" in unknown.stderr, unknown
    # Two ends that pay differently.
    apart = Path("apart.json")
    stay = [[[1.0, 0.0]], [[0.0, 1.0]]]
    tucrl.MDP.from_arrays(stay, [[0.0], [1.0]], axes="sas", start=[0.5, 0.5], r_max=1.0).to_file(apart)
    several = solve(1, str(apart), "--sweeps", "100")
    assert several.returncode == 1 and "the gain may differ between states" in several.stderr, several


def scaling(pool: int) -> None:
    """Print the same world on one and two ranks, and one twice as large on two."""
    world = "queues:queues=4,capacity={0},pool={0}"
    # The number of ways to spread up to n customers over four queues grows with the fourth power of n.
    larger = round(pool * 2**0.25)
    print(f"| ranks | states | transitions | build | sweeps | per sweep | MB per rank |   load {os.getloadavg()[0]:.1f}")
    for ranks, size in ((1, pool), (2, pool), (2, larger)):
        found = answer(ranks, world.format(size), "--tolerance", "1e-3", "--sweeps", "2000")
        sweep = 1e3 * found["sweep_seconds"] / found["sweeps"]
        print(
            f"| {ranks} | {found['states']} | {found['transitions']} | {found['build_seconds']:.1f} s | {found['sweeps']} | "
            f"{sweep:.1f} ms | {found['megabytes_per_rank']} |",
            flush=True,
        )


def main() -> None:
    """Test, or measure."""
    if sys.argv[1] == "--scaling":
        scaling(int(sys.argv[2]) if len(sys.argv) > 2 else 60)
        return
    program = str(Path(sys.argv[1]).resolve())
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        agrees(program, Path(folder))
        refuses()


if __name__ == "__main__":
    main()
