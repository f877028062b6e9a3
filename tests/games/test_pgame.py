"""P-game trees against a second implementation, the laws of their values, and shapes of all kinds."""

import itertools

import numpy as np
import pytest
from scipy.stats import chisquare

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.instances import MOST, instances
from gpumcts.games.othello import Othello
from gpumcts.games.pgame import PGame, State, sum_so_far
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.uniform import Uniform
from tests.games import drivers
from tests.reference.synthetic import PGameTree

SURE = 1e-6
SMALL = [(2, 6, False), (2, 7, True), (3, 4, False), (5, 3, True), (4, 4, False)]
SHAPES = [PGame(2, 63, 5), PGame(3, 40), PGame(6, 24, 9, True), PGame(64, 10), PGame(65, 4), PGame(1000, 6, MOST)]

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def after(game: PGame, path: tuple[int, ...]) -> State:
    state = contract.start(game)
    for move in path:
        state = contract.play(game, state, move)
    return state


@pytest.mark.parametrize(("branching", "depth", "plus_minus_one"), SMALL)
def test_every_node_is_that_of_the_reference(branching, depth, plus_minus_one):
    """Preorder index, size of the subtree, sum, score and mover of all nodes; indices are 0, 1, 2, ... in preorder."""
    game, tree = (cls(branching, depth, 3, plus_minus_one) for cls in (PGame, PGameTree))
    levels = [itertools.product(range(branching), repeat=plies) for plies in range(depth + 1)]
    paths = sorted(itertools.chain.from_iterable(levels))  # shorter ones first where they begin alike: preorder
    for index, path in enumerate(paths):
        state = after(game, path)
        assert state.node == index == tree.preorder(path)
        assert state.size == sum(branching**k for k in range(depth - len(path) + 1))
        assert sum_so_far(state) == tree.total(path)
        assert contract.mover(game, state) == len(path) % 2
        if len(path) == depth:
            assert contract.score(game, state) == SCORE_UNIT * tree.leaf(path)


@pytest.mark.parametrize("plus_minus_one", [False, True])
@pytest.mark.parametrize("side", [0, 1])
def test_the_law_of_the_values(side, plus_minus_one):
    """Uniform on 0 to 127 for MAX, -127 to 0 for MIN, or on -1 and +1; a correct law fails once in 1e6 at most."""
    game = PGame(8, 6, 1, plus_minus_one)
    rules = Rules(game)
    states = instances(game, range(4000))
    for _ in range(side):
        states = rules.play(states, np.zeros(len(states), np.int64))
    sums = [states[:, 3].view(np.int64) >> 32]
    sums += [rules.play(states, np.full(len(states), move)).T[3].view(np.int64) >> 32 for move in range(8)]
    values = np.concatenate([later - sums[0] for later in sums[1:]])
    wanted = [-1, 1] if plus_minus_one else list(range(128) if side == 0 else range(-127, 1))
    found, counts = np.unique(values, return_counts=True)
    assert found.tolist() == wanted
    assert chisquare(counts).pvalue > SURE


def test_draws_need_an_even_depth():
    """With values of +-1 a playout is drawn with probability C(20,10)/2^20 = 0.1762 at depth 20, never at depth 19.

    4000 trees, 6 sigma: they need not agree among themselves.
    """
    keys = np.arange(40_000, dtype=np.uint64) << np.uint64(20)
    shares = {}
    for depth in (19, 20):
        game = PGame(2, depth, plus_minus_one=True)
        tally = CpuPlayouts(game, Uniform()).tally(instances(game, np.arange(40_000) % 4000), keys)
        shares[depth] = tally.draws.mean()
        assert tally.plies.sum() == 40_000 * depth
    assert shares[19] == 0
    assert abs(shares[20] - 0.1762) < 6 * (0.1762 * 0.8238 / 4000) ** 0.5


@pytest.mark.parametrize("game", SHAPES, ids=str)
def test_shapes_keep_the_contract(game):
    assert game.compiled() == game
    words, _, plies = drivers.trace(game, drivers.keys_of(1, count=60))
    assert (plies == game.depth).all() and game.depth == game.MAX_PLIES
    states = drivers.positions(words, plies) if game.branching < 100 else words[:3].reshape(-1, 4)
    keys = drivers.keys_of(2, count=97)
    assert drivers.first_fault(game, states, keys) == (-1, "none")
    ends = words[np.arange(len(plies)), plies]
    assert drivers.first_bad_ending(game, ends, keys, SCORE_UNIT) == (-1, "none")
    assert len(np.unique(words[:, :, 1])) > 60, "random games should part"
    for row in states[:: len(states) // 20]:
        state = contract.unpack(game, row, 0, 1)
        assert contract.parse_position(game, contract.position_text(game, state)) == state


@pytest.mark.parametrize("game", SHAPES, ids=str)
@pytest.mark.parametrize(
    "policy", [Uniform(), pytest.param(Minimax(depth=2), marks=pytest.mark.slow)], ids=["uniform", "minimax"]
)
def test_lanes_play_what_playouts_one_by_one_play(game, policy):
    """Beyond 64 moves informed playouts have no lanes."""
    assert (game.branching <= 64) == game.LANES
    states, keys = instances(game, range(20)), drivers.keys_of(4, count=20)
    players = CpuPlayouts(game, policy), CpuPlayouts(game, policy, lanes=False)
    tallies = [player.tally(states, keys) for player in players]
    assert np.array_equal(*map(np.stack, tallies))


def test_instances_are_trees_of_their_own():
    game = PGame(2, 10, instance=77)
    roots = instances(game, [5, 77, 5, MOST])
    assert np.array_equal(roots[0], roots[2]) and len({row.tobytes() for row in roots}) == 3
    assert np.array_equal(roots[1], np.array(contract.start(game), np.uint64))
    texts = [contract.position_text(game, contract.unpack(game, row, 0, 1)) for row in roots]
    assert texts == ["5 -", "77 -", "5 -", f"{MOST} -"]
    others = [contract.start(shape).key for shape in (game, PGame(3, 10, 77), PGame(2, 11, 77), PGame(2, 10, 77, True))]
    assert len(set(others)) == 4, "shapes share no values"
    assert instances(game, []).shape == (0, 4)


def test_instances_that_are_none():
    with pytest.raises(BadInput, match="0 to 9223372036854775807"):
        instances(PGame(), [-1])
    with pytest.raises(BadInput, match="Othello has no instances"):
        instances(Othello(), [1])


@pytest.mark.parametrize(("branching", "deepest"), [(2, 63), (3, 40), (8, 21), (10, 19), (32_767, 4)])
def test_trees_of_too_many_nodes_are_refused(branching, deepest):
    assert PGame(branching, deepest).compiled() == PGame(branching, deepest)
    if deepest < 63:
        message = f"game.depth={deepest + 1}: with game.branching={branching} must be at most {deepest}"
        with pytest.raises(BadInput, match=message):
            PGame(branching, deepest + 1).compiled()


def test_texts():
    game = PGame(3, 5, 12)
    state = contract.parse_position(game, "12 0.2.1")
    assert state == after(game, (0, 2, 1))
    assert contract.position_text(game, state) == "12 0.2.1"
    total = PGameTree(3, 5, 12).total((0, 2, 1))
    assert contract.board_text(game, state).splitlines() == [
        "instance 12, ply 3 of 5: MIN to move",
        "path 0.2.1",
        f"sum of the move values {total}",
    ]
    assert contract.parse_position(game, "0012 -") == contract.start(game)
    for bad in (
        "12",
        "12 0.3",
        "12 0..1",
        "12 .",
        "x -",
        "12 0.0.0.0.0.0",
        f"{MOST + 1} -",
        "12 ²",
        "12 " + "9" * 5000,
    ):
        with pytest.raises(BadInput, match="position: "):
            contract.parse_position(game, bad)
