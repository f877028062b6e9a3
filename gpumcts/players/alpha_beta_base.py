"""Common base of alpha-beta players over an evaluation: they choose, report proofs, count, and keep no state."""

import threading
import time
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from gpumcts.alpha_beta.batch import DeepeningResult
from gpumcts.errors import BadInput
from gpumcts.players.contract import NOT_REPORTED, PROVEN_DRAW, PROVEN_LOSS, PROVEN_WIN
from gpumcts.players.game_checks import check_no_chance

_REPORTED = (PROVEN_LOSS, NOT_REPORTED, PROVEN_WIN, PROVEN_DRAW)  # LOSS is -1, UNKNOWN 0, WIN 1, DRAW 2


class AlphaBetaBase(ABC):
    """Plays the moves that its searches find, whose ``iterations`` are positions visited.

    game : option value, compiled; player : the name in the configuration, for error messages
    limits : of a move, at least 1 or None

    Raises BadInput for limits that are less, and where chance moves.
    """

    trusted = True
    concurrent = False
    remembers = False
    playouts = 0

    def __init__(self, game: Any, player: str, name: str, **limits: int | None) -> None:
        for unit, given in limits.items():
            if given is not None and given < 1:
                raise BadInput(f"budget.{unit}={given} is not at least 1")
        check_no_chance(game, f"player={player}")
        self.name, self.iterations = name, 0
        self.seconds = self.core_seconds = 0.0

    @abstractmethod
    def _search(self, states: np.ndarray, keys: np.ndarray, stop: threading.Event | None) -> DeepeningResult:
        """What searches of ``states`` find; raises KeyboardInterrupt where ``stop`` is set meanwhile."""

    def choose(
        self, states: np.ndarray, keys: np.ndarray, games: np.ndarray, stop: threading.Event | None = None
    ) -> np.ndarray:
        """A move for each of ``states`` (uint64[T, W]) under ``keys`` (uint64[T]), int64[T].

        Raises KeyboardInterrupt where ``stop`` is set meanwhile; what was searched until then does not count.
        """
        return self.choose_and_tell(states, keys, games, stop)[0]

    def choose_and_tell(
        self, states: np.ndarray, keys: np.ndarray, games: np.ndarray, stop: threading.Event | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The same moves, and what is proven of the positions (see ``WinRateReporter``)."""
        begin, on_cores = time.perf_counter(), time.process_time()
        found = self._search(states, keys, stop)
        self.iterations += int(found.nodes.sum())
        self.seconds += time.perf_counter() - begin
        self.core_seconds += time.process_time() - on_cores  # no other choice goes on
        return found.moves, np.choose(found.proven + 1, _REPORTED)

    def forget(self, games: np.ndarray) -> None:  # noqa: B027  there is nothing to override
        """Nothing is kept."""
