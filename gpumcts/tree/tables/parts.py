"""What a search in tables is made of, before anything is compiled: its options, and the memory of its tables."""

from typing import Any

from gpumcts.compiling.class_names import own_classes
from gpumcts.errors import BadInput
from gpumcts.kernels.batch import Rules
from gpumcts.options import compiled, name_of
from gpumcts.playouts.contract import check_policy
from gpumcts.resources import free_memory
from gpumcts.tree.backup.average import Average
from gpumcts.tree.checks import (
    check_budget,
    check_in_flight,
    check_one_batch,
    check_rule_fits,
    check_table_suffices,
    check_traces,
    check_whole_path,
)
from gpumcts.tree.host.cpu_iterations import TREES_IN_A_BLOCK
from gpumcts.tree.iteration.steps import Method
from gpumcts.tree.memory import SHARE_OF_MEMORY
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.advance import Block
from gpumcts.tree.tables.steps import bytes_a_row, empty_frontier, empty_paths
from gpumcts.tree.tables.table import empty_table, memory_of, replacement_of

CACHED = 1 << 20  # bytes of the tables of a block that plays whole paths; more would push each other out of the cache
MIN_PER_BLOCK = 8  # trees that share the cost of a step's call
ENGINES = ("auto", "cpu")
REFUSED = {
    "expansion": ("root", "the moves of the root alone need no table"),
    "reuse": (True, "a table begins empty with every search"),
    "solve": (True, "a table keeps no proofs"),
}


class TableParts:
    """Game, playout policy and selection rule (option values) of a search in tables, with its settings.

    operator : ``average``, the only one that a table of sums can serve
    settings : ``table``, ``replacement`` and ``stored_above`` say what a table holds, and how
    engine : ``cpu``, or ``auto``, which is the same here
    memory_limit : bytes that tables may take, 40 % of the machine's available memory if None

    entries : of a table; replacement : what it keeps; tree_bytes : bytes of a table and of its search

    Raises BadInput for all that a table cannot do.
    """

    def __init__(
        self,
        game: Any,
        policy: Any,
        rule: Any,
        operator: Any,
        settings: Settings = Settings(table=1 << 20),
        engine: str = "cpu",
        memory_limit: int | None = None,
    ) -> None:
        self._made_of = game, policy, rule, operator, settings, engine, memory_limit
        self.game, self.policy, self.rule, self.operator = compiled(game), compiled(policy), rule, operator
        self.settings = settings
        if settings.table is None:
            raise BadInput("search.table=null: a TableSearcher keeps tables; Searcher keeps trees")
        self.entries = settings.table
        self.replacement = replacement_of(self.entries, settings.replacement, settings.stored_above)
        own_classes((self.game, self.policy, rule, operator))  # names of their own, before numba asks for their types
        self._check(engine)
        self.rules = Rules(self.game)
        self.switches = settings.compiled(False)
        self.method = Method(rule, operator, self.game, self.policy, self.switches)
        self._memory_limit = memory_limit
        row_bytes = bytes_a_row(self.game.WORDS, self.game.MAX_MOVES, self.game.MAX_PLIES)
        self.tree_bytes = memory_of(self.entries) + row_bytes

    def __reduce__(self) -> tuple:
        """Pickled as what they were made of, as ``SearchParts`` are."""
        return TableParts, self._made_of

    def _check(self, engine: str) -> None:
        """Refuse what a table cannot do."""
        if engine not in ENGINES:
            raise BadInput(f"engine={engine}: a search with search.table takes engine=cpu")
        if not isinstance(self.operator, Average):
            name = name_of(self.operator)
            raise BadInput(f"backup={name}: a table keeps means alone; with search.table take backup=average")
        check_rule_fits(self.rule, self.operator, self.settings.first_play_urgency)
        check_traces(self.rule, self.game, self.settings)
        check_policy(self.policy, self.game)
        for key, (value, reason) in REFUSED.items():
            if getattr(self.settings, key) == value:
                raise BadInput(f"search.{key}={str(value).lower()}: not with search.table: {reason}")
        if self.settings.leaves_per_tree > 1:
            raise BadInput(f"search.leaves_per_tree={self.settings.leaves_per_tree}: must be 1 with search.table")
        if self.settings.roots > 1:
            raise BadInput(f"search.roots={self.settings.roots}: must be 1 with search.table")
        check_one_batch(self.settings, "must be 1 with search.table")
        check_table_suffices(self.settings, "a table keeps visits and values alone")
        check_in_flight(self.rule, self.settings)
        if self.settings.expansion == "whole_path":
            check_whole_path(self.policy, self.operator)

    def positions_together(self, positions: int, iterations: int, threads: int = 1) -> int:
        """How many of so many positions are searched together; any number can be, one block after another.

        Raises BadInput where not even one table fits, with the arithmetic, and for a budget that tries no move or
        cannot be counted.
        """
        check_budget(iterations, self.settings)
        size, at_once = self.sizes(positions, threads)
        return min(positions, size * at_once)

    def sizes(self, trees: int, threads: int) -> tuple[int, int]:
        """(trees of a block, threads) for which memory suffices; raises BadInput where it does not for one tree."""
        limit = self._memory_limit or int(SHARE_OF_MEMORY * free_memory())
        fitting = limit // self.tree_bytes
        if fitting == 0:
            raise BadInput(
                f"search.table={self.entries}: a table and its search take {self.tree_bytes / 2**20:,.1f} MiB, "
                f"and {limit / 2**20:,.1f} MiB may be used; fewer entries, or more memory_gb"
            )
        threads = min(threads, fitting)
        size = TREES_IN_A_BLOCK
        if self.switches.whole_path:
            size = min(size, max(CACHED // self.tree_bytes, MIN_PER_BLOCK))
        return max(1, min(size, fitting // threads, -(-trees // threads))), threads

    def block(self, trees: int, entries: int = 2) -> Block:
        """Empty tables of so many entries for so many trees, and what their iterations need."""
        frontier = empty_frontier(trees, self.game.MAX_MOVES)
        paths = empty_paths(trees, self.game.WORDS, self.game.MAX_PLIES)
        return Block(empty_table(trees, entries), frontier, paths)
