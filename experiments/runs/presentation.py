"""How the results of a command are shown: what it says of itself, so that tables, plots and reports name no command."""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


class Measure(NamedTuple):
    """The one number that a run is compared by.

    value, low, high : with the ends of its 95 % interval, None where there is none; shares in [0, 1] where ``percent``
    """

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    percent: bool = False

    def text(self, value: float) -> str:
        """A value of this kind for people."""
        return f"{100 * value:.1f} %" if self.percent else f"{value:.4g}"

    def words(self) -> str:
        """The number and its interval."""
        if self.low is None or self.high is None:
            return self.text(self.value)
        low, high = (self.text(end).removesuffix(" %") for end in (self.low, self.high))
        return f"{self.text(self.value)} [{low}, {high}]"


class NoCells:
    """``cells`` of a command whose runs are gathered into no report."""

    def __call__(self, result: Any) -> dict[str, str]:
        return {}


def _no_measure(result: Any) -> None:
    return None


def _no_panel(results: Sequence[Any]) -> None:
    return None


@dataclass(frozen=True)
class Presentation:
    """How runs of a command are shown.

    cells : a run (``runs.results.Result``) as the cells of a table, by heading
    panel : some runs as a panel of a plot (``analysis.plots.Panel``), others below it; None where nothing is to be
        drawn
    measure : the number that a run is compared by in curves and matrices; None where it has none
    partial : whether an interrupted run has a result already, as a match has after every game
    keys : the class of its plain keys, whose types the columns of tables have
    """

    cells: Callable[[Any], dict[str, str]] = NoCells()
    panel: Callable[[list[Any]], Any] = _no_panel
    measure: Callable[[Any], Measure | None] = _no_measure
    partial: bool = True
    keys: type | None = None

    @property
    def gathered(self) -> bool:
        """Whether reports gather runs of the command."""
        return not isinstance(self.cells, NoCells)


PRESENTATIONS: dict[str, Presentation] = {}
"""Those of the commands that were imported."""


def presentation_of(program: str) -> Presentation:
    """That of a command, which is imported where it was not yet; of one that there is not, an empty one."""
    if program not in PRESENTATIONS and program.isidentifier() and importlib.util.find_spec(f"experiments.{program}"):
        importlib.import_module(f"experiments.{program}")
    return PRESENTATIONS.get(program, Presentation())
