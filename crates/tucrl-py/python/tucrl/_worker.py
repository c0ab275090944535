"""A process that runs an agent for another one, which may end it.

Requests and answers are lines of JSON, each followed by as many bytes as its key ``bytes`` says.
"""

import contextlib
import faulthandler
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

from tucrl import _native, _own


class Session:
    """One agent at a time, and the world that it walks in."""

    def __init__(self) -> None:
        self.factory: Callable[..., Any] | None = None
        self.options: dict[str, Any] = {}
        self.agent: Any = None
        self.table: _native.MDP | None = None

    def setup(self, request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        """Learn how agents are made."""
        self.factory, self.options = _own.unpack(payload)
        return {}

    def make(self, request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        """Make an agent."""
        assert self.factory is not None
        self.agent = _own.make(self.factory, self.options, request["facts"], lambda: request["offered"])
        return {}

    def repeat(self, request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        """Make the agent again and show it its first steps; what it prints was printed before."""
        assert self.factory is not None
        with open(os.devnull, "w") as nothing, contextlib.redirect_stdout(nothing), contextlib.redirect_stderr(nothing):
            agent = _own.make(self.factory, self.options, request["facts"], lambda: request["offered"])
            return {"differs": _own.difference(agent, request["first"])}

    def thaw(self, request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        """Continue an agent that was frozen."""
        self.agent = _own.thaw(request["frozen"])
        return {}

    def world(self, request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        """Learn the table that the agent walks in."""
        self.table = _native.MDP._from_json("", payload)
        return {}

    def play(self, request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        """Play steps in a copy of the walk; the actions are the answer."""
        assert self.table is not None
        actions, error = _native._play(
            self.table,
            json.dumps(request["position"]),
            self.agent.act,
            self.agent.observe,
            request["steps"],
            request["seconds"],
        )
        return {"payload": actions, "failed": error, **self.told(request)}

    def step(self, request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        """Observe the last step, if there was one, and act."""
        told = {} if request["reward"] is None else self.observe(request, payload)
        return {"action": _native._ask(self.agent.act, request["next"], request["offered"]), **told}

    def observe(self, request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        """Observe the last step."""
        self.agent.observe(request["reward"], request["next"])
        return self.told(request)

    def explain(self, request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        """Pass a question on to the agent."""
        return {"explained": _own.explained(self.agent, request["state"])}

    def freeze(self, request: dict[str, Any], payload: bytes) -> dict[str, Any]:
        """Return the agent as text."""
        return {"frozen": _own.freeze(self.agent)}

    def told(self, request: dict[str, Any]) -> dict[str, Any]:
        """What the agent says about itself."""
        return {"episodes": _own.episodes(self.agent, request["known"])}


def main() -> None:
    """Answer requests until there are no more."""
    _own.is_worker = True
    read, write = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What the agent prints goes to the standard error; it has no input.
    os.dup2(2, 1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    # Ctrl-C is for the process that asked, which ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    with contextlib.ExitStack() as stack:
        if hasattr(faulthandler, "register") and (path := os.environ.get("TUCRL_WORKER_TRACE")):
            trace = stack.enter_context(open(path, "wb"))
            faulthandler.register(signal.SIGUSR1, file=trace, all_threads=True)
        serve(Session(), read, write)


def end_with(parent: int) -> None:
    """End this process soon after the one that asked was killed, also while the agent does not return."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(1)


def serve(session: Session, read: Any, write: Any) -> None:
    """Answer requests."""
    while line := read.readline():
        request = json.loads(line)
        payload = read.read(request.get("bytes", 0))
        try:
            answer = getattr(session, request["do"])(request, payload)
        except BaseException as error:
            answer = {"failed": _own.failure(error)}
        body = answer.pop("payload", b"")
        write.write(json.dumps({**answer, "bytes": len(body)}).encode() + b"\n" + body)
        write.flush()
    sys.exit(0)
