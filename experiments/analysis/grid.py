"""Runs of a sweep by their values of the swept keys: a row for one key, a matrix for two, and what is missing."""

import math
import re
from collections.abc import Sequence
from itertools import pairwise, product
from typing import NamedTuple

from experiments.analysis.digits import significant
from experiments.analysis.labels import keys_of, sweeps_of
from experiments.runs.results import Result

MAX_KEYS = 2
WRITTEN = 6  # significant digits of a number that somebody wrote; one that was drawn has more
EVEN = 1e-6  # share by which steps of a regular row may differ


class Grid(NamedTuple):
    """Runs by the values of the one or two keys in which they differ.

    keys : as the command line has them; values : of each key, numbers in rising order, others as they come
    cells : a run for each combination of values that was played
    """

    keys: tuple[str, ...]
    values: tuple[tuple[str, ...], ...]
    cells: dict[tuple[str, ...], Result]

    @property
    def missing(self) -> list[tuple[str, ...]]:
        """Combinations that a sweep asked for, without a run."""
        return [] if self.scattered else self._without_run

    @property
    def scattered(self) -> bool:
        """Whether combinations lack that nobody asked for: values were drawn, or runs are of several sweeps."""
        sweeps = {(sweep.home, sweep.fixed) for sweep in sweeps_of(list(self.cells.values()))}
        return bool(self._without_run) and (self.drawn or len(sweeps) > 1)

    @property
    def drawn(self) -> bool:
        """Whether a sweeper drew values of a key from an interval, where others had a list or a regular row."""
        return any(map(self._is_drawn, self.keys, self.values))

    @property
    def numbers(self) -> list[float] | None:
        """The values of the first key as numbers; None where one is none."""
        found = [_number(value) for value in self.values[0]]
        return [number for number in found if number is not None] if None not in found else None

    def words(self, cell: Sequence[str]) -> str:
        """A combination as the command line has it."""
        return " ".join(f"{key}={value}" for key, value in zip(self.keys, cell, strict=True))

    @property
    def _without_run(self) -> list[tuple[str, ...]]:
        return [cell for cell in product(*self.values) if cell not in self.cells]

    def _is_drawn(self, key: str, values: Sequence[str]) -> bool:
        numbers = [number for number in map(_number, values) if number is not None]
        if len(numbers) < len(values) or _is_regular(numbers):
            return False
        asked = re.compile(rf"(^|params\.|[^\w.]){re.escape(key)}[=:]['\" ]*interval\(")
        commands = (result.provenance.get("command", ()) for result in self.cells.values())
        long = any(significant(_without_zeros(value)) > WRITTEN for value in values)
        return long or any(asked.search(word) for own in commands for word in own)


def grid_of(results: Sequence[Result]) -> Grid | None:
    """The grid of some runs; None where they differ in no key, in more than two, or twice by the same values."""
    settings = [keys_of(result.label) for result in results]
    if len(results) < 2 or any(one is None or one.keys() != (settings[0] or {}).keys() for one in settings):
        return None
    known = [one for one in settings if one is not None]
    keys = tuple(key for key in known[0] if len({one[key] for one in known}) > 1)
    cells = {tuple(one[key] for key in keys): result for one, result in zip(known, results, strict=True)}
    if not 1 <= len(keys) <= MAX_KEYS or len(cells) < len(results):
        return None
    return Grid(keys, tuple(_in_order([one[key] for one in known]) for key in keys), cells)


def _without_zeros(text: str) -> str:
    """An integer without the zeros at its end, which nobody draws: 5000000 has one digit."""
    return text if "." in text or "e" in text.lower() else text.rstrip("0")


def _in_order(values: Sequence[str]) -> tuple[str, ...]:
    found = list(dict.fromkeys(values))
    numbers = {value: _number(value) for value in found}
    if None not in numbers.values():
        found.sort(key=lambda value: numbers[value] or 0.0)
    return tuple(found)


def _is_regular(numbers: Sequence[float]) -> bool:
    """Whether numbers in rising order are equally far apart, or each as many times the one before."""
    rows = [list(numbers), [math.log(number) for number in numbers] if numbers[0] > 0 else []]
    steps = [[after - before for before, after in pairwise(row)] for row in rows]
    return any(some and max(some) - min(some) <= EVEN * max(some) for some in steps)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
