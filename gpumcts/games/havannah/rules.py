"""Rules of Havannah on the words of a state: what a new stone completes is found by following the chains beside it."""

from typing import NamedTuple

import numpy as np

from gpumcts.bits import nth_set_bit, popcount, trailing_zeros
from gpumcts.games import contract
from gpumcts.games.contract import NO_MOVE, SCORE_UNIT, nth_move, pack, unpack
from gpumcts.games.havannah.board import (
    CORNERS_AT,
    KINDS,
    SIDES,
    Board,
    cell_beside,
    shape,
    spot,
)
from gpumcts.jit import inlined
from gpumcts.rng import draw
from gpumcts.scratch import scratch

U = np.uint64
NO_WIN, FORK, BRIDGE, RING = U(0), U(1), U(2), U(3)  # how a game was won, the first that holds
SECOND = U(1)  # bits of State.turn: the second player moves
WON, WON_AT = U(6), U(1)  # how the other has won
STONES_AT = U(8)  # where the number of stones on the board begins
STONE = U(1) << STONES_AT
ALL = U(2**64 - 1)
MAX_WORDS, MAX_CELLS = 11, 271  # of a state; of a board


@contract.state_of(KINDS[4], KINDS[5])
class State1(NamedTuple):
    """first, second: the stones of each player; turn: who moves, how the other has won, if he has, number of stones."""

    first: np.uint64
    second: np.uint64
    turn: np.uint64


@contract.state_of(KINDS[6], KINDS[7])
class State2(NamedTuple):
    """The same with two words a side."""

    first: np.uint64
    first1: np.uint64
    second: np.uint64
    second1: np.uint64
    turn: np.uint64


@contract.state_of(KINDS[8])
class State3(NamedTuple):
    """The same with three words a side."""

    first: np.uint64
    first1: np.uint64
    first2: np.uint64
    second: np.uint64
    second1: np.uint64
    second2: np.uint64
    turn: np.uint64


@contract.state_of(KINDS[9])
class State4(NamedTuple):
    """The same with four words a side."""

    first: np.uint64
    first1: np.uint64
    first2: np.uint64
    first3: np.uint64
    second: np.uint64
    second1: np.uint64
    second2: np.uint64
    second3: np.uint64
    turn: np.uint64


@contract.state_of(KINDS[10])
class State5(NamedTuple):
    """The same with five words a side."""

    first: np.uint64
    first1: np.uint64
    first2: np.uint64
    first3: np.uint64
    first4: np.uint64
    second: np.uint64
    second1: np.uint64
    second2: np.uint64
    second3: np.uint64
    second4: np.uint64
    turn: np.uint64


# ------------------------------------------------------------------------------------------------------ what words say


@inlined
def empty_cells(game, state, word):
    """The empty cells among those of word ``word`` (uint64) of a side."""
    s = shape(game)
    board = s.last if word + U(1) == s.words else ALL
    return ~(state[word] | state[word + s.words]) & board


@inlined
def stones_of(state):
    """How many stones are on the board, uint64."""
    return state.turn >> STONES_AT


@inlined
def may_take_over(game, state):
    """Whether the second player may take over the first stone."""
    return game.swap and state.turn == STONE | SECOND


@inlined
def held(own, cell):
    """Whether a set of cells, words, holds a cell: uint64, 0 or 1."""
    return (own[cell >> U(6)] >> (cell & U(63))) & U(1)


@inlined
def won_by(touch):
    """FORK, BRIDGE or NO_WIN of what a chain touches."""
    sides, corners = popcount(touch & U((1 << SIDES) - 1)), popcount(touch >> U(CORNERS_AT))
    return FORK if sides >= U(3) else BRIDGE if corners >= U(2) else NO_WIN


# -------------------------------------------------------------------------------------------------- what a stone makes


@inlined
def follow(game, own, cell, pending):
    """Take the chain of ``cell`` out of the cells ``own`` (words, one more than a side has); what it touches."""
    own[cell >> U(6)] ^= U(1) << (cell & U(63))
    pending[0] = cell
    count, touch = 1, U(0)
    while count > 0:
        count -= 1
        here = U(pending[count])
        touch |= spot(game, here) >> U(16)
        for direction in range(6):
            there = cell_beside(game, here, U(direction))
            if held(own, there) != U(0):
                own[there >> U(6)] ^= U(1) << (there & U(63))
                pending[count] = there
                count += 1
    return touch


@inlined
def stones_beside(game, own, cell):
    """The six neighbours of a cell that are among ``own``, a bit a direction."""
    beside = U(0)
    for direction in range(6):
        beside |= held(own, cell_beside(game, cell, U(direction))) << U(direction)
    return beside


@inlined
def fills_block(game, own, cell, beside):
    """Whether a stone next to that on ``cell`` now has stones all around it: the least ring around an own one."""
    found = False
    for direction in range(6):
        three = U(0b111) << U(direction)
        three = (three | three >> U(6)) & U(63)
        if beside & three == three:
            middle = cell_beside(game, cell, U((direction + 1) % 6))
            found = found or stones_beside(game, own, middle) == U(63)
    return found


@inlined
def completed(game, own, cell, pending):
    """What the new stone on ``cell`` wins by, NO_WIN if by nothing. ``own`` is spent, ``pending`` (MAX_CELLS) is used.

    A ring is there where arcs of stones around the new one, apart from each other, were one chain before: what lies
    between them on either side is enclosed on one. Else no ring is new but around a stone of its own with all its
    neighbours.
    """
    beside = stones_beside(game, own, cell)
    if beside == U(0):
        return NO_WIN  # a stone alone touches a corner or a side at most
    ring = fills_block(game, own, cell, beside)
    arcs = popcount(beside & ~(beside << U(1) | beside >> U(5)))
    own[cell >> U(6)] ^= U(1) << (cell & U(63))
    chains, touch = U(0), spot(game, cell) >> U(16)
    for direction in range(6):
        there = cell_beside(game, cell, U(direction))
        if held(own, there) != U(0):
            touch |= follow(game, own, there, pending)
            chains += U(1)
    won = won_by(touch)
    return RING if won == NO_WIN and (ring or arcs > chains) else won


@contract.start.implements(Board)
def havannah_start(game):
    words = scratch(MAX_WORDS, np.uint64)
    return unpack(game, words, 0, 1)


@contract.mover.implements(Board)
def havannah_mover(game, state):
    return np.int64(state.turn & SECOND)


@contract.over.implements(Board)
def havannah_over(game, state):
    return (state.turn & WON) != U(0) or stones_of(state) == shape(game).cells


@contract.count_moves.implements(Board)
def havannah_count_moves(game, state):
    if (state.turn & WON) != U(0):
        return np.int64(0)
    return np.int64(shape(game).cells - stones_of(state)) + np.int64(may_take_over(game, state))


@contract.nth_move.implements(Board)
def havannah_nth_move(game, state, k):
    """Empty cells in order; behind them, as number CELLS, to take the first stone over."""
    n, word = U(k), U(0)
    while word < shape(game).words:
        cells = empty_cells(game, state, word)
        here = popcount(cells)
        if n < here:
            return np.int64(word << U(6) | nth_set_bit(cells, n))
        n -= here
        word += U(1)
    return np.int64(shape(game).cells)


@contract.next_move.implements(Board)
def havannah_next_move(game, state, move):
    s, first = shape(game), U(move + 1)
    if (state.turn & WON) != U(0):
        return np.int64(NO_MOVE)
    word, beyond = first >> U(6), ALL << (first & U(63))
    while word < s.words:
        cells = empty_cells(game, state, word) & beyond
        if cells != U(0):
            return np.int64(word << U(6) | trailing_zeros(cells))
        word, beyond = word + U(1), ALL
    return np.int64(s.cells) if first <= s.cells and may_take_over(game, state) else np.int64(NO_MOVE)


@contract.move_after.implements(Board)
def havannah_move_after(game, state, move, k):
    return contract.next_move(game, state, move)


@contract.random_move.implements(Board)
def havannah_random_move(game, state, stream):
    count = contract.count_moves(game, state)
    if count == 0:  # lanes of a warp go on past the end, and no stone may be noted there
        return np.int64(shape(game).cells)
    return nth_move(game, state, np.int64(draw(stream, 0, count)))


@contract.play.implements(Board)
def havannah_play(game, state, move):
    words, own, pending = scratch(MAX_WORDS, np.uint64), scratch(6, np.uint64), scratch(MAX_CELLS, np.uint16)
    if contract.over(game, state):
        return state
    side, cell = shape(game).words, U(move)
    pack(game, state, words, 0, 1)
    turn = U(2) * side
    words[turn] ^= SECOND
    if cell == shape(game).cells:
        for i in range(side):
            words[side + U(i)] = words[U(i)]
            words[U(i)] = U(0)
        return unpack(game, words, 0, 1)
    begin = (state.turn & SECOND) * side
    words[begin + (cell >> U(6))] |= U(1) << (cell & U(63))
    for i in range(side):
        own[U(i)] = words[begin + U(i)]
    words[turn] = (words[turn] | completed(game, own, cell, pending) << WON_AT) + STONE
    return unpack(game, words, 0, 1)


@contract.score.implements(Board)
def havannah_score(game, state):
    """Who is to move has lost; a full board is a draw."""
    if (state.turn & WON) == U(0):
        return np.int64(0)
    return np.int64(SCORE_UNIT) if (state.turn & SECOND) != U(0) else np.int64(-SCORE_UNIT)


@contract.remaining_plies.implements(Board)
def havannah_remaining_plies(game, state):
    """What random games last less what is gone, and no less than a twentieth of the empty cells and one."""
    s = shape(game)
    mean, gone = np.float64(s.remaining) / 100.0, np.float64(stones_of(state))
    return max(mean - gone, 1.0 + (np.float64(s.cells) - gone) / 20.0)
