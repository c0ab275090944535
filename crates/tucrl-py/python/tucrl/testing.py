"""Checks that an agent keeps what the laboratory relies on, for the tests of its author.

``check_agent`` plays worlds at the edge of what is allowed: one state, one action, different numbers of actions, states
that cannot be reached, a period, rewards at both ends of their range. It plays each twice with the same seed, and once
with a stop in the middle; it plays worlds that differ only where the agent has not been; and it measures regret, where the
agent promises that it grows more slowly than the number of steps.
"""

from tucrl import _native
from tucrl._run import Factory, Own, named

__all__ = ["check_agent", "failures"]


def check_agent(
    agent: str | Factory,
    *,
    sublinear: bool = False,
    resumes: bool = True,
    may_know: bool = False,
    steps: int = 300,
    long_steps: int = 20_000,
    seed: int = 1,
    step_timeout: float = 10.0,
    in_process: bool = False,
) -> None:
    """Raise an ``AssertionError`` that says in sentences what an agent does wrong.

    agent: a spec, a class, or a function that makes an agent (docs/your-own-agent.md).
    sublinear: whether it promises regret that grows more slowly than the number of steps.
    resumes: whether it promises that it can be pickled and goes on as if nothing had happened.
    may_know: whether it may act on what it has not seen, as an oracle does.
    steps: steps in every small world.
    long_steps: steps of the runs whose regret is measured.
    seed: the seed of all runs.
    step_timeout, in_process: as in ``tucrl.learn``.

    >>> import tucrl.testing
    >>> tucrl.testing.check_agent("psrl", sublinear=True)
    >>> tucrl.testing.check_agent("oracle")
    Traceback (most recent call last):
    AssertionError: oracle fails 1 check:
    - peeks: at step 1 it played 0 in one world and 4 in another, though it had observed the same in both: it acts on what it was not told
    """
    found = failures(
        agent,
        sublinear=sublinear,
        resumes=resumes,
        may_know=may_know,
        steps=steps,
        long_steps=long_steps,
        seed=seed,
        step_timeout=step_timeout,
        in_process=in_process,
    )
    if found:
        name = agent if isinstance(agent, str) else getattr(agent, "__name__", repr(agent))
        count = f"{len(found)} check{'s' * (len(found) != 1)}"
        raise AssertionError("\n- ".join([f"{name} fails {count}:", *found]))


def failures(
    agent: str | Factory,
    *,
    sublinear: bool = False,
    resumes: bool = True,
    may_know: bool = False,
    steps: int = 300,
    long_steps: int = 20_000,
    seed: int = 1,
    step_timeout: float = 10.0,
    in_process: bool = False,
) -> list[str]:
    """Return what ``check_agent`` would complain about: the name of a check and a sentence each."""
    own = Own({}, {}, in_process, step_timeout)
    ((_, spec),) = named(agent, own.agents)
    found = _native.check(spec, own, steps, long_steps, seed, resumes, sublinear, may_know)
    return [f"{check}: {sentence}" for check, sentence in found]
