"""Depth-limited searches of batches of positions: budgets, threads, and a clean stop."""

import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np

from gpumcts.alpha_beta.leaves import Evaluated
from gpumcts.alpha_beta.roots import (
    BEYOND_MOVES,
    BY_CHANCE,
    DONE,
    MORE,
    NEW,
    ROOT,
    DeepeningRoots,
    SearchLimits,
    advance,
)
from gpumcts.alpha_beta.search import Stack, empty_stack
from gpumcts.alpha_beta.table import MAX_DEPTH, MIN_ENTRIES, TranspositionTable, empty_table
from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.games.bounds import beyond
from gpumcts.games.contract import NO_MOVE
from gpumcts.kernels.batch import Rules, check_batch
from gpumcts.options import compiled
from gpumcts.stop_event import StopEvent

NO_LIMIT = 1 << 62
FIRST_QUOTA = 20_000  # positions of the first compiled call for a part of a batch
CALL_SECONDS = 0.1  # what a compiled call takes about, so that Ctrl-C lives
PARTS_A_THREAD = 16


class DeepeningResult(NamedTuple):
    """What B searches found, int64[B] each; values for the player to move.

    moves : the best ones; where every move that was searched before the budget ran out loses, the first that is not
        known to lose, if there is one; where none was searched, for noisy moves below the first, the first
    values : of the last iteration that was completed, or of the moves that were done in one that the budget stopped. A
        win that ends the game after n plies is WON - n, one that the game's own knowledge proves WON - FAR - n, a loss
        their negative
    depths : plies of the last iteration that was completed
    nodes : positions visited, the roots not among them
    proven : WIN, LOSS or DRAW where the value holds at any depth, else UNKNOWN
    """

    moves: np.ndarray
    values: np.ndarray
    depths: np.ndarray
    nodes: np.ndarray
    proven: np.ndarray


class Deepening:
    """Principal-variation searches of ``game`` (an option value, for two players, without chance).

    entries : of the hash table, a power of two; each thread has one of ``entries`` times 16 bytes
    threads : that share the positions of a batch; results do not depend on it
    leaf : what stands at the horizon, of ``leaves``

    Each search is a function of position, key and budget. Raises BadInput for a game not for two players, other
    entries, and fewer threads than 1.
    """

    def __init__(self, game: Any, entries: int = 1 << 20, threads: int = 1, leaf: Any = Evaluated()) -> None:
        if threads < 1:
            raise BadInput(f"threads={threads} is not at least 1")
        if entries < MIN_ENTRIES or entries & (entries - 1):
            raise BadInput(f"entries={entries}: must be a power of two, at least {MIN_ENTRIES}")
        self.game = compiled(game)
        if self.game.PLAYERS != 2:
            raise BadInput(f"game={title(self.game)} is for one player; principal-variation search takes two")
        self.leaf = leaf
        self.entries, self.threads = entries, threads
        self.max_depth = min(self.game.MAX_PLIES, MAX_DEPTH)
        self._free: queue.SimpleQueue[tuple[Stack, TranspositionTable]] = queue.SimpleQueue()

    def search(
        self,
        states: np.ndarray,
        keys: np.ndarray,
        nodes: int | None = None,
        depth: int | None = None,
        stop: threading.Event | None = None,
        on_done: Callable[[int], None] | None = None,
    ) -> DeepeningResult:
        """Search ``states`` (uint64[B, W]), none of them over, under ``keys`` (uint64[B]).

        Parameters
        ----------
        keys : the order of the root's moves is drawn from them. Of moves of the same value the best one of the
            iteration before is kept if it is among them, else the first in that order is taken
        nodes : positions a search may visit; depth : plies of its last iteration. Without either it goes on until the
            value is proven, or for ``max_depth`` plies; a proven value ends it in any case
        stop : KeyboardInterrupt is raised where it is set meanwhile
        on_done : called, from any thread, with the number of searches that have ended since the last call

        Raises BadInput for arrays of other shapes, where chance moves, where a game is over, and for budgets below 1.
        """
        for name, given in (("nodes", nodes), ("depth", depth)):
            if given is not None and given < 1:
                raise BadInput(f"budget.{name}={given} is not at least 1")
        last = min(depth or self.max_depth, self.max_depth)
        roots, _ = self.advanced(states, keys, SearchLimits(nodes or NO_LIMIT, 1, last, 0), stop, on_done)
        return DeepeningResult(roots.moves, roots.values, roots.depths, roots.nodes, roots.proven)

    def advanced(
        self,
        states: np.ndarray,
        keys: np.ndarray,
        limits: SearchLimits,
        stop: threading.Event | None = None,
        on_done: Callable[[int], None] | None = None,
        move_values: bool = False,
    ) -> tuple[DeepeningRoots, np.ndarray]:
        """The roots of ``states`` (uint64[B, W]) after their searches, and how many legal moves each has, int64[B].

        move_values : whether the values of their moves are noted; the others are as in ``search``
        """
        check_batch(self.game, states, keys)
        counts = Rules(self.game).count_moves(np.ascontiguousarray(states, np.uint64))
        if not counts.all():
            raise BadInput("states: a game is over there, and there is no move to choose")
        if int(counts.max(initial=0)) > self.game.MAX_MOVES:
            raise beyond(self.game, "MAX_MOVES")
        roots = _roots(states, keys, int(counts.max(initial=0)) if move_values else 0)
        self._run(roots, limits, stop, on_done or (lambda done: None))
        return roots, counts

    def _run(
        self, roots: DeepeningRoots, limits: SearchLimits, stop: threading.Event | None, on_done: Callable[[int], None]
    ) -> None:
        """Search all roots, parts of them in turn on each thread."""
        count = len(roots.words)
        size = max(1, -(-count // (self.threads * PARTS_A_THREAD)) if self.threads > 1 else count)
        begins = range(0, count, size)
        stop_event = StopEvent(stop)

        def search(begin: int) -> None:
            end = min(begin + size, count)
            with stop_event.set_where_this_fails():
                self._search_part(roots, begin, end, limits, lambda: not stop_event.is_set(), on_done)

        if len(begins) < 2:
            for begin in begins:
                search(begin)
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                try:
                    list(pool.map(search, begins))
                finally:
                    stop_event.set()  # before the pool waits for what is under way
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt

    def _search_part(
        self,
        roots: DeepeningRoots,
        begin: int,
        end: int,
        limits: SearchLimits,
        goes_on: Callable[[], bool],
        on_done: Callable[[int], None],
    ) -> None:
        """Search roots ``begin`` to ``end``, in compiled calls of about CALL_SECONDS."""
        stack, table = self._room()
        cursor, done, quota, answer = np.array([begin, NEW, 0, 0]), begin, FIRST_QUOTA, MORE
        while answer != DONE and goes_on():
            started = time.perf_counter()
            answer = advance(self.game, self.leaf, roots, stack, table, cursor, end, limits, quota)
            if answer == BY_CHANCE:
                name = title(self.game)
                raise BadInput(f"game: principal-variation search takes games without chance; in {name} chance moves")
            if answer == BEYOND_MOVES:
                raise beyond(self.game, "MAX_MOVES")
            took = max(time.perf_counter() - started, 1e-6)
            quota = max(1, int(quota * min(max(CALL_SECONDS / took, 0.25), 4)))
            on_done(int(cursor[ROOT]) - done)
            done = int(cursor[ROOT])
        self._free.put((stack, table))

    def _room(self) -> tuple[Stack, TranspositionTable]:
        """A stack and a table that no other thread has: those of an earlier search, or new ones."""
        try:
            return self._free.get_nowait()
        except queue.Empty:
            return empty_stack(self.game, self.max_depth, self.leaf), empty_table(self.entries)


def _roots(states: np.ndarray, keys: np.ndarray, moves: int) -> DeepeningRoots:
    """A batch before its search, with room for the values of so many moves of each."""
    count = len(states)
    fields = [np.zeros(count, np.int64) for _ in range(5)]
    fields[0][:] = NO_MOVE
    words, keys = np.ascontiguousarray(states, np.uint64), np.ascontiguousarray(keys, np.uint64)
    return DeepeningRoots(words, keys, *fields, move_values=np.zeros((count, moves), np.int64))
