"""What a sweep is drawn as: a curve over one swept number, a matrix over two swept keys."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from experiments.analysis.grid import Grid, grid_of
from experiments.runs.presentation import Measure, presentation_of
from experiments.runs.results import Result

MIN_POINTS = 3  # of a curve


class Point(NamedTuple):
    """A swept number, as the command line has it, and what was measured there."""

    at: float
    text: str
    measure: Measure


class Curve(NamedTuple):
    """Measures over a swept number, in rising order."""

    key: str
    points: list[Point]


class Matrix(NamedTuple):
    """Measures over two swept keys; a combination without one is absent from ``found``."""

    grid: Grid
    found: Mapping[tuple[str, ...], Measure]


def swept_figure(results: Sequence[Result]) -> Curve | Matrix | None:
    """The figure of some runs; None where they sweep anything else, or have too few measures."""
    grid, measure = grid_of(results), presentation_of(results[0].program).measure
    if grid is None:
        return None
    found = {cell: one for cell, result in grid.cells.items() if (one := measure(result)) is not None}
    if len(grid.keys) == 2:
        return Matrix(grid, found) if found else None
    numbers = grid.numbers
    if numbers is None:
        return None
    pairs = zip(numbers, grid.values[0], strict=True)
    points = [Point(number, value, found[(value,)]) for number, value in pairs if (value,) in found]
    return Curve(grid.keys[0], points) if len(points) >= MIN_POINTS else None
