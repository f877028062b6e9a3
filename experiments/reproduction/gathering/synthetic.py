"""Cells of searches in synthetic trees: convergence in implanted trees, failure rates in P-games."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.analysis.convergence import rates_by_tree
from experiments.papers.kocsis2006improved.rates import by_shape
from experiments.papers.ramanujan2010understanding.tables import Cell as PlanCell
from experiments.papers.ramanujan2010understanding.tables import cells_of
from experiments.reproduction.catalogue import Item, Paper
from experiments.reproduction.cells import Cell, Digests
from experiments.reproduction.gathering.common import (
    FIRST,
    cell_of,
    censored,
    digest_of,
    mean_of_all,
    of_both,
    published_of_order,
)
from experiments.reproduction.quantities import Mean, Measured, Published
from experiments.runs.results import Result
from experiments.runs.tree_searches import Piece, pieces_of
from gpumcts.errors import BadInput

BY_SEARCH = ("searched", "failed", "visits", "wrong", "below", "values")
"""What a piece holds of each search."""
METHODS = {"UCT", "MC", "MMMC", "alpha-beta"}
DECADES = (10, 100, 1000, 10_000, 100_000)


def search_digests(folder: Path) -> Digests:
    """Of all that a run's pieces hold, and of its first ten searches (trees, for methods that search a tree once)."""
    pieces = pieces_of(folder)
    columns = {name: _column([getattr(piece, name) for piece in pieces]) for name in Piece._fields}
    return Digests(
        all=digest_of(list(columns.values())),
        first_ten=digest_of([columns[name] for name in BY_SEARCH], FIRST),
    )


def _column(parts: Sequence[np.ndarray]) -> np.ndarray:
    """The rows of all pieces. A piece of trees that cannot fail has none; earlier commits gave those another shape."""
    shape = next((part.shape[1:] for part in parts if len(part)), parts[0].shape[1:])
    return np.concatenate([part if len(part) else part.reshape(0, *shape) for part in parts])


def _rounding(value: float) -> float:
    """Half a unit of an integer's last printed digit; trailing zeros after its second digit are none (30,000: 500)."""
    unit = 1.0
    while value % (10 * unit) == 0 and value >= 100 * unit:
        unit *= 10
    return unit / 2


def plans(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """A cell a pair of plans and start: Table 2 (iterations) and Table 3 (visits) of Ramanujan et al. 2010."""
    found = []
    for result in results:
        digests = search_digests(result.folder)
        for plan in cells_of([result]):
            measured, published = _plan(item, plan, result.config["budget"]["iterations"])
            if measured is None:
                continue
            name = f"{plan.maximum}-{plan.minimum}-{plan.start.lower()}"
            title = f"Max {plan.maximum}, Min {plan.minimum}, {plan.start}"
            budget = {"runs": result.config["runs"]}
            found.append(cell_of(paper, item, name, title, [result], measured, published, budget, digests))
    return found


def _plan(item: Item, plan: PlanCell, horizon: float) -> tuple[Measured | None, Published]:
    times = item.name == "table2"
    ours, printed = (plan.time, plan.published[0]) if times else (plan.share, plan.published[1])
    scale = 1.0 if times else 100.0
    half = _rounding(printed) if times else (0.05 if printed < 2 and printed != int(printed) else 0.5)
    published = Published(
        relation="equals", value=printed / scale, half=half / scale, budget={"runs": 100}, source=item.place
    )
    if ours.count < 2:
        return None, published
    if times:  # those that did not converge are no part of the mean
        return Measured(unit="iterations", quantity=censored(mean_of_all(ours), plan.never, horizon)), published
    quantity = Mean(count=ours.count, mean=ours.mean / scale, deviation=ours.deviation / scale)
    return Measured(unit="rate", quantity=quantity), published


def failures(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """The claims of Figure 4 of Kocsis, Szepesvári, Willemson 2006, paired by tree."""
    shapes = by_shape(results)
    return [
        claim
        for (branching, depth), runs in shapes.items()
        if set(runs) >= METHODS
        for claim in _Claims(paper, item, f"b{branching}-d{depth}", f"B = {branching}, D = {depth}", runs).cells()
    ]


class _Claims:
    """The claims of Figure 4 about trees of one shape; ``runs`` are those of its four methods."""

    def __init__(self, paper: Paper, item: Item, shape: str, words: str, runs: dict[str, Result]) -> None:
        self.paper, self.item, self.shape, self.words, self.runs = paper, item, shape, words, runs
        self.rates = {name: rates_by_tree(pieces_of(run.folder)) for name, run in runs.items()}
        self.digests = {name: search_digests(run.folder) for name, run in runs.items()}
        self.points = runs["UCT"].summary["points"]

    def cells(self) -> list[Cell]:
        """A cell a claim."""
        return [*self._order("UCT", "MC", "below"), *self._order("MMMC", "MC", "above"), *self._ends()]

    def _order(self, first: str, second: str, relation: str) -> Iterator[Cell]:
        """Which of two methods fails less, at powers of ten."""
        for point in (point for point in DECADES if point in self.points):
            at = self.points.index(point)
            gap = self.rates[first][:, at] - self.rates[second][:, at]
            name, title = f"{first}-{second}-{point}".lower(), f"{first} less {second} at {point:,}"
            yield self._cell(name, title, [first, second], "rate difference", gap, relation)

    def _ends(self) -> Iterator[Cell]:
        """UCT's failures within alpha-beta's leaves, and MC's at the end."""
        leaves = self.runs["alpha-beta"].summary["leaves_mean"]
        after = next((i for i, point in enumerate(self.points) if point >= leaves), None)
        if after is not None:
            title = f"UCT at {self.points[after]:,} (alpha-beta's leaves: {leaves:,.0f})"
            yield self._cell("uct-at-leaves", title, ["UCT", "alpha-beta"], "rate", self.rates["UCT"][:, after], "near")
        yield self._cell("mc-end", f"MC at {self.points[-1]:,}", ["MC"], "rate", self.rates["MC"][:, -1], "above")

    def _cell(self, name: str, title: str, methods: list[str], unit: str, by_tree: np.ndarray, relation: Any) -> Cell:
        budget: dict[str, int | float] = {"trees": 200, "runs": 200}
        published = Published(relation=relation, value=0.0, budget=budget, source=self.item.place)
        measured = Measured(unit=unit, quantity=_mean(by_tree))
        config = self.runs["UCT"].config
        ours = {"trees": config["trees"], "runs": config["runs"]}
        both = of_both([self.digests[method] for method in methods])
        some = [self.runs[method] for method in methods]
        cell, words = f"{self.shape}-{name}", f"{self.words}: {title}"
        return cell_of(self.paper, self.item, cell, words, some, measured, published, ours, both)


def _mean(values: np.ndarray) -> Mean:
    """The mean over trees, float64[K]; raises BadInput for a single one, which gives it no interval."""
    if len(values) < 2:
        raise BadInput("trees=1: one tree gives no interval of a mean; take more")
    return Mean(count=len(values), mean=float(values.mean()), deviation=float(values.std(ddof=1)))


def rules(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """Rules of search beside UCT, paired by tree: section 2.4 of Kocsis, Szepesvári, Willemson 2006."""
    found = []
    for (branching, depth), runs in by_shape(results).items():
        by_option = {run.config["option"]: run for run in runs.values()}
        rates = {name: rates_by_tree(pieces_of(run.folder)) for name, run in by_option.items()}
        for order in (one for one in item.orders if {one.first, one.second} <= rates.keys()):
            some = [by_option[order.first], by_option[str(order.second)]]
            points = some[0].summary["points"]
            for at, point in ((points.index(point), point) for point in DECADES if point >= 100 and point in points):
                gap = rates[order.first][:, at] - rates[str(order.second)][:, at]
                published = published_of_order(item, order)
                if order.relation != "unstated":  # a difference, which is beside 0
                    published = published.model_copy(update={"value": 0.0})
                measured = Measured(unit="rate difference", quantity=_mean(gap))
                title = f"B = {branching}, D = {depth}: {some[0].label} less {some[1].label} at {point:,}"
                ours = {key: some[0].config[key] for key in ("trees", "runs")}
                both = of_both([search_digests(run.folder) for run in some])
                name = f"b{branching}d{depth}-{order.cell}-{point}"
                found.append(cell_of(paper, item, name, title, some, measured, published, ours, both))
    return found


def tables(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """Claims of Figure 6 of Kocsis, Szepesvári, Willemson 2006: tables of fixed size beside a tree, paired by tree."""
    found = []
    for (branching, depth), runs in by_shape(results).items():
        sizes = {run.config["search"]["table"]: run for run in runs.values()}
        if None not in sizes:
            continue
        rates = {size: rates_by_tree(pieces_of(run.folder))[:, -1] for size, run in sizes.items()}
        for size in sorted(size for size in sizes if size is not None):
            smallest = size == min(s for s in sizes if s is not None)
            some = [sizes[size]] if smallest else [sizes[size], sizes[None]]
            values = rates[size] if smallest else rates[size] - rates[None]
            relation, value = ("below", 0.05) if smallest else ("near", 0.0)
            budget: dict[str, int | float] = {"trees": 200, "runs": 200, "iterations": 100_000}
            ours = {key: some[0].config[key] for key in ("trees", "runs")}
            ours |= {"iterations": some[0].config["budget"]["iterations"]}
            published = Published(relation=relation, value=value, budget=budget, source=item.place)
            measured = Measured(unit="rate" if smallest else "rate difference", quantity=_mean(values))
            words = f"B = {branching}, D = {depth}: {size:,} entries{'' if smallest else ' less a tree'}"
            both = of_both([search_digests(run.folder) for run in some])
            name = f"b{branching}-d{depth}-{size}"
            found.append(cell_of(paper, item, name, words, some, measured, published, ours, both))
    return found
