"""Which positions a player is asked about next: games of low numbers first, so that the first of them end early.

All games would end together if all of them advanced together. A player says how many positions keep it busy
(``full_batch``); it is handed no more of them at a time, unless they would be done too soon. So a small part of the
games runs ahead of the others. What is chosen does not depend on it.
"""

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from gpumcts.games.contract import CHANCE
from gpumcts.validation import integer

SECONDS_A_BATCH = 0.2  # at least, where there are games for it: each batch is written down and waits for the disk
SMALLEST_BATCH = 1 / 4  # of the games that may be taken: a smaller one waits for more while others are taken


class Batch(NamedTuple):
    """Games in which the same player, or chance, is to move.

    turn : whose turn it is, 0, 1 or CHANCE; games : int64[K], numbers of games, all different
    """

    turn: int
    games: np.ndarray


class Batches:
    """Picks batches among the games that are ready for a move, for so many ``workers`` (host threads).

    Raises BadInput for a ``full_batch`` that is no integer of at least 1: with less nobody would ever move.
    """

    def __init__(self, players: Sequence[Any], workers: int) -> None:
        self._full = [_full_batch(player) for player in players]
        self._workers = workers

    def limit(self, turn: int, seconds_a_position: Sequence[float]) -> int | None:
        """Positions that player ``turn`` (0 or 1) is handed at a time, at most; None for any number, as for CHANCE.

        seconds_a_position : what it took each player in the latest batch; 0 before the first
        """
        full = self._full[turn] if turn != CHANCE else None
        if full is None:
            return None
        seconds = seconds_a_position[turn]
        return max(full, int(SECONDS_A_BATCH / seconds)) if seconds > 0 else full

    def pick(
        self, games: np.ndarray, turns: np.ndarray, taken: int, seconds_a_position: Sequence[float]
    ) -> tuple[int, np.ndarray]:
        """The next batch: whose turn it is, and the indices of its games; none of them where it is better to wait.

        games : int64[K], numbers of the games that are ready; turns : int64[K], 0, 1 or CHANCE
        taken : how many games other workers have; seconds_a_position : as in ``limit``
        """
        limits = [self.limit(turn, seconds_a_position) for turn in (0, 1)]
        known = [limit for limit in limits if limit is not None]
        order, ahead = np.arange(len(games)), len(games) + taken
        if known:
            order, ahead = np.argsort(games), min(self._workers * max(known), ahead)
        counts = {turn: int((turns[order[:ahead]] == turn).sum()) for turn in (0, 1, CHANCE)}
        turn = max(counts, key=lambda turn: counts[turn])
        limit = self.limit(turn, seconds_a_position)
        batch = order[turns[order] == turn][:limit]
        waits = taken and len(batch) < SMALLEST_BATCH * ahead and len(batch) != limit
        return turn, batch[:0] if waits else batch


def _full_batch(player: Any) -> int | None:
    full = getattr(player, "full_batch", None)
    return None if full is None else integer(f"{player.name}.full_batch", full, 1, sys.maxsize)
