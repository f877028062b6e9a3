"""Checks that searches in trees and in tables share, made before anything is compiled."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.games.bounds import beyond
from gpumcts.games.evaluations import check_evaluation
from gpumcts.options import name_of
from gpumcts.playouts.contract import check_policy
from gpumcts.playouts.uniform import Uniform
from gpumcts.tree.backup import contract as backup
from gpumcts.tree.forest import BEYOND_MOVES
from gpumcts.tree.memory import MAX_VISITS
from gpumcts.tree.selection.contract import answers, fits, learns_from_traces
from gpumcts.tree.settings import Settings

BEYOND_TABLES = ("velocity", "score")
"""Values of ``Settings.final`` that a root's table does not hold."""


def check_tree_parts(game: Any, policy: Any, rule: Any, operator: Any, settings: Settings) -> None:
    """Refuse parts of a search in trees that do not go together, or not with its settings. Raises BadInput."""
    check_rule_fits(rule, operator, settings.first_play_urgency)
    check_traces(rule, game, settings)
    check_in_flight(rule, settings)
    check_final(settings, rule, operator)
    check_leaves(policy, operator, game)
    if settings.table:
        raise BadInput(f"search.table={settings.table}: a Searcher keeps trees; TableSearcher keeps tables")
    if settings.expansion == "whole_path":
        check_whole_path(policy, operator)


def check_rule_fits(rule: Any, operator: Any, first_play_urgency: float = math.inf) -> None:
    """Refuse a rule that cannot work with the operator or the settings, before any compilation. Raises BadInput."""
    name = name_of(rule)
    if not fits(rule, operator):
        fitting = [o for o in options.names("backup") if answers(options.option("backup", o), rule.NEEDS)]
        raise BadInput(
            f"selection={name} asks the operator for `{rule.NEEDS}`, and backup={name_of(operator)} has none; "
            f"take backup={' or '.join(fitting)}"
        )
    if getattr(rule, "DRAWS", False) and first_play_urgency != math.inf:
        raise BadInput(
            f"search.first_play_urgency={first_play_urgency}: must be inf with selection={name}, which draws"
        )


def check_traces(rule: Any, game: Any, settings: Settings) -> None:
    """Refuse a rule that traces on a game without points, or with settings it cannot work with. Raises BadInput."""
    if not learns_from_traces(rule):
        return
    name = f"selection={name_of(rule)}"
    if getattr(game, "CELLS", 0) < 1:
        raise BadInput(f"{name} wants a game whose moves are points (CELLS), and game={name_of(game)} is none")
    if settings.table:
        raise BadInput(f"search.table={settings.table}: must be null with {name}, which wants trees")
    if settings.expansion == "whole_path":
        raise BadInput(f"search.expansion=whole_path: must be node, threshold or root with {name}")


def counts_visits(rule: Any) -> bool:
    """Whether visits count in the scores of a selection rule (an option value)."""
    field = getattr(rule, "COUNTS", None)
    return field is not None and (not field or getattr(rule, field) != 0)


def check_in_flight(rule: Any, settings: Settings) -> None:
    """Refuse to count unobserved samples apart if nothing is in flight, or no score counts visits. Raises BadInput."""
    if settings.in_flight == "virtual_loss":
        return
    where, name = f"search.in_flight={settings.in_flight}", f"selection={name_of(rule)}"
    if settings.leaves_per_tree == settings.batches_in_flight == 1:
        raise BadInput(f"{where}: counts with search.leaves_per_tree or search.batches_in_flight above 1 alone")
    field = getattr(rule, "COUNTS", None)
    if field is None:
        raise BadInput(f"{where}: visits do not count with {name}; take search.in_flight=virtual_loss")
    if not counts_visits(rule):
        raise BadInput(f"{where}: visits do not count with {name} selection.{field}=0; must be above 0")


def check_final(settings: Settings, rule: Any, operator: Any) -> None:
    """Refuse a final move by what the rule, the operator, or the memory of the search do not have. Raises BadInput."""
    if settings.final not in BEYOND_TABLES:
        return
    key = f"search.final={settings.final}"
    if settings.roots > 1:
        raise BadInput(f"{key}: must be visits or value with search.roots={settings.roots}, whose tables are added")
    if settings.final == "velocity" and backup.velocity.find(type(operator)) is None:
        fitting = [name for name in options.names("backup") if backup.velocity.find(options.option("backup", name))]
        raise BadInput(f"{key}: backup={name_of(operator)} has no velocity; take backup={' or '.join(fitting)}")
    if settings.final == "score" and getattr(rule, "DRAWS", False):
        raise BadInput(f"{key}: must be visits or value with selection={name_of(rule)}, whose scores are draws")


def check_table_suffices(settings: Settings, why: str) -> None:
    """Refuse a final move that needs the forest, in a search that has the roots' tables alone. Raises BadInput."""
    if settings.final in BEYOND_TABLES:
        raise BadInput(f"search.final={settings.final}: must be visits or value; {why}")


def check_one_batch(settings: Settings, why: str) -> None:
    """Refuse two batches of a tree in flight where there is one, as ``why`` says. Raises BadInput."""
    if settings.batches_in_flight > 1:
        raise BadInput(f"search.batches_in_flight={settings.batches_in_flight}: {why}")


def check_leaves(policy: Any, operator: Any, game: Any) -> None:
    """Refuse a policy that is not for a game, and evaluations of leaves on one that has none. Raises BadInput."""
    check_policy(policy, game)
    if operator.EVALUATES:
        check_evaluation(game, f"backup={name_of(operator)}")


def check_whole_path(policy: Any, operator: Any) -> None:
    """Refuse what ``expansion=whole_path`` would leave without effect or without meaning. Raises BadInput."""
    if not isinstance(policy, Uniform) or policy.truncate:
        raise BadInput(
            "search.expansion=whole_path plays its random moves in the tree: playout must be uniform, untruncated"
        )
    if operator.EVALUATES:
        name = name_of(operator)
        raise BadInput(f"search.expansion=whole_path evaluates no position: take another backup than {name}")


def check_followed(points: Sequence[int], settings: Settings) -> None:
    """Refuse iterations at which no search can be looked at, and searches that cannot be followed. Raises BadInput.

    points : numbers of iterations; the last one is the budget, as ``check_budget`` takes it
    """
    if not points or points[0] < 1 or any(a >= b for a, b in zip(points, points[1:], strict=False)):
        raise BadInput(f"checkpoints={points}: must be increasing numbers of iterations, 1 at least")
    leaves = settings.leaves_per_tree
    if any(point % leaves for point in points[:-1]):
        raise BadInput(f"checkpoints={points}: all but the last must be multiples of search.leaves_per_tree={leaves}")
    check_followable(settings)
    check_budget(points[-1], settings)


def check_followable(settings: Settings) -> None:
    """Refuse settings of searches that nobody follows. Raises BadInput."""
    if settings.reuse:
        raise BadInput("search.reuse=true: searches that are followed begin anew")
    if settings.roots > 1:
        raise BadInput(f"search.roots={settings.roots}: searches that are followed have one tree")
    check_one_batch(settings, "searches that are followed have one batch")
    check_table_suffices(settings, "searches that are followed show visits and values alone")


def min_iterations(settings: Settings) -> int:
    """Iterations of a position with which each of its trees tries a move: the first ones may end in the root."""
    return settings.roots * (1 + -(-settings.root_playouts // settings.playouts_per_leaf))


def check_budget(iterations: int, settings: Settings) -> None:
    """Refuse a budget of a position that tries no move, or whose visits cannot be counted. Raises BadInput.

    iterations : of all the position's trees together
    """
    check_tries(iterations, settings)
    playouts = settings.playouts_per_leaf
    visits = iterations // settings.roots * playouts
    if visits >= MAX_VISITS:
        raise BadInput(
            f"budget.iterations={iterations}: with budget.playouts_per_leaf={playouts} a tree would have {visits:,} "
            "visits, and they are counted in 32 bits"
        )


def check_kept_visits(kept: np.ndarray, iterations: int, settings: Settings) -> None:
    """Refuse iterations of a tree whose visits, with those it began with, cannot be counted. Raises BadInput.

    kept : int32[T], visits of the roots as the trees were planted
    """
    most = int(kept.max(initial=0)) + iterations * settings.playouts_per_leaf
    if most >= MAX_VISITS:
        raise BadInput(f"search.reuse=true: a tree would have {most:,} visits, and they are counted in 32 bits")


def check_bounds(game: Any, met: np.ndarray) -> None:
    """Refuse the results of trees one of which met more than the game's class has room for. Raises BadInput.

    met : int32[T], ``Forest.beyond``
    """
    if met.any():
        raise beyond(game, "MAX_MOVES" if (met == BEYOND_MOVES).any() else "MAX_PLIES")


def check_tries(iterations: int, settings: Settings) -> None:
    """Refuse a position's budget with which some tree tries no move; arguments as ``check_budget``. Raises BadInput."""
    fewest = min_iterations(settings)
    if iterations < fewest:
        whose = f" with search.roots={settings.roots}" if settings.roots > 1 else ""
        raise BadInput(
            f"budget.iterations={iterations}: must be more than {fewest - 1}{whose}, or no move is tried at all"
        )
