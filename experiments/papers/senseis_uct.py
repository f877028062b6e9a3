"""Sensei's Library, *UCT*. It prints no figures; what it claims is that UCT given more time finds better moves.

The sweep ends with Elo per doubling of playouts, summed up over the doublings, with other UCTK against 1, and with GNU
Go.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from experiments.runs.results import Result
from gpumcts.match.statistics import elo_difference, elo_words

TITLES = {"go9": "Sensei's UCT in Go, 9x9 (Sensei's Library)"}
PLOT = "elo.png"
UNBOUNDED = "no bound: a match of the ladder was won by one side alone"


class Rung(NamedTuple):
    """A doubling: playouts a move of the stronger side, and the Elo gained over half as many, 95 % within ``half``.

    total, total_half : the same over the fewest playouts of the ladder, errors of the matches being independent
    told : the gain in words, for where it or its interval has no end
    """

    playouts: int
    games: int
    elo: float
    half: float
    total: float
    total_half: float
    told: str


def rungs(results: Sequence[Result]) -> list[Rung]:
    """The doublings by number of playouts; totals go on where the ladder has no gap and every step has an end."""
    ladder: list[Rung] = []
    for result in sorted(results, key=_playouts):
        counts = [result.summary[key] for key in ("wins", "draws", "losses")]
        gain, half = elo_difference(*counts)
        before = ladder[-1] if ladder else None
        total, variance = gain, half**2
        if before is not None:
            joined = 2 * before.playouts == _playouts(result)
            total = before.total + gain if joined else math.nan
            variance += before.total_half**2
        ladder.append(
            Rung(_playouts(result), result.summary["games"], gain, half, total, math.sqrt(variance), elo_words(*counts))
        )
    return ladder


def go9(results: list[Result], folder: Path) -> list[str]:
    """Tables of the doublings, of UCTK, and of GNU Go; ``elo.png``."""
    from experiments.terminal.console import show, table

    played = [result for result in results if result.summary["games"]]
    of = {kind: [result for result in played if _kind(result) == kind] for kind in ("doubling", "uctk", "gnugo")}
    ladder = rungs([result for result in of["doubling"] if _is_doubled(result)])
    if ladder:
        heads: dict[str, str] = dict.fromkeys(
            ("playouts", "games", "Elo over half as many, 95 %", "Elo in all, 95 %"), "right"
        )
        rows = [
            [
                f"{rung.playouts:,}",
                str(rung.games),
                _elo(rung.elo, rung.half, rung.told),
                _elo(rung.total, rung.total_half, UNBOUNDED),
            ]
            for rung in ladder
        ]
        show(table("Elo per doubling of playouts", heads, rows))
    for kind, title in (("uctk", "Other UCTK against 1"), ("gnugo", "Against GNU Go")):
        if of[kind]:
            show(table(title, {"match": "left", "games": "right", "win rate": "right"}, [_row(r) for r in of[kind]]))
    return [PLOT] if _plot(ladder, folder / PLOT) else []


CONCLUSIONS = {"go9": go9}


def _kind(result: Result) -> str:
    return str(result.config["options"][result.config["option"]]["kind"])


def _is_doubled(result: Result) -> bool:
    """Whether the command line left the opponent half of the playouts."""
    return _playouts(result) == 2 * int(result.config["opponent"]["budget"]["iterations"])


def _playouts(result: Result) -> int:
    return int(result.config["budget"]["iterations"])


def _elo(value: float, half: float, otherwise: str) -> str:
    """A difference and its interval; ``otherwise`` where one of them has no end."""
    if math.isnan(value):
        return ""
    return f"{value:+.0f} ± {half:.0f}" if math.isfinite(value) and math.isfinite(half) else otherwise


def _row(result: Result) -> list[str]:
    summary: dict[str, Any] = result.summary
    rate, low, high = (100 * summary[key] for key in ("win_rate", "ci95_low", "ci95_high"))
    return [str(result.config["title"]), str(summary["games"]), f"{rate:.1f} % [{low:.1f}, {high:.1f}]"]


def _plot(ladder: Sequence[Rung], path: Path) -> bool:
    """Elo over the fewest playouts of the ladder against playouts, as far as it is finite; False without any step."""
    from experiments.analysis.plots import DOTS_PER_INCH, FAINT, OURS

    ladder = [rung for rung in ladder if math.isfinite(rung.total) and math.isfinite(rung.total_half)]
    if not ladder:
        return False
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.0, 4.2), layout="constrained")
    axes = figure.subplots()
    at = [ladder[0].playouts // 2, *(rung.playouts for rung in ladder)]
    halves = [0.0, *(rung.total_half for rung in ladder)]
    axes.axhline(0, color=FAINT, linewidth=1, linestyle="--")
    axes.errorbar(at, [0.0, *(rung.total for rung in ladder)], yerr=halves, fmt="o-", color=OURS, capsize=4)
    axes.set_xscale("log", base=2)
    axes.set_xticks(at, [f"{playouts:,}" for playouts in at], rotation=30)
    axes.set_xlabel("playouts a move")
    axes.set_ylabel(f"Elo over {at[0]:,} playouts (95 %)")
    axes.set_title(TITLES["go9"], loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=DOTS_PER_INCH)
    return True
