"""What the final move goes by where neither visits nor values decide: velocities, scores of the selection rule."""

from typing import Any

import numpy as np

from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.jit import entry
from gpumcts.tree.backup import contract as backup
from gpumcts.tree.best_child import selection_total
from gpumcts.tree.checks import BEYOND_TABLES
from gpumcts.tree.forest import ROOT, Forest
from gpumcts.tree.root import RootTable
from gpumcts.tree.selection.contract import prepare, score
from gpumcts.tree.settings import Settings

NO_DRAWS = np.uint64(0)  # the stream of rules that take no draws for their scores


def check_final(settings: Settings, rule: Any, operator: Any) -> None:
    """Refuse a final move by what the rule, the operator, or the memory of the search do not have. Raises BadInput."""
    if settings.final not in BEYOND_TABLES:
        return
    key = f"search.final={settings.final}"
    if settings.roots > 1:
        raise BadInput(f"{key}: must be visits or value with search.roots={settings.roots}, whose tables are added")
    if settings.final == "velocity" and backup.velocity.find(type(operator)) is None:
        fitting = [name for name in options.names("backup") if backup.velocity.find(options.option("backup", name))]
        raise BadInput(f"{key}: backup={options.name_of(operator)} has no velocity; take backup={' or '.join(fitting)}")
    if settings.final == "score" and getattr(rule, "DRAWS", False):
        raise BadInput(f"{key}: must be visits or value with selection={options.name_of(rule)}, whose scores are draws")


def merits(searcher: Any, forest: Forest, table: RootTable) -> np.ndarray | None:
    """What a searcher's ``Settings.final`` goes by: float64[T, M], columns as in ``table``; None: the table has it."""
    if searcher.settings.final not in BEYOND_TABLES:
        return None
    found = np.zeros(table.move.shape)
    if searcher.settings.final == "velocity":
        _velocities(searcher.operator, forest, found)
    else:
        _scores(searcher.rule, searcher.operator, forest, searcher.switches, found)
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
