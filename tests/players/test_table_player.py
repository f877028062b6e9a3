"""The UCT player with a searcher in tables in place of trees: it takes one as it is."""

import threading
from typing import Any

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.othello import Othello
from gpumcts.kernels.batch import Rules
from gpumcts.match.runner import play_match
from gpumcts.options import option
from gpumcts.players.contract import NOT_REPORTED
from gpumcts.players.random import RandomPlayer
from gpumcts.players.uct import UctPlayer
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import key_of
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.search import TableSearcher

OTHELLO = Othello()
TREES = 12


def searcher(game: Any = OTHELLO, entries: int = 2000, settings: Settings = Settings(), **options: Any) -> Any:
    rule, operator = option("selection", "ucb1")(), option("backup", "average")()
    return TableSearcher(game, Uniform(), rule, operator, settings._replace(table=entries), **options)


@pytest.fixture(scope="module")
def positions():
    """Twelve positions of Othello after 20 random plies, with keys: (states, keys, games)."""
    rules = Rules(OTHELLO)
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
    player.forget(games)
    assert player.choose(states[:1], keys[:1], games[:1]).tolist() == expected[:1].tolist()
    assert not player.remembers


def test_tables_that_cannot_be_had_are_refused_at_once():
    with pytest.raises(BadInput, match="^search.table=2000: a table and its search take 0.1 MiB"):
        UctPlayer(searcher(memory_limit=30_000), 50)
    with pytest.raises(BadInput, match="^budget.iterations=1: must be more than 1"):
        UctPlayer(searcher(), 1)


def test_a_move_that_the_table_has_lost_reports_no_win_rate(positions):
    """One episode, and every entry is taken by the end of it: a rate of 0 would say that the move loses."""
    lost = Settings(expansion="whole_path", replacement="single")
    player = UctPlayer(searcher(entries=2, settings=lost), 1)
    assert player.choose_and_tell(*positions)[1].tolist() == [NOT_REPORTED] * TREES


def test_a_stopped_choice_does_not_count(positions):
    stop = threading.Event()
    player = UctPlayer(searcher(), 1_000_000, on_progress=lambda iterations: stop.set())
    with pytest.raises(KeyboardInterrupt):
        player.choose(*positions, stop)
    assert player.iterations == player.playouts == 0


def play(folder, game, games_in_flight, most_moves=10**9, **options):
    stop, players = threading.Event(), (UctPlayer(searcher(game, **options), 40), RandomPlayer(game))
    on_progress = lambda progress: stop.set() if progress.moves > most_moves else None  # noqa: E731
    watched = {"on_progress": on_progress, "stop": stop}
    return play_match(game, players, 20, 1, folder, {}, games_in_flight, **watched)


def test_a_match_is_won_and_does_not_depend_on_its_course(tmp_path):
    """Against a random mover; 18 wins of 20 would have a probability of 2e-4 between equals, and the seed is fixed."""
    result = play(tmp_path / "whole", OTHELLO, 20)
    assert result.wins >= 18
    assert play(tmp_path / "resumed", OTHELLO, 3, most_moves=500).interrupted
    assert play(tmp_path / "resumed", OTHELLO, 7, threads=2).digest == result.digest


def test_whole_paths_in_few_entries(tmp_path):
    """Who completes a box moves again; a table that can hold a twentieth of the positions met."""
    settings = Settings(expansion="whole_path", final="value")
    results = [play(tmp_path / str(n), DotsAndBoxes(), n, entries=64, settings=settings) for n in (20, 6)]
    assert results[0].digest == results[1].digest
    assert results[0].wins > 10
