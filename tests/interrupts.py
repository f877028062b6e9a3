"""Interrupts in the middle of work."""

import contextlib
import signal
import threading


@contextlib.contextmanager
def raised(seconds):
    """KeyboardInterrupt after so long, raised by a handler of the user's own, wherever the main thread is."""

    def alarm(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextlib.contextmanager
def cut_wait():
    """The next wait of this thread ends by KeyboardInterrupt once its lock is given up, as a handler may cut it."""
    wait, cutting, cuts = threading.Condition.wait, threading.get_ident(), []

    def cut(condition, timeout=None):
        if cuts or threading.get_ident() != cutting:
            return wait(condition, timeout)
        cuts.append(True)
        condition.release()
        raise KeyboardInterrupt

    threading.Condition.wait = cut
    try:
        yield
    finally:
        threading.Condition.wait = wait
    assert cuts
