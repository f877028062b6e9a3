"""Alpha-beta with an evaluation as a player (Kocsis et al. 2006, section 3.3): principal-variation search, so many
nodes or plies."""

import threading
from collections.abc import Callable

import numpy as np

from gpumcts.alpha_beta.batch import Deepening, DeepeningResult
from gpumcts.errors import BadInput
from gpumcts.players.alpha_beta_base import AlphaBetaBase


class PvsPlayer(AlphaBetaBase):
    """Plays the best move of a search that deepens ply by ply, until its budget is spent or the value is proven.

    nodes : positions a search may visit, a move; depth : plies it looks ahead. At least one of them is given
    on_progress : called from the search's threads with the moves found since the last call

    ``iterations`` counts positions visited. Of moves of the same value it keeps the one that was best a ply less deep,
    else it takes the first in an order drawn from the key; so they are equally likely only after a search of one ply,
    or where they are worth the same at every depth. Raises BadInput where chance moves.
    """

    def __init__(
        self,
        searches: Deepening,
        nodes: int | None = None,
        depth: int | None = None,
        name: str = "pvs",
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        if nodes is None and depth is None:
            raise BadInput("budget: player=pvs takes nodes or depth")
        super().__init__(searches.game, "pvs", name, nodes=nodes, depth=depth)
        self._searches, self._nodes, self._depth, self._on_progress = searches, nodes, depth, on_progress

    def _search(self, states: np.ndarray, keys: np.ndarray, stop: threading.Event | None) -> DeepeningResult:
        return self._searches.search(states, keys, self._nodes, self._depth, stop, self._on_progress)
