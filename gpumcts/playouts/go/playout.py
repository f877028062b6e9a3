"""The policy ply by ply, and whole playouts that keep chains: the same moves, several times as fast."""

from typing import NamedTuple

import numpy as np

from gpumcts.bits import blend
from gpumcts.games.go.chains import Chains, places, put, set_up
from gpumcts.games.go.options import Board
from gpumcts.games.go.points import NO_POINTS, lowest, point_set, shape
from gpumcts.games.go.rules import empty_points, ended, ko_after, score_of
from gpumcts.games.go.setup import SECOND, GoPosition, closed, following, opened
from gpumcts.games.sets import difference, intersection, is_empty, union
from gpumcts.jit import inlined
from gpumcts.playouts.contract import choose, cut, mark, rescaled_evaluation, traced_playout, whole_playout
from gpumcts.playouts.go.liberties import Floods, Linked, ataris_at
from gpumcts.playouts.go.options import GoPolicy
from gpumcts.playouts.go.stages import informed_point
from gpumcts.rng import PLY_STEP
from gpumcts.scratch import scratch
from gpumcts.verbs import verb

U = np.uint64


@choose.implements(GoPolicy, Board)
def go_choose(policy, game, state, stream):
    return np.int64(informed_point(policy, Floods(), game, opened(game, state), stream))


class NoTrace(NamedTuple):
    """In place of a trace where none is kept."""


@verb("trace")
def mark_move(trace, player, move):
    """Note a move in a trace, if there is one."""


@mark_move.implements(NoTrace)
def mark_nothing(trace, player, move):
    return None


@mark_move.implements(object)
def mark_in_trace(trace, player, move):
    return mark(trace, player, move)


@inlined
def all_ataris(game, chains, stones):
    """The last liberties of the chains in atari that have stones among these."""
    found = NO_POINTS
    while not is_empty(stones):
        point = lowest(game, stones)
        stones = difference(stones, point_set(game, point))
        found = union(found, ataris_at(game, chains, point))
    return found


@inlined
def linked_playout(policy, game, state, key, trace):
    """A playout with chains: what ``whole_playout`` and ``traced_playout`` return."""
    room = places(game)
    chains = Chains(
        scratch(room, np.uint16), scratch(room, np.uint16), scratch(room, np.uint16), scratch(room, np.uint64)
    )
    own, opp, banned, turn = opened(game, state)
    white = turn & SECOND != U(0)
    set_up(game, chains, blend(white, opp, own), blend(white, own, opp))
    ataris = all_ataris(game, chains, union(own, opp))
    stream, gone, limit = key, np.int64(0), cut(policy)
    while gone < limit and not ended(game, turn):
        position = GoPosition(own, opp, banned, turn)
        point = informed_point(policy, Linked(chains, ataris, turn & SECOND), game, position, stream)
        captured = NO_POINTS
        if point != shape(game).cells:
            _, captured = put(game, chains, point, turn & SECOND)
            ataris = union(intersection(ataris, empty_points(game, own, opp)), ataris_at(game, chains, point))
        mark_move(trace, np.int64(turn & SECOND), np.int64(point))
        stone = point_set(game, point)  # none where it is a pass
        own, opp = difference(opp, captured), union(own, stone)
        banned = ko_after(game, opp, own, stone, captured)
        turn = following(turn, point, point == shape(game).cells)
        stream += PLY_STEP
        gone += 1
    if ended(game, turn):
        return score_of(game, own, opp, turn & SECOND), gone
    return np.int64(rescaled_evaluation(game, closed(game, GoPosition(own, opp, banned, turn)))), gone


@whole_playout.implements(GoPolicy, Board)
def go_playout(policy, game, state, key):
    return linked_playout(policy, game, state, key, NoTrace())


@traced_playout.implements(GoPolicy, Board)
def traced_go_playout(policy, game, state, key, trace):
    return linked_playout(policy, game, state, key, trace)
