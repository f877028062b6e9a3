"""The UCT player: the searcher's move, counted, in waves or not, and stopped cleanly."""

import threading

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.othello import Othello
from gpumcts.kernels.batch import Rules
from gpumcts.match.runner import play_match
from gpumcts.options import option
from gpumcts.players.random import RandomPlayer
from gpumcts.players.uct import UctPlayer
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import key_of
from gpumcts.tree.host.thread_pool import ThreadPool
from gpumcts.tree.search import Searcher
from gpumcts.tree.settings import Settings

OTHELLO = Othello()
TREES = 12


def searcher(game=OTHELLO, **options):
    return Searcher(game, Uniform(), option("selection", "ucb1")(), option("backup", "average")(), **options)


@pytest.fixture(scope="module")
def positions():
    """Twelve positions of Othello after 20 random plies, with keys: (states, keys, games)."""
    rules = Rules(Othello())
    states = rules.starts(TREES)
    for ply in range(20):
        states = rules.play(states, rules.random_moves(states, np.array([key_of(2, t, ply) for t in range(TREES)])))
    return states, np.array([key_of(3, t, 20) for t in range(TREES)]), np.arange(TREES)


def test_chooses_what_the_search_decides_and_counts(positions):
    states, keys, games = positions
    player = UctPlayer(searcher(settings=Settings(playouts_per_leaf=3)), 50, "u")
    expected = searcher(settings=Settings(playouts_per_leaf=3)).search(states, keys, 50).decide()
    assert player.choose(*positions).tolist() == expected.tolist()
    assert (player.name, player.iterations, player.playouts) == ("u", TREES * 50, TREES * 150)
    player.choose(states[:1], keys[:1], games[:1])
    assert player.iterations == (TREES + 1) * 50
    assert player.seconds > 0


def test_two_searches_at_once_take_no_more_time_than_there_is(positions, tmp_path):
    """Each player waits for the threads of the other one half of the time."""
    workers, before = ThreadPool(1), 0.0
    players = tuple(UctPlayer(searcher(workers=workers), 3000, name) for name in ("a", "b"))
    for player in players:
        player.choose(*positions)  # compiles
        before += player.seconds
    result = play_match(OTHELLO, players, 4, 1, tmp_path, {}, at_once=2)
    assert 0 < sum(player.seconds for player in players) - before <= result.seconds
    assert min(player.core_seconds for player in players) > 0


def test_waves_give_the_same_moves(positions):
    whole = searcher()
    narrow = searcher(memory_limit=30_000)
    assert narrow.wave(TREES, 200) < TREES == whole.wave(TREES, 200)
    expected = UctPlayer(whole, 200).choose(*positions)
    assert UctPlayer(narrow, 200).choose(*positions).tolist() == expected.tolist()


def test_budgets_that_cannot_be_played_are_refused_at_once():
    with pytest.raises(BadInput, match="budget.iterations=0: must be more than 1, or no move is tried at all"):
        UctPlayer(searcher(), 0)
    with pytest.raises(BadInput, match="budget.iterations=1000000"):
        UctPlayer(searcher(memory_limit=30_000), 1_000_000)


def test_a_stopped_choice_does_not_count(positions):
    stop = threading.Event()
    player = UctPlayer(searcher(), 1_000_000, on_progress=lambda iterations: stop.set())
    with pytest.raises(KeyboardInterrupt):
        player.choose(*positions, stop)
    assert player.iterations == player.playouts == 0


def play(folder, game, games_in_flight, most_moves=10**9, **options):
    stop, players = threading.Event(), (UctPlayer(searcher(game, **options), 30), RandomPlayer(game))
    on_progress = lambda progress: stop.set() if progress.moves > most_moves else None  # noqa: E731
    watched = {"on_progress": on_progress, "stop": stop}
    return play_match(game, players, 20, 1, folder, {}, games_in_flight, **watched)


def test_a_match_is_won_and_does_not_depend_on_its_course(tmp_path):
    """Against a random mover; 18 wins of 20 would have a probability of 2e-4 between equals, and the seed is fixed."""
    result = play(tmp_path / "whole", Othello(), 20)
    assert result.wins >= 18
    assert play(tmp_path / "resumed", Othello(), 3, most_moves=500).interrupted
    assert play(tmp_path / "resumed", Othello(), 7).digest == result.digest


def test_a_match_with_subtree_reuse_does_not_depend_on_its_course(tmp_path):
    reuse = Settings(reuse=True)
    result = play(tmp_path / "whole", Othello(), 20, settings=reuse)
    assert result.digest != play(tmp_path / "without", Othello(), 20).digest
    assert play(tmp_path / "resumed", Othello(), 6, most_moves=300, settings=reuse).interrupted
    assert play(tmp_path / "resumed", Othello(), 7, settings=reuse).digest == result.digest


def test_plays_where_chance_moves(tmp_path):
    assert play(tmp_path / "a", DiceDuel(), 20).digest == play(tmp_path / "b", DiceDuel(), 6).digest
