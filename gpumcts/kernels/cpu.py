"""Playouts on the CPU: compiled calls that release the GIL, spread over a thread pool."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
from numba import types

from gpumcts.call_size import Shares
from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.jit import Source, entry, separate
from gpumcts.kernels.attempt_loop import attempted_in_lanes, attempting_in_lanes
from gpumcts.kernels.cuda.device_clock import DeviceClock
from gpumcts.kernels.host_batch import HostBatch
from gpumcts.kernels.playout_engine import LeafBatch
from gpumcts.kernels.playout_loop import LANE_COUNT, WIDTHS, evaluate_one_by_one, playing_in_lanes, tally_columns
from gpumcts.kernels.search_loop import searched_in_lanes, searching_in_lanes
from gpumcts.kernels.tally import TallyColumns
from gpumcts.options import compiled
from gpumcts.playouts.contract import check_policy
from gpumcts.playouts.traces import may_play_in_lanes, plays_whole
from gpumcts.stop_event import StopEvent

FIRST_PLAYOUTS = 256  # of a compiled call, before it is known how long they take


def evaluate_signature(game: Any, policy: Any) -> Any:
    """The signature of the evaluation step: (game, policy, states, keys, first, playouts, tally) -> None."""
    words, keys, tally = types.uint64[:, ::1], types.uint64[::1], types.int64[:, ::1]
    return types.void(numba.typeof(game), numba.typeof(policy), words, keys, types.int64, types.int64, tally)


def evaluate_source(game: Any, policy: Any, lanes: int = LANE_COUNT) -> Source:
    """The evaluation step of (game, policy) for the CPU, in lanes where they can be.

    ``policy`` is the value that travels into compiled code; ``lanes`` is a key of WIDTHS, or 1 (or False) for the loop
    one by one. No outcome depends on it. Raises BadInput for another number.
    """
    if lanes is True or lanes not in (0, 1, *WIDTHS):
        raise BadInput(f"lanes={lanes}: must be 1, for playouts one by one, or one of {', '.join(map(str, WIDTHS))}")
    function = evaluate_one_by_one
    if lanes > 1 and attempted_in_lanes(game, policy):
        function = attempting_in_lanes(lanes)
    elif plays_whole(policy, game):
        pass
    elif lanes > 1 and may_play_in_lanes(policy, game):
        function = playing_in_lanes(lanes)
    elif lanes > 1 and searched_in_lanes(game, policy):
        function = searching_in_lanes(lanes)
    name = f"playouts of {title(policy)} on {title(game)}"
    if lanes not in (1, LANE_COUNT):
        name += f", {lanes} lanes"
    return Source(function, evaluate_signature(game, policy), name)


def evaluate_step(game: Any, policy: Any, lanes: int = LANE_COUNT) -> Any:
    """``evaluate_source``, compiled."""
    return separate(*evaluate_source(game, policy, lanes))


@entry
def _evaluate(evaluate, game, policy, states, keys, playouts, tally):
    evaluate(game, policy, states, keys, 0, playouts, tally)


class CpuPlayouts:
    """Playouts of one policy on one game (option values) on ``threads`` CPU threads.

    lanes : playouts of a thread in lockstep, 8, 16 or 32, or 1 for one by one; BadInput is raised for another number

    Outcomes depend on neither.
    """

    name = "cpu"
    clock: DeviceClock | None = None

    def __init__(self, game: Any, policy: Any, threads: int = 1, lanes: int = LANE_COUNT) -> None:
        self.game, self.policy, self.threads = compiled(game), compiled(policy), threads
        check_policy(self.policy, self.game)
        self._evaluate = evaluate_step(self.game, self.policy, lanes)

    def tally(
        self, states: np.ndarray, keys: np.ndarray, playouts: int = 1, stop: threading.Event | None = None
    ) -> TallyColumns:
        """Play ``playouts`` playouts from each of ``states`` (uint64[B, W]) under ``keys`` (uint64[B]).

        Playout p of leaf b has the key ``child_key(keys[b], p)``. Where all leaves have one state, ``np.broadcast_to``
        serves. Where ``stop`` is set meanwhile, KeyboardInterrupt is raised, once the leaves that are being played are
        through. A leaf's playouts are one thread's, so many threads take many leaves.
        """
        return TallyColumns.of(self.columns(states, keys, playouts, stop))

    def columns(
        self,
        states: np.ndarray,
        keys: np.ndarray,
        playouts: int = 1,
        stop: threading.Event | None = None,
        on_seconds: Callable[[float], None] | None = None,
    ) -> np.ndarray:
        """The same as the kernels write it, int64[B, 4 + P K]; the game may be ``traces.Traced``.

        on_seconds : told now and then, by any thread, the seconds that it has played since
        """
        columns = np.zeros((len(states), tally_columns(self.game, playouts)), np.int64)
        shares, stop_event = Shares(len(states), max(1, FIRST_PLAYOUTS // playouts), self.threads), StopEvent(stop)

        def work() -> None:
            while not stop_event.is_set() and (part := shares.take()) is not None:
                begin = time.perf_counter()
                words = np.require(states[part], requirements=["C", "W"])  # as compiled code takes them
                _evaluate(self._evaluate, self.game, self.policy, words, keys[part], playouts, columns[part])
                seconds = time.perf_counter() - begin
                shares.took(part, seconds)
                if on_seconds is not None:
                    on_seconds(seconds)

        if self.threads == 1 or len(states) <= shares.size:
            work()
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                try:
                    begun = [pool.submit(work) for _ in range(self.threads)]
                    for done in begun:
                        done.result()
                finally:
                    stop_event.set()  # before the pool waits for what is under way
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt
        return columns

    def in_flight_batches(self, leaves: int, playouts: int = 1) -> list[LeafBatch]:
        """Two batches with room for so many leaves each, which are played as they are sent off."""
        return [HostBatch(self.game, self.columns, leaves, playouts) for _ in range(2)]
