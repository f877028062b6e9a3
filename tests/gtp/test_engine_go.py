"""Our engine for Go: boards and komi, superko, records, resigning; and GNU Go through both ends."""

import json
import os
import random
import re
import shutil

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games.contract import chains, handicap_points, lead, parse_position, play, start, with_handicap
from gpumcts.games.go import Go
from gpumcts.games.go.text import point_name
from gpumcts.games.othello import Othello
from gpumcts.gtp.analysis import rate_of
from gpumcts.gtp.engine import GtpEngine, Limits
from gpumcts.gtp.position import GtpPosition
from gpumcts.gtp.program import GtpProgram, Refused
from gpumcts.match.runner import play_match
from gpumcts.options import compiled
from gpumcts.players.gtp import GtpLaunch, GtpPlayer
from gpumcts.players.uct import UctPlayer
from gpumcts.playouts.uniform import Uniform
from gpumcts.programs import position
from gpumcts.tree.backup.average import Average
from gpumcts.tree.search import Searcher
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from gpumcts.tree.solve import DRAW, LOSS, WIN
from tests.gtp.drivers import texts

GO = Go(size=9)
GO_9 = compiled(GO)
SUPERKO = "A2 C2 B2 D1 J9 B1 J8 A1 C1"  # after these White may not take on B1
GNU = ["--mode", "gtp", "--level", "1", "--chinese-rules", "--positional-superko", "--capture-all-dead"]


def search_of(game):
    return Searcher(game, Uniform(), Ucb1(), Average(), Settings(solve=True))


@pytest.fixture(scope="module")
def searcher():
    return search_of(compiled(GO))


@pytest.fixture
def engine(searcher):
    """``engine(...)``: an engine of Go on 9x9; only that board has a search."""
    made = []

    def make(iterations=30, **options):
        said = []

        def search(game):
            assert type(game) is type(compiled(GO)), "another board"
            return searcher if game == compiled(GO) else search_of(game)

        def with_terms(terms):
            return compiled(Go(**terms))

        fresh = GtpEngine(
            compiled(GO), search, Limits(iterations, None), 1, GO._asdict(), with_terms, said.append, **options
        )
        fresh.said = said
        made.append(fresh)
        return fresh

    yield make
    for each in made:
        each.close()


def played(moves):
    """A game as commands."""
    return [f"play {'bw'[ply % 2]} {move}" for ply, move in enumerate(moves.split())]


def test_boards_and_komi(engine):
    fresh = engine()
    assert (
        texts(fresh, "boardsize 13", "komi 6.5", "play b N13", "boardsize 19", "play b T19", "boardsize 9") == ["="] * 6
    )
    assert fresh.position.game == compiled(Go(size=9, komi=6.5)), "the komi stays where the board goes"
    assert texts(fresh, "boardsize 7", "boardsize 9 9", "boardsize 10", "komi 6.25", "play b T19") == [
        "?unacceptable size", "?unacceptable size", "?unacceptable size",
        "?game.komi=6.25: komi is a number of whole or half points, as 7.5", "?illegal move",
    ]  # fmt: skip
    assert fresh.position.game == compiled(Go(size=9, komi=6.5))


def test_superko_is_refused_and_comes_back_with_undo(engine):
    fresh = engine()
    assert texts(fresh, *played(SUPERKO)) == ["="] * 9
    assert texts(fresh, "play w B1", "komi 0.5", "play w B1") == ["?illegal move", "=", "?illegal move"]
    assert texts(fresh, "play w H5", "play b H4", "play w B1", *["undo"] * 3, "play w B1") == ["="] * 6 + [
        "?illegal move"
    ]
    assert any("by ko, B1 would bring back an earlier position" in line for line in fresh.said)
    assert "B1" not in [fresh.position.text(move) for move in fresh.position.of(fresh.position.game).legal]


def test_the_end_is_scored_by_area(engine):
    fresh = engine()
    assert texts(fresh, "play b E5", "final_score", "play w pass", "play b pass", "final_score") == [
        "=", "?cannot score: the game is not over", "=", "=", "=B+73.5",
    ]  # fmt: skip
    assert texts(fresh, "komi 81", "final_score", "komi 100", "final_score") == ["=", "=0", "=", "=W+19"]
    assert texts(fresh, "undo", "play w C3", "final_score")[:2] == ["=", "="]  # Black's pass is left out then


def test_play_goes_on_after_two_passes(engine):
    """As GUIs do to settle what is dead: passes count no more, all else is as before, undo goes back to the end."""
    fresh = engine()
    assert texts(fresh, *played(SUPERKO), "play w pass", "play b pass", "final_score")[-1] == "=W+2.5"
    assert texts(fresh, "genmove w", "reg_genmove b", "lz-analyze w") == ["?the game is over"] * 3
    ended = fresh.position.state
    assert texts(fresh, "play w B1", "play w C1") == ["?illegal move"] * 2, "superko, a stone"
    assert fresh.position.state == ended
    assert texts(fresh, "play b H4", "final_score") == ["=", "?cannot score: the game is not over"]
    assert texts(fresh, "undo", "play w H4", "play b H5", "play w B1", *["undo"] * 3) == ["="] * 7
    assert fresh.position.state == ended and texts(fresh, "final_score") == ["=W+2.5"]
    assert texts(fresh, "play w H4", "komi 0.5", "undo", "play w H4", "play b pass", "genmove w")[:5] == ["="] * 5
    assert len(fresh.position.moves) == 9 + 2 + 3
    assert texts(fresh, *["undo"] * 14, "undo")[-2:] == ["=", "?cannot undo"]


def test_passes_after_the_end_begin_anew_and_the_cap_is_an_end(engine):
    fresh = engine()
    assert texts(fresh, "play b pass", "play w pass", "play b pass", "final_score", "play w pass", "final_score") == [
        "=", "=", "=", "?cannot score: the game is not over", "=", "=W+7.5",
    ]  # fmt: skip
    capped = GtpPosition(GO_9, start=parse_position(GO_9, "........./" * 8 + f"......... b {GO_9.MAX_PLIES - 1} 0"))
    capped.play(0, "E5")
    assert capped.over
    with pytest.raises(BadInput, match="the game is over"):
        capped.play(1, "E6")


def test_a_pass_that_is_left_out_is_none(engine):
    """Black moves twice, and the next pass is the first: before, it ended the game, and ``genmove b`` chose it."""
    fresh = engine(iterations=200)
    assert texts(fresh, "play b E5", "play b E6") == ["=", "="]
    assert texts(fresh, "genmove b")[0] not in ("=pass", "=PASS", "=resign")
    assert texts(fresh, "play b pass", "final_score") == ["=", "?cannot score: the game is not over"]
    assert texts(fresh, "play w pass", "final_score")[1].startswith("=B+")
    assert texts(fresh, *["undo"] * 3, "komi 6.5", "play b pass", "final_score") == ["="] * 5 + [
        "?cannot score: the game is not over"
    ]


def test_analyses_of_a_pass_made_and_one_left_out_are_two(engine):
    left_out, made = GtpPosition(compiled(GO)), GtpPosition(compiled(GO))
    left_out.play(0, "E5")
    left_out.turn_to(0)
    made.play(0, "E5")
    made.play(1, "pass")
    assert left_out.moves == made.moves and left_out.played != made.played


def test_looking_back_is_the_same_compiled_and_in_plain_python(monkeypatch):
    game, rng = compiled(Go(size=9)), random.Random(7)
    slow, fast = GtpPosition(game), GtpPosition(game)
    for ply in range(90):
        monkeypatch.setattr(position, "LONG", 1000)
        expected = slow.state
        monkeypatch.setattr(position, "LONG", 5)
        assert fast.state == expected
        assert slow.only_move == fast.only_move and slow.over == fast.over
        monkeypatch.setattr(position, "LONG", 1000)
        legal = slow.legal
        monkeypatch.setattr(position, "LONG", 5)
        assert legal == fast.legal
        if ply % 9 == 0:  # one point alone is asked when a move is read
            assert legal[:-1] == [move for move in range(81) if is_read(fast, move)]
        move = rng.choice(legal[:-1] or legal)
        slow.push(move), fast.push(move)
        if ply % 10 == 9:  # and after moves are taken back
            for each in (slow, fast):
                each._pop()


def is_read(at, move):
    """Whether a point is taken for a legal move."""
    try:
        return at.parse(point_name(at.game, move)) == move
    except BadInput:
        return False


def test_lead():
    game = compiled(Go(komi=0.5))
    state = parse_position(game, "........./" * 7 + "XXXXXXXXX/......... b 2 1")
    assert lead(game, state) == 80.5
    with np.errstate(over="ignore"):
        assert lead(game, play(game, state, 81)) == 80.5


def test_records(engine, tmp_path):
    path, broken = tmp_path / "a.sgf", tmp_path / "broken.sgf"
    path.write_text("(;SZ[13]KM[5.5]AB[dd][jj]HA[2];W[gg];B[jd];W[dj])")
    broken.write_text("(;SZ[9];B[ee]\n;W[ee])")
    fresh = engine()
    assert texts(fresh, f"loadsgf {path}") == ["="]
    assert fresh.position.game == compiled(Go(size=13, komi=5.5))
    assert fresh.position.line([]) == [] and len(fresh.position.moves) == 3
    assert texts(fresh, "play w A1", "play b A1", "undo", "undo", "play w D4", "showboard")[:5] == [
        "=", "?illegal move", "=", "=", "=",
    ]  # fmt: skip
    assert texts(fresh, f"loadsgf {path} 6") == ["="] and len(fresh.position.moves) == 3, "as many as there are"
    assert texts(fresh, f"loadsgf {path} 2") == ["="] and len(fresh.position.moves) == 1
    assert texts(fresh, f"loadsgf {broken} 2", "showboard")[0] == "=" and len(fresh.position.moves) == 1
    os.mkfifo(tmp_path / "pipe")
    wrong = {
        f"loadsgf {tmp_path / 'pipe'}": f"cannot load file: {tmp_path / 'pipe'} is a pipe, whose end may never come",
        f"loadsgf {broken}": f"cannot load file: {broken}: line 2, column 4: White's move 'E5' is not legal here: ",
        f"loadsgf {tmp_path / 'no'}": f"cannot load file: {tmp_path / 'no'} cannot be read: No such file or directory",
        "loadsgf": "syntax error",
        f"loadsgf {path} 0": "syntax error",
    }
    for command, answer in wrong.items():
        (said,) = texts(fresh, command)
        assert said.startswith(f"?{answer}"), said
    assert len(fresh.position.moves) == 1, "what cannot be loaded changes nothing"


def test_nobody_resigns_what_is_won():
    """What is proven counts, not the mean of the playouts before."""
    assert [rate_of(0.03, proof) for proof in (0, LOSS, DRAW, WIN)] == [0.03, 0.0, 0.5, 1.0]


def test_resigning(engine):
    """With a komi of 200 for Black no playout is White's; who resigns has not moved, and Black never does."""
    fresh, never = engine(resign=0.2), engine()
    assert texts(fresh, "komi -200", "play b E5", "genmove w", "genmove w") == ["=", "=", "=resign", "=resign"]
    assert len(fresh.position.moves) == 1
    for answer in (texts(fresh, "undo", "genmove b")[1], texts(never, "komi -200", "play b E5", "genmove w")[2]):
        assert re.fullmatch("=([A-HJ][1-9]|pass)", answer)


@pytest.fixture
def gnugo():
    found = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
    return found or pytest.skip("gnugo is not installed")


def test_a_whole_game_against_gnu_go(tmp_path, searcher, gnugo):
    """None of its moves or ours is refused; the game ends with two passes, or the program resigns."""
    game = compiled(GO)
    program = GtpPlayer(game, GtpLaunch([gnugo, *GNU]), 1, "gnugo")
    try:
        result = play_match(game, (UctPlayer(searcher, 30), program), 1, 3, tmp_path, {"of": "tests"})
    finally:
        program.close()
    assert result.games == result.losses == 1 and result.given_up[1].forfeited == 0
    record = json.loads((tmp_path / "games.jsonl").read_text())
    assert record["moves"].endswith("pass pass") or record.get("reason") == "resigned"


def test_gnu_go_refuses_superko_as_we_do(gnugo):
    program = GtpProgram([gnugo, *GNU], 20.0)
    for command in ("boardsize 9", "komi 7.5", "clear_board", *played(SUPERKO)):
        program.ask(command)
    with pytest.raises(Refused, match="illegal move"):
        program.ask("play w B1")
    program.close()


PLACES = {2: "D4 Q16", 3: "D16", 4: "Q4", 5: "K10", 6: "D10 Q10", 7: "K10", 8: "K4 K16", 9: "K10"}
"""The fixed handicaps of GTP 2 on 19x19: each has the stones of the last even one, and these."""


def test_fixed_handicaps_are_those_of_gtp():
    even = ""
    for count, more in PLACES.items():
        points = f"{even} {more}".split()
        assert set(handicap_points(compiled(Go(size=19)), count)) == set(points) and len(points) == count
        even = even if count in (5, 7) else " ".join(points)
    assert handicap_points(GO_9, 5) == ["C3", "G7", "C7", "G3", "E5"]
    assert handicap_points(compiled(Go(size=13)), 8) == ["D4", "K10", "D10", "K4", "D7", "K7", "G4", "G10"]


def test_a_handicap_is_no_moves_and_white_begins(engine):
    fresh = engine()
    assert texts(fresh, "fixed_handicap 3", "undo", "komi 0.5") == ["=C3 G7 C7", "?cannot undo", "="]
    position = parse_position(
        GO_9, "........./" * 2 + "..X...X../" + "........./" * 3 + "..X....../........./......... w"
    )
    assert fresh.position.state == position and fresh.position.game.half_points == 1
    refused, found = texts(fresh, "play w C3", "genmove w")
    assert refused == "?illegal move" and found.startswith("=") and len(fresh.position.moves) == 1
    assert texts(fresh, "undo", "set_free_handicap A1 B1") == ["=", "?board not empty"], "a handicap is there"
    assert texts(fresh, "clear_board", "set_free_handicap a1 B1 J9", "play b E5", "play w A2") == ["="] * 4
    assert chains(GO_9, fresh.position.state) == [["A1", "B1"], ["E5"], ["J9"], ["A2"]]


def test_handicaps_that_are_none_change_nothing(engine):
    fresh = engine()
    number, bad = "?invalid number of stones", "?bad vertex list"
    assert texts(
        fresh, "fixed_handicap 1", "fixed_handicap 10", "fixed_handicap -2", "place_free_handicap 1",
        "fixed_handicap", "fixed_handicap 2.5", "fixed_handicap 2 3", "set_free_handicap", "set_free_handicap A1",
        "set_free_handicap A1 pass", "set_free_handicap A1 a1", "set_free_handicap A1 I1",
    ) == [number] * 4 + ["?syntax error"] * 4 + [bad] * 4  # fmt: skip
    assert [line.partition(": ")[2] for line in fresh.said] == [
        "a handicap has 2 stones or more", "'pass' is no point of this board", "'a1' is named twice",
        "'I1' is no point of this board",
    ]  # fmt: skip
    every = [point_name(GO_9, point) for point in range(GO_9.CELLS)]
    assert texts(fresh, f"set_free_handicap {' '.join(every)}") == [bad], "no liberty is left"
    assert texts(fresh, "play b E5", "fixed_handicap 2", "undo", "place_free_handicap 1000000000") == [
        "=", "?board not empty", "=", "?syntax error",
    ]  # fmt: skip
    assert texts(fresh, "place_free_handicap 60") == ["=C3 G7 C7 G3 C5 G5 E3 E7 E5"], "as many as there are"
    assert texts(fresh, "fixed_handicap 2") == ["?board not empty"]


def test_a_search_of_the_empty_board_is_none_of_the_handicap(engine):
    fresh = engine(iterations=60)
    number = fresh.position.number
    assert texts(fresh, "reg_genmove b", "gpumcts-winrates")[1].startswith("=")
    assert texts(fresh, "fixed_handicap 9", "gpumcts-winrates")[1].startswith("?this position has not been searched")
    assert fresh.position.number == number + 1, "another game, with draws of its own"


def test_the_status_of_stones_is_what_the_score_counts(engine):
    fresh = engine()
    assert texts(fresh, *played("A1 E5 A2 E6 J9"), "final_status_list dead")[-1] == "?cannot tell: the game is not over"
    assert texts(fresh, "play w pass", "play b pass", "final_status_list alive", "final_status_list dead") == [
        "=", "=", "=A1 A2\nJ9\nE5 E6", "=",
    ]  # fmt: skip
    assert texts(fresh, "final_status_list seki", "final_status_list", "final_status_list gone") == [
        "=", "?syntax error", "?syntax error",
    ]  # fmt: skip


def test_games_without_a_handicap_know_no_such_command():
    class Search:
        pass

    other = GtpEngine(Othello(), lambda game: Search(), Limits(1, None))
    assert texts(other, "known_command fixed_handicap", "final_status_list dead") == ["=false", "?unknown command"]
    other.close()
    with pytest.raises(BadInput, match="Othello has no handicap"):
        with_handicap(Othello(), ["a1", "b1"])
    assert not chains(Othello(), start(Othello()))
