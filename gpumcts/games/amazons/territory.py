"""Evaluation: who gets to the free squares first.

The territorial evaluation of Amazons programs (Müller and Tegos 2002, *Experiments in Computer Amazons*; Lieberum
2005, *An Evaluation Function for the Game of Amazons*): a free square counts for who reaches it in fewer moves. Moves
of a queen tell where the game is open, moves of a king how near one is. Both reaching it equally soon is worth a
little to the player to move (Lieberum's kappa). To that comes the difference in the amazons' moves. Lieberum's weights
change with the phase of the game; here they are fixed.

All squares that a side reaches in one more move are found at once: in a direction, a set of squares is moved on over
free ones by one, two, four and again two steps (Kogge-Stone).
"""

from typing import NamedTuple

import numpy as np

from gpumcts.games import contract
from gpumcts.games.amazons.board import (
    Squares,
    amazons_of,
    four,
    free_squares,
    geometry,
    lowered,
    raised,
    reach,
    side_to_move,
    size_of,
    squares_of,
    turned,
    union,
    without,
)
from gpumcts.games.amazons.options import AMAZONS, Board, Split
from gpumcts.games.amazons.plies import is_shot
from gpumcts.jit import inlined

U = np.uint64
ONE = U(1)


class Shares(NamedTuple):
    """The free squares that the one and the other side reaches first, and those that both reach in equally many moves."""

    own: Squares
    theirs: Squares
    both: Squares


@inlined
def both_of(a, b):
    """Squares in both sets."""
    return Squares(a.low & b.low, a.high & b.high)


@inlined
def raised_over(start, free, n):
    """``start`` and all free squares that a line of free ones joins to it, n bits a step, up the board."""
    pairs = both_of(free, raised(free, n))
    fours = both_of(pairs, raised(pairs, n + n))
    found = union(start, both_of(free, raised(start, n)))
    found = union(found, both_of(pairs, raised(found, n + n)))
    found = union(found, both_of(fours, raised(found, n + n + n + n)))
    return union(found, both_of(pairs, raised(found, n + n)))


@inlined
def lowered_over(start, free, n):
    """The same down the board."""
    pairs = both_of(free, lowered(free, n))
    fours = both_of(pairs, lowered(pairs, n + n))
    found = union(start, both_of(free, lowered(start, n)))
    found = union(found, both_of(pairs, lowered(found, n + n)))
    found = union(found, both_of(fours, lowered(found, n + n + n + n)))
    return union(found, both_of(pairs, lowered(found, n + n)))


@inlined
def queens_reach(game, start, free):
    """``start`` and the free squares that are a queen's move from a square of it."""
    width = geometry(game)[2]
    found = union(raised_over(start, free, ONE), lowered_over(start, free, ONE))
    found = union(found, union(raised_over(start, free, width), lowered_over(start, free, width)))
    found = union(found, union(raised_over(start, free, width + ONE), lowered_over(start, free, width + ONE)))
    return union(found, union(raised_over(start, free, width - ONE), lowered_over(start, free, width - ONE)))


@inlined
def kings_reach(game, start, free):
    """``start`` and the free squares next to it."""
    width = geometry(game)[2]
    row = union(start, union(raised(start, ONE), lowered(start, ONE)))
    around = union(row, union(raised(row, width), lowered(row, width)))
    return union(start, both_of(around, free))


@inlined
def divided(game, queens, own, theirs, free):
    """The Shares of two sets of amazons, by moves of queens or else of kings."""
    none = Squares(U(0), U(0))
    mine, others, equal = none, none, none
    going = True
    while going:
        own_next = queens_reach(game, own, free) if queens else kings_reach(game, own, free)
        their_next = queens_reach(game, theirs, free) if queens else kings_reach(game, theirs, free)
        own_new, their_new = without(own_next, own), without(their_next, theirs)
        mine = union(mine, without(own_new, their_next))
        others = union(others, without(their_new, own_next))
        equal = union(equal, both_of(own_new, their_new))
        going = (own_new.low | own_new.high | their_new.low | their_new.high) != U(0)
        own, theirs = own_next, their_next
    return Shares(mine, others, equal)


@inlined
def lead(shares):
    """The squares that the one side has more than the other, int64."""
    return np.int64(size_of(shares.own)) - np.int64(size_of(shares.theirs))


@inlined
def moves_of(game, free, amazons):
    """The moves of four amazons, int64."""
    back = turned(game, free)
    q0, q1, q2, q3 = four(amazons)
    first = reach(game, free, back, q0) + reach(game, free, back, q1)
    return np.int64(first + reach(game, free, back, q2) + reach(game, free, back, q3))


@inlined
def weighed(game, state, contested):
    """The evaluation for the player to move, to whom a square reached equally soon is worth ``contested``."""
    free, side = free_squares(game, state), side_to_move(state.pieces)
    own, theirs = amazons_of(state.pieces, side), amazons_of(state.pieces, U(1) - side)
    mine, others = squares_of(game, own), squares_of(game, theirs)
    queens, kings = divided(game, True, mine, others, free), divided(game, False, mine, others, free)
    territory = game.queen_territory * lead(queens) + game.king_territory * lead(kings)
    mobility = moves_of(game, free, own) - moves_of(game, free, theirs)
    return territory + contested * np.int64(size_of(queens.both)) + game.mobility * mobility


@contract.evaluation.implements(Board)
def amazons_evaluation(game, state):
    return weighed(game, state, game.contested)


@contract.evaluation.implements(Split)
def evaluation_of_half_turns(game, state):
    """Before an arrow the next amazon to move is the other player's."""
    return weighed(game, state, -game.contested if is_shot(state.pieces) else game.contested)


@contract.evaluation_limit.implements(Board)
def amazons_evaluation_limit(game):
    """Every square on one side, and the most moves of four amazons."""
    size = np.int64(geometry(game)[2]) - 1
    squares = size * size - 2 * AMAZONS
    weights = game.queen_territory + game.king_territory + game.contested
    return squares * weights + game.mobility * AMAZONS * (4 * size - 5) + 1


@inlined
def turns_left(game, state):
    """An estimate of the turns until the end, float64."""
    return np.float64(size_of(free_squares(game, state))) * 0.75


@contract.remaining_plies.implements(Board)
def amazons_remaining_plies(game, state):
    return turns_left(game, state)


@contract.remaining_plies.implements(Split)
def remaining_half_turns(game, state):
    return 2.0 * turns_left(game, state) - np.float64(is_shot(state.pieces))
