"""Our UCI engine and noise: it goes on with the game."""

import random

from gpumcts.programs.lines import MAX_LINE
from gpumcts.uci.requests import Request, parse
from tests.uci.drivers import FIRST, moves, talk

# ----------------------------------------------------------------------------------------------------------- noise


ODD = """startpos moves fen f5 d3 d6 pass 0 -1 3 7 1e9 nodes movetime wtime btime winc movestogo depth mate infinite
    ponder searchmoves name value MultiPV Move Overhead on off later \u00e9 99999999999999999999 position go"""


def noise(rng):
    """A line: random bytes, a request with odd words, or a spoilt request."""
    words = [*ODD.split(), "a" * 300]
    kind = rng.random()
    if kind < 0.2:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(40))).replace(b"\n", b"")
    names = (
        "uci",
        "debug",
        "isready",
        "setoption",
        "ucinewgame",
        "position",
        "position startpos",
        "go",
        "stop",
        "ponderhit",
    )
    line = " ".join([rng.choice(names), *rng.choices(words, k=rng.randrange(5))]).encode()
    if kind < 0.5:
        place = rng.randrange(len(line) + 1)
        line = line[:place] + bytes([rng.choice([0, 9, 13, 27, 35, 127, 200, 255])]) + line[place + rng.randrange(2) :]
    return line


def test_noise_does_not_end_the_game(engine):
    """3,000 lines of a fixed seed: every ``go`` has one move, every question one answer, and the game goes on."""
    fresh, rng = engine(iterations=4), random.Random(20)
    lines = [line for line in (noise(rng) for _ in range(3000)) if (parse(line) or Request("", [])).name != "quit"]
    said = [request.name for request in map(parse, lines) if request]
    answer = talk(fresh, raw=b"\n".join(lines) + b"\n")
    assert len(moves(answer)) == said.count("go") > 100
    assert answer.count("uciok") == said.count("uci") > 50 and answer.count("readyok") == said.count("isready") > 50
    assert not [line for line in answer if "internal" in line] and not fresh.said
    assert {line.split()[0] for line in answer} == {"id", "option", "uciok", "readyok", "info", "bestmove"}
    assert moves(talk(fresh, "ucinewgame", "position startpos", "go"))[0] in FIRST


def test_a_line_without_end_is_passed_over(engine):
    assert talk(engine(), raw=b"uci" * (2 * MAX_LINE) + b"\nisready\n") == ["readyok"]


def test_a_position_in_too_long_a_line_is_refused(engine):
    """The position before it is not searched in its place."""
    line = b"position startpos moves " + b"f5 " * MAX_LINE
    answer = talk(engine(), raw=b"position startpos\n" + line + b"\ngo nodes 9\nposition startpos\ngo nodes 9\n")
    assert answer[:2] == [
        "info string position: a line has at most 65,536 bytes",
        "info string go: the last position was refused",
    ]
    first, second = moves(answer)
    assert first == "(none)" and second in FIRST


def test_the_end_of_input_without_a_newline_still_counts(engine):
    assert talk(engine(), raw=b"isready") == ["readyok"]
