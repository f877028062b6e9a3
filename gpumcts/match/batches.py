"""Which positions a player is asked about next: games of low numbers first, so that the first of them end early.

All games would end together if all of them advanced together. A player says how many positions keep it busy
(``full_batch``); it is handed no more of them at a time, unless they would be done too soon. So a small part of the
games runs ahead of the others. What is chosen does not depend on it.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpumcts.games.contract import CHANCE

SECONDS_A_BATCH = 0.2  # at least, where there are games for it: each batch is written down and waits for the disk
SMALLEST_BATCH = 4  # a batch smaller than this part of the games that may be taken waits for more while another is away


class Batches:
    """Takes batches from the games that wait for a move, for so many ``workers`` (host threads)."""

    def __init__(self, players: Sequence[Any], workers: int) -> None:
        self._full = [getattr(player, "full_batch", None) for player in players]
        self._seconds = [0.0 for _ in players]  # a position, by the latest batch
        self._workers = workers

    def note(self, turn: int, positions: int, seconds: float) -> None:
        """Note that player ``turn`` took ``seconds`` for a batch."""
        self._seconds[turn] = seconds / positions

    def limit(self, turn: int) -> int | None:
        """Positions that player ``turn`` (0 or 1) is handed at a time, at most; None for any number, as for CHANCE."""
        full = self._full[turn] if turn != CHANCE else None
        if full is None:
            return None
        seconds = self._seconds[turn]
        return max(full, int(SECONDS_A_BATCH / seconds)) if seconds > 0 else full

    def take(self, games: np.ndarray, turns: np.ndarray, away: int) -> tuple[int, np.ndarray]:
        """The next batch: whose turn it is, and the indices of its games; none of them where it is better to wait.

        games : int64[K], numbers of the games that wait for a move; turns : int64[K], 0, 1 or CHANCE
        away : games that other workers have
        """
        limits = [self.limit(turn) for turn in (0, 1)]
        known = [limit for limit in limits if limit is not None]
        order, ahead = np.arange(len(games)), len(games) + away
        if known:
            order, ahead = np.argsort(games), min(self._workers * max(known), ahead)
        counts = {turn: int((turns[order[:ahead]] == turn).sum()) for turn in (0, 1, CHANCE)}
        turn = max(counts, key=lambda turn: counts[turn])
        limit = self.limit(turn)
        batch = order[turns[order] == turn][:limit]
        waits = away and SMALLEST_BATCH * len(batch) < ahead and len(batch) != limit
        return turn, batch[:0] if waits else batch
