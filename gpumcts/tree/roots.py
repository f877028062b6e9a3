"""The roots of a search: positions, their keys, and what a tree's first node is told of them."""

from typing import Annotated, NamedTuple

import numpy as np

from gpumcts.games.bounds import beyond
from gpumcts.games.contract import CHANCE
from gpumcts.kernels.batch import check_batch
from gpumcts.struct_of_arrays import Array
from gpumcts.tree.forest import Forest
from gpumcts.tree.root_table import horizons_of
from gpumcts.tree.search_parts import SearchParts


class Roots(NamedTuple):
    """Where T trees begin; arrays begin with the axis of the trees."""

    states: Annotated[np.ndarray, Array(np.uint64, "words")]
    keys: Annotated[np.ndarray, Array(np.uint64)]
    move_counts: Annotated[np.ndarray, Array(np.int64)]  # legal moves; negative: chance moves
    horizons: Annotated[np.ndarray, Array(np.float64)]  # estimated plies to the end

    def part(self, trees: slice) -> "Roots":
        """The same of some of the trees."""
        return Roots(*(array[trees] for array in self))


def roots_of(parts: SearchParts, states: np.ndarray, keys: np.ndarray) -> Roots:
    """Roots at ``states`` (uint64[T, W]) under ``keys`` (uint64[T]).

    Raises ValueError where a game is over, and BadInput for arrays of other shapes, and where a position has more moves
    than the game's MAX_MOVES.
    """
    check_batch(parts.game, states, keys)
    counts, movers = parts.rules.describe(states)
    if not counts.all():
        raise ValueError("a game that is over cannot be searched")
    if int(counts.max(initial=0)) > parts.game.MAX_MOVES:
        raise beyond(parts.game, "MAX_MOVES")
    horizons = np.zeros(len(states), np.float64)
    horizons_of(parts.game, states, horizons)
    return Roots(states, keys, np.where(movers == CHANCE, -counts, counts), horizons)


def planted(parts: SearchParts, roots: Roots, slots: int) -> Forest:
    """A forest of trees that are a root each, with so many slots for each."""
    forest = parts.empty_forest(len(roots.keys), slots)
    forest.used[:] = 1
    forest.first_child[:, 0] = -1
    forest.move_count[:, 0] = roots.move_counts
    forest.horizon[:] = roots.horizons
    return forest
