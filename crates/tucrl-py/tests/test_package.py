"""The package as a whole: what it costs to import, its command, its examples."""

import doctest
import importlib
import os
import signal
import subprocess
import sys
import sysconfig
import time
from pathlib import Path

import pytest
import tucrl

EXAMPLES = sorted((Path(__file__).parents[3] / "examples" / "python").glob("*.py"))
COMMAND = Path(sysconfig.get_path("scripts")) / "tucrl"


def test_the_tests_see_the_installed_package() -> None:
    assert "site-packages" in tucrl.__file__


def test_importing_does_not_import_what_is_heavy() -> None:
    heavy = {"numpy", "gymnasium", "matplotlib", "pandas", "tqdm"}
    code = f"import sys, tucrl; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


@pytest.mark.parametrize("order", ["gymnasium, tucrl", "tucrl.gym, gymnasium", "tucrl, gymnasium"])
def test_worlds_are_registered_whoever_is_imported_first(order: str) -> None:
    ask = "tucrl.gym; " if order == "tucrl, gymnasium" else ""
    code = f"import {order}; {ask}print(gymnasium.make('tucrl/Taxi-v0').observation_space)"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "Discrete(500)\n"


@pytest.mark.parametrize(
    "module",
    ["tucrl", "tucrl._catalogue", "tucrl._learn", "tucrl._run", "tucrl.gym", "tucrl.testing", "tucrl._native"],
)
def test_the_examples_in_docstrings_are_true(module: str) -> None:
    outcome = doctest.testmod(importlib.import_module(module), optionflags=doctest.ELLIPSIS)
    assert outcome.failed == 0
    assert outcome.attempted > 0 or module == "tucrl._native"


def test_every_public_name_is_documented() -> None:
    bare = [name for name in tucrl.__all__ if not getattr(tucrl, name).__doc__]
    kinds: tuple[type, ...] = (tucrl.Agent, tucrl.MDP, tucrl.World, tucrl.Walk, tucrl.Plan, tucrl.Stream)
    kinds += (tucrl.Episode, tucrl.Result)
    records = (tucrl.Hardness, tucrl.LowerBound, tucrl.BurnIn)
    for kind in kinds + records:
        own = {name: value for name, value in vars(kind).items() if not name.startswith("_")}
        bare += [f"{kind.__name__}.{name}" for name, value in own.items() if not value.__doc__]
    assert bare == []


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_the_examples_run(example: Path, tmp_path: Path) -> None:
    environment = {**os.environ, "MPLBACKEND": "Agg", "TUCRL_EXAMPLE_STEPS": "20000"}
    done = subprocess.run(
        [sys.executable, "-W", "error", str(example)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip()


def test_there_are_four_examples() -> None:
    assert len(EXAMPLES) == 4


def test_the_explorable_page_is_in_the_wheel(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    subprocess.run([sys.executable, "-m", "tucrl", "play", "--out", str(page)], check=True, capture_output=True)
    shipped = Path(__file__).parents[3] / "docs" / "explorable.html"
    assert page.read_bytes() == shipped.read_bytes(), "tucrl play --out docs/explorable.html --force"


def test_the_command_is_in_the_wheel() -> None:
    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run([COMMAND, *words], capture_output=True, text=True)

    assert run("--version").stdout == f"tucrl {tucrl.__version__}\n"
    worlds = run("worlds").stdout
    assert all(name in worlds for name in tucrl.worlds())
    assert run("inspect", "three-state:delta=0").returncode == 0
    assert run("reproduce", "--plan").returncode == 0
    wrong = run("inspect", "no-such-world")
    assert (wrong.returncode, wrong.stdout) == (1, "") and "no-such-world" in wrong.stderr
    assert run("no-such-verb").returncode == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["learn", "river-swim", "--steps", "1e10", "--agent", "random"], 130),
        # A verb without a handler of its own ends as any program does.
        (["inspect", "garnet:s=2e5,b=20,seed=1", "--all"], -signal.SIGINT),
    ],
)
def test_ctrl_c_stops_the_command(words: list[str], code: int) -> None:
    running = subprocess.Popen([COMMAND, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    time.sleep(1.5)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == code
