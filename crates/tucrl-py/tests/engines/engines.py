"""Real engines make an experiment while a worker is killed; the records are those of an undisturbed run here.

    python engines.py ENGINE [--overhead]

ENGINE is loky, dask, ray, mpi or submitit; `.ci/engines` installs them and calls this file. With ``--overhead`` the
time per run of an experiment of short runs is printed instead. Everything listens on loopback only.
"""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tucrl

HERE = Path(__file__).resolve()
ROOT = HERE.parents[4]
EXPERIMENT = """
name = "engines"
steps = {steps}
seeds = {seeds}
worlds = ["river-swim", "models/small.json"]
agents = ["tucrl:alpha=0.05", "psrl:split=mean", {{ spec = "python:class=own_agent.DiffQ", label = "mine" }}]
"""


def bodies(folder: Path) -> dict[str, bytes]:
    """Return the body of every run, by the name of its file."""
    return {path.name: path.read_bytes().split(b"\n")[1] for path in (folder / "runs").glob("*.run")}


@contextlib.contextmanager
def loky(folder: Path) -> Iterator[tuple[Any, Callable[[], None]]]:
    """Two processes of loky; one that is killed breaks the pool."""
    from loky import get_reusable_executor

    executor = get_reusable_executor(max_workers=2)

    def kill() -> None:
        os.kill(next(iter(executor._processes)), signal.SIGKILL)

    yield executor, kill
    executor.shutdown(kill_workers=True)


@contextlib.contextmanager
def dask(folder: Path) -> Iterator[tuple[Any, Callable[[], None]]]:
    """A scheduler and two workers, each a process of its own."""
    from distributed import Client

    def start(*words: str) -> "subprocess.Popen[bytes]":
        with open(folder / f"dask-{time.monotonic_ns()}.log", "wb") as log:
            return subprocess.Popen([sys.executable, "-m", "distributed.cli." + words[0], *words[1:]], stdout=log, stderr=log)

    scheduler = start("dask_scheduler", "--host", "127.0.0.1", "--port", "18786", "--no-dashboard")
    options = ("tcp://127.0.0.1:18786", "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", "--no-nanny")
    workers = [start("dask_worker", *options) for _ in range(2)]
    try:
        with Client("tcp://127.0.0.1:18786", timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            yield client.get_executor(), lambda: workers[0].kill()
    finally:
        for process in [*workers, scheduler]:
            process.kill()
            process.wait()


@contextlib.contextmanager
def ray(folder: Path) -> Iterator[tuple[Any, Callable[[], None]]]:
    """Two nodes of Ray; the second is lost."""
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_DISABLE_IMPORT_WARNING="1", RAY_DEDUP_LOGS="0")
    import ray as engine
    from ray.cluster_utils import Cluster

    # Ray replaces 127.0.0.1 by the address of the host.
    cluster = Cluster(
        initialize_head=True,
        head_node_args={
            "num_cpus": 1,
            "node_ip_address": "127.0.0.2",
            "include_dashboard": False,
            "object_store_memory": 80_000_000,
        },
    )
    second = cluster.add_node(num_cpus=1, node_ip_address="127.0.0.3", object_store_memory=80_000_000)
    try:
        engine.init(address=cluster.address, _node_ip_address="127.0.0.2", log_to_driver=False)
        yield tucrl.executors.ray(), lambda: cluster.remove_node(second, allow_graceful=False)
    finally:
        engine.shutdown()
        cluster.shutdown()


@contextlib.contextmanager
def submitit(folder: Path) -> Iterator[tuple[Any, Callable[[], None]]]:
    """Processes of submitit on this machine: its executor on Slurm is the same class."""
    import submitit as engine

    executor = engine.LocalExecutor(folder=folder / "submitit")
    executor.update_parameters(timeout_min=10)
    jobs: list[Any] = []

    class Two:
        """At most two processes at a time."""

        def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
            """Start a call."""
            while sum(not job.done() for job in jobs) >= 2:
                time.sleep(0.02)
            jobs.append(executor.submit(function, *arguments))
            return jobs[-1]

    yield Two(), lambda: jobs[-1]._interrupt() if hasattr(jobs[-1], "_interrupt") else jobs[-1].cancel()


def disturbed(out: Path, kill: Callable[[], None] | None) -> threading.Thread:
    """Kill a worker as soon as a few runs are there."""

    def wait() -> None:
        for _ in range(3000):
            if len(bodies(out)) >= 2:
                if kill is not None:
                    kill()
                return
            time.sleep(0.02)

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


def main() -> None:
    """Run one engine."""
    name, overhead = sys.argv[1], "--overhead" in sys.argv
    sys.path.append(str(ROOT / "examples" / "python"))
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT / "examples" / "python"), os.environ.get("PYTHONPATH", "")])
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        os.chdir(folder)
        (folder / "models").mkdir()
        tucrl.MDP("three-state:delta=0.1").to_file("models/small.json")
        steps, seeds = (1000, 20) if overhead else (200_000, 3)
        (folder / "e.toml").write_text(EXPERIMENT.format(steps=steps, seeds=seeds))
        if overhead:
            text = (folder / "e.toml").read_text()
            (folder / "e.toml").write_text(text[: text.index("agents")] + 'agents = ["random", "oracle"]\n')
        began = time.perf_counter()
        tucrl.run("e.toml", out="here", progress=False, jobs=2)
        alone = time.perf_counter() - began
        expected = bodies(folder / "here")
        assert len(expected) >= 12, len(expected)
        if overhead:
            with started(name, folder) as (executor, _):
                measure(executor, folder, expected, alone)
            return
        with started(name, folder) as (executor, kill):
            thread = disturbed(folder / "there", kill)
            try:
                tucrl.run("e.toml", out="there", executor=executor, progress=False)
            except RuntimeError as error:
                # A pool of loky does not survive the loss of a process; every other engine must.
                if name != "loky" or "takes no more work" not in str(error):
                    raise
                assert 0 < len(bodies(folder / "there")) < len(expected), error
                with started(name, folder) as (another, _):
                    tucrl.run("e.toml", out="there", executor=another, progress=False)
            thread.join()
        assert bodies(folder / "there") == expected, "records differ"
        print(f"  {len(expected)} runs, {'a worker killed, ' if kill is not None else ''}records identical")


@contextlib.contextmanager
def mpi(folder: Path) -> Iterator[tuple[Any, None]]:
    """The other ranks of this job. MPI ends the whole job when one is killed."""
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor() as executor:
        yield executor, None


def started(name: str, folder: Path) -> Any:
    """Return an engine that is started by `with`."""
    return {"loky": loky, "dask": dask, "ray": ray, "mpi": mpi, "submitit": submitit}[name](folder)


def measure(executor: Any, folder: Path, expected: dict[str, bytes], alone: float) -> None:
    """Print the time per run, without what only the first runs pay: interpreters that start, worlds that are solved."""
    tucrl.learn("river-swim", "random", 10, seeds=4, executor=executor)
    began = time.perf_counter()
    tucrl.run("e.toml", out="there", executor=executor, progress=False)
    took = time.perf_counter() - began
    assert bodies(folder / "there") == expected, "records differ"
    runs = len(expected)
    print(f"  {1e3 * took / runs:.1f} ms per run by the executor, {1e3 * alone / runs:.1f} ms here, {runs} runs of 1000 steps")


if __name__ == "__main__":
    main()
