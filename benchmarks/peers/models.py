"""Reads the model files that `tucrl export` writes.

A model is a tuple of arrays (pair_start, reward, row_start, column, probability): the pairs of state s are
pair_start[s]..pair_start[s + 1], the entries of pair p are row_start[p]..row_start[p + 1]. Reading JSON takes
Python minutes where the model is large, so the arrays are kept beside the file for the next reader.
"""

import json
import os

NAMES = ("pair_start", "reward", "row_start", "column", "probability")


def read(path):
    import numpy as np

    kept = path.removesuffix(".json") + ".npz"
    if os.path.exists(kept) and os.path.getmtime(kept) > os.path.getmtime(path):
        with np.load(kept) as arrays:
            return tuple(arrays[name] for name in NAMES)
    pair_start, reward, row_start, column, probability = [0], [], [0], [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith('"states":['):
                break
        for line in file:
            if line.startswith("]"):
                break
            for action in json.loads(line.rstrip().rstrip(",")):
                reward.append(float(action["reward"]))
                for to, chance in action["to"]:
                    column.append(to)
                    probability.append(chance)
                row_start.append(len(column))
            pair_start.append(len(reward))
    whole = np.int32
    model = (
        np.array(pair_start, whole),
        np.array(reward, float),
        np.array(row_start, whole),
        np.array(column, whole),
        np.array(probability, float),
    )
    # Write to another name first, so that an interrupted reader leaves no partial model.
    np.savez(kept + ".part.npz", **dict(zip(NAMES, model)))
    os.replace(kept + ".part.npz", kept)
    return model


def lists(model):
    """The same as (rewards, columns, probabilities), each a list by state of a list by action."""
    pair_start, reward, row_start, column, probability = (array.tolist() for array in model)
    rewards, columns, probabilities = [], [], []
    for first, end in zip(pair_start, pair_start[1:]):
        rewards.append(reward[first:end])
        columns.append([column[row_start[pair] : row_start[pair + 1]] for pair in range(first, end)])
        probabilities.append([probability[row_start[pair] : row_start[pair + 1]] for pair in range(first, end)])
    return rewards, columns, probabilities


def pairs(model):
    """The model as arrays over state-action pairs, padded so that every state has as many actions as
    any, by repeating its last action. Returns (states, actions, reward, csr matrix)."""
    import numpy as np
    from scipy.sparse import csr_matrix

    pair_start, reward, row_start, column, probability = model
    states, actions = len(pair_start) - 1, int(np.diff(pair_start).max())
    matrix = csr_matrix((probability, column, row_start), shape=(len(reward), states))
    number = np.arange(actions)[None, :]
    padded = pair_start[:-1, None] + np.minimum(number, np.diff(pair_start)[:, None] - 1)
    if padded.size != len(reward):
        reward, matrix = reward[padded.ravel()], matrix[padded.ravel()]
    return states, actions, reward, matrix


def gain_bounds(model, values):
    """The smallest and the largest entry of L v - v: the gain of the MDP lies between them if the
    gain is the same from everywhere."""
    import numpy as np

    states, actions, reward, matrix = pairs(model)
    values = np.asarray(values, dtype=float)
    best = (reward + matrix @ values).reshape(states, actions).max(axis=1)
    increments = best - values
    return float(increments.min()), float(increments.max())
