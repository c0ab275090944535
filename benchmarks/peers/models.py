"""Reads the model files that `tucrl export` writes, line by line, into plain lists."""

import json


def read(path):
    """Returns (rewards, columns, probabilities), each a list by state of a list by action."""
    rewards, columns, probabilities = [], [], []
    with open(path, encoding="utf-8") as file:
        for line in file:
            if line.startswith('"states":['):
                break
        for line in file:
            if line.startswith("]"):
                break
            state = json.loads(line.rstrip().rstrip(","))
            rewards.append([float(action["reward"]) for action in state])
            columns.append([[entry[0] for entry in action["to"]] for action in state])
            probabilities.append([[entry[1] for entry in action["to"]] for action in state])
    return rewards, columns, probabilities


def pairs(model):
    """The model as arrays over state-action pairs, padded so that every state has as many actions as
    any: repeated last actions change nothing. Returns (states, actions, reward, csr matrix)."""
    import numpy as np
    from scipy.sparse import csr_matrix

    rewards, columns, probabilities = model
    states, actions = len(rewards), max(map(len, rewards))
    reward, indptr, indices, data = [], [0], [], []
    for state in range(states):
        for action in range(actions):
            action = min(action, len(rewards[state]) - 1)
            reward.append(rewards[state][action])
            indices.extend(columns[state][action])
            data.extend(probabilities[state][action])
            indptr.append(len(indices))
    matrix = csr_matrix((data, indices, indptr), shape=(states * actions, states))
    return states, actions, np.array(reward), matrix


def gain_bounds(model, values):
    """The smallest and the largest entry of L v - v: every gain of the world lies between them if the
    gain is the same from everywhere."""
    import numpy as np

    states, actions, reward, matrix = pairs(model)
    values = np.asarray(values, dtype=float)
    best = (reward + matrix @ values).reshape(states, actions).max(axis=1)
    increments = best - values
    return float(increments.min()), float(increments.max())
