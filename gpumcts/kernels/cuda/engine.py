"""The CUDA engine: batches of leaves travel to the device and their tallies back, two batches at a time.

The same in Numba's simulator, where that is on when this module is first imported (``gpumcts.kernels.engines`` sees
to it).
"""

import threading
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.kernels.cuda import device
from gpumcts.kernels.cuda.device_choices import fastest_way
from gpumcts.kernels.cuda.device_clock import DeviceClock
from gpumcts.kernels.cuda.in_flight_batch import InFlightBatch
from gpumcts.kernels.cuda.kernels import MAX_PER_LAUNCH, BatchLayout, Job, compiled_kernel, grab_size, kernel_signature
from gpumcts.kernels.cuda.occupancy import Shape, lanes, shape, spread
from gpumcts.kernels.cuda.searches import ways
from gpumcts.kernels.cuda.warp import WARP
from gpumcts.kernels.playout_engine import LeafBatch
from gpumcts.kernels.playout_loop import TALLY_COLUMNS, tally_columns
from gpumcts.kernels.tally import Outcomes, TallyColumns
from gpumcts.options import compiled
from gpumcts.playouts.contract import check_policy, kept_words
from gpumcts.playouts.minimax import child_value

SECONDS_A_LAUNCH = 0.1
LEAVES_A_BATCH = 1 << 18
SIMULATED_BLOCKS = 2  # of a warp each
BYTES_A_COPIER = 1 << 20  # fewer are copied by one thread: handing them out would take longer


def _rows(states: np.ndarray, leaves: int) -> int:
    """States that are sent: one where all leaves have the same."""
    return 1 if leaves == 1 or states.strides[0] == 0 else leaves


class CudaPlayouts:
    """Playouts of one policy on one game on the device, or in Numba's simulator; the outcomes are the CPU's.

    way : the kernel, one of the names that ``searches.ways`` gives for the game and the policy; the fastest known if
        empty
    threads : in a block, a multiple of 32 up to 1024; None for as many as suit the kernel's registers
    shape : what the kernel is launched with
    clock : when the device was busy with batches
    playouts_a_launch : such that a launch lasts SECONDS_A_LAUNCH or less, by what earlier ones took
    cores : of the host, which copy large batches into pinned memory and out of it

    Raises BadInput for a way that there is not, and for another number of threads.
    """

    def __init__(self, game: Any, policy: Any, way: str = "", threads: int | None = None, cores: int = 1) -> None:
        self.game, self.policy = compiled(game), compiled(policy)
        self.name = "cudasim" if device.simulated() else "cuda"
        check_policy(self.policy, self.game)
        found = ways(self.game, self.policy)
        self.way = way or fastest_way(self.game, self.policy, list(found))
        if self.way not in found:
            raise BadInput(f"way={way}: for these playouts there are {', '.join(found)}")
        if threads is not None and (threads % 32 or not 0 < threads <= 1024):
            raise BadInput(f"threads={threads}: must be a multiple of 32, up to 1024")
        self._kernel = compiled_kernel(found[self.way], kernel_signature(self.game, self.policy))
        self.shape = self._shape(threads)
        self._lanes_part = child_value.find(type(self.policy)) is not None  # soon; those of uniform playouts do not
        self._min_playouts = self.shape.threads * self.shape.blocks // self._threads_per_playout
        self.playouts_a_launch = self._min_playouts
        self.clock = DeviceClock()
        self._batches: list[InFlightBatch] = []
        self._room = 0
        self._cores = cores
        self._copiers = ThreadPoolExecutor(cores) if cores > 1 else None
        if not device.simulated():
            device.say_device()

    @property
    def _threads_per_playout(self) -> int:
        """Threads of a playout."""
        return WARP if self.way == "warp" else 1

    def _shape(self, threads: int | None) -> Shape:
        if device.simulated():
            return Shape(0, WARP, SIMULATED_BLOCKS, 1)
        found, most = device.describe(), self._kernel.get_max_threads_per_block()
        if threads is not None and threads > most:
            raise BadInput(f"threads={threads}: the registers of this kernel leave room for {most} in a block")
        return shape(self._kernel.get_regs_per_thread(), found.multiprocessors, threads, found.capability)

    def tally(
        self, states: np.ndarray, keys: np.ndarray, playouts: int = 1, stop: threading.Event | None = None
    ) -> TallyColumns | Outcomes:
        """Play ``playouts`` playouts from each of ``states`` (uint64[B, W]) under ``keys`` (uint64[B]).

        Playout p of leaf b has the key ``child_key(keys[b], p)``. Where all leaves have one state, ``np.broadcast_to``
        saves sending it more than once. Where ``stop`` is set meanwhile, KeyboardInterrupt is raised. Raises BadInput
        where the device's memory does not suffice.
        """
        if playouts > 1 or kept_words(self.game):
            return TallyColumns.of(self.columns(states, keys, playouts, stop))
        words = np.empty((len(states), 1), np.uint64)
        self._play(states, keys, 1, words, stop)
        return Outcomes(words[:, 0])

    def columns(
        self, states: np.ndarray, keys: np.ndarray, playouts: int = 1, stop: threading.Event | None = None
    ) -> np.ndarray:
        """The same as the kernels write it, int64[B, 4 + P K]; the game may be ``traces.Traced``."""
        columns = np.empty((len(states), tally_columns(self.game, playouts)), np.int64)
        self._play(states, keys, playouts, columns.view(np.uint64), stop)
        return columns

    def _play(self, states, keys, playouts: int, columns: np.ndarray, stop: threading.Event | None) -> None:
        """Send the leaves off in batches, two at a time, and write what comes back to ``columns``, uint64[B, K]."""
        size = max(1, min(LEAVES_A_BATCH * TALLY_COLUMNS // max(TALLY_COLUMNS, columns.shape[1]), len(states)))
        batches = self._batches_for(BatchLayout(size, self.game.WORDS, _rows(states, size), columns.shape[1]))
        under_way: list[Callable[[], None]] = []
        try:
            for number, first in enumerate(range(0, len(states), size)):
                if len(under_way) == len(batches):
                    under_way.pop(0)()
                part, in_flight = slice(first, first + size), batches[number % len(batches)]
                under_way.append(self._send(in_flight, states[part], keys[part], playouts, columns[part], stop))
        finally:
            for land in under_way:
                land()
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt

    def _send(self, in_flight: InFlightBatch, states, keys, playouts: int, columns, stop) -> Callable[[], None]:
        """Send a batch off; what comes back is to be called for the tally to land in ``columns``."""
        in_flight.finish()  # a call that failed may have left it under way
        layout = BatchLayout(len(keys), states.shape[1], _rows(states, len(states)), columns.shape[1])
        to_states, to_keys, tally = in_flight.views(layout)
        self._copy(to_keys, keys)
        self._copy(to_states, states[: layout.rows])
        in_flight.send(layout, playouts, stop)

        def land() -> None:
            in_flight.finish()
            self._copy(columns, tally)

        return land

    def _copy(self, target: np.ndarray, source: np.ndarray) -> None:
        """Copy rows, on several threads where they are many."""
        if self._copiers is None or target.nbytes < BYTES_A_COPIER:
            target[:] = source
            return
        size = -(-len(target) // self._cores)
        parts = [slice(first, first + size) for first in range(0, len(target), size)]
        list(self._copiers.map(lambda part: target.__setitem__(part, source[part]), parts))

    def in_flight_batches(self, leaves: int, playouts: int = 1) -> list[LeafBatch]:
        """Two in-flight batches with room for so many leaves each, so that neither side waits; kept for later."""
        layout = BatchLayout(leaves, self.game.WORDS, leaves, tally_columns(self.game, playouts))
        batches = self._batches_for(layout)
        for in_flight in batches:
            in_flight.finish()  # a call that failed may have left it under way: tallies would land among new states
        return [*batches]

    def _batches_for(self, layout: BatchLayout) -> list[InFlightBatch]:
        if layout.end > self._room:
            self._batches = []  # before new ones take memory
            self._batches, self._room = [InFlightBatch(self, layout.end), InFlightBatch(self, layout.end)], layout.end
        return self._batches

    def abandon(self) -> None:
        """Wait for no batch any more: the device is lost."""
        for in_flight in self._batches:
            in_flight.under_way = False

    @device.telling
    def launch(self, job: Job, stream: Any) -> None:
        """Queue the playouts of a job in a stream."""
        threads, at_a_time = self.shape.threads, WARP // self._threads_per_playout  # of a block; playouts of a warp
        multiprocessors = 0 if device.simulated() else device.describe().multiprocessors
        if multiprocessors and at_a_time > 1 and self._lanes_part:
            at_a_time = lanes(job.count, multiprocessors, self.shape.warps)
        wanted = -(-job.count // at_a_time) * WARP
        if multiprocessors:
            threads = spread(threads, wanted, multiprocessors)
        blocks = min(self.shape.blocks * self.shape.threads // threads, -(-wanted // threads))
        job = job._replace(grab=grab_size(job.count, blocks * threads // WARP, at_a_time))
        if not device.simulated():
            self._kernel[blocks, threads, stream](self.game, self.policy, job)
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's scalars say so when a product wraps around
            self._kernel[blocks, threads](self.game, self.policy, job)

    def took(self, playouts: int, begin: Any, end: Any) -> None:
        """A batch was played between two events, both waited for."""
        self.learn(playouts, self.clock.enter(begin, end))

    def learn(self, playouts: int, seconds: float) -> None:
        """So many playouts took so many seconds: what a launch may have."""
        wanted = int(playouts * SECONDS_A_LAUNCH / max(seconds, 1e-6))
        self.playouts_a_launch = min(max(self._min_playouts, wanted), MAX_PER_LAUNCH)

    @property
    def spans(self) -> list[tuple[float, float]]:
        """When the device was busy with each batch since ``watch``, (begin, end) in seconds."""
        return self.clock.spans or []

    def watch(self) -> None:
        """From now on, tell ``spans`` when the device is busy; what it was told is forgotten."""
        self.clock.watch()
