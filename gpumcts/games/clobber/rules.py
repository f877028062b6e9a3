"""Rules of Clobber without a branch, one source for boards of one word a side and of two.

What is written for two words costs a board of one nothing: its high words are the constant 0, and what is done with
them disappears when the code is compiled.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.bits import blend, nth_set_bit, trailing_zeros
from gpumcts.games import contract
from gpumcts.games.clobber.board import STEP_BASE, STEP_BITS, Board, OneWord, TwoWords, shape
from gpumcts.games.contract import NO_MOVE, SCORE_UNIT, next_move
from gpumcts.games.sets import Two, difference, intersection, is_empty, or_of_words, size, union, word_of_nth
from gpumcts.jit import inlined
from gpumcts.rng import draw
from gpumcts.verbs import verb

U = np.uint64
UP, RIGHT, DOWN, LEFT = range(4)
SQUARES = U(127)  # a move is its direction << DIRECTION | its square
DIRECTION = U(7)
SECOND, OVER = U(1), U(2)  # bits of State.turn
ALL = U(2**64 - 1)


@contract.state_of(OneWord)
class State(NamedTuple):
    """own: stones of the player to move; opp: the other's; turn: SECOND the mover, OVER once a player had no move."""

    own: np.uint64
    opp: np.uint64
    turn: np.uint64


@contract.state_of(TwoWords)
class TallState(NamedTuple):
    """The same with two words a side."""

    own: np.uint64
    own_high: np.uint64
    opp: np.uint64
    opp_high: np.uint64
    turn: np.uint64


# ------------------------------------------------------------------------------------- what depends on the words a side


@verb("game")
def sides(game, state):
    """The stones of the player to move and of the other: (Two, Two)."""


@verb("game")
def joined(game, own, opp, turn):
    """The state with these stones (Two each) and this turn."""


@verb("game")
def nth_square(game, squares, n):
    """Number (uint64, below 128) of the n-th of ``squares``; any number where there are not so many."""


@verb("game")
def square_set(game, square):
    """The set of one square, given by its number (uint64, below 128); some other set where it is not on the board."""


@verb("game")
def beyond(game, square):
    """The squares above number ``square`` (uint64, below 128)."""


@sides.implements(OneWord)
def one_word_sides(game, state):
    return Two(state.own, U(0)), Two(state.opp, U(0))


@sides.implements(TwoWords)
def two_words_sides(game, state):
    return Two(state.own, state.own_high), Two(state.opp, state.opp_high)


@joined.implements(OneWord)
def one_word_joined(game, own, opp, turn):
    return State(own.low, opp.low, turn)


@joined.implements(TwoWords)
def two_words_joined(game, own, opp, turn):
    return TallState(own.low, own.high, opp.low, opp.high, turn)


@nth_square.implements(OneWord)
def one_word_nth_square(game, squares, n):
    return nth_set_bit(squares.low, n)


@nth_square.implements(TwoWords)
def two_words_nth_square(game, squares, n):
    word, start, rest = word_of_nth(squares, n)
    return nth_set_bit(word, rest) + (shape(game).squares if start != U(0) else U(0))


@square_set.implements(OneWord)
def one_word_square_set(game, square):
    return Two(U(1) << (square & U(63)), U(0))


@square_set.implements(TwoWords)
def two_words_square_set(game, square):
    squares = shape(game).squares
    above = square >= squares
    bit = U(1) << ((square - (squares if above else U(0))) & U(63))
    return Two(U(0) if above else bit, bit if above else U(0))


@beyond.implements(OneWord)
def one_word_beyond(game, square):
    return Two(ALL << min(square, U(63)) << U(1), U(0))


@beyond.implements(TwoWords)
def two_words_beyond(game, square):
    squares = shape(game).squares
    above = square >= squares
    word = ALL << min(square - (squares if above else U(0)), U(63)) << U(1)
    return Two(U(0) if above else word, word if above else ALL)


# ------------------------------------------------------------------------------------------------ sets of squares


@inlined
def below(game, squares):
    """The squares a row below these. What leaves the board lies beyond it, or is a bit that no square has."""
    s = shape(game)
    return Two(squares.low << s.columns, (squares.high << s.columns) | (squares.low >> s.last_row))


@inlined
def above(game, squares):
    """The squares a row above these."""
    s = shape(game)
    return Two((squares.low >> s.columns) | (squares.high << s.last_row), squares.high >> s.columns)


@inlined
def to_the_right(game, squares):
    """The squares a column to the right of these."""
    s = shape(game)
    return Two((squares.low << U(1)) & s.not_left, (squares.high << U(1)) & s.not_left)


@inlined
def to_the_left(game, squares):
    """The squares a column to the left of these."""
    s = shape(game)
    return Two((squares.low >> U(1)) & s.not_right, (squares.high >> U(1)) & s.not_right)


@inlined
def neighbours(game, squares):
    """The squares next to these; some may lie beyond the board."""
    s, low, high = shape(game), squares.low, squares.high
    along_rows = ((low << U(1)) & s.not_left) | ((low >> U(1)) & s.not_right)
    along_rows_high = ((high << U(1)) & s.not_left) | ((high >> U(1)) & s.not_right)
    along_columns = (low << s.columns) | (low >> s.columns) | (high << s.last_row)
    return Two(
        along_columns | along_rows, (high << s.columns) | (high >> s.columns) | (low >> s.last_row) | along_rows_high
    )


@inlined
def movable(game, state):
    """The stones that may move up, right, down and left: four Two."""
    own, opp = sides(game, state)
    up, down = intersection(own, below(game, opp)), intersection(own, above(game, opp))
    return up, intersection(own, to_the_left(game, opp)), down, intersection(own, to_the_right(game, opp))


@inlined
def movable_towards(game, own, opp, direction):
    """The stones of ``own`` that may move in one direction."""
    if direction == UP:
        return intersection(own, below(game, opp))
    if direction == RIGHT:
        return intersection(own, to_the_left(game, opp))
    return intersection(own, above(game, opp) if direction == DOWN else to_the_right(game, opp))


@inlined
def nth_of(game, stones, n):
    """Move number ``n`` (uint64) of those of ``stones``, by direction; int64."""
    up, right, down, left = stones
    first = size(up)
    second = first + size(right)
    third = second + size(down)
    past_1, past_2, past_3 = n >= first, n >= second, n >= third
    squares = blend(past_3, left, blend(past_2, down, blend(past_1, right, up)))
    before = blend(past_3, third, blend(past_2, second, blend(past_1, first, U(0))))
    square = nth_square(game, squares, n - before)
    return np.int64((U(past_1) + U(past_2) + U(past_3)) << DIRECTION | square)


@inlined
def count_of(stones):
    """How many moves these are, as uint64."""
    up, right, down, left = stones
    return (size(up) + size(right)) + (size(down) + size(left))


# ------------------------------------------------------------------------------------------------------------ rules


@contract.start.implements(Board)
def clobber_start(game):
    own, opp = Two(U(0), U(0)), Two(U(0), U(0))
    columns = np.int64(shape(game).columns)
    for square in range(game.rows * columns):
        here = square_set(game, U(square))
        # The lower left corner is White's.
        if (game.rows - 1 - square // columns + square % columns) % 2 == 0:
            own = union(own, here)
        else:
            opp = union(opp, here)
    return joined(game, own, opp, U(0))


@contract.mover.implements(Board)
def clobber_mover(game, state):
    return np.int64(state.turn & SECOND)


@contract.count_moves.implements(Board)
def clobber_count_moves(game, state):
    return np.int64(count_of(movable(game, state)))


@contract.nth_move.implements(Board)
def clobber_nth_move(game, state, k):
    return nth_of(game, movable(game, state), U(k))


@inlined
def lowest(game, squares):
    """The number (int64) of the lowest of a set of squares that is not empty."""
    if squares.low != U(0):
        return np.int64(trailing_zeros(squares.low))
    return np.int64(trailing_zeros(squares.high) + shape(game).squares)


@contract.next_move.implements(Board)
def clobber_next_move(game, state, move):
    own, opp = sides(game, state)
    direction = np.int64(move) >> np.int64(DIRECTION)  # -1 before the first move
    if move >= 0:
        rest = intersection(own, beyond(game, U(move) & SQUARES))
        found = movable_towards(game, rest, opp, direction)
        if not is_empty(found):
            return lowest(game, found) | direction << np.int64(DIRECTION)
    for following in range(direction + 1, 4):
        found = movable_towards(game, own, opp, following)
        if not is_empty(found):
            return lowest(game, found) | following << np.int64(DIRECTION)
    return np.int64(NO_MOVE)


@contract.move_after.implements(Board)
def clobber_move_after(game, state, move, k):
    return next_move(game, state, move)


@contract.play.implements(Board)
def clobber_play(game, state, move):
    """A finished game stays as it is but for OVER: the move that is drawn there is none."""
    own, opp = sides(game, state)
    s, direction, square = shape(game), U(move) >> DIRECTION, U(move) & SQUARES
    step = (s.steps >> (direction * U(STEP_BITS))) & U((1 << STEP_BITS) - 1)
    origin = intersection(square_set(game, square), own)
    target = intersection(square_set(game, square + step - U(STEP_BASE)), opp)
    moved = (or_of_words(origin) != U(0)) & (or_of_words(target) != U(0))
    after = joined(game, difference(opp, target), union(difference(own, origin), target), state.turn ^ SECOND)
    return blend(moved, after, joined(game, own, opp, state.turn | OVER))


@contract.random_move.implements(Board)
def clobber_random_move(game, state, stream):
    stones = movable(game, state)
    return nth_of(game, stones, draw(stream, 0, count_of(stones)))


@contract.over.implements(Board)
def clobber_over(game, state):
    """After a ply in which nothing could be played, so that a step need not ask what the next one will."""
    return (state.turn & OVER) != U(0)


@contract.overrun.implements(Board)
def clobber_overrun(game, state):
    return np.int64((state.turn & OVER) != U(0))


@contract.score.implements(Board)
def clobber_score(game, state):
    return SCORE_UNIT * (2 * np.int64(state.turn & SECOND) - 1)  # who is to move has lost
