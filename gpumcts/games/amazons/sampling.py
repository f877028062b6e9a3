"""Random moves: uniform over whole turns, and drawn in stages.

Uniform: a move of an amazon is drawn uniformly and taken with the probability of its number of arrows by the greatest
possible one; else another is drawn. So arrows are counted for two or three moves a turn instead of all of them, and
the turn is exactly uniform. The number that decides is, where the move is taken, the arrow's.

In stages: an amazon among those that can move, then a square for her, then one for the arrow, each uniform (as
OpenSpiel numbers its moves). Turns are not equally likely then; it has no loop and runs in lanes.
"""

import numpy as np

from gpumcts.bits import blend
from gpumcts.games import contract
from gpumcts.games.amazons.lines import nth_code, runs, square_at, total
from gpumcts.games.amazons.moves import CODE_BITS, NO_TURN, arrow_runs, choice, choices, numbered
from gpumcts.games.amazons.options import Board, Full, Split
from gpumcts.games.amazons.pieces import amazons_of, four, side_to_move
from gpumcts.games.amazons.plies import is_shot, shooter, shot_runs
from gpumcts.games.amazons.squares import free_squares, geometry, square_set, turned, turned_square
from gpumcts.games.sets import higher, lower, union
from gpumcts.jit import inlined
from gpumcts.rng import bits

U = np.uint64
HALF, LOW = U(32), U(0xFFFFFFFF)
NEXT_TRIAL = U(1 << 32)  # trial t reads draw t << 32: others know draws by small numbers


@inlined
def most_arrows(game):
    """The most arrows that there can be after a move: those in the middle of an empty board."""
    return U(4) * geometry(game)[2] - U(9)


@inlined
def uniform_turn(game, c, stream):
    """(square of the amazon, her code, the arrow's) of a turn drawn uniformly; there must be one."""
    most, trial = most_arrows(game), U(0)
    while True:
        random = bits(stream, trial)
        origin, code = choice(c, ((random >> HALF) * c.count) >> HALF)
        shot = arrow_runs(game, c, origin, square_at(game, origin, code))
        k = ((random & LOW) * most) >> HALF
        if k < total(shot):
            return origin, code, nth_code(shot, k)
        trial += NEXT_TRIAL


@contract.random_in_lanes.implements(Board)
def random_not_in_lanes(game):
    return False


@contract.random_move.implements(Full)
def random_turn(game, state, stream):
    c = choices(game, state)
    if c.count == U(0):
        return np.int64(NO_TURN)
    origin, code, arrow = uniform_turn(game, c, stream)
    return numbered(origin, code, arrow)


@contract.random_move.implements(Split)
def random_ply(game, state, stream):
    """The move of an amazon is that of a turn drawn uniformly; so the two plies make such a turn."""
    if is_shot(state.pieces):
        shot = shot_runs(game, state)
        return np.int64(nth_code(shot, ((bits(stream, U(0)) >> HALF) * total(shot)) >> HALF))
    c = choices(game, state)
    if c.count == U(0):
        return np.int64(NO_TURN)
    origin, code, _ = uniform_turn(game, c, stream)
    return np.int64((origin << CODE_BITS) | code)


# --------------------------------------------------------------------------------------------------------- in stages


@inlined
def beside(game, free):
    """The squares next to free ones, as a queen's first step goes, and squares off the board that no amazon is on."""
    width = geometry(game)[2]
    row = union(free, union(higher(free, U(1)), lower(free, U(1))))
    return union(row, union(higher(row, width), lower(row, width)))


@inlined
def is_in(game, squares, s):
    """1 if square ``s`` is in the set, else 0."""
    own = square_set(game, s)
    return U(((squares.low & own.low) | (squares.high & own.high)) != U(0))


@inlined
def random_amazon(game, state, free, random):
    """(square, number) of an amazon drawn among those that can move, from 32 random bits, and how many there are."""
    near = beside(game, free)
    q0, q1, q2, q3 = four(amazons_of(state.pieces, side_to_move(state.pieces)))
    m0, m1, m2, m3 = is_in(game, near, q0), is_in(game, near, q1), is_in(game, near, q2), is_in(game, near, q3)
    n1 = m0 + m1
    n2 = n1 + m2
    count = n2 + m3
    k = (random * count) >> HALF
    late, early = blend(k < n2, q2, q3), blend(k < m0, q0, q1)
    return blend(k < n1, early, late), count


@inlined
def kth(runs, random):
    """The code of a square of these runs drawn by 32 random bits."""
    return nth_code(runs, (random * total(runs)) >> HALF)


@contract.staged_move.implements(Full)
def staged_turn(game, state, stream):
    free = free_squares(game, state)
    back = turned(game, free)
    random = bits(stream, U(0))
    origin, count = random_amazon(game, state, free, random & LOW)
    code = kth(runs(game, free, back, origin), random >> HALF)
    to = square_at(game, origin, code)
    opened = union(free, square_set(game, origin))
    opened_back = union(back, square_set(game, turned_square(game, origin)))
    arrow = kth(runs(game, opened, opened_back, to), bits(stream, U(1)) >> HALF)
    return blend(count != U(0), numbered(origin, code, arrow), np.int64(NO_TURN))


@contract.staged_move.implements(Split)
def staged_ply(game, state, stream):
    free = free_squares(game, state)
    random = bits(stream, U(0))
    shoots = is_shot(state.pieces)
    amazon, count = random_amazon(game, state, free, random & LOW)
    origin = blend(shoots, shooter(state.pieces), amazon)
    code = kth(runs(game, free, turned(game, free), origin), random >> HALF)
    walk = blend(count != U(0), (origin << CODE_BITS) | code, U(NO_TURN))
    return np.int64(blend(shoots, code, walk))
