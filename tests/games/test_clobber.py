"""Clobber against OpenSpiel, published counts, lists and loops, and positions by hand.

Keys are fixed; the statistical tests fail right rules with a probability below 1e-6.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.clobber.board import Clobber, geometry
from gpumcts.games.contract import NO_MOVE, SCORE_UNIT
from gpumcts.jit import SEPARATE
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.options import compiled
from gpumcts.playouts.contract import choose
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import PLY_STEP, child_key, key_of
from tests.games import drivers
from tests.games.openspiel import follow, keys_from

GAME = Clobber().compiled()
SMALL = Clobber(3, 4).compiled()
PERFT = (1, 112, 11_848, 1_182_276, 111_070_552, 9_811_226_896)
SIZES = [(8, 8), (5, 6), (10, 10), (9, 8), (10, 7), (2, 1), (1, 9), (7, 9)]

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def legal(game, state):
    """The legal moves as text."""
    numbers = range(contract.count_moves(game, state))
    return [contract.move_text(game, state, contract.nth_move(game, state, k)) for k in numbers]


def after(game, state, texts):
    """The state after moves given as text."""
    for text in texts.split():
        state = contract.play(game, state, contract.parse_move(game, state, text))
    return state


# ------------------------------------------------------------------------------------------------------- by others


def number_there(game, move):
    """OpenSpiel's number of a move: squares from the top left, four directions each, clockwise from up as ours."""
    return 4 * (move & 127) + (move >> 7)


def compare_with_openspiel(rows, columns, first, games):
    """Random games on a board, move by move."""
    game, theirs = Clobber(rows, columns).compiled(), f"clobber(rows={rows},columns={columns})"
    follow(game, theirs, lambda moves, earlier: number_there(game, moves), keys_from(first, games, 20))


@pytest.mark.parametrize("size", [(8, 8), pytest.param((10, 10), marks=pytest.mark.slow)], ids=str)
def test_move_by_move_against_openspiel(size):
    """One word a side and two; more boards are in the slow test."""
    compare_with_openspiel(*size, 0, 100)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 10_000, 1000))
@pytest.mark.parametrize("size", [(8, 8), (5, 6), (10, 10), (9, 8), (10, 7)], ids=str)
def test_many_games_move_by_move_against_openspiel(size, first):
    compare_with_openspiel(*size, first, 1000)


@pytest.mark.parametrize("size", [(8, 8), (5, 6), (10, 10)], ids=str)
def test_text_against_openspiel(size):
    """The board and the moves are written as there."""
    pyspiel = pytest.importorskip("pyspiel")
    game, other = Clobber(*size).compiled(), pyspiel.load_game("clobber(rows={},columns={})".format(*size))
    state, other = contract.start(game), other.new_initial_state()
    assert sorted(legal(game, state)) == sorted(other.action_to_string(a) for a in other.legal_actions())
    ours = [row.replace(" ", "") for row in contract.board_text(game, state).splitlines()[:-1]]
    assert ours == [row.replace(" ", "") for row in str(other).splitlines()]


@pytest.mark.parametrize("depth", range(4))
def test_perft(depth):
    rules = Rules(GAME)
    assert rules.perft(rules.words(contract.start(GAME)), depth) == PERFT[depth]


@njit(**SEPARATE)
def _leaves(game, state, depth):
    """Paths of ``depth`` moves; the last move of a path is counted and not made."""
    if depth == 1:
        return contract.count_moves(game, state)
    total, move = 0, contract.next_move(game, state, NO_MOVE)
    while move != NO_MOVE:
        total += _leaves(game, contract.play(game, state, move), depth - 1)
        move = contract.next_move(game, state, move)
    return total


@pytest.mark.parametrize("depth", [4, 5])
def test_deep_perft(depth):
    assert _leaves(GAME, contract.start(GAME), depth) == PERFT[depth]


def test_random_games_are_as_others_found():
    """41.07 plies, and 50.4 % won by the first player: five standard errors and half a unit of the last digit given."""
    count, rules = 200_000, Rules(GAME)
    tally = CpuPlayouts(GAME, Uniform()).tally(
        rules.starts(count), drivers.keys_of(21, count=1).repeat(count) + np.arange(count, dtype=np.uint64)
    )
    plies, wins = tally.plies / 1, tally.wins / 1
    assert not tally.draws.any()
    for found, other, digit in ((plies, 41.07, 0.01), (wins, 0.504, 0.001)):
        assert abs(found.mean() - other) < 5 * found.std() / np.sqrt(count) + digit / 2


@njit(**SEPARATE)
def _won(game, key, games, informed, other):
    """Games that ``informed`` wins of ``other``, the first move alternating."""
    won = 0
    for number in range(games):
        state, stream, ours = contract.start(game), child_key(key, number), number % 2 == 0
        while contract.count_moves(game, state) > 0:
            move = choose(informed, game, state, stream) if ours else choose(other, game, state, stream)
            state, stream, ours = contract.play(game, state, move), stream + PLY_STEP, not ours
        won += not ours
    return won


@pytest.mark.slow
@pytest.mark.parametrize("depth, least", [(1, 0.80), (2, 0.82)])
def test_the_evaluation_informs(depth, least):
    """MM-1 and MM-2 win 83 and 86 % against random moves: ``least`` of 4,000 games is five standard errors below."""
    policy, games = compiled(Minimax(depth=depth)), 4000
    assert _won(GAME, key_of(23), games, policy, compiled(Uniform())) > least * games


# ------------------------------------------------------------------------------------------------ lists and loops


def slow_moves(board, player):
    """(row, column, row, column) of every move, by lists and loops."""
    rows, columns, found = len(board), len(board[0]), set()
    for r in range(rows):
        for c in range(columns):
            for a, b in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                inside = 0 <= a < rows and 0 <= b < columns
                if inside and board[r][c] == player and board[a][b] not in (player, "."):
                    found.add((r, c, a, b))
    return found


def slow_evaluation(board, player, game):
    """Movable, backed and isolated stones, by lists and loops."""
    rows, columns, total = len(board), len(board[0]), 0
    for r in range(rows):
        for c in range(columns):
            places = ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1))
            near = {board[a][b] for a, b in places if 0 <= a < rows and 0 <= b < columns} - {"."}
            here = board[r][c]
            if here == ".":
                continue
            enemy = bool(near - {here})
            worth = game.movable_weight * enemy + game.backed_weight * (enemy and here in near)
            worth -= game.isolated_weight * (not near)
            total += worth if here == player else -worth
    return total


def compare_with_lists(game, board, player):
    """Moves, boards after each of them, evaluation, end and score of any board."""
    other = "ox"[player == "o"]
    state = contract.parse_position(game, f"{'/'.join(board)} {player}")
    assert contract.mover(game, state) == "ox".index(player)
    assert contract.evaluation(game, state) == slow_evaluation(board, player, game)
    expected = slow_moves(board, player)
    found, move = {}, NO_MOVE
    for k in range(contract.count_moves(game, state)):
        move = contract.move_after(game, state, move, k)
        assert move == contract.nth_move(game, state, k)
        square, (down, right) = move & 127, ((-1, 0), (0, 1), (1, 0), (0, -1))[move >> 7]
        r, c = divmod(square, game.columns)
        found[r, c, r + down, c + right] = move
    assert set(found) == expected
    if not expected:
        assert contract.score(game, state) == (SCORE_UNIT if player == "x" else -SCORE_UNIT)
    for (r, c, a, b), move in found.items():
        rows = [list(row) for row in board]
        rows[r][c], rows[a][b] = ".", player
        text = contract.position_text(game, contract.play(game, state, move))
        assert text == "/".join(map("".join, rows)) + " " + other


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(st.data(), st.sampled_from(SIZES), st.sampled_from(["ox.", "oxox.", "ox", "oooox."]), st.sampled_from("ox"))
def test_any_board_against_lists(data, size, signs, player):
    rows, columns = size
    stones = data.draw(st.lists(st.sampled_from(signs), min_size=rows * columns, max_size=rows * columns))
    board = ["".join(stones[row * columns : (row + 1) * columns]) for row in range(rows)]
    compare_with_lists(Clobber(rows, columns, 3, 7, 5).compiled(), board, player)


@pytest.mark.parametrize("rows", range(1, 11))
def test_every_size(rows):
    """The start has a checkerboard, White on a1, and as many moves as there are pairs of neighbours: MAX_MOVES."""
    for columns in range(1 + (rows == 1), 11):
        game = Clobber(rows, columns).compiled()
        state = contract.start(game)
        board = contract.position_text(game, state)
        assert (
            board == "/".join("".join("ox"[(rows - 1 - r + c) % 2] for c in range(columns)) for r in range(rows)) + " o"
        )
        assert contract.count_moves(game, state) == game.MAX_MOVES == len(slow_moves(board[:-2].split("/"), "o"))
        assert rows * columns - 1 == game.MAX_PLIES
        again = contract.parse_position(game, board)
        assert again == state and len(again) == game.WORDS == (3 if rows * columns <= 64 else 5)
        for k in (0, game.MAX_MOVES - 1):
            move = contract.nth_move(game, state, k)
            assert contract.parse_move(game, state, contract.move_text(game, state, move)) == move
        squares = geometry(rows, columns)
        assert [squares.square(squares.number(*square)) for square in squares.squares()] == [*squares.squares()]


# --------------------------------------------------------------------------------------------------------- by hand


def test_board_text():
    state = after(SMALL, contract.start(SMALL), "a1b1")
    assert contract.board_text(SMALL, state).splitlines() == [
        "3 o x o x",
        "2 x o x o",
        "1 . o o x",
        "  a b c d",
        "Black (x) to move; 13 moves",
    ]
    assert contract.position_text(SMALL, state) == "oxox/xoxo/.oox x"


def test_who_cannot_move_loses():
    game = Clobber(1, 4).compiled()
    state = after(game, contract.start(game), "a1b1 d1c1 b1c1")
    assert contract.position_text(game, state) == "..o. x" and legal(game, state) == []
    assert contract.score(game, state) == SCORE_UNIT
    state = contract.parse_position(game, "o.xx o")
    assert legal(game, state) == [] and contract.score(game, state) == -SCORE_UNIT


def test_no_move_goes_over_an_edge():
    """h8 and a7, neighbours as bits; c4 and a3 on 3 columns; rows of different words."""
    assert (
        legal(GAME, contract.parse_position(GAME, "/".join([".......o", "x.......", *["........"] * 6]) + " o")) == []
    )
    large = Clobber(10, 10).compiled()
    rows = [".........o", "x........."] * 5
    assert legal(large, contract.parse_position(large, "/".join(rows) + " o")) == []


def test_moves_between_the_words_of_a_large_board():
    large = Clobber(10, 10).compiled()
    rows = [".........."] * 5 + ["o........o", "x........x"] + [".........."] * 3
    assert legal(large, contract.parse_position(large, "/".join(rows) + " o")) == ["a5a4", "j5j4"]
    state = contract.parse_position(large, "/".join(rows) + " x")
    assert legal(large, state) == ["a4a5", "j4j5"]
    assert contract.position_text(large, after(large, state, "j4j5")).split("/")[5:7] == ["o........x", "x........."]


def test_moves_may_be_written_in_capitals():
    assert contract.parse_move(SMALL, contract.start(SMALL), "A1B1") == 1 << 7 | 8  # to the right, from row 2, column 0


@pytest.mark.parametrize(
    "text, said",
    [
        ("b1c1", "no o stands on b1"),
        ("a1a3", "a3 is not next to a1"),
        ("a1b2", "b2 is not next to a1"),
        ("a1a1", "a1 is not next to a1"),
        ("c1d1", "no x to capture stands on d1"),
        ("a1e1", "e1 is not on the board, a1 to d3"),
        ("a4a3", "a4 is not on the board, a1 to d3"),
        ("a1", "takes the square left and the square captured, as a1b1"),
        ("a1b", "takes the square left"),
        ("11b1", "takes the square left"),
        ("a01b1", "takes the square left"),
        ("a0b1", "takes the square left"),
        ("a" + "1" * 5000 + "b1", "takes the square left"),
        ("a\N{ARABIC-INDIC DIGIT ONE}b1", "takes the square left"),
        ("a1b1c1", "takes the square left"),
    ],
)
def test_moves_refused(text, said):
    state = contract.parse_position(SMALL, "oxox/xoxo/oxoo o")
    with pytest.raises(BadInput, match=said) as refusal:
        contract.parse_move(SMALL, state, text)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "text, said",
    [
        ("oxox/xoxo o", "2 rows; a board of game.rows=3 takes 3"),
        ("oxox/xoxo/oxo o", "row 'oxo' has 3 squares, not 4"),
        ("oxox/xoxo/oxow o", "row 'oxow' takes o"),
        ("oxox/xoxo/oxox w", "who moves, o or x, not 'w'"),
        ("oxox/xoxo/oxox ox", "who moves, o or x, not 'ox'"),
        ("oxox/xoxo/oxox", "takes rows"),
    ],
)
def test_positions_refused(text, said):
    with pytest.raises(BadInput, match=said) as refusal:
        contract.parse_position(SMALL, text)
    assert "\n" not in str(refusal.value)


def test_one_square_is_no_board():
    with pytest.raises(BadInput, match="two squares at least"):
        Clobber(1, 1).compiled()
