"""Whatever Python passes, the answer is an exception that says what to change, never a crash."""

import random
import subprocess
import sys
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
import tucrl


def agent(**options: Any) -> tucrl.Agent:
    return tucrl.Agent("tucrl", states=3, actions=2, **options)


def started() -> tucrl.Agent:
    learner = agent()
    learner.act(0)
    return learner


class Unhashable:
    __hash__ = None  # type: ignore[assignment]


class Bomb:
    def __hash__(self) -> int:
        raise KeyError("bomb")


MISUSES = {
    "observe before act": (lambda: agent().observe(0.5, 0), "observe before act.*act\\(state\\)"),
    "observe twice": (lambda: _twice(started()), "observe before act"),
    "act without a state": (lambda: agent().act(), "call act\\(state\\)"),
    "act elsewhere": (lambda: started().act(1), "the agent is in 0.*Continuing"),
    "wrong action": (lambda: started().observe(0.5, 1, action=7), "action 7 was played.*chose"),
    "a reward too high": (lambda: started().observe(1.5, 1), "not in \\[0, 1\\].*reward_range"),
    "a negative reward": (lambda: started().observe(-0.1, 1), "not in \\[0, 1\\].*lowest, highest"),
    "a reward of NaN": (lambda: started().observe(float("nan"), 1), "NaN is not in"),
    "an infinite reward": (lambda: started().observe(float("inf"), 1), "inf is not in"),
    "a state outside": (lambda: started().observe(0.5, 3), "outside a space of 3.*raise `states`"),
    "a negative state": (lambda: started().observe(0.5, -1), "negative.*number states from 0"),
    "a huge state": (lambda: agent().act(2**70), "number states from 0"),
    "mixed states": (lambda: started().observe(0.5, "x"), "keep to one kind"),
    "an array": (lambda: agent().act(cast(Any, np.zeros(3))), "cannot be hashed.*tobytes"),
    "no hash": (lambda: agent().act(cast(Any, Unhashable())), "cannot be hashed"),
    "a state of NaN": (lambda: agent().act(float("nan")), "NaN is no state"),
    "too many states": (lambda: _four_states(), "one state more than the 3.*raise `states`"),
    "an unknown agent": (lambda: tucrl.Agent("turcl", 3, 2), "tucrl"),
    "an unknown option": (lambda: agent(alhpa=1), "alpha"),
    "an option of a strange type": (lambda: agent(alpha=[1]), "numbers, words or flags"),
    "an option that smuggles": (lambda: agent(alpha="1,c=2"), "not one key and one value"),
    "an option out of range": (lambda: agent(alpha=-1), "at least 0"),
    "no states": (lambda: tucrl.Agent("tucrl", 0, 2), "states = 0 is not a whole number from 1"),
    "half an action": (lambda: tucrl.Agent("tucrl", 3, 1.5), "actions = 1.5 is not a whole number"),
    "too many actions": (lambda: tucrl.Agent("tucrl", 3, 2**31), "from 1 to 65536"),
    "no sizes": (lambda: tucrl.Agent("tucrl"), "states=….*world=…"),
    "r_max 0": (lambda: agent(r_max=0.0), "positive finite"),
    "both sizes and world": (lambda: agent(world=tucrl.MDP("theta")), "leave out `states`"),
    "an oracle without a world": (lambda: tucrl.Agent("oracle", 3, 2), "pass world="),
    "known rewards without a world": (lambda: agent(known_rewards=True), "pass world="),
    "a short mask": (lambda: agent(mask=[[1, 1]]), "1 rows for 3 states"),
    "a narrow mask": (lambda: agent(mask=lambda s: [1]).act(0), "does not have 2 flags"),
    "an endless mask": (lambda: agent(mask=lambda s: iter(int, 1)).act(0), "does not have 2 flags"),
    "a mask without actions": (lambda: agent(mask=lambda s: [0, 0]).act(0), "allows no action"),
    "a mask that is none": (lambda: agent(mask=lambda s: 3).act(0), "give 2 flags"),
    "an unknown world": (lambda: tucrl.MDP("taxy"), "taxi"),
    "a state that is not there": (lambda: tucrl.MDP("theta").sample(9, 0), "numbered 0 to 1"),
    "an action that is not there": (lambda: tucrl.MDP("theta").sample(0, 9), "no action 9"),
    "a step that is not there": (lambda: tucrl.MDP("theta").walk().step(9), "no action 9"),
    "a short policy": (lambda: tucrl.MDP("theta").evaluate([0]), "covers 1 states"),
    "a wrong policy": (lambda: tucrl.MDP("theta").evaluate([0, 2**40]), "does not exist"),
    "a policy that is none": (lambda: tucrl.MDP("theta").evaluate("x"), "one action per state"),
    "no agents": (lambda: tucrl.learn("theta", [], 10), "name at least one"),
    "an agent twice": (lambda: tucrl.learn("theta", ["random", "random"], 10), "given twice"),
    "no steps": (lambda: tucrl.learn("theta", "random", 0), "steps = 0 is not a whole number"),
    "no seeds": (lambda: tucrl.learn("theta", "random", 10, seeds=0), "seeds = 0"),
    "no jobs": (lambda: tucrl.learn("theta", "random", 10, jobs=0), "jobs = 0"),
    "no such table": (lambda: tucrl.learn("theta", "random", 10).table("x"), "curves, summary"),
}


def _twice(learner: tucrl.Agent) -> None:
    learner.observe(0.5, 1)
    learner.observe(0.5, 1)


def _four_states() -> None:
    learner = agent()
    learner.act("a")
    for state in "bcd":
        learner.observe(0.5, state)
        learner.act()


@pytest.mark.parametrize(("call", "fix"), MISUSES.values(), ids=MISUSES.keys())
def test_misuse_is_a_value_error_with_the_fix_in_its_text(call: Any, fix: str) -> None:
    with pytest.raises(ValueError, match=f"(?s){fix}"):
        call()


def test_a_refused_step_leaves_the_agent_as_it_was() -> None:
    learner, twin = agent(), agent()
    for state in (0, 1, 2, 1, 0):
        for bad in (lambda: learner.act(99), lambda: learner.observe(7.0, state)):
            with pytest.raises(ValueError):
                bad()
        assert learner.act(learner.state or 0) == twin.act(twin.state or 0)
        for bad in (lambda: learner.observe(float("nan"), 0), lambda: learner.observe(0.1, 99)):
            with pytest.raises(ValueError):
                bad()
        learner.observe(0.5, state)
        twin.observe(0.5, state)
    assert np.array_equal(learner.visits, twin.visits) and learner.steps == 5


def test_what_a_state_raises_comes_through() -> None:
    with pytest.raises(KeyError, match="bomb"):
        agent().act(Bomb())

    def mask(state: int) -> list[int]:
        raise ZeroDivisionError("mask")

    with pytest.raises(ZeroDivisionError, match="mask"):
        agent(mask=mask).act(0)


def test_an_agent_that_calls_itself_is_told_off() -> None:
    learner: tucrl.Agent = tucrl.Agent("tucrl", 3, 2, mask=lambda state: [learner.act(0), 1])
    with pytest.raises(RuntimeError):
        learner.act(0)
    assert learner.steps == 0


def test_a_failed_plan_is_a_runtime_error() -> None:
    world = tucrl.MDP("three-state:delta=0")
    learner, walk = tucrl.Agent("ucrl:alpha=0.01,planner=plain,sweeps=3", world=world), world.walk()
    with pytest.raises(RuntimeError, match="planning at step .*larger alpha"):
        for _ in range(100_000):
            state, reward = walk.step(learner.act(walk.state))
            learner.observe(reward, state)


JUNK: list[Any] = [None, -1, 0, 1, 2, 3, 10**30, -(10**30), 0.5, -0.5, float("nan"), float("inf")]
JUNK += ["", "tucrl", "taxi:map=v9", "\0", "ü" * 1000, b"x", (), (1, 2), [], [[]], {}, {"a": 1}]
JUNK += [True, object(), Unhashable(), Bomb(), lambda *_: 1, int, np.zeros((2, 2)), np.nan]
JUNK += [np.array([]), np.int8(-3), np.float32(0.1), np.zeros((3, 2, 3)), range(3), 1 + 2j, ...]

CALLS: list[Any] = [
    lambda d: tucrl.Agent(d()),
    lambda d: tucrl.Agent("tucrl", d(), d()),
    lambda d: tucrl.Agent("scal", 3, 2, c=d(), alpha=d()),
    lambda d: tucrl.Agent("tucrl", 3, 2, mask=d(), r_max=d(), steps=d(), seed=d(), run=d()),
    lambda d: tucrl.Agent("tucrl", 3, 2, reward_range=d()),
    lambda d: tucrl.Agent("tucrl", 3, 2, mask=d()).act(d()),
    lambda d: tucrl.Agent("random", 3, 2, world=d()),
    lambda d: agent().act(d()),
    lambda d: started().act(d()),
    lambda d: started().observe(d(), d()),
    lambda d: started().observe(0.5, d(), d()),
    lambda d: tucrl.Agent._restore(d(), d(), d(), d()),
    lambda d: tucrl.Agent.load(d()),
    lambda d: started().save(d()),
    lambda d: tucrl.MDP(d()),
    lambda d: tucrl.MDP("theta", r_max=d(), reward_model=d()),
    lambda d: tucrl.MDP("theta", reward_range=d()),
    lambda d: tucrl.MDP.from_arrays(d(), d()),
    lambda d: tucrl.MDP.from_arrays(np.ones((1, 1, 1)), d(), start=d(), r_max=d()),
    lambda d: tucrl.MDP.from_gymnasium(d()),
    lambda d: tucrl.MDP("theta").sample(d(), d()),
    lambda d: tucrl.MDP("theta").sample(0, 0, d(), seed=d()),
    lambda d: tucrl.MDP("theta").evaluate(d()),
    lambda d: tucrl.MDP("theta").walk(seed=d()).step(d()),
    lambda d: tucrl.MDP("theta").to_file(d()),
    lambda d: tucrl.MDP("theta").diameter(reachable=d()),
    lambda d: tucrl.MDP._from_json(d(), d()),
    lambda d: tucrl.learn(d(), d(), d()),
    lambda d: tucrl.learn("theta", d(), 10, d(), d()),
    lambda d: tucrl.learn("theta", "random", 10, 1, seed=d(), checkpoints=d()),
    lambda d: tucrl.learn("theta", "random", 10).report(d()),
    lambda d: tucrl.learn("theta", "random", 10).visits(d(), d()),
]


def main() -> None:
    """Make 1000 random calls; they return or raise an Exception, and nothing else."""
    draw = random.Random(6)
    raised = 0
    for number in range(1000):
        call = draw.choice(CALLS)
        try:
            call(lambda: draw.choice(JUNK))
        except Exception as error:
            raised += 1
            assert str(error) or isinstance(error, KeyError), (number, error)
    print(raised)


def test_a_thousand_random_misuses_raise_and_never_abort(tmp_path: Path) -> None:
    # In a process of its own: a crash would take the tests with it. PanicException, which is no Exception,
    # ends it too.
    done = subprocess.run(
        [sys.executable, __file__], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "panicked" not in done.stderr
    assert int(done.stdout) > 800, "most of these calls make no sense"


if __name__ == "__main__":
    import warnings

    warnings.simplefilter("ignore")
    main()


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("scal", "scal needs c, an upper bound on the bias span; the span of this world is 1.005: try c=2"),
        ("heuristic", "in three-state: heuristic: this algorithm needs a rule of thumb"),
        ("tucrl:r_max=0.5", "at least the largest reward of the world"),
    ],
)
def test_what_would_hit_every_run_is_refused_before_the_first(agent: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tucrl.learn("three-state", ["random", agent], 100, seeds=3)


def test_a_bound_on_the_span_has_no_default() -> None:
    with pytest.raises(ValueError, match="r_max times the diameter is one: write scal:c=value"):
        tucrl.Agent("scal", 3, 2)
