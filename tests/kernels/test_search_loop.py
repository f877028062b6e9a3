"""Informed playouts in lanes: the searches in steps give the playouts that searches one by one give."""

import re

import llvmlite.binding
import numpy as np
import pytest
from numba import njit

from gpumcts.games import contract
from gpumcts.games.contract import CHANCE
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.othello import Othello
from gpumcts.games.shortest_path import ShortestPath
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts, evaluate_signature
from gpumcts.kernels.playout_loop import LANE_COUNT, VECTOR, WIDTHS
from gpumcts.kernels.search_loop import MIN_FOR_VECTORS, searched_in_lanes, searching_in_lanes
from gpumcts.options import compiled
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.uniform import Uniform
from gpumcts.verbs import JIT_OPTIONS
from tests.kernels.drivers import GAMES, keys_for, positions

STEPPED = {"othello": Othello(), "dots": DotsAndBoxes(3, 3), "dots, 1 x 2": DotsAndBoxes(1, 2), "path": ShortestPath()}
DEPTHS = (1, 2)
VECTORS = [(1, LANE_COUNT), *(pytest.param(2, n, marks=[] if n == LANE_COUNT else [pytest.mark.slow]) for n in WIDTHS)]
SIZES = sorted(
    {0, 1, MIN_FOR_VECTORS - 1, MIN_FOR_VECTORS, VECTOR, VECTOR + 1, LANE_COUNT, LANE_COUNT + 1, 3 * LANE_COUNT - 1}
)
every_stepped_game = pytest.mark.parametrize(
    "game",
    [pytest.param(g, id=name, marks=[pytest.mark.slow] if name != "othello" else []) for name, g in STEPPED.items()],
)
every_depth = pytest.mark.parametrize("depth", DEPTHS)


def assert_equal(game, policy, states, keys, playouts=1):
    """In lanes and one by one, the tallies are the same."""
    assert searched_in_lanes(game, compiled(policy))
    lanes = CpuPlayouts(game, policy).tally(states, keys, playouts)
    one_by_one = CpuPlayouts(game, policy, lanes=1).tally(states, keys, playouts)
    assert np.array_equal(np.stack(lanes), np.stack(one_by_one))


def test_who_takes_this_loop():
    for game in GAMES.values():
        stepped = game.LANES and contract.move_set.find(type(game)) is not None
        taken = [searched_in_lanes(game, compiled(Minimax(depth=depth))) for depth in (1, 2, 3)]
        assert taken == [stepped, stepped, False]
        assert not searched_in_lanes(game, compiled(Uniform()))
    assert searched_in_lanes(Othello(), compiled(Minimax(depth=2)))


@every_depth
@every_stepped_game
@pytest.mark.parametrize("epsilon", [0.0, 0.3, pytest.param(1.0, marks=pytest.mark.slow)])
@pytest.mark.parametrize("truncate", [0, *[pytest.param(plies, marks=pytest.mark.slow) for plies in (1, 2)], 9])
def test_equal_to_one_by_one(game, depth, epsilon, truncate):
    """From positions all through the game, some of them its end."""
    states, keys = positions(game, 90), keys_for(90)
    assert_equal(game, Minimax(depth, epsilon, truncate), states, keys)


@every_depth
def test_longer_games_of_othello(depth):
    states, keys = positions(Othello(), 500), keys_for(500, seed=7)
    assert_equal(Othello(), Minimax(depth=depth, epsilon=0.02), states, keys, 2)


@every_depth
def test_late_positions_of_othello(depth):
    """Passes, results within the horizon, single moves and games that are over."""
    rules, states = Rules(Othello()), positions(Othello(), 400, least=45)
    assert (rules.count_moves(states) == 0).any() and (rules.count_moves(states) == 1).any()
    assert_equal(Othello(), Minimax(depth=depth), states, keys_for(400), 2)


@pytest.mark.parametrize(
    "text",
    [
        "XO------".ljust(64, "-") + " X",  # one move wipes the other side out
        "XO------".ljust(64, "-") + " O",  # a pass, on a board whose middle is empty
        "X-------".ljust(64, "-") + " O 1",  # over, and once passed
        "X-------".ljust(64, "-") + " X 2",  # over, and twice passed
        "X" * 64 + " O",  # over on a full board
        "XO------" + "-" * 48 + "--OOOX-- X",
    ],
)
def test_odd_positions_of_othello(text):
    states = np.array([contract.parse_position(Othello(), text)] * 12, np.uint64)
    for depth in DEPTHS:
        assert_equal(Othello(), Minimax(depth=depth), states, keys_for(12))


@every_depth
@pytest.mark.parametrize("weight", [0, 100])
def test_parameters_of_the_game(depth, weight):
    assert_equal(Othello(weight), Minimax(depth=depth), positions(Othello(), 60), keys_for(60))


class PackedDuel(DiceDuel):
    """The duel with its moves in a word: chance at the root and within the horizon."""

    LANES = True


@contract.move_set.implements(PackedDuel)
def packed_move_set(game, state):
    first = np.uint64(2 if contract.mover(game, state) == CHANCE else 1)  # faces 1 to 3, or moves 0 and 1
    return ((np.uint64(1) << np.uint64(contract.count_moves(game, state))) - np.uint64(1)) * first


@pytest.mark.parametrize(
    "depth", [depth if depth == 1 else pytest.param(depth, marks=pytest.mark.slow) for depth in DEPTHS]
)
@pytest.mark.parametrize("epsilon", [0.0, 0.3])
def test_chance(depth, epsilon):
    assert_equal(PackedDuel(), Minimax(depth=depth, epsilon=epsilon), positions(PackedDuel(), 200), keys_for(200), 2)


@every_depth
@every_stepped_game
@pytest.mark.parametrize("count", [2, 3])
def test_plain_python(game, depth, count):
    """The loop itself is Python, too."""
    policy = Minimax(depth=depth, epsilon=0.2, truncate=3)
    states, keys, tally = positions(game, count, least=8), keys_for(count), np.zeros((count, 4), np.int64)
    with np.errstate(over="ignore"):
        searching_in_lanes(LANE_COUNT)(game, compiled(policy), states, keys, 0, 1, tally)
    assert np.array_equal(tally.T, np.stack(CpuPlayouts(game, policy, lanes=1).tally(states, keys)))


@every_depth
@every_stepped_game
def test_batch_sizes(game, depth):
    states, keys = positions(game, max(SIZES)), keys_for(max(SIZES))
    engine = CpuPlayouts(game, Minimax(depth=depth))
    whole = np.stack(engine.tally(states, keys, 3))
    for size in SIZES:
        assert np.array_equal(np.stack(engine.tally(states[:size], keys[:size], 3)), whole[:, :size])


@pytest.mark.skipif(not llvmlite.binding.get_host_cpu_features().get("avx2"), reason="this CPU has no AVX2")
@pytest.mark.parametrize(("depth", "lanes"), VECTORS)
def test_steps_are_vectorised(depth, lanes):
    """A step of Othello's search in vector registers: some 300 operations, four or eight lanes at once."""
    signature, function = evaluate_signature(Othello(), compiled(Minimax(depth=depth))), searching_in_lanes(lanes)
    function = njit(**JIT_OPTIONS)(function)  # as ``separate`` compiles it
    function.compile(signature)
    code = function.inspect_asm(signature.args)
    wide = re.findall(r"^\s+vp(?:s[lr]lv?q|s[lr]l[dq]|and\w*|or\w*|xor\w*|ternlog\w*|addq|subq)\s.*%[yz]mm", code, re.M)
    assert len(wide) > 200
