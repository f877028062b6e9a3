"""Document 003: Kocsis, Szepesvári, *Bandit Based Monte-Carlo Planning*, ECML 2006: planning in the sailing domain.

Its figures of P-games are document 000's as well, see ``kocsis2006improved``.
"""

import csv
import math
from pathlib import Path
from typing import Any

from experiments.results import Result

TITLES = {
    "fig4": "Samples to an error below 0.1 (document 003, Figure 4)",
    "fig4_variants": "Samples to an error below 0.1, variants (document 003, section 3.2)",
}
STATEMENTS = {
    "fig4": "The document: UCT needs significantly fewer samples for the same error than ARTDP and PG-ID, and scales better "
    "with the size. ARTDP and PG-ID are reconstructions here.",
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
ORDER = ("uct", "artdp", "pg_id")
SLOPES = {"planner": "left", "slope": "right", "95 %": "right", "sizes": "right"}
COLORS = ("#1f5fa8", "#c8641e", "#3a8f4d", "#8a4fa3", "#888888", "#b8302f", "#50a5b5")


def _concluding(item: str) -> Any:
    """Samples against grid size: a table with a column a planner, the slopes of the logarithms, a CSV, a plot."""

    def conclude(results: list[Result], folder: Path) -> list[str]:
        from experiments.console import show, table

        lines = series(results)
        show(table(TITLES[item], dict.fromkeys(["size", *lines], "right"), _cells(lines)))
        show(table("slope of ln samples in ln size, sizes above 2", SLOPES, slopes(lines)))
        show(_verdict(lines), STATEMENTS[item])
        _write(lines, folder / f"{item}.csv")
        _plot(lines, TITLES[item], folder / f"{item}.png")
        return [f"{item}.csv", f"{item}.png"]

    return conclude


def series(results: list[Result]) -> dict[str, list[dict[str, Any]]]:
    """The summaries by planner (its name, and what its options change), each by size."""
    found: dict[str, list[dict[str, Any]]] = {}
    for result in results:
        found.setdefault(_name(result.config["planner"]), []).append(result.summary)

    def rank(name: str) -> tuple[int, str]:
        planner = found[name][0]["planner"]
        return ORDER.index(planner) if planner in ORDER else len(ORDER), name

    names = sorted(found, key=rank)
    return {name: sorted(found[name], key=lambda summary: summary["size"]) for name in names}


def _name(planner: dict[str, Any]) -> str:
    """A planner in a word, with the options that are not its defaults."""
    from gpumcts.options import option
    from gpumcts.planning import KIND

    defaults = option(KIND, planner["name"])._field_defaults  # type: ignore[attr-defined]
    words = [f"{key}={value}" for key, value in planner.items() if key != "name" and value != defaults[key]]
    return " ".join([planner["name"].upper().replace("_", "-"), *words])


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
    """For each planner the slope of ln(samples) in ln(size) with its 95 % interval, over sizes above 2 that reached the error."""
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
    return "Fewest samples: " + "; ".join(f"{name} on {', '.join(map(str, sizes))}" for name, sizes in best.items())


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


def draw(axes: Any, lines: dict[str, list[dict[str, Any]]]) -> None:
    """Samples over grid size, both logarithmic, as in the document; a triangle where the error was not reached."""
    for number, (name, some) in enumerate(lines.items()):
        color = COLORS[number % len(COLORS)]
        reached = [summary for summary in some if summary["samples"]]
        sizes, samples = [s["size"] for s in reached], [s["samples"] for s in reached]
        ends = [(s["low"] or s["samples"], s["high"] or s["most"]) for s in reached]
        lows = [max(at - low, 0) for at, (low, _) in zip(samples, ends, strict=True)]
        highs = [max(high - at, 0) for at, (_, high) in zip(samples, ends, strict=True)]
        axes.errorbar(sizes, samples, yerr=[lows, highs], fmt="o-", color=color, markersize=4, capsize=2, label=name)
        missed = [summary for summary in some if not summary["samples"]]
        axes.plot([s["size"] for s in missed], [s["most"] for s in missed], "^", color=color, fillstyle="none")
    axes.set_xscale("log")
    axes.set_yscale("log")
    sizes = sorted({summary["size"] for some in lines.values() for summary in some})
    axes.set_xticks([size for size in (2, 3, 5, 10, 20, 40) if sizes[0] <= size <= sizes[-1]])
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.minorticks_off()
    axes.set_xlabel("grid size")
    errors = sorted({summary["error"] for some in lines.values() for summary in some})
    axes.set_ylabel(f"samples to error < {', '.join(f'{error:g}' for error in errors)} (95 % over states)")
    axes.legend(fontsize=8, frameon=False)


CONCLUSIONS = {item: _concluding(item) for item in TITLES}
