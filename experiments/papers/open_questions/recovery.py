"""Recovery from poor early choices (Ramanujan et al. 2010, section 6, remark 1): by which operator, or which rule?

Every search is of a tree in which some move of the root is wrong. Beside the iterations until few of them fail, a run
has one number: the mean of its failure rate over checkpoints, so many a decade, the area under the curve over the
logarithm of the iterations. Runs on the same trees are compared by it tree by tree, all pairs with one correction for
so many tests (Holm).

A constant that was chosen as the best of several has flattered itself. So the best are chosen on the trees of even
number and compared on those of odd number.
"""

import csv
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.analysis.convergence import rates_by_tree
from experiments.analysis.intervals import Z
from experiments.runs.results import Result
from experiments.runs.tree_searches import pieces_of

RATE = "0.1"
PLAIN = "UCB1, C = 1"
"""What all others are compared with."""
LEVEL = 0.05
FAMILIES = {"UCB1": "UCB1, C", "Boltzmann": "Boltzmann"}
"""How the runs are called that the last verdict compares."""
WORDS = (
    'Minimax recovers from poor early choices but is brittle, and "a better backup operator" is left open '
    "(Ramanujan et al. 2010, remark 1);\n"
    'Boltzmann exploration "performs significantly weaker" than UCB1 (Kocsis et al. 2006, section '
    "2.4; Kocsis and Szepesvári 2006, section 3.3)."
)


class Run(NamedTuple):
    """A rule and an operator on the trees of one kind.

    needed, low, high : iterations until at most 10 % of the searches fail, for good, with 95 % over trees; None beyond
        the budget
    areas : float64[K], of the trees that can fail; trees : int64[K], their numbers, rising
    """

    name: str
    kind: str
    budget: int
    needed: float | None
    low: float | None
    high: float | None
    areas: np.ndarray
    trees: np.ndarray

    @property
    def even(self) -> np.ndarray:
        """bool[K]: whether the numbers of the trees are even."""
        return self.trees % 2 == 0

    @property
    def area(self) -> float:
        """Mean failure rate over checkpoints and trees."""
        return float(self.areas.mean())


class Gap(NamedTuple):
    """By how much the first of two runs fails more often, paired by tree; half its 95 % interval; p of equal rates."""

    mean: float
    half: float
    p: float


def runs_of(results: Sequence[Result]) -> list[Run]:
    """The runs, in the order in which the configuration describes options and trees."""
    found = []
    for result in sorted(results, key=_place):
        pieces, summary = pieces_of(result.folder), result.summary
        decisive, trees = (np.concatenate([getattr(p, name) for p in pieces]) for name in ("decisive", "trees"))
        if not decisive.any():
            continue
        areas = rates_by_tree(pieces)[decisive].mean(axis=1)
        needed, (low, high) = summary["iterations_to_decisive"][RATE], summary["iterations_to_decisive_95"][RATE]
        kind, name = str(result.config["panel"]), result.label
        found.append(Run(name, kind, summary["points"][-1], needed, low, high, areas, trees[decisive]))
    return found


def _place(result: Result) -> tuple[int, int]:
    config = result.config
    return list(config["shapes"]).index(config["shape"]), list(config["options"]).index(config["option"])


def gap(first: Run, second: Run, odd: bool = False) -> Gap:
    """``first`` minus ``second``, on all trees that both have, or on those of odd number among them."""
    from scipy import stats

    both, *rows = np.intersect1d(first.trees, second.trees, return_indices=True)
    off = first.areas[rows[0]] - second.areas[rows[1]]
    off = off[both % 2 == 1] if odd else off
    if len(off) < 2 or not off.any():
        return Gap(float(off.mean()) if len(off) else 0.0, 0.0, 1.0)
    error = off.std(ddof=1) / np.sqrt(len(off))
    p = float(np.asarray(stats.ttest_1samp(off, 0.0))[1]) if error > 0 else 0.0
    return Gap(float(off.mean()), float(Z * error), p)


def odd_trees(first: Run, second: Run) -> int:
    """How many trees of odd number both have."""
    return int((np.intersect1d(first.trees, second.trees) % 2 == 1).sum())


def against_plain(runs: Sequence[Run]) -> dict[tuple[str, str], Gap]:
    """The gap of every run to plain UCB1 on the same trees, by (name, kind); p corrected for all of them."""
    from gpumcts.match.statistics import holm

    plain = {run.kind: run for run in runs if run.name == PLAIN}
    gaps = {(r.name, r.kind): gap(r, plain[r.kind]) for r in runs if r.kind in plain and r.name != PLAIN}
    corrected = holm([g.p for g in gaps.values()]) if gaps else []
    return {key: g._replace(p=p) for (key, g), p in zip(gaps.items(), corrected, strict=True)}


def sign(found: Gap | None) -> str:
    """``+`` where a run fails less often than plain UCB1 beyond chance, ``-`` where more often."""
    if found is None or found.p > LEVEL:
        return ""
    return " +" if found.mean < 0 else " -"


# ----------------------------------------------------------------------------------------------------------------- said


def recovery(results: list[Result], folder: Path) -> list[str]:
    """One table of iterations and signs, the verdicts, ``recovery.csv`` and ``recovery.png``."""
    from experiments.terminal.console import show, table

    runs = runs_of(results)
    kinds, gaps = list(dict.fromkeys(run.kind for run in runs)), against_plain(runs)
    names = list(dict.fromkeys(run.name for run in runs))
    by_place = {(run.name, run.kind): run for run in runs}
    rows = []
    for name in names:
        there = [by_place.get((name, kind)) for kind in kinds]
        cells = ["" if r is None else needed(r) + sign(gaps.get((name, r.kind))) for r in there]
        rows.append([name, *cells, *("" if r is None else f"{100 * r.area:.1f}" for r in there)])
    heads = {"run": "left", **dict.fromkeys([*kinds, *(f"{kind} %" for kind in kinds)], "right")}
    title = "iterations until at most 10 % of the searches fail [95 % over trees] | mean failure rate over checkpoints"
    show(table(title, heads, rows))
    show(
        "Only trees with a wrong move at the root. + and -: fails less or more often over the checkpoints than "
        f"{PLAIN}, tree by tree,\np < {LEVEL:g} after Holm's correction for {len(gaps)} tests.",
        *verdicts(names, kinds, gaps),
        *boltzmann(runs, kinds),
        WORDS,
    )
    _write(runs, gaps, folder / "recovery.csv")
    _plot(names, kinds, by_place, folder / "recovery.png")
    return ["recovery.csv", "recovery.png"]


def needed(run: Run) -> str:
    """Iterations with their interval, ``-`` beyond the budget."""
    middle, low, high = ("-" if end is None else f"{end:,.0f}" for end in (run.needed, run.low, run.high))
    return f"{middle} [{low}, {high}]"


def verdicts(names: Sequence[str], kinds: Sequence[str], gaps: dict[tuple[str, str], Gap]) -> list[str]:
    """What is better than plain UCB1 somewhere, beyond chance, and whether it is worse elsewhere."""
    signs = {name: {kind: sign(gaps.get((name, kind))).strip() for kind in kinds} for name in names if name != PLAIN}
    robust = [name for name, found in signs.items() if "+" in found.values() and "-" not in found.values()]
    brittle = [name for name, found in signs.items() if {"+", "-"} <= set(found.values())]
    lines = [f"Better than {PLAIN} on some kind of tree and worse on none: {'; '.join(robust) or 'nothing'}."]
    lines.append(f"Better on one and worse on another: {'; '.join(brittle) or 'nothing'}.")
    return lines


def boltzmann(runs: Sequence[Run], kinds: Sequence[str]) -> list[str]:
    """Boltzmann exploration against UCB1 over the mean, each with its constant best on other trees; a line a kind."""
    from gpumcts.match.statistics import holm

    pairs = []
    for kind in kinds:
        best = [_best(runs, kind, prefix) for prefix in FAMILIES.values()]
        if all(best):
            pairs.append((kind, *best))
    gaps = [gap(weak, strong, odd=True) for _, strong, weak in pairs]
    lines = []
    for (kind, strong, weak), found, p in zip(pairs, gaps, holm([g.p for g in gaps]) if gaps else [], strict=True):
        verdict = (
            "no difference beyond chance"
            if p > LEVEL
            else "significantly weaker"
            if found.mean > 0
            else "significantly better"
        )
        lines.append(
            f"Boltzmann against UCB1, {kind}: {weak.name} against {strong.name}, failure rate {100 * found.mean:+.1f} "
            f"± {100 * found.half:.1f} points on {odd_trees(strong, weak)} other trees: {verdict} (p = {p:.3f}, Holm)"
        )
    return lines


def _best(runs: Sequence[Run], kind: str, prefix: str) -> Run | Any:
    """The run of a family that fails least on the trees of even number; None where there is none."""
    some = [
        run
        for run in runs
        if run.kind == kind and run.name.startswith(prefix) and run.even.any() and not run.even.all()
    ]
    return min(some, key=lambda run: run.areas[run.even].mean(), default=None)


def _write(runs: Sequence[Run], gaps: dict[tuple[str, str], Gap], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        heads = [
            "run",
            "trees_of",
            "trees",
            "iterations",
            "low",
            "high",
            "failure_rate",
            "beyond_plain",
            "half",
            "p_holm",
        ]
        writer.writerow(heads)
        for run in runs:
            found = gaps.get((run.name, run.kind))
            ends = ["" if end is None else end for end in (run.needed, run.low, run.high)]
            row = [run.name, run.kind, len(run.areas), *ends, run.area]
            writer.writerow([*row, *(found or ("", "", ""))])


def _plot(names: Sequence[str], kinds: Sequence[str], runs: dict[tuple[str, str], Run], path: Path) -> None:
    """A panel a kind of trees, a line a run; a triangle at the budget where the rate was not reached."""
    from matplotlib.figure import Figure

    from experiments.analysis.plots import DOTS_PER_INCH, FAINT, OURS

    figure = Figure(figsize=(2.6 * len(kinds) + 2.2, 0.19 * len(names) + 1.4), layout="constrained")
    panels = figure.subplots(1, len(kinds), sharey=True, squeeze=False)[0]
    for axes, kind in zip(panels, kinds, strict=True):
        for row, name in enumerate(names):
            run = runs.get((name, kind))
            if run is None:
                continue
            at = run.needed or run.budget
            ends = [[max(at - (run.low or at), 0)], [max((run.high or run.budget) - at, 0)]]
            kind_of_mark = {"fmt": "o", "color": OURS} if run.needed else {"fmt": ">", "color": FAINT}
            axes.errorbar(at, row, xerr=ends, markersize=3.5, capsize=2, linewidth=1, **kind_of_mark)
        _decades(axes, [run for (_, of), run in runs.items() if of == kind])
        axes.set_title(kind, fontsize=10)
        axes.grid(axis="y", linewidth=0.3)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_yticks(range(len(names)), names, fontsize=8)
    panels[0].set_ylim(len(names) - 0.4, -0.6)
    figure.supxlabel("iterations until at most 10 % of the searches fail (95 % over trees)", fontsize=9)
    figure.savefig(path, dpi=DOTS_PER_INCH)


def _decades(axes: Any, runs: Sequence[Run]) -> None:
    """A logarithmic axis over whole decades, which alone are named."""
    from matplotlib.ticker import NullFormatter

    least = min((end for run in runs for end in (run.needed, run.low) if end), default=1.0)
    axes.set_xscale("log")
    axes.set_xlim(10 ** math.floor(math.log10(least)), 1.3 * max(run.budget for run in runs))
    axes.xaxis.set_minor_formatter(NullFormatter())
