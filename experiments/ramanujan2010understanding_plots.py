"""Plots of document 004's section 6, as its figures have them."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.plots import CURVES, DOTS_PER_INCH, FAINT
from experiments.ramanujan2010understanding_fig3 import GROWTH, Point, by_exploration, eq1, fit_eq1, slice_at


def new_figure(width: float, height: float) -> Any:
    """An empty figure that lays itself out."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Any, path: Path) -> None:
    """Write a figure, its panels without a frame above and to the right."""
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=DOTS_PER_INCH)


def intervals(known: Sequence[Any]) -> np.ndarray:
    """float64[2, N]: how far the intervals reach below and above medians that are known; to the horizon where there is no end."""
    ends = [(x.median - (x.low or x.median), (x.high or x.horizon) - x.median) for x in known]
    return np.maximum(np.array(ends, np.float64).reshape(-1, 2), 0.0).T


def plot_fig3(points: Sequence[Point], path: Path) -> None:
    """Heat maps of log10 t*, one for each constant of exploration, and below them the slices and the fitted constant."""
    groups = by_exploration(points)
    figure = new_figure(max(11.0, 3.3 * len(groups)), 7.6)
    above, below = figure.subfigures(2, 1, height_ratios=(1, 1.1))
    _heat_maps(above, groups)
    left, middle, right = below.subplots(1, 3)
    deepest = max(point.d2 for point in points)
    _slice(left, groups, "d2", {"d1": 0})
    _slice(middle, groups, "d1", {"d2": deepest})
    left.legend(fontsize=8, frameon=False, title="exploration; dashed: eq. 1", title_fontsize=8)
    left.set_title("d1 = 0", fontsize=10)
    middle.set_title(f"d2 = {deepest}", fontsize=10)
    _constants(right, groups)
    save(figure, path)


def _heat_maps(figure: Any, groups: dict[float, list[Point]]) -> None:
    every = [np.log10(p.median) for some in groups.values() for p in some if p.median] or [0.0]
    panels = figure.subplots(1, len(groups), squeeze=False)[0]
    image = None
    for axes, (exploration, points) in zip(panels, groups.items(), strict=True):
        most = max(p.d2 for p in points) // 2
        cells = np.full((most + 1, most + 1), np.nan)
        for p in points:
            cells[p.d2 // 2, p.d1 // 2] = np.log10(p.median) if p.median else np.nan
        edges = np.arange(-1, 2 * most + 2, 2)
        image = axes.pcolormesh(edges, edges, cells, cmap="viridis", vmin=min(every), vmax=max(every))
        axes.set_title(f"exploration {exploration:g}", fontsize=10)
        axes.set_xlabel("d1")
        axes.set_aspect("equal")
        axes.set_xticks(range(0, 2 * most, 4))
        axes.set_yticks(range(0, 2 * most + 1, 4))
    panels[0].set_ylabel("d2")
    figure.colorbar(image, ax=list(panels), label="log10 of iterations to convergence", shrink=0.9)


def _slice(axes: Any, groups: dict[float, list[Point]], over: str, fixed: dict[str, int]) -> None:
    """Medians with intervals along one depth, and eq. 1 as it was fitted to all pairs."""
    for color, (exploration, points) in zip(itertools.cycle(CURVES), groups.items(), strict=False):
        line = slice_at(points, **fixed)
        if not line:
            continue
        at, times = [getattr(p, over) for p in line], [p.median for p in line]
        errors = intervals(line)
        axes.errorbar(at, times, yerr=errors, fmt="o", color=color, markersize=3.5, capsize=3, label=f"{exploration:g}")
        fit = fit_eq1(points)
        if fit is not None:
            dense = np.linspace(min(at), max(at), 100)
            d1, d2 = (dense, fixed["d2"]) if over == "d1" else (fixed["d1"], dense)
            axes.plot(dense, eq1(d1, d2, *fit[:3]), "--", color=color, linewidth=1)
    axes.set_yscale("log")
    axes.set_xlabel(over)
    axes.set_xticks(range(0, axes_end(groups) + 1, 4))
    axes.set_ylabel("iterations to convergence (95 %)")


def axes_end(groups: dict[float, list[Point]]) -> int:
    """The greatest depth."""
    return max(p.d2 for points in groups.values() for p in points)


def _constants(axes: Any, groups: dict[float, list[Point]]) -> None:
    fits = {value: fit for value, points in groups.items() if (fit := fit_eq1(points)) is not None}
    if fits:
        growths = [fit.growth for fit in fits.values()]
        errors = [[f.growth - f.low for f in fits.values()], [f.high - f.growth for f in fits.values()]]
        axes.errorbar(
            list(fits), growths, yerr=errors, fmt="o-", color=CURVES[0], capsize=4, markersize=4, label="ours"
        )
    axes.axhline(GROWTH, color=FAINT, linestyle="--", linewidth=1, label=f"document: {GROWTH}")
    axes.set_xlabel("exploration")
    axes.set_ylabel("C of eq. 1 (95 %)")
    axes.legend(fontsize=8, frameon=False)


def plot_tables(cells: Sequence[Any], path: Path) -> None:
    """Ours against the document's, a point a cell of Tables 2 and 3; the band is a factor of two."""
    figure = new_figure(10.5, 4.6)
    panels = figure.subplots(1, 2)
    words = (("time", "iterations to convergence"), ("share", "visits in B until then, %"))
    groups = list(dict.fromkeys((cell.exploration, cell.start) for cell in cells))
    for axes, (name, label) in zip(panels, words, strict=True):
        theirs = [cell.printed[name == "share"] for cell in cells]
        line = np.array([min(theirs) / 2, max(theirs) * 2])
        axes.fill_between(line, line / 2, line * 2, color=FAINT, alpha=0.15, linewidth=0)
        axes.plot(line, line, "--", color=FAINT, linewidth=1)
        for color, (exploration, start) in zip(itertools.cycle(CURVES), groups, strict=False):
            some = [c for c in cells if (c.exploration, c.start) == (exploration, start) and getattr(c, name).count]
            mean, half = ([getattr(getattr(c, name), part) for c in some] for part in ("mean", "half"))
            at = [c.printed[name == "share"] for c in some]
            kind = {"F": "o", "U": "s"}[start]
            title = f"{start}, exploration {exploration:g}"
            axes.errorbar(
                at, mean, yerr=np.nan_to_num(half), fmt=kind, color=color, markersize=4, capsize=3, label=title
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(f"document: {label}")
        axes.set_ylabel(f"ours: {label} (95 %)")
        axes.legend(fontsize=8, frameon=False)
    save(figure, path)


def plot_fig6(rows: Sequence[Any], path: Path) -> None:
    """The unlucky case over epsilon, model and searches, as in Figure 6; beside it all cases, and what converges."""
    figure = new_figure(12.5, 4.3)
    left, middle, right = figure.subplots(1, 3)
    _unlucky_case(left, [row for row in rows if row.scenario == "B"])
    _all_cases(middle, [row for row in rows if row.scenario == "B"])
    for color, (scenario, q) in zip(CURVES, dict.fromkeys((row.scenario, row.q) for row in rows), strict=False):
        some = [row for row in rows if (row.scenario, row.q) == (scenario, q)]
        words = f"scenario {scenario}" + (f", q = {q:g}" if scenario == "B" else "")
        at = [row.epsilon for row in some]
        right.plot(at, [100 * row.converged for row in some], "o-", color=color, markersize=4, label=words)
    right.set_ylabel("searches whose root stays at 0.7, %")
    for axes in (left, middle, right):
        axes.set_xlabel("epsilon")
        axes.set_xlim(0, 1)
        axes.set_ylim(bottom=0)
        axes.legend(fontsize=8, frameon=False)
    save(figure, path)


def _unlucky_case(axes: Any, rows: list[Any]) -> None:
    from experiments.ramanujan2010understanding_fig6 import LEAST, unfavorable

    if not rows:
        return
    dense = np.linspace(0.01, 0.99, 500)
    axes.plot(dense, [unfavorable(e, rows[0].p) for e in dense], "k-", linewidth=1.2, label="formula (Figure 6)")
    axes.plot(*LEAST, "kx", label=f"its least: {LEAST[1]} at {LEAST[0]}")
    _with_errors(axes, rows, "unlucky")
    axes.set_ylim(0, 400)
    axes.set_title("unlucky case, after the tie", fontsize=10)
    axes.set_ylabel("iterations (95 %)")


def _all_cases(axes: Any, rows: list[Any]) -> None:
    from experiments.ramanujan2010understanding_fig6 import corrected_share, printed_share, scenario_b

    if not rows:
        return
    dense = np.linspace(0.01, 0.99, 500)
    for q, style in zip(dict.fromkeys(row.q for row in rows), ("-", "--"), strict=False):
        for color, words, share in ((FAINT, "printed", printed_share), ("k", "corrected", corrected_share)):
            line = [scenario_b(e, rows[0].p, q, share(rows[0].p)) for e in dense]
            axes.plot(dense, line, style, color=color, linewidth=1.2, label=f"{words} p', q = {q:g}")
    _with_errors(axes, rows, "whole")
    axes.set_ylim(0, 400)
    axes.set_title("all cases, ties included", fontsize=10)
    axes.set_ylabel("iterations (95 %)")


def _with_errors(axes: Any, rows: list[Any], name: str) -> None:
    for color, q in zip(CURVES, dict.fromkeys(row.q for row in rows), strict=False):
        some = [row for row in rows if row.q == q and getattr(row, name).count]
        mean, half = ([getattr(getattr(row, name), part) for row in some] for part in ("mean", "half"))
        at = [row.epsilon for row in some]
        axes.errorbar(at, mean, yerr=half, fmt="o", color=color, markersize=4, capsize=3, label=f"searches, q = {q:g}")


def plot_claims(lines: Sequence[Any], path: Path) -> None:
    """One critical node by depth, with one player and with two; and several of them beside eq. 2."""
    from experiments.ramanujan2010understanding_claims import ONE, TWO, groups

    figure = new_figure(10.5, 4.4)
    left, right = figure.subplots(1, 2)
    colors = dict(zip(dict.fromkeys(line.exploration for line in lines), itertools.cycle(CURVES), strict=False))
    for (exploration, players), some in groups(lines).items():
        single = [line for line in some if len(line.depths) == 1 and line.median]
        if not single:
            continue
        style = {TWO: "o-", ONE: "s--"}[players]
        errors = intervals(single)
        left.errorbar(
            [line.depths[0] for line in single], [line.median for line in single], yerr=errors, fmt=style,
            color=colors[exploration], markersize=4, capsize=3, label=f"{players}, exploration {exploration:g}",
        )  # fmt: skip
        if players == TWO:
            _beside_eq2(right, some, colors[exploration], exploration)
    left.set_yscale("log")
    left.set_xlabel("depth of the one critical node")
    left.set_xticks(range(0, max(line.depths[-1] for line in lines) + 1, 4))
    left.set_ylabel("iterations to convergence (95 %)")
    for axes in (left, right):
        axes.legend(fontsize=8, frameon=False)
    save(figure, path)


def _beside_eq2(axes: Any, lines: list[Any], color: str, exploration: float) -> None:
    from experiments.ramanujan2010understanding_claims import eq2, fit_eq2

    fit = fit_eq2(lines)
    if fit is None:
        return
    for k, kind in zip(range(1, 5), "o^sD", strict=True):
        some = [line for line in lines if len(line.depths) == k and line.median]
        if not some:
            continue
        label = f"k = {k}, exploration {exploration:g}"
        model = [eq2(line.depths, *fit) for line in some]
        axes.plot(model, [line.median for line in some], kind, color=color, markersize=5, label=label)
    ends = [min(line.median for line in lines if line.median), max(line.median for line in lines if line.median)]
    axes.plot(ends, ends, ":", color=FAINT, linewidth=1)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("eq. 2, fitted to k = 1 and 2")
    axes.set_ylabel("iterations to convergence, two players")
