"""How much work goes into one compiled call: about a tenth of a second's, so that Ctrl-C and progress bars live.

Nothing that is computed depends on it.
"""

import threading

SECONDS_A_CALL = 0.1
GROWTH = 8  # a call has at most so many times the work of the one before


def next_size(size: int, done: int, seconds: float) -> int:
    """Units of work for the next call, after one that did ``done`` units in so many seconds.

    ``size`` units were asked for, and fewer may have been left at the end. The answer is at most ``size`` or 8 times
    ``done``, so that many short runs do not raise the size without bound.
    """
    wanted = int(done * SECONDS_A_CALL / max(seconds, 1e-6))
    return max(1, min(wanted, max(size, GROWTH * done)))


class Shares:
    """Hands out units 0 to ``count - 1`` in shares of about a call each, smaller ones towards the end.

    size : of the first share; threads : that take shares, at any time
    """

    def __init__(self, count: int, size: int, threads: int) -> None:
        self.size, self._count, self._threads, self._next = size, count, threads, 0
        self._lock = threading.Lock()

    def take(self) -> slice | None:
        """The next share; None where there is none."""
        with self._lock:
            left = self._count - self._next
            if left <= 0:
                return None
            size = min(self.size, max(1, -(-left // (2 * self._threads))) if self._threads > 1 else left)
            self._next += size
            return slice(self._next - size, self._next)

    def took(self, share: slice, seconds: float) -> None:
        """How long a share took: quick ones double the size of those to come."""
        with self._lock:
            if seconds < SECONDS_A_CALL / 2 and share.stop - share.start >= self.size:
                self.size *= 2
