"""A search as the loops over iterations on the host take it: parts, compiled steps, threads, who plays the leaves."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from gpumcts.kernels.playout_engine import PlayoutEngine
from gpumcts.tree.forest import Forest
from gpumcts.tree.host.compilation import compiled
from gpumcts.tree.host.wave import Wave
from gpumcts.tree.iteration.advance import NO_WATCH, LevelWatch, advance_block
from gpumcts.tree.iteration.batch import Batch
from gpumcts.tree.iteration.steps import Method, Steps
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.time_split import no_ticks


@dataclass(frozen=True)
class SearchPlan:
    """A search whose forest is on the host.

    threads : of the CPU, that the loops may use
    engine : what plays the leaves of the trees; None where the compiled steps do it on the CPU
    steps : compiled; without the evaluation where an engine plays
    back_up_part : the step of threads that share a tree, compiled; None where it may not be needed
    """

    parts: SearchParts
    threads: int
    engine: PlayoutEngine | None
    steps: Steps
    back_up_part: Any = None

    @classmethod
    def compiled(cls, parts: SearchParts, threads: int, engine: PlayoutEngine | None) -> Self:
        """The plan of these parts, its steps compiled or loaded from the cache."""
        found = compiled(parts, threads, engine is not None)
        return cls(parts, threads, engine, found.steps, found.back_up_part)

    @property
    def without_playouts(self) -> tuple[Steps, Method]:
        """Steps and method of who selects and backs up alone: what is compiled for them serves all policies."""
        method = self.parts.method._replace(game=self.parts.game, policy=None)
        return self.steps._replace(evaluate=None), method

    def advance(
        self,
        forest: Forest,
        states: np.ndarray,
        keys: np.ndarray,
        block: tuple[int, int],
        numbers: tuple[int, int],
        batch: Batch,
        watch: LevelWatch = NO_WATCH,
        ticks: np.ndarray | None = None,
    ) -> int:
        """Iterations ``numbers`` of the trees of a block; the iteration reached (``advance.advance``)."""
        ticks = no_ticks() if ticks is None else ticks
        parts = self.parts
        return advance_block(
            self.steps, parts.method, forest, states, keys, block, numbers, parts.room, batch, watch, ticks
        )

    def widen(self, wave: Wave) -> None:
        """Give the trees of a wave room for more nodes."""
        wave.widen(self.parts.memory.more_slots(wave.forest.visits.shape[1]))
