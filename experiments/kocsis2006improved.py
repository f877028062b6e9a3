"""Document 000: Kocsis, Szepesvári, Willemson, *Improved Monte-Carlo Search*, 2006; its P-games are document 003's as well."""

import math
from pathlib import Path
from typing import Any

from experiments.kocsis_fig3 import fig3
from experiments.results import Result

TITLES = {
    "fig4": "Failure rates in P-games (document 000, Figure 4)",
    "fig5": "Iterations to a failure rate (document 000, Figure 5)",
    "fig6": "UCT with a table of fixed size (document 000, Figure 6)",
}

STATEMENTS = {
    "fig4": "The document: UCT reaches 0 within about alpha-beta's leaves; MC flattens well above 0; MMMC is worse than MC.",
    "fig5": "The document: roughly parallel to B^(D/2); faster for high failure rates.",
    "fig6": "0 entries: a tree. The document: large tables are as good; the smallest stays under 5 %, but not at 0.",
}


def fig5(results: list[Result], folder: Path) -> list[str]:
    """Iterations against depth and against branching, with the slopes of their logarithms; a table, a CSV, a plot."""
    from experiments.console import show, table

    rows = fig5_rows(results)
    columns = dict.fromkeys(rows[0], "right")
    show(table("slopes in the depth, B = 2 (0.5 ln B is 0.347)", columns, [list(row.values()) for row in rows]))
    show(STATEMENTS["fig5"])
    _fig5_plot(results, folder / "fig5.png")
    return ["fig5.png"]


def series(results: list[Result]) -> dict[str, list[tuple[int, int, float]]]:
    """(branching, depth, iterations) by failure rate, and the mean leaves of alpha-beta; what was not reached is left out."""
    found: dict[str, list[tuple[int, int, float]]] = {}
    for result in results:
        shape = (result.config["game"]["branching"], result.config["game"]["depth"])
        if result.summary.get("leaves_mean"):
            found.setdefault("alpha-beta", []).append((*shape, result.summary["leaves_mean"]))
            continue
        for rate, needed in result.summary["iterations_to"].items():
            if needed is not None and needed > 1:
                found.setdefault(rate, []).append((*shape, needed))
    return {name: sorted(points) for name, points in found.items()}


def fig5_rows(results: list[Result]) -> list[dict[str, str]]:
    """The slope of ln(iterations) in D at B = 2, with its 95 % interval, by failure rate."""
    from scipy import stats

    rows = []
    for name, points in series(results).items():
        line = [(depth, math.log(needed)) for branching, depth, needed in points if branching == 2]
        row = {"failure rate": name, "depths": str(len(line)), "slope": "-", "95 %": "-"}
        if len(line) > 2:
            depths, logarithms = zip(*line, strict=True)
            fit: Any = stats.linregress(depths, logarithms)
            half = stats.t.ppf(0.975, len(line) - 2) * fit.stderr
            row |= {"slope": f"{fit.slope:.3f}", "95 %": f"{fit.slope - half:.3f} - {fit.slope + half:.3f}"}
        rows.append(row)
    return rows


def _fig5_plot(results: list[Result], path: Path) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 4.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for name, points in series(results).items():
        label = name if name == "alpha-beta" else f"failure rate {float(name):g}"
        depths = [(depth, needed) for branching, depth, needed in points if branching == 2]
        widths = [(branching, needed) for branching, depth, needed in points if depth == 8]
        for axes, line in ((left, depths), (right, widths)):
            if line:
                axes.plot(*zip(*line, strict=True), "o-", markersize=3, label=label)
    depths = sorted({r.config["game"]["depth"] for r in results if r.config["game"]["branching"] == 2})
    widths = sorted({r.config["game"]["branching"] for r in results if r.config["game"]["depth"] == 8})
    left.plot(depths, [2 ** (depth / 2) for depth in depths], "k--", linewidth=1, label="B^(D/2)")
    right.plot(widths, [width**4 for width in widths], "k--", linewidth=1, label="B^(D/2)")
    right.set_xscale("log")
    right.set_xticks(widths, [str(width) for width in widths], minor=False)
    right.minorticks_off()
    for axes, words in ((left, "D (B = 2)"), (right, "B (D = 8)")):
        axes.set_yscale("log")
        axes.set_xlabel(words)
        axes.set_ylabel("iterations; alpha-beta: mean leaves")
        axes.legend(fontsize=8, frameon=False)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


def _statement(item: str) -> Any:
    def conclude(results: list[Result], folder: Path) -> list[str]:
        from experiments.console import show

        show(STATEMENTS[item])
        return []

    return conclude


CONCLUSIONS = {"fig4": _statement("fig4"), "fig5": fig5, "fig6": _statement("fig6")}

FIGURES = {"fig3": fig3}
"""Worked figures, for experiments.worked."""

TABLE_ENTRIES = {"fig6": (100_000, 10_000, 5_000, 1_000), "table1": 1 << 20}
"""Entries of the tables of Figure 6, and of UCT's in Amazons."""

TABLE_1 = {0.01: 0.392, 0.1: 0.489, 1.0: 0.81, 5.0: 0.96}
"""Win rate of UCT against MC in Amazons by seconds a move, 1000 games each; they made 15,000 and 27,000 iterations a second."""

TABLE_2 = {(5, 5): 0.215, (30, 30): 0.265, (30, 5): 0.445}
"""Win rate of UCT against MILA in Clobber by the seconds a move of each, 200 games each; 80,000 and 150,000 nodes a second."""

MC_IN_CLOBBER = {"mila": 0.175, "uct": 0.15}
"""Win rate of MC in Clobber against either, 30 seconds a move for both."""
