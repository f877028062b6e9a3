"""Compilations end where their user stops the work that they are for: they take long, and nothing is lost by it.

The end comes between two of numba's passes, as KeyboardInterrupt, and not in the handler of a signal: a handler may run
in a callback from LLVM, which no exception leaves.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_stop: ContextVar[threading.Event | None] = ContextVar("_stop", default=None)
_watched: ContextVar[threading.Event | None] = ContextVar("_watched", default=None)


@contextmanager
def ending_at(stop: threading.Event) -> Iterator[None]:
    """Let compilations of this thread end where ``stop`` is set meanwhile."""
    token = _stop.set(stop)
    try:
        yield
    finally:
        _stop.reset(token)


@contextmanager
def interruptible() -> Iterator[None]:
    """Compilations that go together. Those that begin after the stop go on: what has been found may need them."""
    stop = _watched.get() or _stop.get()
    if stop is None or stop.is_set():
        yield
        return
    token = _watched.set(stop)
    try:
        yield
    finally:
        _watched.reset(token)


def check_stop() -> None:
    """Raise KeyboardInterrupt where the stop came in while what is ``interruptible`` compiled."""
    stop = _watched.get()
    if stop is not None and stop.is_set():
        raise KeyboardInterrupt
