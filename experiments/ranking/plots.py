"""Plots of move ranks: one board as in Figure 1 of Ramanujan et al. 2010, all boards as densities, and curves over
playouts and time."""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.analysis.plots import CURVES, DOTS_PER_INCH, FAINT
from experiments.config.schema import Checked
from experiments.ranking.methods import PlayoutsKeys
from experiments.ranking.summary import Ranker, ranker
from experiments.terminal.console import seconds_text

BINS, COLUMNS = 20, 3
MARKS = "osD^vPX*"
NARROW = 100  # ends of an axis of times nearer than this leave room for labels between the powers of ten


def plot_all(
    config: Checked, lines: Sequence[Mapping[str, Any]], summary: Mapping[str, Any], folder: Path
) -> dict[str, str]:
    """Write the plots; their names and what they show."""
    judge = ranker(config)
    ranked = [dict(line) for line in lines if judge.agreement(dict(line), judge.reference) is not None]
    names = [name for name in config.keys.methods if name != judge.reference]
    board = one_board(ranked, config.keys.board_ply)
    images = {"board.png": f"Ranks on one board: {board['title']}, ply {board['ply']}, `{board['position']}`"}
    _board(board, names, config, judge, folder / "board.png")
    images["density.png"] = "All boards: ranks scaled to [0, 1] (0 is the best); shares of the moves in each column"
    _densities(ranked, names, judge, folder / "density.png")
    if summary["curves"]:
        images["curve.png"] = "Rank correlation by playouts and by core time (bands: 95 %, by game)"
        _curves(summary, folder / "curve.png")
    return images


def one_board(lines: Sequence[dict[str, Any]], ply: int) -> dict[str, Any]:
    """The board at a ply of its game or nearest to it, the one with more moves first."""
    return min(lines, key=lambda line: (abs(line["ply"] - ply), -len(line["moves"]), line["number"]))


def _figure(width: float, height: float) -> Any:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _save(figure: Any, path: Path) -> None:
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=DOTS_PER_INCH)


def _board(line: dict[str, Any], names: list[str], config: Checked, judge: Ranker, path: Path) -> None:
    """The last method of playouts, or the last one, alone on top; the others below."""
    plays = [name for name in names if isinstance(config.policy.methods[name], PlayoutsKeys)]
    alone = (plays or names)[-1]
    panels = [[alone], [name for name in names if name != alone]]
    panels = [panel for panel in panels if panel]
    figure = _figure(5.2, 4.6 * len(panels))
    most = len(line["moves"]) + 1
    colors = dict(zip(names, itertools.cycle(CURVES), strict=False))
    y = judge.ranks(line, judge.reference)
    for axes, panel in zip(figure.subplots(len(panels), 1, squeeze=False)[:, 0], panels, strict=True):
        axes.plot([0, most], [0, most], "--", color=FAINT, linewidth=1)
        for name, mark in zip(panel, itertools.cycle(MARKS), strict=False):
            found = judge.agreement(line, name)
            rho = "" if found is None else f" (Spearman {found.rho:.2f})"
            axes.plot(judge.ranks(line, name), y, mark, color=colors[name], markersize=5, alpha=0.75, label=name + rho)
        axes.set_xlim(0, most)
        axes.set_ylim(0, most)
        axes.set_aspect("equal")
        axes.set_xlabel("rank by the method")
        axes.set_ylabel(f"rank by {judge.reference}")
        axes.legend(fontsize=8, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    _save(figure, path)


def _densities(lines: Sequence[dict[str, Any]], names: list[str], judge: Ranker, path: Path) -> None:
    """Where moves of each rank by a method stand by the reference; every column sums to 1."""
    columns = min(COLUMNS, len(names))
    rows = -(-len(names) // columns)
    figure = _figure(3.7 * columns + 0.8, 3.7 * rows)
    panels = figure.subplots(rows, columns, squeeze=False)
    moves = sum(len(line["moves"]) for line in lines)
    bins = int(np.clip(np.sqrt(moves) / 2.5, 4, BINS))  # some moves in most of them
    edges = np.linspace(0, 1, bins + 1)
    shares = [_share(lines, name, judge, edges) for name in names]
    most = max(float(np.nanmax(share)) for share in shares)
    drawn = None
    for axes, name, share in zip(panels.flat, names, shares, strict=False):
        drawn = axes.pcolormesh(edges, edges, share.T, cmap="viridis", vmin=0, vmax=most)
        axes.plot([0, 1], [0, 1], "--", color="white", linewidth=1)
        axes.set_title(name, loc="left", fontsize=10)
        axes.set_aspect("equal")
        axes.set_xlabel("rank by the method")
        axes.set_ylabel(f"rank by {judge.reference}")
    for axes in panels.flat[len(names) :]:
        axes.set_visible(False)
    figure.colorbar(drawn, ax=panels, label="share of the moves in the column", shrink=0.8)
    _save(figure, path)


def _share(lines: Sequence[dict[str, Any]], name: str, judge: Ranker, edges: np.ndarray) -> np.ndarray:
    pairs = [(judge.ranks(line, name), judge.ranks(line, judge.reference)) for line in lines]
    x, y = (np.concatenate([(pair[i] - 1) / (len(pair[i]) - 1) for pair in pairs]) for i in (0, 1))
    found, _, _ = np.histogram2d(x, y, bins=(edges, edges))
    sums = found.sum(axis=1, keepdims=True)
    return np.divide(found, sums, out=np.full_like(found, np.nan), where=sums > 0)


def _curves(summary: Mapping[str, Any], path: Path) -> None:
    """Spearman's over playouts and over core seconds a move; methods without playouts as levels, and at their cost."""
    figure = _figure(10.5, 4.4)
    left, right = figure.subplots(1, 2, sharey=True)
    colors = dict(zip(summary["methods"], itertools.cycle(CURVES), strict=False))
    for name, curve in summary["curves"].items():
        mean, low, high = (
            np.array([x if x is not None else np.nan for x in row]) for row in zip(*curve["rho"], strict=True)
        )
        for axes, at in ((left, curve["points"]), (right, curve["seconds"])):
            axes.fill_between(at, low, high, color=colors[name], alpha=0.15, linewidth=0)
            axes.plot(at, mean, "o-", color=colors[name], markersize=4, label=name)
    for name, row in summary["methods"].items():
        if name in summary["curves"]:
            continue
        mean, low, high = row["rho"]
        left.axhline(mean, color=colors[name], linestyle=":", linewidth=1.5, label=name)
        error = None if low is None else [[mean - low], [high - mean]]
        right.errorbar(row["seconds_a_move"], mean, yerr=error, fmt="s", color=colors[name], markersize=5, capsize=3)
    for axes, label in ((left, "playouts a move"), (right, "core time a move")):
        axes.set_xscale("log")
        axes.set_xlabel(label)
    _name_times(right)
    left.set_ylabel(f"Spearman's with {summary['yardstick']}, mean of boards (95 %)")
    left.legend(fontsize=8, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)
    _save(figure, path)


def _name_times(axes: Any) -> None:
    """Label a logarithmic axis of seconds; Matplotlib's own labels run into each other over a narrow span."""
    from matplotlib.ticker import LogLocator, NullFormatter

    low, high = axes.get_xlim()
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if high / low < NARROW else (1,)))
    axes.xaxis.set_major_formatter(lambda seconds, _: seconds_text(seconds * (1 + 1e-9)))  # 0.00099... is 1 ms
    axes.xaxis.set_minor_formatter(NullFormatter())
