"""Models from arrays and from Gymnasium: conversions only; the library validates them."""

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tucrl import _native
from tucrl._endings import Endings, TerminalReward

# How far from 1 rounding, as to float32, may leave the sum of a row.
_ROUNDING = 1e-3

Entries = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]


def from_arrays(
    transitions: Any,
    rewards: Any,
    *,
    axes: Literal["sas", "ass"] | None = None,
    normalize: bool = False,
    start: int | npt.ArrayLike = 0,
    r_max: float | None = None,
    reward_range: tuple[float, float] | None = None,
    law: str = "constant",
    name: str = "arrays",
    state_names: Sequence[str] | None = None,
    action_names: Sequence[str] | None = None,
) -> _native.MDP:
    """Build a model from arrays; see ``MDP.from_arrays``."""
    if axes not in (None, "sas", "ass"):
        raise ValueError(f"axes = {axes!r}: accepted are 'sas' and 'ass'")
    if reward_range is not None:
        if r_max is not None:
            raise ValueError("r_max and reward_range both say which rewards are possible: keep one")
        reward_range = _checked_range(*reward_range)
    per_action = _per_action(transitions, axes)
    states = per_action[0].shape[0]
    rewards = _checked_rewards(rewards, len(per_action), states, axes)
    columns: list[list[npt.NDArray[Any]]] = [[], [], [], [], []]
    for action, matrix in enumerate(per_action):
        if matrix.ndim != 2 or matrix.shape != (states, states):
            raise ValueError(
                f"the transitions of action {action} have the shape {matrix.shape}: give matrices of "
                f"states × states, one per action, all of the same shape"
            )
        state, following, probability = _entries(matrix)
        probability = _summing_to_one(state, action, probability, states, normalize)
        reward = _rewards_of(rewards, action, state, following)
        parts = (state, np.full(len(state), action), following, probability, reward)
        for column, part in zip(columns, parts, strict=True):
            column.append(part)
    s, a, n, p, r = (np.concatenate(column) for column in columns)
    names = (_names("state_names", state_names), _names("action_names", action_names))
    return _native_model(name, states, s, a, n, p, r, _start_law(start), r_max, law, reward_range, names)


def from_gymnasium(
    env: Any,
    *,
    reward_range: tuple[float, float] | None = None,
    terminal_reward: TerminalReward | None = None,
    reset_cost: float = 0.0,
    name: str | None = None,
) -> _native.MDP:
    """Build a model from a Gymnasium environment; see ``MDP.from_gymnasium``."""
    unwrapped = getattr(env, "unwrapped", env)
    table = getattr(unwrapped, "P", None)
    if table is None:
        raise ValueError(
            f"{unwrapped} has no table of transitions (`env.unwrapped.P`): only Gymnasium's toy texts "
            f"have one; let an agent learn the others with tucrl.gym.Continuing"
        )
    law = getattr(unwrapped, "initial_state_distrib", getattr(unwrapped, "isd", None))
    if law is None:
        raise ValueError(f"{unwrapped} has no initial distribution (`initial_state_distrib`)")
    endings = Endings(env, terminal_reward, reset_cost, stacklevel=2)
    start = _start_law(np.asarray(law, dtype=np.float64))
    rows: list[tuple[int, int, int, float, float]] = []
    for state in range(len(table)):
        for action in range(len(table[state])):
            for probability, following, paid, terminated in table[state][action]:
                if probability == 0.0:
                    continue
                reward, nexts = float(paid), [(int(following), 1.0)]
                if terminated:
                    # The reset at the end of an episode is part of the transition.
                    reward = endings.paid(state, action, reward, int(following), terminated=True)
                    nexts = start
                rows.extend(
                    (state, action, after, float(probability) * share, reward) for after, share in nexts
                )
    s, a, n, p, r = (np.array(column) for column in zip(*rows, strict=True))
    r = r.astype(np.float64)
    if reward_range is None:
        low, high = float(r.min()), float(r.max())
        # Of a single reward: from or up to 0.
        range_ = (low, high) if low < high else (min(low, 0.0), max(high, 0.0 if low < 0.0 else 1.0))
    else:
        range_ = _checked_range(*reward_range)
    if name is None:
        spec = getattr(env, "spec", None)
        name = str(spec.id) if spec is not None else "gymnasium"
        name += f" ({endings})" if str(endings) else ""
    parts = (s.astype(np.int64), a.astype(np.int64), n.astype(np.int64), p)

    def model(rewards: npt.NDArray[np.float64]) -> _native.MDP:
        return _native_model(name, len(table), *parts, rewards, start, None, "constant", range_)

    low, high = range_
    built = model(r)
    # The lowest reward for the highest, and so on.
    _warn_if_all_alike(built, model(np.clip(low + (high - r), low, high)))
    return built


def _warn_if_all_alike(model: _native.MDP, opposite: _native.MDP) -> None:
    """Warn if the largest gain of a policy is also the smallest, which the opposite rewards, low + high - r, give."""
    low, high = model.reward_range
    difference = model.gain - (low + high - opposite.gain)
    if difference <= model.gain_error + opposite.gain_error + 1e-12 * (high - low):
        warnings.warn(
            f"{model.name}: every policy has the same gain, {model.gain:g} per step, so that there is nothing to "
            f"learn: say by terminal_reward=… or reset_cost=… what the end of an episode is worth",
            stacklevel=3,
        )


def _native_model(
    name: str,
    states: int,
    state: npt.NDArray[np.int64],
    action: npt.NDArray[np.int64],
    following: npt.NDArray[np.int64],
    probability: npt.NDArray[np.float64],
    reward: npt.NDArray[np.float64],
    start: list[tuple[int, float]],
    r_max: float | None,
    law: str,
    reward_range: tuple[float, float] | None = None,
    names: tuple[list[str] | None, list[str] | None] = (None, None),
) -> _native.MDP:
    if r_max is None:
        r_max = max(1.0, float(np.max(reward, initial=1.0)))
    order = np.lexsort((following, action, state))
    s, a, n = (np.ascontiguousarray(c[order], dtype=np.int64) for c in (state, action, following))
    p, r = (np.ascontiguousarray(c[order], dtype=np.float64) for c in (probability, reward))
    return _native.MDP._from_transitions(
        name, states, s, a, n, p, r, start, float(r_max), law, reward_range, *names
    )


def _per_action(transitions: Any, axes: str | None) -> Sequence[Any]:
    """Return a matrix of states × states for every action."""
    if _is_sparse(transitions):
        raise ValueError("one sparse matrix is one action: give a list of them, one per action")
    if _has_sparse(transitions):
        if axes == "sas":
            raise ValueError("a list of sparse matrices has one per action: leave out axes, or say axes='ass'")
        return list(transitions)
    dense = _dense(transitions)
    if dense.ndim != 3 or 0 in dense.shape:
        raise ValueError(
            f"transitions have the shape {dense.shape}: give an array of states × actions × states or of "
            f"actions × states × states, or a list of matrices of states × states, one per action"
        )
    axes = axes or _axes_of("transitions", dense.shape)
    fits = dense.shape[2] == dense.shape[0 if axes == "sas" else 1]
    if not fits:
        raise ValueError(
            f"transitions have the shape {dense.shape}, which is not "
            f"{'states × actions × states' if axes == 'sas' else 'actions × states × states'}"
        )
    return list(dense) if axes == "ass" else [dense[:, action, :] for action in range(dense.shape[1])]


def _axes_of(what: str, shape: tuple[int, ...]) -> str:
    """Return the only axes that fit a shape; of one state and one action both mean the same."""
    first, second, last = shape
    if first == second == last > 1:
        raise ValueError(
            f"{what} have the shape {shape}, which is states × actions × states and also actions × states × "
            f"states: say axes='sas' or axes='ass'"
        )
    return "ass" if second == last != first else "sas"


def _dense(values: Any) -> npt.NDArray[np.float64]:
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        parts = values if isinstance(values, (list, tuple, np.ndarray)) else []
        if not len(parts):
            raise
        # An array of arrays.
        return np.stack([np.asarray(part, dtype=np.float64) for part in parts])


def _entries(matrix: Any) -> Entries:
    """Return rows, columns and values of the nonzero entries of a matrix."""
    if _is_sparse(matrix):
        coo = matrix.tocoo()
        rows, columns, values = coo.row, coo.col, np.asarray(coo.data, dtype=np.float64)
        is_there = values != 0.0
        rows, columns, values = rows[is_there], columns[is_there], values[is_there]
    else:
        rows, columns = np.nonzero(matrix)
        values = matrix[rows, columns]
    return rows.astype(np.int64), columns.astype(np.int64), values


def _checked_rewards(rewards: Any, actions: int, states: int, axes: str | None) -> Any:
    """Return rewards as a list of sparse matrices, one per action, or an array whose last axes are [s], [s, a] or [s, a, s]."""
    if _has_sparse(rewards):
        if len(rewards) != actions:
            raise ValueError(f"{len(rewards)} reward matrices for {actions} actions: give one each")
        for matrix in rewards:
            if matrix.shape != (states, states):
                raise ValueError(f"a reward matrix has the shape {matrix.shape}: give states × states")
        return [matrix.tocsr() if _is_sparse(matrix) else np.asarray(matrix) for matrix in rewards]
    dense = _dense(rewards.toarray() if _is_sparse(rewards) else rewards)
    if dense.ndim == 3 and sorted(dense.shape) == sorted((states, actions, states)):
        own = axes if states == actions else None
        if (own or _axes_of("rewards", dense.shape)) == "ass":
            dense = dense.transpose(1, 0, 2)
    if dense.shape not in ((states,), (states, actions), (states, actions, states)):
        raise ValueError(
            f"rewards have the shape {dense.shape}: give one per state {(states,)}, per state and action "
            f"{(states, actions)}, or per transition {(states, actions, states)} or {(actions, states, states)}"
        )
    return dense


def _rewards_of(
    rewards: Any, action: int, state: npt.NDArray[np.int64], following: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return the reward of every transition of an action."""
    if isinstance(rewards, list):
        return np.asarray(rewards[action][state, following], dtype=np.float64).reshape(-1)
    index: tuple[Any, ...] = ((state,), (state, action), (state, action, following))[rewards.ndim - 1]
    return np.asarray(rewards[index], dtype=np.float64)


def _summing_to_one(
    state: npt.NDArray[np.int64],
    action: int,
    probability: npt.NDArray[np.float64],
    states: int,
    normalize: bool,
) -> npt.NDArray[np.float64]:
    """Return the probabilities of an action, divided by the sums of their rows if that is asked."""
    sums = np.bincount(state, weights=probability, minlength=states)
    has_row = np.bincount(state, minlength=states) > 0
    distance = np.where(has_row, np.abs(sums - 1.0), 0.0)
    row = int(np.argmax(distance))
    # What is further away, or not a number, the library refuses with its place.
    if 1e-9 < distance[row] <= _ROUNDING and not normalize:
        raise ValueError(
            f"state {row}, action {action}: probabilities sum to {sums[row]:.9g}, which is not 1 within 1e-9: "
            f"correct the row, or pass normalize=True if that is rounding, as to float32"
        )
    if not normalize:
        return probability
    if not distance[row] <= _ROUNDING:
        raise ValueError(
            f"state {row}, action {action}: probabilities sum to {sums[row]:.9g}: normalize=True corrects rounding, "
            f"up to {_ROUNDING:g}; correct or complete the row"
        )
    return probability / sums[state]


def _names(what: str, names: Sequence[str] | None) -> list[str] | None:
    if names is None:
        return None
    if isinstance(names, str):
        raise ValueError(f"{what} = {names!r}: give a list of names")
    return [str(name) for name in names]


def _start_law(start: int | npt.ArrayLike) -> list[tuple[int, float]]:
    if isinstance(start, (int, np.integer)):
        if start < 0:
            raise ValueError(f"start = {start} is no state: states are numbered from 0")
        return [(int(start), 1.0)]
    law = np.asarray(start, dtype=np.float64)
    if law.ndim != 1:
        raise ValueError("start is one state, or one probability per state")
    return [(int(state), float(law[state])) for state in np.nonzero(law)[0]]


def _checked_range(low: float, high: float) -> tuple[float, float]:
    low, high = float(low), float(high)
    if not (np.isfinite(high - low) and low < high):
        raise ValueError(f"reward_range = ({low}, {high}) is no range: give (lowest, highest)")
    return low, high


def _has_sparse(matrices: Any) -> bool:
    """True for lists and arrays with a sparse matrix among their entries."""
    is_array = isinstance(matrices, np.ndarray) and matrices.dtype == object and matrices.ndim == 1
    return (is_array or isinstance(matrices, (list, tuple))) and any(_is_sparse(m) for m in matrices)


def _is_sparse(matrix: Any) -> bool:
    """True for SciPy's sparse matrices and arrays; does not import SciPy."""
    return hasattr(matrix, "tocoo") and hasattr(matrix, "tocsr")
