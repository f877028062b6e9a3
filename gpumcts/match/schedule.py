"""Which unfinished games of a match are in flight, and which of those its workers have."""

from collections.abc import Sequence

import numpy as np

from gpumcts.match.batches import Batch, Batches
from gpumcts.match.game_batch import GameBatch


class Schedule:
    """Puts games in flight, hands them out in batches, and takes them back. The match locks it.

    queue : int64[K], games that are not in flight yet, in the order in which they will be
    ready : int64[K], games in flight that wait for a move
    taken : how many games in flight the workers have
    """

    def __init__(self, game_batch: GameBatch, games: np.ndarray, games_in_flight: int, batches: Batches) -> None:
        self._game_batch, self._batches, self._max_in_flight = game_batch, batches, games_in_flight
        self.queue, self.ready, self.taken = games, games[:0], 0

    @property
    def in_flight(self) -> int:
        """How many games are in flight."""
        return len(self.ready) + self.taken

    def admit(self) -> np.ndarray:
        """Put games in flight as far as there is room; those games, int64[K]."""
        room = self._max_in_flight - self.in_flight
        newcomers, self.queue = self.queue[:room], self.queue[room:]
        self.ready = np.concatenate((self.ready, newcomers))
        return newcomers

    def take(self, seconds_a_position: Sequence[float]) -> Batch | None:
        """The next batch; None where it is better to wait until one comes back.

        seconds_a_position : what it took each player in the latest batch; 0 before the first
        """
        turns = self._game_batch.to_move(self.ready)
        turn, picked = self._batches.pick(self.ready, turns, self.taken, seconds_a_position)
        if not len(picked):
            return None
        games, self.ready = self.ready[picked], np.delete(self.ready, picked)
        self.taken += len(games)
        return Batch(turn, games)

    def put_back(self, games: np.ndarray) -> None:
        """Take back the games of a batch (int64[K]), once a move is made in each: those that go on are ready."""
        self.taken -= len(games)
        self.ready = np.concatenate((self.ready, games[self._game_batch.running(games)]))
