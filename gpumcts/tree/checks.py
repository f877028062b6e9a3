"""What searches in trees and in tables refuse alike, before anything is compiled."""

from typing import Any

from gpumcts.errors import BadInput
from gpumcts.playouts.uniform import Uniform
from gpumcts.tree.memory import MOST_VISITS
from gpumcts.tree.settings import Settings


def check_whole_path(policy: Any, operator: Any) -> None:
    """Refuse what ``expansion=whole_path`` would leave without effect or without meaning. Raises BadInput."""
    if not isinstance(policy, Uniform) or policy.truncate:
        raise BadInput(
            "search.expansion=whole_path plays its random moves in the tree: playout must be uniform, untruncated"
        )
    if operator.EVALUATES:
        name = type(operator).__name__
        raise BadInput(f"search.expansion=whole_path evaluates no position: take another backup than {name}")


def check_budget(iterations: int, settings: Settings, threshold: int) -> None:
    """Refuse a budget of a position that tries no move, or whose visits cannot be counted. Raises BadInput.

    threshold : playouts that end in a root before it has a child
    """
    check_tries(iterations, settings, threshold)
    playouts = settings.playouts_per_leaf
    if iterations * playouts >= MOST_VISITS:
        raise BadInput(
            f"budget.iterations={iterations}: times budget.playouts_per_leaf={playouts} it must be below {MOST_VISITS:,}"
        )


def check_tries(iterations: int, settings: Settings, threshold: int) -> None:
    """Refuse a budget of a position with which some tree tries no move. Raises BadInput; ``check_budget`` has the arguments."""
    roots = settings.roots
    fewest = roots * (1 + -(-threshold // settings.playouts_per_leaf))
    if iterations < fewest:
        whose = f" with search.roots={roots}" if roots > 1 else ""
        raise BadInput(
            f"budget.iterations={iterations}: must be more than {fewest - 1}{whose}, or no move is tried at all"
        )
