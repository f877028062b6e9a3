"""Trees that are searched together, and who looks on."""

import threading
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from gpumcts.tree.advance import NO_WATCH, LevelWatch
from gpumcts.tree.forest import Forest, widened
from gpumcts.tree.time_split import Stopwatch


@dataclass(slots=True, eq=False)
class Wave:
    """T trees that are searched together, and what a search is told of them meanwhile.

    forest : the trees; another one once they needed more room
    states, keys : uint64[T, W], uint64[T]; the roots, and the key of each tree
    clock : the stopwatch of the search
    watch : ``NO_WATCH``, or a level and int64[T] for when each root's value was last below it
    stop : where it is set, KeyboardInterrupt is raised
    on_progress : told iterations done since it was last called, all trees together, by any thread
    """

    forest: Forest
    states: np.ndarray
    keys: np.ndarray
    clock: Stopwatch
    watch: LevelWatch = NO_WATCH
    stop: threading.Event | None = None
    on_progress: Callable[[int], None] | None = None

    @property
    def trees(self) -> int:
        """T."""
        return len(self.states)

    def widen(self, slots: int) -> None:
        """Give the forest so many slots a tree; nobody else may hold it, or it is there twice meanwhile."""
        arrays = list(self.forest)
        del self.forest
        self.forest = widened(arrays, slots)

    def check_stop(self) -> None:
        """Raise KeyboardInterrupt where ``stop`` is set."""
        if self.stop is not None and self.stop.is_set():
            raise KeyboardInterrupt
