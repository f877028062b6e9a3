"""What the engines of a search know of it: its parts, and how its forests and batches are made.

``gpumcts.tree.search.Searcher`` is one. The loops that go through iterations (``cpu_iterations``, ``device_playouts``,
``in_flight``, ``device_search``) ask for no more than this, and import nothing of it.
"""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from gpumcts.kernels.batch import Rules
from gpumcts.tree.advance import LevelWatch
from gpumcts.tree.batch import Batch
from gpumcts.tree.forest import Forest
from gpumcts.tree.settings import Settings
from gpumcts.tree.steps import Method, Steps
from gpumcts.tree.wave import Wave


class SearchPlan(Protocol):
    """The parts of a search, as they travel into compiled code, and what follows from them.

    played_game : what playouts are played on: the game, or one that keeps traces
    switches : of the settings, ``SearchSwitches`` or a relative
    engine : what plays the leaves; None for the CPU
    device_kernel : of whole searches on a device, where the engine is that
    kept_columns : of a tally; room : slots that a batch may take in a tree; slot_bytes : bytes of a slot
    """

    game: Any
    played_game: Any
    policy: Any
    rule: Any
    operator: Any
    rules: Rules
    settings: Settings
    switches: Any
    threads: int
    engine: Any
    device_kernel: Any
    method: Method
    steps: Steps
    kept_columns: int
    room: int
    slot_bytes: int

    @property
    def without_playouts(self) -> tuple[Steps, Method]:
        """Steps and method of who selects alone."""
        ...

    def slots(self, iterations: int) -> int:
        """Node slots a tree is given for so many iterations, to begin with."""
        ...

    def more_slots(self, forest: Forest) -> int:
        """Slots a tree is given where those of ``forest`` do not suffice."""
        ...

    def empty_forest(self, trees: int, slots: int) -> Forest:
        """A forest without roots."""
        ...

    def zeroed_forest(self, trees: int, slots: int, zeros: Callable) -> Forest:
        """The same whose arrays come from ``zeros(shape, dtype)``."""
        ...

    def batch(self, rows: int, zeros: Callable = np.zeros) -> Batch:
        """Room for so many leaves."""
        ...

    def widen(self, wave: Wave) -> None:
        """Give the trees of a wave room for more nodes."""
        ...

    def advance(
        self,
        forest: Forest,
        states: np.ndarray,
        keys: np.ndarray,
        block: tuple[int, int],
        numbers: tuple[int, int],
        batch: Batch,
        watch: LevelWatch = ...,
        ticks: np.ndarray | None = None,
    ) -> int:
        """Iterations ``numbers`` of the trees of a block; the iteration reached."""
        ...
