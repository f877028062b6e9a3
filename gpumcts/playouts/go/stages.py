"""The stages of the policy: sets of points, of which the first that has a move decides, and the draw from it."""

from typing import NamedTuple

import numpy as np

from gpumcts.bits import blend
from gpumcts.games.go.eyes import own_eyes
from gpumcts.games.go.points import NO_POINTS, Points, lowest, neighbours, nth_point, point_set, shape
from gpumcts.games.go.rules import empty_points
from gpumcts.games.go.sampling import number_of_draw
from gpumcts.games.go.setup import last_point, point_before
from gpumcts.games.sets import difference, has, intersection, is_empty, same, size, union
from gpumcts.jit import inlined
from gpumcts.playouts.go.liberties import all_captures, at_ease, captures_around, liberties_after, liberties_of
from gpumcts.playouts.go.patterns import eight_around, pattern_points
from gpumcts.rng import draw

U = np.uint64
CAPTURE, DEFEND, LOW_LIBERTY, PATTERN, ANY_CAPTURE, UNIFORM = range(6)
STAGE_DRAWS = U(1)  # draw 0 and those from 2^32 on are random_move's


class Local(NamedTuple):
    """What the chains around the last move suggest.

    capture : the last liberty of the chain of the last move
    extend : the last liberties of own chains in atari next to it
    counter : those of opponent's chains in atari around these
    gain : of chains with two liberties, the last move's and own ones next to it, those where their owner gets more
    """

    capture: Points
    extend: Points
    counter: Points
    gain: Points


@inlined
def gaining(view, game, own, opp, empty, liberties):
    """Those of the two liberties of a chain of ``own`` where a stone of its own would have more than two."""
    left, found = liberties, NO_POINTS
    while not is_empty(left):
        point = lowest(game, left)
        left = difference(left, point_set(game, point))
        if size(liberties_after(view, game, own, opp, empty, point, U(3))) > U(2):
            found = union(found, point_set(game, point))
    return found


@inlined
def around_last(view, game, own, opp, empty, last):
    """The Local of a position; ``last`` is the stone of the last move, a set of one, or none."""
    capture, extend, counter, gain = NO_POINTS, NO_POINTS, NO_POINTS, NO_POINTS
    left = union(last, intersection(neighbours(game, last), own))
    while not is_empty(left):
        point = lowest(game, left)
        stone = point_set(game, point)
        left = difference(left, stone)
        theirs = same(stone, last)
        mine, other = blend(theirs, opp, own), blend(theirs, own, opp)
        liberties = liberties_of(view, game, mine, empty, point, U(3))
        count = size(liberties)
        if count == U(2):
            gain = union(gain, gaining(view, game, mine, other, empty, liberties))
        elif count == U(1) and theirs:
            capture = liberties
        elif count == U(1):
            extend = union(extend, liberties)
            counter = union(counter, captures_around(view, game, own, opp, empty, point))
    return Local(capture, extend, counter, gain)


@inlined
def candidates_of(policy, stage, view, game, position, allowed, local):
    """The points of a stage, and those of them that may be a self-atari; any of them may be suicide."""
    own, opp, turn = position.own, position.opp, position.turn
    if stage == CAPTURE and policy.capture:
        return local.capture, local.capture
    if stage == DEFEND and policy.defend:
        return union(local.extend, local.counter), local.counter
    if stage == LOW_LIBERTY and policy.low_liberty:
        return local.gain, NO_POINTS
    if stage == PATTERN and policy.patterns:
        near = union(eight_around(game, last_point(game, turn)), eight_around(game, point_before(game, turn)))
        found = pattern_points(game, own, opp, intersection(near, allowed))
        return found, found
    if stage == ANY_CAPTURE and policy.any_capture:
        found = all_captures(view, game, opp, empty_points(game, own, opp))
        return found, found
    if stage == UNIFORM:
        return allowed, allowed
    return NO_POINTS, NO_POINTS


@inlined
def pick(view, game, position, stage, left, free, stream):
    """A random move of ``left`` and its ``liberties_after``: (point, Points); (CELLS, none) if there is no move.

    Draw j picks by number; suicide, and self-atari not in ``free``, is struck out, and draw j + 1 picks again.
    """
    own, opp = position.own, position.opp
    empty = empty_points(game, own, opp)
    count, j = size(left), U(0)
    first = STAGE_DRAWS + (U(stage) << U(16))  # a stage has fewer draws than that
    while count != U(0):
        number = number_of_draw(j) if stage == UNIFORM else first + j
        point = nth_point(game, left, draw(stream, number, count))
        if at_ease(view, game, own, empty, point):
            return point, empty
        liberties = liberties_after(view, game, own, opp, empty, point, U(2))
        if size(liberties) > U(0 if has(free, point) else 1):
            return point, liberties
        left = difference(left, point_set(game, point))
        count -= U(1)
        j += U(1)
    return shape(game).cells, NO_POINTS


@inlined
def corrected(view, game, position, allowed, point, liberties):
    """The point for one whose stone would have these liberties: for a self-atari its liberty, if that is none."""
    if size(liberties) != U(1) or is_empty(intersection(liberties, allowed)):
        return point
    other, own, opp = lowest(game, liberties), position.own, position.opp
    after = liberties_after(view, game, own, opp, empty_points(game, own, opp), other, U(2))
    return other if size(after) > U(1) else point


@inlined
def informed_point(policy, view, game, position, stream):
    """The point that the policy takes in a GoPosition (uint64), CELLS for a pass."""
    own, opp, banned, turn = position
    mine, theirs = np.int64(size(own)), np.int64(size(opp))
    if policy.mercy > 0 and 100 * abs(mine - theirs) >= policy.mercy * np.int64(shape(game).cells):
        return shape(game).cells
    empty = empty_points(game, own, opp)
    allowed = difference(difference(empty, banned), own_eyes(game, own, opp, empty))
    answers = policy.capture or policy.defend or policy.low_liberty
    local = around_last(view, game, own, opp, empty, last_point(game, turn) if answers else NO_POINTS)
    point, liberties, stage = shape(game).cells, NO_POINTS, CAPTURE
    while point == shape(game).cells and stage <= UNIFORM:
        found, free = candidates_of(policy, stage, view, game, position, allowed, local)
        point, liberties = pick(view, game, position, stage, intersection(found, allowed), free, stream)
        stage += 1
    if policy.correction:
        return corrected(view, game, position, allowed, point, liberties)
    return point
