"""Ctrl-C in the middle of work: the work ends by itself, so that nothing is left half done."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from gpumcts.compiling.interruption import ending_at
from gpumcts.stop_event import StopEvent, as_raised_by_handlers

_around: ContextVar[threading.Event | None] = ContextVar("_around", default=None)
"""The event of the work that is under way in this thread."""


@contextmanager
def stoppable() -> Iterator[threading.Event]:
    """An event that ends the work inside: the first Ctrl-C sets it, and the second raises at once.

    KeyboardInterrupt is raised when the work has ended; a compilation ends before. A handler of the user's own is left
    alone, as is any thread but the main one; what they raise inside sets the event too, so that threads at work come to
    an end. Work within such work, as a search that a player of a user's own makes, ends with that.
    """
    main = threading.current_thread() is threading.main_thread()
    ours = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    stop = StopEvent(None if ours else _around.get())

    def on_signal(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    if ours:
        signal.signal(signal.SIGINT, on_signal)
    try:
        with _under_way(stop), ending_at(stop), as_raised_by_handlers():
            yield stop
    except BaseException:
        stop.set()
        raise
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if stop.is_set():
        raise KeyboardInterrupt


@contextmanager
def _under_way(stop: threading.Event) -> Iterator[None]:
    token = _around.set(stop)
    try:
        yield
    finally:
        _around.reset(token)
