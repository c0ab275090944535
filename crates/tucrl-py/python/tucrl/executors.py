"""Executors for ``tucrl.run`` and ``tucrl.learn`` where a package has none of its own.

``concurrent.futures``, loky, Dask (``client.get_executor()``), ``mpi4py.futures`` and submitit need nothing from here: what has
``submit(function, *arguments)`` is an executor (docs/cluster.md).
"""

from collections.abc import Callable
from typing import Any

__all__ = ["ray"]


class _Ray:
    """Calls as tasks of Ray."""

    def __init__(self, options: dict[str, Any]) -> None:
        import ray

        self._remote = ray.remote(**options)
        self._functions: dict[Callable[..., Any], Any] = {}

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:
        """Start a call."""
        if function not in self._functions:
            self._functions[function] = self._remote(function)
        return self._functions[function].remote(*arguments).future()


def ray(**options: Any) -> _Ray:
    """Return an executor that makes every call a task of Ray.

    options: those of ``ray.remote``, such as ``num_cpus`` or ``max_retries``, which is 3 unless given. Connect first, by
        ``ray.init()``.
    """
    return _Ray({"max_retries": 3, "num_cpus": 1, **options})
