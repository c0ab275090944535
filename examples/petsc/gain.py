"""The optimal gain of a world that does not fit one machine: relative value iteration on PETSc, over MPI.

    mpiexec -n 2 /usr/bin/python3 examples/petsc/gain.py queues:queues=3,capacity=4
    mpiexec -n 2 /usr/bin/python3 examples/petsc/gain.py --all model.umb

Debian: apt-get install python3-petsc4py python3-mpi4py openmpi-bin. Every rank searches, builds and keeps the rows of its own
states; no rank ever has the whole table of a generator (a model file is read by every rank, which keeps its own rows of it).

A sweep computes L h, the best expected reward and value of the next state. The gain of every state lies between the
least and the largest entry of L h - h, whatever h is, if rounding is allowed for. Where the gain is the same in all
states, both ends meet. docs/petsc.md says what it costs.
"""

import argparse
import glob
import json
import resource
import sys
import time
import traceback
from typing import Any

import numpy as np
import numpy.typing as npt
import tucrl

try:
    import petsc4py
except ImportError:
    # Debian keeps several builds of PETSc side by side, and none on Python's path.
    sys.path += sorted(glob.glob("/usr/lib/petscdir/petsc*/*-real/lib/python3/dist-packages"))
    try:
        import petsc4py
    except ImportError:
        sys.exit("petsc4py is missing; on Debian: apt-get install python3-petsc4py python3-mpi4py openmpi-bin")
petsc4py.init(sys.argv[:1])
from mpi4py import MPI  # noqa: E402
from petsc4py import PETSc  # noqa: E402

Ints = npt.NDArray[np.int64]

#: States and pairs that the numbers of tucrl's tables and of this build of PETSc can name.
LIMIT = min(2**32, int(np.iinfo(PETSc.IntType).max) + 1)
#: States whose rows are listed at once.
BATCH = 100_000
#: Neighbouring states belong to one rank, so that few next states are elsewhere.
BLOCK = 256
#: The share of the new value in a sweep: below 1, so that periodic chains converge too.
STEP = 0.9
#: One rounding.
UNIT = 2.0**-53


class TooLarge(Exception):
    """There are more states or pairs than can be numbered."""


def refuse_large(what: str, count: int, limit: int = LIMIT) -> None:
    """Stop where numbers end, before anything wraps around."""
    if count >= limit:
        raise TooLarge(
            f"at least {count} {what}, but fewer than {limit} can be numbered: make the world smaller; below 2^32, use a "
            f"PETSc with indices of 64 bits (Debian: python3-petsc4py-64-real)"
        )


def exchanged(comm: Any, owners: Ints, values: Ints) -> list[Ints]:
    """Send every value to its owner; return what came, by rank."""
    order = np.argsort(owners, kind="stable")
    cuts = np.searchsorted(owners[order], np.arange(1, comm.size))
    found: list[Ints] = comm.alltoall(np.split(values[order], cuts))
    return found


class Known:
    """A growing set of states, as sorted arrays of which each is at least twice as long as the next."""

    def __init__(self) -> None:
        self.levels: list[Ints] = []

    def add(self, states: Ints) -> Ints:
        """Add states; return those that are new, sorted."""
        new = np.unique(states)
        for level in self.levels:
            if new.size:
                place = np.minimum(np.searchsorted(level, new), level.size - 1)
                new = new[level[place] != new]
        if new.size:
            self.levels.append(new)
            while len(self.levels) > 1 and self.levels[-2].size < 2 * self.levels[-1].size:
                last = self.levels.pop()
                self.levels[-1] = np.sort(np.concatenate([self.levels[-1], last]))
        return new

    def all(self) -> Ints:
        """Return the set, sorted."""
        return np.sort(np.concatenate([*self.levels, np.empty(0, np.int64)]))


class Numbering:
    """Which rank has which state, and its number among all."""

    def __init__(self, comm: Any, world: tucrl.World, everything: bool, limit: int) -> None:
        self.comm, self.everything, self.total = comm, everything, world.states
        if everything:
            refuse_large("states", world.states, limit)
            cuts = [rank * world.states // comm.size for rank in range(comm.size + 1)]
            self.mine = np.arange(cuts[comm.rank], cuts[comm.rank + 1])
            return
        known = Known()
        starts = np.array(list(world.start), np.int64)
        front = known.add(starts[self.owner(starts) == comm.rank])
        found = comm.allreduce(front.size)
        while comm.allreduce(front.size):
            abroad = [np.empty(0, np.int64)]
            # All that can be found without asking other ranks is found first.
            while front.size:
                following = np.unique(np.concatenate([world.rows(part)[3] for part in parts(front)]))
                here = self.owner(following) == comm.rank
                abroad.append(following[~here])
                front = known.add(following[here])
            away = np.unique(np.concatenate(abroad))
            front = known.add(np.concatenate(exchanged(comm, self.owner(away), away)))
            found = comm.allreduce(sum(level.size for level in known.levels))
            refuse_large("states", found, limit)
        self.mine, self.total = known.all(), found
        self.first = comm.exscan(self.mine.size) or 0

    def owner(self, states: Ints) -> Ints:
        """Return the rank of each state, during a search."""
        ranks: Ints = (states // BLOCK) % self.comm.size
        return ranks

    def numbers(self, states: Ints) -> Ints:
        """Return the numbers of states; all ranks ask at the same time."""
        if self.everything:
            return states
        asked, places = np.unique(states, return_inverse=True)
        owners = self.owner(asked)
        wanted = exchanged(self.comm, owners, asked)
        answers = self.comm.alltoall([self.first + np.searchsorted(self.mine, part) for part in wanted])
        numbers = np.empty(asked.size, np.int64)
        # They come back by rank, in the order in which they were asked.
        numbers[np.argsort(owners, kind="stable")] = np.concatenate(answers)
        return numbers[places]


def parts(states: Ints) -> list[Ints]:
    """Cut states into batches."""
    return np.array_split(states, max(1, -(-states.size // BATCH)))


class Share:
    """The rows of one rank's states."""

    def __init__(self, comm: Any, world: tucrl.World, numbering: Numbering, limit: int) -> None:
        self.comm = comm
        batches = parts(numbering.mine)
        # Every rank asks equally often for the numbers of next states.
        rounds = comm.allreduce(len(batches), op=MPI.MAX)
        actions, counts, rewards, columns, values = [], [], [], [], []
        for number in range(rounds):
            batch = batches[number] if number < len(batches) else np.empty(0, np.int64)
            offered, lengths, means, following, probabilities = world.rows(batch)
            actions.append(offered)
            counts.append(lengths)
            rewards.append(means)
            columns.append(numbering.numbers(following).astype(PETSc.IntType))
            values.append(probabilities)
            refuse_large("pairs", comm.allreduce(sum(part.size for part in rewards)), limit)
        self.first = np.concatenate([[0], np.cumsum(np.concatenate(actions))])
        self.rewards = np.concatenate(rewards)
        offsets = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
        most = comm.allreduce(int(offsets[-1]), op=MPI.MAX)
        if most > np.iinfo(PETSc.IntType).max:
            raise TooLarge(f"a rank has {most} transitions: use more ranks, or a PETSc with indices of 64 bits")
        self.longest = comm.allreduce(int(max(np.diff(offsets), default=0)), op=MPI.MAX)
        self.states, self.pairs = numbering.total, comm.allreduce(self.rewards.size)
        self.transitions = comm.allreduce(int(offsets[-1]))
        # World.rows sums the probabilities of a next state that is listed twice: PETSc would keep the last one.
        size = ((self.rewards.size, self.pairs), (numbering.mine.size, self.states))
        content = (offsets.astype(PETSc.IntType), np.concatenate(columns), np.concatenate(values))
        self.matrix = PETSc.Mat().createAIJ(size=size, csr=content, comm=PETSc.COMM_WORLD)

    def solved(self, tolerance: float, sweeps: int) -> dict[str, Any]:
        """Sweep until the bounds on the gain meet; they hold at any time."""
        old, expected = self.matrix.createVecs()
        reward = self.comm.allreduce(float(np.abs(self.rewards).max(initial=0.0)), op=MPI.MAX)
        low, high, best, since = -np.inf, np.inf, np.inf, 0
        for done in range(1, sweeps + 1):
            self.matrix.mult(old, expected)
            value = old.array
            worth = expected.array_r + self.rewards
            change = np.maximum.reduceat(worth, self.first[:-1]) - value if value.size else value
            ends = np.array([change.min(initial=np.inf), -change.max(initial=-np.inf), -np.abs(value).max(initial=0.0)])
            self.comm.Allreduce(MPI.IN_PLACE, ends, op=MPI.MIN)
            # A sum of n products errs by n + 2 roundings, a row's sum differs from 1 by as many, a difference by one more.
            slack = (4 * self.longest + 8) * UNIT * (reward + 2 * -ends[2])
            low, high = max(low, ends[0] - slack), min(high, -ends[1] + slack)
            if high - low <= 2 * tolerance:
                break
            # Where rounding is all that is left, more sweeps do not help.
            best, since = (high - low, 0) if high - low < 0.999 * best else (best, since + 1)
            if since > 10_000:
                break
            value += STEP * change - STEP * (ends[0] - ends[1]) / 2
        return {"gain": (low + high) / 2, "error": (high - low) / 2, "sweeps": done}


def main() -> int:
    """Solve one world."""
    parser = argparse.ArgumentParser(description="The optimal gain of a world, on all ranks of an MPI job.")
    parser.add_argument("world", help="a spec or a model file of tucrl")
    parser.add_argument("--all", action="store_true", help="take all states, without a search for the reachable ones")
    parser.add_argument("--tolerance", type=float, default=1e-10, help="half the width of the bounds (1e-10)")
    parser.add_argument("--sweeps", type=int, default=1_000_000, help="sweeps at most (10^6)")
    parser.add_argument("--limit", type=int, default=LIMIT, help=f"fewer states and pairs than this (at most {LIMIT})")
    ask = parser.parse_args()
    comm = PETSc.COMM_WORLD.tompi4py()
    began = time.perf_counter()
    try:
        world = tucrl.World(ask.world)
        limit = min(ask.limit, LIMIT)
        share = Share(comm, world, Numbering(comm, world, ask.all, limit), limit)
    except (TooLarge, ValueError, OSError) as error:
        # All ranks count the same, and read the same world.
        if comm.rank == 0:
            print(f"error: {error}", file=sys.stderr)
        return 2
    built = time.perf_counter()
    found = share.solved(ask.tolerance, ask.sweeps)
    ended = time.perf_counter()
    memory = comm.gather(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    if comm.rank == 0:
        size = {"states": share.states, "pairs": share.pairs, "transitions": share.transitions, "ranks": comm.size}
        times = {"build_seconds": round(built - began, 3), "sweep_seconds": round(ended - built, 3)}
        print(json.dumps({"world": ask.world, **size, **found, **times, "megabytes_per_rank": max(memory) // 1000}))
        if found["error"] > ask.tolerance:
            print(
                f"the bounds on the gain did not meet within {ask.tolerance}: they hold for every state, but the gain may "
                f"differ between states, which `tucrl inspect` decides, or more --sweeps are needed",
                file=sys.stderr,
            )
    return 0 if found["error"] <= ask.tolerance else 1


if __name__ == "__main__":
    try:
        code = main()
    except BaseException:
        # The other ranks would wait for this one.
        traceback.print_exc()
        MPI.COMM_WORLD.Abort(1)
    sys.exit(code)
