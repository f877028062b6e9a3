"""Interrupts in the middle of work."""

import contextlib
import signal


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
