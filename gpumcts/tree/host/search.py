"""One search of many trees on the host, in waves where not all of them fit in memory together."""

import threading
from collections.abc import Callable, Sequence

from gpumcts.tree.checks import check_kept_visits
from gpumcts.tree.final_move import final_scores
from gpumcts.tree.forest import ROOT, Forest
from gpumcts.tree.host.iterations import HostIterations
from gpumcts.tree.host.stopped_search import telling_what_was_found
from gpumcts.tree.host.wave import Wave
from gpumcts.tree.iteration.advance import NO_WATCH, LevelWatch
from gpumcts.tree.root_table import RootTable, root_table
from gpumcts.tree.roots import Roots
from gpumcts.tree.search_result import TreesFound, joined, joined_final_scores
from gpumcts.tree.time_split import GROWTH, Stopwatch


class HostSearch:
    """One search of all trees of ``roots``, in waves of at most ``size``.

    points : numbers of iterations at which ``on_table`` is shown the roots (iterations, trees, table); the last ends it
    plant : makes the forest of a wave's roots
    watch : a level, and int64[T] for when each root's value was last below it; NO_WATCH looks at nothing
    """

    def __init__(
        self,
        iterations: HostIterations,
        roots: Roots,
        points: Sequence[int],
        size: int,
        plant: Callable[[Roots], Forest],
        *,
        clock: Stopwatch,
        stop: threading.Event | None = None,
        on_progress: Callable[[int], None] | None = None,
        on_table: Callable[[int, slice, RootTable], None] | None = None,
        watch: LevelWatch = NO_WATCH,
    ) -> None:
        self._iterations, self._parts = iterations, iterations.plan.parts
        self._roots, self._points, self._size, self._plant = roots, points, size, plant
        self._clock, self._stop, self._watch = clock, stop, watch
        self._on_progress, self._on_table = on_progress, on_table

    def run(self) -> TreesFound:
        """Search all trees.

        Raises SearchStopped, with what was found, where a single tree is told to stop, KeyboardInterrupt where several
        are, and BadInput for visits that cannot be counted.
        """
        tables, scores, forest = [], [], None
        count = len(self._roots.keys)
        for begin in range(0, count, self._size):
            forest = None  # the last wave's goes before the next is planted
            forest = self._wave(slice(begin, min(begin + self._size, count)))
            tables.append(root_table(self._parts.operator, forest))
            scores.append(final_scores(self._parts, forest, tables[-1]))
        return TreesFound(joined(tables), forest if len(tables) == 1 else None, joined_final_scores(scores))

    def _wave(self, trees: slice) -> Forest:
        """The forest of some of the trees, searched."""
        with self._clock.on_all_threads(), self._clock.part(GROWTH):
            roots, watch = self._roots.part(trees), self._watch
            if watch is not NO_WATCH:
                watch = watch._replace(below=watch.below[trees])
            wave = Wave(self._plant(roots), roots.states, roots.keys, self._clock, watch, self._stop, self._on_progress)
            check_kept_visits(wave.forest.visits[:, ROOT], self._points[-1], self._parts.settings)
        for before, point in zip([0, *self._points], self._points, strict=False):
            with telling_what_was_found(self._parts, wave):
                self._iterations.iterate(wave, (before, point))
            if self._on_table is not None:
                self._on_table(point, trees, root_table(self._parts.operator, wave.forest))
        return wave.forest
