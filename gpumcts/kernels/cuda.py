"""The CUDA engine: batches of leaves travel to the device and their tallies back, two batches at a time.

The same in Numba's simulator, where that is on when this module is first imported (``gpumcts.kernels.engines`` sees
to it).
"""

import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.kernels import device
from gpumcts.kernels.cpu import Tally
from gpumcts.kernels.cuda_kernels import MOST_A_LAUNCH, Job, compiled_kernel, grab_size, kernel_signature, taken_word
from gpumcts.kernels.cuda_searches import ways
from gpumcts.kernels.occupancy import Shape, shape, spread
from gpumcts.kernels.playout_loop import TALLY_COLUMNS, tally_columns
from gpumcts.kernels.warp import WARP
from gpumcts.options import compiled
from gpumcts.playouts.contract import check_policy

SECONDS_A_LAUNCH = 0.1
LAUNCHES_AHEAD = 2  # in the queue of a stream; Ctrl-C waits for as many
LEAVES_A_FLIGHT = 1 << 18
SIMULATED_BLOCKS = 2  # of a warp each


class Flight:
    """Room for a batch of leaves on the host and on the device, ``words`` in all, and its way there and back.

    Fill the first two of ``arrays(leaves, playouts)``, ``start``, do something else, ``finish``, read the third.
    """

    def __init__(self, playouts: "CudaPlayouts", words: int) -> None:
        self._playouts, self._width = playouts, playouts.game.WORDS
        self._mirror: Any = device.mirror(words)
        self._begin, self._end, self._back = (self._mirror.mark() for _ in range(3))
        self._queue = [self._mirror.mark() for _ in range(LAUNCHES_AHEAD)]
        self._count: int | None = None  # of the playouts under way

    def arrays(self, leaves: int, playouts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Views for a batch of so many leaves and playouts of each: states uint64[B, W], keys uint64[B], tally int64[B, K].

        K : ``tally_columns``
        """
        width = tally_columns(self._playouts.game, playouts)
        keys, tally, end = leaves * self._width, leaves * (self._width + 1), taken_word(leaves, self._width, width)
        host = self._mirror.host
        columns = host[tally:end].view(np.int64).reshape(leaves, width)
        return host[:keys].reshape(leaves, self._width), host[keys:tally], columns

    def start(self, leaves: int, playouts: int, stop: threading.Event | None = None) -> None:
        """Send the batch off and return at once; where it is much work, when the last launches are in the queue.

        Launches not yet queued are left out where ``stop`` is set meanwhile. Raises BadInput for more playouts of a leaf than
        a launch may have.
        """
        if playouts > MOST_A_LAUNCH:
            raise BadInput(f"playouts of a leaf: {playouts:,}, at most {MOST_A_LAUNCH:,} on a device")
        columns = tally_columns(self._playouts.game, playouts)
        mirror, tally, taken = self._mirror, leaves * (self._width + 1), taken_word(leaves, self._width, columns)
        mirror.upload(0, tally)
        mirror.clear(tally, taken + 1)
        self._begin.again()
        self._count = 0
        try:
            for number, job in enumerate(self._jobs(leaves, playouts)):
                if stop is not None and stop.is_set():
                    break
                mark = self._queue[number % LAUNCHES_AHEAD]
                if number >= LAUNCHES_AHEAD:
                    mark.wait()
                if number > 0:
                    mirror.clear(taken, taken + 1)
                self._playouts.launch(job, mirror.stream)
                self._count += job.count
                mark.again()
        finally:  # after Ctrl-C too there is something to wait for
            self._end.again()
            mirror.download(tally, taken)
            self._back.again()

    def _jobs(self, leaves: int, playouts: int) -> Iterator[Job]:
        """The batch in launches; ``launch`` sees to how many playouts a warp takes at once."""
        total, first, columns = leaves * playouts, 0, tally_columns(self._playouts.game, playouts)
        while first < total:
            count = min(self._playouts.playouts_a_launch, total - first)
            leaf, number = divmod(first, playouts)
            yield Job(self._mirror.device, self._width, columns, leaves, playouts, leaf, number, count, 0)
            first += count

    def finish(self) -> None:
        """Wait until the tally is back; nothing to do where nothing is under way."""
        if self._count is None:
            return
        count, self._count = self._count, None
        self._back.wait()
        if count:
            self._playouts.took(count, self._end.since(self._begin))
        self._playouts.note(self._begin, self._end)


class CudaPlayouts:
    """Playouts of one policy on one game on the device, or in Numba's simulator; the outcomes are the CPU's.

    way : the kernel, ``thread``, ``warp`` or ``nested`` (``cuda_searches.ways``); the usual one if empty
    threads : in a block, a multiple of 32 up to 1024; None for as many as suit the kernel's registers
    shape : what the kernel is launched with
    spans : since ``watch``, from when to when the device was busy with each flight, (begin, end) in seconds; None before
    playouts_a_launch : such that a launch lasts SECONDS_A_LAUNCH or less, by what earlier ones took

    Raises BadInput for a way that there is not, and for another number of threads.
    """

    def __init__(self, game: Any, policy: Any, way: str = "", threads: int | None = None) -> None:
        self.game, self.policy = compiled(game), compiled(policy)
        self.name = "cudasim" if device.simulated() else "cuda"
        check_policy(self.policy, self.game)
        found = ways(self.game, self.policy)
        self.way = way or next(iter(found))
        if self.way not in found:
            raise BadInput(f"way={way}: for these playouts there are {', '.join(found)}")
        if threads is not None and (threads % 32 or not 0 < threads <= 1024):
            raise BadInput(f"threads={threads}: must be a multiple of 32, up to 1024")
        self._kernel = compiled_kernel(found[self.way], kernel_signature(self.game, self.policy))
        self.shape = self._shape(threads)
        self._fewest = self.shape.threads * self.shape.blocks // self._lanes
        self.playouts_a_launch = self._fewest
        self.spans: list[tuple[float, float]] | None = None
        self._base: Any = None  # of the spans
        self._flights: list[Flight] = []
        self._room = 0

    @property
    def _lanes(self) -> int:
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
    ) -> Tally:
        """Play ``playouts`` playouts from each of ``states`` (uint64[B, W]) under ``keys`` (uint64[B]).

        Playout p of leaf b has the key ``child_key(keys[b], p)``. Where ``stop`` is set meanwhile, KeyboardInterrupt is
        raised. Raises BadInput where the device's memory does not suffice.
        """
        return Tally.of(self.columns(states, keys, playouts, stop))

    def columns(
        self, states: np.ndarray, keys: np.ndarray, playouts: int = 1, stop: threading.Event | None = None
    ) -> np.ndarray:
        """The same as the kernels write it, int64[B, 4 + P K]; the game may be ``traces.Traced``."""
        width = tally_columns(self.game, playouts)
        columns = np.zeros((len(states), width), np.int64)
        size = max(1, min(LEAVES_A_FLIGHT * TALLY_COLUMNS // width, len(states)))
        flights = self.flights(size, playouts)
        under_way: list[Callable[[], None]] = []
        try:
            for number, first in enumerate(range(0, len(states), size)):
                if len(under_way) == len(flights):
                    under_way.pop(0)()
                part, flight = slice(first, first + size), flights[number % len(flights)]
                under_way.append(self._send(flight, states[part], keys[part], playouts, columns[part], stop))
        finally:
            for land in under_way:
                land()
        if stop is not None and stop.is_set():
            raise KeyboardInterrupt
        return columns

    def _send(self, flight: Flight, states, keys, playouts: int, columns, stop) -> Callable[[], None]:
        """Send a batch off; what comes back is to be called for the tally to land in ``columns``."""
        flight.finish()  # a call that failed may have left it under way
        to_states, to_keys, tally = flight.arrays(len(states), playouts)
        to_states[:], to_keys[:] = states, keys
        flight.start(len(states), playouts, stop)

        def land() -> None:
            flight.finish()
            columns[:] = tally

        return land

    def flights(self, leaves: int, playouts: int = 1) -> list[Flight]:
        """Two flights with room for so many leaves each, so that neither side waits; kept for the next call."""
        words = taken_word(leaves, self.game.WORDS, tally_columns(self.game, playouts)) + 1
        if words > self._room:
            self._flights = []  # before new ones take memory
            self._flights, self._room = [Flight(self, words), Flight(self, words)], words
        return self._flights

    def launch(self, job: Job, stream: Any) -> None:
        """Queue the playouts of a job in a stream."""
        wanted = job.count * self._lanes
        threads = self.shape.threads
        if not device.simulated():
            threads = spread(threads, wanted, device.describe().multiprocessors)
        blocks = min(self.shape.blocks * self.shape.threads // threads, -(-wanted // threads))
        job = job._replace(grab=grab_size(job.count, blocks * threads // WARP, WARP // self._lanes))
        if not device.simulated():
            self._kernel[blocks, threads, stream](self.game, self.policy, job)
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's scalars say so when a product wraps around
            self._kernel[blocks, threads](self.game, self.policy, job)

    def took(self, playouts: int, seconds: float) -> None:
        """Learn from a flight how many playouts a launch may have."""
        wanted = int(playouts * SECONDS_A_LAUNCH / max(seconds, 1e-6))
        self.playouts_a_launch = min(max(self._fewest, wanted), MOST_A_LAUNCH)

    def watch(self) -> None:
        """From now on, tell ``spans`` when the device is busy; what it was told is forgotten."""
        self._clock = device.mirror(1)  # for its stream
        self._base, self.spans = self._clock.mark(), []
        self._base.wait()

    def note(self, begin: Any, end: Any) -> None:
        """Tell ``spans`` that the device was busy between two marks, where that is asked for."""
        if self.spans is None:
            return
        self.spans.append((begin.since(self._base), end.since(self._base)))
