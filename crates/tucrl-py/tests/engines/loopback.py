"""Runs a command in a network of its own that has nothing but loopback: where engines listen, no other machine can reach them.

    python loopback.py COMMAND...
    python loopback.py --left FOLDER...  prints the processes whose program, arguments or environment name a folder
"""

import fcntl
import os
import socket
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

_GET_FLAGS, _SET_FLAGS, _SET_ADDRESS, _UP = 0x8913, 0x8914, 0x8916, 1


def is_alone() -> bool:
    """Return whether this process has no network but loopback."""
    return [name for _, name in socket.if_nameindex()] == ["lo"]


def inside(command: list[str]) -> None:
    """Start the command, in a new network that is down and a host without a name."""
    with socket.socket() as any_socket:
        name, flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, _GET_FLAGS, struct.pack("16s16x", b"lo")))
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack("16sh14x", name, flags | _UP))
        # The C library finds no name, as Slurm asks for it, on a host that has no address but 127.0.0.1.
        second = struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton("127.0.0.2"))
        fcntl.ioctl(any_socket, _SET_ADDRESS, second)
    # Some engines ask which address the host's name has.
    socket.sethostname("localhost")
    assert is_alone()
    os.execvp(command[0], command)


def outside(command: list[str]) -> None:
    """Make the network."""
    rights = [] if os.geteuid() == 0 else ["--map-root-user"]
    os.execvp("unshare", ["unshare", *rights, "--net", "--uts", sys.executable, __file__, "--inside", *command])


def processes(folder: str) -> Iterator[str]:
    """Return the processes that name a folder, without this one and what started it."""
    for process in Path("/proc").iterdir():
        if not process.name.isdigit() or int(process.name) in (os.getpid(), os.getppid()):
            continue
        try:
            words = (process / "cmdline").read_bytes()
            named = os.readlink(process / "exe").encode() + b"\0" + words + b"\0" + (process / "environ").read_bytes()
        except OSError:
            # It has ended, or belongs to the system.
            continue
        if folder.encode() in named:
            yield f"{process.name} {words.replace(bytes(1), b' ').decode(errors='replace')[:200]}"


if __name__ == "__main__":
    if sys.argv[1] == "--left":
        left = [process for folder in sys.argv[2:] for process in processes(folder)]
        print("\n".join(left))
        sys.exit(bool(left))
    if sys.argv[1] == "--inside":
        inside(sys.argv[2:])
    outside(sys.argv[1:])
