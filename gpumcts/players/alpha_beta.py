"""Alpha-beta as a player with a budget of leaves (Kocsis et al. 2006 and Kocsis and Szepesvári 2006, section 3.1):
exact where it ends, else a guess."""

import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.options import compiled
from gpumcts.players.game_checks import check_no_chance
from gpumcts.solver.alpha_beta import search_budget


class AlphaBetaPlayer:
    """Searches each position to the ends of its games, moves in random order, for win, draw or loss.

    Where that takes more than ``leaves`` finished games, the move is a random one, or with ``best_so_far`` the best of
    those whose search is complete (Kocsis and Szepesvári 2006, footnote 8). ``iterations`` counts leaves. Raises
    BadInput where chance moves.
    """

    trusted = True
    concurrent = False
    remembers = False
    playouts = 0

    def __init__(
        self,
        game: Any,
        leaves: int,
        best_so_far: bool = False,
        name: str = "alpha_beta",
        threads: int = 1,
        on_progress: Callable[[int], None] | None = None,
    ) -> None:
        if leaves < 1:
            raise BadInput(f"budget.iterations={leaves} is not at least 1")
        self.name, self.iterations = name, 0
        self.seconds = self.core_seconds = 0.0
        self._game, self._leaves, self._best_so_far, self._threads = compiled(game), leaves, best_so_far, threads
        self._on_progress = on_progress
        check_no_chance(self._game, "player=alpha_beta")

    def choose(
        self, states: np.ndarray, keys: np.ndarray, games: np.ndarray, stop: threading.Event | None = None
    ) -> np.ndarray:
        """A move for each of ``states`` (uint64[T, W]) under ``keys`` (uint64[T]), int64[T]."""
        begin, on_cores, most = time.perf_counter(), time.process_time(), self._leaves
        found = search_budget(
            self._game, states, keys, [most], best_so_far=self._best_so_far, threads=self._threads, stop=stop
        )
        self.iterations += int(np.where(found.leaves < 0, most, found.leaves).sum())
        self.seconds += time.perf_counter() - begin
        self.core_seconds += time.process_time() - on_cores  # no other choice goes on
        if self._on_progress is not None:
            self._on_progress(most * len(states))
        return found.moves[:, 0]

    def forget(self, games: np.ndarray) -> None:
        """Nothing is kept."""
