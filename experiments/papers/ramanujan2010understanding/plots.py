"""What the plots of Ramanujan et al. 2010's section 6 share, and that of its tables."""

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from experiments.analysis.plots import CURVES, DOTS_PER_INCH, FAINT


def new_figure(width: float, height: float) -> Any:
    """An empty figure that lays itself out."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def save(figure: Any, path: Path) -> None:
    """Write a figure, its panels without a frame above and to the right."""
    for axes in figure.axes:
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=DOTS_PER_INCH)


def intervals(known: Sequence[Any]) -> np.ndarray:
    """float64[2, N]: how far intervals reach below and above known medians; to the horizon where there is no end."""
    ends = [(x.median - (x.low or x.median), (x.high or x.horizon) - x.median) for x in known]
    return np.maximum(np.array(ends, np.float64).reshape(-1, 2), 0.0).T


def plot_tables(cells: Sequence[Any], path: Path) -> None:
    """Ours against the document's, a point a cell of Tables 2 and 3; the band is a factor of two."""
    figure = new_figure(10.5, 4.6)
    panels = figure.subplots(1, 2)
    words = (("time", "iterations to convergence"), ("share", "visits in B until then, %"))
    groups = list(dict.fromkeys((cell.exploration, cell.start) for cell in cells))
    for axes, (name, label) in zip(panels, words, strict=True):
        theirs = [cell.published[name == "share"] for cell in cells]
        line = np.array([min(theirs) / 2, max(theirs) * 2])
        axes.fill_between(line, line / 2, line * 2, color=FAINT, alpha=0.15, linewidth=0)
        axes.plot(line, line, "--", color=FAINT, linewidth=1)
        for color, (exploration, start) in zip(itertools.cycle(CURVES), groups, strict=False):
            some = [c for c in cells if (c.exploration, c.start) == (exploration, start) and getattr(c, name).count]
            mean, half = ([getattr(getattr(c, name), part) for c in some] for part in ("mean", "half"))
            at = [c.published[name == "share"] for c in some]
            kind = {"F": "o", "U": "s"}[start]
            title = f"{start}, exploration {exploration:g}"
            axes.errorbar(
                at, mean, yerr=np.nan_to_num(half), fmt=kind, color=color, markersize=4, capsize=3, label=title
            )
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel(f"document: {label}")
        axes.set_ylabel(f"ours: {label} (95 %)")
        axes.legend(fontsize=8, frameon=False)
    save(figure, path)
