"""The folder of a match: identity, lock, damage. What a kill leaves behind is in test_resume.py."""

import errno
import itertools
import json
import os
import resource
import shutil
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games.othello import Othello
from gpumcts.match.journal import Journal, first_difference
from gpumcts.players.random import RandomPlayer


@pytest.fixture(scope="session")
def originals(play, tmp_path_factory):
    """A folder with two finished matches of six games, ``finished`` and, of another seed, ``foreign``."""
    folder = tmp_path_factory.mktemp("journal")
    play(folder / "finished")
    play(folder / "foreign", seed=8)
    return folder


@pytest.fixture
def finished(originals, tmp_path):
    """The folder of a finished match, to be damaged."""
    return Path(shutil.copytree(originals / "finished", tmp_path / "finished"))


@pytest.mark.parametrize(
    "there, here, difference",
    [
        ({"a": 1}, {"a": 1}, None),
        ({"a": 1}, {"a": 2}, ("a", "1", "2")),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, ("a.b", "[1, 2]", "[1, 3]")),
        ({"a": 1}, {"a": 1.0}, ("a", "1", "1.0")),
        ({"a": 1, "z": 0}, {"a": 1}, ("z", "0", "not set")),
        ({"a": 1}, {"b": 2, "a": 1}, ("b", "not set", "2")),
        ({"a": {"b": 1}}, {"a": "b"}, ("a", '{"b": 1}', '"b"')),
    ],
)
def test_first_difference(there, here, difference):
    assert first_difference(there, here) == difference


def test_another_identity_is_refused_by_name_with_both_values(play, finished):
    before = {file.name: file.read_bytes() for file in finished.iterdir()}
    with pytest.raises(BadInput, match=r"seed=8 differs from the run in .*finished, where it is 7"):
        play(finished, seed=8)
    with pytest.raises(BadInput, match=r'player="uct" differs .* where it is "random"'):
        play(finished, identity={"player": "uct"})
    with pytest.raises(BadInput, match=r"backup.decay=0.9 differs .* where it is not set"):
        play(finished, identity={"player": "random", "backup.decay": 0.9})
    assert {file.name: file.read_bytes() for file in finished.iterdir()} == before


def test_the_identity_survives_json(play, tmp_path):
    identity = {"shape": (1, 2), "urgency": float("inf"), "name": "Ω", "of": {"x": None}}
    assert play(tmp_path, 2, identity=identity).digest == play(tmp_path, 2, identity=identity).digest


def test_a_second_process_is_refused(play, tmp_path):
    with Journal(tmp_path, {}), pytest.raises(BadInput, match="in use by another run"):
        play(tmp_path)
    with Journal(tmp_path, {}):
        pass  # free again


# A line cut out of games.jsonl is what a kill may leave, and is put back.
DAMAGES = ["flip", "twice", "foreign", "nonsense", "not text"]


@pytest.mark.parametrize(
    "name, damage", [("moves.jsonl", "cut out"), *itertools.product(["moves.jsonl", "games.jsonl"], DAMAGES)]
)
def test_damage_is_refused_with_file_and_line(play, originals, finished, name, damage):
    path = finished / name
    lines = path.read_bytes().splitlines(keepends=True)
    at = 3
    if damage == "flip":
        digit = lines[at].rindex(b"1")
        lines[at] = lines[at][:digit] + b"2" + lines[at][digit + 1 :]
    elif damage == "cut out":
        del lines[at]
    elif damage == "twice":
        lines.insert(at, lines[at])
        at += 1
    elif damage == "foreign":  # well-formed, from another match
        lines[at] = (originals / "foreign" / name).read_bytes().splitlines(keepends=True)[at]
    elif damage == "nonsense":
        lines[at] = b"[]\n"
    else:
        lines[at] = b"\xff" + lines[at]
    path.write_bytes(b"".join(lines))
    with pytest.raises(BadInput) as error:
        play(finished)
    text = str(error.value)
    assert "\n" not in text
    line = int(text.split(f"{name}, line ")[1].split(":")[0])
    assert line == at + 1, text


def test_a_legal_move_of_another_game_is_found_by_the_check_sum(play, finished):
    """Another digit that happens to be a legal move would otherwise go unnoticed."""
    path = finished / "moves.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    moves = json.loads(lines[0])["moves"]
    other = next(move for move in (19, 26, 37, 44) if move != moves[0])  # all legal at the start
    lines[0] = lines[0].replace(f'"moves":[{moves[0]}', f'"moves":[{other}')
    path.write_text("".join(lines))
    with pytest.raises(BadInput, match="moves.jsonl, line 1: not the moves that were written here"):
        play(finished)


@pytest.mark.parametrize(
    ("games", "plies", "moves", "why"),
    [
        ([0], [0], [0], "move 0 in game 0 is not legal"),
        ([1, 0], [0, 0], [19, 0], "move 0 in game 0 is not legal"),
        ([0], [1], [19], "ply 1 of game 0 is not what comes next"),
        ([0, 0], [0, 0], [19, 19], "a game number that is negative or occurs twice"),
        ([-1], [0], [19], "a game number that is negative or occurs twice"),
    ],
)
def test_moves_that_do_not_fit_the_rules_are_refused(play, tmp_path, games, plies, moves, why):
    """As from other rules: the check sums are right, the moves cannot be."""
    with Journal(tmp_path, {"game": repr(Othello()), "seed": 7, "player": "random"}) as journal:
        assert not list(journal.commits())
        journal.add_moves(np.array(games), np.array(plies), np.array(moves))
    with pytest.raises(BadInput, match=f"moves.jsonl, line 1: {why}"):
        play(tmp_path)


def test_games_without_their_moves_are_refused(play, finished):
    moves = finished / "moves.jsonl"
    moves.write_bytes(b"".join(moves.read_bytes().splitlines(keepends=True)[:20]))
    with pytest.raises(BadInput, match="games.jsonl, line 1: not a finished game of moves.jsonl"):
        play(finished)


def test_a_damaged_or_missing_identity_is_refused(play, finished):
    (finished / "identity.json").write_text('{"format": 1,')
    with pytest.raises(BadInput, match="identity.json is damaged"):
        play(finished)
    (finished / "identity.json").unlink()
    with pytest.raises(BadInput, match="holds moves.jsonl but no identity.json"):
        play(finished)


def test_a_folder_that_cannot_be_made_is_refused(play, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="cannot be written: Not a directory"):
        play(tmp_path / "file" / "run")
    assert (tmp_path / "file").read_text() == ""


def test_a_full_disk_ends_in_one_line_and_the_run_goes_on_later(play, tmp_path):
    """A limit on file sizes stands for the disk: the write that meets it takes a part of the line, as there."""
    play(tmp_path / "whole", 20)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (3001, hard))
    try:
        with pytest.raises(BadInput, match="moves.jsonl cannot be written: File too large"):
            play(tmp_path / "run", 20)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / "run" / "moves.jsonl").stat().st_size == 3001
    assert play(tmp_path / "run", 20).digest == play(tmp_path / "whole", 20).digest


@pytest.mark.parametrize("name", ["moves.jsonl", "games.jsonl"])
def test_nothing_follows_a_line_that_a_full_disk_cut_short(tmp_path, monkeypatch, name):
    """Two workers write: what the second has when there is room again must not join what is left of the first's."""
    identity, one = {"of": "tests"}, np.ones(1, np.int64)

    def add(journal):
        journal.add_moves(one, one, one) if name == "moves.jsonl" else journal.add_games(['{"game":1}'])

    class Full:
        """A file that takes five bytes more, and then everything again."""

        def __init__(self, file):
            self.writes, self.file = 0, file

        def write(self, rest):
            self.writes += 1
            if self.writes == 2:
                raise OSError(errno.ENOSPC, "No space left on device")
            return self.file.write(rest[:5] if self.writes == 1 else rest)

        def __getattr__(self, attribute):
            return getattr(self.file, attribute)

    with Journal(tmp_path, identity) as journal:
        assert not list(journal.commits())
        add(journal)
        monkeypatch.setitem(journal._files, name, Full(journal._files[name]))
        for why in ("No space left on device", "it ends in a line that was cut short"):
            with pytest.raises(BadInput, match=f"{name} cannot be written: {why}"):
                add(journal)
    with Journal(tmp_path, identity) as journal:
        assert len(list(journal.commits())) + len(list(journal.games())) == 1
        add(journal)


@pytest.mark.parametrize("at_once", [0, 1])
def test_moves_are_on_disk_before_the_game_goes_on(play, tmp_path, games_of, monkeypatch, at_once):
    """Whenever a player is asked, the part of the journal that was synced holds every move of the games in question."""
    journal, synced, plies = tmp_path / "run" / "moves.jsonl", [0], Counter()

    def sync(handle):
        stat = os.fstat(handle)
        if journal.exists() and stat.st_ino == journal.stat().st_ino:
            synced.append(stat.st_size)

    class Watcher(RandomPlayer):
        def choose(self, states, keys, games, stop=None):
            lines = journal.read_bytes()[: max(synced)].splitlines()
            known = Counter(game for line in lines for game in json.loads(line)["games"])
            assert all(known[game] == plies[game] for game in games.tolist())
            plies.update(games.tolist())
            return super().choose(states, keys, games, stop)

    monkeypatch.setattr(os, "fsync", sync)
    play(tmp_path / "run", 6, players=(Watcher(Othello()), Watcher(Othello())), at_once=at_once)
    assert sum(plies.values()) == sum(game["plies"] for game in games_of(tmp_path / "run").values())


def test_nothing_is_written_by_a_run_that_finds_all_done(play, finished):
    before = {file.name: file.read_bytes() for file in finished.iterdir()}
    play(finished)
    assert {file.name: file.read_bytes() for file in finished.iterdir()} == before
