"""A decay that sets itself, on trees (Hashimoto et al. 2012, section 6): does it gain over the mean where values drift?

The operators are compared by their mean failure rates over checkpoints, as in ``recovery``. Each has the constants that
fail least on the trees of even number. The comparison is on those of odd number, paired by tree, with one correction
(Holm) for all of it.
"""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from experiments.papers.open_questions.recovery import LEVEL, Gap, Run, gap, needed, odd_trees, runs_of
from experiments.runs.results import Result

FAMILIES = {"average": "mean", "accelerated": "decay by hand", "accelerated_adaptive": "decay by a rule"}
"""Backup operators, and what they are called here, the plainest first."""


class Duel(NamedTuple):
    """The best of two families on the trees of one kind, and by how much the second fails more often on other trees."""

    kind: str
    first: Run
    second: Run
    gap: Gap
    trees: int

    @property
    def verdict(self) -> str:
        """Which of the two fails less often, if that is beyond chance."""
        if self.gap.p > LEVEL:
            return "no difference beyond chance"
        return f"{self.second.name if self.gap.mean < 0 else self.first.name} fails less often"


def duels(runs: Sequence[Run], operators: Mapping[str, str]) -> list[Duel]:
    """All pairs of families on each kind of tree; p corrected for all of them.

    operators : the backup operator of each run, by the run's name
    """
    from gpumcts.match.statistics import holm

    some = [run for run in runs if run.even.any() and not run.even.all()]
    found = []
    for kind in dict.fromkeys(run.kind for run in some):
        here = [run for run in some if run.kind == kind]
        families = [[run for run in here if operators[run.name] == operator] for operator in FAMILIES]
        best = [min(family, key=_on_even) for family in families if family]
        for first, second in itertools.combinations(best, 2):
            found.append(Duel(kind, first, second, gap(second, first, odd=True), odd_trees(first, second)))
    corrected = holm([duel.gap.p for duel in found]) if found else []
    return [duel._replace(gap=duel.gap._replace(p=p)) for duel, p in zip(found, corrected, strict=True)]


def _on_even(run: Run) -> float:
    """The mean failure rate on the trees of even number."""
    return float(run.areas[run.even].mean())


def drift(results: list[Result], folder: Path) -> list[str]:
    """A table of all runs and one of the comparisons, in ``drift.csv`` too."""
    from experiments.terminal.console import show, table

    runs = runs_of(results)
    found = duels(runs, {result.label: result.config["backup"]["name"] for result in results})
    heads = {"trees": "left", "run": "left", "fail at 10 % until": "right", "mean failure rate %": "right"}
    rows = [[run.kind, run.name, needed(run), f"{100 * run.area:.2f}"] for run in runs]
    show(table("failure rates over checkpoints, trees that can fail", heads, rows))
    names = ("trees", "other trees", "first", "second", "second less first, points [95 %]", "p (Holm)", "verdict")
    show(table("chosen on even trees, compared on odd ones", dict.fromkeys(names, "left"), [_row(d) for d in found]))
    path = folder / "drift.csv"
    lines = [",".join(["trees", "count", "first", "second", "difference", "half", "p_holm"])]
    lines += [
        f'{d.kind},{d.trees},"{d.first.name}","{d.second.name}",{d.gap.mean},{d.gap.half},{d.gap.p}' for d in found
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [path.name]


def _row(duel: Duel) -> list[str]:
    low, high = 100 * (duel.gap.mean - duel.gap.half), 100 * (duel.gap.mean + duel.gap.half)
    points = f"{100 * duel.gap.mean:+.2f} [{low:+.2f}, {high:+.2f}]"
    return [duel.kind, str(duel.trees), duel.first.name, duel.second.name, points, f"{duel.gap.p:.4f}", duel.verdict]
