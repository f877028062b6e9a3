"""What our engine makes of noise: in every game each command has one answer, and the game goes on."""

import random

import pytest

from gpumcts.errors import BadInput
from gpumcts.games.go import Go
from gpumcts.games.havannah import Havannah
from gpumcts.games.othello import Othello
from gpumcts.gtp.engine import GtpEngine, Limits
from gpumcts.gtp.stream import Request, parse
from gpumcts.options import compiled
from gpumcts.playouts.uniform import Uniform
from gpumcts.tree.backup.average import Average
from gpumcts.tree.search import Searcher
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from tests.gtp.drivers import talk, texts

ODD = ["b", "w", "White", "pass", "-1", "1e400", "nan", "8", "", "\u00e9", "resign", "9" * 20, "a" * 300, "maxmoves"]
GAMES = {
    Othello(): (3000, "F5 d3 f6 c4", "boardsize 8,komi 0", "play b f5"),
    Go(size=9): (
        1500,
        "E5 d4 J9 a1 9 13 7 6.5 6.25 82 1 2 3 99 good.sgf broken.sgf later.sgf .",
        "loadsgf good.sgf,loadsgf good.sgf 2,loadsgf broken.sgf,loadsgf later.sgf,loadsgf later.sgf 3,komi 6.5,"
        "boardsize 9,play b pass,play w pass,kata-analyze b 1,lz-analyze 1",
        "play b E5",
    ),
    Havannah(4, swap=True): (1500, "d4 c3 a1 g7 swap 4 5 3", "boardsize 5,boardsize 4,play w swap", "play b d4"),
}
"""Options with how many lines they are sent, words that mean something there, commands that do, a move at the start."""
RECORDS = {
    "good.sgf": "(;SZ[9]KM[5.5]AB[dd][hh];W[ee];B[gg];W[];B[])",
    "broken.sgf": "(;SZ[9];B[ee];W[ee])",
    "later.sgf": "(;SZ[13];B[mm];W[aa];B[zz])",
}


@pytest.fixture
def engine_of(tmp_path, monkeypatch):
    """``engine_of(option)``: an engine that has a search on the board of ``option`` alone; files stand where it is."""
    monkeypatch.chdir(tmp_path)
    for name, text in RECORDS.items():
        (tmp_path / name).write_text(text)
    made = []

    def make(option):
        first, said = compiled(option), []
        settings = Settings(solve=isinstance(option, Go))  # as in other tests, that it is compiled once

        def search(game):
            if type(game) is not type(first):
                raise BadInput("there is no search of this board here")
            return Searcher(game, Uniform(), Ucb1(), Average(), settings)

        def with_terms(terms):
            return compiled(type(option)(**terms))

        fresh = GtpEngine(first, search, Limits(4, None), 1, option._asdict(), with_terms, said.append, resign=0.01)
        fresh.said = said
        made.append(fresh)
        return fresh

    yield make
    for each in made:
        each.close()


def noise(rng, names, words, commands):
    """A line: random bytes, a spoilt command, a command with odd arguments, or one of ``commands``."""
    kind = rng.random()
    if kind > 0.9:
        return rng.choice(commands).encode()
    if kind < 0.3:
        return bytes(rng.randrange(256) for _ in range(rng.randrange(40))).replace(b"\n", b"")
    begin = rng.choice(["", "", "7", "x"]), rng.choice(names)
    line = " ".join([*begin, *rng.choices(words, k=rng.randrange(4))]).encode()
    if kind < 0.6:
        place = rng.randrange(len(line) + 1)
        line = line[:place] + bytes([rng.choice([0, 9, 13, 27, 35, 127, 200, 255])]) + line[place + rng.randrange(2) :]
    return line


@pytest.mark.parametrize(
    "option",
    [pytest.param(o, id=type(o).__name__, marks=[pytest.mark.slow] if isinstance(o, Havannah) else []) for o in GAMES],
)
def test_noise_is_answered_line_by_line(engine_of, option):
    """Lines of a fixed seed: each that is a command has one answer, none makes the engine fail, the game goes on."""
    count, words, commands, move = GAMES[option]
    fresh, rng = engine_of(option), random.Random(20)
    names, words = [name for name in fresh.names if name != "quit"], [*ODD, *words.split()]
    lines = [noise(rng, names, words, commands.split(",")) for _ in range(count)]
    lines = [line for line in lines if (parse(line) or Request("", "", [])).name != "quit"]
    expected = sum(parse(line) is not None for line in lines)
    replies = talk(fresh, raw=b"\n".join(lines) + b"\n")
    assert len(replies) == expected > count / 2
    assert not [text for _, _, text in replies if "internal" in text], fresh.said
    refused = {text for status, _, text in replies if status == "?"}
    assert len(refused) > 5
    if isinstance(option, Go):
        assert any("later.sgf: line 1, column 24: B[zz] is no point" in text for text in refused)
        assert any("there is no search of this board" in text for text in refused), "another board was there"
    assert texts(fresh, "clear_board", move) == ["=", "="]
