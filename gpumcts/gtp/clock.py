"""The clock of an engine: ``time_settings`` and ``time_left`` to seconds for a move."""

import math

from gpumcts.programs.clock import FEWEST_MOVES, LEAST, spent

__all__ = ["LEAST", "Clock"]


class Clock:
    """Main time, then so much time for so many stones, again and again, for both players; unlimited before it is set."""

    def __init__(self) -> None:
        self.limited = False
        self._period, self._stones = 0.0, 0
        self._left: list[tuple[float, int]] = [(0.0, 0), (0.0, 0)]

    def set(self, main: float, period: float, stones: int) -> None:
        """``time_settings``, in seconds. A period for no stones, or nothing at all, means no limits."""
        self.limited = not (stones == 0 and (period > 0 or main == 0))
        self._period, self._stones = period, stones
        start = (main, 0) if main > 0 else (period, stones)
        self._left = [start, start]

    def tell(self, player: int, left: float, stones: int) -> None:
        """``time_left``: of main time where ``stones`` is 0, else for so many stones."""
        self._left[player] = (left, stones)
        self.limited = True

    def used(self, player: int, seconds: float) -> None:
        """So much was used, where nobody tells."""
        left, stones = self._left[player]
        left, stones = left - seconds, stones - 1
        if (left <= 0 or stones == 0) and self._stones:
            left, stones = self._period, self._stones
        self._left[player] = (max(left, 0.0), max(stones, 0))

    def seconds(self, player: int, moves_left: float) -> float:
        """Seconds for a move, infinite without limits; ``moves_left`` is an estimate."""
        if not self.limited:
            return math.inf
        left, stones = self._left[player]
        share = left / stones if stones else left / max(moves_left, FEWEST_MOVES)
        if not stones and self._stones:
            share = max(share, self._period / self._stones)  # main time may run out
        return spent(share)
