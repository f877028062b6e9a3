"""What the benchmark draws: ratios as bars, scaling as curves, and which engine is fastest as a chart of cells."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.measure import Row
from benchmarks.text import shortened, times

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RATIOS, SCALING, CROSSOVER = "ratios.png", "scaling.png", "crossover.png"
OURS, FAINT = "#1f5fa8", "#888888"
SERIES = ("#1f5fa8", "#c8641e", "#3a8f4d", "#8a4fa3", "#5b5b5b")
ENGINES = {"cpu": "#c9c9c9", "cuda": "#7fb0de", "device": "#f0b98b"}
DOTS_PER_INCH = 130
COLUMNS_OF_PANELS = 3


def plot(rows: Sequence[Row], folder: Path, cells: dict[str, Any] | None = None) -> list[str]:
    """Draw what there is into ``folder``; the names of the files."""
    files = {}
    if held := [row for row in rows if row.ratios and row.suite not in ("scaling", "crossover")]:
        files[RATIOS] = _ratios(held)
    if curves := [row for row in rows if row.suite == "scaling"]:
        files[SCALING] = _scaling(curves)
    if cells is not None:
        files[CROSSOVER] = _crossover(cells)
    for name, figure in files.items():
        figure.savefig(folder / name, dpi=DOTS_PER_INCH)
    return list(files)


def _figure(width: float, height: float) -> "Figure":
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _bare(axes: "Axes") -> None:
    axes.spines[["top", "right"]].set_visible(False)


# ------------------------------------------------------------------------------------------------------------ ratios


def _ratios(rows: Sequence[Row]) -> "Figure":
    """A panel for each contender that others are compared with."""
    panels: dict[str, list[Row]] = {}
    for row in rows:
        for other in row.ratios:
            panels.setdefault(other, []).append(row)
    sizes = [1.1 + 0.32 * len(held) for held in panels.values()]
    figure = _figure(9, sum(sizes))
    axes_of = figure.subplots(len(panels), 1, squeeze=False, gridspec_kw={"height_ratios": sizes})[:, 0]
    for axes, (other, held) in zip(axes_of, panels.items(), strict=True):
        ratios = [row.ratios[other] for row in held]
        bars = axes.barh([row.what for row in held], [ratio - 1 for ratio in ratios], left=1, color=OURS)
        axes.bar_label(bars, [times(ratio) for ratio in ratios], padding=3)
        axes.axvline(1, color=FAINT, linewidth=1)
        axes.set_xscale("log")
        low, high = min([*ratios, 1]), max([*ratios, 1])
        axes.set_xlim(low / 1.5 if low < 1 else 0.9, high * 2)
        axes.invert_yaxis()
        axes.set_title(f"{held[0].unit}, times those of {other}", loc="left", fontsize=10)
        _bare(axes)
    return figure


# ----------------------------------------------------------------------------------------------------------- scaling


def _scaling(rows: Sequence[Row]) -> "Figure":
    """A panel for each unit and what it is measured over: the first thing that the rows were measured at."""
    panels: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        panels.setdefault((next(iter(row.at)), row.unit), []).append(row)
    lines = -(-len(panels) // COLUMNS_OF_PANELS)
    figure = _figure(3.6 * COLUMNS_OF_PANELS, 2.9 * lines)
    axes_of = figure.subplots(lines, COLUMNS_OF_PANELS, squeeze=False).ravel()
    for axes, ((over, unit), some) in zip(axes_of, panels.items(), strict=False):
        _panel(axes, over, unit, some)
    for axes in axes_of[len(panels) :]:
        axes.set_visible(False)
    return figure


def _panel(axes: "Axes", over: str, unit: str, rows: list[Row]) -> None:
    series: dict[Any, list[Row]] = {}
    for row in rows:
        series.setdefault(row.at.get("playouts"), []).append(row)
    for color, (playouts, some) in zip(SERIES, series.items(), strict=False):
        places, rates = [row.at[over] for row in some], [row.median for row in some]
        errors = [[row.median - row.low for row in some], [row.high - row.median for row in some]]
        label = None if playouts is None else f"{playouts} playouts a leaf"
        axes.errorbar(places, rates, yerr=errors, fmt="o-", color=color, capsize=3, markersize=4, label=label)
    places = sorted({row.at[over] for row in rows})
    axes.set_xscale("log")
    axes.set_xticks(places, [shortened(place) for place in places])
    axes.set_xticks([], minor=True)
    if over == "threads":
        first = min(rows, key=lambda row: row.at[over])
        axes.plot(
            places, [first.median * place for place in places], "--", color=FAINT, linewidth=1, label="in proportion"
        )
    axes.set_ylim(bottom=0)
    axes.yaxis.set_major_formatter(lambda value, _: shortened(value))
    axes.set_xlabel(over if over != "iterations" else "iterations in one tree")
    axes.set_ylabel(unit)
    if axes.get_legend_handles_labels()[1]:
        axes.legend(frameon=False, fontsize=8)
    _bare(axes)


# --------------------------------------------------------------------------------------------------------- crossover


def _crossover(table: dict[str, Any]) -> "Figure":
    """Trees by playouts a leaf: the fastest engine, and how many times the CPU's rate it has."""
    from matplotlib.patches import Patch

    cells = table["cells"]
    trees = sorted({cell["trees"] for cell in cells})
    playouts = sorted({cell["playouts"] for cell in cells})
    figure = _figure(2.2 + 1.15 * len(playouts), 1.6 + 0.55 * len(trees))
    axes = figure.subplots()
    for cell in cells:
        x, y = playouts.index(cell["playouts"]), trees.index(cell["trees"])
        axes.add_patch(_square(x, y, ENGINES[cell["fastest"]]))
        gain = cell["rates"][cell["fastest"]] / cell["rates"]["cpu"]
        axes.text(x, y, f"{cell['fastest']}\n{shortened(gain)} x", ha="center", va="center", fontsize=8)
    axes.set_xlim(-0.5, len(playouts) - 0.5)
    axes.set_ylim(-0.5, len(trees) - 0.5)
    axes.set_xticks(range(len(playouts)), [str(count) for count in playouts])
    axes.set_yticks(range(len(trees)), [shortened(count) for count in trees])
    axes.set_xlabel("playouts a leaf")
    axes.set_ylabel("trees")
    axes.set_title(f"{table['game']}: fastest engine, times the CPU's rate", loc="left", fontsize=10)
    handles = [Patch(color=color, label=name) for name, color in ENGINES.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=8)
    return figure


def _square(x: float, y: float, color: str) -> Any:
    from matplotlib.patches import Rectangle

    return Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=color, edgecolor="white")
