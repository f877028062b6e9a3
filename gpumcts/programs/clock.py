"""Time management: the time that a move may take, by a budget and by a clock."""

import time
from typing import NamedTuple

LAG = 0.05  # seconds a move that go to those in between
SHARE = 0.9  # of what is left: a slice of the search may take longer than it should
MIN_MOVES = 5  # that main time is to last for
MIN_SECONDS = 0.01


class Limits(NamedTuple):
    """What a move may take: so many iterations, or wall-clock seconds; one of them is None. A clock may lower both."""

    iterations: int | None
    seconds: float | None

    def less(self, begin: float) -> "Limits":
        """What is left of them since ``begin``, as ``time.monotonic`` has it."""
        return self if self.seconds is None else self._replace(seconds=begin + self.seconds - time.monotonic())


def spent(share: float, lag: float = LAG) -> float:
    """Seconds to think where a move may take ``share``, of which ``lag`` is lost on the way."""
    return max(SHARE * share - lag, MIN_SECONDS)
