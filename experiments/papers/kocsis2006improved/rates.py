"""Kocsis et al. 2006, Figures 4 and 6: failure rates over iterations, beside a reference and the document's words."""

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.analysis.convergence import rates_by_tree
from experiments.analysis.intervals import Z
from experiments.runs.results import Result
from experiments.runs.tree_searches import pieces_of

METHODS = ("UCT", "MC", "MMMC", "alpha-beta")
REFERENCE = {
    (2, 20): {
        10: (0.1125, 0.1290, 0.1665, 0.2125),
        100: (0.0395, 0.0560, 0.1130, 0.2125),
        1000: (0.0105, 0.0460, 0.0900, 0.2125),
        5000: (0.0, 0.0410, 0.0640, 0.0825),
        100_000: (0.0, 0.0440, 0.0375, 0.0),
    },
    (8, 8): {
        10: (0.449, 0.441, 0.461, 0.513),
        100: (0.225, 0.279, 0.380, 0.513),
        1000: (0.066, 0.141, 0.410, 0.513),
        10_000: (0.006, 0.111, 0.237, 0.456),
        20_000: (0.0, 0.107, 0.283, 0.240),
        100_000: (0.0, 0.111, 0.331, 0.0),
    },
}
"""Failure rates of another program on 200 trees of its own, by (B, D) and iterations, in the order of ``METHODS``."""
REFERENCE_LEAVES = {(2, 20): 4719, (8, 8): 23_278}
"""Mean leaves of its alpha-beta."""
POINTS = (10, 100, 1000, 2000, 5000, 10_000, 20_000, 30_000, 100_000)
"""Iterations that are shown, those of them that a run has."""
WORDS = {
    "fig4": "The document: UCT reaches 0 within about alpha-beta's leaves; MC flattens well above 0; "
    "MMMC is worse than MC.",
    "fig6": "The document: large tables are as good as a tree; the smallest stays under 5 %, but not at 0.",
}

Shape = tuple[int, int]


def by_shape(results: Sequence[Result]) -> dict[Shape, dict[str, Result]]:
    """The runs by (B, D) and by what they are called."""
    found: dict[Shape, dict[str, Result]] = {}
    for result in results:
        game = result.config["game"]
        found.setdefault((game["branching"], game["depth"]), {})[result.label] = result
    return found


def rate_at(result: Result, point: int) -> str:
    """A failure rate in per cent with its 95 %, or nothing where the run has no such checkpoint."""
    if point not in result.summary["points"]:
        return ""
    at = result.summary["points"].index(point)
    rate, low, high = (100 * result.summary[key][at] for key in ("failure_rate", "low", "high"))
    return f"{rate:.2f} [{low:.1f}, {high:.1f}]"


def none_fails_from(summary: dict[str, Any]) -> int | None:
    """The first checkpoint from which on no tree fails; None where one does at the last."""
    points, failing = summary["points"], summary["trees_failing"]
    if failing[-1]:
        return None
    last = max((i for i, count in enumerate(failing) if count), default=-1)
    return int(points[last + 1])


# ------------------------------------------------------------------------------------------------------------- Figure 4


def fig4(results: list[Result], folder: Path) -> list[str]:
    """Rates beside the reference, for every shape; UCT's end beside alpha-beta's leaves; ``fig4.csv``."""
    from experiments.terminal.console import show, table

    shapes = by_shape(results)
    for shape, runs in shapes.items():
        columns, rows = _beside_reference(shape, runs)
        title = f"failure rate, % [95 %], B = {shape[0]}, D = {shape[1]}; ref.: another program on 200 trees of its own"
        show(table(title, columns, rows))
    rows = [row for shape, runs in shapes.items() if (row := _end_row(shape, runs))]
    if rows:
        show(table("where UCT stops failing, and what alpha-beta takes", dict.fromkeys(rows[0], "right"), _cells(rows)))
    show(*(line for shape, runs in shapes.items() for line in verdicts(shape, runs)), WORDS["fig4"])
    _write(shapes, folder / "fig4.csv")
    return ["fig4.csv"]


def _cells(rows: list[dict[str, str]]) -> list[list[str]]:
    return [list(row.values()) for row in rows]


def _beside_reference(shape: Shape, runs: dict[str, Result]) -> tuple[dict[str, str], list[list[str]]]:
    methods = [name for name in METHODS if name in runs]
    heads = ["iterations", *(head for name in methods for head in (name, f"ref. {name}"))]
    rows = []
    for point in POINTS:
        ours = [rate_at(runs[name], point) for name in methods]
        known = REFERENCE.get(shape, {}).get(point)
        theirs = ["" if known is None else f"{100 * known[METHODS.index(name)]:.2f}" for name in methods]
        if any(ours):
            rows.append([f"{point:,}", *(cell for pair in zip(ours, theirs, strict=True) for cell in pair)])
    return dict.fromkeys(heads, "right"), rows


def _end_row(shape: Shape, runs: dict[str, Result]) -> dict[str, str]:
    if "UCT" not in runs or "alpha-beta" not in runs:
        return {}
    uct, leaves = runs["UCT"].summary, runs["alpha-beta"].summary
    ends, points = none_fails_from(uct), uct["points"]
    later = [i for i, point in enumerate(points) if point >= leaves["leaves_mean"]]
    known = REFERENCE_LEAVES.get(shape)
    half = "" if leaves["leaves_half"] is None else f" ± {leaves['leaves_half']:,.0f}"
    return {
        "B": str(shape[0]),
        "D": str(shape[1]),
        "no tree fails from": f"beyond {points[-1]:,}" if ends is None else f"{ends:,}",
        "alpha-beta's leaves, all trees": f"{leaves['leaves_mean']:,.0f}{half}",
        "trees that can fail": "-" if leaves["leaves_decisive"] is None else f"{leaves['leaves_decisive']:,.0f}",
        "reference": "-" if known is None else f"{known:,}",
        "UCT fails in trees": f"{uct['trees_failing'][later[0]]} of {uct['trees']} at {points[later[0]]:,}"
        if later
        else "-",
    }


def verdicts(shape: Shape, runs: dict[str, Result]) -> list[str]:
    """What the document says of the figure, and what is seen here."""
    lines, name = [], f"B = {shape[0]}, D = {shape[1]}"
    if {"UCT", "alpha-beta"} <= set(runs):
        ends, leaves = none_fails_from(runs["UCT"].summary), runs["alpha-beta"].summary["leaves_mean"]
        last = runs["UCT"].summary["points"][-1]
        words = (
            f"not by {last:,} iterations"
            if ends is None
            else f"from {ends:,} iterations on, {ends / leaves:.1f} times as many"
        )
        lines.append(f"{name}: UCT is at 0 {words}, and alpha-beta takes {leaves:,.0f} leaves")
    if {"UCT", "MC", "MMMC"} <= set(runs):
        points = [point for point in POINTS if point in runs["MC"].summary["points"]]
        rates = {m: [_rate(runs[m], point) for point in points] for m in ("UCT", "MC", "MMMC")}
        under = [f"{p:,}" for p, a, b in zip(points, rates["UCT"], rates["MC"], strict=True) if a < b]
        above = [f"{p:,}" for p, a, b in zip(points, rates["MMMC"], rates["MC"], strict=True) if a > b]
        lines.append(f"{name}: UCT is below MC at {_listed(under)}; MMMC is above MC at {_listed(above)}")
        if points:
            before = f", and at {points[-2]:,} had {rate_at(runs['MC'], points[-2])}" if len(points) > 1 else ""
            lines.append(f"{name}: MC ends at {rate_at(runs['MC'], points[-1])} %{before}")
    return lines


def _listed(words: list[str]) -> str:
    return "; ".join(words) or "none of the checkpoints"


def _rate(result: Result, point: int) -> float:
    return float(result.summary["failure_rate"][result.summary["points"].index(point)])


def _write(shapes: dict[Shape, dict[str, Result]], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(
            ["branching", "depth", "run", "iterations", "failure_rate", "low", "high", "trees_failing", "reference"]
        )
        for shape, runs in shapes.items():
            for name, result in runs.items():
                s = result.summary
                for i, point in enumerate(s["points"]):
                    known = REFERENCE.get(shape, {}).get(point)
                    theirs = known[METHODS.index(name)] if known and name in METHODS else ""
                    row = [s[key][i] for key in ("failure_rate", "low", "high", "trees_failing")]
                    writer.writerow([*shape, name, point, *row, theirs])


# ------------------------------------------------------------------------------------------------------------- Figure 6


def fig6(results: list[Result], folder: Path) -> list[str]:
    """Rates by size of the table, for every shape; the distance to a tree; the smallest's plateau; ``fig6.csv``."""
    from experiments.terminal.console import show, table

    shapes = by_shape(results)
    for shape, runs in shapes.items():
        some = sorted(runs.items(), key=lambda item: -(_entries(item[1]) or 1 << 31))
        tree = next((run for _, run in some if _entries(run) is None), None)
        points = [p for p in POINTS if p in some[0][1].summary["points"]][-4:]
        heads = ["table", *(f"at {p:,}" for p in points), "beyond a tree's", "failing"]
        rows = [
            [name, *(rate_at(run, p) for p in points), _beyond(run, tree), str(run.summary["trees_failing"][-1])]
            for name, run in some
        ]
        title = f"failure rate, % [95 %], by iterations, B = {shape[0]}, D = {shape[1]}"
        show(table(title, dict.fromkeys(heads, "right"), rows))
    show(*(plateau(shape, runs) for shape, runs in shapes.items() if any(map(_entries, runs.values()))), WORDS["fig6"])
    _write(shapes, folder / "fig6.csv")
    return ["fig6.csv"]


def _entries(result: Result) -> int | None:
    found = result.config["search"]["table"]
    return None if found is None else int(found)


def _beyond(run: Result, tree: Result | None) -> str:
    """By how much the failure rate is above a tree's at the last checkpoint, in points, paired by tree."""
    if tree is None or run is tree:
        return ""
    ours, theirs = (rates_by_tree(pieces_of(result.folder))[:, -1] for result in (run, tree))
    if len(ours) != len(theirs):
        return "-"
    gap = 100 * (ours - theirs)
    if len(gap) < 2:
        return f"{gap.mean():+.2f} (one tree)"
    return f"{gap.mean():+.2f} ± {Z * gap.std(ddof=1) / np.sqrt(len(gap)):.2f}"


def plateau(shape: Shape, runs: dict[str, Result]) -> str:
    """Where the smallest table of ``runs``, at least one of which has one, ends: under 5 % or not, above 0 or not."""
    name, run = min(((n, r) for n, r in runs.items() if _entries(r)), key=lambda item: _entries(item[1]) or 0)
    s = run.summary
    points = [p for p in POINTS if p in s["points"]][-3:]
    rate, low, high = s["failure_rate"][-1], s["low"][-1], s["high"][-1]
    under = "under 5 %" if high < 0.05 else "above 5 %" if low > 0.05 else "5 % lies in the interval"
    at_zero = "not at 0" if s["trees_failing"][-1] else "at 0"
    course = ", ".join(f"{100 * _rate(run, p):.2f} % at {p:,}" for p in points)
    return (
        f"B = {shape[0]}, D = {shape[1]}: {name} end at {100 * rate:.2f} % "
        f"[{100 * low:.1f}, {100 * high:.1f}] ({course}): {under}, {at_zero}"
    )
