"""The clock of an engine: ``time_settings`` and ``time_left`` to seconds for a move."""

import math

from gpumcts.programs.clock import MIN_MOVES, MIN_SECONDS, spent

__all__ = ["MIN_SECONDS", "Clock"]


class Clock:
    """Main time, then so much for so many stones, again and again, for both players; unlimited before it is set."""

    def __init__(self) -> None:
        self._begin: tuple[float, int] | None = None  # of each player, where there is a limit
        self._period, self._stones = 0.0, 0
        self._left: list[tuple[float, int] | None] = [None, None]

    def set(self, main: float, period: float, stones: int) -> None:
        """``time_settings``, in seconds. A period for no stones, or nothing at all, means no limits."""
        limited = not (stones == 0 and (period > 0 or main == 0))
        self._period, self._stones = period, stones
        self._begin = ((main, 0) if main > 0 else (period, stones)) if limited else None
        self.restart()

    def restart(self) -> None:
        """Another game begins, under the same settings."""
        self._left = [self._begin, self._begin]

    def tell(self, player: int, left: float, stones: int) -> None:
        """``time_left``: of main time where ``stones`` is 0, else for so many stones."""
        self._left[player] = (left, stones)

    def used(self, player: int, seconds: float) -> None:
        """So much was used, where nobody tells."""
        known = self._left[player]
        if known is None:
            return
        left, stones = known[0] - seconds, known[1] - 1
        if (left <= 0 or stones == 0) and self._stones:
            left, stones = self._period, self._stones
        self._left[player] = (max(left, 0.0), max(stones, 0))

    def seconds(self, player: int, moves_left: float) -> float:
        """Seconds for a move, infinite without limits; ``moves_left`` is an estimate."""
        known = self._left[player]
        if known is None:
            return math.inf
        left, stones = known
        share = left / stones if stones else left / max(moves_left, MIN_MOVES)
        if not stones and self._stones:
            share = max(share, self._period / self._stones)  # main time may run out
        return spent(share)
