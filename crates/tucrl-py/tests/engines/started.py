"""Starts and ends real engines: each is a context that gives an executor, and a function that kills a worker."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import tucrl

Kill = Callable[[], None]
Started = tuple[Any, Kill]


def program(log: Path, *words: str, **variables: str) -> "subprocess.Popen[bytes]":
    """Start a module of Python."""
    with log.open("wb") as file:
        environment = {**os.environ, **variables}
        return subprocess.Popen([sys.executable, "-m", *words], stdout=file, stderr=file, env=environment)


def ended(*processes: "subprocess.Popen[bytes]") -> None:
    """End processes."""
    for process in processes:
        process.kill()
        process.wait()


@contextlib.contextmanager
def loky(folder: Path) -> Iterator[Started]:
    """Two processes of loky; one that is killed breaks the pool."""
    from loky import get_reusable_executor

    executor = get_reusable_executor(max_workers=2)
    yield executor, lambda: os.kill(next(iter(executor._processes)), signal.SIGKILL)
    executor.shutdown(kill_workers=True)


@contextlib.contextmanager
def dask(folder: Path) -> Iterator[Started]:
    """A scheduler and two workers, each a process of its own."""
    from distributed import Client

    address = "tcp://127.0.0.1:18786"
    scheduler = program(
        folder / "scheduler.log", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "18786", "--no-dashboard"
    )
    options = (address, "--nthreads", "1", "--no-dashboard", "--host", "127.0.0.1", "--no-nanny")
    workers = [program(folder / f"{number}.log", "distributed.cli.dask_worker", *options) for number in range(2)]
    try:
        with Client(address, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            yield client.get_executor(), lambda: workers[0].kill()
    finally:
        ended(*workers, scheduler)


@contextlib.contextmanager
def ray(folder: Path) -> Iterator[Started]:
    """Two nodes of Ray; the second is lost."""
    os.environ.update(RAY_USAGE_STATS_ENABLED="0", RAY_DISABLE_IMPORT_WARNING="1", RAY_DEDUP_LOGS="0", RAY_worker_niceness="0")
    import ray as engine
    from ray.cluster_utils import Cluster

    # Ray replaces 127.0.0.1 by the address of the host.
    head = {"num_cpus": 1, "node_ip_address": "127.0.0.2", "include_dashboard": False, "object_store_memory": 80_000_000}
    cluster = Cluster(initialize_head=True, head_node_args=head)
    second = cluster.add_node(num_cpus=1, node_ip_address="127.0.0.3", object_store_memory=80_000_000)
    try:
        engine.init(address=cluster.address, _node_ip_address="127.0.0.2", log_to_driver=False)
        assert len(engine.nodes()) == 2, engine.nodes()
        yield tucrl.executors.ray(), lambda: cluster.remove_node(second, allow_graceful=False)
    finally:
        engine.shutdown()
        cluster.shutdown()


@contextlib.contextmanager
def submitit(folder: Path) -> Iterator[Started]:
    """Processes of submitit on this machine, two at a time; its executor on Slurm is the same class."""
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

    def kill() -> None:
        # The process that watches the call, and the one that makes it.
        pid = jobs[-1]._process.pid
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        for each in [pid, *map(int, children)]:
            os.kill(each, signal.SIGKILL)

    yield Two(), kill


@contextlib.contextmanager
def mpi(folder: Path) -> Iterator[Started]:
    """The other ranks of this job. MPI ends the whole job when one is killed."""
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor() as executor:
        worker = executor.submit(os.getpid).result()
        yield executor, lambda: os.kill(worker, signal.SIGKILL)


ENGINES = {"loky": loky, "dask": dask, "ray": ray, "submitit": submitit, "mpi": mpi}
