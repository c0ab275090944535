"""The kit for the authors of agents: good agents pass, and every fault is a sentence."""

import sys
from pathlib import Path
from typing import Any

import bad_agents
import pytest
from tucrl.testing import check_agent, failures

sys.path.append(str(Path(__file__).parents[3] / "examples" / "python"))
from own_agent import DiffQ  # noqa: E402


@pytest.mark.parametrize("in_process", [True, False])
def test_an_agent_in_python_passes(in_process: bool) -> None:
    check_agent(DiffQ, in_process=in_process)
    # Epsilon-greedy play with a constant epsilon has linear regret.
    with pytest.raises(AssertionError, match=r"DiffQ fails \d checks?:\n- sublinear: in a world with"):
        check_agent(DiffQ, sublinear=True, in_process=in_process)


@pytest.mark.parametrize(
    ("agent", "check", "sentence"),
    [
        (bad_agents.WrongAction, "plays", "returned 7, and the actions of state"),
        (bad_agents.Nan, "plays", "returned nan of type float"),
        (bad_agents.Raises, "plays", "KeyError: 'no such value'"),
        (bad_agents.NeverReturns, "plays", "took longer than step_timeout = 0.2 seconds"),
        (bad_agents.Exits, "plays", "the process of the agent ended"),
        (bad_agents.NotDeterministic, "deterministic", "the same seed gave two runs, which differ from step"),
        (bad_agents.NotPicklable, "resumes", "it cannot be saved"),
    ],
)
def test_a_bad_agent_is_told_its_fault(agent: Any, check: str, sentence: str) -> None:
    found = failures(agent, step_timeout=0.2)
    assert found and any(line.startswith(check) and sentence in line for line in found), found
    assert {line.split(":")[0] for line in found} == {check}


def test_an_agent_without_a_pickle_may_say_so() -> None:
    assert failures(bad_agents.NotPicklable, resumes=False) == []
