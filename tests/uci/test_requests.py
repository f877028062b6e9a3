"""What the lines of a program for UCI say, how long its clock lets a search think, and scores in centipawns."""

import math

import pytest

from gpumcts.errors import BadInput
from gpumcts.programs.clock import MIN_SECONDS
from gpumcts.uci.info import MAX_CENTIPAWNS, centipawns
from gpumcts.uci.requests import Game, Request, game_of, go_of, parse, setting_of


@pytest.mark.parametrize(
    ("line", "request_"),
    [
        (b"isready", Request("isready", [])),
        (b" joho\tdebug  on\r", Request("debug", ["on"])),
        (b"go depth 3", Request("go", ["depth", "3"])),
        (b"", None),
        (b"\xff\x00 xyzzy GO", None),
    ],
)
def test_lines(line, request_):
    assert parse(line) == request_


def game(text):
    return game_of(text.split())


def go(text):
    return go_of(text.split())


def test_positions():
    assert game("startpos") == Game("", [])
    assert game("startpos moves e2e4 e7e5") == Game("", ["e2e4", "e7e5"])
    assert game("fen a b - 0 1 moves c2c4") == Game("a b - 0 1", ["c2c4"])
    for text in ("", "moves e2e4", "fen", "fen moves e2e4", "startpos e2e4", "sfen a"):
        with pytest.raises(BadInput, match="it takes 'startpos' or 'fen'"):
            game(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("name Move  Overhead value  10 ", ("Move Overhead", "10")),
        ("name MultiPV value", ("MultiPV", "")),
        ("name MultiPV", ("MultiPV", "")),
        ("name Book value a b", ("Book", "a b")),
    ],
)
def test_settings(text, expected):
    assert setting_of(text.split()) == expected


@pytest.mark.parametrize("text", ["", "name", "name value 3", "value 3 name MultiPV", "MultiPV 3"])
def test_a_setting_without_a_name_is_refused(text):
    with pytest.raises(BadInput, match="it takes 'name' and the name of an option"):
        setting_of(text.split())


def test_what_go_says():
    said = go("depth x wtime 60000 btime -20 infinite winc 100 nodes 12 nodes searchmoves e2e4 movetime 99 boo")
    assert (said.wtime, said.btime, said.winc, said.nodes, said.movetime, said.depth) == (60000, -20, 100, 12, 99, None)
    assert said.endless and said.idle == () and said.searchmoves == ("e2e4",)
    assert go("depth 3 mate 2").idle == ("depth", "mate") and not go("depth 3").endless
    assert go("ponder").endless
    assert go_of(["nodes", "9" * 400]).nodes is None


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        ("movetime abc", ("movetime abc",)),
        ("nodes -5 wtime -100", ("nodes -5",)),
        ("movetime", ("movetime",)),
        ("depth infinite", ("depth",)),
        ("nodes 12 movetime 1.5", ("movetime 1.5",)),
        ("btime -20 winc -3 movetime 0 nodes 0", ()),
    ],
)
def test_limits_without_a_number_count_as_not_said(text, unread):
    said = go(text)
    assert said.unread == unread
    assert all(getattr(said, words.split()[0]) is None for words in unread)
    assert said.endless == ("infinite" in text)


def test_the_clock():
    """Nine tenths of a share of what is left, and of the increment, less the lag; never more than what is left."""
    assert go("").clock(0, 30) == math.inf == go("wtime 1000").clock(1, 30)
    assert go("wtime 60000 btime 30000").clock(0, 30) == pytest.approx(0.9 * 2 - 0.05)
    assert go("wtime 60000 btime 30000").clock(1, 30, 0.5) == pytest.approx(0.9 * 1 - 0.5)
    assert go("wtime 60000 winc 1000").clock(0, 30) == pytest.approx(0.9 * 3 - 0.05)
    assert go("wtime 60000 movestogo 2").clock(0, 30) == pytest.approx(0.9 * 30 - 0.05)
    assert go("wtime 2000 winc 9000 movestogo 1").clock(0, 30) == pytest.approx(0.9 * 2 - 0.05)
    assert go("wtime 60000").clock(0, 1) == pytest.approx(0.9 * 12 - 0.05)
    assert go("wtime 60000").clock(0, 300) == pytest.approx(0.9 * 1.5 - 0.05)
    assert go("wtime -5").clock(0, 30) == MIN_SECONDS == go("wtime 0 movestogo 0").clock(0, 30)
    assert go("").seconds() is None
    assert (go("movetime 1000").seconds(0.25), go("movetime 1").seconds()) == (0.75, MIN_SECONDS)


def test_scores():
    """The Elo formula, both ways, and its ends."""
    assert centipawns(0.5) == 0 and centipawns(0.64) == 100 and centipawns(0.36) == -100
    for cp in (-700, -35, 1, 250, 1200):
        assert centipawns(1 / (1 + 10 ** (-cp / 400))) == cp
    assert (centipawns(1.0), centipawns(0.0), centipawns(1e-300)) == (MAX_CENTIPAWNS, *[-MAX_CENTIPAWNS] * 2)
