"""What an engine reports of its search: Leela's lines for Sabaki and others, and commands for GoGui."""

import time
from typing import Any, NamedTuple

from gpumcts.errors import BadInput
from gpumcts.gtp.position import GtpPosition, player_of
from gpumcts.programs.lines import Sink
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.root_table import Child
from gpumcts.tree.search_result import TreeSearchResult
from gpumcts.tree.solve import DRAW, LOSS, WIN

MAX_MOVES, MAX_PLIES = 20, 16  # of a line: moves that are reported, plies of their variations
PROVEN = {LOSS: 0.0, DRAW: 0.5, WIN: 1.0}
INTERVAL = 0.5  # seconds between lines, where nobody says
GOGUI = "pspairs/Win Rates %/gpumcts-winrates\nstring/Principal Variation/gpumcts-pv"
"""For GoGui: type, what its menu says, command."""


NO_COUNT = {
    "avoid": 3, "allow": 3, "ownership": 1, "ownershipStdev": 1, "movesOwnership": 1, "movesOwnershipStdev": 1,
    "pvVisits": 1, "pvEdgeVisits": 1, "rootInfo": 1, "noResultValue": 1,
}  # fmt: skip
"""Words of Leela's and KataGo's commands that ask for what this search does not have, and how many follow each."""


class AnalysisOptions(NamedTuple):
    """How an analysis is reported: whose move it is (0 or 1), seconds between lines, and the most moves of a line.

    shares : whether win rates are in [0, 1], as KataGo has them, and not in ten-thousandths, as Leela has
    """

    player: int
    interval: float = INTERVAL
    max_moves: int = MAX_MOVES
    shares: bool = False


def options_of(arguments: list[str], game: Any, mover: int, shares: bool = False) -> AnalysisOptions:
    """Of ``[colour] [N] [interval N] [minmoves N] [maxmoves N] ...``; the mover's turn where no colour is named.

    Intervals are hundredths of a second. What this search does not have (ownership, moves to avoid) is passed over.
    Raises BadInput for anything else.
    """
    words, found = list(arguments), AnalysisOptions(mover, shares=shares)
    player = player_of(game, words[0]) if words else None
    if player is not None:
        del words[0]
        found = found._replace(player=player)
    if words and words[0].isdigit():
        words.insert(0, "interval")
    while words:
        word = words.pop(0)
        if word in NO_COUNT and len(words) >= NO_COUNT[word]:
            del words[: NO_COUNT[word]]
            continue
        number = words.pop(0) if words else ""
        if word not in ("interval", "minmoves", "maxmoves") or not _is_count(number):
            raise BadInput("syntax error: it takes a colour, and an interval in hundredths of a second")
        if word == "interval":
            found = found._replace(interval=max(int(number), 1) / 100)
        elif word == "maxmoves":
            found = found._replace(max_moves=min(max(int(number), 1), MAX_MOVES))
    return found


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= 6


def info(position: GtpPosition, found: TreeSearchResult, max_moves: int = MAX_MOVES, shares: bool = False) -> str:
    """``info move D4 visits 12 winrate 5432 order 0 pv D4 ...`` for every move, most visited first, on one line.

    The win rate is for the player to move, in ten-thousandths, or as one of the ``shares``.
    """
    parts = []
    for order, child in enumerate(_children(found)[:max_moves]):
        line = " ".join(position.line(found.principal_variation(0, child.move)[:MAX_PLIES]))
        rate = f"{_rate(child):.4f}" if shares else round(10_000 * _rate(child))
        parts.append(f"info move {line.split()[0]} visits {child.visits} winrate {rate} order {order} pv {line}")
    return " ".join(parts)


class AnalysisWriter:
    """Lines of an analysis, one at most every ``options.interval`` seconds."""

    def __init__(self, position: GtpPosition, options: AnalysisOptions, sink: Sink) -> None:
        self._position, self._options, self._sink = position, options, sink
        self._next, self._reported_iterations = time.monotonic() + options.interval, -1

    def report_if_due(self, search: IncrementalSearch, always: bool = False) -> None:
        """Write what is known, if a line is due, or ``always`` if it is more than before."""
        if search.iterations == self._reported_iterations or (not always and time.monotonic() < self._next):
            return
        self._next, self._reported_iterations = time.monotonic() + self._options.interval, search.iterations
        line = info(self._position, search.found(), self._options.max_moves, self._options.shares)
        self._sink.write(line.encode() + b"\n")
        self._sink.flush()


def winrates(position: GtpPosition, found: TreeSearchResult) -> str:
    """Moves and their win rates in per cent, in turn."""
    return " ".join(f"{position.text(child.move)} {100 * _rate(child):.0f}" for child in _children(found))


def variation(position: GtpPosition, found: TreeSearchResult) -> str:
    """Win rate, iterations, and the line that the search expects."""
    best = int(found.decide()[0])
    (child,) = (child for child in found.root_children(0) if child.move == best)
    line = " ".join(position.line(found.principal_variation(0, best)))
    return f"{100 * _rate(child):.1f} % after {found.iterations:,} iterations: {line}"


def _children(found: TreeSearchResult) -> list[Child]:
    return found.root_children(0)[:MAX_MOVES]


def _rate(child: Child) -> float:
    return rate_of(child.value, child.proof)


def rate_of(value: float, proof: int) -> float:
    """The win rate in [0, 1] of a move: of what is proven, whatever the mean of its playouts, 0, 0.5 or 1."""
    return PROVEN[proof] if proof in PROVEN else min(max(value, 0.0), 1.0)
