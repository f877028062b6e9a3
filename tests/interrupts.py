"""Interrupts in the middle of work."""

import contextlib
import signal
import sys
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
    """The next wait of this thread ends by KeyboardInterrupt once its lock is given up, before its ``try``."""
    cuts, before = [], sys.gettrace()

    def lines(frame, event, argument):
        if event == "line" and "saved_state" in frame.f_locals and not cuts:
            cuts.append(True)
            raise KeyboardInterrupt
        return lines

    sys.settrace(lambda frame, event, argument: lines if frame.f_code is threading.Condition.wait.__code__ else None)
    try:
        yield
    finally:
        sys.settrace(before)
    assert cuts
