"""Bars for a device: what is wanted, what was measured, whether it is reached."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from benchmarks.device.choices import PER_CORE
from benchmarks.measure import KERNELS, Row


class Bar(NamedTuple):
    """``least`` of a ``unit``; ``measured`` takes it from all rows, None where no row tells."""

    what: str
    least: float
    unit: str
    measured: Callable[[list[Row]], float | None]


class Judged(NamedTuple):
    """A bar beside what was measured."""

    what: str
    bar: float
    unit: str
    measured: float | None

    @property
    def reached(self) -> str:
        """``yes``, ``no``, or ``not measured``."""
        return "not measured" if self.measured is None else "yes" if self.measured >= self.bar else "no"


def judged(rows: Iterable[Row]) -> list[Judged]:
    """All bars."""
    held = list(rows)
    return [Judged(bar.what, bar.least, bar.unit, bar.measured(held)) for bar in BARS]


def _most(values: Iterable[float]) -> float | None:
    return max(values, default=None)


def _uniform_in_the_kernel(rows: list[Row]) -> float | None:
    return _most(
        row.median
        for row in rows
        if row.unit == "playouts/s" and row.at.get("of") == KERNELS["of"] and _of(row, "othello", "uniform")
    )


def _of(row: Row, game: str, policy: str) -> bool:
    """Whether a row of the ways to play is of a game and a policy."""
    return str(row.at.get("game", "")).startswith(f"{game}:") and str(row.at.get("policy", "")).startswith(f"{policy}:")


def _informed_times_a_core(rows: list[Row]) -> float | None:
    held = (row for row in rows if row.suite.startswith("ways") and _of(row, "othello", "minimax"))
    return _most(ratio for row in held for other, ratio in row.ratios.items() if other.endswith(PER_CORE))


def _lanes_times_a_core(rows: list[Row]) -> float | None:
    held = (row for row in rows if row.suite.startswith("ways") and _of(row, "othello", "uniform"))
    return _most(ratio for row in held for other, ratio in row.ratios.items() if other.endswith(PER_CORE))


def _busy(rows: list[Row]) -> float | None:
    full = [row for row in rows if row.suite == "search" and row.what.endswith("kernels busy")]
    return _most(row.median for row in full if row.at.get("trees", 0) * row.at.get("playouts", 0) >= 131_072)


def _cells_of_the_crossover(rows: list[Row]) -> float | None:
    cells = {(row.at["trees"], row.at["playouts"]) for row in rows if row.suite == "crossover" and "trees" in row.at}
    return float(len(cells)) if cells else None


BARS = (
    Bar("uniform Othello in the kernel", 150e6, "playouts/s", _uniform_in_the_kernel),
    Bar("uniform Othello, end to end, times one core in lanes", 60, "times", _lanes_times_a_core),
    Bar("informed playouts of Othello, times one core", 200, "times", _informed_times_a_core),
    Bar("kernels busy with engine=cuda, trees x playouts of 131,072 and more", 90, "%", _busy),
    Bar("crossover table, cells measured", 20, "cells", _cells_of_the_crossover),
)
