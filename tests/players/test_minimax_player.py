"""Minimax as a player: the search's move, counted; in matches, resumed or not; refused in one line."""

import threading

import numpy as np
import pytest

from gpumcts.alpha_beta.minimax import Minimax
from gpumcts.errors import BadInput
from gpumcts.games.dice_duel import OPTION as DiceDuel
from gpumcts.games.othello import Othello
from gpumcts.kernels.batch import Rules
from gpumcts.match.runner import play_match
from gpumcts.players.contract import NOT_REPORTED
from gpumcts.players.minimax import MinimaxPlayer
from gpumcts.players.random import RandomPlayer
from tests.games.drivers import keys_of


def play(folder, player, games_in_flight, most_moves=10**9, **options):
    stop, players = threading.Event(), (player, RandomPlayer(Othello()))
    on_progress = lambda progress: stop.set() if progress.moves > most_moves else None  # noqa: E731
    watched = {"on_progress": on_progress, "stop": stop}
    return play_match(Othello(), players, 20, 1, folder, {}, games_in_flight, **watched, **options)


@pytest.mark.parametrize("leaf", ["evaluation", "playout"])
def test_chooses_what_the_search_finds_and_counts(leaf):
    states, keys = Rules(Othello()).starts(6), keys_of(3, count=6)
    done, searches = [], Minimax(Othello(), leaf, entries=64)
    player = MinimaxPlayer(searches, 2, "p", done.append)
    found = searches.search(states, keys, 2)
    moves, reported = player.choose_and_tell(states, keys, np.arange(6))
    assert moves.tolist() == found.moves.tolist() and set(reported) == {NOT_REPORTED}
    assert (player.name, player.iterations, player.playouts, sum(done)) == ("p", found.nodes.sum(), 0, 6)
    assert player.choose(states, keys, np.arange(6)).tolist() == moves.tolist() and player.seconds > 0


@pytest.mark.parametrize("leaf, depth", [("evaluation", 2), ("playout", 3)])
def test_a_match_is_won_and_does_not_depend_on_its_course(tmp_path, leaf, depth):
    """Against a random mover; 16 wins of 20 would have a probability of 0.006 between equals, and the seed is fixed."""
    result = play(tmp_path / "whole", MinimaxPlayer(Minimax(Othello(), leaf, entries=64), depth), 20)
    assert result.wins >= 16
    threads = Minimax(Othello(), leaf, entries=64, threads=2)
    assert play(tmp_path / "resumed", MinimaxPlayer(threads, depth), 3, most_moves=500).interrupted
    assert play(tmp_path / "resumed", MinimaxPlayer(threads, depth), 7, at_once=2).digest == result.digest


def test_what_is_refused():
    with pytest.raises(BadInput, match="^budget.depth=0 is not at least 1$"):
        MinimaxPlayer(Minimax(Othello(), entries=64), 0)
    with pytest.raises(BadInput, match="^player=minimax: in .*chance"):
        MinimaxPlayer(Minimax(DiceDuel(), entries=64), 2)
    stop = threading.Event()
    stop.set()
    player = MinimaxPlayer(Minimax(Othello(), entries=64), 3)
    with pytest.raises(KeyboardInterrupt):
        player.choose(Rules(Othello()).starts(2), keys_of(3, count=2), np.arange(2), stop)
    assert player.iterations == 0
