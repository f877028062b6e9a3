"""The CUDA engine: batches of leaves travel to the device and their tallies back, two batches at a time.

The same in Numba's simulator, where that is on when this module is first imported (``gpumcts.kernels.engines`` sees
to it).
"""

import threading
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gpumcts.kernels import device
from gpumcts.kernels.cpu import Tally
from gpumcts.kernels.cuda_kernels import (
    MOST_PLAYOUTS_A_THREAD,
    THREADS,
    Job,
    compiled_kernel,
    kernel_signature,
    resident_blocks,
)
from gpumcts.kernels.playout_loop import TALLY_COLUMNS
from gpumcts.options import compiled

SECONDS_A_LAUNCH = 0.1
LAUNCHES_AHEAD = 2  # in the queue of a stream; Ctrl-C waits for as many
LEAVES_A_FLIGHT = 1 << 18
SIMULATED_THREADS, SIMULATED_BLOCKS = 4, 2  # every simulated thread is one of the operating system


class Flight:
    """Room for a batch of leaves on the host and on the device, and its way there and back.

    Fill the first two of ``arrays(leaves)``, ``start``, do something else, ``finish``, read the third.
    """

    def __init__(self, playouts: "CudaPlayouts", leaves: int) -> None:
        self._playouts, self._width = playouts, playouts.game.WORDS
        self._mirror = device.mirror(leaves * (self._width + 1 + TALLY_COLUMNS))
        self._marks: tuple[Any, Any, Any] | None = None
        self._count = 0

    def arrays(self, leaves: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Views for a batch of so many leaves: states uint64[B, W], keys uint64[B], tally int64[B, TALLY_COLUMNS]."""
        keys, tally, end = (leaves * n for n in (self._width, self._width + 1, self._width + 1 + TALLY_COLUMNS))
        host = self._mirror.host
        columns = host[tally:end].view(np.int64).reshape(leaves, TALLY_COLUMNS)
        return host[:keys].reshape(leaves, self._width), host[keys:tally], columns

    def start(self, leaves: int, playouts: int, stop: threading.Event | None = None) -> None:
        """Send the batch off and return at once; where it is much work, when the last launches are in the queue.

        Launches not yet queued are left out where ``stop`` is set meanwhile.
        """
        mirror, tally = self._mirror, leaves * (self._width + 1)
        mirror.upload(0, tally)
        mirror.clear(tally, tally + leaves * TALLY_COLUMNS)
        self._count = leaves * playouts
        begin = mirror.mark()
        queue: list[Any] = []
        try:
            for first in range(0, self._count, size := self._playouts.playouts_a_launch):
                if stop is not None and stop.is_set():
                    break
                if len(queue) >= LAUNCHES_AHEAD:
                    queue.pop(0).wait()
                job = Job(mirror.device, self._width, leaves, playouts, first, min(first + size, self._count))
                self._playouts.launch(job, mirror.stream)
                queue.append(mirror.mark())
        finally:  # after Ctrl-C too there is something to wait for
            end = mirror.mark()
            mirror.download(tally, tally + leaves * TALLY_COLUMNS)
            self._marks = begin, end, mirror.mark()

    def finish(self) -> None:
        """Wait until the tally is back; nothing to do where nothing is under way."""
        if self._marks is None:
            return
        begin, end, back = self._marks
        back.wait()
        self._marks = None
        self._playouts.took(self._count, end.since(begin))


class CudaPlayouts:
    """Playouts of one policy on one game on the device, or in Numba's simulator; the outcomes are the CPU's.

    playouts_a_launch : such that a launch lasts SECONDS_A_LAUNCH or less, by what earlier ones took
    """

    def __init__(self, game: Any, policy: Any) -> None:
        self.game, self.policy = compiled(game), compiled(policy)
        self.name = "cudasim" if device.simulated() else "cuda"
        self._kernel = compiled_kernel(kernel_signature(self.game, self.policy))
        if device.simulated():
            self._threads, self._blocks = SIMULATED_THREADS, SIMULATED_BLOCKS
        else:
            registers = self._kernel.get_regs_per_thread()
            self._threads, self._blocks = THREADS, resident_blocks(registers, device.describe().multiprocessors)
        self.playouts_a_launch = self._threads * self._blocks
        self._flights: list[Flight] = []
        self._room = 0

    def tally(
        self, states: np.ndarray, keys: np.ndarray, playouts: int = 1, stop: threading.Event | None = None
    ) -> Tally:
        """Play ``playouts`` playouts from each of ``states`` (uint64[B, W]) under ``keys`` (uint64[B]).

        Playout p of leaf b has the key ``child_key(keys[b], p)``. Where ``stop`` is set meanwhile, KeyboardInterrupt is
        raised. Raises BadInput where the device's memory does not suffice.
        """
        columns = np.zeros((len(states), TALLY_COLUMNS), np.int64)
        size = min(LEAVES_A_FLIGHT, max(1, len(states)))
        flights = self.flights(size)
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
        return Tally.of(columns)

    def _send(self, flight: Flight, states, keys, playouts: int, columns, stop) -> Callable[[], None]:
        """Send a batch off; what comes back is to be called for the tally to land in ``columns``."""
        to_states, to_keys, tally = flight.arrays(len(states))
        to_states[:], to_keys[:] = states, keys
        flight.start(len(states), playouts, stop)

        def land() -> None:
            flight.finish()
            columns[:] = tally

        return land

    def flights(self, leaves: int) -> list[Flight]:
        """Two flights with room for so many leaves each, so that neither side waits; kept for the next call."""
        if leaves > self._room:
            self._flights = []  # before new ones take memory
            self._flights, self._room = [Flight(self, leaves), Flight(self, leaves)], leaves
        return self._flights

    def launch(self, job: Job, stream: Any) -> None:
        """Queue the playouts of a job in a stream."""
        blocks = min(self._blocks, -(-(job.end - job.begin) // self._threads))
        if not device.simulated():
            self._kernel[blocks, self._threads, stream](self.game, self.policy, job)
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # NumPy's scalars say so when a product wraps around
            self._kernel[blocks, self._threads](self.game, self.policy, job)

    def took(self, playouts: int, seconds: float) -> None:
        """Learn from a flight how many playouts a launch may have."""
        fewest = self._threads * self._blocks
        wanted = int(playouts * SECONDS_A_LAUNCH / max(seconds, 1e-6))
        self.playouts_a_launch = min(max(fewest, wanted), fewest * MOST_PLAYOUTS_A_THREAD)
