"""A first search before anyone waits, so that everything is compiled while nobody's clock runs."""

from collections.abc import Callable
from typing import Any

import numpy as np

from gpumcts.games.contract import CHANCE
from gpumcts.programs.position import Position
from gpumcts.rng import key_of
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.search import Searcher
from gpumcts.tree.search_result import TreeSearchResult

NOBODY = -1  # the number of its game


def rehearse(searcher: Searcher, game: Any, tell: Callable[[Position, TreeSearchResult], Any]) -> None:
    """Search the start of ``game`` (option value, compiled) for a slice as engines do, and the position after the move.

    tell : what is done with what was found. With ``Settings.reuse`` the second search begins with what the first kept
    """
    position = Position(game, NOBODY)
    for _ in range(2):
        if position.over or position.mover == CHANCE:
            break
        search = IncrementalSearch(searcher, position.words(), key_of(0), NOBODY)
        next(search.slices(None, None), None)
        search.keep()
        found = search.found()
        tell(position, found)
        position.push(int(found.decide()[0]))
    searcher.forget(np.array([NOBODY]))
