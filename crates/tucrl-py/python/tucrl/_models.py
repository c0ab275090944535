"""Models from arrays and from Gymnasium: conversions only; the library validates them."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tucrl import _native

Entries = tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.float64]]


def from_arrays(
    transitions: Any,
    rewards: Any,
    *,
    start: int | npt.ArrayLike = 0,
    r_max: float | None = None,
    reward_range: tuple[float, float] | None = None,
    law: str = "constant",
    name: str = "arrays",
) -> _native.MDP:
    """Build a model from arrays; see ``MDP.from_arrays``."""
    if reward_range is not None:
        if r_max is not None:
            raise ValueError("r_max and reward_range both say which rewards are possible: keep one")
        reward_range = _checked_range(*reward_range)
    per_action = _per_action(transitions)
    states = per_action[0].shape[0]
    columns: list[list[npt.NDArray[Any]]] = [[], [], [], [], []]
    for action, matrix in enumerate(per_action):
        if matrix.ndim != 2 or matrix.shape != (states, states):
            raise ValueError(
                f"the transitions of action {action} have the shape {matrix.shape}: give an array of "
                f"states × actions × states, or a list of matrices of states × states, one per action"
            )
        state, following, probability = _entries(matrix)
        reward = _rewards_of(rewards, action, len(per_action), states, state, following)
        parts = (state, np.full(len(state), action), following, probability, reward)
        for column, part in zip(columns, parts, strict=True):
            column.append(part)
    s, a, n, p, r = (np.concatenate(column) for column in columns)
    return _native_model(name, states, s, a, n, p, r, _start_law(start), r_max, law, reward_range)


def from_gymnasium(
    env: Any, *, reward_range: tuple[float, float] | None = None, name: str | None = None
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
    start = _start_law(np.asarray(law, dtype=np.float64))
    rows: list[tuple[int, int, int, float, float]] = []
    for state in range(len(table)):
        for action in range(len(table[state])):
            for probability, following, reward, terminated in table[state][action]:
                if probability == 0.0:
                    continue
                # The reset at the end of an episode is part of the transition.
                nexts = start if terminated else [(int(following), 1.0)]
                rows.extend(
                    (state, action, after, float(probability) * share, float(reward))
                    for after, share in nexts
                )
    s, a, n, p, r = (np.array(column) for column in zip(*rows, strict=True))
    if reward_range is None:
        low, high = float(r.min()), float(r.max())
        # Of a single reward: from or up to 0.
        range_ = (low, high) if low < high else (min(low, 0.0), max(high, 0.0 if low < 0.0 else 1.0))
    else:
        range_ = _checked_range(*reward_range)
    if name is None:
        spec = getattr(env, "spec", None)
        name = str(spec.id) if spec is not None else "gymnasium"
    parts = (s.astype(np.int64), a.astype(np.int64), n.astype(np.int64), p, r.astype(np.float64))
    return _native_model(name, len(table), *parts, start, None, "constant", range_)


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
) -> _native.MDP:
    if r_max is None:
        r_max = max(1.0, float(np.max(reward, initial=1.0)))
    order = np.lexsort((following, action, state))
    s, a, n = (np.ascontiguousarray(c[order], dtype=np.int64) for c in (state, action, following))
    p, r = (np.ascontiguousarray(c[order], dtype=np.float64) for c in (probability, reward))
    return _native.MDP._from_transitions(
        name, states, s, a, n, p, r, start, float(r_max), law, reward_range
    )


def _per_action(transitions: Any) -> Sequence[Any]:
    """Return a matrix of states × states for every action."""
    if _is_sparse(transitions):
        raise ValueError("one sparse matrix is one action: give a list of them, one per action")
    if isinstance(transitions, (list, tuple)) and any(_is_sparse(m) for m in transitions):
        return transitions
    dense = np.asarray(transitions, dtype=np.float64)
    if dense.ndim != 3 or 0 in dense.shape:
        raise ValueError(
            f"transitions have the shape {dense.shape}: give an array of states × actions × states, "
            f"or a list of matrices of states × states, one per action"
        )
    if isinstance(transitions, (list, tuple)) and dense.shape[1] == dense.shape[2]:
        return list(dense)
    if dense.shape[0] != dense.shape[2]:
        raise ValueError(
            f"transitions have the shape {dense.shape}, and the first and the last number differ: "
            f"give an array of states × actions × states"
        )
    return [dense[:, action, :] for action in range(dense.shape[1])]


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


def _rewards_of(
    rewards: Any,
    action: int,
    actions: int,
    states: int,
    state: npt.NDArray[np.int64],
    following: npt.NDArray[np.int64],
) -> npt.NDArray[np.float64]:
    """Return the reward of every transition of an action."""
    if isinstance(rewards, (list, tuple)) and any(_is_sparse(m) for m in rewards):
        if len(rewards) != actions:
            raise ValueError(f"{len(rewards)} reward matrices for {actions} actions: give one each")
        matrix = rewards[action].tocsr() if _is_sparse(rewards[action]) else rewards[action]
        if matrix.shape != (states, states):
            raise ValueError(f"a reward matrix has the shape {matrix.shape}: give states × states")
        return np.asarray(matrix[state, following], dtype=np.float64).reshape(-1)
    if _is_sparse(rewards):
        rewards = rewards.toarray()
    dense = np.asarray(rewards, dtype=np.float64)
    index: tuple[Any, ...] | None = {
        (states,): (state,),
        (states, actions): (state, action),
        (states, actions, states): (state, action, following),
    }.get(dense.shape)
    if index is not None:
        return np.asarray(dense[index], dtype=np.float64)
    raise ValueError(
        f"rewards have the shape {dense.shape}: give one per state {(states,)}, per state and action "
        f"{(states, actions)}, or per transition {(states, actions, states)}"
    )


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


def _is_sparse(matrix: Any) -> bool:
    """True for SciPy's sparse matrices and arrays; does not import SciPy."""
    return hasattr(matrix, "tocoo") and hasattr(matrix, "tocsr")
