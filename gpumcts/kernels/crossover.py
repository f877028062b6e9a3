"""Which engine ``auto`` takes: the fastest for so many trees and playouts a leaf, by a table of rates.

Nothing has been measured on a device yet: the packaged table is predicted from counted operations
(docs/performance/gpu-check.md), its entries say so (``measured`` is false), and one that ``python -m
experiments.gpu_check`` measured takes its place, as ``crossover.json`` in the cache folder or as the file that
GPUMCTS_CROSSOVER names. Results do not depend on any of it.

A file holds a table or a list of them: game, policy, threads, measured, and ``cells``, each with trees, playouts (a
leaf) and ``rates``, the iterations a second of all trees together by engine. That is also what ``experiments.bench``
writes.
"""

import functools
import itertools
import json
import math
import os
from pathlib import Path
from typing import Any, NamedTuple

from gpumcts import cache
from gpumcts.errors import BadInput
from gpumcts.kernels import faults

FILE, VARIABLE = "crossover.json", "GPUMCTS_CROSSOVER"
ENGINES = ("cpu", "cuda", "device")  # where two are as fast, the first
TREES, PLAYOUTS, THREADS = (1, 10, 100, 1000, 10_000, 100_000), (1, 4, 16, 64, 256, 1024), (1, 4, 16, 64)
TREE_WORK = 0.5e-6  # seconds of one core an iteration, without playouts
ROUND_TRIP = 0.3e-3  # seconds until a batch is back, however small
THREAD_TREE, TREE_SHARE = 130e-6, 0.4  # seconds of a device's thread an iteration with one playout; of it for the tree
DEVICE_ITERATIONS = 80e6  # a second with one playout each, all of the device at work


class PlayoutCost(NamedTuple):
    """Of playouts: seconds of one on a core; on a device playouts a second, and a thread's time (uniform Othello 1)."""

    core: float
    device: float
    relative: float


COSTS = {"uniform": PlayoutCost(0.5e-6, 150e6, 1.0), "informed": PlayoutCost(22e-6, 9e6, 17.0)}


def predicted(kind: str, threads: int) -> dict[str, Any]:
    """The table of a kind of playouts for so many threads, from operations counted and launches estimated."""
    cells = [
        {"trees": trees, "playouts": playouts, "rates": _rates(COSTS[kind], threads, trees, playouts)}
        for trees, playouts in itertools.product(TREES, PLAYOUTS)
    ]
    return {"game": "", "policy": kind, "threads": threads, "measured": False, "cells": cells}


def _rates(cost: PlayoutCost, threads: int, trees: int, playouts: int) -> dict[str, float]:
    share = TREE_SHARE + (1 - TREE_SHARE) * playouts * cost.relative  # of an iteration with one uniform playout
    return {
        "cpu": min(threads, trees) / (TREE_WORK + playouts * cost.core),
        "cuda": min(trees / ROUND_TRIP, threads / TREE_WORK, cost.device / playouts),
        "device": min(trees / (THREAD_TREE * share), DEVICE_ITERATIONS / share),
    }


class Crossover:
    """The fastest engine for searches of a game with a playout policy (option values) on so many threads."""

    def __init__(self, game: Any, policy: Any, threads: int) -> None:
        table = _closest(tables(), _name(game), _name(policy), threads)
        self._rates, self._threads, self._of_table = _by_engine(table), threads, table["threads"]

    def fastest(self, trees: int, playouts: int = 1, leaves: int = 1) -> str:
        """``cpu``, ``cuda`` or ``device`` for so many trees, playouts a leaf, and leaves of a tree that make a batch.

        Always ``cpu`` once the device is lost to this process.
        """
        if faults.lost():
            return "cpu"
        rates = {name: _between(cells, trees, playouts) for name, cells in self._rates.items()}
        rates["cpu"] *= min(self._threads, trees) / min(self._of_table, trees)
        if "cuda" in rates:
            rates["cuda"] = _between(self._rates["cuda"], trees * leaves, playouts)
        return max(rates, key=lambda name: rates[name])


def _name(option: Any) -> str:
    """The name of an option is that of its module."""
    return type(option).__module__.rpartition(".")[2]


# --------------------------------------------------------------------------------------------------------------- tables


def tables() -> list[dict[str, Any]]:
    """The user's tables, then the predicted ones. BadInput for a file that is none."""
    own = os.environ.get(VARIABLE)
    file = Path(own) if own else cache.root() / FILE
    if own and not file.is_file():
        raise BadInput(f"{VARIABLE}={own}: there is no such file")
    return [*(_read(file, file.stat().st_mtime_ns) if file.is_file() else []), *_predictions()]


@functools.cache
def _predictions() -> list[dict[str, Any]]:
    return [predicted(kind, threads) for kind in COSTS for threads in THREADS]


@functools.cache
def _read(file: Path, changed: int) -> list[dict[str, Any]]:
    """The tables in a file that was ``changed`` then."""
    try:
        held = json.loads(file.read_text("utf-8"))
        found = held if isinstance(held, list) else [held]
        for table in found:
            _check(table)
    except (OSError, ValueError, KeyError, TypeError, IndexError) as error:
        raise BadInput(f"{file} is no table of engines: {type(error).__name__}: {error}".splitlines()[0]) from None
    return found


def _check(table: dict[str, Any]) -> None:
    """Raise what is wrong with a table, in the words of Python or of ours."""
    if not all(isinstance(table[name], str) for name in ("game", "policy")) or not table["cells"]:
        raise ValueError("game and policy must be names, and there must be cells")
    for cell in table["cells"]:
        numbers = [table["threads"], cell["trees"], cell["playouts"], *cell["rates"].values()]
        if not all(isinstance(number, int | float) and number > 0 for number in numbers):
            raise ValueError("threads, trees, playouts and rates must be positive numbers")
        if "cpu" not in cell["rates"] or not set(cell["rates"]) <= set(ENGINES):
            raise ValueError(f"rates must be of cpu and other engines among {', '.join(ENGINES)}")
    places = {(cell["trees"], cell["playouts"]) for cell in table["cells"]}
    if len(places) != len({t for t, _ in places}) * len({p for _, p in places}):
        raise ValueError("there must be a cell for all trees with all playouts")


def _closest(known: list[dict[str, Any]], game: str, policy: str, threads: int) -> dict[str, Any]:
    """The table of the policy, else its kind; of these the game's, else one measured; of these the nearest threads'."""
    kind = "uniform" if policy == "uniform" else "informed"

    def distance(table: dict[str, Any]) -> tuple[int, bool, bool, float]:
        other_policy = (policy, kind).index(table["policy"]) if table["policy"] in (policy, kind) else 2
        predicted = not table.get("measured", True)
        return other_policy, table["game"] != game, predicted, abs(math.log(table["threads"] / threads))

    return min(known, key=distance)


def _by_engine(table: dict[str, Any]) -> dict[str, dict[tuple[int, int], float]]:
    """Rates by trees and playouts, for each engine that the whole table has."""
    cells = table["cells"]
    there = [name for name in ENGINES if all(name in cell["rates"] for cell in cells)]
    return {name: {(cell["trees"], cell["playouts"]): cell["rates"][name] for cell in cells} for name in there}


def _between(cells: dict[tuple[int, int], float], trees: float, playouts: float) -> float:
    """A rate between the cells of a table, straight lines on logarithmic scales; at its edge beyond it."""
    grid = [sorted({cell[axis] for cell in cells}) for axis in range(2)]
    (low, high, x), (few, many, y) = (_place(*pair) for pair in zip(grid, (trees, playouts), strict=True))
    logs = [[math.log(cells[t, p]) for p in (few, many)] for t in (low, high)]
    rows = [a + (b - a) * y for a, b in logs]
    return math.exp(rows[0] + (rows[1] - rows[0]) * x)


def _place(grid: list[int], number: float) -> tuple[int, int, float]:
    """The numbers of the grid below and above one, and how far between them it lies, on a scale of logarithms."""
    number = min(max(number, grid[0]), grid[-1])
    after = next(place for place, node in enumerate(grid) if node >= number)
    low, high = grid[max(0, after - 1)], grid[after]
    return low, high, math.log(number / low) / math.log(high / low) if high > low else 0.0
