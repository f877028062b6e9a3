"""Deceptive trees: leaf by leaf against a second implementation, their values, and what playouts make of them."""

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.deceptive import MISSED, Deceptive, State, only_move
from gpumcts.games.instances import instances
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.uniform import Uniform
from tests.games import drivers
from tests.reference.synthetic import DeceptiveTree, minimax

U = np.uint64

TREES = [(3, 6, 1, 1, 0), (3, 5, 2, 2, 0), (2, 9, 3, 2, 20), (2, 8, 4, 1, 50), (4, 4, 1, 1, 99), (2, 3, 1, 1, 0)]

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
every_tree = pytest.mark.parametrize("shape", TREES, ids=str)


@every_tree
def test_every_leaf_is_that_of_the_reference(shape):
    for instance in range(4):
        game, reference = Deceptive(*shape, instance), DeceptiveTree(*shape, instance)
        rules = Rules(game)
        states = rules.starts(1)
        for _ in range(game.depth):
            states = states.repeat(game.branching, axis=0)
            states = rules.play(states, np.arange(len(states)) % game.branching)
        assert (rules.scores(states) // SCORE_UNIT).tolist() == [reference.leaf(path) for path in reference.leaves()]


@every_tree
def test_one_root_move_wins_and_the_others_lose(shape):
    right = set()
    for instance in range(8):
        reference = DeceptiveTree(*shape, instance)
        values = [minimax(reference, (move,)) for move in range(reference.branching)]
        assert sorted(values) == [-1] * (reference.branching - 1) + [1]
        right.add(values.index(1))
    assert len(right) > 1, "which move is right should depend on the instance"


@pytest.mark.parametrize(
    "game", [Deceptive(3, 9), Deceptive(2, 12, 3, 2), Deceptive(4, 10, 2, 1, 30), Deceptive(3, 20, 2, 3, 10)], ids=str
)
def test_what_playouts_make_of_it(game):
    """A wrong move wins (1 - B^-r)(1 - noise) of the playouts, the right one B^-l + (1 - B^-l) noise: within 5 errors.

    The playouts of an instance are not independent, so each instance is played once.
    """
    count = 60_000
    rules = Rules(game)
    starts = instances(game, range(count))
    moves = np.arange(count) % game.branching
    states = rules.play(starts, moves)
    wrong = (states[:, 2] >> np.uint64(8)) & np.uint64(1) == 1
    won = CpuPlayouts(game, Uniform()).tally(states, drivers.keys_of(3, count=count)).wins
    noise = game.noise / 100
    refuted, climbed = game.branching**-game.refutation, game.branching**-game.ladder
    for share, wanted in (
        (won[wrong].mean(), (1 - refuted) * (1 - noise)),
        (won[~wrong].mean(), climbed + (1 - climbed) * noise),
    ):
        assert abs(share - wanted) < 5 * (0.25 / (count / game.branching)) ** 0.5
    assert abs(wrong.mean() - (1 - 1 / game.branching)) < 5 * (0.25 / count) ** 0.5


def test_figure_1():
    """Three replies of which one refutes: 2/3. Two moves of which one wins: 1/2."""
    reference = DeceptiveTree(3, 3, 1, 1, 0, 5)
    wrong = next(move for move in range(3) if minimax(reference, (move,)) == -1)
    assert sum(reference.leaf(path) == 1 for path in reference.leaves() if path[0] == wrong) / 9 == 2 / 3
    reference = DeceptiveTree(2, 3, 1, 1, 0, 5)
    right = next(move for move in range(2) if minimax(reference, (move,)) == 1)
    assert sum(reference.leaf(path) == 1 for path in reference.leaves() if path[0] == right) / 4 == 1 / 2


@every_tree
def test_trees_keep_the_contract(shape):
    game = Deceptive(*shape).compiled()
    words, _, plies = drivers.trace(game, drivers.keys_of(1, count=300))
    assert (plies == game.depth).all()
    states, keys = drivers.positions(words, plies), drivers.keys_of(2, count=300)
    assert drivers.first_fault(game, states, keys) == (-1, "none")
    ends = words[np.arange(len(plies)), plies]
    assert drivers.first_bad_ending(game, ends, keys, SCORE_UNIT) == (-1, "none")
    for row in states[:40]:
        state = contract.unpack(game, row, 0, 1)
        assert contract.parse_position(game, contract.position_text(game, state)) == state


@pytest.mark.parametrize(
    "policy", [Uniform(), pytest.param(Minimax(depth=2), marks=pytest.mark.slow)], ids=["uniform", "minimax"]
)
def test_lanes_play_what_playouts_one_by_one_play(policy):
    game = Deceptive(3, 10, 2, 2, 15)
    states, keys = instances(game, range(50)), drivers.keys_of(4, count=50)
    players = CpuPlayouts(game, policy), CpuPlayouts(game, policy, lanes=False)
    tallies = [player.tally(states, keys) for player in players]
    assert np.array_equal(*map(np.stack, tallies))


def test_the_evaluation_sees_what_most_leaves_are():
    """+1 behind a wrong move, -1 behind the right, until the last turn decides; the score at a leaf without noise."""
    game, reference = Deceptive(3, 6, 1, 1), DeceptiveTree(3, 6, 1, 1, 0, 0)
    for path in list(reference.leaves())[::7]:
        state = contract.start(game)
        wrong = path[0] != reference.only_move(())
        for ply, move in enumerate(path):
            looks = contract.evaluation(game, state) * (1 if ply % 2 == 0 else -1)
            assert looks == (0 if ply == 0 else (1 if wrong else -1)) or (ply == 5 and not wrong)
            state = contract.play(game, state, move)
        assert contract.evaluation(game, state) * SCORE_UNIT == contract.score(game, state)


@pytest.mark.parametrize(
    ("game", "message"),
    [
        (Deceptive(2, 8, refutation=5), "game.refutation=5: must be at most 4, MIN's turns with game.depth=8"),
        (Deceptive(2, 8, ladder=4), "game.ladder=4: must be at most 3, MAX's turns after the first with game.depth=8"),
        (
            Deceptive(3, 41),
            "game.depth=41: with game.branching=3 must be at most 40, since indices of nodes have 64 bits",
        ),
    ],
)
def test_what_does_not_fit_is_refused(game, message):
    with pytest.raises(BadInput) as refusal:
        game.compiled()
    assert str(refusal.value) == message


def test_texts():
    game = Deceptive(3, 4, instance=5)
    state = contract.parse_position(game, "5 2.0")
    assert contract.position_text(game, state) == "5 2.0"
    lines = contract.board_text(game, state).splitlines()
    assert lines[:2] == ["instance 5, ply 2 of 4: MAX to move", "path 2.0"]
    right = DeceptiveTree(3, 4, 1, 1, 0, 5).only_move(())
    side = "right; MAX has missed no only move of the ladder" if right == 2 else "wrong; MIN has missed no only move"
    assert lines[2].startswith(f"the root move was {side}")


def test_noise_knows_nothing_of_the_only_moves():
    """In trees of more than 65,536 nodes too, where draws of one key meet: the share of noise is that of all leaves."""
    game = Deceptive(branching=3, depth=12, noise=30)
    key, counts = contract.start(game).key, np.zeros((3, 2), np.int64)
    for node in range(1, 20_001):
        wrong = State(key, U(node), U(1))
        leaf = State(key, U(node + 65_536), U(game.depth) | U(1) << U(MISSED))
        plain = contract.score(game._replace(noise=0), leaf)
        counts[int(only_move(game, wrong)), int(contract.score(game, leaf) != plain)] += 1
    shares = counts[:, 1] / counts.sum(axis=1)
    assert np.all(np.abs(shares - 0.3) < 5 * np.sqrt(0.21 / counts.sum(axis=1)))
