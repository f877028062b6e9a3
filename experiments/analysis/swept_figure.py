"""What a sweep is drawn as: a curve over one swept number, a matrix over two swept keys."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from experiments.analysis.grid import Grid, grid_of
from experiments.runs.presentation import Measure, presentation_of
from experiments.runs.results import Result

WIN_RATE = "win rate"
MIN_POINTS = 3  # of a curve


class Point(NamedTuple):
    """A swept number, as the command line has it, and what was measured there."""

    at: float
    text: str
    measure: Measure


class Curve(NamedTuple):
    """Measures over a swept number, in rising order.

    drawn : whether a sweeper drew the numbers: points of their own, which no line joins
    """

    key: str
    points: list[Point]
    drawn: bool = False


class Matrix(NamedTuple):
    """Measures over two swept keys; a combination without one is absent from ``found``."""

    grid: Grid
    found: Mapping[tuple[str, ...], Measure]

    @property
    def limits(self) -> tuple[float, float]:
        """The measures between which colours go from one end to the other: of win rates in all matrices the same."""
        values = [measure.value for measure in self.found.values()]
        return (0.0, 1.0) if self.of_win_rates else (min(values), max(values))

    @property
    def of_win_rates(self) -> bool:
        """Whether it has two colours, that part at an even match."""
        return next(iter(self.found.values())).name == WIN_RATE


def swept_figure(results: Sequence[Result]) -> Curve | Matrix | None:
    """The figure of some runs; None where they sweep anything else, are no grid, or have too few measures."""
    grid, measure = grid_of(results), presentation_of(results[0].program).measure
    if grid is None:
        return None
    if len(grid.keys) == 2 and grid.scattered:
        return None
    found = {cell: one for cell, result in grid.cells.items() if (one := measure(result)) is not None}
    if len(grid.keys) == 2:
        return Matrix(grid, found) if found else None
    numbers = grid.numbers
    if numbers is None:
        return None
    pairs = zip(numbers, grid.values[0], strict=True)
    points = [Point(number, value, found[(value,)]) for number, value in pairs if (value,) in found]
    return Curve(grid.keys[0], points, grid.drawn) if len(points) >= MIN_POINTS else None
