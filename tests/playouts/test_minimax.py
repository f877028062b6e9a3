"""Informed playouts choose what full minimax over the same evaluation chooses, ties uniformly.

Statistical assertions fail a right program with a probability below 1e-6 each; keys are fixed.
"""

import numpy as np
import pytest
from scipy.stats import binomtest, chisquare

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import CHANCE
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.othello import Othello
from gpumcts.games.shortest_path import ShortestPath
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.uniform import Uniform
from tests.games.drivers import keys_of, positions, trace
from tests.playouts.drivers import chosen
from tests.reference.playout import best_moves, legal_moves

SURE = 1e-6
KEYS = 2000
DEPTHS = [1, 2, 3]

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def decisions(game, games, step):
    """Every ``step``-th state of a few random games in which a player has a choice."""
    words, _, plies = trace(game, keys_of(40, count=games))
    states = [contract.unpack(game, row, 0, 1) for row in positions(words, plies)]
    states = [s for s in states if contract.count_moves(game, s) > 1 and contract.mover(game, s) != CHANCE]
    return list(dict.fromkeys(states))[::step]


def check(game, state, depth):
    """All the best moves are chosen, equally often, and no others. Returns how many there are."""
    best = best_moves(game, state, depth)
    moves = chosen(game, Minimax(depth=depth), state, keys_of(41, count=KEYS))
    counts = [int((moves == move).sum()) for move in best]
    where = f"{contract.position_text(game, state)}: best {best}, chosen {np.unique(moves)}"
    assert sum(counts) == KEYS and min(counts) > 0, where
    assert len(best) == 1 or chisquare(counts).pvalue > SURE, f"{where} {counts}"
    return len(best), len(legal_moves(game, state))


OF_EACH = [(Othello(), 3, 14), (DotsAndBoxes(2, 2), 8, 3), (DiceDuel(2), 20, 2), (ShortestPath(), 10, 1)]


@pytest.mark.parametrize(
    "game, games, step, depth",
    [
        pytest.param(*of, depth, id=f"{type(of[0]).__name__}-{depth}", marks=[] if depth < 3 else [pytest.mark.slow])
        for of in OF_EACH
        for depth in DEPTHS
    ],
)
def test_choices_are_those_of_full_minimax(game, games, step, depth):
    found = [check(game, state, depth) for state in decisions(game, games, step)]
    assert len(found) >= 8
    assert any(best < legal for best, legal in found), "the evaluation never decided: the test says nothing"


@pytest.mark.parametrize("depth", [1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_passes_and_ends_within_the_horizon(depth):
    """Othello near the end, where passes and results come into the search."""
    game = Othello()
    words, _, plies = trace(game, keys_of(42, count=300))
    late = [contract.unpack(game, words[g, plies[g] - back], 0, 1) for g in range(300) for back in (2, 3, 4)]
    some = [state for state in late if contract.count_moves(game, state) > 1][:60]
    passing = [
        state
        for state in some
        if any(64 in legal_moves(game, contract.play(game, state, move)) for move in legal_moves(game, state))
    ]
    assert len(passing) >= 5
    for state in passing[:10]:
        check(game, state, depth)


def test_a_win_is_better_than_any_evaluation():
    game = Othello()
    state = contract.parse_position(game, "XO------" + "-" * 48 + "--OOOX-- X")
    wiping = contract.parse_position(game, "XO------" + "-" * 56 + " X")
    assert set(chosen(game, Minimax(depth=1), wiping, keys_of(43, count=50))) == {2}
    assert set(chosen(game, Minimax(depth=3), state, keys_of(43, count=50))) == set(best_moves(game, state, 3))


def test_the_second_player_wants_the_opposite_at_the_die():
    """Where a move leads to chance, the evaluation there is the first player's, whoever has moved."""
    game = DiceDuel(1)
    for text, better in (("0 0 0 3", "keep"), ("1 3 0 3", "keep")):
        state = contract.parse_position(game, text)
        wanted = contract.parse_move(game, state, better)
        assert set(chosen(game, Minimax(depth=1), state, keys_of(44, count=50))) == {wanted}


def test_epsilon_one_is_the_uniform_policy():
    game = Othello()
    keys = keys_of(45, count=KEYS)
    for state in decisions(game, 1, 20):
        theirs = chosen(game, Uniform(), state, keys)
        assert np.array_equal(chosen(game, Minimax(depth=2, epsilon=1.0), state, keys), theirs)


def test_an_epsilon_below_what_a_random_word_tells_from_0_is_refused():
    assert Minimax(epsilon=2.0**-32).compiled().threshold == 1
    with pytest.raises(BadInput, match=r"playout.epsilon=1e-10: must be 0 or at least 2\^-32"):
        Minimax(epsilon=1e-10).compiled()


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 0.5])
def test_epsilon_is_the_share_of_random_moves(epsilon):
    game = Othello()
    wide = (state for state in decisions(game, 3, 1) if contract.count_moves(game, state) > 5)
    state = next(state for state in wide if len(best_moves(game, state, 1)) == 1)
    moves = chosen(game, Minimax(depth=1, epsilon=epsilon), state, keys_of(46, count=20_000))
    others = int((moves != best_moves(game, state, 1)[0]).sum())
    legal = contract.count_moves(game, state)
    if epsilon == 0:
        assert others == 0
    else:
        assert binomtest(others, len(moves), epsilon * (legal - 1) / legal).pvalue > SURE
