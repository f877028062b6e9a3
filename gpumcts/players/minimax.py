"""Minimax of a fixed depth as a player: MM-k and MM-k-R of Ramanujan et al. 2010 (sections 3 to 5)."""

import threading
from collections.abc import Callable

import numpy as np

from gpumcts.alpha_beta.batch import DeepeningResult
from gpumcts.alpha_beta.minimax import Minimax
from gpumcts.players.alpha_beta_base import AlphaBetaBase


class MinimaxPlayer(AlphaBetaBase):
    """Plays a move of the best minimax value; which of several, the search's ``ties`` say.

    depth : plies it looks ahead (k), its own included
    on_progress : called from the search's threads with the moves found since the last call

    ``iterations`` counts positions visited in the tree, those of the shallower iterations that order the moves among
    them, and no plies of playouts. Nothing is proven where playouts are the leaves. Raises BadInput where chance moves.
    """

    def __init__(
        self,
        searches: Minimax,
        depth: int,
        name: str = "minimax",
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        super().__init__(searches.game, "minimax", name, depth=depth)
        self._searches, self._depth, self._on_progress = searches, depth, on_progress

    def _search(self, states: np.ndarray, keys: np.ndarray, stop: threading.Event | None) -> DeepeningResult:
        return self._searches.search(states, keys, self._depth, stop, self._on_progress)
