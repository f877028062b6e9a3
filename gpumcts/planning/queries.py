"""Many queries at once: a planner from many states, over threads; answers depend on neither threads nor order."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import Any

import numpy as np

from gpumcts.call_size import Shares
from gpumcts.compiling.class_names import title
from gpumcts.compiling.messages import announced
from gpumcts.errors import BadInput
from gpumcts.jit import entry
from gpumcts.options import compiled
from gpumcts.planning.contract import PROGRESS, advance, memory
from gpumcts.planning.mdp import Mdp
from gpumcts.planning.store import FIRST_ROOM, clear, move_in
from gpumcts.resources import free_memory
from gpumcts.stop_event import StopEvent

MAX_SAMPLES = 1 << 31
SHARE_OF_MEMORY = 0.5  # of what is free, where no limit is given
REMEDY = "take fewer samples or threads, or more memory_gb"


@entry
def _answer(planner, mdp, evaluations, roots, runs, keys, checkpoints, chosen, kept, progress, first, last):
    """Answer queries ``first`` to ``last`` - 1; returns the first one that is not, where the memory is full."""
    for query in range(first, last):
        if progress[0] == 0:
            clear(kept.store)
        if not advance(
            planner,
            mdp,
            evaluations[runs[query]],
            roots[query],
            keys[query],
            checkpoints,
            chosen[query],
            kept,
            progress,
        ):
            return query
        progress[:] = 0
    return last


class Queries:
    """Queries to one planner about one problem.

    Parameters
    ----------
    mdp, planner : the problem and the option value of the planner
    evaluations : float64[R, S], the evaluation of each run
    roots : int64[Q], where each query begins, states that are no goals; runs : int64[Q], its row of ``evaluations``
    keys : uint64[Q], of its draws
    threads : CPU threads
    memory_limit : bytes that what the planner remembers may take, all threads together; half of what is free if None

    Raises BadInput where the arrays do not fit together, where a root is a goal, and for fewer threads than 1.
    """

    def __init__(
        self, mdp: Mdp, planner: Any, evaluations: np.ndarray, roots: np.ndarray, runs: np.ndarray, keys: np.ndarray,
        threads: int = 1, memory_limit: int | None = None,
    ) -> None:  # fmt: skip
        states = len(mdp.actions)
        if threads < 1:
            raise BadInput(f"threads={threads} is not at least 1")
        if evaluations.ndim != 2 or evaluations.shape[1] != states or not len(roots) == len(runs) == len(keys):
            raise BadInput("queries: the arrays are evaluations[R, S], roots[Q], runs[Q] and keys[Q]")
        if len(roots) and not (roots.min() >= 0 and roots.max() < states and mdp.actions[roots].all()):
            raise BadInput("queries: a root is no state of the problem, or is a goal, where there is nothing to plan")
        if len(runs) and not (runs.min() >= 0 and runs.max() < len(evaluations)):
            raise BadInput(f"queries: a run is not one of the {len(evaluations)} evaluations")
        self._mdp, self._planner, self._threads = mdp, compiled(planner), threads
        self._name = f"planner {title(planner)}"
        self._limit = int(SHARE_OF_MEMORY * free_memory()) if memory_limit is None else memory_limit
        self._evaluations = np.ascontiguousarray(evaluations, np.float64)
        self._roots, self._runs = np.ascontiguousarray(roots, np.int64), np.ascontiguousarray(runs, np.int64)
        self._keys = np.ascontiguousarray(keys, np.uint64)

    def answers(
        self,
        checkpoints: np.ndarray,
        stop: threading.Event | None = None,
        on_progress: Callable[[int], None] | None = None,
    ) -> np.ndarray:
        """The action that each query names after ``checkpoints`` (int64[C], increasing) samples, int8[Q, C].

        ``on_progress`` is called from the threads with the queries answered since the last call. Raises
        KeyboardInterrupt where ``stop`` is set meanwhile, BadInput where the checkpoints do not increase from at least
        1 to below 2^31, and where a query's nodes do not fit into memory.
        """
        checkpoints = np.ascontiguousarray(checkpoints, np.int64)
        if not len(checkpoints) or checkpoints[0] < 1 or (np.diff(checkpoints) <= 0).any():
            raise BadInput("queries: checkpoints are increasing numbers of samples, at least 1")
        if checkpoints[-1] >= MAX_SAMPLES:
            raise BadInput(f"queries: a query may take fewer than {MAX_SAMPLES} samples")
        chosen = np.full((len(self._roots), len(checkpoints)), -1, np.int8)
        self._check_memory()
        with announced(self._name, may_load=True):  # no query, so that it compiles
            self._answer(range(0), checkpoints, chosen, *self._memory())
        shares, stop_event = Shares(len(chosen), 1, self._threads), StopEvent(stop)
        with ThreadPoolExecutor(self._threads) as pool:
            try:
                works = [
                    pool.submit(self._work, shares, checkpoints, chosen, stop_event, on_progress)
                    for _ in range(self._threads)
                ]
                for work in as_completed(works):
                    work.result()
            finally:
                stop_event.set()  # before the pool waits for what is under way
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt
        return chosen

    def _check_memory(self) -> None:
        """Refuse, before anything compiles, a limit that is too little for any query. Raises BadInput."""
        needed, share = _bytes_of(self._memory()[0]), self._limit // self._threads
        if needed > share:
            raise BadInput(
                f"{self._name}: any query takes {FIRST_ROOM:,} nodes x {needed / FIRST_ROOM:,.0f} bytes, "
                f"{needed / 2**20:,.1f} MiB, and a thread may use {share / 2**20:,.1f} MiB: {REMEDY}"
            )

    def _memory(self) -> tuple[Any, np.ndarray]:
        return memory(self._planner, self._mdp, FIRST_ROOM), np.zeros(PROGRESS, np.int64)

    def _answer(
        self, part: range, checkpoints: np.ndarray, chosen: np.ndarray, kept: Any, progress: np.ndarray
    ) -> range:
        """Answer queries of a part; returns those left where the memory is full."""
        queries = self._evaluations, self._roots, self._runs, self._keys
        at = _answer(
            self._planner, self._mdp, *queries, checkpoints, chosen, kept, progress, part.start, part.stop
        )  # fmt: skip
        return range(at, part.stop)

    def _work(
        self, shares: Shares, checkpoints: np.ndarray, chosen: np.ndarray, stop: threading.Event,
        on_progress: Callable[[int], None] | None,
    ) -> None:  # fmt: skip
        """Answer share after share, in a memory that grows where it is full."""
        kept, progress = self._memory()
        while (share := shares.take()) is not None:
            left, begin = range(share.start, share.stop), time.perf_counter()
            while left := self._answer(left, checkpoints, chosen, kept, progress):
                if stop.is_set():
                    return
                kept = self._larger(kept)
            if stop.is_set():
                return
            if on_progress is not None:
                on_progress(share.stop - share.start)
            shares.took(share, time.perf_counter() - begin)

    def _larger(self, kept: Any) -> Any:
        """The same memory with twice the room; raises BadInput where it is more than a thread may have."""
        room, share = 2 * len(kept.store.keys), self._limit // self._threads
        before = _bytes_of(kept)
        if 3 * before > share:  # the old one and the new one, for as long as nodes move in
            raise BadInput(
                f"{self._name}: a query takes more than {room // 2:,} nodes, and twice as many take "
                f"{room:,} x {2 * before / room:,.0f} bytes beside the old ones until these are copied, together "
                f"{3 * before / 2**20:,.1f} MiB; a thread may use {share / 2**20:,.1f} MiB: {REMEDY}"
            )
        more = memory(self._planner, self._mdp, room)
        move_in(kept.store, more.store)
        for old, new in zip(kept, more, strict=True):
            if isinstance(old, np.ndarray):
                new[: len(old)] = old
        return more


def _bytes_of(kept: Any) -> int:
    arrays = [*kept.store, *(part for part in kept if isinstance(part, np.ndarray))]
    return sum(array.nbytes for array in arrays)
