"""The parts that a match is made of: what is handed out, who is asked, and what of an answer is taken."""

import threading

import numpy as np
import pytest

from gpumcts.games.othello import Othello
from gpumcts.kernels.batch import Rules
from gpumcts.match.batches import Batch, Batches
from gpumcts.match.decisions import Decider
from gpumcts.match.game_batch import GameBatch
from gpumcts.match.schedule import Schedule
from gpumcts.players.random import RandomPlayer

GAME = Othello()
UNTIMED = [0.0, 0.0]


@pytest.fixture
def game_batch():
    """Eight games of Othello, none begun."""
    return GameBatch(Rules(GAME), 8)


@pytest.fixture
def players():
    return RandomPlayer(GAME, "a"), RandomPlayer(GAME, "b")


def test_a_schedule_keeps_so_many_games_in_flight(game_batch, players):
    """Two of five at a time: a game that is over makes room, one that goes on does not."""
    schedule = Schedule(game_batch, np.arange(3, 8), 2, Batches(players, 1))
    assert schedule.admit().tolist() == [3, 4] and schedule.queue.tolist() == [5, 6, 7]
    batch = schedule.take(UNTIMED)
    assert batch is not None and (batch.turn, batch.games.tolist()) == (0, [4])  # even games are players[0]'s
    assert (schedule.ready.tolist(), schedule.taken, schedule.in_flight) == ([3], 1, 2)
    assert not len(schedule.admit())
    schedule.put_back(batch.games)
    assert (schedule.ready.tolist(), schedule.taken) == ([3, 4], 0)
    batch = schedule.take(UNTIMED)
    game_batch.scores[batch.games] = 0
    schedule.put_back(batch.games)
    assert (schedule.admit().tolist(), schedule.in_flight) == ([5], 2)


def test_a_decider_counts_and_times_the_players_alone(game_batch, players):
    decider = Decider(players, 7, 1, threading.Event())
    games = np.array([1, 3, 5])
    decision = decider.decide(game_batch, Batch(1, games))
    assert decision is not None and game_batch.first_illegal(games, decision.moves) is None
    assert decision.reported is None and decision.reasons is None
    assert decider.chosen == (0, 3)
    assert decider.seconds_a_position[0] == 0 < decider.seconds_a_position[1]
    assert (decider.decide(game_batch, Batch(1, games[:2])).moves == decision.moves[:2]).all()


def test_a_decider_that_is_halted_decides_nothing(game_batch, players):
    stop = threading.Event()
    stop.set()
    assert Decider(players, 7, 1, stop).decide(game_batch, Batch(0, np.array([0]))) is None
