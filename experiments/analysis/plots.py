"""Plots of runs: win rates with error bars, a document's figures beside ours, speeds."""

import functools
import itertools
import math
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from experiments.analysis.by_game import drawn_together
from experiments.analysis.headings import counted_by, method_of, plot_title
from experiments.analysis.planner_samples import draw, series
from experiments.analysis.swept_figure import Matrix, swept_figure
from experiments.analysis.swept_plot import as_written, draw_curve, draw_matrix, inches_of
from experiments.runs.presentation import presentation_of
from experiments.runs.results import Result, groups
from experiments.terminal.console import counted, shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes

OURS, DOCUMENT, FAINT = "#1f5fa8", "#c8641e", "#888888"
DOTS_PER_INCH = 130
MAX_DOTS = 60_000  # of a picture's height; the renderer takes fewer than 65,536
WIDTH, PICTURE = 8.5, 24.0  # inches of a picture, and of the height up to which it takes more panels
TITLE_LETTERS, LABEL_LETTERS, LEGEND_LETTERS = 66, 44, 96  # a line
LINE = 0.15  # inches of a label's
TALL = 4.2  # inches of a panel with curves
EDGE = 4  # per cent
MAX_CURVES = 12  # more cannot be told apart


def plot(results: list[Result], path: Path) -> list[Path]:
    """The panels of each table or command that has something to draw, of several games each game's own.

    Returns the files written: ``path``, and where the panels are too many for one picture ``plot-2.png`` and so on
    beside it. None, and no file, where there is nothing to draw.
    """
    parts = [part for some in groups(results).values() for part in drawn_together(some)]
    drawable = [(part, panel) for part in parts for panel in _panels_of(part)]
    for old in path.parent.glob(f"{path.stem}-*{path.suffix}"):  # of a plot that had more panels
        if old.stem.removeprefix(f"{path.stem}-").isdecimal():
            old.unlink()
    files = []
    for number, some in enumerate(_pictures(drawable), 1):
        files.append(path if number == 1 else path.with_stem(f"{path.stem}-{number}"))
        _draw(some, files[-1])
    return files


def _pictures(drawable: Sequence["Drawable"]) -> list[list["Drawable"]]:
    """The panels in their order, as many to a picture as it has room for."""
    pictures: list[list[Drawable]] = []
    left = 0.0
    for part, panel in drawable:
        needed = _height(part, panel)
        if not pictures or needed > left:
            pictures.append([])
            left = PICTURE
        pictures[-1].append((part, panel))
        left -= needed
    return pictures


def _draw(drawable: Sequence["Drawable"], path: Path) -> None:
    """Panels one below the other, each laid out by itself, since names of runs are long in one and short in another."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    heights = [_height(part, panel) for part, panel in drawable]
    figure = Figure(figsize=(WIDTH, sum(heights)), layout="constrained")
    places = figure.subfigures(len(drawable), 1, squeeze=False, height_ratios=heights)[:, 0]
    for place, (part, panel) in zip(places, drawable, strict=True):
        axes = place.subplots()
        panel.draw(axes, part)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=min(DOTS_PER_INCH, MAX_DOTS / sum(heights)))


def _height(part: list[Result], panel: "Panel") -> float:
    """Inches of a panel with a title of any number of lines."""
    return panel.inches + LINE * _titled(part).count("\n")


class Panel(NamedTuple):
    """A panel of a plot: what draws it into axes, its height in inches, and a panel to stand below it."""

    draw: Callable[["Axes", list[Result]], None]
    inches: float
    below: "Panel | None" = None


Drawable = tuple[list[Result], Panel]


def _panels_of(results: list[Result]) -> list[Panel]:
    found, panel = [], presentation_of(results[0].program).panel(results)
    while panel is not None:
        found.append(panel)
        panel = panel.below
    return found


def _lines(results: list[Result]) -> float:
    """The height of a panel with a line a run, whose label may have several."""
    most = max(_folded(result.label).count("\n") + 1 for result in results)
    return 1.4 + (0.3 + LINE * most) * len(results)


def _legend_inches(results: list[Result]) -> float:
    """The height of a legend below a panel, a line a run, whose label may have several."""
    return LINE * sum(_folded(result.label, LEGEND_LETTERS).count("\n") + 1.2 for result in results)


def _folded(label: str, letters: int = LABEL_LETTERS) -> str:
    """A label in lines that leave room for what is drawn beside it."""
    return as_written(textwrap.fill(label, letters, break_long_words=False, break_on_hyphens=False))


def match_panel(results: list[Result]) -> Panel | None:
    """Win rates: over k where all runs have one, as a sweep's figure where no source prints them, else a line a run."""
    if not any(result.summary["games"] for result in results):
        return None
    if all("k" in result.config for result in results):
        return Panel(_by_k, TALL)
    published = any(result.published is not None for result in results)
    return (None if published else _swept_panel(results)) or Panel(_win_rates, _lines(results))


def _swept_panel(results: list[Result]) -> Panel | None:
    """A curve or a matrix, as the HTML report has it; None where the sweep is neither."""
    figure = swept_figure(results)
    if figure is None:
        return None

    def drawn(axes: "Axes", results: list[Result]) -> None:
        _title(axes, results)
        if isinstance(figure, Matrix):
            draw_matrix(axes, figure)
        else:
            draw_curve(axes, figure)

    return Panel(drawn, inches_of(figure) if isinstance(figure, Matrix) else TALL)


def trees_panel(results: list[Result]) -> Panel | None:
    """Failure rates, or when values came above the level for good."""
    if any("failure_rate" in result.summary for result in results):
        return Panel(_failure_curves, TALL + _legend_inches(results)) if len(results) <= MAX_CURVES else None
    if crossed := [result for result in results if "crossing_median" in result.summary]:
        return Panel(_crossings, _lines(crossed))
    return None


def planning_panel(results: list[Result]) -> Panel | None:
    """Samples to the error over grid size."""
    return Panel(_samples, TALL) if any(result.finished for result in results) else None


def speed_panel(key: str) -> Callable[[list[Result]], Panel]:
    """A bar a run: the rate ``key`` of its summary; above the bars the figure of the sweep, where it has one."""

    def panel(results: list[Result]) -> Panel:
        bars, figure = Panel(functools.partial(_speeds, key), _lines(results)), _swept_panel(results)
        return bars if figure is None else figure._replace(below=bars)

    return panel


def _title(axes: "Axes", results: list[Result]) -> None:
    axes.set_title(_titled(results), loc="left", fontsize=10)


def _titled(results: list[Result]) -> str:
    return as_written(textwrap.fill(plot_title(results), TITLE_LETTERS, break_on_hyphens=False))


def _errors(results: list[Result]) -> list[list[float]]:
    rates = [(100 * r.summary["win_rate"], 100 * r.summary["ci95_low"], 100 * r.summary["ci95_high"]) for r in results]
    return [[max(0.0, rate - low) for rate, low, _ in rates], [max(0.0, high - rate) for rate, _, high in rates]]


def _win_rates(axes: "Axes", results: list[Result]) -> None:
    """A line a match, the first on top; the document's win rate below ours where it prints one."""
    from gpumcts.match.statistics import document_interval

    results = [result for result in results if result.summary["games"]]
    rates = [100 * result.summary["win_rate"] for result in results]
    at = list(range(len(results)))
    axes.axvline(50, color=FAINT, linewidth=1, linestyle="--")
    axes.errorbar(rates, at, xerr=_errors(results), fmt="o", color=OURS, capsize=4, label="ours", clip_on=False)
    theirs = {row: result.published for row, result in zip(at, results, strict=True) if result.published is not None}
    if theirs:
        halves = [100 * document_interval(published.win_rate, published.games) for published in theirs.values()]
        axes.errorbar(
            [100 * published.win_rate for published in theirs.values()], [row + 0.2 for row in theirs], xerr=halves,
            fmt="s", color=DOCUMENT, markersize=4, capsize=3, label="document",
        )  # fmt: skip
        axes.legend(fontsize=8, frameon=False)
    _title(axes, results)
    for row, rate in zip(at, rates, strict=True):
        side = "left" if rate < EDGE else "right" if rate > 100 - EDGE else "center"  # clear of the labels beside
        axes.annotate(f"{rate:.1f}", (rate, row), xytext=(0, 7), textcoords="offset points", ha=side, fontsize=9)
    axes.set_yticks(
        at, [f"{_folded(result.label)}\n{counted(result.summary['games'], 'game')}" for result in results], fontsize=9
    )
    axes.set_ylim(len(results) - 0.4, -0.6)
    axes.set_xlim(0, 100)
    axes.set_xlabel("win rate of the player, % (Wilson 95 %)")


def _by_k(axes: "Axes", results: list[Result]) -> None:
    """Win rates over k, the document's column beside ours."""
    from gpumcts.match.statistics import document_interval

    results = [result for result in results if result.summary["games"]]
    axes.axhline(50, color=FAINT, linewidth=1, linestyle="--")
    series: dict[tuple, list[Result]] = {}
    for r in results:
        series.setdefault((r.config["budget"]["iterations"], r.summary["games"], r.summary["seed"]), []).append(r)
    for number, ((iterations, games, seed), some) in enumerate(series.items()):
        name = f"ours: {iterations:,} iterations, {games} games, seed {seed}" if iterations else f"ours: {games} games"
        axes.errorbar(
            [r.config["k"] - 0.06 * (number + 1) for r in some], [100 * r.summary["win_rate"] for r in some],
            yerr=_errors(some), fmt="o-", color=OURS, alpha=1 - 0.6 * number / len(series), capsize=4, label=name,
        )  # fmt: skip
    theirs = {r.config["k"]: r.published for r in results if r.published is not None}
    if theirs:
        axes.errorbar(
            [k + 0.06 for k in theirs], [100 * p.win_rate for p in theirs.values()],
            yerr=[100 * document_interval(p.win_rate, p.games) for p in theirs.values()],
            fmt="s:", color=DOCUMENT, capsize=4, label="document: 50,000 playouts, 1000 games",
        )  # fmt: skip
    _title(axes, results)
    axes.set_xticks(sorted({result.config["k"] for result in results}))
    axes.set_xlabel("k (decay = 1 - 0.1^k)")
    axes.set_ylabel("win rate, % (95 %)")
    axes.set_ylim(0, 100)
    axes.legend(fontsize=8, frameon=False)


CURVES = ("#1f5fa8", "#c8641e", "#3a8f4d", "#8a4fa3", "#b8302f", "#888888", "#50a5b5", "#7a6a2f")


def _failure_curves(axes: "Axes", results: list[Result]) -> None:
    """Failure rates over iterations, axes logarithmic, 95 % intervals over trees (Kocsis et al. 2006, Figure 4)."""
    results = [result for result in results if "failure_rate" in result.summary]
    faint = min(0.12, 0.35 / len(results))  # bands lie on each other
    for color, result in zip(itertools.cycle(CURVES), results, strict=False):
        summary = result.summary
        axes.fill_between(summary["points"], summary["low"], summary["high"], color=color, alpha=faint, linewidth=0)
        label = _folded(result.label, LEGEND_LETTERS)
        axes.plot(summary["points"], summary["failure_rate"], "o-", color=color, markersize=3, label=label)
    rates = [rate for result in results for rate in result.summary["failure_rate"] if rate > 0]
    lowest = 10 ** math.floor(math.log10(min(rates, default=0.01)))
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=lowest)  # 0 has a place below the smallest rate
    axes.set_ylim(0, 1)
    _title(axes, results)
    axes.set_xlabel(counted_by(map(method_of, results)))
    axes.set_ylabel("failure rate (95 % over trees)")
    # below the axes, where no curve lies
    axes.legend(fontsize=8, frameon=False, loc="upper left", bbox_to_anchor=(0, -0.13), borderaxespad=0)


def _crossings(axes: "Axes", results: list[Result]) -> None:
    """When values came above the level for good, a line a run; an arrow where the median is beyond the horizon."""
    results = [result for result in results if "crossing_median" in result.summary]
    levels = list(dict.fromkeys(f"{result.summary['level']:g}" for result in results))
    at = list(range(len(results)))
    for row, summary in zip(at, (result.summary for result in results), strict=True):
        horizon = summary["points"][-1]
        median, low, high = (summary[f"crossing_{key}"] or horizon for key in ("median", "low", "high"))
        kind = "o" if summary["crossing_median"] else ">"
        errors = [[max(median - low, 0)], [max(high - median, 0)]]
        axes.errorbar(median, row, xerr=errors, fmt=kind, color=OURS, markersize=4, capsize=3)
    axes.set_xscale("log")
    axes.set_yticks(at, [_folded(result.label) for result in results], fontsize=8)
    axes.set_ylim(len(results) - 0.4, -0.6)
    _title(axes, results)
    axes.set_xlabel(f"iterations until the root stays above {' or '.join(levels)} (median, 95 %)")


def _samples(axes: "Axes", results: list[Result]) -> None:
    """Samples to the error over grid size, a line a planner."""
    draw(axes, series([result for result in results if result.finished]))
    _title(axes, results)


def _speeds(name: str, axes: "Axes", results: list[Result]) -> None:
    """A bar a run; one measurement has no error bar."""
    at = list(range(len(results)))
    axes.barh(at, [result.summary[name] for result in results], color=OURS, height=0.6)
    axes.set_yticks(at, [_folded(result.label) for result in results], fontsize=9)
    axes.set_ylim(len(results) - 0.4, -0.6)
    _title(axes, results)
    axes.xaxis.set_major_formatter(lambda rate, _: shortened(rate))
    axes.set_xlabel(name.replace("_", " "))
