"""Sets of N words against Python's integers, compiled and not; states in memory; rectangular boards."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from gpumcts.errors import BadInput
from gpumcts.games import contract, sets
from gpumcts.games.boards import WITHOUT_I, RectangularBoard, sign_of
from gpumcts.games.go.points import Points
from gpumcts.games.sets import Two, int_of, set_of
from gpumcts.games.states import packed, unpacked
from gpumcts.jit import SEPARATE

U = np.uint64


class Four(NamedTuple):
    """A set of a game's own class."""

    a: np.uint64
    b: np.uint64
    c: np.uint64
    d: np.uint64


KINDS = (Two, Four, Points)

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


@njit(**SEPARATE)
def compiled_pair(x, y):
    return (
        sets.intersection(x, y), sets.union(x, y), sets.difference(x, y), sets.symmetric_difference(x, y),
        sets.or_of_words(x), sets.size(x), sets.lowest(x), sets.same(x, y), sets.is_empty(x),
    )  # fmt: skip


@njit(**SEPARATE)
def compiled_with(x, n, number):
    return (
        sets.higher(x, n), sets.lower(x, n), sets.single(x, U(number)), sets.has(x, U(number)),
        sets.from_number(x, np.int64(number)), sets.nth(x, n),
    )  # fmt: skip


def plain_pair(x, y):
    """The same in plain Python."""
    return compiled_pair.py_func(x, y)


def by_integers(x, y, most):
    """The same by Python's integers."""
    lowest = (x & -x).bit_length() - 1 if x else most
    return x & y, x | y, x & ~y, x ^ y, None, x.bit_count(), lowest, x == y, x == 0


numbers = st.integers(0, 2**384 - 1) | st.integers(0, 383).map(lambda bit: 1 << bit) | st.just(0)


@pytest.mark.parametrize("kind", KINDS)
def test_pairs_of_sets(kind):
    most = 64 * len(kind._fields)

    @settings(max_examples=80, deadline=None, database=None, derandomize=True)
    @given(numbers, numbers)
    def compare(x, y):
        x, y = x % (1 << most), y % (1 << most)
        for found in (compiled_pair(set_of(kind, x), set_of(kind, y)), plain_pair(set_of(kind, x), set_of(kind, y))):
            told = [int_of(part) if isinstance(part, tuple) else part for part in found]
            expected = by_integers(x, y, most)
            assert told[:4] == list(expected[:4]) and told[5:] == list(expected[5:])
            assert (int(told[4]) == 0) == (x == 0)

    compare()


@pytest.mark.parametrize("kind", KINDS)
def test_sets_with_numbers(kind):
    most = 64 * len(kind._fields)

    @settings(max_examples=80, deadline=None, database=None, derandomize=True)
    @given(numbers, st.integers(1, 63), st.integers(0, 400))
    def compare(x, n, number):
        x %= 1 << most
        listed = [bit for bit in range(most) if x >> bit & 1]
        for compiled in (compiled_with, compiled_with.py_func):
            higher, lower, single, has, above, nth = compiled(set_of(kind, x), U(n), number)
            assert int_of(higher) == (x << n) % (1 << most) and int_of(lower) == x >> n
            assert int_of(single) == (1 << number if number < most else 0)
            assert has == (number in listed)
            assert int_of(above) == sum(1 << bit for bit in listed if bit >= number)
            if n < len(listed):
                assert nth == listed[n]

    compare()


def test_numbers_beyond_the_words_are_in_no_set():
    for single in (sets.single, njit(lambda x, number: sets.single(x, number))):
        assert int_of(single(Two(U(0), U(0)), U(2**64 - 1))) == 0


# ---------------------------------------------------------------------------------------------------- states in memory


class Small(NamedTuple):
    """A game of no rules."""

    LANES = False


@contract.state_of(Small)
class SmallState(NamedTuple):
    """Three words."""

    a: np.uint64
    b: np.uint64
    c: np.uint64


@njit(**SEPARATE)
def _moved(game, words, at, stride, out):
    packed(unpacked(game, words, at, stride), out, at, stride)


@pytest.mark.parametrize("at, stride", [(0, 1), (3, 1), (1, 4), (5, 2)])
@pytest.mark.parametrize("move", [_moved, _moved.py_func])
def test_states_are_read_and_written_with_a_stride(move, at, stride):
    words, out = np.arange(20, dtype=np.uint64) + U(7), np.zeros(20, np.uint64)
    move(Small(), words, at, stride, out)
    where = [at + i * stride for i in range(3)]
    assert out[where].tolist() == words[where].tolist() and np.count_nonzero(out) == 3


def test_the_class_of_states_gives_the_width():
    assert Small.WORDS == 3 and contract.unpack(Small(), np.arange(3, dtype=np.uint64), 0, 1) == SmallState(
        U(0), U(1), U(2)
    )


def test_states_are_of_words():
    class Wrong(NamedTuple):
        a: np.uint64
        b: int

    with pytest.raises(TypeError, match="the class of a game's states is a NamedTuple of np.uint64"):
        contract.state_of(Small)(Wrong)


# -------------------------------------------------------------------------------------------------- rectangular boards

BOARDS = {
    "rows": RectangularBoard(9, 9, row_step=9, letters=WITHOUT_I),
    "a bit between": RectangularBoard(15, 15, row_step=16),
    "columns": RectangularBoard(6, 7, row_step=1, column_step=7),
    "top first": RectangularBoard(10, 7, row_step=7, top_first=True),
}


@pytest.mark.parametrize("name", BOARDS)
def test_squares_have_numbers_and_names(name):
    board = BOARDS[name]
    numbered = [board.number(*square) for square in board.squares()]
    assert len(set(numbered)) == board.rows * board.columns == board.bits().bit_count()
    for square, number in zip(board.squares(), numbered, strict=True):
        assert board.square(number) == square and board.named(board.name(number)) == number
    for bad in ("", "a", "a0", "z1", f"a{board.rows + 1}", "1a", "a1 ", "aa", "a01"):
        assert board.named(bad) is None


@pytest.mark.parametrize("name", BOARDS)
def test_texts_of_boards_are_read_again(name):
    board = BOARDS[name]
    first = board.bits(lambda row, column: (row + 2 * column) % 3 == 0)
    second = board.bits(lambda row, column: (row + 2 * column) % 3 == 1)
    lines = board.lines(lambda number: sign_of([(first, "x"), (second, "o")], number))
    found = board.read("/".join(lines), "xo.")
    assert (found["x"], found["o"], found["."]) == (first, second, board.bits() & ~first & ~second)
    drawn = board.drawn(lambda number: ".").splitlines()
    assert len(drawn) == board.rows + 1 and drawn[-1].split() == list(board.letters[: board.columns])
    with pytest.raises(BadInput, match="rows of"):
        board.read("/".join(lines[1:]), "xo.")
    with pytest.raises(BadInput, match="takes x, o, ."):
        board.read("/".join([*lines[1:], "y" * board.columns]), "xo.")
