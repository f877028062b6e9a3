"""Cells of worked figures: exact values."""

import re
from collections.abc import Sequence
from fractions import Fraction

from experiments.reproduction.catalogue import Item, Paper
from experiments.reproduction.cells import Cell, Digests
from experiments.reproduction.gathering.common import FIRST, cell_of, digest_of_lines
from experiments.reproduction.quantities import Exact, Measured, Published
from experiments.runs.results import Result

TOLERANCE = 1e-12
"""Of a fraction that is added up in float64."""


def worked_digests(result: Result) -> Digests:
    """Of all values of a figure, and of the first ten."""
    lines = [f"{row['what']}: {row['ours']!r}" for row in result.summary["values"]]
    return Digests(all=digest_of_lines(lines), first_ten=digest_of_lines(lines[:FIRST]))


def figures(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """A cell a value of the figure."""
    found = []
    for result in results:
        digests = worked_digests(result)
        for row in result.summary["values"]:
            name = re.sub(r"[^a-z0-9]+", "-", row["what"].lower()).strip("-")
            exact = Fraction(row["exact"])
            ours = row["ours"]
            quantity = Exact(number=float(exact) if abs(ours - float(exact)) <= TOLERANCE else ours)
            published = Published(
                relation="equals", value=float(exact), budget={}, source=f"{item.place}; {row['source']}"
            )
            measured = Measured(unit="value", quantity=quantity)
            found.append(cell_of(paper, item, name, row["what"], [result], measured, published, {}, digests))
    return found
