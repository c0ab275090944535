"""A learner of another package runs unchanged through the adapter of docs/your-own-agent.md.

Not collected with the other tests, because `statisticalrl-learners` demands old versions of what these need: `./test` installs it
without its demands into a folder of its own, and runs this file with that folder on the path.
"""

import math
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import scipy.stats
import tucrl
import tucrl.gym
from statisticalrl_learners.MDPs_discrete.PSRL import PSRL

DOCUMENT = Path(__file__).parents[3] / "docs" / "your-own-agent.md"
STEPS, RUNS = 4000, 12


def interval(regret: list[float]) -> tuple[float, float]:
    """Return the 95 % interval of a mean, by Student."""
    half = scipy.stats.t.ppf(0.975, len(regret) - 1) * np.std(regret, ddof=1) / math.sqrt(len(regret))
    return float(np.mean(regret) - half), float(np.mean(regret) + half)


def adapter() -> Any:
    """Return the adapter as the document has it."""
    blocks = DOCUMENT.read_text(encoding="utf-8").split("```python\n")[1:]
    (block,) = [block.split("```")[0] for block in blocks if "class Adapted" in block]
    lines = block[block.index("class Adapted") :].splitlines()
    assert len([line for line in lines if line.strip()]) <= 10
    names: dict[str, Any] = {}
    exec(block, names)
    return names["Adapted"]


def own_loop(seed: int) -> float:
    """Return the regret of PSRL in the loop that its package describes."""
    np.random.seed(seed)
    env = gymnasium.make("tucrl/RiverSwim-v0")
    state, _ = env.reset(seed=seed)
    learner = PSRL(6, 2, delta=0.05)
    learner.reset(state)
    earned = 0.0
    for _ in range(STEPS):
        action = learner.play(state)
        following, reward, _, _, _ = env.step(action)
        learner.update(state, action, reward, following)
        state = following
        earned += float(reward)
    return STEPS * tucrl.MDP("river-swim").gain - earned


def test_the_regret_of_their_learner_is_the_same_in_both_loops() -> None:
    result = tucrl.learn("river-swim", {"theirs": adapter(), "random": "random"}, STEPS, seeds=RUNS)
    assert result.failed == []
    last = result.to_pandas().query(f"t == {STEPS}")
    ours = interval(last[last.label == "theirs"].regret.tolist())
    theirs = interval([own_loop(seed) for seed in range(1000, 1000 + RUNS)])
    print(f"in our loop {ours}, in its own {theirs}")
    assert ours[0] <= theirs[1] and theirs[0] <= ours[1], (ours, theirs)
    # Both are narrow enough to tell something: random play is far outside.
    random = interval(last[last.label == "random"].regret.tolist())
    assert max(ours[1], theirs[1]) < random[0], random
