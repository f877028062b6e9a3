"""What a search of positions is to those who ask it: in trees (``search``) or in tables (``tables.search``)."""

import threading
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np

from gpumcts.kernels.batch import Rules
from gpumcts.tree.root_table import RootTable
from gpumcts.tree.search_result import TreeSearchResult
from gpumcts.tree.settings import Settings
from gpumcts.tree.time_shares import TimeShares


class PositionSearcher(Protocol):
    """Searches many positions at once; ``search.Searcher`` documents the methods.

    concurrent : whether several searches may go on at once, from different threads
    time_shares : shares out the time of those that go on at once
    """

    game: Any
    rules: Rules
    settings: Settings
    threads: int
    time_shares: TimeShares

    @property
    def concurrent(self) -> bool: ...

    def adapt(self, trees: int, iterations: int, watched: bool = False) -> None:
        """With ``engine=auto`` play on what is fastest for so many trees of so many iterations."""
        ...

    def wave(self, positions: int, iterations: int) -> int:
        """How many trees of so many positions are searched together; raises BadInput where none can be."""
        ...

    def search(
        self,
        states: np.ndarray,
        keys: np.ndarray,
        iterations: int,
        stop: threading.Event | None = None,
        on_progress: Callable[[int], None] | None = None,
        games: np.ndarray | None = None,
    ) -> TreeSearchResult:
        """Search ``iterations`` iterations from each position."""
        ...

    def follow(
        self,
        states: np.ndarray,
        keys: np.ndarray,
        checkpoints: Sequence[int],
        on_table: Callable[[int, slice, RootTable], None],
        level: float | None = None,
        stop: threading.Event | None = None,
        on_progress: Callable[[int], None] | None = None,
    ) -> np.ndarray:
        """The same, and show the roots on the way."""
        ...

    def forget(self, games: np.ndarray) -> None:
        """Let go of what is kept of finished games."""
        ...
