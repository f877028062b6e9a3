"""What an engine of playouts is to those who have leaves to play: ``cpu.CpuPlayouts`` and ``cuda.CudaPlayouts``."""

import threading
from typing import Any, Protocol

import numpy as np

from gpumcts.kernels.cuda.device_clock import DeviceClock
from gpumcts.kernels.tally import Outcomes, TallyColumns


class LeafBatch(Protocol):
    """A batch of leaves that is filled, sent off, and read when it is back.

    Fill the first two of ``arrays(leaves, playouts)``, ``start``, do something else, ``finish``, read the third.
    """

    def arrays(self, leaves: int, playouts: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Views for a batch of leaves, so many playouts each: states uint64[B, W], keys uint64[B], tally int64[B, K].

        K : ``tally_columns``
        """
        ...

    def start(self, leaves: int, playouts: int, stop: threading.Event | None = None) -> float:
        """Send the batch off. The seconds of the host's threads that it took: all playouts, where the CPU plays.

        Playouts not yet begun are left out where ``stop`` is set meanwhile.
        """
        ...

    def finish(self) -> None:
        """Wait until the tally is there; nothing to do where nothing is under way."""
        ...

    def use_here(self) -> None:
        """Let compiled code of this thread send the batch by its ``graph_words``."""
        ...

    def sent_again(self) -> None:
        """Compiled code has sent the batch off, by its ``graph_words``."""
        ...

    def check_graph(self, answer: int) -> None:
        """Raise ``DeviceLost``, or what else it may be, where a driver's ``answer`` to compiled code is not 0."""
        ...

    def graph_words(self) -> np.ndarray | None:
        """What compiled code needs to send the batch that is under way once more, ``captured_graph``'s words.

        Compiled code writes there too. None where Python has to send it.
        """
        ...


class PlayoutEngine(Protocol):
    """Plays the playouts of one policy on one game; outcomes are the same on all engines.

    name : ``cpu``, ``cuda`` or ``cudasim``
    game, policy : option values as they travel into compiled code
    clock : when a device was at work; None where there is none
    """

    name: str
    game: Any
    policy: Any
    clock: DeviceClock | None

    def tally(
        self, states: np.ndarray, keys: np.ndarray, playouts: int = 1, stop: threading.Event | None = None
    ) -> TallyColumns | Outcomes:
        """Play ``playouts`` playouts from each of ``states`` (uint64[B, W]) under ``keys`` (uint64[B]).

        Playout p of leaf b has the key ``child_key(keys[b], p)``. Where ``stop`` is set meanwhile, KeyboardInterrupt is
        raised.
        """
        ...

    def columns(
        self, states: np.ndarray, keys: np.ndarray, playouts: int = 1, stop: threading.Event | None = None
    ) -> np.ndarray:
        """The same as the kernels write it, int64[B, K]; the game may be ``traces.Traced``."""
        ...

    def in_flight_batches(self, leaves: int, playouts: int = 1) -> list[LeafBatch]:
        """Two batches with room for so many leaves each, so that one is filled while the other is played."""
        ...
