"""How fast work goes on, and from when on that may be told: seconds of compiling are no work."""

import time
from collections.abc import Callable

from gpumcts.compiling import messages

MIN_SHARE, MIN_SECONDS = 0.03, 5.0  # of work, either of which is enough to estimate the rest by
LEAST_SHARE = 0.0005  # that must be done in any case: first reports come in pieces too small to tell


def compiled() -> float:
    """Seconds of compiling in this process so far; those of two threads at a time count twice."""
    return sum(list(messages.compile_seconds.values()))  # a list, since other threads may add to it


def is_known(share: float, seconds: float) -> bool:
    """Whether so much of the work, in [0, 1], done in so many seconds tells how fast it goes on."""
    return share >= MIN_SHARE or (share >= LEAST_SHARE and seconds >= MIN_SECONDS)


class Pace:
    """The pace of one piece of work, by what it reports of itself.

    The first report only starts the clock: what came before it is compiling, loading and allocating as much as work.

    now : a clock, in seconds; compiled : seconds that were compiled so far, by the same clock
    """

    def __init__(self, now: Callable[[], float] = time.monotonic, compiled: Callable[[], float] = compiled) -> None:
        self._now, self._compiled = now, compiled
        self._last: tuple[float, float] | None = None
        self._first_done, self._worked = 0.0, 0.0

    def report(self, done: float) -> None:
        """So much is done by now."""
        now, compiled = self._now(), self._compiled()
        if self._last is None:
            self._first_done = done
        else:
            self._worked += max(0.0, now - self._last[0] - (compiled - self._last[1]))
        self._last = now, compiled

    def skip(self, amount: float) -> None:
        """So much of what is done by now was done by an earlier run."""
        self._first_done += amount

    def made(self, done: float) -> tuple[float, float]:
        """What was done since the first report, where ``done`` is by now, and the seconds of work that it took."""
        return (0.0, 0.0) if self._last is None else (max(0.0, done - self._first_done), self._worked)

    def left(self, done: float, total: float) -> float | None:
        """Seconds that the rest takes; None where too little is done to tell."""
        made, seconds = self.made(done)
        if total <= 0 or done >= total or not is_known(made / total, seconds):
            return None
        return seconds * (total - done) / made
