"""Claims: a function is compiled for given types by one process at a time, and the others load what it saved."""

import contextlib
import hashlib
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple

from gpumcts.compiling.interruption import check_stop
from gpumcts.compiling.messages import note_compilation

PREFIX = "compiling-"
POLL = 0.02  # seconds
LOOK = 0.2  # seconds of waiting until it is looked whether the user stops the work
MOST_SECONDS = 120.0  # to wait: another process may have been stopped


class CompiledElsewhere(Exception):
    """Another process is compiling what was asked for."""


def _nothing() -> None:
    return None


class Manner(NamedTuple):
    """How claims are made.

    waits : for another process that compiles the same; else CompiledElsewhere is raised
    begins : called before something is compiled
    """

    waits: bool = True
    begins: Callable[[], None] = _nothing


class _Claim:
    """The right to compile one function for given types, asked for once its code is missing in the cache."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._lock: Any = None
        self._looks_again = False

    def missed(self) -> bool:
        """Whether to look into the cache again: another process may have saved the code meanwhile.

        Else it is to be compiled here. Where the folder cannot be written, or knows no locks, nobody is asked; nor is
        anybody waited for any longer than ``MOST_SECONDS``.
        """
        if self._looks_again:
            _manner.get().begins()
            return False
        from filelock import FileLock, Timeout  # later: it takes 30 ms

        lock = FileLock(self._file)
        try:
            try:
                lock.acquire(blocking=False)
            except Timeout:
                if not _manner.get().waits:
                    raise CompiledElsewhere from None
                note_compilation()
                _wait_for(lock)
        except (OSError, NotImplementedError):  # Timeout is an OSError
            _manner.get().begins()
            return False
        self._lock, self._looks_again = lock, True
        return True

    def release(self) -> None:
        """Let others have their turn."""
        if self._lock is not None:
            self._lock.release()


def _wait_for(lock: Any) -> None:
    """Wait for another process's lock; raises Timeout, or KeyboardInterrupt where the user stops the work."""
    from filelock import Timeout

    end = time.monotonic() + MOST_SECONDS
    while True:
        try:
            lock.acquire(timeout=min(LOOK, MOST_SECONDS), poll_interval=POLL)
            return
        except Timeout:
            check_stop()
            if time.monotonic() >= end:
                raise


PATIENT = Manner()
_manner: ContextVar[Manner] = ContextVar("_manner", default=PATIENT)
_current: ContextVar[_Claim | None] = ContextVar("_current", default=None)


@contextlib.contextmanager
def by(manner: Manner) -> Iterator[None]:
    """Make the claims of this thread so meanwhile."""
    token = _manner.set(manner)
    try:
        yield
    finally:
        _manner.reset(token)


@contextlib.contextmanager
def claimed(function: Callable, signature: Any, place: Path) -> Iterator[None]:
    """One function is compiled for a signature meanwhile, or loaded from the cache in ``place``."""
    what = f"{function.__module__}.{function.__qualname__} {signature}"
    claim = _Claim(place / f"{PREFIX}{hashlib.sha256(what.encode()).hexdigest()[:20]}.lock")
    token = _current.set(claim)
    try:
        yield
    finally:
        _current.reset(token)
        claim.release()


def missed() -> bool:
    """Whether the cache is to be looked into again for what it lacks (``_Claim.missed``); False without a claim."""
    claim = _current.get()
    return claim is not None and claim.missed()
