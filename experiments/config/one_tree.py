"""How many leaves a batch has where one position is searched and no number is given: by game, in ``conf/one_tree``.

A match searches many trees at a time, so a batch is full with a leaf of each. ``experiments.search``, ``gtp`` and
``uci`` have one tree: its leaves fill the batch, at some cost in strength (``docs/many_leaves.md``).
"""

from typing import Any

from omegaconf import DictConfig, OmegaConf

BATCHES = 50
"""A search of so many iterations makes at least so many batches: the last ones know what the first ones found."""


def leaves_of(game_takes: int, iterations: int | None, roots: int = 1, table: int | None = None) -> int:
    """Leaves a batch for a search of one position, at least 1.

    game_takes : leaves a batch that suit the game in a long search
    iterations : of the search; None where a clock ends it
    roots : trees that share them
    table : entries of a transposition table in place of a tree, which takes one leaf at a time; None for a tree
    """
    if table is not None:
        return 1
    return game_takes if iterations is None else max(1, min(game_takes, iterations // roots // BATCHES))


def leaves_told(leaves: int) -> str:
    """What follows the iterations of a search in its output: nothing where leaves come one by one."""
    return f" in batches of {leaves:,} leaves" if leaves > 1 else ""


def whole(value: Any) -> int | None:
    """A whole number above 0, or None: what else stands there is refused where its own key is checked."""
    return value if type(value) is int and value > 0 else None


def _leaves_of_one_tree(leaves: int, *, _root_: DictConfig) -> int:
    """Resolver ``${leaves_of_one_tree:L}``: ``leaves_of`` for the budget and the search that are composed."""
    said = [whole(OmegaConf.select(_root_, key)) for key in ("budget.iterations", "search.roots", "search.table")]
    return leaves_of(leaves, said[0], said[1] or 1, said[2])


OmegaConf.register_new_resolver("leaves_of_one_tree", _leaves_of_one_tree, replace=True)
