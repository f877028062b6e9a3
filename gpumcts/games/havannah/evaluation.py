"""How good a position is: what the chains of both sides touch, and their links.

A fork takes three sides and a bridge two corners, so a chain on one side or one corner has something of a win, and one
on two sides is a connection short of it; hence weights of chains, not of stones: a side touched twice counts once, and
to join two chains on two sides is worth more than either. Links, pairs of neighbouring stones, say how far a chain has
come that touches nothing yet, and rings are made of them. (A connection distance would see more, and take a search a
chain.)
"""

import numpy as np

from gpumcts.bits import popcount, trailing_zeros
from gpumcts.games import contract
from gpumcts.games.contract import mover
from gpumcts.games.havannah.board import CORNERS_AT, KINDS, SIDES, Board, places, shape, spot
from gpumcts.games.havannah.chains import ROWS, ROWS_A_SIDE, fill
from gpumcts.jit import inlined
from gpumcts.scratch import scratch

U = np.uint64


@inlined
def worth(game, touch):
    """What a chain is worth by what it touches, int64."""
    sides, corners = popcount(touch & U((1 << SIDES) - 1)), popcount(touch >> U(CORNERS_AT) & U(63))
    two = np.int64(sides >= U(2)) * game.two_sides_weight
    return np.int64(sides) * game.side_weight + two + np.int64(corners) * game.corner_weight


@inlined
def links(rows, side):
    """Pairs of neighbouring stones of a side, int64."""
    total, begin = U(0), side * U(ROWS_A_SIDE)
    for i in range(ROWS_A_SIDE - 1):
        here, below = rows[begin + U(i)], rows[begin + U(i + 1)]
        total += popcount(here & here >> U(1)) + popcount(here & below) + popcount(here & below >> U(1))
    return np.int64(total)


@inlined
def chains_worth(game, state, side, parent, chain):
    """What the chains of a side are worth, int64."""
    words, total = shape(game).words, np.int64(0)
    for word in range(words):
        stones = state[side * words + U(word)]
        while stones != U(0):
            place = spot(game, U(word) << U(6) | trailing_zeros(stones)) & U(0xFFFF)
            if U(parent[place]) == place:
                total += worth(game, U(chain[place]))
            stones &= stones - U(1)
    return total


@inlined
def side_worth(game, state, side, rows, parent, chain):
    """What the stones of a side are worth, int64."""
    return chains_worth(game, state, side, parent, chain) + game.link_weight * links(rows, side)


@contract.evaluation_limit.implements(Board)
def havannah_evaluation_limit(game):
    """About the largest of random games, of any weights: 65, 73, 89, 84, 88, 94 and 97 by default on base 4 to 10.

    Those are of 4000 games each (1500 from base 8 on), this is 80 to 98. What a board could hold at most is 5 to 16
    times as much, and evaluations that are rescaled by that lie so close together that UCT-H hardly tells them apart.
    """
    chains = (10 * game.side_weight + 4 * game.two_sides_weight + 6 * game.corner_weight) // 2
    base = np.int64(shape(game).rim) // 6 + 2  # without its corners a side has base - 2 cells
    return max(chains + 3 * base * game.link_weight, np.int64(1))


def _register(kind, base):
    count = places(base)

    @contract.evaluation.implements(kind)
    def havannah_evaluation(game, state):
        rows = scratch(ROWS, np.uint64)
        parent, chain = scratch(count, np.uint16), scratch(count, np.uint32)
        fill(game, state, rows, parent, chain)
        first = side_worth(game, state, U(0), rows, parent, chain)
        second = side_worth(game, state, U(1), rows, parent, chain)
        return first - second if mover(game, state) == 0 else second - first


for _base, _kind in KINDS.items():
    _register(_kind, _base)
