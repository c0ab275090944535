"""Ctrl-C stops whatever takes long, other threads go on, and who watches sees progress."""

import os
import resource
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import tucrl

#: Work that takes many seconds, by name: what is prepared, and what is interrupted.
LONG = {
    "diameter": ("mdp = tucrl.MDP('taxi:map=v3')", "[mdp.diameter() for _ in range(10**6)]"),
    "one diameter": ("mdp = tucrl.MDP('mountain-car:nx=80,nv=81')", "mdp.diameter()"),
    "a world by its table": ("", "tucrl.MDP('mountain-car:nx=999,nv=999')"),
    "a world by few costly cells": ("", "tucrl.MDP('mountain-car:points=1000,frames=1000')"),
    "a random world": ("", "tucrl.MDP('garnet:s=5e6,b=5')"),
    "a table of what is reachable": ("", "tucrl.MDP('mountain-car:nx=3001,nv=1001,points=20')"),
    "solve": ("mdp = tucrl.MDP('garnet:s=1e6,b=5')", "mdp.gain"),
    "evaluate": (
        "mdp = tucrl.MDP('garnet:s=3e5,a=2,b=9'); policy = [0] * mdp.states",
        "[mdp.evaluate(policy) for _ in range(10**6)]",
    ),
    "sample": ("mdp = tucrl.MDP('taxi')", "mdp.sample(0, 0, size=2**31)"),
    # Sets so narrow make the state that cannot be reached so unlikely that a plan takes billions of sweeps.
    "act": (
        "mdp = tucrl.MDP('three-state:delta=0'); walk = mdp.walk(); "
        "agent = tucrl.Agent('ucrl:planner=plain,sweeps=1e12,alpha=1e-11', world=mdp)",
        """
while True:
    state, reward = walk.step(agent.act(walk.state))
    agent.observe(reward, state)
""",
    ),
    "many plans": (
        "agent = tucrl.Agent('tucrl:alpha=1e-6', 2**40, 2, steps=10**15)",
        """
for step in range(10**9):
    agent.act(step % 3000)
    agent.observe(0.5 * (step % 7 == 0), (step + 1) % 3000)
""",
    ),
    "learn, in a plan": (
        "",
        "tucrl.learn('three-state:delta=0', 'ucrl:planner=plain,sweeps=1e12,alpha=1e-11', 1e9, 1)",
    ),
    "learn, before the first step": ("", "tucrl.learn('garnet:s=1e6,b=5', 'random', 1e9, 1)"),
}

SCRIPT = """
import sys, time, warnings, tucrl
warnings.simplefilter("ignore")
{before}
print("ready", flush=True)
try:
    {work}
except KeyboardInterrupt:
    print("stopped", flush=True)
"""


def script(name: str) -> list[str]:
    """Return a command that does the work."""
    before, work = LONG[name]
    indented = work.strip().replace("\n", "\n    ")
    return [sys.executable, "-c", SCRIPT.format(before=before, work=indented)]


@pytest.mark.parametrize("name", LONG)
def test_ctrl_c_stops_it_within_a_second(name: str) -> None:
    earlier = resource.getrusage(resource.RUSAGE_CHILDREN)
    before = earlier.ru_utime + earlier.ru_stime
    running = subprocess.Popen(
        script(name), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout is not None and running.stdout.readline() == "ready\n"
    time.sleep(1.0)
    began, busy = time.monotonic(), processor_seconds(running.pid)
    running.send_signal(signal.SIGINT)
    out, errors = running.communicate(timeout=60)
    took = time.monotonic() - began
    assert (out, running.returncode) == ("stopped\n", 0), errors
    if took >= 1.0 and busy is not None:
        # On a busy machine the clock says little: what counts is the work done since the signal.
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        took = used.ru_utime + used.ru_stime - before - busy
    assert took < 1.0, f"{took:.1f} s"


def processor_seconds(process: int) -> float | None:
    """Return how much of the processors a process has used, where that can be read."""
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_an_interrupted_agent_goes_on_as_if_nothing_had_happened() -> None:
    agent, twin = (tucrl.Agent("psrl", 1000, 4, seed=1) for _ in range(2))
    timer = threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        agent.act(0)
    timer.join()
    assert agent.steps == 0 and agent.plan is None
    assert agent.act(0) == twin.act(0) and agent.plan == twin.plan


PLANNING = """
import threading, time, warnings, tucrl
warnings.simplefilter("ignore")
ticks = []

def tick():
    while True:
        ticks.append(time.monotonic())
        time.sleep(0.005)

{before}
threading.Thread(target=tick, daemon=True).start()
try:
    {work}
except KeyboardInterrupt:
    pass
gaps = [after - before for before, after in zip(ticks, ticks[1:])]
print(len(ticks), max(gaps))
"""


def test_other_threads_run_while_an_agent_plans() -> None:
    before, work = LONG["act"]
    code = PLANNING.format(before=before, work=work.strip().replace("\n", "\n    "))
    running = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    time.sleep(4)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=30)
    count, gap = out.split()
    assert int(count) > 100 and float(gap) < 1.0, out


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("one diameter", r"diameter: "),
        ("a world by its table", "building the world"),
        ("a table of what is reachable", "searching reachable states: "),
        ("solve", "optimal gain"),
        ("act", "planning: "),
    ],
)
def test_who_watches_sees_progress_after_two_seconds(name: str, shown: str) -> None:
    import pty

    ours, theirs = pty.openpty()
    running = subprocess.Popen(script(name), stdout=subprocess.PIPE, stderr=theirs, text=True)
    os.close(theirs)
    assert running.stdout is not None and running.stdout.readline() == "ready\n"
    seen = bytearray()

    def read() -> None:
        while True:
            try:
                seen.extend(os.read(ours, 4096))
            except OSError:
                return

    reader = threading.Thread(target=read)
    reader.start()
    time.sleep(1.0)
    assert not seen, "quiet at first"
    deadline = time.monotonic() + 20
    while shown.encode() not in seen and time.monotonic() < deadline:
        time.sleep(0.1)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=30)
    reader.join()
    os.close(ours)
    assert shown in seen.decode() and out == "stopped\n", seen
