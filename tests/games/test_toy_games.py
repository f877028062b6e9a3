"""The three toy games: what they are there for, against independent rules and exact values."""

import functools
from fractions import Fraction

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.dice_duel import AGAIN, KEEP, DiceDuel
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.shortest_path import EAST, SOUTH, SOUTH_EAST, ShortestPath
from tests.games import drivers
from tests.games.openspiel import follow, one_by_one
from tests.reference.exact import Exact
from tests.reference.playout import legal_moves

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


@functools.lru_cache(maxsize=None, typed=True)
def solved(game):
    """The exact values of a game, kept for the tests that follow."""
    return Exact(game)


def after(game, *texts):
    """The state after moves given as text from the start."""
    state = contract.start(game)
    for text in texts:
        state = contract.play(game, state, contract.parse_move(game, state, text))
    return state


# --------------------------------------------------------------------------------------------- two moves in a row


@pytest.mark.parametrize("rows, columns", [(1, 1), (1, 2), (2, 2), (3, 2), (4, 4)])
def test_dots_and_boxes_move_by_move_against_openspiel(rows, columns):
    stride, horizontal = columns + 1, (rows + 1) * columns
    action = {r * stride + c: r * columns + c for r in range(rows + 1) for c in range(columns)}
    action |= {32 + r * stride + c: horizontal + r * stride + c for r in range(rows) for c in range(stride)}
    theirs, keys = f"dots_and_boxes(num_rows={rows},num_cols={columns})", drivers.keys_of(rows, columns, count=200)
    follow(DotsAndBoxes(rows, columns), theirs, one_by_one(action.__getitem__), keys)


@pytest.mark.parametrize("rows, columns, value", [(1, 1, -1), (1, 2, 0), (1, 3, -1), (2, 2, 1)])
def test_dots_and_boxes_exact_values(rows, columns, value):
    game = DotsAndBoxes(rows, columns)
    assert solved(game).value(contract.start(game)) == value


def test_only_the_middle_line_holds_the_draw():
    game = DotsAndBoxes(1, 2)
    best = solved(game).best_moves(contract.start(game))
    assert [contract.move_text(game, contract.start(game), move) for move in best] == ["b1b2"]


def test_flipping_at_every_ply_would_be_seen():
    """The game is of use to tests of the search: values that flip where the mover stays give other moves."""
    game = DotsAndBoxes(2, 2)
    start = contract.parse_position(game, "../||./.-/||./.- 0 A")

    def flipped(state, sign):
        moves = legal_moves(game, state)
        if not moves:
            return sign * contract.score(game, state)
        return max(-flipped(contract.play(game, state, move), -sign) for move in moves)

    values = {move: -flipped(contract.play(game, start, move), -1) for move in legal_moves(game, start)}
    wrong = {contract.move_text(game, start, move) for move in values if values[move] == max(values.values())}
    right = {contract.move_text(game, start, move) for move in solved(game).best_moves(start)}
    assert right == {"c2c3"} and wrong == {"b1c1", "a2b2", "c1c2"}


def test_the_outer_lines_win_on_four_boxes():
    game = DotsAndBoxes(2, 2)
    best = solved(game).best_moves(contract.start(game))
    inner = {"a2b2", "b2c2", "b1b2", "b2b3"}
    assert len(best) == 8 and not {contract.move_text(game, contract.start(game), move) for move in best} & inner


def test_completing_a_box_keeps_the_move():
    game = DotsAndBoxes(1, 2)
    state = after(game, "a1b1", "a2b2", "a1a2")
    assert contract.mover(game, state) == 1
    state = contract.play(game, state, contract.parse_move(game, state, "b1b2"))
    assert contract.mover(game, state) == 1 and contract.position_text(game, state) == "-./||./-. 0 B"
    state = contract.play(game, state, contract.parse_move(game, state, "b1c1"))
    assert contract.mover(game, state) == 0


def test_one_line_may_complete_two_boxes():
    game = DotsAndBoxes(1, 2)
    state = contract.parse_position(game, "--/|.|/-- 0 A")
    state = contract.play(game, state, contract.parse_move(game, state, "b1b2"))
    assert contract.count_moves(game, state) == 0 and contract.score(game, state) == SCORE_UNIT


def test_dots_and_boxes_evaluation_counts_what_can_be_taken():
    game = DotsAndBoxes(2, 2)
    assert contract.evaluation(game, contract.parse_position(game, "../.../../.../.. 0 A")) == 0
    assert contract.evaluation(game, contract.parse_position(game, "-./||./../.../.. 0 A")) == 1
    assert contract.evaluation(game, contract.parse_position(game, "-./||./-./.../.. 1 B")) == -1
    assert contract.evaluation(game, contract.parse_position(game, "-./||./-./.../.. 1 A")) == 1
    assert contract.evaluation(game, contract.parse_position(game, "-./||./-./.../-- 0 B")) == 1
    assert contract.evaluation(game, contract.parse_position(game, "-./||./-./|.|/-- 0 B")) == 1 + 1


MANY_BOXES = f"--/|||/-- {'1' * 5000} A"  # more digits than Python reads as a number


@pytest.mark.parametrize(
    "text",
    ["--/|||/-- 3 A", "-./|.|/-- 1 A", "--/|||/-- 0 C", "--/||/-- 0 A", "||/|||/-- 0 A", "--/|||/-- ١ A", MANY_BOXES],
)
def test_dots_and_boxes_refuses(text):
    with pytest.raises(BadInput):
        contract.parse_position(DotsAndBoxes(1, 2), text)


# ------------------------------------------------------------------------------------------- one player with costs


def walks(game, state):
    """(moves, cost) of every walk to the goal, by its own arithmetic on the printed field."""
    field = contract.board_text(game, state).splitlines()[1:6]
    tolls = [[0 if sign == "@" else int(sign) for sign in line.split()[1:]] for line in field]

    def on(row, column):
        if (row, column) == (4, 4):
            yield (), 0
        for move, row_step, column_step, extra in ((EAST, 0, 1, 0), (SOUTH, 1, 0, 0), (SOUTH_EAST, 1, 1, 1)):
            if row + row_step < 5 and column + column_step < 5:
                for moves, cost in on(row + row_step, column + column_step):
                    yield (move, *moves), cost + tolls[row + row_step][column + column_step] + extra

    return list(on(0, 0))


@pytest.mark.parametrize("terrain", [ShortestPath().terrain, 0, (1 << 50) - 1, 0x1234567890ABC])
def test_every_walk_costs_its_tolls(terrain):
    game = ShortestPath(terrain)
    start = contract.start(game)
    found = walks(game, start)
    assert len(found) == 321  # the central Delannoy number
    for moves, cost in found:
        state = start
        for move in moves:
            assert contract.mover(game, state) == 0 and move in legal_moves(game, state)
            state = contract.play(game, state, move)
        assert contract.count_moves(game, state) == 0
        assert contract.score(game, state) == SCORE_UNIT * (16 - cost) // 16
    assert solved(game).value(start) == max(Fraction(16 - cost, 16) for _, cost in found)


def test_the_default_field_deceives():
    game = ShortestPath()
    found = walks(game, contract.start(game))
    cheapest = min(cost for _, cost in found)
    assert cheapest == 11 and [moves[0] for moves, cost in found if cost == cheapest] == [SOUTH]
    assert solved(game).best_moves(contract.start(game)) == [SOUTH]
    words, moves, plies = drivers.trace(game, drivers.keys_of(8, count=20_000))
    costs = words[np.arange(len(plies)), plies, 1]
    means = [costs[moves[:, 0] == move].mean() for move in (EAST, SOUTH, SOUTH_EAST)]
    # Standard errors are below 0.05, the gaps above 1: a right program fails with a probability below 1e-9.
    assert np.allclose(means, [16.908, 19.818, 18.457], atol=0.3)


@pytest.mark.parametrize(
    "text", ["a1 1", "e5 33", "f1 0", "a6 0", "c3", "c3 x", "c3 -1", "c3 \u0663", f"c3 {'1' * 5000}"]
)
def test_shortest_path_refuses(text):
    with pytest.raises(BadInput):
        contract.parse_position(ShortestPath(), text)


# ----------------------------------------------------------------------------------------------------------- chance


def duel_value(turns, turn=0, first=0, second=0):
    """Expectation for A before a first throw, by recursion over turns."""
    if turn == 2 * turns:
        return Fraction((first > second) - (first < second))
    mine = (lambda points: (first + points, second)) if turn % 2 == 0 else (lambda points: (first, second + points))
    keeping = {face: duel_value(turns, turn + 1, *mine(face)) for face in (1, 2, 3)}
    chances = {1: Fraction(1, 2), 2: Fraction(1, 3), 3: Fraction(1, 6)}
    again = sum(chances[face] * keeping[face] for face in chances)
    better = max if turn % 2 == 0 else min
    return sum(chances[face] * better(keeping[face], again) for face in chances)


@pytest.mark.parametrize("turns, value", [(1, Fraction(-1, 72)), (2, Fraction(-7, 576)), (3, None)])
def test_dice_duel_exact_values(turns, value):
    game = DiceDuel(turns)
    exact = solved(game).value(contract.start(game))
    assert exact == duel_value(turns)
    assert value is None or exact == value


def test_dice_duel_decisions_depend_on_the_standing():
    game = DiceDuel()
    exact = solved(game)
    assert exact.best_moves(contract.parse_position(game, "3 4 2 2")) == [KEEP]
    assert exact.best_moves(contract.parse_position(game, "3 5 2 2")) == [AGAIN]


def test_dice_duel_order_of_movers():
    game = DiceDuel(1)
    state = after(game, "2", "again")
    assert contract.mover(game, state) == contract.CHANCE and contract.position_text(game, state) == "0 0 0 again"
    state = contract.play(game, state, 3)
    assert contract.mover(game, state) == contract.CHANCE and contract.position_text(game, state) == "1 3 0 -"
    state = contract.play(game, state, 1)
    assert contract.mover(game, state) == 1
    state = contract.play(game, state, KEEP)
    assert contract.count_moves(game, state) == 0 and contract.score(game, state) == SCORE_UNIT


def test_dice_duel_evaluation_is_antisymmetric():
    game = DiceDuel()
    # The same standing with A and B changed over, A to decide in one and B in the other.
    for_a = contract.evaluation(game, contract.parse_position(game, "2 1 3 1"))
    for_b = contract.evaluation(game, contract.parse_position(game, "3 3 1 1"))
    assert for_a == for_b == 1 - 3 + 1
    # Where chance moves the evaluation is the first player's, whoever throws.
    assert contract.evaluation(game, contract.parse_position(game, "2 1 3 -")) == -2
    assert contract.evaluation(game, contract.parse_position(game, "3 3 1 again")) == 2


MANY_TURNS = f"{'1' * 5000} 0 0 -"


@pytest.mark.parametrize(
    "text",
    ["5 4 4 -", "1 0 0 -", "1 4 0 -", "1 2 1 -", "4 4 4 1", "0 0 0 4", "0 0 0", "-1 0 0", "\u0660 0 0 -", MANY_TURNS],
)
def test_dice_duel_refuses(text):
    with pytest.raises(BadInput):
        contract.parse_position(DiceDuel(), text)
