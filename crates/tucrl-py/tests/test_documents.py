"""The Python code of the documents runs as it is printed, and does what it claims."""

import contextlib
import io
import re
import warnings
from pathlib import Path
from typing import Any

import matplotlib
import pytest
import tucrl

matplotlib.use("Agg")

ROOT = Path(__file__).parents[3]


def blocks(document: str) -> list[tuple[int, str]]:
    """Return the Python code blocks of a document with the lines on which they start."""
    text = (ROOT / document).read_text(encoding="utf-8")
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text.count("\n", 0, block.start()) + 2, block[1]) for block in found]


def run(document: str, number: int, names: dict[str, Any]) -> str:
    """Run one block of a document; return what it prints."""
    line, code = blocks(document)[number]
    printed = io.StringIO()
    # Errors name the line of the document.
    compiled = compile("\n" * (line - 1) + code, str(ROOT / document), "exec")
    with contextlib.redirect_stdout(printed):
        exec(compiled, names)
    return printed.getvalue()


def numbers(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", text)]
