"""A run that was cut off anywhere goes on where it was, and ends as if nothing had happened."""

import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import gpumcts
from gpumcts.errors import BadInput
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.othello import Othello
from gpumcts.kernels.batch import Rules
from gpumcts.match.journal import GAMES, IDENTITY, MOVES, Journal
from gpumcts.match.resume import is_over
from gpumcts.players.random import RandomPlayer

SCRIPT = Path(__file__).with_name("random_match.py")
ROOT = Path(gpumcts.__file__).parents[1]


def start(folder, games):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, str(SCRIPT), str(folder), str(games)]
    child = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    with child.stdout as said:
        assert said.readline() == "playing\n"
    return child


def wait_for_moves(folder, beyond, seconds=120.0):
    """Wait until a run has written more than ``beyond`` bytes of moves: it may still be compiling."""
    end = time.monotonic() + seconds
    while (folder / MOVES).stat().st_size <= beyond and time.monotonic() < end:
        time.sleep(0.005)


def test_killed_again_and_again(play, tmp_path, games_of):
    """SIGKILL at three moments; a second process is refused meanwhile; the end is that of a run never killed."""
    expected = play(tmp_path / "whole", 40)
    moments, written = random.Random(1), 0
    for _ in range(3):
        child = start(tmp_path / "run", 40)
        try:
            with pytest.raises(BadInput, match="in use by another run"):
                play(tmp_path / "run", 40)
            wait_for_moves(tmp_path / "run", beyond=written)
            time.sleep(moments.uniform(0, 0.3))
            assert child.poll() is None
        finally:
            child.kill()
            child.wait()
        written = (tmp_path / "run" / MOVES).stat().st_size
    journal = (tmp_path / "run" / MOVES).read_text()
    assert 0 < len(journal.splitlines()) < 40 * 58 / 2  # begun and not finished, or the test says nothing
    resumed = play(tmp_path / "run", 40, games_in_flight=7)
    assert resumed.digest == expected.digest
    assert games_of(tmp_path / "run") == games_of(tmp_path / "whole")


def test_cut_off_at_any_byte(play, tmp_path, monkeypatch, games_of):
    """A kill leaves a prefix of what the run wrote, byte by byte and file by file: every 41st is resumed."""
    writes = []
    whole = tmp_path / "whole"

    def write(self, name, text, write=Journal._write):
        writes.append((name, text.encode()))
        write(self, name, text)

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "_write", write)
        expected = play(whole, 5, DiceDuel(), games_in_flight=2).digest
    total = sum(len(text) for _, text in writes)
    ends = {sum(len(text) for _, text in writes[:count]) for count in range(len(writes))}
    for at in sorted({*range(0, total, 41), *ends}):
        folder = tmp_path / "cut"
        folder.mkdir()
        (folder / IDENTITY).write_bytes((whole / IDENTITY).read_bytes())
        left = at
        for name, text in writes:
            with (folder / name).open("ab") as file:
                file.write(text[:left])
            left -= min(left, len(text))
        assert play(folder, 5, DiceDuel(), games_in_flight=3).digest == expected, at
        assert games_of(folder) == games_of(whole)
        folder.rename(tmp_path / str(at))


def test_more_games_extend_and_fewer_are_counted(play, tmp_path):
    first = play(tmp_path / "grown", 10)
    grown = play(tmp_path / "grown", 20, games_in_flight=3)
    whole = play(tmp_path / "whole", 20)
    assert (grown[:4], grown.digest) == (whole[:4], whole.digest)
    assert grown.games == 20
    assert grown.digest != first.digest
    again = play(tmp_path / "grown", 10)
    assert (again[:4], again.digest) == (first[:4], first.digest)


def test_is_over_where_every_game_has_its_line(play, tmp_path):
    play(tmp_path / "run", 4)
    assert is_over(tmp_path / "run", 3) and is_over(tmp_path / "run", 4)
    assert not is_over(tmp_path / "run", 5) and not is_over(tmp_path / "none", 1)
    lines = (tmp_path / "run" / "games.jsonl").read_text().splitlines()
    (tmp_path / "run" / "games.jsonl").write_text("\n".join(lines[1:] + lines[-1:] + ["torn"]))
    assert not is_over(tmp_path / "run", 4)


def test_fewer_games_than_are_under_way(play, tmp_path, games_of):
    """Ten games are begun; then only four are asked for, then all again."""
    stop = threading.Event()
    play(tmp_path / "run", 10, on_progress=lambda p: stop.set() if p.moves > 200 else None, stop=stop)
    assert play(tmp_path / "run", 4).digest == play(tmp_path / "four", 4).digest
    assert sorted(games_of(tmp_path / "run")) == [0, 1, 2, 3]
    assert play(tmp_path / "run", 10, games_in_flight=2).digest == play(tmp_path / "ten", 10).digest


class Rememberer(RandomPlayer):
    """Chooses by the key and by its earlier choices in the game; ``twist`` makes it another player in later runs."""

    remembers = True

    def __init__(self, game, twist=0):
        super().__init__(game)
        self.rules, self.known, self.twist = Rules(game), {}, twist

    def choose(self, states, keys, games, stop=None):
        moves = []
        for state, key, game in zip(states, keys.tolist(), games.tolist(), strict=True):
            before = self.known.get(game, self.twist)
            legal = self.rules.legal_moves(state)
            moves.append(legal[(key + before) % len(legal)])
            self.known[game] = before + int(moves[-1]) + 1
        return np.array(moves)

    def forget(self, games):
        for game in games.tolist():
            self.known.pop(game, None)


@pytest.mark.parametrize("game", [Othello(), DiceDuel()], ids=["othello", "chance"])
def test_players_that_remember_are_asked_again(play, tmp_path, game):
    def match(name, in_flight, most_moves=10**9, twist=0):
        stop, players = threading.Event(), (Rememberer(game, twist), RandomPlayer(game))
        on_progress = lambda p: stop.set() if p.moves >= most_moves else None  # noqa: E731
        return play(
            tmp_path / name, 6, game, players=players, games_in_flight=in_flight, stop=stop, on_progress=on_progress
        )

    expected = match("whole", 6).digest
    assert match("run", 6, 20).interrupted  # no game of dice is over, and each player has chosen in some
    with pytest.raises(BadInput, match="random does not repeat its choices in game"):
        match("run", 6, twist=1)
    assert match("run", 2, 10).interrupted
    assert match("run", 3).digest == expected
    assert match("twisted", 3, twist=1).digest != expected


def test_a_torn_line_is_cut_off(play, tmp_path):
    expected = play(tmp_path, 6).digest
    for name, torn in ((MOVES, b'{"crc32":"84e6'), (GAMES, b'{"game": 5'), (MOVES, b"\0" * 100_000)):
        before = (tmp_path / name).read_bytes()
        (tmp_path / name).write_bytes(before + torn)
        assert play(tmp_path, 6).digest == expected
        assert (tmp_path / name).read_bytes() == before
