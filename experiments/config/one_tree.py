"""How many leaves a batch has where one position is searched and no number is given: by game, in ``conf/one_tree``.

A match searches many trees at a time, so a batch is full with a leaf of each. ``experiments.search``, ``gtp`` and
``uci`` have one tree: its leaves fill the batch, at some cost in strength (``docs/many_leaves_strength.md``).
"""

from typing import Any, Literal

from omegaconf import DictConfig, OmegaConf

from experiments.config.validation import as_integer
from gpumcts.errors import BadInput

BATCHES = 50
"""A search of so many iterations makes at least so many batches: the last ones know what the first ones found."""
A_SECOND = 1_000_000
"""Iterations of a second, in the fastest games on one core: a short clock leaves fewer leaves a batch by them."""
A_DAY = 86_400.0  # seconds
FEW = 64
"""Leaves that fill the lanes of a thread, however many playouts each has."""

InFlight = Literal["virtual_loss", "unobserved"]


def leaves_of(
    game_takes: int,
    iterations: int | None,
    roots: int = 1,
    table: int | None = None,
    playouts: int = 1,
    in_flight: InFlight = "unobserved",
    seconds: float | None = None,
) -> int:
    """Leaves a batch for a search of one position, at least 1.

    game_takes : leaves a batch that suit the game in a long search of one tree, with one playout a leaf
    iterations : of the search; None where a clock ends it
    roots : trees that share them
    table : entries of a transposition table in place of a tree, which takes one leaf at a time; None for a tree
    playouts : of a leaf; threads have as much to share with fewer leaves of more playouts
    in_flight : how leaves in flight count; more than ``FEW`` virtual losses cost strength (see above)
    seconds : of the search, where it has no number of iterations; None where nothing ends it
    """
    if table is not None:
        return 1
    if iterations is None and seconds is not None:
        iterations = int(seconds * A_SECOND)
    few = min(game_takes, FEW)
    leaves = few if in_flight == "virtual_loss" else max(few, game_takes // (playouts * roots))
    return leaves if iterations is None else max(1, min(leaves, iterations // roots // BATCHES))


def leaves_told(leaves: int) -> str:
    """What follows the iterations of a search in its output: nothing where leaves come one by one."""
    return f" in batches of {leaves:,} leaves" if leaves > 1 else ""


def whole(value: Any) -> int | None:
    """A whole number above 0, or None: what else stands there is refused where its own key is checked."""
    value = as_integer(value)
    return value if type(value) is int and value > 0 else None


def _leaves_of_one_tree(leaves: int, *, _root_: DictConfig) -> int:
    """Resolver ``${leaves_of_one_tree:L}``: ``leaves_of`` for the budget and the search that are composed."""
    keys = ("budget.iterations", "search.roots", "search.table", "budget.playouts_per_leaf")
    iterations, roots, table, playouts = [whole(OmegaConf.select(_root_, key)) for key in keys]
    return leaves_of(leaves, iterations, roots or 1, table, playouts or 1, _in_flight(_root_), _seconds(_root_))


def _seconds(composed: DictConfig) -> float | None:
    """The seconds of the budget, up to a day; None where there are none, or what is refused where they are checked."""
    seconds = OmegaConf.select(composed, "budget.seconds")
    return min(float(seconds), A_DAY) if type(seconds) in (int, float) and seconds > 0 else None


def _in_flight(composed: DictConfig) -> InFlight:
    """How leaves in flight count: as somebody said, else as virtual losses where nothing else is possible."""
    if not OmegaConf.is_interpolation(composed.search, "in_flight"):
        return "unobserved" if composed.search.in_flight == "unobserved" else "virtual_loss"
    return "unobserved" if _visits_count(composed) else "virtual_loss"


def _in_flight_of_one_tree(suits: InFlight, *, _root_: DictConfig) -> InFlight:
    """Resolver ``${in_flight_of_one_tree:WAY}``: that way, where visits count and more than one leaf is in flight."""
    leaves, batches = [
        whole(OmegaConf.select(_root_, f"search.{key}")) for key in ("leaves_per_tree", "batches_in_flight")
    ]
    several = max(leaves or 1, batches or 1) > 1
    return suits if several and _visits_count(_root_) else "virtual_loss"


def _visits_count(composed: DictConfig) -> bool:
    """Whether visits count in the scores of the rule; what is no rule is refused where its own keys are checked."""
    from experiments.config.schema import option_value
    from gpumcts.tree.checks import counts_visits

    plain: Any = OmegaConf.to_container(composed.selection, resolve=True)
    try:
        return counts_visits(option_value("selection", plain, "selection")[0])
    except BadInput:
        return False


OmegaConf.register_new_resolver("leaves_of_one_tree", _leaves_of_one_tree, replace=True)
OmegaConf.register_new_resolver("in_flight_of_one_tree", _in_flight_of_one_tree, replace=True)
