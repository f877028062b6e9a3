"""A uniform ply in attempts: a point is drawn, and floods a step at a time tell whether it is suicide.

The moves of ``sampling.random_move``, after the same draws. A stone next to an empty point, or to a chain with another
liberty, breathes. Where that does not show at once, the chains next to it are flooded until they meet ``air``. Then the
opponent's stones are flooded from the air until all that the stone touches are reached: those that are not, it takes.
Most attempts need neither, and most floods a step or two.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.bits import blend
from gpumcts.games.go.eyes import enclosed, false_eyes
from gpumcts.games.go.options import Board
from gpumcts.games.go.points import (
    NO_POINTS,
    Points,
    neighbours,
    on_board,
    point_set,
    read_points,
    shape,
    words_of_set,
)
from gpumcts.games.go.rules import empty_points
from gpumcts.games.go.sampling import number_of_draw
from gpumcts.games.go.setup import GoPosition, closed, following, opened
from gpumcts.games.sets import difference, intersection, is_empty, nth, same, size, union
from gpumcts.games.states import packed
from gpumcts.jit import inlined
from gpumcts.playouts import attempts
from gpumcts.playouts.attempts import First, Second
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import draw

U = np.uint64
SETTLED, FLOODS_OWN, FLOODS_OPPONENT = U(0), U(1), U(2)


class Attempt(NamedTuple):
    """A point that is drawn, and what is known of a stone there.

    point : uint64, its number; the number of points where none is left, for a pass
    air : the points next to those that would be empty beside the stone
    touched : stones of the opponent next to it
    reached : what is flooded: the player's chains next to it, then the opponent's stones from the air
    stage : uint64, which of the two, or SETTLED
    breathes : uint64, 1 where the stone would have a liberty, captures aside
    """

    point: np.uint64
    air: Points
    touched: Points
    reached: Points
    stage: np.uint64
    breathes: np.uint64


@inlined
def stage_after(touched, from_air):
    """The stage once it is known what the player's chains come to, uint64."""
    return SETTLED if is_empty(difference(touched, from_air)) else FLOODS_OPPONENT


@attempts.look.implements(Uniform, Board)
def look_at_a_point(policy, game, state, refused, stream):
    own, opp, banned, _ = opened(game, state)
    empty = empty_points(game, own, opp)
    eyes = difference(enclosed(game, own, empty), false_eyes(game, opp))
    left = difference(difference(empty, banned), union(eyes, refused))
    count = size(left)
    drawn = nth(on_board(game, left), draw(stream, number_of_draw(size(refused)), count))
    point = shape(game).cells if count == U(0) else drawn
    stone = point_set(game, point)
    near, others = neighbours(game, stone), difference(empty, stone)
    air, mine, touched = neighbours(game, others), intersection(near, own), intersection(near, opp)
    breathes = not is_empty(union(intersection(near, others), intersection(mine, air)))
    searches, from_air = (not breathes) & (not is_empty(mine)), intersection(air, opp)
    stage = FLOODS_OWN if searches else stage_after(touched, from_air)
    return Attempt(point, air, touched, blend(searches, mine, from_air), stage, U(breathes))


@attempts.none_refused.implements(Board)
def no_points_refused(game):
    return NO_POINTS


@attempts.under_way.implements(First, Board)
def floods_own(search, game, attempt):
    return attempt.stage == FLOODS_OWN


@attempts.under_way.implements(Second, Board)
def floods_opponent(search, game, attempt):
    return attempt.stage == FLOODS_OPPONENT


@attempts.look_further.implements(First, Board)
def flood_own(search, game, state, attempt):
    own, opp, _, _ = opened(game, state)
    point, air, touched, reached, stage, breathes = attempt
    floods_own, from_air = stage == FLOODS_OWN, intersection(air, opp)
    more = union(reached, intersection(neighbours(game, reached), own))
    meets = floods_own & (not is_empty(intersection(more, air)))
    ends = floods_own & (meets | same(more, reached))
    reached = blend(ends, from_air, blend(floods_own, more, reached))
    return Attempt(point, air, touched, reached, stage_after(touched, from_air) if ends else stage, breathes | U(meets))


@attempts.look_further.implements(Second, Board)
def flood_opponent(search, game, state, attempt):
    _, opp, _, _ = opened(game, state)
    point, air, touched, reached, stage, breathes = attempt
    more = union(reached, intersection(neighbours(game, reached), opp))
    # A flood that is whole and has not reached all that the stone touches has found captures.
    ends = same(more, reached) | is_empty(difference(touched, more))
    return Attempt(point, air, touched, more, SETTLED if ends else stage, breathes)


@attempts.decide.implements(Board)
def put_or_refuse(game, state, refused, attempt):
    own, opp, _, turn = opened(game, state)
    point, _, touched, reached, _, breathes = attempt
    takes, passes = not is_empty(difference(touched, reached)), point == shape(game).cells
    made = takes | passes | (breathes != U(0))
    stone = point_set(game, point)
    captured = blend(takes, difference(opp, reached), NO_POINTS)
    own, opp = union(own, stone), difference(opp, captured)
    ko = (size(captured) == U(1)) & same(difference(neighbours(game, stone), opp), captured)
    after = closed(game, GoPosition(opp, own, blend(ko, captured, NO_POINTS), following(turn, point, passes)))
    return blend(made, after, state), blend(made, NO_POINTS, union(refused, stone)), made


# Memory: the sets refused, air, touched, reached, then stage, breathes, point.


@attempts.attempt_words.implements(Board)
def four_sets_and_three_words(game):
    return 4 * words_of_set(game) + 3


@attempts.store_refused.implements(Board)
def store_refused(game, refused, words, at, stride):
    packed(on_board(game, refused), words, at, stride)


@attempts.load_refused.implements(Board)
def load_refused(game, words, at, stride):
    return read_points(game, words, at, stride)


@attempts.store_attempt.implements(Board)
def store_attempt(game, attempt, words, at, stride):
    step = words_of_set(game) * stride
    packed(on_board(game, attempt.air), words, at + step, stride)
    packed(on_board(game, attempt.touched), words, at + 2 * step, stride)
    words[at + 4 * step + 2 * stride] = attempt.point
    attempts.store_progress(game, attempt, words, at, stride)


@attempts.store_progress.implements(Board)
def store_progress(game, attempt, words, at, stride):
    step = words_of_set(game) * stride
    packed(on_board(game, attempt.reached), words, at + 3 * step, stride)
    words[at + 4 * step] = attempt.stage
    words[at + 4 * step + stride] = attempt.breathes


@attempts.load_attempt.implements(Board)
def load_attempt(game, words, at, stride):
    step = words_of_set(game) * stride
    air, touched = read_points(game, words, at + step, stride), read_points(game, words, at + 2 * step, stride)
    reached, last = read_points(game, words, at + 3 * step, stride), at + 4 * step
    return Attempt(words[last + 2 * stride], air, touched, reached, words[last], words[last + stride])
