"""What searches in trees and in tables refuse alike, before anything is compiled."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games.bounds import beyond
from gpumcts.games.evaluations import check_evaluation
from gpumcts.options import name_of
from gpumcts.playouts.contract import check_policy
from gpumcts.playouts.uniform import Uniform
from gpumcts.tree.forest import BEYOND_MOVES
from gpumcts.tree.memory import MAX_VISITS
from gpumcts.tree.settings import Settings

BEYOND_TABLES = ("velocity", "score")
"""Values of ``Settings.final`` that a root's table does not hold."""


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


def fewest_iterations(settings: Settings) -> int:
    """Iterations of a position with which each of its trees tries a move: the first ones may end in the root."""
    return settings.roots * (1 + -(-settings.root_playouts // settings.playouts_per_leaf))


def check_budget(iterations: int, settings: Settings) -> None:
    """Refuse a budget of a position that tries no move, or whose visits cannot be counted. Raises BadInput.

    iterations : of all the position's trees together
    """
    check_tries(iterations, settings)
    playouts = settings.playouts_per_leaf
    if iterations // settings.roots * playouts >= MAX_VISITS:
        raise BadInput(
            f"budget.iterations={iterations}: times budget.playouts_per_leaf={playouts} it must be below {MAX_VISITS:,}"
        )


def check_kept_visits(kept: np.ndarray, iterations: int, settings: Settings) -> None:
    """Refuse iterations of a tree whose visits, with those it began with, cannot be counted. Raises BadInput.

    kept : int32[T], visits of the roots as the trees were planted
    """
    most = int(kept.max(initial=0)) + iterations * settings.playouts_per_leaf
    if most >= MAX_VISITS:
        raise BadInput(f"search.reuse=true: a tree would have {most:,} visits, and they are counted in 32 bits")


def check_bounds(game: Any, met: np.ndarray) -> None:
    """Refuse what trees have grown where one of them met more than the game's class has room for. Raises BadInput.

    met : int32[T], ``Forest.beyond``
    """
    if met.any():
        raise beyond(game, "MAX_MOVES" if (met == BEYOND_MOVES).any() else "MAX_PLIES")


def check_tries(iterations: int, settings: Settings) -> None:
    """Refuse a position's budget with which some tree tries no move; arguments as ``check_budget``. Raises BadInput."""
    fewest = fewest_iterations(settings)
    if iterations < fewest:
        whose = f" with search.roots={settings.roots}" if settings.roots > 1 else ""
        raise BadInput(
            f"budget.iterations={iterations}: must be more than {fewest - 1}{whose}, or no move is tried at all"
        )
