"""maturin as the build backend of the package, after a look at whether Rust is there.

Without it, pip shows maturin's own attempt to download a toolchain, or a trace of Python.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import maturin
from maturin import (
    get_requires_for_build_editable as _editable_needs,
    get_requires_for_build_sdist as get_requires_for_build_sdist,
    get_requires_for_build_wheel as _wheel_needs,
)

_CARGO_TOML = Path(__file__).parents[3] / "Cargo.toml"
_REMEDY = (
    "Install it from https://rustup.rs (or update it: rustup update), open a new terminal, and run the same command again.\n"
    "With wheels for your platform no Rust is needed: pip install --upgrade pip, then pip install --only-binary :all: tucrl."
)


def _least() -> tuple[int, ...]:
    declared = re.search(r'^rust-version = "([\d.]+)"', _CARGO_TOML.read_text(encoding="utf-8"), re.MULTILINE)
    if declared is None:
        sys.exit(f"tucrl: {_CARGO_TOML} has no rust-version: take the file from the repository")
    return tuple(int(part) for part in declared[1].split("."))


def _check_rust() -> None:
    """End with a message if there is no Rust, or one that is too old."""
    least = _least()
    wanted = "tucrl is compiled for this platform, which needs Rust " + ".".join(map(str, least)) + " or later"
    cargo = os.environ.get("CARGO") or shutil.which("cargo")
    if cargo is None:
        sys.exit(f"\n{wanted}: cargo was not found.\n{_REMEDY}\n")
    try:
        said = subprocess.run([cargo, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f"\n{wanted}: {cargo} does not run ({error}).\n{_REMEDY}\n")
    found = re.search(r"(\d+)\.(\d+)", said)
    if found is None or tuple(map(int, found.groups())) < least:
        sys.exit(f"\n{wanted}: {cargo} is {said.strip()}.\n{_REMEDY}\n")


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    """Ask for what maturin needs."""
    _check_rust()
    return list(_wheel_needs(config_settings))


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    """Ask for what maturin needs."""
    _check_rust()
    return list(_editable_needs(config_settings))


def prepare_metadata_for_build_wheel(metadata_directory: str, config_settings: Any = None) -> str:
    """Write the metadata."""
    _check_rust()
    return str(maturin.prepare_metadata_for_build_wheel(metadata_directory, config_settings))


prepare_metadata_for_build_editable = prepare_metadata_for_build_wheel


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Compile."""
    _check_rust()
    return str(maturin.build_wheel(wheel_directory, config_settings, metadata_directory))


def build_editable(wheel_directory: str, config_settings: Any = None, metadata_directory: str | None = None) -> str:
    """Compile."""
    _check_rust()
    return str(maturin.build_editable(wheel_directory, config_settings, metadata_directory))


def build_sdist(sdist_directory: str, config_settings: Any = None) -> str:
    """Pack the sources."""
    return str(maturin.build_sdist(sdist_directory, config_settings))
