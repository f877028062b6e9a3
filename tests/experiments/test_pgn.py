"""Games of matches as a PGN file, and positions out of PGN files."""

import json

import numpy as np
import pytest

from experiments.config.command_options import SearchKeys
from experiments.config.positions import position_of
from experiments.config.schema import Checked
from gpumcts.games.chess import Chess
from gpumcts.games.chess.pgn import games_of
from gpumcts.games.contract import position_text
from gpumcts.kernels.batch import Rules
from gpumcts.options import compiled

MATE = "f2f3 e7e5 g2g4 d8h4"
TOLD = [
    {"game": 1, "first": 1, "result": "win", "score": 1.0, "plies": 4, "moves": MATE},
    {"game": 0, "first": 0, "result": "loss", "score": -1.0, "plies": 2, "moves": "e2e4 c7c5", "ended": "resigned",
     "reason": ""},
    {"game": 2, "first": 1, "result": "draw", "score": 0.0, "plies": 1, "moves": "e2e4"},
]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """What a match of Chess leaves, as far as it is asked for."""
    home = tmp_path / "match"
    home.mkdir()
    (home / "config.yaml").write_text(
        "game: {name: chess, evaluation: michniewski, max_plies: 2048, repetition: played}\n"
    )
    (home / "provenance.json").write_text(json.dumps({"program": "match", "name": "x", "label": ""}))
    sides = {"player": {"label": "uct", "iterations_a_move": 100}, "opponent": {"label": "random"}}
    (home / "summary.json").write_text(json.dumps({"games": 3, "seed": 7, **sides}))
    (home / "games.jsonl").write_text("".join(json.dumps(game) + "\n" for game in TOLD))
    return home


def test_the_games_become_a_file(run, only, folder):
    done = run(f"pgn run={folder}")
    assert done.code == 0 and done.out.startswith("3 games in "), done.err
    text = only("outputs/pgn/*/games.pgn").read_text()
    records = list(games_of(text))
    assert [len(record.moves) for record in records] == [2, 4, 1]
    us = "uct, 100 iterations"
    told = [tuple(record.tags[name] for name in ("Round", "White", "Black", "Result")) for record in records]
    assert told == [("1", us, "random", "0-1"), ("2", "random", us, "0-1"), ("3", "random", us, "1/2-1/2")]
    assert {record.tags["Event"] for record in records} == {"gpumcts match, seed 7"}
    assert [record.tags.get("Termination") for record in records] == ["resigned", None, None]
    assert run(f"pgn run={folder} number=1 hydra.run.dir=one").code == 0
    one = only("one/games.pgn").read_text()
    assert "\n1. f3 e5 2. g4 Qh4# 0-1\n" in one and '[Round "2"]' in one


def test_a_damaged_game_leaves_an_earlier_file_as_it_was(run, only, folder):
    assert run(f"pgn run={folder} hydra.run.dir=one").code == 0
    before = only("one/games.pgn").read_text()
    lines = [json.dumps(game | {"moves": "e2e4 e2e5"} if game["game"] == 1 else game) for game in TOLD]
    (folder / "games.jsonl").write_text("\n".join([*lines, ""]))
    done = run(f"pgn run={folder} hydra.run.dir=one")
    assert done.code == 2 and "game 1: " in done.err
    assert only("one/games.pgn").read_text() == before


def position_text_of(**keys):
    """What a search is given for ``position=`` and ``moves=``."""
    config = Checked({"game": {"name": "chess"}}, "", SearchKeys(**keys), game=compiled(Chess()))
    with np.errstate(over="ignore"):
        return position_text(compiled(Chess()), Rules(compiled(Chess())).state(position_of(config)))


def test_a_position_out_of_a_file(tmp_path):
    """Where a game ends, after so many moves, and with moves of one's own."""
    file = tmp_path / "a:3.pgn"
    file.write_text("1. e4 e5 2. Nf3 *\n1. d4 d5 *")
    assert position_text_of(position=f"pgn:{file}") == position_text_of(moves="e4 e5 Nf3")
    assert position_text_of(position=f"pgn:{file}:2") == position_text_of(moves="d2d4 d7d5")
    assert position_text_of(position=f"pgn:{file}:2:1", moves="Nf6") == position_text_of(moves="d4 Nf6")
    assert position_text_of(position=f"pgn:{file}:1:0") == position_text_of()


BAD = {
    "pgn": "run=null: name the folder of a match, such as run=outputs/match/NAME",
    "pgn run=match number=5": "run=match: there is no finished game number 5",
    "sgf run=match": "run=match: games of chess are not written as SGF",
    "perft game=chess depth=1 position=pgn:none.pgn": "position=pgn:none.pgn cannot be read: No such file or directory",
    "perft game=chess depth=1 position=pgn:bad.pgn:2": (
        "position=pgn:bad.pgn: game 2, ply 2: 1... 'e4' is not legal in "
    ),
    "perft game=chess depth=1 position=pgn:bad.pgn:3": "position=pgn:bad.pgn: there is no game 3: it holds 2",
    "perft game=chess depth=1 position=pgn:bad.pgn:1:9": "position=pgn:bad.pgn: game 1: it has 1 moves, no 9",
    "perft game=chess depth=1 position=sgf:bad.pgn": "position=sgf:bad.pgn: chess has no SGF",
    "perft depth=1 position=pgn:bad.pgn": "position=pgn:bad.pgn: othello has no PGN",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_is_one_line(run, tmp_path, folder, line):
    (tmp_path / "bad.pgn").write_text("1. e4 *\n1. e4 e4 *")
    done = run(line)
    assert done.code == 2 and done.out == "" and len(done.err.splitlines()) == 1, done.err
    assert BAD[line] in done.err
    assert not (tmp_path / "outputs").exists()
