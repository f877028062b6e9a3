"""Rows of figures as plain text, for files; it needs no package."""

from collections.abc import Sequence
from typing import Any

from benchmarks.measure import Row

HEADINGS = ("suite", "what", "median", "range", "unit", "ratio", "to")
RIGHT = ("median", "range", "ratio")
GAP = "  "


def shortened(number: float) -> str:
    """A rate or a count for people: 1.23 M, 45.6 k, 789."""
    for limit, unit in ((1e9, " G"), (1e6, " M"), (1e3, " k")):
        if abs(number) >= limit:
            return f"{number / limit:.3g}{unit}"
    return f"{number:.3g}" if number % 1 else f"{number:.0f}"


def times(ratio: float) -> str:
    """A ratio for people: 0.98, 12.3, 1,330."""
    return f"{ratio:.3g}" if ratio < 999.5 else f"{ratio:,.0f}"


def spread(row: Row) -> str:
    """The smallest and the largest of a row's turns; nothing where they are one."""
    return f"{shortened(row.low)} - {shortened(row.high)}" if row.low < row.high else ""


def text(rows: Sequence[Row]) -> str:
    """A table of figures, a line for each ratio of each row; ends in a newline."""
    return aligned(HEADINGS, [line for row in rows for line in _lines(row)])


def _lines(row: Row) -> list[list[str]]:
    first = [row.suite, row.what, shortened(row.median), spread(row), row.unit]
    ratios = [[times(ratio), other] for other, ratio in row.ratios.items()] or [["", ""]]
    return [(first if number == 0 else [""] * len(first)) + ratio for number, ratio in enumerate(ratios)]


def fastest(table: dict[str, Any]) -> str:
    """Trees by playouts a leaf: which engine is fastest; a table of ``crossover``."""
    playouts = sorted({cell["playouts"] for cell in table["cells"]})
    found = {(cell["trees"], cell["playouts"]): cell["fastest"] for cell in table["cells"]}
    trees = sorted({number for number, _ in found})
    lines = [[str(number), *(found.get((number, count), "") for count in playouts)] for number in trees]
    return aligned(("trees", *(f"{count} a leaf" for count in playouts)), lines)


def aligned(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """Columns as wide as what is in them."""
    widths = [max(map(len, column)) for column in zip(headings, *lines, strict=True)]

    def drawn(line: Sequence[str]) -> str:
        cells = zip(headings, line, widths, strict=True)
        return GAP.join(f"{cell:>{w}}" if name in RIGHT else f"{cell:{w}}" for name, cell, w in cells).rstrip()

    return "\n".join([drawn(headings), GAP.join("-" * width for width in widths), *map(drawn, lines)]) + "\n"
