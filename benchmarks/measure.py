"""How a figure comes about: contenders take turns; a figure is the median of its turns, a ratio that of ratios by turn.

Machines drift by a third from hour to hour and other programs come and go; what was measured in one turn can still be
compared.
"""

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.busy import Busy

KERNELS = {"of": "kernels"}  # what rows of kernels alone have in ``at``


class Grid(NamedTuple):
    """What the suite ``crossover`` goes through: numbers of trees, playouts a leaf, and iterations of each search."""

    trees: Sequence[int]
    playouts: Sequence[int]
    iterations: int


class Bench(NamedTuple):
    """What is measured, and how.

    game : option value; game_name : its name
    engine : as on the command line; threads : CPU threads
    repeats : turns of each contender
    peers : names of other programs to measure beside ours
    folder : where matches write their journals, on the disk that is meant
    grid : of the suite ``crossover``
    only : options by name that the suites ``playouts``, ``search`` and ``beside`` measure; all that they have if there
        are none
    checkout : of the suite ``beside``, the folder of the other checkout
    say : takes a line for people
    """

    game: Any
    game_name: str
    engine: str
    threads: int
    repeats: int
    peers: tuple[str, ...]
    folder: Path
    grid: Grid
    only: tuple[str, ...] = ()
    checkout: Path | None = None
    say: Callable[[str], None] = print

    def wants(self, name: str) -> bool:
        """Whether an option is among those that are to be measured."""
        return not self.only or name in self.only

    @property
    def on_cpu(self) -> bool:
        """Whether the engine is the CPU's, and what concerns it alone is measured."""
        return self.engine == "cpu"


class Row(NamedTuple):
    """One figure: median, smallest and largest of its turns.

    ratios : by the names of the contenders it was compared with, how many times as much it is
    at : what it was measured at, such as ``{"trees": 64}``
    """

    suite: str
    what: str
    unit: str
    median: float
    low: float
    high: float
    ratios: dict[str, float] = {}  # noqa: RUF012
    at: dict[str, Any] = {}  # noqa: RUF012


class Contender(NamedTuple):
    """Something that can be timed: ``run(n)`` does n units of work; ``units`` is how many make a turn.

    engines : those whose kernels it runs, where the time of these is of interest
    against : names of others that it is compared with, beside those that all are
    """

    what: str
    run: Callable[[int], Any]
    units: int
    at: dict[str, Any] = {}  # noqa: RUF012
    engines: tuple[Any, ...] = ()
    against: tuple[str, ...] = ()


def compare(suite: str, unit: str, contenders: list[Contender], repeats: int, against: Sequence[str] = ()) -> list[Row]:
    """Time the contenders in turns; ratios are to the other contenders named in ``against`` or by the contender itself.

    Where an engine tells when its kernels ran, two rows more: the rate by their time alone, their share of all time.
    """
    for contender in contenders:
        contender.run(max(1, contender.units // 50))  # compiles, loads, warms up
    rates: list[list[float]] = [[] for _ in contenders]
    ran: list[list[tuple[float, float]]] = [[] for _ in contenders]
    for _ in range(repeats):
        for contender, found, kernels in zip(contenders, rates, ran, strict=True):
            busy = Busy(contender.engines)
            begin = time.perf_counter()
            contender.run(contender.units)
            seconds = time.perf_counter() - begin
            found.append(contender.units / seconds)
            if of_kernels := busy.seconds():
                kernels.append((contender.units / of_kernels, 100 * of_kernels / seconds))
    by_name = {contender.what: found for contender, found in zip(contenders, rates, strict=True)}
    rows: list[Row] = []
    for contender, found, kernels in zip(contenders, rates, ran, strict=True):
        bases = {name: base for name, base in by_name.items() if name in (*against, *contender.against)}
        rows.append(row_of(suite, contender.what, unit, found, bases, contender.at))
        rows += _of_kernels(suite, contender, unit, kernels)
    return rows


def _of_kernels(suite: str, contender: Contender, unit: str, turns: list[tuple[float, float]]) -> list[Row]:
    if not turns:
        return []
    alone, shares = zip(*turns, strict=True)
    at = contender.at | KERNELS
    return [
        row_of(suite, f"{contender.what}: kernels alone", unit, alone, at=at),
        row_of(suite, f"{contender.what}: kernels busy", "%", shares, at=at),
    ]


def row_of(
    suite: str,
    what: str,
    unit: str,
    values: Sequence[float],
    bases: dict[str, list[float]] | None = None,
    at: dict[str, Any] | None = None,
) -> Row:
    """The row of one contender's turns; ``bases`` are those of the contenders it is compared with."""
    others = {name: base for name, base in (bases or {}).items() if name != what}
    ratios = {
        name: statistics.median(ours / theirs for ours, theirs in zip(values, base, strict=True))
        for name, base in others.items()
    }
    return Row(suite, what, unit, statistics.median(values), min(values), max(values), ratios, at or {})
