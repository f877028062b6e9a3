"""Minimax of a fixed depth: every move's value and all best moves as plain minimax has them, ties, nodes, refusals."""

import threading

import numpy as np
import pytest

from gpumcts.alpha_beta import batch
from gpumcts.alpha_beta.leaves import WON_LEAST, Quiescent
from gpumcts.alpha_beta.minimax import Minimax, minimax_name, values_of_moves
from gpumcts.alpha_beta.roots import UNKNOWN
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.chess import OPTION as Chess
from gpumcts.games.clobber import OPTION as Clobber
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.instances import instances
from gpumcts.games.othello import Othello
from gpumcts.games.pgame import PGame
from gpumcts.games.shortest_path import ShortestPath
from gpumcts.kernels.batch import Rules
from gpumcts.options import compiled
from tests.games.drivers import keys_of
from tests.reference.depth_limited import DepthLimited
from tests.reference.minimax import played_out, quiescent

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

BOXES = DotsAndBoxes(2, 2)


def after(game, plies, count, seed):
    """``count`` positions after so many random plies, those that are over left out."""
    rules = Rules(game)
    states = rules.starts(count)
    for ply in range(plies):
        states = rules.play(states, rules.random_moves(states, keys_of(seed, ply, count=count)))
        states = states[rules.count_moves(states) > 0]
        count = len(states)
    return states


def othello():
    return np.concatenate([after(Othello(), 12, 3, 71), after(Othello(), 52, 5, 72), after(Othello(), 56, 5, 73)])


def boxes():
    return np.concatenate([after(BOXES, 3, 2, 81), after(BOXES, 5, 4, 82), after(BOXES, 8, 4, 83)])


def clobber():
    return after(compiled(Clobber(4, 4)), 6, 4, 74)


def chess():
    return np.concatenate([after(compiled(Chess()), plies, 1, plies) for plies in (9, 200, 260)])


POSITIONS = {
    "dots_and_boxes": (BOXES, boxes, 4),  # two moves in a row
    "p-games": (PGame(2, 7), lambda: instances(PGame(2, 7), range(12)), 7),
    "p-games with draws": (PGame(3, 5, plus_minus_one=True), lambda: instances(PGame(3, 5, 0, True), range(6)), 4),
}
LONG = {
    "othello": (Othello(), othello, 3),
    "clobber": (compiled(Clobber(4, 4)), clobber, 3),
    "chess": (compiled(Chess()), chess, 2),
}
QUICK_OR_OWN = ("dots_and_boxes", "chess")  # Chess with playouts has a test of its own


def slow(name):
    return pytest.param(name, marks=pytest.mark.slow)


ALL = [*POSITIONS, *[slow(name) for name in LONG]]


def given(name):
    """(game, positions, depth) by name."""
    game, make, depth = {**POSITIONS, **LONG}[name]
    return game, make(), depth


def unpacked(game, words):
    return contract.unpack(game, words, 0, 1)


def evaluated(game, words, depth):
    """The values of a position's moves by plain minimax over the evaluation."""
    reference, state = DepthLimited(game), unpacked(game, words)
    return [reference.of_move(state, move, depth) for move in Rules(game).legal_moves(words).tolist()]


def check(game, searches, states, depth, expected, keys):
    """Every move's value as expected, and the choice among all that are best."""
    found, of_moves = searches.search(states, keys, depth), searches.values_of_moves(states, depth, keys)
    for row, (words, values) in enumerate(zip(states, expected, strict=True)):
        assert of_moves.values[row].dtype == np.int64 and of_moves.values[row].tolist() == values
        best = Rules(game).legal_moves(words)[np.array(values) == max(values)]
        assert found.values[row] == max(values) and found.moves[row] in best


@pytest.mark.parametrize("entries", [2, 1 << 12])
@pytest.mark.parametrize("name", ALL)
def test_every_move_is_worth_what_plain_minimax_says(name, entries):
    """At every depth, with a table that holds all or next to nothing."""
    game, states, most = given(name)
    searches = Minimax(game, entries=entries)
    for depth in range(1, most + 1):
        expected = [evaluated(game, words, depth) for words in states]
        check(game, searches, states, depth, expected, keys_of(41, count=len(states)))


@pytest.mark.parametrize("name", ["dots_and_boxes", *[slow(n) for n in (*POSITIONS, *LONG) if n not in QUICK_OR_OWN]])
def test_with_playouts_too(name):
    """The outcomes hang on the path alone, not on what was cut off, nor on the order; another key makes others."""
    game, states, most = given(name)
    states, searches, seen = states[3::2], Minimax(game, "playout"), set()
    for depth in range(1, min(most, 3) + 1):
        for seed in (42, 43):
            keys = keys_of(seed, count=len(states))
            expected = [
                played_out(game, unpacked(game, words), depth, int(key))
                for words, key in zip(states, keys, strict=True)
            ]
            check(game, searches, states, depth, expected, keys)
            assert set(sum(expected, [])) <= {-1, 0, 1}
            seen.add((depth, str(expected)))
    assert len(seen) > min(most, 3) and (searches.search(states, keys, most).proven == UNKNOWN).all()


NEAR_THE_END = (
    "7k/8/6K1/8/8/8/8/R7 w - - 94 100",  # one move mates, others do not, and four plies after them it is a draw
    "7k/5P2/8/6K1/8/8/8/8 w - - 95 100",  # promotions, one of which leaves no move
    "5k2/8/4K3/8/8/8/8/3R4 b - - 93 100",
)
"""Few moves, and soon a draw by the fifty moves: plain Python plays out every leaf, and games of Chess are long."""


@pytest.mark.slow
@pytest.mark.parametrize("depth", [2, 3])
def test_with_playouts_in_chess(depth):
    """MM-k-R of Ramanujan et al. 2010: what a leaf is worth hangs on its path, and that of a sure mate does not."""
    game, seen = compiled(Chess()), set()
    states = np.array([contract.parse_position(game, text) for text in NEAR_THE_END], np.uint64)
    keys = keys_of(42, count=len(states))
    expected = [
        played_out(game, unpacked(game, words), depth, int(key)) for words, key in zip(states, keys, strict=True)
    ]
    check(game, Minimax(game, "playout"), states, depth, expected, keys)
    assert {-1, 0, 1} >= set(expected[0]) and max(expected[0]) == 1
    seen.update(sum(expected, []))
    assert len(seen) > 1


def check_quiescence(game, states, depths, least):
    """The values of plain quiescence search, of which some positions, ``least`` or more, have others than without."""
    searches, differ = Minimax(game, quiescence=True), 0
    for depth in depths:
        expected = [quiescent(game, unpacked(game, words), depth) for words in states]
        check(game, searches, states, depth, expected, keys_of(44, count=len(states)))
        differ += sum(evaluated(game, words, depth) != values for words, values in zip(states, expected, strict=True))
    assert differ >= least


def test_noisy_moves_are_followed_beyond_the_horizon():
    """Boxes that can be completed are, in turn."""
    check_quiescence(BOXES, boxes(), (1, 2, 3), least=6)


@pytest.mark.slow
def test_captures_are_followed_beyond_the_horizon():
    game = compiled(Chess())
    states = after(game, 320, 6, 77)
    check_quiescence(game, states, (1,), least=1)


# -------------------------------------------------------------------------------------------------- ties and nodes


def ranks_of_choices(game, words, depth, leaf, count):
    """Under ``count`` keys: how many best moves a position has, and the number of the chosen one, int64[count] both."""
    states, keys = np.repeat(words[None], count, axis=0), keys_of(45, count=count)
    searches = Minimax(game, leaf, entries=1 << 8)
    values = np.array(searches.values_of_moves(states, depth, keys).values)
    best = values == values.max(axis=1, keepdims=True)
    chosen = np.searchsorted(Rules(game).legal_moves(words), searches.search(states, keys, depth).moves)
    assert best[np.arange(count), chosen].all()
    return best.sum(axis=1), (np.cumsum(best, axis=1) - 1)[np.arange(count), chosen]


@pytest.mark.parametrize("depth, leaf", [(2, "evaluation"), (3, "evaluation"), (1, "playout")])
def test_each_of_the_best_moves_is_equally_likely(depth, leaf):
    """Chi-square over 500 keys or more below 32, the 99.99 % quantile of 8 degrees of freedom; there are no more.

    With evaluations in a position of Othello that has many best moves, while others are worse; with playouts on Dots
    and Boxes, where keys differ in which moves are best: those under which there are so many as most often count.
    """
    game, words, count = BOXES, Rules(BOXES).starts(1)[0], 4000
    if leaf == "evaluation":
        game, states, count = Othello(), after(Othello(), 12, 40, 76), 1000
        values = Minimax(game).values_of_moves(states, depth).values
        words = states[np.argmax([(v == v.max()).sum() * (v.min() < v.max()) for v in values])]
    equals, ranks = ranks_of_choices(game, words, depth, leaf, count)
    most = np.bincount(equals).argmax()
    counts = np.bincount(ranks[equals == most], minlength=most)
    assert 3 <= most <= 9 and counts.sum() >= 500
    assert ((counts - counts.mean()) ** 2 / counts.mean()).sum() < 32


def ties_of(game, states, depth, leaf, ties, keys):
    """(values of moves, numbers of the moves chosen) of positions."""
    searches = Minimax(game, leaf, entries=1 << 8, ties=ties)
    chosen = searches.search(states, keys, depth).moves
    numbers = [int(np.flatnonzero(Rules(game).legal_moves(w) == m)[0]) for w, m in zip(states, chosen, strict=True)]
    return searches.values_of_moves(states, depth, keys).values, numbers


@pytest.mark.parametrize("depth, leaf", [(2, "evaluation"), (1, "playout"), (2, "playout")])
def test_the_first_of_the_best_moves(depth, leaf):
    states = after(Othello(), 12, 60, 76)
    values, numbers = ties_of(Othello(), states, depth, leaf, "first", keys_of(45, count=60))
    assert numbers == [int(v.argmax()) for v in values]
    assert sum((v == v.max()).sum() > 1 for v in values) > 10 and len(set(numbers)) > 1


@pytest.mark.parametrize(
    "game, make, least",
    [
        pytest.param(BOXES, lambda: np.repeat(after(BOXES, 6, 40, 81), 8, axis=0), 100, id="dots_and_boxes"),
        pytest.param(
            compiled(Chess()), lambda: after(compiled(Chess()), 40, 20, 82), 5, id="chess", marks=pytest.mark.slow
        ),
    ],
)
@pytest.mark.parametrize("ties", ["noisy", "noisiest"])
def test_the_noisiest_of_the_best_moves(game, make, least, ties):
    """One of them by lot where there are several; any of the best moves where none is noisy."""
    states = make()
    values, numbers = ties_of(game, states, 1, "playout", ties, keys_of(45, count=len(states)))
    told, ranks = 0, set()
    for words, of_moves, number in zip(states, values, numbers, strict=True):
        state, moves = unpacked(game, words), Rules(game).legal_moves(words)
        best = np.flatnonzero(of_moves == of_moves.max())
        noise = np.array([min(contract.noisy(game, state, moves[k]), 1 if ties == "noisy" else 60_000) for k in best])
        noisiest = best[noise == noise.max()].tolist()
        assert number in noisiest
        told += len(noisiest) < len(best)
        ranks.add(noisiest.index(number))
    assert told >= least and len(ranks) > 1


def test_a_sure_win_and_a_lucky_playout_are_equal():
    """The scale of Ramanujan et al. 2010: both are worth 1, so that near wins are not preferred, which with evaluations
    they are."""
    states = after(Othello(), 58, 200, 75)
    keys = keys_of(46, count=len(states))
    sure = Minimax(Othello()).values_of_moves(states, 2).values
    lucky = Minimax(Othello(), "playout").values_of_moves(states, 2, keys).values
    wins = [(s >= WON_LEAST, p == 1) for s, p in zip(sure, lucky, strict=True)]
    assert all((p | ~s).all() for s, p in wins) and any(s.any() and (p & ~s).any() for s, p in wins)


@pytest.mark.parametrize("leaf", ["evaluation", "playout"])
def test_nodes_are_positions_of_the_tree(leaf):
    """Nodes at one ply and at two.

    One ply: the legal moves, whose playouts do not count, up to the first win where any of the best will do. Two plies
    of every move: no more than the whole tree, iterations that order the moves included.
    """
    states, keys = othello()[:3], keys_of(47, count=3)
    rules, searches = Rules(Othello()), Minimax(Othello(), leaf)
    moves, whole = rules.count_moves(states), [rules.perft(words, 2) for words in states]
    of_moves, visited = searches.values_of_moves(states, 1, keys).values, searches.search(states, keys, 1).nodes
    if leaf == "evaluation":
        assert visited.tolist() == moves.tolist()
    else:
        assert [n < m for n, m in zip(visited, moves, strict=True)] == [
            v.max() == 1 for v in of_moves
        ] and 1 in of_moves[0]
    assert searches.values_of_moves(states, 1, keys).nodes.tolist() == moves.tolist()
    nodes = searches.values_of_moves(states, 2, keys).nodes
    if leaf == "evaluation":  # nothing is cut off at two plies where every reply counts
        assert nodes.tolist() == [2 * m + w for m, w in zip(moves, whole, strict=True)]
    else:
        assert all(2 * m <= n < m + w for n, m, w in zip(nodes, moves, whole, strict=True))


# ----------------------------------------------------------------------------------------- batches, and what is refused


@pytest.mark.parametrize("leaf", ["evaluation", "playout"])
def test_threads_batches_and_slices_change_nothing(leaf, monkeypatch):
    states = othello()
    keys = keys_of(48, count=len(states))
    whole = Minimax(Othello(), leaf, entries=64).search(states, keys, 3)
    searches = Minimax(Othello(), leaf, entries=64, threads=3)
    monkeypatch.setattr(batch, "FIRST_QUOTA", 1)
    assert np.array_equal(np.stack(searches.search(states, keys, 3)), np.stack(whole))
    part = searches.search(states[7:2:-1], keys[7:2:-1], 3)
    assert np.array_equal(np.stack(part), np.stack(whole)[:, 7:2:-1])


def test_values_of_moves_by_name():
    states = othello()[:3]
    found = values_of_moves(Othello(), states, 2, entries=64, threads=2)
    same = Minimax(Othello()).values_of_moves(states, 2)
    assert [values.tolist() for values in found.values] == [values.tolist() for values in same.values]
    assert values_of_moves(Othello(), states[:0], 2, entries=64).values == []


def test_names():
    assert [minimax_name(2, "evaluation"), minimax_name(4, "playout"), minimax_name(3, "evaluation", True)] == [
        "MM-2",
        "MM-4-R",
        "MM-3-Q",
    ]
    assert minimax_name(2, "playout", ties="noisy") == "MM-2-R ties=noisy"


def test_a_budget_that_ends_among_noisy_moves_below_the_first_move_has_a_move():
    states = after(BOXES, 8, 20, 75)
    found = batch.Deepening(BOXES, 64, leaf=Quiescent()).search(states, keys_of(50, count=len(states)), nodes=1)
    assert not found.depths.any()
    for state, move in zip(states, found.moves, strict=True):
        assert move in Rules(BOXES).legal_moves(state)


def test_what_is_refused():
    states, keys = othello()[:2], keys_of(49, count=2)
    with pytest.raises(BadInput, match="^player.leaf='luck': must be evaluation or playout$"):
        Minimax(Othello(), "luck")
    with pytest.raises(BadInput, match="^player.quiescence=true: game=othello does not say which moves are noisy$"):
        Minimax(Othello(), quiescence=True)
    with pytest.raises(BadInput, match="^player.quiescence=true counts with player.leaf=evaluation alone$"):
        Minimax(BOXES, "playout", quiescence=True)
    with pytest.raises(BadInput, match="^player.ties='last': must be random, first, noisy or noisiest$"):
        Minimax(Othello(), ties="last")
    with pytest.raises(BadInput, match="^player.ties=noisy: game=othello does not say which moves are noisy$"):
        Minimax(Othello(), ties="noisy")
    with pytest.raises(BadInput, match="is for one player"):
        Minimax(ShortestPath())
    searches = Minimax(Othello())
    with pytest.raises(BadInput, match="^budget.depth=0 is not at least 1$"):
        searches.search(states, keys, 0)
    with pytest.raises(BadInput, match="takes games without chance; in DiceDuel chance moves"):
        Minimax(DiceDuel(1), entries=64).search(Rules(DiceDuel(1)).starts(2), keys, 3)
    over = np.array([contract.parse_position(Othello(), "X" * 64 + " X")], np.uint64)
    with pytest.raises(BadInput, match="a game is over"):
        searches.values_of_moves(over, 1)
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        searches.values_of_moves(states, 3, stop=stop)
