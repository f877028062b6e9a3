"""What the tests of searches in a table share: settings, games, searchers, and what a table has in it."""

from typing import Any

from gpumcts.games.pgame import PGame
from gpumcts.games.shortest_path import ShortestPath
from gpumcts.tree.backup.average import Average
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.search import TableSearcher
from gpumcts.tree.tables.table import COUNTS, DEPTH, INDEX, REWARDS, VISITS, Table
from tests.tree.drivers import OTHELLO, TOY_GAMES, UNIFORM, othello_states, packed

WHOLE = Settings(expansion="whole_path", parent_count="children", final="value")
SETTINGS = {
    "whole": WHOLE,
    "whole_visits": Settings(expansion="whole_path"),
    "whole_first": Settings(expansion="whole_path", ties="first"),
    "node": Settings(),
    "threshold": Settings(expansion="threshold", threshold=3, playouts_per_leaf=2),
    "urgency": Settings(first_play_urgency=0.6, parent_count="children"),
    "node_first": Settings(ties="first", final="value"),
}
GAMES = {"pgame": PGame(3, 5), "deep": PGame(2, 9), "path": ShortestPath(), **TOY_GAMES}
STATES = packed(OTHELLO, othello_states())


def searcher_of(settings: Settings = WHOLE, game: Any = OTHELLO, rule: Any = None, **more: Any) -> Any:
    """A searcher in tables, with uniformly random playouts; UCB1 where no rule is given.

    more : keyword arguments of the searcher; ``entries``, ``replacement`` and ``stored_above`` of its tables
    """
    of_table = {"table": more.pop("entries", settings.table or 1 << 20)}
    of_table |= {key: more.pop(key) for key in ("replacement", "stored_above") if key in more}
    rule = Ucb1() if rule is None else rule
    return TableSearcher(game, UNIFORM, rule, Average(), settings._replace(**of_table), **more)


def content(table: Table, tree: int = 0) -> list[tuple[int, int, int, int, int] | None]:
    """(index, rewards, visits, parent's visits, depth) of every slot of a tree's table, None for a free one."""
    rows = [[int(word) for word in row] for row in table.entries[tree]]
    return [
        (row[INDEX], row[REWARDS], row[COUNTS] & int(VISITS), row[COUNTS] >> 32, row[DEPTH]) if row[COUNTS] else None
        for row in rows
    ]


def tables(found: Any) -> list[Any]:
    """A search's root tables, to be compared."""
    return [found.root_children(tree) for tree in range(len(found.table.count))]
