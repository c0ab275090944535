"""Keeps the results of an experiment in an object store, by the package obstore.

The names are those of a directory: ``experiment.toml`` and ``runs/<run>.run``. What is there is copied into a folder of this
machine; every result that comes is stored by a conditional put, so that several processes may write at the same time: what
exists is read and compared, and replaced only if it is the failure of a run, or damaged, and has not changed meanwhile.
"""

import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tucrl import _native

#: Objects that are read or written at the same time.
_THREADS = 16
#: How often a put is tried when others write the same name.
_TRIES = 5
#: Variables of the environment that hold secrets.
_SECRET = re.compile("KEY|SECRET|TOKEN|PASSWORD|CREDENTIAL|SAS", re.IGNORECASE)
_EXPERIMENT = "experiment.toml"


def of(out: Any) -> "Bucket | None":
    """Return the object store that results go to; none if they go to a directory."""
    if isinstance(out, str) and "://" in out:
        parts = urlsplit(out)
        shown = f"{parts.scheme}://{parts.hostname or ''}{parts.path}"
        if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
            raise ValueError(
                f"{shown} has a user, a password or options in it: give the address alone, and credentials by the "
                f"environment (AWS_ACCESS_KEY_ID, ...) or by a store of obstore that you pass as out"
            )
        return Bucket(_opened(out, shown), shown)
    if type(out).__module__.split(".")[0] == "obstore":
        return Bucket(out, type(out).__name__)
    return None


def _obstore() -> Any:
    try:
        import obstore
    except ImportError:
        raise ImportError("results in an object store need the package obstore: pip install obstore") from None
    return obstore


def _opened(url: str, shown: str) -> Any:
    _obstore()
    from obstore.store import from_url

    try:
        return from_url(url)
    except Exception as error:
        raise ValueError(f"{shown} cannot be opened: {_said(error)}") from None


def _said(error: BaseException) -> str:
    """The first line of an error, without anything that the environment keeps secret."""
    text = str(error).split("\n", 1)[0]
    for name, value in os.environ.items():
        if len(value) > 3 and _SECRET.search(name):
            text = text.replace(value, "***")
    return text


def _body(path: str, content: bytes) -> bytes:
    """What a run says, without where and when it was made; of an experiment, all of it."""
    return content if path == _EXPERIMENT else content.partition(b"\n")[2].partition(b"\n")[0]


class Bucket:
    """The results of one experiment in an object store, and their copies in a folder."""

    def __init__(self, store: Any, name: str) -> None:
        self._store, self.name = store, name
        self._obstore = _obstore()
        self._folder = Path()
        self._cells: _native.Cells | None = None
        self._numbers: dict[str, int] = {}
        #: The version of every object that was read, and the copy as it was then.
        self._tags: dict[str, Any] = {}
        self._copies: dict[str, tuple[int, int]] = {}
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="tucrl-store")

    @contextlib.contextmanager
    def copied(self, folder: "str | os.PathLike[str] | None") -> Iterator[str]:
        """Copy what is there into a folder, a temporary one unless given."""
        with contextlib.ExitStack() as stack:
            if folder is None:
                folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tucrl-"))
            stack.callback(self._threads.shutdown, cancel_futures=True)
            self._folder = Path(folder)
            (self._folder / "runs").mkdir(parents=True, exist_ok=True)
            try:
                self._fetch()
                yield str(self._folder)
            except (ValueError, RuntimeError, OSError) as error:
                # The folder is a detail; the object has the same name.
                told = str(error).replace(str(self._folder), self.name)
                if told == str(error):
                    raise
                raise type(error)(told) from None

    def begin(self, cells: _native.Cells) -> None:
        """Store the experiment, and what was found to be damaged, under another name."""
        self._cells = cells
        self._numbers = {cells.file(number): number for number in range(len(cells))}
        experiment = self._folder / _EXPERIMENT
        if self._copies.get(_EXPERIMENT) != _mark(experiment):
            self._replace(_EXPERIMENT, experiment.read_bytes)
        for path in (self._folder / "runs").glob("*.damaged"):
            self._aside(path.name, path.read_bytes())

    def keep(self, cell: int, sealed: bytes) -> "Future[None]":
        """Check the sealed run of a cell and store it."""
        assert self._cells is not None
        self._cells.accept(cell, sealed)
        return self._threads.submit(self._put, self._cells.file(cell))

    def push(self) -> None:
        """Store the runs that have come into the folder."""
        new = [path for path in (self._folder / "runs").glob("*.run") if self._copies.get(path.name) != _mark(path)]
        for path in new:
            self._copies[path.name] = _mark(path)
        for made in [self._threads.submit(self._put, path.name) for path in new]:
            made.result()

    def _fetch(self) -> None:
        found = self._asked(lambda: [meta for part in self._obstore.list(self._store) for meta in part])
        wanted = [meta["path"] for meta in found]
        wanted = [path for path in wanted if path == _EXPERIMENT or re.fullmatch(r"runs/[^/]+\.run", path)]
        for done in [self._threads.submit(self._copy, path) for path in wanted]:
            done.result()

    def _copy(self, path: str) -> None:
        content, self._tags[path] = self._get(path)
        place = self._folder / path
        if not (place.exists() and place.read_bytes() == content):
            part = place.with_name(f".{place.name}.tmp")
            part.write_bytes(content)
            part.replace(place)
        self._copies[place.name] = _mark(place)

    def _get(self, path: str) -> tuple[bytes, Any]:
        got = self._asked(lambda: self._obstore.get(self._store, path))
        return bytes(self._asked(got.bytes)), got.meta["e_tag"]

    def _put(self, name: str) -> None:
        """Store the run of the folder, or take the one that is there, if that is as good."""
        path = self._folder / "runs" / name
        self._replace(f"runs/{name}", path.read_bytes, lambda theirs: self._compare(name, theirs))

    def _compare(self, name: str, theirs: bytes) -> None:
        """Take the run of another process, unless ours is better; two that contradict each other are an error."""
        assert self._cells is not None
        try:
            self._cells.accept(self._numbers[name], theirs)
        except ValueError:
            # Its seal is broken: it is kept under another name.
            self._aside(f"{name}.damaged", theirs)

    def _aside(self, name: str, content: bytes) -> None:
        with contextlib.suppress(self._obstore.exceptions.AlreadyExistsError):
            self._write(f"runs/{name}", content, None)

    def _write(self, path: str, content: bytes, tag: Any) -> Any:
        """Store an object that is new, or replace the version with this tag; return the new tag."""
        mode = "create" if tag is None else {"e_tag": tag}
        return self._asked(lambda: self._obstore.put(self._store, path, content, mode=mode))["e_tag"]

    def _replace(
        self, path: str, mine: Callable[[], bytes], compare: Callable[[bytes], None] = lambda theirs: None
    ) -> None:
        refusals = (self._obstore.exceptions.AlreadyExistsError, self._obstore.exceptions.PreconditionError)
        for _ in range(_TRIES):
            try:
                self._tags[path] = self._write(path, mine(), self._tags.get(path))
                return
            except refusals:
                theirs, self._tags[path] = self._get(path)
            compare(theirs)
            if _body(path, mine()) == _body(path, theirs):
                return
            if path == _EXPERIMENT:
                raise ValueError(f"{self.name} was given another experiment at the same time: choose another address")
        raise OSError(f"{self.name}: {path} is written by others again and again; call it again")

    def _asked(self, call: Callable[[], Any]) -> Any:
        """Ask the store; what it says must not reveal credentials."""
        known = self._obstore.exceptions
        try:
            return call()
        except (known.AlreadyExistsError, known.PreconditionError):
            raise
        except (known.NotSupportedError, NotImplementedError) as error:
            raise OSError(
                f"{self.name} has no conditional puts, by which results are kept once ({_said(error)}): use another "
                f"store, or a directory"
            ) from None
        except known.BaseError as error:
            raise OSError(f"{self.name}: {_said(error)}: check the address and the credentials") from None


def _mark(path: Path) -> tuple[int, int]:
    found = path.stat()
    return found.st_mtime_ns, found.st_size
