"""Which games advance first: a part of them runs ahead, so that a match has a score early."""

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games.contract import CHANCE
from gpumcts.games.othello import Othello
from gpumcts.match.batches import SECONDS_A_BATCH, Batches
from gpumcts.match.progress import Expectations, win_rates_of
from gpumcts.players.contract import NOT_REPORTED, PROVEN_DRAW, PROVEN_LOSS, PROVEN_WIN
from gpumcts.players.random import RandomPlayer


class Full(RandomPlayer):
    """A random mover that wants so many positions at a time, and reports a win rate of 60 %."""

    def __init__(self, game, full_batch, name="full"):
        super().__init__(game, name)
        self.full_batch, self.largest = full_batch, 0

    def choose_and_tell(self, states, keys, games, stop=None):
        self.largest = max(self.largest, len(games))
        return self.choose(states, keys, games, stop), np.full(len(games), 600)


def test_the_first_games_end_long_before_the_last_ones_and_are_the_same_games(play, tmp_path, monkeypatch):
    monkeypatch.setattr("gpumcts.match.batches.SECONDS_A_BATCH", 0.0)
    game, seen = Othello(), []
    players = (Full(game, 4, "a"), Full(game, 4, "b"))
    staggered = play(tmp_path / "staggered", 40, players=players, on_progress=seen.append)
    assert max(player.largest for player in players) == 4
    moves = max(progress.moves for progress in seen)
    first = min(progress.moves for progress in seen if progress.finished)
    assert first < 0.35 * moves  # together they end from 95 % on
    half = next(progress for progress in seen if progress.moves >= moves / 2)
    assert 10 <= half.finished <= 30
    assert staggered.digest == play(tmp_path / "together", 40).digest


def test_what_the_players_expect_is_told_before_a_game_ends(play, tmp_path):
    seen, game = [], Othello()
    play(tmp_path, 4, players=(Full(game, 4, "a"), RandomPlayer(game, "b")), on_progress=seen.append, at_once=0)
    assert seen[0].expected == (None, None) and seen[0].ply == 0
    early = next(progress for progress in seen if progress.ply == 4)
    assert early.finished == 0
    assert early.expected == (pytest.approx(0.6), None)
    assert seen[-1].expected == (None, None)  # no game goes on


def test_reported_win_rates_are_win_rates():
    reported = np.array([0, 250, 1000, PROVEN_LOSS, PROVEN_DRAW, PROVEN_WIN])
    assert win_rates_of(reported).tolist() == [0, 0.25, 1, 0, 0.5, 1]
    expectations = Expectations(3)
    expectations.note(1, np.array([0, 2, 7]), np.array([300, 500, 900]))  # game 7 is not asked for
    expectations.note(1, np.array([1]), np.array([NOT_REPORTED]))
    assert expectations.means(np.ones(3, bool)) == (None, 0.4)
    assert expectations.means(np.array([True, True, False])) == (None, 0.3)


def batches_of(*full, workers=2):
    return Batches([type("Player", (), {"name": "full", "full_batch": some}) for some in full], workers)


def picked(batches, games, turns, taken=0):
    """Whose turn it is, and the numbers of the games; no batch has been timed."""
    turn, indices = batches.pick(np.array(games), np.array(turns), taken, [0.0, 0.0])
    return turn, np.array(games)[indices].tolist()


def test_low_numbers_go_first_in_full_batches():
    games, turns = [9, 3, 5, 1, 0, 2], [0, 0, 0, 0, 1, 1]
    assert picked(batches_of(2, 2), games, turns) == (0, [1, 3])
    assert picked(batches_of(None, None), games, turns) == (0, [9, 3, 5, 1])
    turn, of_chance = picked(batches_of(2, None), games, [CHANCE] * 6)
    assert (turn, len(of_chance)) == (CHANCE, 6)


@pytest.mark.parametrize("full", [0, -1, 1.5, True, "8"])
def test_a_batch_that_nobody_would_move_in_is_refused(full):
    with pytest.raises(BadInput, match=f"^full.full_batch={full!r}: must be an integer in "):
        batches_of(full, None)


def test_a_small_batch_waits_while_others_are_taken():
    assert picked(batches_of(None, None), [1], [0], taken=8) == (0, [])
    assert picked(batches_of(None, None), [1], [0], taken=3) == (0, [1])
    assert picked(batches_of(2, 2), [1], [0], taken=100) == (0, [1])  # four games run ahead


def test_batches_that_are_done_too_soon_are_larger():
    batches, seconds = batches_of(8, 8), [SECONDS_A_BATCH / 20, 100.0]
    assert (batches.limit(0, seconds), batches.limit(1, seconds)) == (20, 8)
