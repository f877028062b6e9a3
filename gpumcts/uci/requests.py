"""The form of UCI: a GUI's requests, line by line."""

import math
from typing import NamedTuple

from gpumcts.errors import BadInput
from gpumcts.programs.clock import LAG, MIN_MOVES, MIN_SECONDS, spent

COMMANDS = frozenset(
    ("uci", "debug", "isready", "setoption", "ucinewgame", "position", "go", "stop", "ponderhit", "quit")
)
COUNTS = ("wtime", "btime", "winc", "binc", "movestogo", "depth", "nodes", "mate", "movetime")
CLOCKS = ("wtime", "btime", "winc", "binc")  # which may be below 0
FLAGS = ("infinite", "ponder")
MAX_DIGITS = 15
MAX_MOVES = 40  # that a clock is shared among; random games are longer than others


class Request(NamedTuple):
    """A command, and the words after it."""

    name: str
    arguments: list[str]


def parse(line: bytes) -> Request | None:
    """The command of a line, or None. Words before it that are no command do not count, as the protocol has it."""
    words = line.decode("utf-8", "replace").split()
    for place, word in enumerate(words):
        if word in COMMANDS:
            return Request(word, words[place + 1 :])
    return None


class Game(NamedTuple):
    """Of ``position``: the text that the game began with, empty for its usual start, and the moves since."""

    start: str
    moves: list[str]


def game_of(arguments: list[str]) -> Game:
    """Of ``startpos | fen TEXT``, and ``moves ...`` or nothing; raises BadInput where it is neither."""
    at = arguments.index("moves") if "moves" in arguments else len(arguments)
    kind, text, moves = arguments[:1], " ".join(arguments[1:at]), arguments[at + 1 :]
    if (kind == ["startpos"] and not text) or (kind == ["fen"] and text):
        return Game(text, moves)
    raise BadInput("position: it takes 'startpos' or 'fen' and a position, and then 'moves' and moves, or nothing")


def setting_of(arguments: list[str]) -> tuple[str, str]:
    """Of ``setoption name NAME value VALUE``: both as text, with single spaces; the value is empty where none is said.

    Raises BadInput where there is no name.
    """
    at = arguments.index("value") if "value" in arguments else len(arguments)
    if arguments[:1] != ["name"] or at == 1:
        raise BadInput("setoption: it takes 'name' and the name of an option, and then 'value' and its value")
    return " ".join(arguments[1:at]), " ".join(arguments[at + 1 :])


class Go(NamedTuple):
    """What ``go`` says, milliseconds and numbers; None where it says nothing of it.

    searchmoves : texts of the moves of which one is to be played; empty for all
    idle : words that were said and limit no search of ours
    unread : limits that were said without a number that they can have, which count as not said
    """

    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    depth: int | None = None
    nodes: int | None = None
    mate: int | None = None
    movetime: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[str, ...] = ()
    idle: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @property
    def endless(self) -> bool:
        """Whether the search goes on until it is told to stop."""
        return self.infinite or self.ponder

    def clock(self, player: int, moves_left: float, lag: float = LAG) -> float:
        """Seconds for a move of ``player`` by the clock, infinite without one; ``moves_left`` is an estimate."""
        left, more = (self.wtime, self.winc) if player == 0 else (self.btime, self.binc)
        if left is None:
            return math.inf
        moves = self.movestogo or min(max(moves_left, MIN_MOVES), MAX_MOVES)
        return spent(max(min(left, left / moves + (more or 0)), 0) / 1000, lag)

    def seconds(self, lag: float = LAG) -> float | None:
        """Seconds by ``movetime``, or None."""
        return None if self.movetime is None else max(self.movetime / 1000 - lag, MIN_SECONDS)


def go_of(arguments: list[str]) -> Go:
    """What ``go`` says. What is not understood counts as not said."""
    said: dict[str, int | bool] = {}
    idle: list[str] = []
    unread: list[str] = []
    searchmoves: list[str] = []
    naming = False
    words = list(arguments)
    while words:
        word = words.pop(0)
        naming = word == "searchmoves" or (naming and word not in (*FLAGS, *COUNTS))
        if word in FLAGS:
            said[word] = True
        elif word in COUNTS:
            text = words.pop(0) if words and words[0] not in (*FLAGS, *COUNTS, "searchmoves") else ""
            number = _number(text)
            if number is None or (number < 0 and word not in CLOCKS):
                unread.append(f"{word} {text}".strip())
                continue
            said[word] = number
            if word in ("depth", "mate"):
                idle.append(word)
        elif naming and word != "searchmoves":
            searchmoves.append(word)
    rest = {"searchmoves": searchmoves, "idle": dict.fromkeys(idle), "unread": unread}
    return Go(**said, **{name: tuple(words) for name, words in rest.items()})  # type: ignore[arg-type]


def _number(word: str) -> int | None:
    """An integer; None for what is none, or too long to be one. A clock may be below 0."""
    digits = word.removeprefix("-")
    good = digits.isascii() and digits.isdigit() and len(digits) <= MAX_DIGITS
    return int(word) if good else None
