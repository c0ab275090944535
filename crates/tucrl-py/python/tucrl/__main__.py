"""The command ``tucrl``, the same as the program that cargo builds."""

import signal
import sys

from tucrl._native import command


def main() -> int:
    """Run the command with the arguments of the process; return its exit code."""
    # Python handles Ctrl-C between its own instructions, so not before the command has ended. The
    # default handler ends it at once; long runs set a handler themselves.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return command(["tucrl", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
