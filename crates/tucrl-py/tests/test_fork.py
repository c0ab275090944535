"""A child process has threads of its own: what the parent did before a fork does not block it."""

import subprocess
import sys
from pathlib import Path

import pytest

# Everything here is large enough for parallel work: diameters always, sweeps from 2**17 transitions on.
WORK = """
import os, signal, sys, warnings
import multiprocessing
import tucrl

# Python 3.12 and later warn of a fork with threads, which is what is tested.
warnings.simplefilter("ignore")
LARGE = "garnet:s=20000,a=4,b=5,seed=1"


def diameter():
    return tucrl.MDP("taxi:map=v3").diameter()


def solve():
    return tucrl.MDP(LARGE).gain


def explore():
    return tucrl.MDP("breakout-game").states


def learn():
    return tucrl.learn("three-state:delta=0", "tucrl:alpha=0.05", 2000, 2).table()["regret"].tolist()


def act():
    agent, walk = tucrl.Agent("tucrl:alpha=0.05", 6, 2), tucrl.MDP("river-swim").walk(seed=1)
    for _ in range(300):
        state, reward = walk.step(agent.act(walk.state))
        agent.observe(reward, state)
    return agent.visits.tolist()


KINDS = {"diameter": diameter, "solve": solve, "explore": explore, "learn": learn, "act": act}


def child(kind, answers):
    answers.put(KINDS[kind]())


def by_multiprocessing(kind, method):
    context = multiprocessing.get_context(method)
    answers = context.Queue()
    process = context.Process(target=child, args=(kind, answers))
    process.start()
    answer = answers.get(timeout=60)
    process.join(timeout=60)
    assert process.exitcode == 0
    return answer


def by_fork(kind, _):
    read, write = os.pipe()
    if (pid := os.fork()) == 0:
        signal.alarm(60)
        os.write(write, repr(KINDS[kind]()).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    _, status = os.waitpid(pid, 0)
    assert status == 0, status
    return eval(answer)


if __name__ == "__main__":
    kind, method = sys.argv[1:]
    ways = {"os.fork": by_fork}
    before = KINDS[kind]()
    inside = ways.get(method, by_multiprocessing)(kind, method)
    assert before == inside == KINDS[kind](), (before, inside)
    print("the same")
"""


@pytest.mark.parametrize("method", ["os.fork", "fork", "spawn"])
@pytest.mark.parametrize("kind", ["diameter", "solve", "explore", "learn", "act"])
def test_work_goes_on_in_a_child(kind: str, method: str, tmp_path: Path) -> None:
    if sys.platform == "win32" and method != "spawn":
        pytest.skip("Windows has no fork")
    script = tmp_path / "work.py"
    script.write_text(WORK)
    done = subprocess.run(
        [sys.executable, str(script), kind, method], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "the same\n", done.stderr
