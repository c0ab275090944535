"""Runs many agents on all cores and returns their results."""

import html
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from typing import TYPE_CHECKING, Any

from tucrl import _native
from tucrl._progress import Line, is_watched

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    from gymnasium import Env

    from tucrl._cells import Executor
    from tucrl._run import Factory
    from tucrl.gym import Continuing


# Seconds before a progress bar appears.
_PATIENCE = 2.0
# Figures of a result in a notebook.
_FIGURES = 4
# The style of a result in a notebook: the figure is beside the table, or below it where the page is narrow.
_BESIDE = "display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start"
_STYLE = (
    "<style>.tucrl-regret{flex:1 1 26em;max-width:44em;margin:0}"
    ".tucrl-regret svg{width:100%;height:auto}</style>"
)


def learn(
    world: "str | PathLike[str] | _native.MDP | _native.World | Env[Any, Any] | Continuing",
    agents: "str | Factory | Iterable[str | Factory] | Mapping[str, str | Factory]" = "tucrl",
    steps: float = 1_000_000,
    seeds: int = 4,
    jobs: int | None = None,
    *,
    seed: "int | np.random.Generator | None" = 1,
    checkpoints: int = 10,
    exploration: bool = False,
    step_timeout: float = 60.0,
    in_process: bool = False,
    progress: bool | None = None,
    executor: "Executor | None" = None,
    retries: int = 3,
) -> "Result":
    """Run agents in a world on all cores and measure their regret.

    The results are those of the command ``tucrl learn``: run ``r`` of master seed ``seed`` draws from
    streams that depend on these two only, so all agents of a run use the same random streams, and ``jobs``
    changes only the time. The interpreter's lock is released; Ctrl-C stops all runs.

    world: a spec (``"taxi:map=v3"``, ``"gym:FrozenLake-v1"``), a model file, an ``MDP``, a ``World``, or an
        environment of Gymnasium (docs/your-own-world.md).
    agents: one spec or several, or a dictionary from labels to specs and agents of your own: classes or
        functions that return an object with ``act(state)`` and ``observe(reward, next_state)``
        (docs/your-own-agent.md).
    steps: steps per run.
    seeds: runs per agent.
    jobs: number of threads; by default one per core.
    seed: the master seed; a generator of NumPy is one too, and ``None`` is a new one every time.
    checkpoints: checkpoints of regret per decade of steps.
    exploration: whether to measure what is lost in the steps after an agent starts to explore again, as
        the table ``exploration``; runs are slower.
    step_timeout: seconds that a step of an agent written in Python may take; then its run fails.
    in_process: whether agents written in Python run in this process: faster to start, but what never
        returns cannot be ended, and they share one interpreter.
    progress: whether to show a bar, with tqdm if that is installed; by default after two seconds, in a
        notebook or a terminal.
    executor: makes the runs elsewhere: any object with ``submit(function, *arguments)`` that returns something
        with ``done()`` and ``result()`` (docs/cluster.md). Each run takes one thread; ``jobs`` is not used.
    retries: how often a run is given to the executor again when its worker is lost.

    >>> import tucrl
    >>> result = tucrl.learn("three-state:delta=0", ["tucrl:alpha=0.05", "ucrl:alpha=0.05"], 1e5)
    >>> summary = result.table("summary")
    >>> dict(zip(summary["agent"], summary["rank"].tolist()))
    {'tucrl:alpha=0.05': 1, 'ucrl:alpha=0.05': 2}
    """
    from tucrl import _own, _run, _worlds

    _own.refuse_in_worker("tucrl.learn")
    own = _run.Own({}, {}, in_process, step_timeout)
    specs = _run.named(agents, own.agents)
    if executor is not None:
        made: dict[str, Any] = {
            "world": _worlds.as_world(world),
            "agents": specs,
            "own": own,
            "steps": steps,
            "seeds": seeds,
            "checkpoints": checkpoints,
            "exploration": exploration,
        }
        cells = _native.Cells.of_world(
            made["world"], specs, own, steps, seeds, seed, checkpoints, exploration
        )
        # A seed that is drawn is drawn once.
        made["seed"] = cells.master_seed
        if isinstance(world, str):
            made["world"] = world
        _run._elsewhere(cells, made, executor, list(range(len(cells))), retries, None, 0.0, progress, cells.accept)
        return Result(cells.result())
    shown = bar(steps * seeds * len(specs), progress)
    tell = None if shown is None else shown.show
    try:
        runs = _native.learn(
            _worlds.as_world(world), specs, own, steps, seeds, seed, jobs, checkpoints, tell, exploration
        )
    finally:
        if shown is not None:
            shown.close()
    return Result(runs)


class Result:
    """The results of ``learn`` and ``run``: every run, as tables, a figure, or a page.

    Tables are named as in ``docs/reports.md``: ``curves`` has a row per run and checkpoint, ``summary`` a
    row per agent, ``pairs`` a row per comparison, ``episodes`` a row per episode.
    """

    def __init__(self, runs: _native.Runs) -> None:
        self._runs = runs

    def __len__(self) -> int:
        return len(self._runs)

    def table(self, name: str = "curves") -> dict[str, Any]:
        """Return the columns of a table, as arrays and lists."""
        return self._runs.table(name)

    def to_pandas(self, table: str = "curves") -> Any:
        """Return a table as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.table(table))

    def to_polars(self, table: str = "curves") -> Any:
        """Return a table as a polars DataFrame."""
        import polars

        return polars.DataFrame(self.table(table))

    def to_arrow(self, table: str = "curves") -> Any:
        """Return a table as a pyarrow Table."""
        import pyarrow

        return pyarrow.table(self.table(table))

    @property
    def failed(self) -> list[tuple[str, int, str]]:
        """The runs that failed: agent, run, error."""
        return self._runs.failed()

    def visits(self, agent: str, run: int = 0) -> list[tuple[int, int, int]]:
        """Return the visits of a run as (state, action, visits), in order of first visit."""
        return self._runs.visits(agent, run)

    def report(self, path: str | PathLike[str]) -> list[str]:
        """Write a report and return its files.

        ``report("out.html")`` writes one interactive page, which needs no network; any other name is a folder
        for the page, the tables as CSV and Parquet, and the figures.
        """
        return [str(file) for file in self._runs.report(path)]

    @property
    def worlds(self) -> list[str]:
        """The worlds of the runs."""
        return list(dict.fromkeys(self.table("summary")["world"]))

    def plot(
        self, ax: Any = None, *, log: bool = True, regret: str | None = None, world: str | None = None
    ) -> Any:
        """Draw the mean regret of every agent, shaded from the 5 % to the 95 % quantile of its runs.

        regret: ``"gap"``, the sum of the Bellman gaps of the pairs played; ``"realised"``, the optimal gain
            times steps minus the rewards; or ``"pseudo"``, which has mean rewards in place of rewards. By
            default gap regret where it is known.
        world: which world, where there are several.

        Returns the axes; needs matplotlib.
        """
        import numpy as np

        if ax is None:
            from matplotlib import pyplot

            ax = pyplot.figure(layout="constrained").add_subplot()
        if world is None and len(self.worlds) > 1:
            raise ValueError(f"there are several worlds: pass world=, one of {', '.join(map(repr, self.worlds))}")
        if world is not None and world not in self.worlds:
            raise ValueError(f"world = {world!r}: there are {', '.join(map(repr, self.worlds))}")
        name, column = self._kind(regret)
        for agent, (times, values) in self._regret(column, world or self.worlds[0]).items():
            (line,) = ax.plot(times, values.mean(axis=0), label=agent)
            low, high = np.quantile(values, [0.05, 0.95], axis=0)
            ax.fill_between(times, low, high, color=line.get_color(), alpha=0.2, linewidth=0)
        if log:
            ax.set_xscale("log")
            ax.set_yscale("log")
        ax.set_xlabel("step")
        ax.set_ylabel(name)
        ax.legend()
        return ax

    def _kind(self, asked: str | None) -> tuple[str, str]:
        """The name of a kind of regret and its column in ``curves``."""
        kinds = {
            "gap": ("gap regret", "gap_regret"),
            "realised": ("realised regret", "regret"),
            "pseudo": ("pseudo-regret", "pseudo_regret"),
        }
        if asked is None:
            asked = self.table("summary")["shown"][0]
        if asked not in kinds:
            raise ValueError(f"regret={asked!r}: choose one of {', '.join(map(repr, kinds))}")
        return kinds[asked]

    def _regret(
        self, column: str, world: str
    ) -> "dict[str, tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]]":
        """Times, and regret by run and time, of every agent in a world, of its complete runs."""
        import numpy as np

        curves = self.table("curves")
        is_here = np.array(curves["world"]) == world
        labels = np.array(curves["label"])
        last = curves["t"][is_here].max(initial=0)
        curve = {}
        for label in dict.fromkeys(labels[is_here].tolist()):
            is_own = is_here & (labels == label)
            runs = np.unique(curves["run"][is_own & (curves["t"] == last)])
            if runs.size:
                rows = [is_own & (curves["run"] == run) for run in runs]
                regret = np.stack([curves[column][row] for row in rows])
                curve[label] = (curves["t"][rows[0]], regret)
        return curve

    def _rows(self) -> list[tuple[str, str, str, str]]:
        """Agent, runs, regret and growth, as text."""
        summary = self.table("summary")
        rows = []
        has_worlds = len(set(summary["world"])) > 1
        for row, label in enumerate(summary["label"]):
            agent = f"{summary['world'][row]} {label}" if has_worlds else label
            mean, high = summary["mean"][row], summary["student_high"][row]
            half = "" if high != high else f" ± {high - mean:.3g}"
            growth = summary["growth"][row]
            rows.append(
                (
                    str(agent),
                    str(summary["runs"][row]),
                    "–" if mean != mean else f"{mean:.6g}{half}",
                    "–" if growth != growth else f"{growth:.2f}",
                )
            )
        return rows

    def __repr__(self) -> str:
        head = ("agent", "runs", self._kind(None)[0], "growth")
        rows = [head, *self._rows()]
        widths = [max(len(row[column]) for row in rows) for column in range(4)]
        lines = ("  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in rows)
        return "\n".join([self._title(), *(line.rstrip() for line in lines)])

    def _repr_html_(self) -> str:
        cells = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._rows()
        )
        names = ("agent", "runs", f"{self._kind(None)[0]} ± 95 %", "growth")
        head = "".join(f"<th>{name}</th>" for name in names)
        title = html.escape(self._title())
        table = f"<table><caption>{title}</caption><tr>{head}</tr>{cells}</table>"
        return f'<div style="{_BESIDE}">{table}{"".join(self._figures())}</div>'

    def _figures(self) -> Iterator[str]:
        """The regret in the first worlds, as HTML."""
        for world in self.worlds[:_FIGURES]:
            figure = self._runs.figure(world)
            if figure is not None:
                told = html.escape(f"{self._kind(None)[0]} in {world}; the table has the last values")
                yield f'<figure role="img" aria-label="{told}" class="tucrl-regret">{_STYLE}{figure}</figure>'
        more = len(self.worlds) - _FIGURES
        if more > 0:
            yield f"<p>{more} more worlds have no figure here: <code>report(path)</code> draws all.</p>"

    def _title(self) -> str:
        summary = self.table("summary")
        worlds = self.worlds
        if len(worlds) > 1:
            return f"{len(worlds)} worlds"
        return f"{worlds[0]}, {summary['t'][0]} steps"


class _Steps:
    """The share of the steps, where tqdm is not installed."""

    def __init__(self, total: float) -> None:
        self._total = total
        self._began = time.monotonic()
        self._line = Line(is_shown=True)

    def show(self, taken: int) -> None:
        if time.monotonic() - self._began >= _PATIENCE:
            self._line.show(f"learning {100 * taken / self._total:5.1f} %")

    def close(self) -> None:
        self._line.close()


class _Tqdm:
    """Progress by tqdm, which supports notebooks."""

    def __init__(self, tqdm: Callable[..., Any], total: float) -> None:
        self._bar = tqdm(total=total, desc="learning", unit="step", unit_scale=True, delay=_PATIENCE)
        self._taken = 0

    def show(self, taken: int) -> None:
        self._bar.update(taken - self._taken)
        self._taken = taken

    def close(self) -> None:
        self._bar.close()


def bar(total: float, progress: bool | None) -> _Steps | _Tqdm | None:
    """Return what shows progress, if anything does."""
    if progress is None:
        progress = is_watched()
    if not progress:
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _Steps(total)
    return _Tqdm(tqdm, total)
