"""Connect Four against OpenSpiel, counts of positions, rules by hand, and solved positions."""

import functools

import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.connect_four import BOARD, ConnectFour
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.kernels.batch import Rules
from gpumcts.rng import key_of
from tests.games.connect_four_solver import first_player_wins
from tests.games.openspiel import follow, keys_from, one_by_one

GAME = ConnectFour()
PERFT = (1, 7, 49, 343, 2401, 16807, 117649, 823536, 5673234)
EMPTY = "......."

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def after(columns, state=None):
    """The state after discs in columns 1 to 7, from the start or from a state."""
    state = contract.start(GAME) if state is None else state
    for column in columns:
        state = contract.play(GAME, state, contract.parse_move(GAME, state, column))
    return state


@pytest.mark.parametrize(
    "first", [pytest.param(f, marks=[pytest.mark.slow] if f else []) for f in range(0, 10_000, 2500)]
)
def test_move_by_move_against_openspiel(first):
    numbers_there = one_by_one(lambda move: BOARD.square(move)[1])
    follow(GAME, "connect_four", numbers_there, keys_from(first, 2500))


@pytest.mark.parametrize("depth", range(len(PERFT)))
def test_perft(depth):
    """Sequences of moves; 823,536 and 5,673,234 are 7^7 and 7^8 less those past a win or into a full column."""
    rules = Rules(GAME)
    assert rules.perft(rules.words(contract.start(GAME)), depth) == PERFT[depth]


@functools.cache
def count_by_lists(columns: str, depth: int) -> int:
    """The same by lists of discs, without any bits; columns are 1 to 7."""
    heights, board = [0] * 7, {}
    for ply, column in enumerate(int(c) - 1 for c in columns):
        board[column, heights[column]] = ply % 2
        last = column, heights[column]
        heights[column] += 1
    if depth == 0:
        return 1
    if columns and wins(board, *last):
        return 0
    return sum(count_by_lists(columns + str(column + 1), depth - 1) for column in range(7) if heights[column] < 6)


def wins(board, column, row):
    """Whether the disc at (column, row) is in a line of four."""
    who = board[column, row]
    for x, y in ((1, 0), (0, 1), (1, 1), (1, -1)):
        run = 1
        for sign in (1, -1):
            k = 1
            while board.get((column + sign * k * x, row + sign * k * y)) == who:
                k, run = k + 1, run + 1
        if run >= 4:
            return True
    return False


@pytest.mark.parametrize("begin", ["", "4454345", "11223", "444444112", "1234567123"])
def test_counts_by_lists(begin):
    rules = Rules(GAME)
    assert rules.perft(rules.words(after(begin)), 4) == count_by_lists(begin, 4)


@pytest.mark.parametrize("columns", ["1122334", "1212121", "12233434544", "76655454344"])
def test_lines_of_four(columns):
    """Along a row, up a column, and on both diagonals: the last disc wins."""
    before, state = after(columns[:-1]), after(columns)
    assert contract.count_moves(GAME, before) > 0 and contract.count_moves(GAME, state) == 0
    assert contract.score(GAME, state) == (SCORE_UNIT if len(columns) % 2 else -SCORE_UNIT)


def test_lines_do_not_leave_the_board():
    """Three at the top of a column and one at the bottom of the next are not four."""
    state = contract.parse_position(GAME, "x....../x....../x....../o....../oo...../xxo.o..")
    assert contract.count_moves(GAME, state) > 0


def test_a_disc_falls():
    state = after("444")
    rows = contract.position_text(GAME, state).split("/")
    assert rows[-3:] == ["...x...", "...o...", "...x..."] and rows[:3] == [EMPTY] * 3
    assert contract.board_text(GAME, state).splitlines()[-2:] == ["1 2 3 4 5 6 7", "o to move"]


@pytest.mark.parametrize(
    "text, message",
    [
        ("x....../" + "/".join([EMPTY] * 5), "lies on the bottom or on another disc"),
        ("/".join([*[EMPTY] * 5, "xx....."]), "as many discs as o, or one more"),
        ("/".join([*[EMPTY] * 4, "ooo....", "xxxx..."]), None),
        ("/".join([*[EMPTY] * 4, "xxx....", "oooox.."]), None),
        ("/".join([*[EMPTY] * 4, "oooo...", "xxxx..."]), "the player to move has four in a row already"),
        ("/".join([EMPTY] * 5), "6 rows of 7 squares"),
        ("/".join([*[EMPTY] * 5, "a......"]), "takes x, o, ."),
    ],
)
def test_positions(text, message):
    if message is None:
        assert contract.count_moves(GAME, contract.parse_position(GAME, text)) == 0
        return
    with pytest.raises(BadInput, match=message):
        contract.parse_position(GAME, text)


def test_what_completes_four_is_worth_something():
    quiet, threat = after("4455"), after("44556")
    assert contract.evaluation(GAME, quiet) == -contract.evaluation(GAME, mirrored_sides(quiet))
    assert contract.evaluation(GAME, threat) < 0, "the other completes four on either side"


def mirrored_sides(state):
    """The same discs with the sides exchanged."""
    return type(state)(state.opp, state.own)


# ------------------------------------------------------------------------------------------------------ solved values


@pytest.mark.parametrize("seed", range(6))
def test_endings_are_solved_as_by_lists(seed):
    """Values of positions with twelve free squares, by the verbs and by lists."""
    state, columns = contract.start(GAME), ""
    for ply in range(30):
        if contract.count_moves(GAME, state) == 0:
            break
        move = contract.random_move(GAME, state, key_of(71, seed, ply))
        columns += contract.move_text(GAME, state, move)
        state = contract.play(GAME, state, move)
    assert solved(state) == solved_by_lists(columns)


def solved(state, known=None):
    """1, 0 or -1 for the player to move, over the verbs."""
    known = {} if known is None else known
    if contract.count_moves(GAME, state) == 0:
        result = int(contract.score(GAME, state)) // SCORE_UNIT
        return result if contract.mover(GAME, state) == 0 else -result
    if state not in known:
        moves = [contract.nth_move(GAME, state, k) for k in range(contract.count_moves(GAME, state))]
        known[state] = max(-solved(contract.play(GAME, state, move), known) for move in moves)
    return known[state]


def solved_by_lists(columns, known=None):
    """The same by lists of discs."""
    known = {} if known is None else known
    heights, board = [0] * 7, {}
    for ply, column in enumerate(int(c) - 1 for c in columns):
        board[column, heights[column]] = ply % 2
        last = column, heights[column]
        heights[column] += 1
    if columns and wins(board, *last):
        return -1
    if len(columns) == 42:
        return 0
    key = frozenset(board.items())
    if key not in known:
        free = [column + 1 for column in range(7) if heights[column] < 6]
        known[key] = max(-solved_by_lists(columns + str(column), known) for column in free)
    return known[key]


@pytest.mark.parametrize("columns, wins", [("444444522", True), ("444444221", False)])
def test_the_search_that_proves_wins(columns, wins):
    assert first_player_wins(after(columns)) == wins


@pytest.mark.slow
def test_the_first_player_wins_in_the_middle():
    """After five discs in the middle column, with which the winning line of Allis (1988) begins. It takes minutes."""
    assert first_player_wins(after("44444"))
