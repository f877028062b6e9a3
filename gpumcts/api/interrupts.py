"""Ctrl-C in the middle of work: the work ends by itself, so that nothing is left half done."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from gpumcts.compiling.interruption import ending_at


@contextmanager
def stoppable() -> Iterator[threading.Event]:
    """An event that ends the work inside: the first Ctrl-C sets it, and the second raises at once.

    KeyboardInterrupt is raised when the work has ended; a compilation ends before. A handler of the user's own is left
    alone, as is any thread but the main one; what they raise inside sets the event too, so that threads at work come to
    an end.
    """
    stop = threading.Event()

    def on_signal(number: int, frame: object) -> None:
        if stop.is_set():
            raise KeyboardInterrupt
        stop.set()

    main = threading.current_thread() is threading.main_thread()
    ours = main and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, on_signal)
    try:
        with ending_at(stop):
            yield stop
    except BaseException:
        stop.set()
        raise
    finally:
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
    if stop.is_set():
        raise KeyboardInterrupt
