"""PGN: what is read, what is refused and how it is told, what is written."""

import io
import os
from pathlib import Path

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.chess import Chess
from gpumcts.games.chess.fen import fen_of
from gpumcts.games.chess.pgn import games_of
from gpumcts.games.contract import Record, parse_nth_record, parse_record, record_format, record_text
from gpumcts.games.othello import Othello
from gpumcts.gtp.records import read_record
from tests.games import drivers
from tests.games.chess_drivers import GAME, LOCKED

DATA = Path(os.environ.get("GPUMCTS_DATA", ""))
MATE = "1. f3 e5 2. g4 Qh4# 0-1"

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def read(text):
    """Moves as UCI of each game of a text."""
    return [moves_of(record) for record in games_of(text)]


def moves_of(record):
    state, found = record.start, []
    for move in record.moves:
        found.append(contract.move_text(GAME, state, move))
        state = contract.play(GAME, state, np.int64(move))
    return " ".join(found)


MATE_MOVES = "f2f3 e7e5 g2g4 d8h4"
READ = {
    MATE: [MATE_MOVES],
    "": [],
    " \n\n% nothing but a note\n": [],
    "*": [""],
    '[Event "?"]\n\n*': [""],
    "f3 e5 g4 Qh4": [MATE_MOVES],  # without numbers, signs and result
    "1.f3 1...e5 2.g4?? Qh4++ 0-1": [MATE_MOVES],
    "1. f3 e5 2. g4 $4 (2. e4 Nf6 (2... Nc6 $1 {(}) 3. d4) 2... Qh4# $1 0-1": [MATE_MOVES],
    "{before} 1. f3 {a ; b\n c) } e5 ; to the end ( of the line\n% a note {\n2. g4 Qh4# {mate} 0-1 ": [MATE_MOVES],
    "\ufeff1. f3\r\ne5\r2. g4\tQh4# 0-1": [MATE_MOVES],
    "1 f3 e5 2 g4 Qd8-h4 0-1": [MATE_MOVES],
    "1. f3 e5 2. g4* 1. a3 b6!?*": ["f2f3 e7e5 g2g4", "a2a3 b7b6"],  # an asterisk ends the word before it
    f"{MATE}\n\n{MATE} 1. a3 *": [MATE_MOVES, MATE_MOVES, "a2a3"],
    f'[Event "a"]\n\n1. f3\n[Event "b"]\n\n{MATE}': ["f2f3", MATE_MOVES],  # the result is missing
    f'[Event "a"]\n[Event "b"]\n\n{MATE}': ["", MATE_MOVES],
    "1. e4 d5 2. e5 f5 3. exf6e.p. gxf6 *": ["e2e4 d7d5 e4e5 f7f5 e5f6 g7f6"],
    '[SetUp "1"]\n[FEN "4k3/P7/8/8/8/8/8/R3K3 w Q - 0 9"]\n\n9. a8=Q+ Kd7 10. 0-0-0+ Ke7 *': ["a7a8q e8d7 e1c1 d7e7"],
    '[FEN "4k3/P7/8/8/8/8/8/R3K3 b Q - 0 9"]\n\n9... Kd7 10. a8N *': ["e8d7 a7a8n"],
    '[SetUp "0"]\n[FEN "no position"]\n[Variant "Standard"]\n\n1. e4 *': ["e2e4"],
}


@pytest.mark.parametrize("text", READ)
def test_games_are_read(text):
    assert read(text) == READ[text]


def test_tags():
    text = r'[Event "a \"b\" \\ c"] [Site "say "x" so"]' + '\n[White  "Pólya"]\n[Empty ""]\n\n1. e4 1/2-1/2'
    (record,) = games_of(text)
    assert record.tags == {
        "Event": 'a "b" \\ c',
        "Site": 'say "x" so',
        "White": "Pólya",
        "Empty": "",
        "Result": "1/2-1/2",
    }
    assert record.terms == {} and record.start == contract.start(GAME)


def test_what_is_played_after_a_draw_is_left_out():
    """Here draws need no claim. The moves after it must be legal."""
    fen = '[FEN "4k3/8/8/8/8/8/8/R3K3 w - - 98 80"]\n\n'
    assert read(fen + "80. Ra2 Kd8 81. Ra3 Kd7 82. Ra4 *") == ["a1a2 e8d8"]
    with pytest.raises(BadInput, match=r"game 1, ply 4: 81\.\.\. 'Kd6' is not legal"):
        read(fen + "80. Ra2 Kd8 81. Ra3 Kd6 *")


GAME_2 = f"{MATE}\n\n"
BAD = {
    GAME_2
    + "1. e4 e5 2. Nf6 *": "PGN: game 2, ply 3: 2. 'Nf6' is not legal in rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/",
    GAME_2 + "1. e4 Ke7 *": "PGN: game 2, ply 2: 1... 'Ke7' is not legal in ",
    "1. Nf3 a6 2. d3 a5 3. Nd2 *": "PGN: game 1, ply 5: 3. 'Nd2' may be any of 2 moves in ",
    "1. f3 e5 2. g4 Qh4# 3. a3 *": "game 1, ply 5: 3. 'a3' is not legal",
    f"1. e4 c5 {'2' * 5000}. Nf6 *": "game 1, ply 3: 2. 'Nf6' is not legal",  # more digits than Python reads
    "1. e4 c5\n2. Nf3 d6\n\n1. d4 d5 1-0": "game 1, after ply 4: the moves begin again at 1: the game has no result",
    "hello world": "PGN: game 1, ply 1: 1. 'hello' is not legal",
    "1. e4 -- *": "game 1, ply 2: 1... '--' is not legal",
    "1. e4 e5 {no end": "PGN: game 1, after ply 2: a comment that begins with '{' does not end",
    "1. e4 } e5": "game 1, after ply 1: there is a '}' without a comment",
    "1. e4 (1. d4 e5 *": "game 1, after ply 1: a variation that begins with '(' does not end",
    '1. e4 (1. d4\n[Event "?"]\n1. e4 *': "game 1, after ply 1: a variation that begins with '(' does not end",
    GAME_2 + "1. e4 (1. d4)) e5 *": "game 2, after ply 1: there is a ')' without a variation",
    GAME_2 + "[White Polgar]\n1. e4 *": "game 2: there is a '[' that begins no tag such as [White \"Polgar\"]",
    "1. e4 ] e5": "game 1, after ply 1: there is a ']' without a tag",
    '[SetUp "1"]\n\n1. e4 *': "PGN: game 1: SetUp is 1 and there is no tag FEN",
    '[FEN "4k3/8/8/8/8/8/8/8 w - - 0 1"]\n\n1. e4 *': "PGN: game 1: FEN position: White has 0 kings",
    '[Variant "Chess960"]\n\n1. e4 *': "PGN: game 1: it is one of 'Chess960', not of Chess",
    "1. " + "x" * 500: "'xxxxxxxxxxxxxxxxxxxx...' is not legal",
}


@pytest.mark.parametrize("text", BAD)
def test_what_is_wrong_is_told_on_one_line(text):
    with pytest.raises(BadInput) as refusal:
        list(games_of(text))
    assert BAD[text] in str(refusal.value) and len(str(refusal.value).splitlines()) == 1
    assert len(str(refusal.value)) < 300


def test_what_annotators_write_after_moves_is_no_move():
    text = "1. e4 N e6 += 2. e5 ! d5 $1 3. exd6 e.p. +/- cxd6 = 4. d4 \u00b1 *"
    (record,) = games_of(text)
    assert len(record.moves) == 7


def test_games_before_a_broken_one_are_read():
    games = games_of(GAME_2 + MATE + " 1. e5 *", "a.pgn")
    assert [moves_of(next(games)), moves_of(next(games))] == [MATE_MOVES] * 2
    with pytest.raises(BadInput, match=r"a\.pgn: game 3, ply 1: 1\. 'e5' is not legal"):
        next(games)


def test_one_game_of_a_file(tmp_path):
    text, path = f"{MATE}\n1. e4 e5 2. Nf3 *", tmp_path / "a.pgn"
    path.write_text(text)
    assert moves_of(parse_record(GAME, text, None)) == MATE_MOVES
    assert moves_of(read_record(GAME, str(path), 2, 2)) == "e2e4 e7e5"
    assert moves_of(read_record(GAME, str(path), 0)) == ""
    for plies, number, why in (
        (4, 2, "game 2: it has 3 moves, no 4"),
        (None, 3, "there is no game 3: it holds 2"),
        (None, 0, "there is no game 0: it holds 2"),
    ):
        with pytest.raises(BadInput, match=f"a.pgn: {why}"):
            read_record(GAME, str(path), plies, number)
    with pytest.raises(BadInput, match="there is no game 1: it holds none"):
        parse_nth_record(GAME, "", 1, None)
    assert record_format(GAME) == "pgn" and record_format(Othello()) == ""


@pytest.mark.parametrize("coding", ["utf-8-sig", "utf-16", "latin-1"])
def test_a_file_as_other_editors_write_it(tmp_path, coding):
    path = tmp_path / "a.pgn"
    path.write_bytes(f'[White "Réti"]\n\n{MATE}'.encode(coding))
    record = read_record(GAME, str(path))
    assert (moves_of(record), record.tags["White"]) == (MATE_MOVES, "Réti")


# ------------------------------------------------------------------------------------------------------------- writing


def test_a_game_as_it_is_written():
    (record,) = games_of(f'[Zone "z"]\n[Black "B \\"x\\""]\n\n{MATE}')
    assert record_text(GAME, record) == (
        '[Event "?"]\n[Site "?"]\n[Date "????.??.??"]\n[Round "?"]\n[White "?"]\n[Black "B \\"x\\""]\n[Result "0-1"]\n'
        '[Zone "z"]\n\n1. f3 e5 2. g4 Qh4# 0-1\n'
    )


def test_the_result_where_no_tag_says_it():
    (record,) = games_of(MATE)
    for moves, result in ((record.moves, "0-1"), (record.moves[:3], "*")):
        assert record_text(GAME, Record(GAME, {}, record.start, moves, {})).endswith(f" {result}\n")
    stalemate = contract.parse_position(GAME, "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1")
    move = contract.parse_move(GAME, stalemate, "Qf7")
    text = record_text(GAME, Record(GAME, {}, stalemate, [move], {"Event": "two\nlines"}))
    assert text.endswith("1. Qf7 1/2-1/2\n") and '[Event "two lines"]' in text
    assert '[Result "1/2-1/2"]\n[SetUp "1"]\n[FEN "7k/8/6K1/5Q2/8/8/8/8 w - - 0 1"]\n\n' in text


def test_black_to_move_first():
    start = contract.parse_position(GAME, LOCKED.replace("w", "b").replace("0 1", "0 7"))
    moves = [contract.parse_move(GAME, start, "Kd8")]
    text = record_text(GAME, Record(GAME, {}, start, moves, {}))
    assert text.endswith("\n7... Kd8 *\n") and [r.moves for r in games_of(text)] == [moves]


def random_records(count):
    words, moves, plies = drivers.trace(GAME, drivers.keys_of(40, count=count))
    for g in range(count):
        yield Record(GAME, {}, contract.unpack(GAME, words[g, 0], 0, 1), moves[g, : plies[g]].tolist(), {})


def test_random_games_are_written_for_python_chess_and_read_again():
    pgn = pytest.importorskip("chess.pgn")
    records = list(random_records(4))
    text = "\n".join(record_text(GAME, record) for record in records)
    assert max(map(len, text.splitlines())) < 80
    again, theirs = list(games_of(text)), io.StringIO(text)
    for record, copy in zip(records, again, strict=True):
        assert copy.moves == record.moves and copy.start == record.start
        game = pgn.read_game(theirs)
        assert game.errors == [] and " ".join(move.uci() for move in game.mainline_moves()) == moves_of(record)
        assert dict(game.headers) == copy.tags


def test_games_of_grandmasters_as_python_chess_reads_them():
    pgn, file = pytest.importorskip("chess.pgn"), DATA / "gm_games.pgn"
    if not file.exists():
        pytest.skip(f"no {file}")
    text = file.read_text("utf-8")
    theirs, count = io.StringIO(text), 0
    for record in games_of(text):
        count += 1
        game = pgn.read_game(theirs)
        if count % 8 == 0:
            last = record.start
            for move in record.moves:
                last = contract.play(GAME, last, np.int64(move))
            assert fen_of(last) == game.end().board().fen(en_passant="xfen")
            assert record.tags == dict(game.headers)
            assert list(games_of(record_text(GAME, record))) == [record]
    assert count == 120 and pgn.read_game(theirs) is None


def test_the_terms_are_those_of_the_game_that_is_asked_for():
    (record,) = games_of(MATE, game=Chess(evaluation="pesto").compiled())
    assert record.game == Chess(evaluation="pesto").compiled()
