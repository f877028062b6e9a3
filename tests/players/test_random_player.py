"""The random mover: legal, a function of the key, uniform."""

import numpy as np
from scipy import stats

from gpumcts.games.othello import Othello
from gpumcts.kernels.batch import Rules
from gpumcts.players.random import RandomPlayer
from gpumcts.rng import key_of


def keys(count):
    return np.array([key_of(1, number, 0) for number in range(count)], np.uint64)


def test_moves_are_uniform_and_depend_on_the_key_alone():
    """Chi-squared over the four first moves of Othello at a confidence of 1 - 1e-6; the keys are fixed."""
    rules, player = Rules(Othello()), RandomPlayer(Othello())
    states = rules.starts(4000)
    moves = player.choose(states, keys(4000), np.arange(4000))
    legal, counts = np.unique(moves, return_counts=True)
    assert legal.tolist() == rules.legal_moves(states[0]).tolist()
    assert stats.chisquare(counts).pvalue > 1e-6
    assert (player.choose(states[:7], keys(7), np.arange(7)) == moves[:7]).all()


def test_counts_time_and_no_search():
    player = RandomPlayer(Othello(), "r")
    player.choose(Rules(Othello()).starts(3), keys(3), np.arange(3))
    assert (player.name, player.iterations, player.playouts, player.trusted) == ("r", 0, 0, True)
    assert player.seconds > 0
