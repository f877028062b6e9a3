"""A plot an item: ours with intervals beside what the paper prints. SVG, the same for the same files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.reproduction.catalogue import Item, papers
from experiments.reproduction.cells import RESULTS, Cell, cells_below
from experiments.reproduction.quantities import Exact, OpenEnded
from experiments.reproduction.verdicts import LINEAR, RATES

OURS, THEIRS, FAINT = "#1f77b4", "#d62728", "#999999"
MAX_LOW = 10.0
"""On a logarithmic axis no interval is drawn further down than a tenth of its value."""
ROW_INCHES, WIDTH_INCHES, MARGIN_INCHES = 0.28, 7.0, 1.1
MIN_SPAN = 2.0
"""A factor, from which on counts are drawn on a logarithmic axis."""
PANEL_INCHES = 0.6
"""What another panel takes beside its rows: the axis and its name."""
PER_CENT = "per cent"


def write_plots(results: Path = RESULTS, docs: Path = Path("docs/papers")) -> list[Path]:
    """Write the plot of every item that has cells; returns where."""
    known: dict[tuple[str, str], list[Cell]] = {}
    for cell in cells_below(results):
        if cell.explains is None:
            known.setdefault((cell.paper, cell.item), []).append(cell)
    written = []
    for paper in papers().values():
        for item in paper.items:
            cells = drawn(in_order(item, known.get((paper.name, item.name), [])))
            if cells:
                path = docs / "images" / f"{paper.name}-{item.name}.svg"
                path.parent.mkdir(parents=True, exist_ok=True)
                plot(cells, path)
                written.append(path)
    return written


def in_order(item: Item, cells: Sequence[Cell]) -> list[Cell]:
    """The cells of an item's claims first, then the others, as they came."""
    claims = [order.cell for order in item.orders]
    return sorted(cells, key=lambda cell: claims.index(cell.cell) if cell.cell in claims else len(claims))


def drawn(cells: Sequence[Cell]) -> list[Cell]:
    """The cells that a plot shows: those with an interval, which worked figures and counts have not."""
    return [cell for cell in cells if not isinstance(cell.measured.quantity, Exact)]


def plot(cells: Sequence[Cell], path: Path) -> None:
    """A row a cell, our value with its interval and the paper's with its own; a panel for each unit, rates as one."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    panels: dict[str, list[Cell]] = {}
    for cell in cells:
        panels.setdefault(PER_CENT if cell.measured.unit in RATES else cell.measured.unit, []).append(cell)
    counts = [len(some) for some in panels.values()]
    height = MARGIN_INCHES + ROW_INCHES * len(cells) + PANEL_INCHES * (len(panels) - 1)
    with matplotlib.rc_context({"svg.hashsalt": "gpumcts", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(WIDTH_INCHES, height), layout="constrained")
        every = figure.subplots(len(panels), 1, squeeze=False, height_ratios=counts)[:, 0]
        shown: dict[str, Any] = {}
        for axes, (unit, some) in zip(every, panels.items(), strict=True):
            _panel(axes, unit, some)
            handles, labels = axes.get_legend_handles_labels()
            shown = {**dict(zip(labels, handles, strict=True)), **shown}
        figure.legend(list(shown.values()), list(shown), loc="outside upper center", ncols=2, frameon=False)
        figure.patch.set_facecolor("white")
        FigureCanvasSVG(figure).print_svg(path, metadata={"Date": None})


def _panel(axes: Any, unit: str, cells: Sequence[Cell]) -> None:
    """The rows of the cells of one unit."""
    if unit != PER_CENT and unit not in LINEAR and _is_wide(cells):
        axes.set_xscale("log")
    for row, cell in enumerate(cells):
        _row(axes, row, cell, 100.0 if unit == PER_CENT else 1.0)
    axes.set_yticks(range(len(cells)), [cell.title for cell in cells])
    axes.set_ylim(len(cells) - 0.5, -0.5)
    axes.set_xlabel(f"{unit} (95 %)")
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)


def _is_wide(cells: Sequence[Cell]) -> bool:
    """Whether what is drawn of some cells spans ``MIN_SPAN``: on a narrow logarithmic axis names overlap."""
    ends = [end for cell in cells for end in cell.measured.quantity.interval]
    ends += [cell.published.value for cell in cells if cell.published.value is not None]
    return min(ends) <= 0 or max(ends) >= MIN_SPAN * min(ends)


def _row(axes: Any, row: int, cell: Cell, scale: float) -> None:
    low, high = cell.measured.quantity.interval
    if axes.get_xscale() == "log":
        low = max(low, cell.measured.quantity.value / MAX_LOW)
    value, published = cell.measured.quantity.value, cell.published
    ours = {"color": OURS, "fmt": "o", "markersize": 5, "capsize": 3, "label": "ours" if row == 0 else None}
    axes.errorbar(scale * value, row, xerr=[[scale * (value - low)], [scale * (high - value)]], **ours)
    if isinstance(cell.measured.quantity, OpenEnded):  # an arrow where the interval goes on
        axes.plot(scale * high, row, color=OURS, marker=">", markersize=9)
    if published.value is None:
        return
    known = axes.get_legend_handles_labels()[1]
    if published.relation == "equals":
        half = scale * published.half if published.count else 0.0
        label = None if "paper" in known else "paper"
        theirs = {"color": THEIRS, "fmt": "D", "markersize": 4, "capsize": 3, "label": label}
        axes.errorbar(scale * published.value, row + 0.25, xerr=half, **theirs)
    else:
        label = "bound of the claim" if published.relation != "unstated" else "paper, condition not named"
        shown = {"color": FAINT, "linewidth": 1, "label": None if label in known else label}
        axes.plot([scale * published.value] * 2, [row - 0.4, row + 0.4], **shown)
