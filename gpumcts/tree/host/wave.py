"""Trees that are searched together, and the observers of their progress."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.tree.forest import Forest, widened
from gpumcts.tree.iteration.advance import NO_WATCH, LevelWatch
from gpumcts.tree.time_split import Stopwatch

SECONDS_A_REPORT = 0.1


class Stopped(KeyboardInterrupt):
    """A search was told to stop, between two batches: its trees are whole."""


@dataclass(slots=True, eq=False)
class Wave:
    """T trees that are searched together, and what a search is told of them meanwhile.

    forest : the trees; another one once they needed more room
    states, keys : uint64[T, W], uint64[T]; the roots, and the key of each tree
    clock : the stopwatch of the search
    watch : ``NO_WATCH``, or a level and int64[T] for when each root's value was last below it
    stop : where it is set, Stopped is raised
    made : iterations by now of a single tree on the CPU, those that are counted
    on_progress : told iterations done since it was last called, all trees together, by any thread
    """

    forest: Forest
    states: np.ndarray
    keys: np.ndarray
    clock: Stopwatch
    watch: LevelWatch = NO_WATCH
    stop: threading.Event | None = None
    on_progress: Callable[[int], None] | None = None
    made: int = field(default=0, init=False)
    _untold: int = field(default=0, init=False)
    _told: float = field(default_factory=time.perf_counter, init=False)

    @property
    def trees(self) -> int:
        """T."""
        return len(self.states)

    def widen(self, slots: int) -> None:
        """Give the forest so many slots a tree; nobody else may hold it, or it is there twice meanwhile.

        Raises BadInput where the system does not give the memory; the wave has no forest then.
        """
        arrays = list(self.forest)
        del self.forest
        try:
            self.forest = widened(arrays, slots)
        except MemoryError:
            trees = "a tree grows" if self.trees == 1 else f"each of {self.trees:,} trees grows"
            raise BadInput(
                f"{trees} to {slots:,} slots, for which the system does not give this process memory; "
                "fewer iterations, or a lower memory_gb"
            ) from None

    def report(self, iterations: int, last: bool = False) -> None:
        """Tell ``on_progress`` of iterations that were made, now and then; of all that are untold with ``last``."""
        self._untold += iterations
        now = time.perf_counter()
        if self.on_progress is not None and self._untold and (last or now - self._told > SECONDS_A_REPORT):
            self.on_progress(self._untold)
            self._untold, self._told = 0, now

    def check_stop(self) -> None:
        """Raise Stopped where ``stop`` is set."""
        if self.stop is not None and self.stop.is_set():
            raise Stopped
