"""Ramanujan et al. 2010, section 6: convergence against the depth of one critical point, with two players and with one,
and against the number of critical levels (eq. 2)."""

import itertools
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.analysis.plots import CURVES, FAINT
from experiments.papers.ramanujan2010understanding.fig3 import GROWTH, growth_per_two_levels
from experiments.papers.ramanujan2010understanding.plots import intervals, new_figure, save
from experiments.runs.results import Result

STATEMENT = (
    'The document: "UCT in two-player settings scales exponentially with the depth of the critical choice points, '
    'whereas in single-player\nsettings, all that matters is the number of critical choice points, not their depth" '
    "(6.2, b), for a player that freezes on one of several\nequal moves; eq. 2 for the number of critical levels, its "
    "depths taken relative to the last one, as eq. 1 has them."
)
ONE, TWO = "one player", "two players"
PARAMETERS = 3
MAX_FITTED = 2  # critical levels of the runs that eq. 2 is fitted to; it is judged by those that have more


class Line(NamedTuple):
    """A run: trees with these critical depths, and t*, its median over trees with 95 %, None beyond the horizon."""

    exploration: float
    single_agent: bool
    depths: tuple[int, ...]
    searches: int
    horizon: int
    never: int
    median: float | None
    low: float | None
    high: float | None

    @property
    def players(self) -> str:
        """How many there are, in words."""
        return ONE if self.single_agent else TWO


def lines_of(results: Sequence[Result]) -> list[Line]:
    """A line a run, in order."""
    found = []
    for result in results:
        game, summary = result.config["game"], result.summary
        times = (summary[f"crossing_{key}"] for key in ("median", "low", "high"))
        exploration, horizon = float(result.config["selection"]["exploration"]), result.config["budget"]["iterations"]
        shape = (exploration, bool(game["single_agent"]), tuple(game["critical"]))
        found.append(Line(*shape, summary["searches"], horizon, summary["never"], *times))
    return sorted(found, key=lambda line: (line.exploration, line.single_agent, len(line.depths), line.depths))


def eq2(depths: Sequence[int], a: float, b: float, growth: float) -> float:
    """Eq. 2: iterations to convergence with critical nodes at all of ``depths``; inner depths count from the outer one.

    With two depths it is eq. 1, whose b is a b here.
    """
    first, rest = depths[0], [depth - depths[0] for depth in depths[1:]]
    inner = b * 2.0 ** (first / 2) * eq2(rest, a, b, growth) if rest else 0.0
    return a * growth ** (first / 2) + inner


def fit_eq2(lines: Sequence[Line]) -> tuple[float, float, float] | None:
    """a, b, C of eq. 2, fitted to log medians of runs of one or two critical levels; None where these are too few."""
    from scipy import optimize

    known = [line for line in lines if len(line.depths) <= MAX_FITTED and line.median]
    if len(known) <= PARAMETERS or all(len(line.depths) == 1 for line in known):
        return None

    def logarithms(_: np.ndarray, *logs: float) -> np.ndarray:
        parameters = [math.exp(value) for value in logs]
        return np.array([math.log(eq2(line.depths, *parameters)) for line in known])

    times = np.log([line.median or math.nan for line in known])
    try:
        found, _ = optimize.curve_fit(logarithms, np.arange(len(known)), times, p0=(0.0, 0.0, math.log(GROWTH)))
    except (RuntimeError, OverflowError):  # no least squares within the calls allowed
        return None
    a, b, growth = (math.exp(value) for value in found)
    return a, b, growth


def groups(lines: Sequence[Line]) -> dict[tuple[float, str], list[Line]]:
    """The lines by exploration and number of players."""
    found: dict[tuple[float, str], list[Line]] = {}
    for line in lines:
        found.setdefault((line.exploration, line.players), []).append(line)
    return found


def depth_rows(lines: Sequence[Line]) -> list[dict[str, str]]:
    """One critical node: iterations by its depth, and their growth."""
    rows = []
    for (exploration, players), some in groups(lines).items():
        single = [(line.depths[0], line.median) for line in some if len(line.depths) == 1]
        row = {"exploration": f"{exploration:g}", "players": players}
        row |= {f"d = {depth}": _number(median) for depth, median in single}
        row["growth per 2 levels (95 %)"] = growth_per_two_levels([(d, t) for d, t in single if d > 0])
        rows.append(row)
    return rows


def number_rows(lines: Sequence[Line]) -> list[dict[str, str]]:
    """Several critical nodes: iterations with two players beside eq. 2, and with one."""
    rows = []
    for exploration in dict.fromkeys(line.exploration for line in lines):
        two, one = ([x for x in lines if (x.exploration, x.players) == (exploration, p)] for p in (TWO, ONE))
        fit = fit_eq2(two)
        alone = {line.depths: line.median for line in one}
        for line in sorted(two, key=lambda x: (len(x.depths), x.depths)):
            model = eq2(line.depths, *fit) if fit else None
            row = {"exploration": f"{exploration:g}", "k": str(len(line.depths))}
            row |= {"critical depths": ", ".join(map(str, line.depths)), "two players": _with_interval(line)}
            row["eq. 2"] = _number(model) + (" (fitted)" if fit and len(line.depths) <= MAX_FITTED else "")
            row["ratio"] = f"{line.median / model:.2f}" if model and line.median else "-"
            rows.append(row | {"one player": _number(alone.get(line.depths))})
    return rows


def growths(lines: Sequence[Line]) -> list[str]:
    """How far the depth of one critical node matters, a line for each constant of exploration."""
    words = []
    for exploration in dict.fromkeys(line.exploration for line in lines):
        factors = []
        for players in (TWO, ONE):
            some = [x for x in groups(lines).get((exploration, players), []) if len(x.depths) == 1]
            single = [(x.depths[0], x.median) for x in some if x.median and x.depths[0] > 0]
            if len(single) > 1:
                (first, before), (last, after) = single[0], single[-1]
                factors.append(f"{after / before:.1f} times with {players} (d = {first} to {last})")
        if factors:
            words.append(f"exploration {exploration:g}: a deeper critical node takes {', '.join(factors)}")
    return words


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.0f}"


def _with_interval(line: Line) -> str:
    beyond = f"beyond {line.horizon:,}"
    median, low, high = (beyond if x is None else _number(x) for x in (line.median, line.low, line.high))
    return beyond if line.low is None else f"{median} ({low} - {high})"


def claims(results: list[Result], folder: Path) -> list[str]:
    """Both tables, the fits, ``sec6_claims.csv`` and ``sec6_claims.png``."""
    from experiments.terminal.console import counted, show, table

    lines = lines_of(results)
    for title, rows in (
        ("iterations to convergence, one critical node at depth d", depth_rows(lines)),
        ("iterations to convergence, k critical nodes", number_rows(lines)),
    ):
        columns = dict.fromkeys((name for row in rows for name in row), "right")
        show(table(title, columns, [[row.get(name, "-") for name in columns] for row in rows]))
    for exploration in dict.fromkeys(line.exploration for line in lines):
        fit = fit_eq2([line for line in lines if (line.exploration, line.players) == (exploration, TWO)])
        if fit:
            a, b, growth = fit
            show(
                f"eq. 2 fitted to k = 1 and 2, exploration {exploration:g}: a = {a:.2f}, b = {b:.2f}, C = {growth:.3f}"
            )
    show(*growths(lines))
    horizon, trees = lines[0].horizon, lines[0].searches
    show(f"Medians over {counted(trees, 'tree')} of one search (95 %), horizon {horizon:,} iterations.", STATEMENT)
    _write_csv(lines, folder / "sec6_claims.csv")
    plot_claims(lines, folder / "sec6_claims.png")
    return ["sec6_claims.csv", "sec6_claims.png"]


def _write_csv(lines: Sequence[Line], path: Path) -> None:
    import polars

    fits = {
        exploration: fit_eq2([x for x in lines if (x.exploration, x.players) == (exploration, TWO)])
        for exploration in {line.exploration for line in lines}
    }
    rows = []
    for line in lines:
        fit = fits[line.exploration] if line.players == TWO else None
        row = {**line._asdict(), "depths": " ".join(map(str, line.depths)), "k": len(line.depths)}
        rows.append(row | {"eq2": eq2(line.depths, *fit) if fit else None})
    polars.DataFrame(rows, infer_schema_length=None).write_csv(path)


# ---------------------------------------------------------------------------------------------------------------- plot


def plot_claims(lines: Sequence[Any], path: Path) -> None:
    """One critical node by depth, with one player and with two; and several of them beside eq. 2."""

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
        if axes.get_legend_handles_labels()[1]:  # matplotlib warns of a legend of nothing
            axes.legend(fontsize=8, frameon=False)
    save(figure, path)


def _beside_eq2(axes: Any, lines: list[Any], color: str, exploration: float) -> None:

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
