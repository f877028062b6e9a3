"""How many samples planners need: their runs by planner and size, and samples over size."""

import math
from typing import Any

from experiments.runs.results import Result

ORDER = ("uct", "artdp", "pg_id")
SETTINGS = ("states", "runs", "noise", "discount", "error", "samples", "seed")
TICKS, MAX_TICKS = (2, 3, 5, 10, 20, 40), 6  # sizes that are told on the axis where there are more
COLORS = ("#1f5fa8", "#c8641e", "#3a8f4d", "#8a4fa3", "#888888", "#b8302f", "#50a5b5")


def series(results: list[Result]) -> dict[str, list[dict[str, Any]]]:
    """The summaries by planner (its name, and what its options change), each by size.

    Where a planner has runs of one size that differ in ``SETTINGS``, as in the seed, each setting is a series.
    """
    planners: dict[str, list[Result]] = {}
    for result in results:
        planners.setdefault(planner_name(result.config["planner"]), []).append(result)

    def rank(name: str) -> tuple[int, str]:
        planner = planners[name][0].summary["planner"]
        return ORDER.index(planner) if planner in ORDER else len(ORDER), name

    found: dict[str, list[dict[str, Any]]] = {}
    for planner in sorted(planners, key=rank):
        changed = _changed(planners[planner])
        for result in planners[planner]:
            name = " ".join([planner, *(f"{key}={result.config.get(key)}" for key in changed)])
            found.setdefault(name, []).append(result.summary)
    return {name: sorted(some, key=lambda summary: summary["size"]) for name, some in found.items()}


def _changed(results: list[Result]) -> list[str]:
    """The settings in which runs of one size differ."""
    sizes: dict[int, list[Result]] = {}
    for result in results:
        sizes.setdefault(result.summary["size"], []).append(result)
    return [key for key in SETTINGS if any(len({r.config.get(key) for r in some}) > 1 for some in sizes.values())]


def planner_name(planner: dict[str, Any]) -> str:
    """A planner in a word, with the options that are not its defaults."""
    from gpumcts.options import option
    from gpumcts.planning import KIND

    defaults = option(KIND, planner["name"])._field_defaults  # type: ignore[attr-defined]
    words = [f"{key}={value}" for key, value in planner.items() if key != "name" and value != defaults[key]]
    return " ".join([planner["name"].upper().replace("_", "-"), *words])


def draw(axes: Any, lines: dict[str, list[dict[str, Any]]]) -> None:
    """Samples over grid size, both logarithmic, as in the document.

    An arrow stands where an interval goes on beyond the samples there were, a hollow triangle where the error was not
    reached.
    """
    for number, (name, some) in enumerate(lines.items()):
        color = COLORS[number % len(COLORS)]
        sizes, samples = [s["size"] for s in some], [s["samples"] or math.nan for s in some]  # no line across a miss
        ends = [(s["low"] or at, s["high"] or s["most"]) for s, at in zip(some, samples, strict=True)]
        lows = [max(at - low, 0) for at, (low, _) in zip(samples, ends, strict=True)]
        highs = [max(high - at, 0) for at, (_, high) in zip(samples, ends, strict=True)]
        axes.errorbar(sizes, samples, yerr=[lows, highs], fmt="o-", color=color, markersize=4, capsize=2, label=name)
        going_on = [s for s in some if s["samples"] and s["high"] is None]  # an arrow where the interval goes on
        axes.plot([s["size"] for s in going_on], [s["most"] for s in going_on], "^", color=color, markersize=7)
        missed = [summary for summary in some if not summary["samples"]]
        axes.plot([s["size"] for s in missed], [s["most"] for s in missed], "^", color=color, fillstyle="none")
    axes.set_xscale("log")
    axes.set_yscale("log")
    sizes = sorted({summary["size"] for some in lines.values() for summary in some})
    axes.set_xticks([size for size in TICKS if sizes[0] <= size <= sizes[-1]] if len(sizes) > MAX_TICKS else sizes)
    axes.xaxis.set_major_formatter("{x:.0f}")
    axes.minorticks_off()
    axes.set_xlabel("grid size")
    errors = sorted({summary["error"] for some in lines.values() for summary in some})
    axes.set_ylabel(f"samples to error < {', '.join(f'{error:g}' for error in errors)} (95 % over states)")
    axes.legend(fontsize=8, frameon=False)
