"""What a search in trees is made of, before anything is compiled: its options, their types, and the memory of trees."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpumcts.compiling.class_names import own_classes
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.playout_loop import tally_columns
from gpumcts.options import compiled
from gpumcts.playouts.traces import traced
from gpumcts.tree.checks import check_budget, check_tree_parts
from gpumcts.tree.forest import Forest, Layout, bytes_per_slot, empty_forest, zeroed_forest
from gpumcts.tree.iteration.batch import PATH_BEYOND_PLIES, Batch, empty_batch
from gpumcts.tree.iteration.steps import Method
from gpumcts.tree.memory import TreeMemory
from gpumcts.tree.selection.contract import column_count, learns_from_traces
from gpumcts.tree.settings import Settings


class SearchParts:
    """Game, playout policy, selection rule and backup operator (option values) that go together, with their settings.

    memory_limit : bytes a forest may take, 40 % of the machine's available memory if None

    game, policy, rule, operator : as they travel into compiled code
    rules : of the game, for batches of positions
    played_game : what playouts are played on: the game, or one that keeps traces
    switches : ``settings`` as compiled code reads them
    method : all of these, as the compiled steps take them
    kept_columns : of a leaf's row of the tally
    room : slots that one batch may take in a tree; slot_bytes : bytes of a slot; row_bytes : of a batch's row
    memory : how many slots a tree is given, and how many trees fit

    Raises BadInput, one line, for parts that do not go together.
    """

    def __init__(
        self,
        game: Any,
        policy: Any,
        rule: Any,
        operator: Any,
        settings: Settings = Settings(),
        memory_limit: int | None = None,
    ) -> None:
        self._made_of = game, policy, rule, operator, settings, memory_limit
        game = compiled(game)
        own_classes((game, policy, rule, operator))  # names of their own, before numba is asked for their types
        check_tree_parts(game, policy, rule, operator, settings)
        policy, learns = compiled(policy), learns_from_traces(rule)
        if learns and hasattr(operator, "beside_traces"):
            operator = operator.beside_traces()
        self.game, self.policy, self.rule, self.operator = game, policy, rule, operator
        self.settings, self.memory_limit = settings, memory_limit
        self.rules = Rules(game)
        self.played_game = traced(game, policy) if learns else game
        self.switches = settings.compiled(
            operator.EVALUATES, game.CELLS if learns else 0, game.MAX_MOVES, bool(game.LANES)
        )
        self.method = Method(rule, operator, self.played_game, policy, self.switches)
        self.kept_columns = tally_columns(self.played_game, settings.playouts_per_leaf)
        self._layout = Layout(
            column_count(rule, operator), game.MAX_MOVES, settings.solve, settings.in_flight == "unobserved"
        )
        self.slot_bytes = bytes_per_slot(self._layout)
        self.room = settings.leaves_per_tree * (game.MAX_MOVES + (game.MAX_PLIES if self.stores_whole_paths else 0))
        self.row_bytes = sum(array.nbytes for array in self.batch(1))
        self.memory = TreeMemory(
            game, settings, self.switches, self.slot_bytes, self.row_bytes, self.room, memory_limit
        )

    def __reduce__(self) -> tuple:
        """Pickled as what they were made of: classes of compiled values need not be found by their names."""
        return SearchParts, self._made_of

    @property
    def stores_whole_paths(self) -> bool:
        """Whether every position of an episode gets a node; then the tree plays all plies, and no playout is left."""
        return self.settings.expansion == "whole_path"

    def batch(self, rows: int, zeros: Callable = np.zeros) -> Batch:
        """Room for so many leaves; its arrays come from ``zeros(shape, dtype)``."""
        plies = self.game.MAX_PLIES + PATH_BEYOND_PLIES
        return empty_batch(rows, self.played_game.WORDS, plies, self.kept_columns, zeros)

    def empty_forest(self, trees: int, slots: int) -> Forest:
        """A forest without roots, for trees of so many slots."""
        return empty_forest(trees, slots, self._layout)

    def zeroed_forest(self, trees: int, slots: int, zeros: Callable) -> Forest:
        """The same with arrays from ``zeros(shape, dtype)``: all zeros, lists of blocks too."""
        return zeroed_forest(trees, slots, self._layout, zeros)

    def tree_bytes(self, iterations: int) -> int:
        """Bytes of the slots that a tree is given for so many iterations, to begin with."""
        return self.memory.slots(iterations) * self.slot_bytes

    def positions_together(
        self, positions: int, iterations: int, slots_beside: int = 0, device_bytes: int | None = None
    ) -> int:
        """How many trees of so many positions are searched together, for ``iterations`` of each position.

        slots_beside, device_bytes : as ``TreeMemory.fitting`` takes them

        Raises BadInput where not even one tree fits, with the arithmetic, and for a budget that tries no move or cannot
        be counted.
        """
        check_budget(iterations, self.settings)
        roots = self.settings.roots
        return self.memory.fitting(positions * roots, iterations // roots, slots_beside, device_bytes)
