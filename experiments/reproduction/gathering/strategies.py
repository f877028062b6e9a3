"""Cells of what Ramanujan et al. 2010 say of implanted strategies beside their tables and figures."""

from collections.abc import Sequence

import numpy as np

from experiments.analysis.intervals import Z
from experiments.papers.ramanujan2010understanding.claims import MAX_FITTED, TWO, Line, eq2, fit_eq2, lines_of
from experiments.papers.ramanujan2010understanding.fig3 import Point, by_exploration, points_of, slice_at
from experiments.papers.ramanujan2010understanding.fig6 import TAU, needed_in_a, scenario_a
from experiments.papers.ramanujan2010understanding.searches import mean_of, read_searches, value_of_a
from experiments.papers.ramanujan2010understanding.tables import VALUES
from experiments.reproduction.catalogue import Item, Paper
from experiments.reproduction.cells import Cell
from experiments.reproduction.gathering.common import (
    cell_of,
    mean_of_all,
    mean_within,
    of_both,
    published_of_order,
    reached,
)
from experiments.reproduction.gathering.synthetic import search_digests
from experiments.reproduction.quantities import Estimate, Exact, Mean, Measured, OpenEnded, Published
from experiments.runs.results import Result

MIN_POINTS = 5
"""Of a line that is judged."""
STRAIGHT = 1 - 1e-9
"""The correlation of a line without any error, which Fisher's interval needs to be below 1."""
DEEPEST = 22
"""d2 of the slice in d1."""
DIGIT = 0.0005
"""Half a unit of the last digit of the printed values."""
ROUGHLY = 0.25
"""What "roughly" allows: a bound of ours."""


def values(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """What A is worth at convergence, by plans; and whether it is more with deep ones (section 6.1)."""
    runs = {tuple(run.config["shape"].split("_")): run for run in results}
    found, means = [], {}
    for plans, printed in VALUES.items():
        if plans not in runs:
            continue
        run = runs[plans]
        searches = read_searches(run)
        means[plans] = mean_of_all(mean_of(value_of_a(searches, searches.crossing)))
        published = Published(relation="equals", value=printed, half=DIGIT, budget=item.budget, source=item.place)
        title = f"Max {plans[0]}, Min {plans[1]}: A at convergence"
        measured = Measured(unit="value", quantity=means[plans])
        name = "-".join(plans)
        found.append(_cell(paper, item, name, title, [run], measured, published, {"runs": run.config["runs"]}))
    for order in item.orders:
        plans = [tuple(name.split("_")) for name in (order.first, order.second or "")]
        if means.keys() >= set(plans):
            some = [runs[one] for one in plans]
            names = (order.first.replace("_", ", "), str(order.second).replace("_", ", "))
            measured = Measured(unit="value", quantity=means[plans[0]], other=means[plans[1]], names=names)
            ours = {"runs": some[0].config["runs"]}
            title = f"A at convergence: {names[0]} beside {names[1]}"
            published = published_of_order(item, order)
            found.append(_cell(paper, item, order.cell, title, some, measured, published, ours))
    return found


def levels(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """The number of critical levels: with one player (6.2 b), and with two beside eq. 2 where it was not fitted."""
    lines = lines_of(results)
    by_line = {(line.exploration, line.single_agent, line.depths): line for line in lines}
    run_of = {line: run for run in results for line in lines_of([run])}
    found = []
    for order in item.orders:
        for exploration in sorted({line.exploration for line in lines}):
            both = [by_line.get((exploration, True, _depths(name))) for name in (order.first, order.second or "")]
            if both[0] is None or both[1] is None:
                continue
            some = [run_of[both[0]], run_of[both[1]]]
            quantity, other = (_times(run) for run in some)
            names = (f"at {order.first}", f"at {order.second}")
            measured = Measured(unit="iterations", quantity=quantity, other=other, names=names)
            title = f"one player, exploration {exploration:g}: critical {names[0]} over {names[1]}"
            name, ours = f"one-c{round(100 * exploration)}-{order.cell}", {"trees": some[0].config["trees"]}
            published = published_of_order(item, order, other)
            found.append(_cell(paper, item, name, title, some, measured, published, ours))
    return [*found, *_beside_eq2(paper, item, lines, run_of)]


def _beside_eq2(paper: Paper, item: Item, lines: Sequence[Line], run_of: dict[Line, Result]) -> list[Cell]:
    """Trees of more critical levels than eq. 2 was fitted to, with two players: their medians beside it."""
    found = []
    for exploration in sorted({line.exploration for line in lines}):
        some = [line for line in lines if (line.exploration, line.players) == (exploration, TWO)]
        fit = fit_eq2(some)
        for line in some if fit else []:
            if len(line.depths) <= MAX_FITTED or fit is None:
                continue
            quantity = reached(line.searches, line.median, line.low, line.high, line.horizon)
            model = Exact(number=eq2(line.depths, *fit))
            measured = Measured(unit="iterations", quantity=quantity, other=model, names=("searches", "eq. 2"))
            published = Published(
                relation="near", half=ROUGHLY * model.number, budget=item.budget, source=f"{item.place}, eq. 2"
            )
            depths = ", ".join(map(str, line.depths))
            name = f"two-c{round(100 * exploration)}-{'-'.join(map(str, line.depths))}"
            title = f"two players, exploration {exploration:g}: critical at {depths}, beside eq. 2"
            ours: dict[str, int | float] = {"trees": line.searches}
            found.append(_cell(paper, item, name, title, [run_of[line]], measured, published, ours))
    return found


def slices(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """Slices of Figure 3: growth in d2 at d1 = 0, and the dip in d1 at the deepest d2."""
    found = []
    for exploration, points in by_exploration(points_of(results)).items():
        some = [run for run in results if float(run.config["selection"]["exploration"]) == exploration]
        for order in item.orders:
            measured = _line(points) if order.second is None else _dip(points, order.first, order.second)
            if measured is None:
                continue
            dip = f"d2 = {DEEPEST}: d1 = {order.first} beside {order.second}"
            words = "d1 = 0: correlation of ln(iterations) with d2" if order.second is None else dip
            name, title = f"c{round(100 * exploration)}-{order.cell}", f"exploration {exploration:g}, {words}"
            ours = {"trees": some[0].config["trees"], "depth": some[0].config["game"]["depth"]}
            found.append(_cell(paper, item, name, title, some, measured, published_of_order(item, order), ours))
    return found


def _line(points: Sequence[Point]) -> Measured | None:
    """How straight ln(iterations) is over d2 at d1 = 0: Pearson's correlation with Fisher's interval."""
    some = slice_at(points, d1=0)
    if len(some) < MIN_POINTS:
        return None
    logarithms = [np.log(p.median or np.nan) for p in some]
    correlation = float(np.clip(np.corrcoef([p.d2 for p in some], logarithms)[0, 1], -STRAIGHT, STRAIGHT))
    half = Z / np.sqrt(len(some) - 3)
    low, high = np.tanh(np.arctanh(correlation) - half), np.tanh(np.arctanh(correlation) + half)
    quantity = Estimate(count=len(some), number=correlation, low=float(low), high=float(high))
    return Measured(unit="correlation", quantity=quantity)


def _dip(points: Sequence[Point], first: str, second: str) -> Measured | None:
    """Iterations at one d1 beside those at another, with the deepest d2; ``first`` and ``second`` are d1."""
    at = {point.d1: point for point in points if point.d2 == DEEPEST}
    both = [at.get(int(d1)) for d1 in (first, second)]
    if both[0] is None or both[1] is None:
        return None
    quantity, other = (_median(point) for point in both if point is not None)
    names = (f"d1 = {first}", f"d1 = {second}")
    return Measured(unit="iterations", quantity=quantity, other=other, names=names)


def _median(point: Point) -> Estimate | OpenEnded:
    return reached(point.searches, point.median, point.low, point.high, point.horizon)


def scenarios(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """Scenario A of section 6.2: iterations to convergence beside the formula, by epsilon."""
    found = []
    for run in results:
        game, epsilon = run.config["game"], float(run.config["selection"]["epsilon"])
        if len(game["critical"]) != 1:
            continue
        p = float(game["first_share"])
        model = scenario_a(epsilon, p, needed_in_a(p, TAU))
        published = Published(
            relation="equals", value=model, half=ROUGHLY * model, budget=item.budget, source=item.place
        )
        measured = Measured(unit="iterations", quantity=_times(run))
        name, title = f"e{epsilon:g}", f"p = {p:g}, epsilon = {epsilon:g}: the root at {TAU} for good"
        found.append(_cell(paper, item, name, title, [run], measured, published, {"trees": run.config["trees"]}))
    return found


def _depths(name: str) -> tuple[int, ...]:
    return tuple(map(int, name.split(", ")))


def _times(run: Result) -> Mean | OpenEnded:
    """Iterations to convergence."""
    searches = read_searches(run)
    return mean_within(searches.crossing, searches.horizon)


def _cell(
    paper: Paper, item: Item, name: str, title: str, runs: Sequence[Result],
    measured: Measured, published: Published, ours: dict[str, int | float],
) -> Cell:  # fmt: skip
    """A cell whose digests are those of its runs' searches."""
    digests = of_both([search_digests(run.folder) for run in runs])
    return cell_of(paper, item, name, title, runs, measured, published, ours, digests)
