"""UCI over Chess: draws that nobody claims, and programs as others make them."""

import os
import signal
from pathlib import Path

import pytest

from gpumcts.errors import BadInput
from gpumcts.games.chess import Chess
from gpumcts.games.contract import parse_position, position_text
from gpumcts.match.runner import play_match
from gpumcts.players.random import RandomPlayer
from gpumcts.players.uci import UciLaunch, UciPlayer, probe
from gpumcts.programs import position
from gpumcts.uci.position import UciPosition, start_of
from tests.players.test_gtp_player import installed, records

GAME = Chess().compiled()
ROOT = Path(__file__).resolve().parent.parent.parent
SHUFFLE = ("g1f3", "g8f6", "f3g1", "f6g8")


# ------------------------------------------------------------------------------------------------------------ draws


def test_the_third_occurrence_is_played_on():
    """By our rules the game is over; a GUI that asks for a move has not claimed the draw."""
    ours, theirs = position.Position(GAME), UciPosition(GAME)
    for ply in range(21):
        assert not theirs.over
        if not ours.over:
            ours.push(ours.parse(SHUFFLE[ply % 4]))
        theirs.push(theirs.parse(SHUFFLE[ply % 4]))
    assert ours.over and len(ours.moves) == 8
    assert len(theirs.legal) == 20 and "e7e5" in [theirs.text(move) for move in theirs.legal]


def test_fifty_moves_are_played_on_and_a_mate_is_not():
    late = "8/8/8/3k4/8/8/4R3/4K3 w - - 99 80"
    for text, more in ((late, "e2e3"), (late.replace("99", "117"), "e2e3")):
        board = UciPosition(GAME, 0, parse_position(GAME, text))
        for move in (more, "d5c5", "e3d3"):
            board.push(board.parse(move))
        assert not board.over
    for text in ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "7k/6Q1/6K1/8/8/8/8/8 b - - 99 1", "7k/8/6K1/8/8/8/8/8 b - - 0 1"):
        assert UciPosition(GAME, 0, parse_position(GAME, text)).over


@pytest.mark.parametrize("number", ["1025", "3000", "99999999"])
def test_a_game_longer_than_ours_may_be_is_played_on(number):
    """The move number is read as 1; all else that is wrong is still refused."""
    text = f"4k3/8/8/8/8/8/4P3/4K3 w - - 12 {number}"
    if number == "1025":  # after the last ply of our rules there is such a position
        assert position.Position(GAME, 0, parse_position(GAME, text)).over
    else:
        with pytest.raises(BadInput, match="the move number is"):
            parse_position(GAME, text)
    assert position_text(GAME, start_of(GAME, text)) == "4k3/8/8/8/8/8/4P3/4K3 w - - 12 1"
    assert not UciPosition(GAME, 0, start_of(GAME, text)).over
    for wrong in (text.replace("4P3", "4P4"), text.replace(" 12 ", " x "), f"{text} 1", text.replace(number, "x")):
        with pytest.raises(BadInput, match="^position: "):
            start_of(GAME, wrong)


# ------------------------------------------------------------------------------------------------- real programs


def play(folder, player, games):
    try:
        return play_match(GAME, (RandomPlayer(GAME), player), games, 5, folder, {"of": "tests"}, games_in_flight=1)
    finally:
        player.close()


@pytest.mark.parametrize(("name", "words", "go"), [("gnuchess", ["--uci"], "depth 1"), ("stockfish", [], "nodes 200")])
def test_a_match_against(name, words, go, tmp_path):
    """Whole games from both sides; no move is misunderstood, either way."""
    launch = UciLaunch([installed(name), *words], go, {"Hash": 16})
    assert name in probe(GAME, launch).lower().replace(" ", "")
    result = play(tmp_path, UciPlayer(GAME, launch), 4)
    assert result.games == 4 and result.given_up[1] == (0, 0, {})
    assert result.losses >= 3  # of a random mover, who wins or holds a game in far less than one of a thousand


@pytest.mark.parametrize("sign", [signal.SIGKILL, signal.SIGSTOP])
def test_a_program_that_is_killed_or_stopped_in_mid_game(sign, tmp_path):
    """That game is forfeited, with the reason, and no other."""
    program, moves = installed("stockfish"), []

    def on_progress(done):
        moves.append(done)
        if len(moves) == 5:
            os.kill(player._free[0]._process._process.pid, sign)

    player = UciPlayer(GAME, UciLaunch([program], "nodes 50", {}, 2.0), 1, "program", None, on_progress)
    result = play(tmp_path, player, 3)
    assert result.games == 3 and result.given_up[1].forfeited == 1
    (reason,) = result.given_up[1].reasons
    expected = "was killed by signal 9" if sign == signal.SIGKILL else "hangs: no answer to isready within 2 s"
    assert reason == expected
    assert sum("ended" in record for record in records(tmp_path)) == 1
