"""Logs of transitions: read, numbered, made into models and certificates. The library computes."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from tucrl import _native

if TYPE_CHECKING:
    # Imported where it is used: it takes longer to import than the rest of the package.
    import numpy as np
    import numpy.typing as npt

Unvisited = Literal["error"] | tuple[Literal["stay", "uniform"], float]

COLUMNS = ("state", "action", "reward", "next_state")


class Log:
    """Transitions of any origin, with states and actions numbered.

    states, actions, rewards, next_states: one entry per transition: arrays, lists or columns of a frame.
    n_states, n_actions: how many there are, where whole numbers name them and some may not occur.

    Whole numbers from 0 are their own numbers. Any other hashable objects are numbered in order of appearance, states
    and next states together.

    >>> import tucrl
    >>> log = tucrl.Log(["a", "b"], ["go", "go"], [0.0, 1.0], ["b", "a"])
    >>> log
    tucrl.Log: 2 transitions, 2 states, 1 action
    >>> log.states, log.number("b")
    (['a', 'b'], 1)
    """

    def __init__(
        self,
        states: Any,
        actions: Any,
        rewards: Any,
        next_states: Any,
        *,
        n_states: int | None = None,
        n_actions: int | None = None,
    ) -> None:
        s, a, r, n = lists(states, actions, rewards, next_states)
        if not s:
            raise ValueError("the log has no transitions")
        both, self.states = _numbered("state", [*s, *n], n_states)
        self._states = {state: number for number, state in enumerate(self.states)}
        self.state_numbers, self.next_numbers = both[: len(s)], both[len(s) :]
        self.action_numbers, self.actions = _numbered("action", a, n_actions)
        self.rewards: npt.NDArray[np.float64] = _rewards(r)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        columns: Sequence[str] = COLUMNS,
        *,
        n_states: int | None = None,
        n_actions: int | None = None,
    ) -> Log:
        """Read the columns of a frame of pandas or polars, a structured array, or a dict."""
        if len(columns) != 4:
            raise ValueError(f"columns = {columns!r}: name four, those of {', '.join(COLUMNS)}")
        parts = []
        for column in columns:
            try:
                parts.append(frame[column])
            except Exception as error:
                raise ValueError(
                    f"the log has no column {column!r}: name its columns by columns=(state, action, reward, next state)"
                ) from error
        return cls(*parts, n_states=n_states, n_actions=n_actions)

    def __len__(self) -> int:
        return len(self.rewards)

    def __repr__(self) -> str:
        def counted(number: int, what: str) -> str:
            return f"{number} {what}{'' if number == 1 else 's'}"

        sizes = [(len(self), "transition"), (len(self.states), "state"), (len(self.actions), "action")]
        return f"tucrl.Log: {', '.join(counted(*size) for size in sizes)}"

    def number(self, state: Hashable) -> int:
        """Return the number of a state."""
        try:
            return self._states[state]
        except KeyError:
            raise ValueError(f"the log does not have the state {state!r}") from None

    @property
    def visits(self) -> npt.NDArray[np.int64]:
        """How often each action was played in each state: an array of states × actions."""
        import numpy as np

        width = len(self.actions)
        pairs = self.state_numbers * width + self.action_numbers
        counts = np.bincount(pairs, minlength=len(self.states) * width)
        return counts.reshape(len(self.states), width).astype(np.int64)

    def _columns(self) -> tuple[Any, Any, Any, Any]:
        return self.state_numbers, self.action_numbers, self.rewards, self.next_numbers

    def _sizes(self) -> tuple[int, int]:
        return len(self.states), len(self.actions)


def lists(states: Any, actions: Any, rewards: Any, next_states: Any) -> list[list[Any]]:
    """Return four lists of the same length."""
    given = {"states": states, "actions": actions, "rewards": rewards, "next_states": next_states}
    found = [_list(name, values) for name, values in given.items()]
    lengths = [len(values) for values in found]
    if len(set(lengths)) > 1:
        shown = ", ".join(f"{length} {name}" for name, length in zip(given, lengths, strict=True))
        raise ValueError(f"the columns of the log differ in length: {shown}")
    return found


def _list(name: str, values: Any) -> list[Any]:
    if isinstance(values, (str, bytes)):
        raise ValueError(f"{name} is a text: give one entry per transition")
    for method in ("tolist", "to_list"):
        convert = getattr(values, method, None)
        if convert is not None:
            values = convert()
            # Rows of a two-dimensional array are observations; lists cannot be hashed.
            return [tuple(value) if isinstance(value, list) else value for value in values]
    try:
        return list(values)
    except TypeError:
        raise ValueError(f"{name} is {values!r}: give one entry per transition") from None


def _numbered(what: str, values: list[Any], size: int | None) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """Return the numbers of labels, and the labels by number."""
    import numpy as np

    if all(isinstance(value, (int, np.integer)) and not isinstance(value, bool) for value in values):
        numbers = np.asarray(values, dtype=np.int64)
        lowest, highest = int(numbers.min()), int(numbers.max())
        if lowest < 0:
            raise ValueError(f"the {what} {lowest} is negative: number {what}s from 0")
        if size is None and highest >= 2 * len(values) + 1000:
            raise ValueError(
                f"the largest {what} is {highest}, in a log of {len(values)} transitions: pass n_{what}s=… if there are "
                f"so many, or name {what}s by text"
            )
        if size is not None and highest >= size:
            raise ValueError(f"the {what} {highest} is outside n_{what}s = {size}: raise it")
        return numbers, list(range(highest + 1 if size is None else size))
    known: dict[Any, int] = {}
    codes = np.empty(len(values), dtype=np.int64)
    for index, value in enumerate(values):
        if value is None or (isinstance(value, float) and value != value):
            place = index % (len(values) // 2) if what == "state" else index
            raise ValueError(f"transition {place} of the log has no {what}: it is {value!r}")
        try:
            codes[index] = known.setdefault(value, len(known))
        except TypeError:
            raise ValueError(f"the {what} {value!r} cannot be hashed: pass tuples, texts or numbers") from None
    if size is not None and size != len(known):
        raise ValueError(f"n_{what}s = {size}, and the log has {len(known)}: leave it out where {what}s have names")
    return codes, list(known)


def _rewards(values: list[Any]) -> npt.NDArray[np.float64]:
    import numpy as np

    try:
        rewards = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        bad = next(i for i, value in enumerate(values) if not isinstance(value, (int, float, np.number)))
        raise ValueError(f"transition {bad} of the log has the reward {values[bad]!r}: give numbers") from None
    if not np.isfinite(rewards).all():
        bad = int(np.argmin(np.isfinite(rewards)))
        raise ValueError(f"transition {bad} of the log has the reward {rewards[bad]}: give finite numbers")
    return rewards


def from_log(
    log: Any,
    *,
    unvisited: Unvisited,
    columns: Sequence[str] = COLUMNS,
    n_states: int | None = None,
    n_actions: int | None = None,
    reward_range: tuple[float, float] | None = None,
    start: Hashable | None = None,
    name: str = "log",
) -> _native.MDP:
    """Build the empirical model of a log; see ``MDP.from_log``."""
    read = log if isinstance(log, Log) else Log.from_frame(log, columns, n_states=n_states, n_actions=n_actions)
    low, high = float(read.rewards.min()), float(read.rewards.max())
    if reward_range is None:
        # Of a single reward: from or up to 0.
        reward_range = (low, high) if low < high else (min(low, 0.0), max(high, 0.0 if low < 0.0 else 1.0))
    ends = (float(reward_range[0]), float(reward_range[1]))
    if low < ends[0] or high > ends[1]:
        raise ValueError(f"the rewards of the log lie between {low:g} and {high:g}, not in reward_range = {reward_range}")
    names = [[] if _are_numbers(labels) else [str(label) for label in labels] for labels in (read.states, read.actions)]
    first = int(read.state_numbers[0]) if start is None else read.number(start)
    return _native.MDP._empirical(
        name, read._sizes(), read._columns(), unvisited, ends, first, (names[0], names[1])
    )


def from_transitions(
    states: Any,
    actions: Any,
    rewards: Any,
    next_states: Any,
    *,
    unvisited: Unvisited,
    n_states: int | None = None,
    n_actions: int | None = None,
    reward_range: tuple[float, float] | None = None,
    start: Hashable | None = None,
    name: str = "log",
) -> _native.MDP:
    """Build the empirical model of transitions; see ``MDP.from_transitions``."""
    log = Log(states, actions, rewards, next_states, n_states=n_states, n_actions=n_actions)
    return from_log(log, unvisited=unvisited, reward_range=reward_range, start=start, name=name)


def _are_numbers(labels: Sequence[Any]) -> bool:
    return all(isinstance(label, int) and label == number for number, label in enumerate(labels))


@dataclass(frozen=True)
class Candidate:
    """The solution of the empirical model for one discount: one line of a certificate's search."""

    #: 1 / (1 - discount).
    horizon: float
    #: (1 - discount) times the smallest value of a state.
    estimate: float
    #: The span of the values.
    span: float
    #: The lower bound of Zurek and Chen (2025).
    by_horizon: float
    #: The lower bound by the distance of all plausible laws.
    by_distance: float


@dataclass(frozen=True)
class Certificate:
    """A policy with a lower bound on its gain, from samples."""

    #: The action of each state, by number.
    policy: list[Any]
    #: The states by number.
    states: list[Any]
    #: With probability 1 - delta the gain of the policy is at least this, from every state.
    gain: float
    #: Which bound that is: "horizon", "distance", or "trivial" if the samples show no more than the lowest reward.
    bound: str
    #: Whether it is a certificate; not if widths were shrunk.
    is_certified: bool
    #: How many samples of each pair are used for next states, and for rewards (none if rewards are deterministic).
    samples: int
    reward_samples: int | None
    delta: float
    shrink: float
    #: What was tried, by increasing horizon.
    candidates: list[Candidate]

    @property
    def policy_dict(self) -> dict[Any, Any]:
        """The policy as a dict from states to actions."""
        return dict(zip(self.states, self.policy, strict=True))

    def __str__(self) -> str:
        if not self.is_certified:
            return f"estimated gain {self.gain:.6g}: widths were multiplied by {self.shrink:g}, so nothing is certified"
        if self.bound == "trivial":
            return f"no more than the lowest reward, {self.gain:.6g}, is certain: more samples are needed"
        return f"gain at least {self.gain:.6g} with probability {1 - self.delta:g} (bound: {self.bound})"


def certify(
    source: Any,
    *,
    samples: int | None = None,
    states: int | Sequence[Hashable] | None = None,
    actions: int | None = None,
    rewards: Literal["random", "deterministic"] = "random",
    reward_range: tuple[float, float] | None = None,
    columns: Sequence[str] = COLUMNS,
    delta: float = 0.05,
    shrink: float = 1.0,
    seed: Any = 0,
) -> Certificate:
    """Return a policy with a certified lower bound on its gain, from samples of every state-action pair.

    With probability ``1 - delta`` the gain of ``policy`` is at least ``gain`` from every state. Two bounds are
    computed and the larger one is returned: horizon calibration (Zurek and Chen, COLT 2025), whose constants are the
    theory's and which needs billions of samples, and a bound by the l1 distance of all plausible laws.

    source: a log (a ``tucrl.Log`` or what ``MDP.from_log`` takes), an ``MDP`` to draw from, or a function from a
        state and an action to a reward and a next state.
    samples: how many samples of each pair to draw from an ``MDP`` or a function. Of a log, as many as its rarest pair
        has; the first ones of each pair are used.
    states: how many states there are, required for a log, because a log cannot show that no state is missing; for a
        function the list of the states, or their number.
    actions: how many actions each state has; those of the log unless given.
    rewards: "deterministic" if a pair always pays the same; otherwise an eighth of the samples goes into rewards.
    reward_range: the lowest and the highest possible reward; required unless the source is an ``MDP``.
    delta: how often the certificate may be wrong.
    shrink: a factor on all widths. Below 1 the result is an estimate and not a certificate, and says so.

    The bound by horizon needs a weakly communicating world; both need every action of every state.

    >>> import tucrl
    >>> world = tucrl.MDP("river-swim")
    >>> found = tucrl.certify(world, samples=100_000, rewards="deterministic", seed=1)
    >>> gains, bias = world.evaluate(found.policy)
    >>> found.is_certified, bool(0.3 < found.gain <= gains.min())
    (True, True)
    """
    if rewards not in ("random", "deterministic"):
        raise ValueError(f"rewards = {rewards!r}: accepted are 'random' and 'deterministic'")
    is_deterministic = rewards == "deterministic"
    if isinstance(source, _native.MDP):
        if states is not None or actions is not None or reward_range is not None:
            raise ValueError("an MDP says its states, actions and rewards: leave them out")
        drawn = source._certify(_samples(samples), is_deterministic, float(delta), float(shrink), seed)
        return _certificate(drawn, list(range(source.states)), None, delta, shrink)
    if reward_range is None:
        raise ValueError("which rewards are possible? Pass reward_range=(lowest, highest): samples cannot show it")
    ends = (float(reward_range[0]), float(reward_range[1]))
    if callable(source):
        log = _drawn(source, _samples(samples), states, actions)
        used, is_size_random = _samples(samples), False
    else:
        if samples is not None:
            raise ValueError("a log has the samples that it has: leave out samples")
        size = states if isinstance(states, int) else None
        if size is None:
            raise ValueError("how many states are there? Pass states=…: a log cannot show that no state is missing")
        log = source if isinstance(source, Log) else Log.from_frame(source, columns, n_actions=actions)
        if len(log.states) != size:
            raise ValueError(
                f"the log has {len(log.states)} of {size} states: a state without samples may be as bad as any, so nothing "
                f"can be certified"
            )
        visits = log.visits
        used, is_size_random = int(visits.min()), True
        if used == 0:
            state, action = divmod(int(visits.argmin()), visits.shape[1])
            raise ValueError(
                f"the log has no sample of action {log.actions[action]!r} in state {log.states[state]!r}: every action "
                f"of every state needs some"
            )
    low, high = float(log.rewards.min()), float(log.rewards.max())
    if low < ends[0] or high > ends[1]:
        raise ValueError(f"rewards between {low:g} and {high:g} were observed, not in reward_range = {reward_range}")
    found = _native.MDP._certify_log(
        log._sizes(), log._columns(), ends, used, is_deterministic, is_size_random, float(delta), float(shrink)
    )
    return _certificate(found, log.states, log.actions, delta, shrink)


def _samples(samples: int | None) -> int:
    if samples is None or int(samples) != samples or samples < 1:
        raise ValueError(f"samples = {samples!r}: how many samples of each pair are to be drawn?")
    return int(samples)


def _drawn(
    sampler: Callable[[Any, int], tuple[float, Any]],
    samples: int,
    states: int | Sequence[Hashable] | None,
    actions: int | None,
) -> Log:
    """Draw from a function."""
    if states is None or actions is None:
        raise ValueError("a function does not say where it can be asked: pass states=… and actions=…")
    names: Iterable[Any] = range(states) if isinstance(states, int) else states
    columns: list[list[Any]] = [[], [], [], []]
    known = list(names)
    for state in known:
        for action in range(actions):
            for _ in range(samples):
                reward, following = sampler(state, action)
                for column, value in zip(columns, (state, action, reward, following), strict=True):
                    column.append(value)
    log = Log(*columns, n_states=len(known) if isinstance(states, int) else None, n_actions=actions)
    strange = set(log.states) - set(known)
    if strange:
        raise ValueError(f"the function led to the state {next(iter(strange))!r}, which is not among states")
    return log


def _certificate(
    found: tuple[list[int], float, str, bool, int, int | None, list[tuple[float, float, float, float, float]]],
    states: list[Any],
    actions: list[Any] | None,
    delta: float,
    shrink: float,
) -> Certificate:
    policy, gain, bound, is_certified, samples, reward_samples, candidates = found
    return Certificate(
        policy=[action if actions is None else actions[action] for action in policy],
        states=states,
        gain=gain,
        bound=bound,
        is_certified=is_certified,
        samples=samples,
        reward_samples=reward_samples,
        delta=delta,
        shrink=shrink,
        candidates=[Candidate(*candidate) for candidate in candidates],
    )


def learned(agent: _native.Agent) -> str:
    """Return what an agent learned as JSON; see ``Agent.to_json``."""

    def named(policy: dict[Any, int]) -> list[list[Any]]:
        return [[state, action] for state, action in policy.items()]

    rows, actions, nexts, counts = (column.tolist() for column in agent.transitions)
    means = [[None if mean != mean else mean for mean in row] for row in agent.mean_rewards.tolist()]
    return json.dumps(
        {
            "spec": agent.spec,
            "states": agent.states,
            "actions": agent.actions,
            "reward_range": list(agent.reward_range),
            "steps": agent.steps,
            "absorbed": agent.absorbed,
            "seen_states": agent.seen_states,
            "visits": agent.visits.tolist(),
            "mean_rewards": means,
            "transitions": [list(entry) for entry in zip(rows, actions, nexts, counts, strict=True)],
            "policies": {
                "optimistic": named(agent.policy_dict(policy="optimistic")),
                "greedy": named(agent.policy_dict(policy="greedy")),
            },
        },
        default=_plain,
    )


def _plain(value: Any) -> Any:
    """Return what JSON has instead of a state."""
    import numpy as np

    if isinstance(value, (np.integer, np.floating)):
        return value.item()
    raise ValueError(f"the state {value!r} does not fit into JSON: pickle the agent instead")
