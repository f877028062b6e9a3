"""Alpha-beta with an evaluation as a player (document 000, section 3.3): principal-variation search, so many nodes or plies."""

import threading
import time
from collections.abc import Callable

import numpy as np

from gpumcts.deepening.batch import Deepening
from gpumcts.errors import BadInput
from gpumcts.players.chance import refuse_chance
from gpumcts.players.contract import NOT_TOLD, PROVEN_DRAW, PROVEN_LOSS, PROVEN_WIN

VIEWS = (PROVEN_LOSS, NOT_TOLD, PROVEN_WIN, PROVEN_DRAW)
"""By what is proven: LOSS is -1, UNKNOWN 0, WIN 1, DRAW 2."""


class PvsPlayer:
    """Plays the best move of a search that deepens ply by ply, until its budget is spent or the value is proven.

    nodes : positions a search may visit, a move; depth : plies it looks ahead. At least one of them is given
    on_progress : called from the search's threads with the moves found since the last call

    ``iterations`` counts positions visited. Of moves of the same value it keeps the one that was best a ply less deep, else it
    takes the first in an order drawn from the key; so they are equally likely only after a search of one ply, or where they are
    worth the same at every depth. Raises BadInput where chance moves.
    """

    trusted = True
    concurrent = False
    remembers = False
    playouts = 0

    def __init__(
        self,
        searches: Deepening,
        nodes: int | None = None,
        depth: int | None = None,
        name: str = "pvs",
        on_progress: Callable[[float], None] | None = None,
    ) -> None:
        for unit, given in (("nodes", nodes), ("depth", depth)):
            if given is not None and given < 1:
                raise BadInput(f"budget.{unit}={given} is not at least 1")
        if nodes is None and depth is None:
            raise BadInput("budget: player=pvs takes nodes or depth")
        refuse_chance(searches.game, "player=pvs")
        self.name, self.iterations, self.seconds = name, 0, 0.0
        self._searches, self._nodes, self._depth, self._on_progress = searches, nodes, depth, on_progress

    def choose(
        self, states: np.ndarray, keys: np.ndarray, games: np.ndarray, stop: threading.Event | None = None
    ) -> np.ndarray:
        """The best move of each of ``states`` (uint64[T, W]) under ``keys`` (uint64[T]), int64[T].

        Raises KeyboardInterrupt where ``stop`` is set meanwhile; what was searched until then does not count.
        """
        return self.choose_and_tell(states, keys, games, stop)[0]

    def choose_and_tell(
        self, states: np.ndarray, keys: np.ndarray, games: np.ndarray, stop: threading.Event | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same moves, and what is proven of the positions (see ``Teller``)."""
        begin = time.perf_counter()
        found = self._searches.search(states, keys, self._nodes, self._depth, stop, self._on_progress)
        self.iterations += int(found.nodes.sum())
        self.seconds += time.perf_counter() - begin
        return found.moves, np.choose(found.proven + 1, VIEWS)

    def forget(self, games: np.ndarray) -> None:
        """Nothing is kept."""
