"""Matches of several ways to play, in several games, at equal work and at equal time: a table and a plot of a sweep.

Ramanujan et al. 2010 asks what informed playouts see, of chess alone; Kocsis et al. 2006, section 4, what an evaluation
does for UCT in Amazons and Clobber.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.runs.results import Result

TITLES = {"random_vs_informed": "UCT with informed playouts against UCT with uniform ones"}
PLOT = "comparison.png"


def comparison(results: list[Result], folder: Path) -> list[str]:
    """The win rates of a sweep over ``board``, ``by`` and what has the run's title; ``comparison.png``."""
    from experiments.terminal.console import show, table

    played = [result for result in results if result.summary["games"]]
    ways = list(dict.fromkeys(result.label for result in played))
    places = list(dict.fromkeys(_place(result) for result in sorted(played, key=_order)))
    found = {(result.label, _place(result)): _cell(result.summary) for result in played}
    kinds = {_place(result): _kind(result, str(result.config["by"])) for result in played}
    heads = {place: f"{place[0]}, {kinds[place]}" for place in places}
    show(table("win rate in % [Wilson 95 %], a draw is half a win", *_rows(found, ways, heads)))
    if not played:
        return []
    _plot(played, ways, folder / PLOT)
    return [PLOT]


def _rows(
    found: dict[tuple[str, tuple[str, str]], str], ways: list[str], heads: dict[tuple[str, str], str]
) -> tuple[dict[str, str], list[list[str]]]:
    """Columns with their alignments, and rows: a way to play each, or a place each where there are more of them."""
    if len(heads) > len(ways):
        rows = [[head, *(found.get((way, place), "") for way in ways)] for place, head in heads.items()]
        return {"game": "left", **dict.fromkeys(ways, "right")}, rows
    rows = [[way, *(found.get((way, place), "") for place in heads)] for way in ways]
    return {"player": "left", **dict.fromkeys(heads.values(), "right")}, rows


CONCLUSIONS = {"random_vs_informed": comparison}


def _kind(result: Result, otherwise: str) -> str:
    """What the run calls its kind of equality, or its budget, which other runs of the sweep may not have."""
    return str(result.config.get("kinds", {}).get(result.config["by"], otherwise))


def _place(result: Result) -> tuple[str, str]:
    return str(result.config["board"]), str(result.config["by"])


def _order(result: Result) -> tuple[int, str]:
    return list(result.config["boards"]).index(result.config["board"]), str(result.config["by"])


def _cell(summary: dict[str, Any]) -> str:
    rate, low, high = (100 * summary[key] for key in ("win_rate", "ci95_low", "ci95_high"))
    return f"{rate:.1f} [{low:.1f}, {high:.1f}]"


def _plot(results: Sequence[Result], ways: Sequence[str], path: Path) -> None:
    """A panel for each kind of equality, a row for each game, a colour for each way to play."""
    from matplotlib.figure import Figure

    from experiments.analysis.plots import CURVES, DOTS_PER_INCH, FAINT

    kinds = list(dict.fromkeys(str(result.config["by"]) for result in results))
    boards = list(dict.fromkeys(str(result.config["board"]) for result in sorted(results, key=_order)))
    height = 1.4 + len(boards) * (0.3 + 0.16 * len(ways))
    figure = Figure(figsize=(4.2 * len(kinds) + 1.6, height), layout="constrained")
    panels = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
    for axes, kind in zip(panels, kinds, strict=True):
        axes.axvline(50, color=FAINT, linewidth=1, linestyle="--")
        for number, way in enumerate(ways):
            some = [r for r in results if r.label == way and r.config["by"] == kind]
            at = [boards.index(r.config["board"]) + 0.7 * ((number + 0.5) / len(ways) - 0.5) for r in some]
            rates, lows, highs = ([100 * r.summary[key] for r in some] for key in ("win_rate", "ci95_low", "ci95_high"))
            errors = [
                [rate - low for rate, low in zip(rates, lows, strict=True)],
                [high - rate for rate, high in zip(rates, highs, strict=True)],
            ]
            color = CURVES[number % len(CURVES)]
            style = {"fmt": "o", "markersize": 4, "capsize": 3, "linewidth": 1, "clip_on": False}
            axes.errorbar(rates, at, xerr=errors, color=color, label=way, **style)
        first = next(result for result in results if result.config["by"] == kind)
        axes.set_title(_kind(first, f"equal {kind}"), fontsize=10)
        axes.set_xlim(0, 100)
        axes.set_xlabel("win rate of the player, % (Wilson 95 %)", fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_yticks(range(len(boards)), boards)
    panels[0].set_ylim(len(boards) - 0.4, -0.6)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right upper", fontsize=8, frameon=False)
    figure.savefig(path, dpi=DOTS_PER_INCH)
