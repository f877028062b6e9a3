"""SIGTERM as Ctrl-C: ``timeout``, clusters and supervisors send it some time before they kill. None of them is lost.

LLVM calls Python back while it compiles and loads. An exception does not get out of there, so an interrupt that came in
meanwhile would be printed as ignored, and the command would go on to its end.
"""

import atexit
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

ECHO = 1.0
"""Seconds after a SIGTERM in which another one is the same: ``timeout`` sends it to the command and to its group."""

AGAIN = 0.05
"""Seconds after which an interrupt that was lost comes in again; a callback takes less."""


def end_by_sigterm() -> None:
    """From now on SIGTERM does what Ctrl-C does where it comes in; one within ``ECHO`` of an earlier one does nothing.

    Where SIGTERM is ignored it stays so. For the main thread; elsewhere nothing is done.
    """
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) != signal.SIG_IGN:
        signal.signal(signal.SIGTERM, _as_interrupt)


@contextmanager
def ending_by_sigterm() -> Iterator[None]:
    """The same while the block runs, where nobody handles SIGTERM: in a worker, which a launcher may end otherwise."""
    ours = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    if ours:
        end_by_sigterm()
    try:
        yield
    finally:
        if ours:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


@atexit.register
def _ignore_echo() -> None:
    """A second SIGTERM may come while Python ends, which gives up all handlers: it would take the exit code away."""
    if signal.getsignal(signal.SIGTERM) is _as_interrupt and _last > -float("inf"):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)


def bring_back_interrupts() -> None:
    """From now on an interrupt whose exception Python has to ignore, in a callback, comes in again behind it."""
    sys.unraisablehook = _unless_interrupted


def _unless_interrupted(ignored: "sys.UnraisableHookArgs") -> None:
    if not issubclass(ignored.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(ignored)
        return
    again = threading.Timer(AGAIN, _interrupt)
    again.daemon = True
    again.start()


def _interrupt() -> None:
    global _last
    number = signal.SIGINT if callable(signal.getsignal(signal.SIGINT)) else signal.SIGTERM
    _last = -float("inf")  # no echo
    main = threading.main_thread().ident
    assert main is not None
    signal.pthread_kill(main, number)


_last = -float("inf")
"""When SIGTERM came in, by ``time.monotonic``."""


def _as_interrupt(number: int, frame: FrameType | None) -> None:
    global _last
    before, _last = _last, time.monotonic()
    if _last - before < ECHO:
        return
    interrupt = signal.getsignal(signal.SIGINT)
    if not callable(interrupt):  # a shell's background job ignores Ctrl-C, which is not meant for it
        raise KeyboardInterrupt
    interrupt(signal.SIGINT, frame)
