"""The player of principal-variation search: the search's move, counted; matches, resumed or not; refusals."""

import json
import threading

import numpy as np
import pytest

from gpumcts.alpha_beta.batch import Deepening
from gpumcts.alpha_beta.table import ENTRY_BYTES, entries_in
from gpumcts.errors import BadInput
from gpumcts.games.dice_duel import OPTION as DiceDuel
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.othello import Othello
from gpumcts.kernels.batch import Rules
from gpumcts.match.runner import play_match
from gpumcts.players.contract import NOT_REPORTED, PROVEN_DRAW, PROVEN_WIN
from gpumcts.players.pvs import PvsPlayer
from gpumcts.players.random import RandomPlayer
from gpumcts.rng import key_of

COUNT = 12


@pytest.fixture(scope="module")
def positions():
    """Twelve positions of Othello after 20 random plies, with keys: (states, keys, games)."""
    rules = Rules(Othello())
    states = rules.starts(COUNT)
    for ply in range(20):
        states = rules.play(states, rules.random_moves(states, np.array([key_of(2, t, ply) for t in range(COUNT)])))
    return states, np.array([key_of(3, t, 20) for t in range(COUNT)]), np.arange(COUNT)


def test_chooses_what_the_search_finds_and_counts(positions):
    states, keys, _ = positions
    done = []
    searches = Deepening(Othello(), 1 << 10)
    player = PvsPlayer(searches, nodes=500, name="p", on_progress=done.append)
    assert player.choose(*positions).tolist() == searches.search(states, keys, nodes=500).moves.tolist()
    assert (player.name, player.iterations, player.playouts, sum(done)) == ("p", COUNT * 500, 0, COUNT)
    deep = PvsPlayer(searches, depth=3)
    found = searches.search(states, keys, depth=3)
    assert deep.choose(*positions).tolist() == found.moves.tolist() and deep.iterations == found.nodes.sum()
    assert player.seconds > 0


def play(folder, player, game, games_in_flight, most_moves=10**9, **options):
    stop, players = threading.Event(), (player, RandomPlayer(game))
    on_progress = lambda progress: stop.set() if progress.moves > most_moves else None  # noqa: E731
    watched = {"on_progress": on_progress, "stop": stop}
    return play_match(game, players, 20, 1, folder, {}, games_in_flight, **watched, **options)


def test_a_match_is_won_and_does_not_depend_on_its_course(tmp_path):
    """Against a random mover; 19 wins of 20 would have a probability of 2e-5 between equals, and the seed is fixed."""
    result = play(tmp_path / "whole", PvsPlayer(Deepening(Othello(), 1 << 10), depth=3), Othello(), 20)
    assert result.wins >= 19
    threads = Deepening(Othello(), 1 << 10, threads=2)
    assert play(tmp_path / "resumed", PvsPlayer(threads, depth=3), Othello(), 3, most_moves=500).interrupted
    assert play(tmp_path / "resumed", PvsPlayer(threads, depth=3), Othello(), 7, at_once=2).digest == result.digest


def reported_and_played(folder, game):
    """Of each game of a journal: the reported win rates, [(who moved, win rate)], and the first player's score."""
    rules, reported, states = Rules(game), {}, {}
    for line in (folder / "moves.jsonl").read_text().splitlines():
        commit = json.loads(line)
        rates = commit.get("views", [NOT_REPORTED] * len(commit["games"]))
        for number, move, rate in zip(commit["games"], commit["moves"], rates, strict=True):
            state = states.get(number, rules.starts(1))
            reported.setdefault(number, []).append((int(rules.movers(state)[0]), rate))
            states[number] = rules.play(state, np.array([move]))
    return [(reported[number], int(rules.scores(states[number])[0])) for number in reported]


def test_a_won_game_is_not_lost(tmp_path):
    """The result is at least what was proven at any ply. On 2 x 2 boxes that is most plies, against a random mover."""
    game = DotsAndBoxes()
    player = PvsPlayer(Deepening(game, 1 << 14), nodes=1_000_000)
    play(tmp_path, player, game, 20)
    games, wins = reported_and_played(tmp_path, game), 0
    assert len(games) == 20
    for reported, score in games:
        for mover, rate in reported:
            mine = -score if mover == 1 else score
            assert mine > 0 or rate != PROVEN_WIN
            assert mine >= 0 or rate != PROVEN_DRAW
            wins += rate == PROVEN_WIN
    assert wins > 20


def test_the_entries_of_so_much_memory():
    assert [entries_in(mebibytes) * ENTRY_BYTES >> 20 for mebibytes in (1, 2, 3, 16, 100)] == [1, 2, 2, 16, 64]


def test_what_is_refused(positions):
    searches = Deepening(Othello(), 64)
    with pytest.raises(BadInput, match="^budget.nodes=0 is not at least 1$"):
        PvsPlayer(searches, nodes=0)
    with pytest.raises(BadInput, match="^budget.depth=-1 is not at least 1$"):
        PvsPlayer(searches, depth=-1)
    with pytest.raises(BadInput, match="^budget: player=pvs takes nodes or depth$"):
        PvsPlayer(searches)
    with pytest.raises(BadInput, match="^player=pvs: in .*chance"):
        PvsPlayer(Deepening(DiceDuel(), 64), depth=2)
    stop = threading.Event()
    stop.set()
    player = PvsPlayer(searches, depth=3)
    with pytest.raises(KeyboardInterrupt):
        player.choose(*positions, stop)
    assert player.iterations == 0
