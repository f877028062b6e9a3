"""Alpha-beta: values and counted leaves against a slow reference, any game without chance, and figures of P-games."""

import threading
import time
from functools import partial

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.deceptive import Deceptive
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.implanted import Implanted
from gpumcts.games.instances import instances
from gpumcts.games.pgame import PGame
from gpumcts.games.shortest_path import ShortestPath
from gpumcts.kernels.batch import Rules
from gpumcts.options import compiled
from gpumcts.solver import alpha_beta
from gpumcts.solver.alpha_beta import root_scores, search_budget, solve
from gpumcts.solver.search_loop import DONE, MORE
from tests.games.drivers import keys_of, positions, trace
from tests.interrupts import raised
from tests.reference import synthetic
from tests.reference.exact import Exact

COUNT = 40

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

TREES = {
    "pgame 2 x 8": (PGame(2, 8), lambda i: synthetic.PGameTree(2, 8, i)),
    "pgame 4 x 4": (PGame(4, 4), lambda i: synthetic.PGameTree(4, 4, i)),
    "pgame 3 x 5, +-1": (PGame(3, 5, 0, True), lambda i: synthetic.PGameTree(3, 5, i, True)),
    "pgame 2 x 9, +-1": (PGame(2, 9, 0, True), lambda i: synthetic.PGameTree(2, 9, i, True)),
    "implanted": (Implanted(8, [2, 6]), lambda i: synthetic.ImplantedTree(8, [2, 6], [], synthetic.thirds, i)),
    "implanted, alone": (
        Implanted(8, [1, 6], single_agent=True),
        lambda i: synthetic.ImplantedTree(8, [1, 6], [], synthetic.thirds, i, True),
    ),
    "implanted, both": (
        Implanted(8, [0, 4], [3, 7]),
        lambda i: synthetic.ImplantedTree(8, [0, 4], [3, 7], synthetic.thirds, i),
    ),
    "deceptive": (Deceptive(3, 6, 2, 1, 20), lambda i: synthetic.DeceptiveTree(3, 6, 2, 1, 20, i)),
}
every_tree = pytest.mark.parametrize("name", TREES)


def trees_of(name):
    """The game, packed roots of COUNT instances, a key for each, and the reference's trees."""
    game, reference = TREES[name]
    roots, keys = instances(game, range(COUNT)), keys_of(31, count=COUNT)
    return game, roots, keys, [reference(number) for number in range(COUNT)]


@every_tree
def test_values_are_those_of_minimax(name):
    game, roots, keys, trees = trees_of(name)
    values = [SCORE_UNIT * synthetic.minimax(tree) for tree in trees]
    for signs in (True, False):
        assert solve(game, roots, signs=signs).score.tolist() == values
        assert solve(game, roots, keys, signs).score.tolist() == values
    if "implanted" not in name and name != "deceptive":
        assert len(set(values)) > 1


@every_tree
def test_leaves_are_counted_as_the_reference_does(name):
    """In the order of the moves, and in the random order of a key."""
    game, roots, keys, trees = trees_of(name)
    assert solve(game, roots).leaves.tolist() == [synthetic.alpha_beta(tree)[1] for tree in trees]
    shuffled = [synthetic.alpha_beta(tree, key=int(key))[1] for tree, key in zip(trees, keys, strict=True)]
    assert solve(game, roots, keys).leaves.tolist() == shuffled
    assert solve(game, roots, keys_of(32, count=COUNT)).leaves.tolist() != shuffled


@every_tree
def test_scores_of_all_root_moves(name):
    game, roots, keys, trees = trees_of(name)
    values = [[synthetic.minimax(tree, (move,)) for move in range(tree.branching)] for tree in trees]
    for order in (None, keys):
        scores, counts = root_scores(game, roots, order)
        assert scores.tolist() == (SCORE_UNIT * np.array(values)).tolist()
        assert (counts == trees[0].branching).all()


def anytime(tree, key, leaves, best_so_far):
    """The move after so many leaves; None for a random one."""
    done = []
    _, needed = synthetic.alpha_beta(tree, key=key, done=done)
    if best_so_far:
        done = [(move, value) for move, value, then in done if then <= leaves]
    elif needed > leaves:
        done = []
    return max(done, key=lambda found: found[1])[0] if done else None


@every_tree
@pytest.mark.parametrize("best_so_far", [False, True])
@pytest.mark.parametrize("shuffled", [pytest.param(False, marks=pytest.mark.slow), True])
def test_the_moves_of_a_stopped_search(name, best_so_far, shuffled):
    game, roots, keys, trees = trees_of(name)
    checkpoints = [1, 5, 12, 30, 80, 200, 10_000, 60]
    found = search_budget(game, roots, keys, checkpoints, best_so_far, shuffled)
    assert found.moves.shape == (COUNT, len(checkpoints))
    assert found.leaves.tolist() == solve(game, roots, keys if shuffled else None).leaves.tolist()
    guesses = 0
    for tree, key, moves in zip(trees, keys, found.moves, strict=True):
        for move, leaves in zip(moves, checkpoints, strict=True):
            wanted = anytime(tree, int(key) if shuffled else None, leaves, best_so_far)
            assert 0 <= move < tree.branching
            assert wanted is None or move == wanted
            guesses += wanted is None
    assert guesses < COUNT * len(checkpoints)
    assert guesses > 0 or (name == "implanted, alone" and not shuffled)  # whose first leaf is a win


def test_guesses_are_uniform_and_depend_on_nothing_but_key_and_leaves():
    game = PGame(4, 8)
    roots, keys = instances(game, [3] * 4000), keys_of(33, count=4000)
    moves = search_budget(game, roots, keys, [1, 2, 3]).moves
    for column in moves.T:  # 4000 draws of 4: each count within 5.5 standard errors of 1000, or once in 2e-7
        assert np.abs(np.bincount(column, minlength=4) - 1000).max() < 5.5 * (4000 * 0.25 * 0.75) ** 0.5
    assert abs((moves[:, 0] == moves[:, 1]).mean() - 0.25) < 5.5 * (0.25 * 0.75 / 4000) ** 0.5
    again = search_budget(game, roots[:100], keys[:100], [3, 1]).moves
    assert np.array_equal(again, moves[:100, [2, 0]])


def test_the_minimiser_moves_first():
    """Below the root the best is the least."""
    game = PGame(3, 6)
    rules = Rules(game)
    states = rules.play(instances(game, range(COUNT)), np.arange(COUNT) % 3)
    keys = keys_of(34, count=COUNT)
    scores, _ = root_scores(game, states)
    assert np.array_equal(scores.min(axis=1), solve(game, states).score)
    for best_so_far in (False, True):
        moves = search_budget(game, states, keys, [1000], best_so_far).moves[:, 0]
        assert np.array_equal(scores[np.arange(COUNT), moves], scores.min(axis=1))


@pytest.mark.parametrize("game", [DotsAndBoxes(1, 2), DotsAndBoxes(2, 2), ShortestPath()], ids=str)
def test_other_games(game):
    """Two moves in a row, one player, costs in place of wins; from positions all through the game, its end included."""
    words, _, plies = trace(game, keys_of(35, count=6))
    states = positions(words, plies)
    solver = Exact(game)
    values = [int(SCORE_UNIT * solver.value(contract.unpack(game, row, 0, 1))) for row in states]
    keys = keys_of(36, count=len(states))
    for order in (None, keys):
        solved = solve(game, states, order, signs=False)
        assert solved.score.tolist() == values
        assert solve(game, states, order).score.tolist() == [SCORE_UNIT * int(np.sign(value)) for value in values]
    over = Rules(game).count_moves(states) == 0
    assert over.any() and (solved.leaves[over] == 1).all()
    scores, counts = root_scores(game, states, signs=False)
    for row, state in enumerate(states):
        solver_moves = Rules(game).legal_moves(state)
        after = [contract.play(game, contract.unpack(game, state, 0, 1), move) for move in solver_moves]
        assert scores[row, : counts[row]].tolist() == [int(SCORE_UNIT * solver.value(child)) for child in after]
        assert not scores[row, counts[row] :].any()


def test_threads_and_stops_between_calls_change_nothing(monkeypatch):
    """Calls end after any leaf and go on."""
    game = PGame(3, 7)
    roots, keys = instances(game, range(150)), keys_of(37, count=150)
    whole = solve(game, roots, keys)
    moves = search_budget(game, roots, keys, [10, 100]).moves
    for quota in (1, 7, 1000):
        monkeypatch.setattr(alpha_beta, "QUOTA", quota)
        for threads in (1, 3):
            again = solve(game, roots, keys, threads=threads)
            assert np.array_equal(np.stack(again), np.stack(whole))
            assert np.array_equal(search_budget(game, roots, keys, [10, 100], threads=threads).moves, moves)


def test_a_limit_of_leaves():
    game = PGame(2, 10)
    roots = instances(game, range(30))
    leaves = solve(game, roots).leaves
    assert np.array_equal(solve(game, roots, limit=int(leaves.max())).leaves, leaves)
    few = int(np.sort(leaves)[15])
    with pytest.raises(BadInput, match=f"limit={few}: {np.sum(leaves > few)} of 30 roots need more leaves"):
        solve(game, roots, limit=few)
    with pytest.raises(BadInput, match="limit=0: 30 of 30 roots need more leaves"):
        solve(game, roots, limit=0)


@pytest.mark.parametrize("search", [solve, root_scores, partial(search_budget, checkpoints=[1])])
def test_arrays_of_other_shapes_are_refused(search):
    """Compiled code would read what lies behind them in memory, and answer."""
    roots = instances(PGame(2, 4), range(3))
    with pytest.raises(BadInput, match=r"^keys: must be uint64\[3\], one for each of the states, not uint64\[1\]$"):
        search(PGame(2, 4), roots, keys=keys_of(1, count=1))
    with pytest.raises(BadInput, match=rf"^states: must be uint64\[B, {roots.shape[1]}\], positions of PGame, not"):
        search(PGame(2, 4), roots[0], keys=keys_of(1, count=1))
    with pytest.raises(BadInput, match="^threads=0 is not at least 1$"):
        search(PGame(2, 4), roots, keys=keys_of(1, count=3), threads=0)


def test_a_stop_interrupts():
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        solve(PGame(), instances(PGame(), range(3)), stop=stop)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_all_threads(threads, monkeypatch):
    """Threads that nobody tells to stop would search to the end, and the interrupt would come only then."""
    roots, begin = instances(PGame(), range(4)), time.monotonic()

    def endless(*arguments):
        time.sleep(0.02)
        return MORE if time.monotonic() < begin + 5 else DONE

    with monkeypatch.context() as patched, raised(0.2), pytest.raises(KeyboardInterrupt):
        patched.setattr(alpha_beta, "advance", endless)
        solve(PGame(), roots, threads=threads)
    assert time.monotonic() < begin + 4


@pytest.mark.parametrize("threads", [1, 2])
def test_chance_is_refused(threads):
    game = DiceDuel(1)
    rules = Rules(game)
    start = rules.starts(2)
    for states in (start, rules.play(start, np.array([1, 3]))):  # at the root, and below it
        with pytest.raises(BadInput, match="takes games without chance; in DiceDuel chance moves"):
            solve(game, states, threads=threads)


@pytest.mark.parametrize(
    ("checkpoints", "message"), [([], "checkpoints"), ([5, 0], "checkpoints"), ([-1], "checkpoints")]
)
def test_bad_checkpoints_are_refused(checkpoints, message):
    with pytest.raises(BadInput, match=message):
        search_budget(PGame(2, 4), instances(PGame(2, 4), [1]), keys_of(1, count=1), checkpoints)


def test_a_finished_game_has_no_move():
    game = PGame(2, 2)
    end = np.array([contract.parse_position(game, "1 0.1")], np.uint64)
    with pytest.raises(BadInput, match="a game is over"):
        search_budget(game, end, keys_of(1, count=1), [10])


def test_no_roots():
    game = compiled(Implanted())
    none = instances(game, [])
    assert solve(game, none).score.shape == (0,)
    assert [found.shape for found in root_scores(game, none)] == [(0, 0), (0,)]


@pytest.mark.parametrize(
    ("branching", "depth", "trees", "leaves", "error", "right", "right_error", "fails"),
    [(2, 20, 4000, 5008, 46, 0.545, 0.006, 0.228), (8, 8, 1500, 23_416, 406, 0.378, 0.012, 0.510)],
)
def test_p_games_are_those_of_the_documents(branching, depth, trees, leaves, error, right, right_error, fails):
    """Mean leaves on signs with window (-1, +1), trees without a wrong root move, and how often a random move fails.

    Each figure of an independent program has its standard error (that of ``fails`` is at most the one of ``right``),
    and so has ours: they may differ by 5 of both together, which correct programs do with a probability below 1e-6.
    """
    game = PGame(branching, depth)
    roots = instances(game, range(trees))
    solved = solve(game, roots)
    assert abs(solved.leaves.mean() - leaves) < 5 * np.hypot(error, solved.leaves.std() / trees**0.5)
    scores, _ = root_scores(game, roots)
    wrong = scores < scores.max(axis=1, keepdims=True)
    assert np.array_equal(scores.max(axis=1), solved.score)
    tolerance = 5 * np.hypot(right_error, (right * (1 - right) / trees) ** 0.5)
    assert abs((~wrong.any(axis=1)).mean() - right) < tolerance
    assert abs(wrong.mean() - fails) < tolerance
