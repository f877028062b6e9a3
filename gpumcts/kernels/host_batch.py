"""A batch of leaves that the CPU plays as soon as it is sent off: a ``playout_engine.LeafBatch`` like a device's."""

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from gpumcts.kernels.playout_loop import tally_columns


class HostBatch:
    """Room for ``leaves`` leaves of ``playouts`` playouts of a game.

    columns : plays them, ``cpu.CpuPlayouts.columns``
    """

    def __init__(self, game: Any, columns: Callable[..., np.ndarray], leaves: int, playouts: int) -> None:
        self._columns = columns
        self._arrays = (
            np.zeros((leaves, game.WORDS), np.uint64),
            np.zeros(leaves, np.uint64),
            np.zeros((leaves, tally_columns(game, playouts)), np.int64),
        )

    def arrays(self, leaves: int, playouts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """States, keys and tallies of so many leaves."""
        states, keys, tally = self._arrays
        return states[:leaves], keys[:leaves], tally[:leaves]

    def start(self, leaves: int, playouts: int, stop: threading.Event | None = None) -> float:
        """Play them; the seconds of all threads together."""
        states, keys, tally = self.arrays(leaves, playouts)
        took: list[float] = []
        tally[:] = self._columns(states, keys, playouts, stop, took.append)
        return sum(took)

    def finish(self) -> None:
        """Nothing to wait for: ``start`` has played them."""

    def graph_words(self) -> None:
        """There is no device."""

    def check_graph(self, answer: int) -> None:
        """There is no driver that answers."""

    def sent_again(self) -> None:
        """Compiled code sends nothing: there are no words for it."""

    def use_here(self) -> None:
        """Any thread plays."""
