"""Ramanujan et al. 2010, Figure 3: iterations to convergence against the depths of two critical nodes, and the fit of
its eq. 1."""

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.analysis.plots import CURVES, FAINT
from experiments.papers.ramanujan2010understanding.plots import intervals, new_figure, save
from experiments.runs.results import Result

GROWTH = 2.37
"""The constant C of eq. 1 as the document found it."""
STATEMENT = (
    "The document: a C^(d1/2) + b 2^(d1/2) C^((d2-d1)/2) fits very closely, with C = 2.37; at d1 = 0 the time is "
    "essentially\nexponential in d2; at d2 = 22 it is between 10^4.8 and 10^4.9, least where d1 is slightly more than "
    "half of d2.\nIt states neither UCT's constant of exploration nor the number of trees."
)
PARAMETERS = 3


class Point(NamedTuple):
    """A pair of depths at one constant of exploration: t* in iterations, the median over trees with its 95 % interval.

    ``median``, ``low`` and ``high`` are None beyond the horizon; ``never`` of the ``searches`` did not converge before
    it.
    """

    exploration: float
    d1: int
    d2: int
    searches: int
    horizon: int
    never: int
    median: float | None
    low: float | None
    high: float | None


class Fit(NamedTuple):
    """Eq. 1 with its 95 % interval of C (covariance of the fit, Student's t), the typical factor it is off by, and the
    pairs ``used``: those that converged within the horizon.
    """

    a: float
    b: float
    growth: float
    low: float
    high: float
    factor: float
    used: int


def eq1(d1: Any, d2: Any, a: float, b: float, growth: float) -> Any:
    """Eq. 1: iterations to convergence with critical nodes at depths d1 < d2; ``growth`` is its C."""
    return a * growth ** (d1 / 2) + b * 2.0 ** (d1 / 2) * growth ** ((d2 - d1) / 2)


def points_of(results: Sequence[Result]) -> list[Point]:
    """One point a run, by exploration and depths."""
    found = []
    for result in results:
        summary, (d1, d2) = result.summary, result.config["game"]["critical"]
        times = (summary[f"crossing_{key}"] for key in ("median", "low", "high"))
        exploration = float(result.config["selection"]["exploration"])
        horizon = result.config["budget"]["iterations"]
        found.append(Point(exploration, d1, d2, summary["searches"], horizon, summary["never"], *times))
    return sorted(found)


def fit_eq1(points: Sequence[Point]) -> Fit | None:
    """Eq. 1 fitted to the logarithms of the medians; None where there are too few points, or none fits."""
    from scipy import optimize, stats

    known = [point for point in points if point.median is not None and point.median > 0]
    if len(known) <= PARAMETERS:
        return None
    d1, d2, times = (np.array([float(p[i]) for p in known]) for i in (1, 2, 6))  # type: ignore[arg-type]

    def logarithm(depths: np.ndarray, log_a: float, log_b: float, log_growth: float) -> np.ndarray:
        return np.log(eq1(depths[0], depths[1], math.exp(log_a), math.exp(log_b), math.exp(log_growth)))

    try:
        found, covariance = optimize.curve_fit(
            logarithm, np.stack([d1, d2]), np.log(times), p0=(0.0, 0.0, math.log(GROWTH))
        )
    except (RuntimeError, OverflowError):  # no least squares within the calls allowed
        return None
    if not np.isfinite(covariance).all():
        return None
    off = np.log(times) - logarithm(np.stack([d1, d2]), *found)
    half = stats.t.ppf(0.975, len(known) - PARAMETERS) * math.sqrt(covariance[2, 2])
    a, b, growth = (math.exp(value) for value in found)
    factor = math.exp(math.sqrt(float((off**2).mean())))
    return Fit(a, b, growth, growth * math.exp(-half), growth * math.exp(half), factor, len(known))


def by_exploration(points: Sequence[Point]) -> dict[float, list[Point]]:
    """The points of each constant of exploration."""
    return {value: [p for p in points if p.exploration == value] for value in sorted({p.exploration for p in points})}


def slice_at(points: Sequence[Point], d1: int | None = None, d2: int | None = None) -> list[Point]:
    """The points of one depth that converged, in order."""
    return [
        p for p in points if p.d1 == (p.d1 if d1 is None else d1) and p.d2 == (p.d2 if d2 is None else d2) and p.median
    ]


def rows(points: Sequence[Point]) -> list[dict[str, str]]:
    """The table that is shown: a row for each constant of exploration."""
    return [{"exploration": f"{value:g}", **_row(some)} for value, some in by_exploration(points).items()]


def _row(points: list[Point]) -> dict[str, str]:
    deepest = max(p.d2 for p in points)
    fit, last = fit_eq1(points), slice_at(points, d2=deepest)
    row = {"pairs": str(len(points)), "beyond the horizon": str(sum(p.median is None for p in points))}
    if fit is not None:
        row |= {"C of eq. 1": f"{fit.growth:.3f}", "95 %": f"{fit.low:.3f} - {fit.high:.3f}"}
        row |= {"a": f"{fit.a:.2f}", "b": f"{fit.b:.2f}", "typical factor off": f"{fit.factor:.2f}"}
    row["growth per 2 levels, d1 = 0"] = growth_per_two_levels([(p.d2, p.median) for p in slice_at(points, d1=0)])
    if last:
        least = min(last, key=lambda p: p.median or math.inf)
        row[f"least at d2 = {deepest}"] = f"d1 = {least.d1}: 10^{math.log10(least.median or 1):.2f}"
        ends = ", ".join(f"10^{math.log10(p.median or 1):.2f}" for p in (last[0], last[-1]))
        row[f"at d1 = {last[0].d1}, {last[-1].d1}"] = ends
    return row


def growth_per_two_levels(line: Sequence[tuple[int, float | None]]) -> str:
    """The factor by which iterations grow with two levels of depth, from a line through their logarithms, with 95 %."""
    from scipy import stats

    known = [(depth / 2, math.log(needed)) for depth, needed in line if needed]
    if len(known) < 3:
        return "-"
    found: Any = stats.linregress(*np.array(known).T)
    half = stats.t.ppf(0.975, len(known) - 2) * found.stderr
    low, factor, high = (math.exp(found.slope + by) for by in (-half, 0.0, half))
    return f"{factor:.2f} ({low:.2f} - {high:.2f})"


def fig3(results: list[Result], folder: Path) -> list[str]:
    """The table, the document's words, ``fig3.csv`` and ``fig3.png``."""
    from experiments.terminal.console import show, table

    points = points_of(results)
    shown = rows(points)
    columns = dict.fromkeys((name for row in shown for name in row), "right")
    show(table("eq. 1 and the slices", columns, [[row.get(name, "-") for name in columns] for row in shown]))
    horizons = {p.d2: p.horizon for p in points}
    show(
        "t*: after it the root's value is never below 0.7 in [-1, 1]; "
        f"medians over {points[0].searches} trees of one search.",
        "Horizons by d2: " + ", ".join(f"{d2}: {horizon:,}" for d2, horizon in sorted(horizons.items())) + ".",
        *_reduced(results, points),
        STATEMENT,
    )
    _write_csv(points, folder / "fig3.csv")

    plot_fig3(points, folder / "fig3.png")
    return ["fig3.csv", "fig3.png"]


def _reduced(results: list[Result], points: list[Point]) -> list[str]:
    """What is less than the document has: 24 levels with all pairs of even depths."""
    levels, deepest = results[0].config["game"]["depth"], max(p.d2 for p in points)
    pairs, full = len({(p.d1, p.d2) for p in points}), (levels // 2) * (levels // 2 - 1) // 2
    if pairs == full:
        return []
    return [f"Reduced: {pairs} of the {full} pairs of depths, d2 at most {deepest}."]


def _write_csv(points: list[Point], path: Path) -> None:
    import polars

    fits = {value: fit_eq1(some) for value, some in by_exploration(points).items()}
    fitted = [None if (fit := fits[p.exploration]) is None else eq1(p.d1, p.d2, *fit[:3]) for p in points]
    columns = {name: [getattr(p, name) for p in points] for name in Point._fields}
    polars.DataFrame({**columns, "eq1": fitted}).write_csv(path)


# ---------------------------------------------------------------------------------------------------------------- plot


def plot_fig3(points: Sequence[Point], path: Path) -> None:
    """Heat maps of log10 t*, one a constant of exploration, and below them the slices and the fitted constant."""
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
