"""Kocsis, Szepesvári, *Bandit Based Monte-Carlo Planning*, ECML 2006: planning in the sailing domain.

Its figures of P-games are Kocsis et al. 2006's as well, see ``kocsis2006improved``.
"""

import csv
import math
from pathlib import Path
from typing import Any

from experiments.analysis.planner_samples import draw, series
from experiments.runs.results import Result

TITLES = {
    "fig4": "Samples to an error below 0.1 (Kocsis and Szepesvári 2006, Figure 4)",
    "fig4_variants": "Samples to an error below 0.1, variants (Kocsis and Szepesvári 2006, section 3.2)",
}
STATEMENTS = {
    "fig4": "The document: UCT needs significantly fewer samples for the same error than ARTDP and PG-ID, and scales "
    "better with the size. ARTDP and PG-ID are reconstructions here.",
    "fig4_variants": "The document: no major differences between stopping schemes; initial values speed ARTDP up.",
}
ROW = (
    "series",
    "planner",
    "size",
    "samples",
    "low",
    "high",
    "most",
    "error",
    "error_at_most",
    "standard_error",
    "seconds",
)
SLOPES = {"planner": "left", "slope": "right", "95 %": "right", "sizes": "right"}


def _concluding(item: str) -> Any:
    """Samples against grid size: a table with a column a planner, the slopes of the logarithms, a CSV, a plot."""

    def conclude(results: list[Result], folder: Path) -> list[str]:
        from experiments.terminal.console import show, table

        lines = series(results)
        show(table(TITLES[item], dict.fromkeys(["size", *lines], "right"), _cells(lines)))
        show(table("slope of ln samples in ln size, sizes above 2", SLOPES, slopes(lines)))
        show(_verdict(lines), STATEMENTS[item])
        _write(lines, folder / f"{item}.csv")
        _plot(lines, TITLES[item], folder / f"{item}.png")
        return [f"{item}.csv", f"{item}.png"]

    return conclude


def _cells(lines: dict[str, list[dict[str, Any]]]) -> list[list[str]]:
    sizes = sorted({summary["size"] for some in lines.values() for summary in some})
    rows = []
    for size in sizes:
        of_size = [next((s for s in some if s["size"] == size), None) for some in lines.values()]
        rows.append([str(size), *("" if summary is None else _cell(summary) for summary in of_size)])
    return rows


def _cell(summary: dict[str, Any]) -> str:
    if summary["samples"] is None:
        return f"> {summary['most']:,} (error {summary['mean_error'][-1]:.3f})"
    return f"{summary['samples']:,} ({summary['interval']})"


def slopes(lines: dict[str, list[dict[str, Any]]]) -> list[list[str]]:
    """By planner, the slope of ln(samples) in ln(size) with 95 %, over sizes above 2 that reached the error."""
    from scipy import stats

    rows = []
    for name, some in lines.items():
        points = [(math.log(s["size"]), math.log(s["samples"])) for s in some if s["samples"] and s["size"] > 2]
        if len(points) < 3:
            rows.append([name, "-", "-", str(len(points))])
            continue
        sizes, samples = zip(*points, strict=True)
        fit: Any = stats.linregress(sizes, samples)
        half = stats.t.ppf(0.975, len(points) - 2) * fit.stderr
        rows.append([name, f"{fit.slope:.2f}", f"{fit.slope - half:.2f} - {fit.slope + half:.2f}", str(len(points))])
    return rows


def _verdict(lines: dict[str, list[dict[str, Any]]]) -> str:
    """On which sizes which planner needs the fewest samples."""
    best: dict[str, list[int]] = {}
    for size in sorted({summary["size"] for some in lines.values() for summary in some}):
        reached = {
            name: s["samples"] for name, some in lines.items() for s in some if s["size"] == size and s["samples"]
        }
        if reached:
            best.setdefault(min(reached, key=lambda name: reached[name]), []).append(size)
    told = "; ".join(f"{name} on {', '.join(map(str, sizes))}" for name, sizes in best.items())
    return f"Fewest samples: {told or 'not told, since no planner reached the error'}"


def _write(lines: dict[str, list[dict[str, Any]]], path: Path) -> None:
    """A row a planner and size; empty where the error was not reached."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(ROW)
        for name, some in lines.items():
            for summary in some:
                last = {"series": name, "error_at_most": summary["mean_error"][-1]}
                last["standard_error"] = summary["standard_error"][-1]
                writer.writerow([{**summary, **last}[key] for key in ROW])


def _plot(lines: dict[str, list[dict[str, Any]]], title: str, path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.5, 4.6), layout="constrained")
    axes = figure.subplots()
    draw(axes, lines)
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


CONCLUSIONS = {item: _concluding(item) for item in TITLES}
