"""Progress of long work on the standard error."""

import sys


def is_watched() -> bool:
    """Return whether the standard error is shown: in a terminal or a notebook."""
    return sys.stderr.isatty() or "ipykernel" in sys.modules


class Line:
    """One line that is written over; nothing where it is not shown."""

    def __init__(self, is_shown: bool) -> None:
        self._is_shown = is_shown
        self._width = 0

    def show(self, text: str) -> None:
        """Replace the line."""
        if self._is_shown:
            sys.stderr.write("\r" + text.ljust(self._width))
            sys.stderr.flush()
            self._width = len(text)

    def close(self) -> None:
        """Remove the line."""
        if self._width:
            sys.stderr.write("\r" + self._width * " " + "\r")
            sys.stderr.flush()


def line() -> Line:
    """Return the line for work that takes long."""
    return Line(is_watched())
