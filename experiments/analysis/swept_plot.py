"""Curves and matrices of sweeps by matplotlib: panels of a plot, and a curve for a page."""

import html
import io
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from experiments.analysis.digits import fewer_digits
from experiments.analysis.grid import WRITTEN
from experiments.analysis.swept_figure import WIN_RATE, Curve, Matrix
from experiments.runs.presentation import Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOR, FAINT, INK = "#1f5fa8", "#888888", "#010101"
OF_THE_PAGE = {COLOR: "var(--mark)", FAINT: "var(--faint)", INK: "var(--ink)"}
"""Colours of ``html_report.STYLE``, which has others for dark screens."""
INKED = ("text.color", "axes.labelcolor", "axes.edgecolor", "xtick.color", "ytick.color")
PAGE_INCHES = (4.6, 3.1)  # of a curve for a page, which gives it the width that there is
AXES_ON_A_PAGE = 3.8  # inches of its axes, about
SPAN_OF_LOG = 20.0  # the greatest value over the least, from which on the axis is logarithmic
WIDTH = 7.2  # inches of the axes, about
LETTER = 0.09  # inches, about, of the ticks' size
TICK_DIGITS = 4
ROOM_OF_INTERVAL = 0.85  # inches of a cell
LINE, MARGIN = 0.42, 1.5  # inches of a matrix's row, and of what stands around the rows


def draw_curve(axes: "Axes", curve: Curve, width: float = WIDTH) -> None:
    """Measures over the swept number with their intervals; shares in per cent, win rates with a line at 50 %.

    ``width`` of the axes, inches: labels that would touch are left out. Numbers that were drawn are points without a
    line, and ticks stand apart from them.
    """
    measures = [point.measure for point in curve.points]
    unit = 100 if measures[0].percent else 1
    across = [point.at for point in curve.points]
    if measures[0].name == WIN_RATE:
        axes.axhline(50, color=FAINT, linewidth=1, linestyle="--")
    for at, measure in zip(across, measures, strict=True):
        if measure.low is not None and measure.high is not None:
            axes.vlines(at, unit * measure.low, unit * measure.high, color=COLOR)
    style = "o" if curve.drawn else "o-"
    axes.plot(across, [unit * measure.value for measure in measures], style, color=COLOR, clip_on=False)
    places, log = places_across(across)
    if log:
        axes.set_xscale("log")
    if not curve.drawn:
        texts = ticks([point.text for point in curve.points])
        axes.set_xticks(across, labels_that_fit([width * place for place in places], texts, LETTER))
        axes.set_xticks([], minor=True)
    if measures[0].percent:
        axes.set_ylim(0, 100)
    axes.set_xlabel(curve.key)
    axes.set_ylabel(_named(measures))


def curve_as_svg(curve: Curve) -> str:
    """The curve as an SVG element in the colours of the page around it; the pointer over a point tells its measure."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    style: dict[Any, Any] = {"svg.fonttype": "none", "svg.hashsalt": "gpumcts", **dict.fromkeys(INKED, INK)}
    written = io.StringIO()
    with matplotlib.rc_context(style):
        figure = Figure(figsize=PAGE_INCHES, layout="constrained")
        axes = figure.add_subplot()
        draw_curve(axes, curve, AXES_ON_A_PAGE)
        unit = 100 if curve.points[0].measure.percent else 1
        for number, point in enumerate(curve.points):
            axes.plot(point.at, unit * point.measure.value, "o", color=COLOR, clip_on=False, gid=f"point-{number}")
        for patch in (figure.patch, axes.patch, axes.spines["top"], axes.spines["right"]):
            patch.set_visible(False)
        FigureCanvasSVG(figure).print_svg(written, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")))
    text = written.getvalue()
    name = html.escape(f"{curve.points[0].measure.name} over {curve.key}")
    text = f'<svg role="img" aria-label="{name}"{text[text.index("<svg") + 4 :]}'
    for color, own in OF_THE_PAGE.items():
        text = text.replace(color, own)
    for number, point in enumerate(curve.points):
        words = html.escape(f"{curve.key}={point.text}: {point.measure.words()}")
        text = text.replace(f'<g id="point-{number}">', f'<g class="point"><title>{words}</title>')
    return text


def places_across(values: Sequence[float]) -> tuple[list[float], bool]:
    """Where rising values stand from left (0) to right (1), and whether the axis is logarithmic."""
    log = values[0] > 0 and values[-1] / values[0] >= SPAN_OF_LOG
    at = [math.log(value) if log else value for value in values]
    return [(value - at[0]) / (at[-1] - at[0]) for value in at], log


def labels_that_fit(xs: Sequence[float], labels: Sequence[str], letter: float) -> list[str]:
    """The labels, those empty that would touch one before; ``letter`` is a letter's width, in the unit of ``xs``."""
    found, last = [], -math.inf
    for x, label in zip(xs, labels, strict=True):
        half = letter * (len(label) + 1) / 2
        fits = x - half >= last
        found.append(label if fits else "")
        last = x + half if fits else last
    return found


def ticks(texts: Sequence[str]) -> list[str]:
    """Values beside an axis: numbers that nobody would write as long have four digits, or as many as set them apart."""
    shown = fewer_digits(texts, TICK_DIGITS, WRITTEN)
    return [shown[text] for text in texts]


def as_written(text: str) -> str:
    """A text that matplotlib shows letter by letter: what stands between two dollar signs is no formula."""
    return text.replace("$", r"\$")


def draw_matrix(axes: "Axes", matrix: Matrix) -> None:
    """The first key down, the second across; a cell the darker, the greater its number.

    Of win rates those above 50 % are blue and those below red, the darker the further from there.
    """
    down, across = matrix.grid.values
    nothing = float("nan")
    found = matrix.found
    values = [[found[(row, column)].value if (row, column) in found else nothing for column in across] for row in down]
    low, high = matrix.limits
    shades = "RdBu" if matrix.of_win_rates else "Blues"
    image = axes.imshow(values, cmap=shades, vmin=low, vmax=high, alpha=0.5, aspect="auto")
    room = WIDTH / len(across)
    narrow = room < ROOM_OF_INTERVAL
    for y, row in enumerate(down):
        for x, column in enumerate(across):
            one = found.get((row, column))
            color = FAINT if one is None else "black"
            axes.text(x, y, _words(one, narrow), ha="center", va="center", fontsize=8, color=color)
    names_across, names_down = (list(map(as_written, ticks(values))) for values in (across, down))
    slanted = any(LETTER * len(name) > room for name in names_across)
    turn = {"rotation": 30, "ha": "right", "rotation_mode": "anchor"} if slanted else {}
    axes.set_xticks(range(len(across)), names_across, **turn)
    axes.set_yticks(range(len(down)), names_down)
    axes.tick_params(length=0)
    axes.set_xlabel(matrix.grid.keys[1])
    axes.set_ylabel(matrix.grid.keys[0])
    measures = list(found.values())
    unit = 100 if measures[0].percent else 1
    bar = axes.figure.colorbar(image, ax=axes, format=lambda value, _: f"{unit * value:.4g}")
    bar.set_label(_named(measures, intervals=not narrow), fontsize=9)
    bar.outline.set_visible(False)


def inches_of(matrix: Matrix) -> float:
    """The height of a panel with the matrix."""
    return MARGIN + LINE * len(matrix.grid.values[0])


def _words(measure: Measure | None, narrow: bool) -> str:
    """What stands in a cell; a narrow one has room for the number alone."""
    if measure is None:
        return "-" if narrow else "missing"
    number, _, interval = measure.words().partition(" [")
    if narrow:
        return number.removesuffix(" %")
    return f"{number}\n[{interval}" if interval else number


def _named(measures: Sequence[Measure], intervals: bool = True) -> str:
    """The measure's name, its unit, and what its intervals are."""
    told = intervals and any(measure.low is not None for measure in measures)
    return f"{measures[0].name}{', %' if measures[0].percent else ''}{' (95 %)' if told else ''}"
