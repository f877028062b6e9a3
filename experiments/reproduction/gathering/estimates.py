"""Cells of figures that are fits, medians and means over searches: growth, slopes, samples needed."""

from collections.abc import Sequence
from typing import Any

from experiments.analysis.planner_samples import planner_name
from experiments.config.scales import DOCUMENT
from experiments.papers.kocsis2006improved.fig5 import name_of
from experiments.papers.kocsis2006improved.fig5 import points_of as growing_points
from experiments.papers.kocsis2006improved.fig5 import slopes as fitted_slopes
from experiments.papers.ramanujan2010understanding.fig3 import GROWTH, by_exploration, fit_eq1, points_of
from experiments.papers.ramanujan2010understanding.fig6 import LEAST, simulated
from experiments.papers.ramanujan2010understanding.searches import read_searches
from experiments.reproduction.catalogue import Item, Paper
from experiments.reproduction.cells import Cell
from experiments.reproduction.gathering.common import (
    cell_of,
    censored,
    mean_of_all,
    mean_within,
    of_both,
    published_of_order,
    reached,
)
from experiments.reproduction.gathering.planned import planning_digests
from experiments.reproduction.gathering.synthetic import search_digests
from experiments.reproduction.quantities import Estimate, Measured, OpenEnded, Published
from experiments.runs.results import Result

MIN_BESIDE = 0.2
"""The epsilon that Figure 6's is compared with."""
SHALLOW, DEEP = 10, 20
"""The depths of one critical node between which convergence is compared."""


def growth(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """C of eq. 1 by constant of exploration: Figure 3 of Ramanujan et al. 2010."""
    found = []
    for exploration, points in by_exploration(points_of(results)).items():
        some = [run for run in results if float(run.config["selection"]["exploration"]) == exploration]
        fit = fit_eq1(points)
        if fit is None:
            continue
        quantity = Estimate(count=fit.used, number=fit.growth, low=fit.low, high=fit.high)
        pairs: dict[str, int | float] = {"pairs": 66, "depth": 24}
        published = Published(relation="equals", value=GROWTH, half=0.005, budget=pairs, source="eq. 1")
        ours: dict[str, int | float] = {"pairs": fit.used, "depth": some[0].config["game"]["depth"]}
        measured = Measured(unit="growth", quantity=quantity)
        digests = of_both([search_digests(run.folder) for run in some])
        name, title = f"growth-c{exploration:g}", f"C of eq. 1, exploration {exploration:g}"
        found.append(cell_of(paper, item, name, title, some, measured, published, ours, digests))
    return found


def slopes(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """Slopes of the logarithm of iterations: Figure 5 of Kocsis, Szepesvári, Willemson 2006."""
    found = []
    points = growing_points(list(results))
    digests = of_both([search_digests(run.folder) for run in results])
    ours = {key: results[0].config[key] for key in ("trees", "runs")}
    for wider, theory, words in ((False, 0.5 * 0.6931471805599453, "D, B = 2"), (True, 4.0, "ln B, D = 8")):
        for slope in fitted_slopes(points, wider):
            rate = name_of(slope.series)
            quantity = Estimate(
                count=slope.used, number=slope.slope, low=slope.slope - slope.half, high=slope.slope + slope.half
            )
            relation: Any = "below" if rate == "0.1" else "near"
            published = Published(
                relation=relation,
                value=theory,
                half=0.1 * theory,
                budget={"trees": 200, "runs": 200},
                source=item.place,
            )
            measured = Measured(unit="slope", quantity=quantity)
            name = f"{'wider' if wider else 'deeper'}-{rate.split(',')[0].replace('.', '')}"
            title = f"slope in {words}: {rate}"
            found.append(cell_of(paper, item, name, title, results, measured, published, ours, digests))
    return found


def epsilons(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """Iterations, unlucky case, where the formula is least, beside another epsilon: Ramanujan et al. 2010, Figure 6."""
    rows = {(row.scenario, row.q, row.epsilon): (row, run) for run in results for row in [simulated(run)]}
    found = []
    for (scenario, q, epsilon), (row, run) in rows.items():
        beside = rows.get((scenario, q, MIN_BESIDE))
        if scenario != "B" or epsilon != LEAST[0] or beside is None:
            continue
        some, ours, theirs = [run, beside[1]], {"trees": run.config["trees"]}, _trees(run)
        digests = of_both([search_digests(one.folder) for one in some])
        both = (row, beside[0])
        quantity, other = (censored(mean_of_all(one.unlucky), one.unlucky_beyond, one.horizon) for one in both)
        for name, measured, published in (
            (
                "iterations",
                Measured(unit="iterations", quantity=quantity),
                Published(relation="equals", value=LEAST[1], half=0.05, budget=theirs, source=item.place),
            ),
            (
                "least",
                Measured(unit="iterations", quantity=quantity, other=other, names=("0.542", f"epsilon {MIN_BESIDE}")),
                Published(relation="below", budget=theirs, source=item.place),
            ),
        ):
            title = f"q = {q:g}, unlucky, epsilon {epsilon}: {name}"
            cell = f"q{round(100 * q)}-{name}"
            found.append(cell_of(paper, item, cell, title, some, measured, published, ours, digests))
    return found


def depths(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """Whether the depth of a critical node matters, with two players and with one (Ramanujan et al. 2010, 6.2 b)."""
    runs: dict[tuple[float, bool], dict[int, Result]] = {}
    for run in results:
        game = run.config["game"]
        if len(game["critical"]) == 1:
            key = float(run.config["selection"]["exploration"]), bool(game["single_agent"])
            runs.setdefault(key, {})[game["critical"][0]] = run
    found = []
    for (exploration, alone), by_depth in sorted(runs.items()):
        if not {SHALLOW, DEEP} <= set(by_depth):
            continue
        some = [by_depth[DEEP], by_depth[SHALLOW]]
        searches = [read_searches(run) for run in some]
        quantity, other = (mean_within(one.crossing, one.horizon) for one in searches)
        names = (f"depth {DEEP}", f"depth {SHALLOW}")
        measured = Measured(unit="iterations", quantity=quantity, other=other, names=names)
        published = Published(relation="near" if alone else "above", budget=_trees(some[0]), source=item.place)
        players = "one player" if alone else "two players"
        digests = of_both([search_digests(run.folder) for run in some])
        name = f"c{round(100 * exploration)}-{'one' if alone else 'two'}"
        title = f"{players}, exploration {exploration:g}: depth {DEEP} over {SHALLOW}"
        ours = {"trees": some[0].config["trees"]}
        found.append(cell_of(paper, item, name, title, some, measured, published, ours, digests))
    return found


def _trees(run: Result) -> dict[str, int | float]:
    """The trees that stand for a paper's budget where the paper names none: those of the experiment's own scale."""
    return {"trees": run.config["scales"][DOCUMENT]["trees"]}


def sailing(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """Samples that UCT needs beside each rival, by size of the grid: Figure 4 of Kocsis, Szepesvári 2006."""
    run_of = {(planner_name(run.config["planner"]), run.summary["size"]): run for run in results}

    def beside(one: str, other: str, size: int, name: str, title: str) -> Cell:
        some = [run_of[one, size], run_of[other, size]]
        samples, others = (_samples(run.summary) for run in some)
        measured = Measured(unit="samples", quantity=samples, other=others, names=(one, other))
        published = Published(relation="below", budget={"states": 1000}, source=item.place)
        ours = {"states": some[0].config["states"]}
        digests = of_both(list(map(planning_digests, some)))
        return cell_of(paper, item, name, f"{size} x {size}: {title}", some, measured, published, ours, digests)

    found = []
    names = sorted({name for name, _ in run_of})
    for size in sorted(size for name, size in run_of if name == "UCT"):
        for rival in ("ARTDP", "PG-ID"):
            if (rival, size) in run_of and run_of["UCT", size].summary["samples"] is not None:
                found.append(beside("UCT", rival, size, f"size{size}-{rival.lower()}", f"UCT beside {rival}"))
        for changed in (name for name in names if name.startswith("UCT exploration=") and (name, size) in run_of):
            times = changed.partition("=")[2]
            title = f"UCT with a bias times {times}"
            found.append(beside(changed, "UCT", size, f"exploration-{times}-size{size}", title))
    return found


def variants(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """Planners beside each other on the same grids, as the orders have them: section 3.2 of Kocsis, Szepesvári 2006."""
    run_of = {(planner_name(run.config["planner"]), run.summary["size"]): run for run in results}
    found = []
    for size in sorted({size for _, size in run_of}):
        for order in item.orders:
            some = [run_of.get((name, size)) for name in (order.first, order.second or "")]
            if some[0] is None or some[1] is None:
                continue
            runs = [some[0], some[1]]
            samples, others = (_samples(run.summary) for run in runs)
            names = (order.first, str(order.second))
            measured = Measured(unit="samples", quantity=samples, other=others, names=names)
            published = published_of_order(item, order, others)
            title = f"{size} x {size}: {names[0]} beside {names[1]}"
            ours = {"states": runs[0].config["states"]}
            digests = of_both(list(map(planning_digests, runs)))
            name = f"size{size}-{order.cell}"
            found.append(cell_of(paper, item, name, title, runs, measured, published, ours, digests))
    return found


def _samples(summary: dict[str, Any]) -> Estimate | OpenEnded:
    """Samples to the error; no end where they, or the upper end of their interval, lie beyond those drawn."""
    return reached(1, *(summary[name] for name in ("samples", "low", "high", "most")))
