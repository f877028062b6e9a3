"""Bytes a node of every backup operator: slots handed out times their size, over nodes. Nothing is timed."""

from typing import Any

import numpy as np

from benchmarks.measure import Bench, Row
from benchmarks.ours import keys, uct
from gpumcts.kernels.batch import Rules
from gpumcts.options import names
from gpumcts.tree.forest import ROOT

ITERATIONS = 2000
TREES = 8
LATER = 0.4  # of a game's plies: where there are the most moves


def suite(bench: Bench) -> list[Row]:
    """Bytes a node after 2000 iterations, from the start and from random positions well into the game."""
    rows = []
    for operator in names("backup"):
        for name, states in (("the start", Rules(bench.game).starts(TREES)), ("midgame", _later(bench))):
            used = bytes_a_node(bench, operator, states)
            at = {"iterations": ITERATIONS, "position": name}
            rows.append(Row("memory", f"a node, {operator}, {name}", "bytes", used, used, used, at=at))
    return rows


def bytes_a_node(bench: Bench, operator: str, states: np.ndarray) -> float:
    """Memory of the trees from ``states`` (uint64[T, W]) over the nodes in them."""
    searcher = uct(bench, operator, engine="cpu")
    forest = searcher.search(states, keys(len(states)), ITERATIONS).forest
    assert forest is not None
    return int(forest.used.sum()) * slot_bytes(forest) / count_nodes(forest)


def slot_bytes(forest: Any) -> int:
    """Bytes of a slot: what is kept for every slot of every tree."""
    trees, slots = forest.visits.shape
    return sum(array.nbytes for array in forest if array.ndim > 1 and array.shape[:2] == (trees, slots)) // (
        trees * slots
    )


def count_nodes(forest: Any) -> int:
    """Nodes of all trees: the roots and everybody's children, counted from the roots."""
    total = 0
    for tree in range(len(forest.used)):
        level = np.array([ROOT])
        while len(level):
            total += len(level)
            first, count = forest.first_child[tree, level], forest.child_count[tree, level].astype(np.int64)
            within = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
            level = np.repeat(first, count) + within
    return total


def _later(bench: Bench) -> np.ndarray:
    """Positions after random moves; the start, where the games would be over."""
    rules = Rules(bench.game)
    states = rules.starts(TREES)
    plies = int(LATER * float(_length(bench)))
    for ply in range(plies):
        after = rules.play(states, rules.random_moves(states, keys(TREES, ply)))
        if not rules.count_moves(after).all():
            break
        states = after
    return states


def _length(bench: Bench) -> float:
    from gpumcts.games.contract import remaining_plies, start

    return remaining_plies(bench.game, start(bench.game))
