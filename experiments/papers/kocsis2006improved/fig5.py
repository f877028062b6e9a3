"""Kocsis et al. 2006, Figure 5: iterations to a failure rate as trees grow in depth and in branching; the slopes."""

import csv
import math
from pathlib import Path
from typing import Any, NamedTuple

from experiments.runs.results import Result

ALPHA_BETA = "alpha-beta"
DEEPER, WIDER = 2, 8
"""The branching of the trees that grow in depth, and the depth of those that grow in branching."""
WORDS = "The document: roughly parallel to B^(D/2); faster for high failure rates."


class Point(NamedTuple):
    """Iterations to a failure rate in one shape, or alpha-beta's mean leaves, with 95 %; None past all checkpoints."""

    series: str
    branching: int
    depth: int
    needed: float | None
    low: float | None
    high: float | None

    @property
    def known(self) -> bool:
        """Whether it is reached, and not at once: one iteration says nothing of growth."""
        return self.needed is not None and self.needed > 1


class Slope(NamedTuple):
    """The slope of ln(iterations) in D or ln B, half its 95 % interval, and the shapes ``used`` and ``dropped``."""

    series: str
    slope: float
    half: float
    used: int
    dropped: int


def points_of(results: list[Result]) -> list[Point]:
    """The points of all series, alpha-beta's last."""
    found = []
    for result in results:
        shape, summary = (result.config["game"]["branching"], result.config["game"]["depth"]), result.summary
        if result.config["method"] != "search":
            mean, half = summary["leaves_mean"], summary["leaves_half"]
            ends = (None, None) if half is None else (max(mean - half, 1.0), mean + half)
            found.append(Point(ALPHA_BETA, *shape, mean, *ends))
            continue
        for rate, needed in summary["iterations_to"].items():
            found.append(Point(rate, *shape, needed, *summary["iterations_to_95"][rate]))
    return sorted(found, key=lambda p: (p.series == ALPHA_BETA, -_rate(p.series), p.branching, p.depth))


def _rate(series: str) -> float:
    return 0.0 if series == ALPHA_BETA else float(series)


def lines_of(points: list[Point], wider: bool) -> dict[str, list[Point]]:
    """The points by series: at B = 2 by depth, or at D = 8 by branching."""
    found: dict[str, list[Point]] = {}
    for point in points:
        if (point.depth == WIDER) if wider else (point.branching == DEEPER):
            found.setdefault(point.series, []).append(point)
    return found


def slopes(points: list[Point], wider: bool) -> list[Slope]:
    """The slopes of all series with three known points at least: in D at B = 2, or in ln B at D = 8."""
    from scipy import stats

    found = []
    for series, line in lines_of(points, wider).items():
        known = [point for point in line if point.known]
        if len(known) < 3:
            continue
        at = [math.log(p.branching) if wider else float(p.depth) for p in known]
        fit: Any = stats.linregress(at, [math.log(p.needed or 1.0) for p in known])
        half = float(stats.t.ppf(0.975, len(known) - 2) * fit.stderr)
        found.append(Slope(series, float(fit.slope), half, len(known), len(line) - len(known)))
    return found


def fig5(results: list[Result], folder: Path) -> list[str]:
    """Slopes in the depth and in the branching, what is smaller at a rate of 0.1, ``fig5.csv`` and ``fig5.png``."""
    from experiments.terminal.console import show, table

    points = points_of(results)
    theory = {False: f"slope of ln iterations in D, B = {DEEPER}; 0.5 ln B is {0.5 * math.log(DEEPER):.3f}",
              True: f"slope of ln iterations in ln B, D = {WIDER}; 0.5 D is {WIDER / 2:g}"}  # fmt: skip
    for wider, title in theory.items():
        found = slopes(points, wider)
        rows = [[name_of(s.series), f"{s.slope:.3f}", _interval(s), str(s.used), str(s.dropped)] for s in found]
        if rows:
            show(table(title, dict.fromkeys(("failure rate", "slope", "95 %", "shapes", "dropped"), "right"), rows))
            show(smaller(found, WIDER / 2 if wider else 0.5 * math.log(DEEPER)))
    show(
        "Dropped: shapes in which the rate was not reached for good within the budget, or was at the first iteration.",
        WORDS,
    )
    _write(points, folder / "fig5.csv")
    _plot(points, folder / "fig5.png")
    return ["fig5.csv", "fig5.png"]


def name_of(series: str) -> str:
    """A series in words."""
    return "alpha-beta, leaves" if series == ALPHA_BETA else f"{float(series):g}"


def _interval(slope: Slope) -> str:
    return f"{slope.slope - slope.half:.3f} - {slope.slope + slope.half:.3f}"


def smaller(found: list[Slope], theory: float) -> str:
    """Whether the slope at the highest rate is below theory's, and below those of the lower rates and of alpha-beta."""
    first, *others = found
    verdict = _sign(first.slope - theory, first.half)
    words = [
        f"at {name_of(first.series)} smaller than {theory:.3f}: {verdict} "
        f"({first.slope - theory:+.3f} ± {first.half:.3f})"
    ]
    for other in others:
        gap, half = first.slope - other.slope, math.hypot(first.half, other.half)
        words.append(f"than at {name_of(other.series)}: {_sign(gap, half)} ({gap:+.3f} ± {half:.3f})")
    return "; ".join(words)


def _sign(gap: float, half: float) -> str:
    return "yes" if gap + half < 0 else "no" if gap - half > 0 else "the intervals do not tell"


def _write(points: list[Point], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["series", "branching", "depth", "iterations", "low", "high"])
        writer.writerows(["" if value is None else value for value in point] for point in points)


def _plot(points: list[Point], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 4.2), layout="constrained")
    for axes, wider in zip(figure.subplots(1, 2), (False, True), strict=True):
        lines = lines_of(points, wider)
        for series, line in lines.items():
            known = [point for point in line if point.known]
            label = name_of(series) if series == ALPHA_BETA else f"failure rate {name_of(series)}"
            at = [p.branching if wider else p.depth for p in known]
            axes.errorbar(
                at, [p.needed for p in known], yerr=_errors(known), fmt="o-", markersize=3, capsize=2, label=label
            )
        at = sorted({p.branching if wider else p.depth for line in lines.values() for p in line})
        axes.plot(
            at, [x ** (WIDER / 2) if wider else DEEPER ** (x / 2) for x in at], "k--", linewidth=1, label="B^(D/2)"
        )
        if wider and at:
            axes.set_xscale("log")
            axes.set_xticks(at, [str(width) for width in at], minor=False)
            axes.minorticks_off()
        axes.set_yscale("log")
        axes.set_xlabel(f"B (D = {WIDER})" if wider else f"D (B = {DEEPER})")
        axes.set_ylabel("iterations; alpha-beta: mean leaves (95 %)")
        axes.legend(fontsize=8, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


def _errors(known: list[Point]) -> list[list[float]]:
    """How far the intervals reach below and above; not shown where they have no end."""
    needed = [p.needed or 1.0 for p in known]
    low = [max(at - (p.low or at), 0.0) for at, p in zip(needed, known, strict=True)]
    high = [max((p.high or at) - at, 0.0) for at, p in zip(needed, known, strict=True)]
    return [low, high]
