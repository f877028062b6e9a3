"""Single-point eyes, as random playouts take them, which do not fill their own.

An empty point is an eye of a player where all its neighbours are stones of his and, of the points diagonal to it, the
opponent holds at most one in the middle of the board and none on the rim. That is the usual rule of playout programs
(Fuego's among them); it takes no account of whether the stones around are connected otherwise.
"""

import numpy as np

from gpumcts.games.go.points import neighbours, shape
from gpumcts.games.sets import difference, higher, intersection, is_empty, lower, union
from gpumcts.jit import inlined

U = np.uint64


@inlined
def enclosed(game, own, empty):
    """The points of ``empty`` with no neighbour but stones of ``own``."""
    return difference(empty, neighbours(game, difference(shape(game).board, own)))


@inlined
def false_eyes(game, opp):
    """Points with two diagonal stones of ``opp``, or one on the rim; points off the board may be among them."""
    s = shape(game)
    right, left = intersection(higher(opp, U(1)), s.not_first), intersection(lower(opp, U(1)), s.not_last)
    one, two = union(left, right), intersection(left, right)
    over, under = higher(one, s.size), lower(one, s.size)
    pair = union(union(higher(two, s.size), lower(two, s.size)), intersection(over, under))
    return union(pair, intersection(union(over, under), s.rim))


@inlined
def own_eyes(game, own, opp, empty):
    """The eyes of the owner of ``own`` among the points of ``empty``."""
    found = enclosed(game, own, empty)
    if is_empty(found):
        return found
    return difference(found, false_eyes(game, opp))
