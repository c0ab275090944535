"""The command ``tucrl``, the same as the program that cargo builds."""

import signal
import sys

from tucrl._native import command


def main() -> int:
    """Do what the arguments say; return the exit code."""
    # Python only notes Ctrl-C and acts on it between its own instructions, of which there are none
    # until the command has ended. The system's way ends it at once; long runs set a handler themselves.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command(["tucrl", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
