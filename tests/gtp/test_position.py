"""The game on a board that GTP talks about: colours as the game has them, results by colour."""

import re

import numpy as np
import pytest

from gpumcts.games.amazons import Amazons
from gpumcts.games.chess import Chess
from gpumcts.games.clobber import Clobber
from gpumcts.games.contract import board_text, start
from gpumcts.games.go import Go
from gpumcts.games.havannah import Havannah
from gpumcts.games.othello import Othello
from gpumcts.gtp.engine import GtpEngine, Limits
from gpumcts.gtp.position import GtpPosition, colour_of, player_of
from gpumcts.options import compiled
from tests.games.drivers import GAMES
from tests.gtp.drivers import texts

FIRST = {
    Othello(): "black", Go(): "black", Havannah(): "black",
    Chess(): "white", Amazons(): "white", Amazons(turn="split"): "white", Clobber(): "white", Clobber(10, 10): "white",
}  # fmt: skip


@pytest.mark.parametrize("option", FIRST, ids=str)
def test_who_moves_first(option):
    game, first = compiled(option), FIRST[option]
    assert colour_of(game, 0) == first and {colour_of(game, 0), colour_of(game, 1)} == {"black", "white"}
    for word in (first, first[0], first.upper()):
        assert player_of(game, word) == 0
    assert player_of(game, colour_of(game, 1)) == 1
    assert [player_of(game, word) for word in ("", "bl", "x", "white2")] == [None] * 4


@pytest.mark.parametrize("name", GAMES)
def test_colours_are_those_of_the_board(name):
    """Where it says that White is to move, white is."""
    game = GAMES[name]
    with np.errstate(over="ignore"):
        said = re.search(r"(Black|White)\b.* to move", board_text(game, start(game)))
    assert said is None or said[1].lower() == colour_of(game, 0)


def test_an_engine_of_chess_lets_white_begin():
    fresh = GtpEngine(compiled(Chess()), lambda game: None, Limits(1, None))
    other = "?it is the other player's turn"
    assert texts(fresh, "genmove b", "play b e5", "play w f3", "genmove w", "lz-analyze w") == [
        other, "?illegal move", "=", other, other,
    ]  # fmt: skip
    assert "Black to move" in texts(fresh, "showboard")[0]
    assert texts(fresh, "play black e5", "play white g4", "play b Qh4#", "final_score") == ["=", "=", "=", "=B+1"]
    assert texts(fresh, "undo", "undo", "play w e4", "play b d5", "time_left w 5 0", "time_left g 5 0")[2:] == [
        "=", "=", "=", "?syntax error",
    ]  # fmt: skip
    assert fresh.clock.seconds(0, 30) < 5 < fresh.clock.seconds(1, 30)
    fresh.close()


def test_a_win_of_white_who_began():
    position = GtpPosition(compiled(Clobber(1, 2)))
    position.play(0, "a1b1")
    assert position.over and position.result() == "W+1"
