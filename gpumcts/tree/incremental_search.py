"""One search of one position, advanced slice by slice for as long as the caller has time."""

import time
from collections.abc import Iterator

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.tree.checks import check_kept_visits, check_tries, min_iterations
from gpumcts.tree.final_move import final_scores
from gpumcts.tree.forest import ROOT
from gpumcts.tree.host.in_flight import BatchesInFlight
from gpumcts.tree.host.wave import Wave
from gpumcts.tree.memory import limit_of, without_iterations
from gpumcts.tree.root_parallel import merged
from gpumcts.tree.root_table import root_table
from gpumcts.tree.search import Searcher
from gpumcts.tree.search_result import TreeSearchResult

# Iterations that the trees have room for at first, where a part of the memory they may take suffices. A forest that
# grows is copied, and the clock waits: 0.2 s for 10 million nodes. Room that is not used takes addresses and no pages.
ROOM, MIN_ROOM, PART = 1 << 24, 20_000, 4
FIRST_SLICE = 16  # playouts of a tree, before the pace is known: iterations of many playouts take long
SECONDS_A_SLICE = 0.05
SURE = 0.8  # of the time left is planned for a slice, whose pace is an estimate


def _room(searcher: Searcher) -> int:
    """Iterations of each tree that there is room for at first."""
    trees, parts = searcher.settings.roots, searcher.parts
    most, iterations = limit_of(parts.memory_limit) // PART, ROOM // trees
    while iterations > MIN_ROOM // trees and trees * parts.tree_bytes(iterations) > most:
        iterations //= 2
    return max(iterations, 1)


class IncrementalSearch:
    """A tree on one position (``state`` uint64[W], not over) under ``key``: however sliced, the tree of one search.

    Every slice but the last is a multiple of ``Settings.leaves_per_tree``. Iterations are those of all
    ``Settings.roots`` trees. The search ends where all of them are proven, one that is given no number of iterations
    where one of them is.

    game : its number; with ``Settings.reuse`` the tree begins with what was kept of it, and ``keep`` keeps this one

    Raises BadInput where the search is on a device, which gives its trees back at the end alone.
    """

    def __init__(self, searcher: Searcher, state: np.ndarray, key: np.uint64, game: int = 0) -> None:
        self._searcher, self.iterations, self._pace = searcher, 0, 0.0
        self._keys = np.array([key], np.uint64)
        searcher.adapt(searcher.settings.roots, 1, whole=False)  # no device holds a tree that goes on
        if searcher.on_device:
            raise BadInput("engine=device: a search that goes on takes engine=cpu or cuda")
        self._roots = searcher.settings.roots
        roots, self._kept_under = searcher.trees_of(state.reshape(1, -1).copy(), self._keys, np.array([game]))
        self.stopped_by = ""  # what ended it before its time, in a line: memory, or visits that cannot be counted
        self._in_flight = BatchesInFlight(searcher.plan) if searcher.settings.batches_in_flight > 1 else None
        planted = searcher.plant(roots, _room(searcher), self._kept_under)
        self._wave = Wave(planted, roots.states, roots.keys, searcher.stopwatch())
        self._kept_visits, self._slots_at_first = planted.visits[:, ROOT].copy(), int(planted.used.max()) - 1

    def go_on(self, iterations: int) -> None:
        """So many iterations more, a multiple of the trees.

        Raises BadInput where there is no memory for them, or their visits cannot be counted; and as ``Searcher.search``
        where the game's bounds are wrong or the device is lost: then the tree is of no use any more.
        """
        self._check_room(iterations)
        self._make(iterations)

    def _check_room(self, iterations: int) -> None:
        """Refuse so many more where there is no memory for them, or where their visits cannot be counted."""
        until = self.iterations + iterations
        self._searcher.check_room(until, self._slots_at_first)
        check_kept_visits(self._kept_visits, until // self._roots, self._searcher.settings)

    def _make(self, iterations: int) -> None:
        begin, until = time.perf_counter(), self.iterations + iterations
        span = (self.iterations // self._roots, until // self._roots)
        self._searcher.iterate(self._wave, span, self._in_flight)
        self._pace, self.iterations = iterations / max(time.perf_counter() - begin, 1e-6), until

    def slices(self, iterations: int | None, seconds: float | None) -> Iterator[None]:
        """Go on to ``iterations`` in all, or for ``seconds`` of wall-clock time; stops now and then, to be looked at.

        With neither it goes on while there is memory. It ends early where the position is proven, by every tree if
        ``iterations`` are given, and where it is ``stopped_by`` memory or by what can be counted. Raises as ``go_on``
        for what no shorter search would mend.
        """
        if iterations is not None:
            check_tries(iterations, self._searcher.settings)
            iterations -= iterations % self._roots
        end = np.inf if seconds is None else time.monotonic() + seconds
        while iterations is None or self.iterations < iterations:
            left = end - time.monotonic()
            if self._decided(iterations is not None) or (left <= 0 and self.iterations):
                return
            wanted = int(self._pace * min(SECONDS_A_SLICE, SURE * max(left, 0)))
            leaves = self._searcher.settings.leaves_per_tree * self._roots
            step = -(-(max(wanted, 1) if self._pace else self._first_slice) // leaves) * leaves
            if iterations is not None:
                step = min(step, iterations - self.iterations)
            try:
                self._check_room(step)
            except BadInput as error:
                why = str(error) if iterations is not None else without_iterations(error)
                if not self.iterations:
                    raise BadInput(why) from None
                self.stopped_by = why
                return
            self._make(step)
            if self.iterations == iterations:
                self._back_up_pending()
            yield

    @property
    def _first_slice(self) -> int:
        """Iterations of the first slice: some that are counted try a move."""
        settings = self._searcher.settings
        pending = settings.leaves_per_tree if self._in_flight is not None else 0
        more = (FIRST_SLICE - 1) // settings.playouts_per_leaf
        return min_iterations(settings) + self._roots * (more + pending)

    @property
    def proven(self) -> bool:
        """Whether the search has proven who wins."""
        return self._decided(by_all=False)

    def _decided(self, by_all: bool) -> bool:
        """Whether a tree has proven who wins, or all have: then no iteration changes anything, however it is sliced."""
        proof = self._wave.forest.proof
        roots = proof[:, ROOT] if proof.shape[1] > 0 else np.zeros(1, np.int64)
        return bool(roots.all() if by_all else roots.any())

    def found(self) -> TreeSearchResult:
        """What is counted by now: with two batches in flight all but the last one, until ``keep``."""
        parts, forest = self._searcher.parts, self._wave.forest
        table = root_table(parts.operator, forest)
        decisive = final_scores(parts, forest, table)
        table = merged(table, self._roots)
        pending = self._in_flight.pending_leaves * self._roots if self._in_flight is not None else 0
        by_value, counted = parts.settings.final == "value", self.iterations - pending
        times = self._wave.clock.split()
        return TreeSearchResult(table, self._keys, by_value, counted, forest, self._roots, times, decisive)

    def keep(self) -> None:
        """End the search: count what is in flight; with ``Settings.reuse`` leave the tree to the game's next search."""
        self._back_up_pending()
        if self._kept_under is not None:
            self._searcher.kept.keep(self._kept_under, self._wave.forest, self._wave.states)

    def _back_up_pending(self) -> None:
        if self._in_flight is not None:
            self._in_flight.back_up_pending(self._wave)
