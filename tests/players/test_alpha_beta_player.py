"""The alpha-beta player: exact where its leaves suffice, a legal guess where they do not."""

import threading

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games.dice_duel import OPTION as DiceDuel
from gpumcts.games.instances import instances
from gpumcts.games.pgame import PGame
from gpumcts.players.alpha_beta import AlphaBetaPlayer
from gpumcts.rng import key_of
from gpumcts.solver.alpha_beta import root_scores, solve

GAME, COUNT = PGame(3, 6), 40


@pytest.fixture(scope="module")
def positions():
    """Forty P-games, with keys: (states, keys, games)."""
    return instances(GAME, range(COUNT)), np.array([key_of(5, n, 0) for n in range(COUNT)]), np.arange(COUNT)


def worst(moves, states):
    scores, _ = root_scores(GAME, states)
    return int((scores[np.arange(len(moves)), moves] < scores.max(axis=1)).sum())


@pytest.mark.parametrize("best_so_far", [False, True])
def test_with_leaves_enough_no_move_is_wrong(positions, best_so_far):
    player = AlphaBetaPlayer(GAME, 10_000, best_so_far, "ab")
    assert worst(player.choose(*positions), positions[0]) == 0
    assert player.name == "ab" and player.playouts == 0 and COUNT <= player.iterations < COUNT * 10_000


def test_with_few_leaves_moves_are_random_or_the_best_so_far(positions):
    """One leaf ends no search: the moves are random, with wrong ones among them; leaves counted are those allowed."""
    player = AlphaBetaPlayer(GAME, 1)
    moves = player.choose(*positions)
    assert worst(moves, positions[0]) > 0 and set(moves) == {0, 1, 2}
    assert player.iterations == COUNT
    states, keys, _ = positions
    ended = solve(GAME, states, keys).leaves <= 60
    by_chance, best = (AlphaBetaPlayer(GAME, 60, so_far).choose(*positions) for so_far in (False, True))
    assert 0 < ended.sum() < COUNT and (by_chance[ended] == best[ended]).all() and (by_chance != best).any()
    assert worst(best[ended], states[ended]) == 0


def test_threads_and_batches_change_no_move(positions):
    states, keys, games = positions
    moves = AlphaBetaPlayer(GAME, 60, True).choose(*positions)
    assert (AlphaBetaPlayer(GAME, 60, True, threads=2).choose(*positions) == moves).all()
    assert (AlphaBetaPlayer(GAME, 60, True).choose(states[7:9], keys[7:9], games[7:9]) == moves[7:9]).all()


def test_what_is_refused(positions):
    with pytest.raises(BadInput, match="^budget.iterations=0 is not at least 1$"):
        AlphaBetaPlayer(GAME, 0)
    with pytest.raises(BadInput, match="^player=alpha_beta: in .*chance"):
        AlphaBetaPlayer(DiceDuel(), 10)
    stop = threading.Event()
    stop.set()
    player = AlphaBetaPlayer(GAME, 100)
    with pytest.raises(KeyboardInterrupt):
        player.choose(*positions, stop)
    assert player.iterations == 0
