"""Uniform playouts that keep chains along the way: the moves of ``sampling.random_move``, found without floods."""

import numpy as np

from gpumcts.bits import blend
from gpumcts.games.go.chains import Chains, places, put, set_up
from gpumcts.games.go.eyes import own_eyes
from gpumcts.games.go.options import Board
from gpumcts.games.go.points import NO_POINTS, nth_point, point_set, shape
from gpumcts.games.go.rules import empty_points, ended, ko_after, score_of
from gpumcts.games.go.sampling import number_of_draw
from gpumcts.games.go.setup import SECOND, GoPosition, closed, following, opened
from gpumcts.games.sets import difference, size, union
from gpumcts.jit import inlined
from gpumcts.playouts.contract import cut, mark, rescaled_evaluation, traced_playout, whole_playout
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import PLY_STEP, draw
from gpumcts.scratch import scratch

U = np.uint64


@inlined
def put_random(game, chains, candidates, colour, stream):
    """Put a stone on a random one of ``candidates`` that is no suicide: (point, captured); (CELLS, none) if all are."""
    left, count, j = candidates, size(candidates), U(0)
    while count != U(0):
        point = nth_point(game, left, draw(stream, number_of_draw(j), count))
        done, captured = put(game, chains, point, colour)
        if done:
            return point, captured
        left = difference(left, point_set(game, point))
        count -= U(1)
        j += U(1)
    return shape(game).cells, NO_POINTS


@inlined
def uniform_with_chains(policy, game, state, key, trace):
    """A playout: (score, plies). ``trace`` is None where none is kept."""
    room = places(game)
    chains = Chains(
        scratch(room, np.uint16), scratch(room, np.uint16), scratch(room, np.uint16), scratch(room, np.uint64)
    )
    own, opp, banned, turn = opened(game, state)
    white = turn & SECOND != U(0)
    set_up(game, chains, blend(white, opp, own), blend(white, own, opp))
    stream, gone, limit = key, np.int64(0), cut(policy)
    while gone < limit and not ended(game, turn):
        empty = empty_points(game, own, opp)
        candidates = difference(difference(empty, banned), own_eyes(game, own, opp, empty))
        point, captured = put_random(game, chains, candidates, turn & SECOND, stream)
        mark(trace, np.int64(turn & SECOND), np.int64(point))
        stone = point_set(game, point)  # none where it is a pass
        own, opp = difference(opp, captured), union(own, stone)
        banned = ko_after(game, opp, own, stone, captured)
        turn = following(turn, point, point == shape(game).cells)
        stream += PLY_STEP
        gone += 1
    if ended(game, turn):
        return score_of(game, own, opp, turn & SECOND), gone
    return np.int64(rescaled_evaluation(game, closed(game, GoPosition(own, opp, banned, turn)))), gone


@whole_playout.implements(Uniform, Board)
def uniform_playout(policy, game, state, key):
    return uniform_with_chains(policy, game, state, key, None)


@traced_playout.implements(Uniform, Board)
def uniform_traced(policy, game, state, key, trace):
    return uniform_with_chains(policy, game, state, key, trace)
