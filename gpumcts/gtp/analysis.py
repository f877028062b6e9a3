"""What an engine tells of its search: Leela's lines for Sabaki and others, and commands for GoGui."""

import time

from gpumcts.errors import BadInput
from gpumcts.gtp.position import COLOURS, Position
from gpumcts.programs.lines import Sink
from gpumcts.tree.root import Child
from gpumcts.tree.searched import Searched
from gpumcts.tree.thinking import Thinking

MOST_MOVES, MOST_PLIES = 20, 16  # of a line: moves that are told, plies of their variations
INTERVAL = 0.5  # seconds between lines, where nobody says
GOGUI = "pspairs/Win Rates %/gpumcts-winrates\nstring/Principal Variation/gpumcts-pv"
"""For GoGui: type, what its menu says, command."""


def terms(arguments: list[str], mover: int) -> tuple[int, float]:
    """Of ``[colour] [interval N | N]``: whose move (the mover's, if nobody says), and seconds between lines."""
    words = list(arguments)
    colour = mover
    if words and words[0].lower() in COLOURS:
        colour = COLOURS[words.pop(0).lower()]
    if words[:1] == ["interval"]:
        words.pop(0)
    interval = INTERVAL
    if words:
        text = words.pop(0)
        if words or not text.isascii() or not text.isdigit() or len(text) > 6:
            raise BadInput("syntax error: it takes a colour, and an interval in hundredths of a second")
        interval = max(int(text), 1) / 100
    return colour, interval


def info(position: Position, found: Searched) -> str:
    """``info move D4 visits 12 winrate 5432 order 0 pv D4 ...`` for every move, most visited first, on one line.

    The win rate is in ten-thousandths, for the player to move.
    """
    parts = []
    for order, child in enumerate(_children(found)):
        line = " ".join(position.line(found.principal_variation(0, child.move)[:MOST_PLIES]))
        rate = round(10_000 * _rate(child))
        parts.append(f"info move {line.split()[0]} visits {child.visits} winrate {rate} order {order} pv {line}")
    return " ".join(parts)


class Telling:
    """Lines of an analysis, one at most every ``interval`` seconds."""

    def __init__(self, position: Position, interval: float, sink: Sink) -> None:
        self._position, self._interval, self._sink = position, interval, sink
        self._next = time.monotonic() + interval

    def look(self, thinking: Thinking, always: bool = False) -> None:
        """Tell what is known, if it is time."""
        if not always and time.monotonic() < self._next:
            return
        self._next = time.monotonic() + self._interval
        self._sink.write(info(self._position, thinking.found()).encode() + b"\n")
        self._sink.flush()


def winrates(position: Position, found: Searched) -> str:
    """Moves and their win rates in per cent, in turn."""
    return " ".join(f"{position.text(child.move)} {100 * _rate(child):.0f}" for child in _children(found))


def variation(position: Position, found: Searched) -> str:
    """Win rate, iterations, and the line that the search expects."""
    best = int(found.decide()[0])
    (child,) = (child for child in found.root_children(0) if child.move == best)
    line = " ".join(position.line(found.principal_variation(0, best)))
    return f"{100 * _rate(child):.1f} % after {found.iterations:,} iterations: {line}"


def _children(found: Searched) -> list[Child]:
    return found.root_children(0)[:MOST_MOVES]


def _rate(child: Child) -> float:
    return min(max(child.value, 0.0), 1.0)
