"""The UCT player (all five papers): a fixed number of iterations a move, all its games in one forest."""

import threading
from collections.abc import Callable

import numpy as np

from gpumcts.players.contract import NOT_REPORTED, PROVEN_DRAW, PROVEN_LOSS, PROVEN_WIN
from gpumcts.tree.position_searcher import PositionSearcher
from gpumcts.tree.solve import DRAW, LOSS, WIN

TREES_A_THREAD = 8  # that advance together: more make no difference to the rate


class UctPlayer:
    """Plays what a search of ``iterations`` iterations from the position finds best.

    Every move begins a new tree, or with ``Settings.reuse`` goes on from what the last search of the game knew about
    the position; the searcher then keeps trees by game number and belongs to this player alone.

    iterations : as an argument, of each position; the attribute of the same name counts all that were made
    playouts : iterations times the playouts a leaf; leaves in which the game is over count too
    seconds : of choices, without those in which the threads worked for another search (``time_shares``)
    core_seconds : of processor time that choices took, all threads together; no device's
    on_progress : called from the search's threads with iterations made since the last call

    Where the games asked for do not fit into memory together, the searcher plays them in waves. Raises BadInput for
    iterations that try no move or cannot be counted, and where not even one tree fits.
    """

    trusted = True

    def __init__(
        self,
        searcher: PositionSearcher,
        iterations: int,
        name: str = "uct",
        on_progress: Callable[[int], None] | None = None,
    ) -> None:
        searcher.wave(1, iterations)  # a budget that tries no move, or cannot fit, is refused before the first game
        self.name, self.remembers = name, searcher.settings.reuse
        self.concurrent = searcher.concurrent
        self.iterations = self.playouts = 0
        self.seconds = self.core_seconds = 0.0
        self._searcher, self._budget, self._on_progress = searcher, iterations, on_progress
        self._counting = threading.Lock()

    @property
    def full_batch(self) -> int | None:
        """Trees that keep every thread of the CPU busy; a device takes as many as there are."""
        return TREES_A_THREAD * self._searcher.threads if self._searcher.concurrent else None

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
        """The same moves, and their win rates, or what is proven of them (see ``WinRateReporter``)."""
        with self._searcher.time_shares.turn() as turn:
            searched = self._searcher.search(states, keys, self._budget, stop, self._on_progress, games)
            moves = searched.decide()
            reported = _reported_win_rates(*searched.worth(moves))
        settings = self._searcher.settings
        made = len(states) * searched.iterations
        if settings.solve:
            made = int(searched.iterations_made(settings.playouts_per_leaf, settings.root_playouts).sum())
        with self._counting:
            self.iterations += made
            self.playouts += made * settings.playouts_per_leaf
            self.seconds += turn.seconds
            self.core_seconds += turn.core_seconds
        return moves, reported

    def forget(self, games: np.ndarray) -> None:
        """Let go of the trees kept for ``games`` (int64[K])."""
        self._searcher.forget(games)


def _reported_win_rates(values: np.ndarray, proofs: np.ndarray) -> np.ndarray:
    """Reported win rates (see ``WinRateReporter``) of win rates (float64[T], NaN where unknown) and proofs (int64[T], 0
    for none)."""
    thousandths = np.rint(1000 * np.clip(np.nan_to_num(values), 0, 1)).astype(np.int64)
    known = [proofs == LOSS, proofs == DRAW, proofs == WIN, np.isnan(values)]
    return np.select(known, [PROVEN_LOSS, PROVEN_DRAW, PROVEN_WIN, NOT_REPORTED], thousandths)
