"""What our engine reports of its search."""

import math
import time
from collections.abc import Sequence

from gpumcts.programs.lines import Sink
from gpumcts.programs.position import Position
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.root_table import Child
from gpumcts.tree.search_result import TreeSearchResult
from gpumcts.tree.solve import DRAW, LOSS

INTERVAL = 0.5  # seconds between lines
MAX_PLIES = 24  # of a line
MAX_CENTIPAWNS = 9_999


def centipawns(rate: float) -> int:
    """A win rate p as the Elo formula has it, 400 log10(p / (1 - p)), within MAX_CENTIPAWNS: 0.5 is 0, 0.64 is 100."""
    if not 0 < rate < 1:
        return MAX_CENTIPAWNS if rate >= 1 else -MAX_CENTIPAWNS
    exact = 400 * math.log10(rate / (1 - rate))
    return round(min(max(exact, -MAX_CENTIPAWNS), MAX_CENTIPAWNS))


def line(text: str) -> bytes:
    """A line as it goes out: printable ASCII alone."""
    return "".join(c if " " <= c <= "~" else "?" for c in text).encode("ascii") + b"\n"


class InfoWriter:
    """``info depth 6 nodes 2000 nps 4000 time 500 score cp 31 pv e2e4 ...``, at most every ``INTERVAL``.

    ``depth`` is the length of the line, ``nodes`` the iterations; with several ``lines`` each begins with ``multipv``.
    A move that is proven to win or to lose (``search.solve``) has ``score mate``, the moves to the end of the line that
    was proven, which may not be the shortest; negative where it loses.

    named : the only moves that are reported; none for all
    begin : when the search began, as ``time.monotonic`` has it; None for now
    """

    def __init__(
        self, position: Position, lines: int, sink: Sink, named: Sequence[int] = (), begin: float | None = None
    ) -> None:
        self._position, self._lines, self._sink, self._named = position, lines, sink, named
        self._begin = time.monotonic() if begin is None else begin
        self._next = self._begin + INTERVAL

    def report_if_due(self, search: IncrementalSearch) -> None:
        """Write what is known, if a line is due."""
        now = time.monotonic()
        if now >= self._next:
            self._next = now + INTERVAL
            self.write(search.found())

    def write(self, found: TreeSearchResult) -> None:
        """Write what was found, the move that is to be played first."""
        took = time.monotonic() - self._begin
        best = found.decide_among(self._named) if self._named else int(found.decide()[0])
        children = [child for child in found.root_children(0) if not self._named or child.move in self._named]
        children.sort(key=lambda child: child.move != best)
        for number, child in enumerate(children[: self._lines], 1):
            proven = found.proven_line(0, child.move)
            pv = self._position.line((proven or found.principal_variation(0, child.move))[:MAX_PLIES])
            which = f" multipv {number}" if self._lines > 1 else ""
            pace = round(found.iterations / max(took, 1e-3))
            self._sink.write(
                line(
                    f"info depth {len(pv)}{which} nodes {found.iterations} nps {pace} time {round(1000 * took)} "
                    f"score {_score(child, len(proven))} pv {' '.join(pv)}"
                )
            )
        self._sink.flush()


def _score(child: Child, plies: int) -> str:
    """``mate`` and moves where a line of ``plies`` to the end is proven (0: none), else ``cp``, 0 for a proven draw."""
    if plies:
        return f"mate {'-' if child.proof == LOSS else ''}{(plies + 1) // 2}"
    return f"cp {centipawns(0.5 if child.proof == DRAW else child.value)}"
