"""Runs of a sweep by their values of the swept keys: a row for one key, a matrix for two, and what is missing."""

import math
import re
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from experiments.runs.results import Result

MAX_KEYS = 2


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
        """Combinations without a run."""
        return [cell for cell in product(*self.values) if cell not in self.cells]

    @property
    def numbers(self) -> list[float] | None:
        """The values of the first key as numbers; None where one is none."""
        found = [_number(value) for value in self.values[0]]
        return [number for number in found if number is not None] if None not in found else None

    def words(self, cell: Sequence[str]) -> str:
        """A combination as the command line has it."""
        return " ".join(f"{key}={value}" for key, value in zip(self.keys, cell, strict=True))


def grid_of(results: Sequence[Result]) -> Grid | None:
    """The grid of some runs; None where they differ in no key, in more than two, or twice by the same values."""
    settings = [_settings(result.label) for result in results]
    if len(results) < 2 or any(one is None or one.keys() != (settings[0] or {}).keys() for one in settings):
        return None
    known = [one for one in settings if one is not None]
    keys = tuple(key for key in known[0] if len({one[key] for one in known}) > 1)
    cells = {tuple(one[key] for key in keys): result for one, result in zip(known, results, strict=True)}
    if not 1 <= len(keys) <= MAX_KEYS or len(cells) < len(results):
        return None
    return Grid(keys, tuple(_in_order([one[key] for one in known]) for key in keys), cells)


def _settings(label: str) -> dict[str, str] | None:
    """The keys and values of a label; None where it is none of them alone."""
    pairs = re.findall(r"(\S+?)=(\S+)", label)
    return dict(pairs) if pairs and " ".join(f"{key}={value}" for key, value in pairs) == label else None


def _in_order(values: Sequence[str]) -> tuple[str, ...]:
    found = list(dict.fromkeys(values))
    numbers = {value: _number(value) for value in found}
    if None not in numbers.values():
        found.sort(key=lambda value: numbers[value] or 0.0)
    return tuple(found)


def _number(value: str) -> float | None:
    try:
        number = float(value)
    except ValueError:
        return None
    return number if math.isfinite(number) else None
