"""What the runs of a match in one folder have measured, kept while they play: a kill loses the last second of it.

``work.json`` has the seconds of the match, and of each side iterations, playouts, seconds, core seconds and moves.
Where it is not there, the summary of an earlier version has the same, but for core seconds.
"""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from experiments.config.json_files import read_json, write_json
from experiments.runs.run_directory import SUMMARY, WORK, read_summary
from gpumcts.errors import BadInput
from gpumcts.match.progress import Progress
from gpumcts.players.contract import AnyPlayer

GO_ON = "; remove it, and the match goes on without what it measured so far"
SECONDS_A_WRITE = 1.0
UNMEASURED = "moves_without_seconds"


class MatchWork:
    """The work of a match in ``folder``: what earlier runs measured, and what the players of this one have done."""

    def __init__(self, folder: Path, players: Mapping[str, AnyPlayer]) -> None:
        self._folder, self._players = folder, players
        self._earlier: dict[str, Any] | None = None
        self._latest: tuple[float, tuple[int, int]] | None = None  # seconds of this run, and moves that each side chose
        self._next = 0.0

    def note(self, progress: Progress) -> None:
        """Take down how the match stands, on disk now and then; to be called while the folder is this process's own."""
        if self._earlier is None:
            self._earlier = self._known(progress.earlier)
            self._check()
        if not progress.moves:
            return
        self._latest = (progress.seconds, progress.chosen)
        if time.monotonic() >= self._next:
            self.keep()
            self._next = time.monotonic() + SECONDS_A_WRITE

    def _check(self) -> None:
        """Raise BadInput where what earlier runs measured cannot be added to."""
        try:
            self._totals(0.0, (0, 0))
        except (TypeError, AttributeError):
            name = WORK if (self._folder / WORK).exists() else SUMMARY
            raise BadInput(f"{self._folder / name} is damaged: it holds no numbers{GO_ON}") from None

    def keep(self) -> None:
        """Put on disk what was taken down last, if anything was."""
        if self._latest is not None:
            write_json(self._folder / WORK, self._totals(*self._latest))

    def end(self, seconds: float, chosen: tuple[int, int]) -> dict[str, Any]:
        """The work of all runs in the folder, this one over after so many seconds; it is on disk then."""
        assert self._earlier is not None
        if not sum(chosen) and "seconds" in self._earlier:
            seconds = 0.0  # nothing was left to do
        totals = self._totals(seconds, chosen)
        write_json(self._folder / WORK, totals)
        return totals

    def _known(self, moves: int) -> dict[str, Any]:
        """What earlier runs measured, or how many moves they made without a word of it."""
        if (self._folder / WORK).exists():
            return read_json(self._folder / WORK, GO_ON)
        if (self._folder / SUMMARY).exists():
            return read_summary(self._folder)
        return {UNMEASURED: moves} if moves else {}

    def _totals(self, seconds: float, chosen: tuple[int, int]) -> dict[str, Any]:
        earlier = self._earlier or {}
        sides = zip(self._players.items(), chosen, strict=True)
        totals = {side: _of_side(player, moves, earlier.get(side, {})) for (side, player), moves in sides}
        unmeasured = {UNMEASURED: earlier[UNMEASURED]} if UNMEASURED in earlier else {}
        return {"seconds": earlier.get("seconds", 0.0) + seconds, **unmeasured, **totals}


def _of_side(player: AnyPlayer, chosen: int, earlier: Mapping[str, Any]) -> dict[str, Any]:
    """Work of a side, the moves it was done for, and of an external engine how long its moves took.

    The moves are None where an earlier run did not count them, and core seconds are left out where one did not measure
    them. The longest move is in seconds; ``moves_over_time`` took longer than they were granted.
    """
    totals = {key: getattr(player, key) + earlier.get(key, 0) for key in ("iterations", "playouts", "seconds")}
    if (on_cores := getattr(player, "core_seconds", None)) is not None and (not earlier or "core_seconds" in earlier):
        totals["core_seconds"] = on_cores + earlier.get("core_seconds", 0.0)
    totals["moves"] = None if earlier and earlier.get("moves") is None else chosen + earlier.get("moves", 0)
    if (longest := getattr(player, "longest", None)) is not None:
        totals["longest_move"] = max(longest, earlier.get("longest_move", 0.0))
        totals["moves_over_time"] = getattr(player, "over_time", 0) + earlier.get("moves_over_time", 0)
    return totals
