"""Criteria of the final move other than visits and values: velocities, scores of the selection rule."""

import numpy as np

from gpumcts.jit import entry
from gpumcts.tree.backup import contract as backup
from gpumcts.tree.checks import BEYOND_TABLES
from gpumcts.tree.forest import ROOT, Forest
from gpumcts.tree.iteration.best_child import selection_total
from gpumcts.tree.root_table import RootTable
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.selection.contract import prepare, score

NO_DRAWS = np.uint64(0)  # the stream of rules that take no draws for their scores


def final_scores(parts: SearchParts, forest: Forest, table: RootTable) -> np.ndarray | None:
    """What a search's ``Settings.final`` goes by: float64[T, M], columns as in ``table``; None: the table has it."""
    if parts.settings.final not in BEYOND_TABLES:
        return None
    found = np.zeros(table.move.shape)
    if parts.settings.final == "velocity":
        _velocities(parts.operator, forest, found)
    else:
        _scores(parts.rule, parts.operator, forest, parts.switches, found)
    return found


@entry
def _velocities(operator, forest, found):
    for tree in range(found.shape[0]):
        first, i = np.int64(forest.first_child[tree, ROOT]), 0
        for child in range(first, first + np.int64(forest.child_count[tree, ROOT])):
            if forest.visits[tree, child] > 0:
                found[tree, i] = backup.velocity(operator, forest, tree, child)
                i += 1


@entry
def _scores(rule, operator, forest, switches, found):
    for tree in range(found.shape[0]):
        total = selection_total(operator, forest, switches, tree, ROOT)
        prepared = prepare(rule, operator, forest, switches, tree, ROOT, total, 0, NO_DRAWS)
        first, i = np.int64(forest.first_child[tree, ROOT]), 0
        for child in range(first, first + np.int64(forest.child_count[tree, ROOT])):
            if forest.visits[tree, child] > 0:
                found[tree, i] = score(rule, operator, forest, tree, child, prepared, NO_DRAWS)
                i += 1
