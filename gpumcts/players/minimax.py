"""Minimax of a fixed depth as a player: MM-k and MM-k-R of document 004 (sections 3 to 5)."""

import threading
import time
from collections.abc import Callable

import numpy as np

from gpumcts.deepening.minimax import Minimax
from gpumcts.errors import BadInput
from gpumcts.players.chance import refuse_chance
from gpumcts.players.pvs import VIEWS


class MinimaxPlayer:
    """Plays one of the moves of the best minimax value, each with the same probability.

    depth : plies it looks ahead (k), its own included
    on_progress : called from the search's threads with the moves found since the last call

    ``iterations`` counts positions visited in the tree, those of the shallower iterations that order the moves among them, and no
    plies of playouts. Raises BadInput where chance moves.
    """

    trusted = True
    concurrent = False
    remembers = False
    playouts = 0

    def __init__(
        self,
        searches: Minimax,
        depth: int,
        name: str = "minimax",
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        if depth < 1:
            raise BadInput(f"budget.depth={depth} is not at least 1")
        refuse_chance(searches.game, "player=minimax")
        self.name, self.iterations, self.seconds = name, 0, 0.0
        self._searches, self._depth, self._on_progress = searches, depth, on_progress

    def choose(
        self, states: np.ndarray, keys: np.ndarray, games: np.ndarray, stop: threading.Event | None = None
    ) -> np.ndarray:
        """A best move of each of ``states`` (uint64[T, W]) under ``keys`` (uint64[T]), int64[T].

        Raises KeyboardInterrupt where ``stop`` is set meanwhile; what was searched until then does not count.
        """
        return self.choose_and_tell(states, keys, games, stop)[0]

    def choose_and_tell(
        self, states: np.ndarray, keys: np.ndarray, games: np.ndarray, stop: threading.Event | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same moves, and what is proven of the positions (see ``Teller``): nothing where playouts are the leaves."""
        begin = time.perf_counter()
        found = self._searches.search(states, keys, self._depth, stop, self._on_progress)
        self.iterations += int(found.nodes.sum())
        self.seconds += time.perf_counter() - begin
        return found.moves, np.choose(found.proven + 1, VIEWS)

    def forget(self, games: np.ndarray) -> None:
        """Nothing is kept."""
