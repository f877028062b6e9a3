"""Games of matches as SGF files, and positions out of SGF files."""

import json

import numpy as np
import pytest

from experiments.config.command_options import SearchKeys
from experiments.config.positions import position_of
from experiments.config.schema import Checked
from gpumcts.errors import BadInput
from gpumcts.games.contract import Record, parse_record, position_text, record_text
from gpumcts.games.go import Go
from gpumcts.gtp.position import GtpPosition
from gpumcts.kernels.batch import Rules
from gpumcts.options import compiled

GAME = "A2 C2 B2 D1 J9 B1 J8 A1 C1"  # after these White may not take on B1, by superko
TOLD = [
    {"game": 1, "first": 1, "result": "loss", "score": -1.0, "plies": 11, "moves": f"{GAME} pass pass"},
    {"game": 0, "first": 0, "result": "win", "score": 1.0, "plies": 2, "moves": "E5 C3", "ended": "resigned",
     "reason": ""},
    {"game": 2, "first": 0, "result": "loss", "score": -1.0, "plies": 1, "moves": "E5", "ended": "forfeited",
     "reason": "hangs"},
]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    """What a match of Go leaves, as far as it is asked for."""
    home = tmp_path / "match"
    home.mkdir()
    (home / "config.yaml").write_text("game: {name: go, size: 9, komi: 6.5, area_weight: 4, liberty_weight: 1}\n")
    (home / "provenance.json").write_text(json.dumps({"program": "match", "name": "x", "label": ""}))
    sides = {
        "player": {"label": "uct", "iterations_a_move": 100},
        "opponent": {"label": "gtp", "program": "GNU Go 3.8"},
    }
    (home / "summary.json").write_text(json.dumps({"games": 3, "seed": 7, **sides}))
    (home / "games.jsonl").write_text("".join(json.dumps(game) + "\n" for game in TOLD))
    return home


def test_every_game_becomes_a_file(run, only, folder):
    done = run(f"sgf run={folder}")
    assert done.code == 0 and done.out.startswith("3 games in "), done.err
    tags = {}
    for game in TOLD:
        record = parse_record(compiled(Go()), only(f"outputs/sgf/*/00000{game['game']}.sgf").read_text(), None)
        assert " ".join(GtpPosition(record.game).line(record.moves)) == game["moves"]
        assert record.terms == {"size": 9, "komi": 6.5}
        tags[game["game"]] = (record.tags["PB"], record.tags["PW"], record.tags["RE"])
    us, them = "uct, 100 iterations", "GNU Go 3.8"
    lead = GtpPosition(compiled(Go(komi=6.5)))
    for move in TOLD[0]["moves"].split():
        lead.push(lead.parse(move))
    assert tags == {0: (us, them, "B+R"), 1: (them, us, lead.result()), 2: (us, them, "W+F")}
    assert run(f"sgf run={folder} number=2 hydra.run.dir=one").code == 0
    assert only("one/*.sgf").name == "000002.sgf"


def test_a_line_that_was_cut_short_is_no_game(run, only, folder):
    """A match that is killed, or goes on, leaves one at the end; it is cut off when the match goes on."""
    path = folder / "games.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    done = run(f"sgf run={folder} hydra.run.dir=two")
    assert done.code == 0 and done.out.startswith("2 games in "), done.err
    path.write_bytes(b"\xff" + path.read_bytes())
    done = run(f"sgf run={folder} hydra.run.dir=two")
    assert done.code == 2 and done.err == f"error: {path}, line 1: not a game\n"


def position_text_of(game, **keys):
    """What a search is given for ``position=`` and ``moves=``."""
    config = Checked({"game": {"name": "go", "size": 9, "komi": 6.5}}, "", SearchKeys(**keys), game=game)
    with np.errstate(over="ignore"):
        return position_text(game, Rules(game).state(position_of(config)))


def test_a_position_out_of_a_file(tmp_path):
    """Where the game ends, after so many moves, and with moves of one's own; superko is kept."""
    game, file = compiled(Go(komi=6.5)), tmp_path / "a:3.sgf"
    position = GtpPosition(game)
    for move in GAME.split():
        position.push(position.parse(move))
    file.write_text(record_text(game, Record(game, {}, position.start, position.moves, {})))
    whole = position_text_of(game, position=f"sgf:{file}")
    assert whole == position_text_of(game, moves=GAME) == position_text_of(game, position=f"sgf:{file}:8", moves="C1")
    assert whole.endswith(" w 9 0 B1 C1,A1"), "superko forbids B1; C1 and A1 were the last moves"
    assert position_text_of(game, position=f"sgf:{file}:0") == position_text_of(game)
    with pytest.raises(BadInput, match="moves: number 2: move 'B1' is not legal here: by ko"):
        position_text_of(game, position=f"sgf:{file}:8", moves="C1 B1")
    file.write_text(file.read_text().replace(")", ";W[bi];B[zz])"))
    assert position_text_of(game, position=f"sgf:{file}:9") == whole
    with pytest.raises(BadInput, match="White's B1 brings back an earlier position"):
        position_text_of(game, position=f"sgf:{file}:10")


BAD = {
    "sgf": "run=null: name the folder of a match, such as run=outputs/match/NAME",
    "sgf run=nowhere": "run=nowhere: there is no games.jsonl; it is not the folder of a match",
    "sgf run=match number=5": "run=match: there is no finished game number 5",
    "sgf run=match number=-1": "number=-1: must be an integer of at least 0, or null",
    "perft game=go depth=1 position=sgf:none.sgf": "position=sgf:none.sgf cannot be read: No such file or directory",
    "perft game=go depth=1 position=sgf:bad.sgf": (
        "position=sgf:bad.sgf: line 2, column 3: W[zz] is no point of a 9x9 board"
    ),
    "perft game=go depth=1 game.size=13 position=sgf:good.sgf": "another board or komi; add game.size=9 game.komi=6.5",
    "perft game=go depth=1 game.komi=6.5 position=sgf:good.sgf:4": "position=sgf:good.sgf: the game has 1 moves, no 4",
    "perft depth=1 position=sgf:good.sgf": "position=sgf:good.sgf: othello has no SGF",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_is_one_line(run, tmp_path, folder, line):
    (tmp_path / "bad.sgf").write_text("(;SZ[9];B[ee];\nW[zz])")
    (tmp_path / "good.sgf").write_text("(;SZ[9]KM[6.5];B[ee])")
    done = run(line)
    assert done.code == 2 and done.out == "" and len(done.err.splitlines()) == 1, done.err
    assert BAD[line] in done.err
    assert not (tmp_path / "outputs").exists()


@pytest.mark.parametrize(
    "changed", [{"score": None}, {"score": "x"}, {"first": 7}, {"moves": 5}, {"ended": 5}, {"game": -1}, None]
)
def test_a_line_that_no_match_writes_is_no_game(run, folder, changed):
    path = folder / "games.jsonl"
    path.write_text(path.read_text() + json.dumps(changed and {**TOLD[0], **changed}) + "\n")
    done = run(f"sgf run={folder} hydra.run.dir=two")
    assert (done.code, done.err) == (2, f"error: {path}, line 4: not a game\n")


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("config.yaml", "games: {name: go}\n", "{} is damaged: it names no game"),
        ("config.yaml", None, "{} cannot be read: No such file or directory"),
        ("summary.json", '{"player": 5}', "{} is damaged: player is no object"),
        ("games.jsonl", json.dumps({**TOLD[0], "moves": "E5 Z9"}) + "\n", "{}, game 1: move 'Z9' is no point of this"),
    ],
)
def test_a_damaged_folder_names_the_file(run, folder, file, text, told):
    (folder / file).unlink() if text is None else (folder / file).write_text(text)
    done = run(f"sgf run={folder} hydra.run.dir=two")
    assert done.code == 2 and done.err.startswith("error: " + told.format(folder / file)), done.err
    assert len(done.err.splitlines()) == 1
