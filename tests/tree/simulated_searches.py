"""Searches whose playouts run in Numba's simulator: run in a process of its own, prints JSON."""

import hashlib
import json
from typing import Any

import numpy as np

from gpumcts.games.contract import start
from gpumcts.tree.forest import PER_NODE
from gpumcts.tree.search import TreeSearchResult
from gpumcts.tree.settings import Settings
from tests.tree.drivers import (
    GO,
    HAVANNAH,
    OTHELLO,
    TOY_GAMES,
    go_states,
    havannah_states,
    keys_for,
    operator_of,
    othello_states,
    packed,
    rule_of,
    searcher_of,
)

RAVE = "rave"
CASES: dict[str, tuple[Any, str, Settings, int]] = {  # game, operator, settings, threads
    "average": (OTHELLO, "average", Settings(), 1),
    "accelerated, 2 threads": (OTHELLO, "accelerated", Settings(), 2),
    "max, several leaves and playouts": (OTHELLO, "max", Settings(leaves_per_tree=3, playouts_per_leaf=2), 1),
    "chance": (TOY_GAMES["dice"], "average", Settings(), 1),
    RAVE: (OTHELLO, "accelerated", Settings(), 1),
    "rave, several leaves and playouts": (
        TOY_GAMES["dots"],
        "average",
        Settings(leaves_per_tree=3, playouts_per_leaf=2),
        2,
    ),
    "rave on havannah": (HAVANNAH, "average", Settings(), 1),
    "rave at the end of go": (GO, "discounted", Settings(first_play_urgency=1.0), 1),
    "costs": (TOY_GAMES["path"], "minimax", Settings(expansion="whole_path"), 2),
}
ITERATIONS = 20
STATES: dict[Any, Any] = {
    OTHELLO: lambda: othello_states()[1:],
    HAVANNAH: lambda: havannah_states()[1:],
    GO: lambda: go_states()[1:],
}


def searched(case: str, engine: str) -> str:
    """Digest of all trees of a case."""
    game, operator, settings, threads = CASES[case]
    states = packed(game, STATES[game]()) if game in STATES else roots(game, 3)
    rule = rule_of("rave" if case.startswith(RAVE) else "ucb1")
    searcher = searcher_of(operator_of(operator), settings, game, rule, engine=engine, threads=threads)
    return digest(searcher.search(states, keys_for(len(states)), ITERATIONS))


def roots(game: Any, trees: int) -> np.ndarray:
    """The start of a game for so many trees, uint64[trees, W]."""
    return np.repeat(packed(game, [start(game)]), trees, axis=0)


def digest(found: TreeSearchResult) -> str:
    """Of all nodes of all trees, to the last bit."""
    text = hashlib.sha256()
    forest = found.forest
    assert forest is not None
    for tree, used in enumerate(forest.used):
        for array in forest[:PER_NODE]:
            text.update(np.ascontiguousarray(array[tree, :used]).tobytes())
    return text.hexdigest()[:16]


if __name__ == "__main__":
    print(json.dumps({case: searched(case, "cudasim") for case in CASES}))
