"""What pip says where Rust is missing or too old, and that the backend is maturin's otherwise."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
BACKEND = ROOT / "crates/tucrl-py/backend"


def hook(name: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Call a hook of the backend where only the programs of a folder are found."""
    environment = {key: value for key, value in os.environ.items() if key != "CARGO"} | {"PATH": str(path)}
    code = f"import sys; sys.path.insert(0, {str(BACKEND)!r}); import tucrl_backend; print(tucrl_backend.{name}())"
    return subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True)


def program(path: Path, says: str) -> None:
    path.write_text(f"#!/bin/sh\n{says}\n")
    path.chmod(0o755)


def test_pip_says_how_to_get_rust(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if key != "CARGO"} | {"PATH": str(tmp_path)}
    arguments = ["install", "--no-deps", "--no-build-isolation", "--target", str(tmp_path / "into"), str(ROOT)]
    outcome = subprocess.run([sys.executable, "-m", "pip", *arguments], env=environment, capture_output=True, text=True)
    said = outcome.stdout + outcome.stderr
    assert outcome.returncode != 0
    assert "needs Rust 1.88 or later: cargo was not found." in said and "https://rustup.rs" in said
    assert "Traceback" not in said


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no shell scripts")
def test_a_rust_that_is_old_or_broken_is_named(tmp_path: Path) -> None:
    program(tmp_path / "cargo", "echo cargo 1.87.0")
    old = hook("get_requires_for_build_wheel", tmp_path)
    assert old.returncode == 1 and "is cargo 1.87.0." in old.stderr and "rustup update" in old.stderr
    program(tmp_path / "cargo", "exit 1")
    broken = hook("get_requires_for_build_wheel", tmp_path)
    assert broken.returncode == 1 and "does not run" in broken.stderr
    program(tmp_path / "cargo", "echo cargo 1.100.0")
    new = hook("get_requires_for_build_wheel", tmp_path)
    assert new.returncode == 0 and new.stdout.startswith("["), new.stderr


def test_sources_are_packed_without_rust_being_asked_for(tmp_path: Path) -> None:
    assert hook("get_requires_for_build_sdist", tmp_path).returncode == 0
