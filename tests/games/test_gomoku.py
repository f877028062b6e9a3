"""Gomoku against OpenSpiel, lists of stones, and positions by hand."""

import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.gomoku import Gomoku, geometry
from gpumcts.kernels.batch import Rules
from gpumcts.rng import key_of
from tests.games.openspiel import follow, keys_from, one_by_one

GAME = Gomoku().compiled()

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def number_there(size):
    """Their number of a point: rows of ``size``; which row is the first makes no difference to the rules."""

    def number(move):
        row, column = geometry(size).square(move)
        return size * row + column

    return number


@pytest.mark.parametrize("size, games", [(9, 500), (15, 40)])
def test_some_games_against_openspiel(size, games):
    follow(Gomoku(size).compiled(), f"gomoku(size={size})", one_by_one(number_there(size)), keys_from(0, games))


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, 2000))
def test_move_by_move_against_openspiel(first):
    follow(GAME, "gomoku", one_by_one(number_there(15)), keys_from(first, 2000))


@pytest.mark.slow
@pytest.mark.parametrize("size", [9, 13, 19])
def test_other_boards_against_openspiel(size):
    follow(Gomoku(size).compiled(), f"gomoku(size={size})", one_by_one(number_there(size)), keys_from(10_000, 1000))


@pytest.mark.parametrize("depth, count", [(0, 1), (1, 225), (2, 225 * 224), (3, 225 * 224 * 223)])
def test_perft(depth, count):
    rules = Rules(GAME)
    assert rules.perft(rules.words(contract.start(GAME)), depth) == count


def after(texts, game=GAME):
    """The state after moves."""
    state = contract.start(game)
    for text in texts.split():
        state = contract.play(game, state, contract.parse_move(game, state, text))
    return state


LINES = {
    "row": "a1 a3 b1 b3 c1 c3 d1 d3 e1",
    "column": "o15 a1 o14 b1 o13 c1 o12 d1 o11",
    "rising": "a1 a2 b2 b3 c3 c4 d4 d5 e5",
    "falling": "a15 a1 b14 b1 c13 c1 d12 d1 e11",
    "six": "a1 a3 b1 b3 c1 c3 e1 e3 f1 f3 d1",
}


@pytest.mark.parametrize("line", LINES)
def test_five_or_more_win(line):
    state = after(LINES[line])
    assert contract.count_moves(GAME, state) == 0 and contract.score(GAME, state) == SCORE_UNIT
    assert contract.count_moves(GAME, after(LINES[line].rpartition(" ")[0])) > 0


def test_lines_do_not_leave_the_board():
    """Two at the end of a row and three at the beginning of the next are not five."""
    state = after("n1 a15 o1 c15 a2 e15 b2 g15 c2")
    assert contract.count_moves(GAME, state) == 225 - 9


def has_five(stones, size):
    """Whether a set of (row, column) has five in a row, by lists."""
    lines = ((0, 1), (1, 0), (1, 1), (1, -1))
    return any(
        all((row + k * down, column + k * right) in stones for k in range(5))
        for row, column in stones
        for down, right in lines
    )


@pytest.mark.parametrize("size", [9, 13, 15, 19])
@pytest.mark.parametrize("seed", range(3))
def test_random_games_by_lists(size, seed):
    """The end, the mover and the points left, in plain Python."""
    game = Gomoku(size).compiled()
    state, board, sides = contract.start(game), geometry(size), (set(), set())
    for ply in range(size * size):
        over = has_five(sides[1 - ply % 2], size)
        assert (contract.count_moves(game, state) == 0) == over
        if over:
            assert contract.score(game, state) == (SCORE_UNIT if ply % 2 else -SCORE_UNIT)
            break
        assert contract.count_moves(game, state) == size * size - ply and contract.mover(game, state) == ply % 2
        move = contract.random_move(game, state, key_of(72, seed, ply))
        sides[ply % 2].add(board.square(move))
        state = contract.play(game, state, move)
    else:
        assert contract.score(game, state) == 0


def test_evaluation_counts_lines_by_their_free_ends():
    """Three in a row with two free ends: twice a three and, as the two in it, at each end once a two."""
    weights = Gomoku().compiled()
    assert (
        contract.evaluation(weights, after("h8 a1 h9 a15 h10 o1")) == 2 * weights.three_weight + 2 * weights.two_weight
    )
    assert contract.evaluation(weights, after("a1 h8 a2 o15 a3 o1")) == weights.three_weight + weights.two_weight


def test_an_even_position_is_worth_nothing():
    assert contract.evaluation(GAME, contract.start(GAME)) == 0
    assert contract.evaluation_limit(GAME) > 0


@pytest.mark.parametrize(
    "text, message",
    [
        ("x" * 15, "15 rows of 15 squares"),
        ("/".join(["x" * 15, *["." * 15] * 14]), "x has as many stones as o, or one more"),
        ("/".join(["y" + "." * 14, *["." * 15] * 14]), "takes x, o, ."),
        ("/".join(["xxxxx" + "." * 10, "ooooo" + "." * 10, *["." * 15] * 13]), "five in a row already"),
    ],
)
def test_texts_that_are_no_position(text, message):
    with pytest.raises(BadInput, match=message):
        contract.parse_position(GAME, text)


def test_sizes():
    with pytest.raises(BadInput, match="game.size=10: Gomoku is played on 9, 13, 15 or 19 points a side"):
        Gomoku(10).compiled()  # type: ignore[arg-type]
