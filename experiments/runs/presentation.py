"""How the results of a command are shown: what it says of itself, so that tables, plots and reports know no command by name."""

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any


class NoCells:
    """``cells`` of a command whose runs are gathered into no report."""

    def __call__(self, result: Any) -> dict[str, str]:
        return {}


def _no_panel(results: Sequence[Any]) -> None:
    return None


@dataclass(frozen=True)
class Presentation:
    """How runs of a command are shown.

    cells : a run (``runs.results.Result``) as the cells of a table, by heading
    panel : some runs as a panel of a plot (``analysis.plots.Panel``); None where nothing is to be drawn
    partial : whether an interrupted run has a result already, as a match has after every game
    """

    cells: Callable[[Any], dict[str, str]] = NoCells()
    panel: Callable[[list[Any]], Any] = _no_panel
    partial: bool = True

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
