"""A batch of leaves that the CPU plays as soon as it is sent off: a ``playout_engine.LeafBatch`` like a device's."""

import threading
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from gpumcts.kernels.playout_loop import tally_columns


class _Columns(Protocol):
    """``columns`` of the CPU's engine, which tells the seconds of its threads."""

    game: Any

    def columns(
        self,
        states: np.ndarray,
        keys: np.ndarray,
        playouts: int = 1,
        stop: threading.Event | None = None,
        on_seconds: Callable[[float], None] | None = None,
    ) -> np.ndarray: ...


class HostBatch:
    """Room for ``leaves`` leaves of ``playouts`` playouts, which ``engine`` plays."""

    def __init__(self, engine: _Columns, leaves: int, playouts: int) -> None:
        self._engine = engine
        self._arrays = (
            np.zeros((leaves, engine.game.WORDS), np.uint64),
            np.zeros(leaves, np.uint64),
            np.zeros((leaves, tally_columns(engine.game, playouts)), np.int64),
        )

    def arrays(self, leaves: int, playouts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """States, keys and tallies of so many leaves."""
        states, keys, tally = self._arrays
        return states[:leaves], keys[:leaves], tally[:leaves]

    def start(self, leaves: int, playouts: int, stop: threading.Event | None = None) -> float:
        """Play them; the seconds of all threads together."""
        states, keys, tally = self.arrays(leaves, playouts)
        took: list[float] = []
        tally[:] = self._engine.columns(states, keys, playouts, stop, took.append)
        return sum(took)

    def finish(self) -> None:
        """Nothing to wait for: ``start`` has played them."""
