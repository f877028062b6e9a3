"""Deltas of soft traps on the scale of a game's own evaluation."""

import pytest

from experiments.traps import TrapsKeys, on_scale_of
from gpumcts import options
from gpumcts.games.contract import evaluation_limit, evaluation_unit


def game_of(name):
    """A game with its default options."""
    return options.option("game", name)()


def test_chess_counts_in_pawns():
    keys = on_scale_of(game_of("chess"), TrapsKeys())
    assert keys.deltas == [25, 50, 75, 100, 150, 200, 300, 400, 500, 700, 1000] and keys.delta == 100


@pytest.mark.parametrize("name", ["othello", "clobber", "connect_four", "gomoku", "havannah", "go"])
def test_other_games_have_rows_that_differ(name):
    """Several Deltas, all of which their evaluation can reach."""
    game = game_of(name)
    keys = on_scale_of(game, TrapsKeys())
    assert keys.deltas is not None and len(keys.deltas) >= 5 and keys.deltas == sorted(set(keys.deltas))
    assert keys.delta in keys.deltas and keys.delta == evaluation_unit(options.compiled(game))
    assert keys.deltas[-1] <= int(evaluation_limit(options.compiled(game)))


def test_what_is_given_stays():
    keys = on_scale_of(game_of("othello"), TrapsKeys(deltas=[3, 700], delta=9))
    assert keys.deltas == [3, 700] and keys.delta == 9
