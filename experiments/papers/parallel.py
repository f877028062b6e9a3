"""What many leaves of one tree cost in strength: Elo against one leaf a batch, over L, for each way to parallelize."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from experiments.analysis.holdout import verdicts
from experiments.runs.results import Result

TITLES = {"leaves": "L leaves of one tree at a time against one"}
PLOT = "leaves.png"


class Difference(NamedTuple):
    """A difference in Elo and its 95 % interval (Wilson's of the win rate); infinite where one side won all games."""

    elo: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.elo:+.0f} [{self.low:+.0f}, {self.high:+.0f}]"


def difference_of(result: Result) -> Difference:
    """What the win rate of a match comes to."""
    from gpumcts.match.statistics import elo

    rate, low, high = (elo(result.summary[key]) for key in ("win_rate", "ci95_low", "ci95_high"))
    return Difference(rate, low, high)


def leaves(results: list[Result], folder: Path) -> list[str]:
    """Tables of Elo by L and way, one a panel; ``leaves.png``; each way's best L, with the command that confirms it."""
    from experiments.terminal.console import show, table

    played = [result for result in results if result.summary["games"]]
    for panel, some in by_panel(played).items():
        show(table(f"{panel}: Elo against L = 1 [95 %]", *rows(some)))
    show(
        *(line for way in ways(played) for line in verdicts([r for r in played if way_of(r) == way], "column", PINNED))
    )
    if not played:
        return []
    plot(played, folder / PLOT)
    return [PLOT]


PINNED = ("board", "by", "option")
CONCLUSIONS = {"leaves": leaves}


def by_panel(results: Sequence[Result]) -> dict[str, list[Result]]:
    """Runs by the panel they belong to, in their order."""
    found: dict[str, list[Result]] = {}
    for result in results:
        found.setdefault(str(result.config["panel"]), []).append(result)
    return found


def way_of(result: Result) -> str:
    """The name of a run's way, as its experiment has it."""
    return str(result.config["option"])


def ways(results: Sequence[Result]) -> list[str]:
    """The ways of some runs, in the order of the experiment."""
    there = {way_of(result) for result in results}
    order = list(results[0].config["options"]) if results else []
    return [way for way in order if way in there]


def rows(results: Sequence[Result]) -> tuple[dict[str, str], list[list[str]]]:
    """Columns with their alignments, one a way, and a row an L."""
    titles = {way: str(results[0].config["options"][way]["title"]) for way in ways(results)}
    found = {(int(r.config["column"]), way_of(r)): str(difference_of(r)) for r in results}
    sizes = sorted({size for size, _ in found})
    cells = [[f"{size:,}", *(found.get((size, way), "") for way in titles)] for size in sizes]
    return {"L": "right", **dict.fromkeys(titles.values(), "right")}, cells


def plot(results: Sequence[Result], path: Path) -> None:
    """A panel for each board and kind of equality, a curve for each way; infinite differences are left out."""
    from matplotlib.figure import Figure

    from experiments.analysis.plots import CURVES, DOTS_PER_INCH, FAINT

    panels = by_panel(results)
    figure = Figure(figsize=(8.5, 3.2 * len(panels)), layout="constrained")
    for axes, (panel, some) in zip(figure.subplots(len(panels), 1, squeeze=False)[:, 0], panels.items(), strict=True):
        axes.axhline(0, color=FAINT, linewidth=1, linestyle="--")
        for number, way in enumerate(ways(some)):
            points = sorted((int(r.config["column"]), difference_of(r)) for r in some if way_of(r) == way)
            points = [(size, one) for size, one in points if max(map(abs, one)) < float("inf")]
            errors = [[one.elo - one.low for _, one in points], [one.high - one.elo for _, one in points]]
            axes.errorbar(
                [size * 1.06**number for size, _ in points], [one.elo for _, one in points], yerr=errors, fmt="o-",
                color=CURVES[number % len(CURVES)], markersize=4, capsize=3, linewidth=1,
                label=str(some[0].config["options"][way]["title"]),
            )  # fmt: skip
        axes.set_xscale("log", base=2)
        axes.set_xticks(sorted({int(r.config["column"]) for r in some}), labels=None)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_title(panel, loc="left", fontsize=10)
        axes.set_xlabel("L, leaves at a time", fontsize=9)
        axes.set_ylabel("Elo against L = 1 (95 %)", fontsize=9)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(fontsize=8, frameon=False)
    figure.savefig(path, dpi=DOTS_PER_INCH)
