"""Othello against OpenSpiel, published perft counts and statistics, lists and loops, and positions by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit

from gpumcts.bits import popcount
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.othello import PASS, Othello, State
from gpumcts.jit import SEPARATE
from gpumcts.kernels import batch
from gpumcts.kernels.batch import Rules
from gpumcts.rng import PLY_STEP, child_key, key_of
from tests.games.openspiel import as_ours, follow, keys_from
from tests.reference import othello as slow

GAME = Othello()
PERFT = (1, 4, 12, 56, 244, 1396, 8200, 55092, 390216, 3005288, 24571284, 212258800)
START = "---------------------------OX------XO--------------------------- X"

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def position(text):
    """A state from rows and a mover; empty squares may be left out at the end."""
    board, mover = text.split()
    return contract.parse_position(GAME, f"{board.ljust(64, '-')} {mover}")


def legal(state):
    """The legal moves as text."""
    numbers = range(contract.count_moves(GAME, state))
    return [contract.move_text(GAME, state, contract.nth_move(GAME, state, k)) for k in numbers]


def after(state, texts):
    """The state after moves given as text."""
    for text in texts.split():
        state = contract.play(GAME, state, contract.parse_move(GAME, state, text))
    return state


# ------------------------------------------------------------------------------------------------------- by others


def compare_with_openspiel(first, games):
    """OpenSpiel numbers squares and the pass as we do."""
    follow(GAME, "othello", as_ours, keys_from(first, games))


@pytest.mark.parametrize(
    "first", [pytest.param(f, marks=[pytest.mark.slow] if f >= 2000 else []) for f in range(0, 10_000, 1000)]
)
def test_move_by_move_against_openspiel(first):
    compare_with_openspiel(first, 1000)


@pytest.mark.parametrize("depth", range(10))
def test_perft(depth):
    rules = Rules(GAME)
    assert rules.perft(rules.words(contract.start(GAME)), depth) == PERFT[depth]


@njit
def _finished(game, state, depth):
    """Games that end after fewer than ``depth`` more plies."""
    if depth == 0:
        return 0
    count = contract.count_moves(game, state)
    if count == 0:
        return 1
    total = 0
    for k in range(count):
        total += _finished(game, contract.play(game, state, contract.nth_move(game, state, k)), depth - 1)
    return total


def test_perft_tells_which_share_is_done(monkeypatch):
    """Every 10 turns here: the shares rise from nothing to nearly all, in steps of three plies."""
    monkeypatch.setattr(batch, "TURNS", 10)
    monkeypatch.setattr(batch, "SECONDS_BETWEEN_SHARES", -1.0)
    rules, shares = Rules(GAME), []
    counted = rules.perft_and_finished(rules.words(contract.start(GAME)), 6, shares.append)
    assert counted == (PERFT[6], 0)
    assert shares == pytest.approx(sorted(shares)) and shares[0] == 0.0 and 0.95 < shares[-1] <= 1.0
    assert len(set(shares)) > PERFT[3]


@pytest.mark.slow
@pytest.mark.parametrize("depth, finished", [(10, 228), (11, 228 + 356)])
def test_deep_perft(depth, finished):
    """The published counts (Bik, 2009) take a game that ended earlier for a leaf, and perft does not."""
    rules, start = Rules(GAME), contract.start(GAME)
    assert _finished(GAME, start, depth) == finished
    assert rules.perft(rules.words(start), depth) + finished == PERFT[depth]


@njit(**SEPARATE)
def _random_games(game, key, count, found):
    for number in range(count):
        state, stream = contract.start(game), child_key(key, number)
        passes = 0
        while contract.count_moves(game, state) > 0:
            move = contract.random_move(game, state, stream)
            passes += move == PASS
            state = contract.play(game, state, move)
            stream += PLY_STEP
        found[number, 0] = np.int64(popcount(state.own | state.opp)) - 4
        found[number, 1] = passes
        found[number, 2] = contract.score(game, state)


def test_random_games_are_as_published():
    """59.97 moves and 0.45 passes, 45.4 % won by Black and 4.2 % drawn, two independent programs.

    Five standard errors and half a unit of the last digit given: a right program fails with a probability below 1e-6.
    """
    found = np.zeros((300_000, 3), np.int64)
    _random_games(GAME, key_of(11), len(found), found)
    columns = [found[:, 0], found[:, 1], found[:, 2] > 0, found[:, 2] == 0]
    for column, published, digit in zip(columns, (59.97, 0.45, 0.454, 0.042), (0.01, 0.01, 0.001, 0.001), strict=True):
        error = column.std() / np.sqrt(len(column))
        assert abs(column.mean() - published) < 5 * error + digit / 2


# ------------------------------------------------------------------------------------------------ lists and loops


boards = st.lists(st.sampled_from("XO-"), min_size=64, max_size=64)
crowded = st.lists(st.sampled_from("XXXOOO-"), min_size=64, max_size=64)


def compare_with_lists(board, player):
    """Moves, boards after each of them, and the evaluation."""
    state = contract.parse_position(GAME, f"{''.join(board)} {player}")
    moves = slow.legal_moves(board, player)
    count = contract.count_moves(GAME, state)
    assert [contract.nth_move(GAME, state, k) for k in range(count)] == moves
    assert contract.mover(GAME, state) == "XO".index(player)
    assert contract.evaluation(GAME, state) == slow.evaluation(board, player, GAME.corner_weight)
    swapped = State(state.opp, state.own, state.turn ^ np.uint64(1))
    assert contract.evaluation(GAME, swapped) == -contract.evaluation(GAME, state)
    if not moves:
        assert contract.score(GAME, state) == slow.result(board) * SCORE_UNIT
    for move in moves:
        text = contract.position_text(GAME, contract.play(GAME, state, move))
        assert text.split()[:2] == ["".join(slow.play(board, player, move)), slow.other(player)]


@settings(max_examples=60, deadline=None, database=None, derandomize=True)
@given(st.one_of(boards, crowded), st.sampled_from("XO"))
def test_any_board_against_lists(board, player):
    compare_with_lists(board, player)


@settings(max_examples=10, deadline=None, database=None, derandomize=True)
@given(st.lists(st.integers(0, 59), min_size=70, max_size=70))
def test_games_against_lists(choices):
    board, player = slow.start(), "X"
    for choice in choices:
        moves = slow.legal_moves(board, player)
        compare_with_lists(board, player)
        if not moves:
            break
        board, player = slow.play(board, player, moves[choice % len(moves)]), slow.other(player)


# --------------------------------------------------------------------------------------------------------- by hand


def test_start():
    assert contract.position_text(GAME, contract.start(GAME)) == START
    assert legal(contract.start(GAME)) == ["d3", "c4", "f5", "e6"]
    assert contract.mover(GAME, contract.start(GAME)) == 0


def test_board_text():
    assert contract.board_text(GAME, contract.start(GAME)).splitlines() == [
        "  a b c d e f g h",
        "1 . . . . . . . .",
        "2 . . . . . . . .",
        "3 . . . * . . . .",
        "4 . . * O X . . .",
        "5 . . . X O * . .",
        "6 . . . . * . . .",
        "7 . . . . . . . .",
        "8 . . . . . . . .",
        "Black (X) to move; X 2, O 2",
    ]


def test_a_player_without_a_move_passes_and_is_wiped_out():
    state = position("OX X")
    assert legal(state) == ["pass"]
    state = after(state, "pass")
    assert legal(state) == ["c1"] and contract.mover(GAME, state) == 1 and not contract.over(GAME, state)
    assert contract.position_text(GAME, state).split()[1:] == ["O", "1"]
    state = after(state, "c1")
    assert legal(state) == [] and contract.score(GAME, state) == -SCORE_UNIT
    assert contract.position_text(GAME, state) == "OOO".ljust(64, "-") + " X"


def test_the_shortest_wipe_out():
    state = after(contract.start(GAME), "e6 f4 e3 f6 g5 d6 e7 f5 c5")
    assert legal(state) == [] and contract.score(GAME, state) == SCORE_UNIT
    assert "O" not in contract.position_text(GAME, state).split()[0]


def test_neither_can_move_on_a_board_that_is_not_full():
    state = position("X-O X")
    assert legal(state) == [] and contract.score(GAME, state) == 0
    assert contract.score(GAME, position("X-OO X")) == -SCORE_UNIT
    assert contract.score(GAME, position("X-OO O")) == -SCORE_UNIT
    assert contract.score(GAME, position("XX-O O")) == SCORE_UNIT


@pytest.mark.parametrize(
    "discs",
    [
        {6: "X", 7: "O"},  # g1 h1, then a2: the next row
        {9: "O", 10: "X"},  # b2 c2; h1 is the square before a2
        {14: "X", 15: "O", 16: "-"},  # g2 h2, then a3
        {6: "X", 15: "O"},  # g1 h2, then a4 on the falling diagonal
        {54: "X", 47: "O"},  # g7 h6, then a6 on the rising one
        {1: "X", 8: "O"},  # b1 a2, then h2 on the other
    ],
)
def test_lines_end_at_the_edge(discs):
    board = ["-"] * 64
    for square, sign in discs.items():
        board[square] = sign
    state = position("".join(board) + " X")
    moves = [contract.nth_move(GAME, state, k) for k in range(contract.count_moves(GAME, state))]
    assert [move for move in moves if move != PASS] == ([8] if 9 in discs else [])
    assert moves == slow.legal_moves(board, "X")


def test_the_longest_lines_turn():
    state = position("-OOOOOOX" + "O-------" * 6 + "X X")
    state = after(state, "a1")
    assert contract.position_text(GAME, state) == "X" * 8 + "X-------" * 7 + " O"
    diagonal = ["-"] * 64
    for i in range(1, 7):
        diagonal[9 * i] = "O"
    diagonal[63] = "X"
    state = after(position("".join(diagonal) + " X"), "a1")
    assert contract.position_text(GAME, state).count("X") == 8


def test_moves_may_be_written_in_capitals():
    assert contract.parse_move(GAME, contract.start(GAME), "F5") == 37


@pytest.mark.parametrize("text", ["a1", "pass", "e4", "i9", "f55"])
def test_moves_that_are_not_legal_are_refused_with_the_legal_ones(text):
    with pytest.raises(BadInput, match=r"d3 c4 f5 e6"):
        contract.parse_move(GAME, contract.start(GAME), text)


@pytest.mark.parametrize(
    "text",
    [
        START[:63],
        START[:64],
        START + " 3",
        START + " 1",  # White, who would have passed, has a move
        START.replace("O", "Q"),
        START[:65] + "Z",
        START + " 0 0",
        "-" + START,
    ],
)
def test_positions_refused(text):
    with pytest.raises(BadInput, match="position"):
        contract.parse_position(GAME, text)


def test_other_usual_signs_are_read():
    assert contract.parse_position(GAME, START.replace("X", "b").replace("O", "w").replace("-", ".")[:64] + " x") == (
        contract.start(GAME)
    )
