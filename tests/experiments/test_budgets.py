"""Budgets in seconds, and budgets that follow the other side: measured once, kept, and told."""

import json
import threading
from pathlib import Path

import pytest

from experiments import match
from experiments.players import player_factory
from experiments.players.matched_budget import MATCHED, nodes_a_move
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.othello import Othello
from gpumcts.players.random import RandomPlayer
from gpumcts.players.time_budget import Rate
from tests.experiments.test_commands import summary_of


def test_a_budget_in_seconds_is_measured_once(run, only):
    line = "match games=2 budget=seconds budget.seconds=0.001 engine=cpu threads=1"
    assert run(line).code == 0
    folder = only("outputs/match/*")
    rates = (folder / "rates.json").read_bytes()
    first = summary_of(folder)
    assert first["player"]["iterations_a_move"] >= 1
    assert json.loads(rates)["player"] == json.loads(rates)["opponent"]  # equal sides have the same rate
    assert first["player"]["seconds_asked_a_move"] == 0.001 and first["opponent"]["seconds_a_move"] > 0
    done = run(line)
    assert done.code == 0 and "seconds a move, taken of asked for: player 0.00" in done.out
    assert (folder / "rates.json").read_bytes() == rates
    assert summary_of(folder)["digest"] == first["digest"]


def test_seconds_in_which_no_move_is_tried_are_refused_by_their_own_key(run, monkeypatch):
    """Before they bind: each of 20 trees takes two iterations."""
    rate = Rate(seconds=0.001, iterations=3, iterations_per_second=3000.0, plies=[0], by_ply=[3000.0])
    monkeypatch.setattr(player_factory, "calibrate_all", lambda game, players: [rate._replace(iterations=40), rate])
    line = "match game=dots_and_boxes games=2 search.roots=20 opponent.search.roots=20 opponent.selection.exploration=0"
    done = run(f"{line} budget=seconds budget.seconds=0.001 engine=cpu threads=1 hydra.run.dir=here")
    told = "opponent.budget.seconds=0.001 is too short: one iteration takes 0.00033 s of core time, and a move 40 it"
    assert done.code == 2 and told in done.err and not Path("here/rates.json").exists()


@pytest.mark.parametrize(("player", "one"), [("pvs", "node"), ("alpha_beta", "leaf"), ("mc", "iteration")])
def test_too_few_seconds_are_told_by_what_a_player_counts(run, monkeypatch, player, one):
    rate = Rate(seconds=0.001, iterations=0, iterations_per_second=500.0, plies=[0], by_ply=[500.0])
    monkeypatch.setattr(player_factory, "calibrate_all", lambda game, players: [rate])
    done = run(f"match game=dots_and_boxes player={player} budget=seconds player@opponent.player=random engine=cpu")
    assert done.code == 2 and f"too short: one {one} takes 0.002 s of core time\n" in done.err


def test_a_tree_of_too_many_seconds_is_told_by_them(run, monkeypatch):
    rate = Rate(seconds=2.0, iterations=10**6, iterations_per_second=5e5, plies=[0], by_ply=[5e5])
    monkeypatch.setattr(player_factory, "calibrate_all", lambda game, players: [rate])
    clock = "budget@opponent.budget=seconds opponent.budget.seconds=2"
    done = run(f"match player=random player@opponent.player=uct {clock} memory_gb=0.001 games=2 engine=cpu")
    assert done.code == 2
    assert "error: opponent.budget.seconds=2.0 comes to 1000000 iterations a move here: a tree takes " in done.err
    assert done.err.endswith("MiB may be used; fewer seconds, or more memory_gb\n")


@pytest.mark.parametrize(
    ("took", "said"), [((1.1, 1.0), False), ((1.3, 1.2), True), ((0.9, 1.15), True), ((0.7,), True)]
)
def test_a_match_says_where_a_move_did_not_take_the_seconds_asked_for(took, said):
    """More than a fifth off, or as far apart."""
    sides = [{"seconds_asked_a_move": 0.1, "seconds_a_move": 0.1 * times} for times in took]
    lines = match.seconds_told(dict(zip(("player", "opponent"), [*sides, {}], strict=False)))
    assert lines[0].startswith(f"seconds a move, taken of asked for: player {0.1 * took[0]:.3g} of 0.1")
    assert [line.startswith("not the time asked for: player took") for line in lines[1:]] == [True] * said


@pytest.mark.slow
def test_a_budget_that_follows_the_other_side_is_counted_once(run, only):
    """UCT of 7 iterations makes 7 a move; a match that goes on keeps them, and a damaged count is refused."""
    line = (
        "match budget=matched budget.matched=1 budget@opponent.budget=iterations opponent.budget.iterations=7 threads=1"
    )
    assert run(f"{line} engine=cpu games=2").code == 0
    folder = only("outputs/match/*")
    assert json.loads((folder / MATCHED).read_text()) == {"player": 7}
    assert summary_of(folder)["player"]["iterations_a_move"] == summary_of(folder)["player"]["made_a_move"] == 7
    (folder / MATCHED).write_text('{"player": 8}')
    again = run(f"{line} engine=cpu games=4")
    assert again.code == 2 and "iterations_matched" in again.err  # it binds the games that are there
    (folder / MATCHED).write_text('{"player": 7.5}')
    assert "matched.json is damaged; start in another folder" in run(f"{line} engine=cpu games=4").err
    (folder / MATCHED).unlink()
    assert run(f"{line} engine=cpu games=4").code == 0 and summary_of(folder)["games"] == 4


def test_nodes_a_move_are_those_of_whole_games():
    """A player that counts its moves makes one a move, chance none; one that counts its game's number, 3 of 7."""

    class Counting(RandomPlayer):
        def choose(self, states, keys, games, stop=None):
            self.iterations += int((games if self.by_game else games**0).sum())
            return super().choose(states, keys, games, stop)

    for game in (DiceDuel(), Othello()):
        player = Counting(game, "counting")
        player.by_game = False
        assert nodes_a_move(game, player, 5) == 1
        player.by_game = True
        assert nodes_a_move(game, player, 7) == pytest.approx(3, rel=0.05)


def test_counting_the_nodes_of_the_other_side_is_stopped():
    stop, moves = threading.Event(), []

    class Stopping(RandomPlayer):
        def choose(self, states, keys, games, stop=None):
            moves.append(len(games))
            if len(moves) == 3:
                stop.set()
            return super().choose(states, keys, games, stop)

    with pytest.raises(KeyboardInterrupt):
        nodes_a_move(Othello(), Stopping(Othello(), "stopping"), 5, stop)
    assert len(moves) == 3


def test_rates_of_another_side_are_damaged(run):
    line = "match game=dots_and_boxes games=2 budget=seconds budget.seconds=0.001 engine=cpu threads=1"
    line += " player@opponent.player=random hydra.run.dir=here"
    rate = Rate(seconds=0.001, iterations=40, iterations_per_second=40_000.0, plies=[0], by_ply=[40_000.0])
    Path("here").mkdir()
    Path("here/rates.json").write_text(json.dumps({"opponent": rate._asdict()}))
    done = run(line)
    assert done.code == 2 and done.err.endswith("here/rates.json is damaged; start in another folder\n")
