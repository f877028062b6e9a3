"""Playouts between players that look one or two plies ahead: the moves of ``playouts/minimax``, found with less work.

A leaf is not built and judged anew: its evaluation is that of the position before it plus what one move changes. Few
leaves can be the end of the game, and those alone are built and asked for moves: after a move that may give check,
where the other side may have no man that moves, at the end of the fifty moves. The reply that refuted the last move
comes first, then captures.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.bits import popcount, trailing_zeros
from gpumcts.games.chess.evaluation import kind_at, mixed, stage_without, weight, weights_of
from gpumcts.games.chess.moves import (
    CLASSES,
    PROMOTIONS,
    SETS,
    in_check,
    king_can_step,
    legal_noinline,
    lines_of,
    pawn_attacks_down,
    size,
    source_of,
    target_of,
)
from gpumcts.games.chess.options import Board
from gpumcts.games.chess.pieces import BISHOP, KING, KNIGHT, PAWN, QUEEN, ROOK, clock, occupied, pieces_of, ply
from gpumcts.games.chess.rules import FIFTY, after, drawn
from gpumcts.games.chess.squares import ALL, NO_SQUARES, S8, jumps, steps, union
from gpumcts.games.contract import NO_MOVE, evaluation, random_move
from gpumcts.jit import inlined
from gpumcts.playouts.contract import choose
from gpumcts.playouts.minimax import BOUND, TIE_DRAWS, WIN_VALUE, MinimaxDepth1, MinimaxDepth2, random_ply
from gpumcts.rng import draw
from gpumcts.scratch import scratch

U = np.uint64


class Scene(NamedTuple):
    """What is known of a position before its moves are judged.

    weights, stage : of its evaluation, for the player to move
    straight, diagonal, knight, pawn : squares from which such a piece of his gives check
    screens : his pieces on the other king's lines, whose move may discover a check
    late : whether any move may end the game by the clock; stuck : whether the other side may have no move after any
    """

    weights: np.int64
    stage: np.int64
    straight: np.uint64
    diagonal: np.uint64
    knight: np.uint64
    pawn: np.uint64
    screens: np.uint64
    late: np.bool_
    stuck: np.bool_


@inlined
def surely_moves(state, theirs):
    """Whether the player who is not to move will have a move, whatever is played, if he is not in check then.

    His men that could move now, pawns straight ahead, are counted. A move takes one of them or stops one, and may pin
    one and uncover another pin; those off his king's lines cannot be pinned, and there is a slider for each that is
    pinned already.
    """
    empty, open_to = ~occupied(state), ~occupied(state) | state.own
    beside = steps(open_to)
    men = theirs.straight & (beside[0] | beside[2] | beside[4] | beside[6])
    men |= theirs.diagonal & (beside[1] | beside[3] | beside[5] | beside[7])
    men |= (theirs.knights & union(jumps(open_to))) | (theirs.pawns & (empty << S8))
    sliders = popcount(state.high & state.own)
    pins = sliders + min(sliders, U(2))
    return (popcount(men) >= U(2) + pins) | (popcount(men & ~union(lines_of(theirs.king, ALL))) >= U(3))


@inlined
def scene_of(game, state, weights):
    """The Scene of a position; ``weights`` : its sum."""
    theirs = pieces_of(state, ~state.own)
    lines = lines_of(theirs.king, ~occupied(state))
    straight, diagonal = lines[0] | lines[2] | lines[4] | lines[6], lines[1] | lines[3] | lines[5] | lines[7]
    late = (clock(state) + U(1) >= FIFTY) | (ply(state) + U(1) >= U(game.max_plies))
    return Scene(
        weights,
        stage_without(game, state, NO_SQUARES),
        straight,
        diagonal,
        union(jumps(theirs.king)),
        pawn_attacks_down(theirs.king),
        state.own & (straight | diagonal),
        late,
        ~surely_moves(state, theirs),
    )


@inlined
def judged(game, state):
    """What a position is worth to the player who is not to move there, after a look at all that may end the game."""
    if size(legal_noinline(state)) == NO_SQUARES:
        return WIN_VALUE if in_check(state) else np.int64(0)
    return np.int64(0) if drawn(game, state) else -np.int64(evaluation(game, state))


@inlined
def may_check(scene, kind, source, target):
    """Whether a move of a piece may give check."""
    straight, diagonal = (kind == ROOK) | (kind == QUEEN), (kind == BISHOP) | (kind == QUEEN)
    found = (target & scene.straight) if straight else NO_SQUARES
    found |= (target & scene.diagonal) if diagonal else NO_SQUARES
    found |= (target & scene.knight) if kind == KNIGHT else NO_SQUARES
    found |= (target & scene.pawn) if kind == PAWN else NO_SQUARES
    return found | (source & scene.screens) != NO_SQUARES


@inlined
def value_after(game, state, scene, kind, bit):
    """What the legal move of a class (uint64) with that bit is worth after it, to who makes it."""
    square = target_of(kind, bit)
    source, target = source_of(state, kind, bit), U(1) << square
    start = trailing_zeros(source)
    piece, taken = kind_at(state, start), kind_at(state, square)
    crowned = (piece == PAWN) & (square >= U(56))
    passed = (piece == PAWN) & (taken == 0) & ((start ^ square) & U(7) != NO_SQUARES)
    castles = (piece == KING) & ((source << U(2) == target) | (source >> U(2) == target))
    others = (state.low & ~state.middle & ~state.high) | (state.high & state.middle)
    bare = (taken != 0) & (popcount(others) <= U(1))  # too little may be left to mate
    rare = crowned | passed | castles | bare | scene.late
    if rare | scene.stuck | may_check(scene, piece, source, target):
        child = after(game, state, np.int64(kind << U(6) | bit))
        if rare | ~king_can_step(child):
            return judged(game, child)
    change = weight(game, (piece << 6) + np.int64(square)) - weight(game, (piece << 6) + np.int64(start))
    change += weight(game, (taken << 6) + np.int64(square ^ U(56)))
    stage = stage_without(game, state, target) if taken > PAWN else scene.stage
    return mixed(game, scene.weights + change, stage)


@inlined
def fill(array, sets):
    """Write the seventeen sets into uint64[SETS]."""
    for i in range(SETS):
        array[i] = sets[i]


@inlined
def set_of(sets, kind):
    """The set of a class (int64) in uint64[SETS]."""
    return sets[min(kind, np.int64(PROMOTIONS))]


@inlined
def part_of(state, sets, kind, captures):
    """Of the moves of a class those that take something on their square, promotions among them, or the rest."""
    takes = ~NO_SQUARES if kind >= PROMOTIONS else occupied(state) & ~state.own
    return set_of(sets, kind) & (takes if captures else ~takes)


@inlined
def first_of(state, sets, turn, hint):
    """The moves of a turn, and their class: the hint if it is legal, then captures by class, then the others."""
    kind = np.int64(hint >> 6 if turn == 0 else (turn - 1) % CLASSES)
    if turn == 0:
        return kind, set_of(sets, kind) & (U(1) << U(hint & 63)) if hint >= 0 else NO_SQUARES
    return kind, part_of(state, sets, kind, turn <= CLASSES)


@inlined
def best_reply(game, state, sets, scene, cutoff, hint):
    """(highest value of a move, that move); stops once a value reaches ``cutoff``. ``hint`` : a move to try first."""
    best, found = -BOUND, np.int64(NO_MOVE)
    for turn in range(1 + 2 * CLASSES):
        kind, left = first_of(state, sets, turn, hint)
        while left != NO_SQUARES and best < cutoff:
            bit = trailing_zeros(left)
            left &= left - U(1)
            value = value_after(game, state, scene, U(kind), bit)
            found = (kind << 6) + np.int64(bit) if value > best else found
            best = max(best, value)
    return best, found


@inlined
def child_worth(game, child, sets, best, hint):
    """(what a child is worth to who moved there, below ``best`` no more than a bound; the reply that shows it)."""
    moves = legal_noinline(child)
    if size(moves) == NO_SQUARES:
        return (WIN_VALUE if in_check(child) else np.int64(0)), hint
    if drawn(game, child):
        return np.int64(0), hint
    fill(sets, moves)
    scene = scene_of(game, child, weights_of(game, child))
    value, reply = best_reply(game, child, sets, scene, 1 - best, hint)
    return -value, reply


@inlined
def drawn_from(ties, stream):
    """A move of uint64[CLASSES], a set a class, uniformly at random, with the draws of ``minimax.best_move``."""
    chosen, count = np.int64(NO_MOVE), U(0)
    for kind in range(CLASSES):
        left = ties[kind]
        while left != NO_SQUARES:
            move = (np.int64(kind) << 6) + np.int64(trailing_zeros(left))
            left &= left - U(1)
            count += U(1)
            if count == U(1) or draw(stream, TIE_DRAWS + move, count) == U(0):
                chosen = move
    return chosen


@inlined
def noted(ties, kind, bit, better):
    """Note a move of the best value so far, and drop the others if it is better than they."""
    if better:
        for i in range(CLASSES):
            ties[i] = NO_SQUARES
    ties[kind] |= U(1) << bit


@choose.implements(MinimaxDepth1, Board)
def choose_1(policy, game, state, stream):
    if random_ply(policy, stream):
        return random_move(game, state, stream)
    sets, ties = scratch(SETS, np.uint64), scratch(CLASSES, np.uint64)
    fill(sets, legal_noinline(state))
    scene, best = scene_of(game, state, weights_of(game, state)), -BOUND
    for number in range(CLASSES):
        kind, left = np.int64(number), set_of(sets, np.int64(number))
        while left != NO_SQUARES:
            bit = trailing_zeros(left)
            left &= left - U(1)
            value = value_after(game, state, scene, U(kind), bit)
            if value >= best:
                noted(ties, kind, bit, value > best)
                best = value
    return drawn_from(ties, stream)


@choose.implements(MinimaxDepth2, Board)
def choose_2(policy, game, state, stream):
    if random_ply(policy, stream):
        return random_move(game, state, stream)
    sets, replies, ties = scratch(SETS, np.uint64), scratch(SETS, np.uint64), scratch(CLASSES, np.uint64)
    fill(sets, legal_noinline(state))
    best, hint = -BOUND, np.int64(NO_MOVE)
    for turn in range(2 * CLASSES):
        kind = np.int64(turn if turn < CLASSES else turn - CLASSES)
        left = part_of(state, sets, kind, turn < CLASSES)
        while left != NO_SQUARES:
            bit = trailing_zeros(left)
            left &= left - U(1)
            child = after(game, state, (kind << 6) + np.int64(bit))
            value, hint = child_worth(game, child, replies, best, hint)
            if value >= best:
                noted(ties, kind, bit, value > best)
                best = value
    return drawn_from(ties, stream)
