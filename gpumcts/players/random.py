"""The random mover (Ramanujan et al. 2010, Table 1: *Random*)."""

import threading
import time
from typing import Any

import numpy as np

from gpumcts.kernels.batch import Rules


class RandomPlayer:
    """Draws legal moves by the game's ``random_move``; ``game`` is an option value such as ``Othello()``.

    All have the same probability, but where the game gives them weights, so that whole turns of several plies have it.
    """

    trusted = True
    concurrent = True
    remembers = False
    iterations = 0
    playouts = 0

    def __init__(self, game: Any, name: str = "random") -> None:
        self.name = name
        self.seconds = 0.0
        self._rules, self._counting = Rules(game), threading.Lock()

    def choose(
        self, states: np.ndarray, keys: np.ndarray, games: np.ndarray, stop: threading.Event | None = None
    ) -> np.ndarray:
        """A random move of each of ``states`` (uint64[T, W]) under ``keys`` (uint64[T]); int64[T]."""
        begin = time.thread_time()  # what it waits for other choices is no time of it
        moves = self._rules.random_moves(states, keys)
        with self._counting:
            self.seconds += time.thread_time() - begin
        return moves

    def forget(self, games: np.ndarray) -> None:
        """Nothing is kept."""
