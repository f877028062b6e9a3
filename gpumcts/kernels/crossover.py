"""Which engine ``auto`` takes: the fastest for so many trees and playouts a leaf, by a table of rates.

The packaged tables are estimates for any number of trees, playouts and threads, from what an H100 and sixteen cores
took (docs/performance/h100.md); they say so (``measured`` is false). One that ``python -m experiments.gpu_check``
measured on this machine takes their place, as ``crossover.json`` in the cache folder or as the file that
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
from collections.abc import Collection
from pathlib import Path
from typing import Any, NamedTuple

from gpumcts.compiling import cache
from gpumcts.errors import BadInput
from gpumcts.kernels.cuda import faults

FILE, VARIABLE = "crossover.json", "GPUMCTS_CROSSOVER"
MOST = 1e18  # of any number in a table
ENGINES = ("cpu", "cuda", "device")  # where two are as fast, the first
TREES, PLAYOUTS, THREADS = (1, 10, 100, 1000, 10_000, 100_000), (1, 4, 16, 64, 256, 1024), (1, 4, 16, 64)
TREE_WORK = 0.7e-6  # seconds of one core an iteration, without playouts, all threads at work
TREE_WORK_ELSEWHERE = 1.25e-6  # the same where leaves are played elsewhere: they travel
ALONE = 0.75e-6  # of an iteration of a tree that threads share, what one of them does while the others wait
DEVICE_TREE_WORK = 170e-6  # seconds of a device's thread an iteration, without playouts
DEVICE_ITERATIONS = 220e6  # a second without playouts, all of the device at work


class PlayoutCost(NamedTuple):
    """Of playouts: seconds of one on a core; on a device playouts a second, and seconds of a thread for one.

    round_trip : seconds until a batch of ``cuda`` is back, however small
    """

    core: float
    device: float
    thread: float
    round_trip: float


COSTS = {"uniform": PlayoutCost(1.3e-6, 600e6, 32e-6, 0.09e-3), "informed": PlayoutCost(50e-6, 9e6, 6e-3, 2.4e-3)}


def predicted(kind: str, threads: int) -> dict[str, Any]:
    """The table of a kind of playouts for so many threads, from what an H100 and its host took."""
    cells = [
        {"trees": trees, "playouts": playouts, "rates": _rates(COSTS[kind], threads, trees, playouts)}
        for trees, playouts in itertools.product(TREES, PLAYOUTS)
    ]
    return {"game": "", "policy": kind, "threads": threads, "measured": False, "cells": cells}


def _rates(cost: PlayoutCost, threads: int, trees: int, playouts: int) -> dict[str, float]:
    on_device = playouts / cost.device  # seconds of an iteration's playouts, all of the device at work
    of_a_thread = DEVICE_TREE_WORK + playouts * cost.thread
    return {
        "cpu": min(threads, trees) / (TREE_WORK + playouts * cost.core),
        "cuda": trees / (cost.round_trip + trees * max(TREE_WORK_ELSEWHERE / threads, on_device)),
        "device": trees / max(of_a_thread, trees * (1 / DEVICE_ITERATIONS + on_device)),
    }


class Crossover:
    """The fastest engine for searches of a game with a playout policy (option values) on so many threads."""

    def __init__(self, game: Any, policy: Any, threads: int) -> None:
        table = _closest(tables(), _name(game), _name(policy), threads)
        self._rates, self._threads, self._of_table = _by_engine(table), threads, table["threads"]

    def fastest(
        self,
        trees: int,
        playouts: int = 1,
        leaves: int = 1,
        sharing: int = 1,
        unfit: Collection[str] = (),
        together: int | None = None,
    ) -> str:
        """``cpu``, ``cuda`` or ``device`` for so many trees, playouts a leaf, and leaves of a tree that make a batch.

        sharing : threads of the CPU that share each tree, one tree after the other; 1 where each tree has a thread
        unfit : engines that cannot make such searches
        together : trees that a device holds at a time; None where it holds all of them

        Always ``cpu`` once the device is lost to this process.
        """
        if faults.lost():
            return "cpu"
        rates = self.rates(trees, playouts, leaves, sharing)
        if together is not None and together < trees and "device" in rates:
            rates["device"] = _between(self._rates["device"], together, playouts)
        return max((name for name in rates if name not in unfit), key=lambda name: rates[name])

    def rates(self, trees: int, playouts: int = 1, leaves: int = 1, sharing: int = 1) -> dict[str, float]:
        """Iterations a second of all trees together, by engine: as ``fastest`` compares them."""
        rates = {name: _between(cells, trees, playouts) for name, cells in self._rates.items()}
        rates["cpu"] *= min(self._threads, trees) / min(self._of_table, trees)
        if sharing > 1:
            rates["cpu"] = 1 / _shared(trees / rates["cpu"], sharing)
        if "cuda" in rates:
            seconds = 1 / _between(self._rates["cuda"], trees * leaves, playouts)
            # What is told of so many trees has a thread for each; a tree with as many leaves has one in all.
            not_shared = 1 / min(self._threads, trees) - 1 / min(self._threads, trees * leaves)
            rates["cuda"] = 1 / (seconds + TREE_WORK_ELSEWHERE * not_shared)
        return rates


def _shared(seconds: float, threads: int) -> float:
    """Seconds of an iteration of a tree that so many threads share; one thread takes ``seconds``."""
    return min(seconds, ALONE) + max(seconds - ALONE, 0.0) / threads


def _name(option: Any) -> str:
    """The name of an option is that of its module."""
    return type(option).__module__.rpartition(".")[2]


# --------------------------------------------------------------------------------------------------------------- tables


def tables() -> list[dict[str, Any]]:
    """The user's tables, then the estimated ones. BadInput for a file that is none."""
    own = os.environ.get(VARIABLE)
    file = Path(own) if own else cache.users_file(FILE)
    if own and not Path(own).is_file():
        raise BadInput(f"{VARIABLE}={own}: there is no such file")
    own_tables = _read(file, file.stat().st_mtime_ns) if file is not None else []
    return [*own_tables, *_predictions()]


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
    except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
        raise BadInput(f"{file} is no table of engines: {type(error).__name__}: {error}".splitlines()[0]) from None
    return found


def _check(table: dict[str, Any]) -> None:
    """Raise what is wrong with a table, in the words of Python or of ours."""
    if not all(isinstance(table[name], str) for name in ("game", "policy")) or not table["cells"]:
        raise ValueError("game and policy must be names, and there must be cells")
    for cell in table["cells"]:
        numbers = [table["threads"], cell["trees"], cell["playouts"], *cell["rates"].values()]
        if not all(isinstance(number, int | float) and 0 < number < MOST for number in numbers):
            raise ValueError("threads, trees, playouts and rates must be positive numbers")
        if "cpu" not in cell["rates"] or not set(cell["rates"]) <= set(ENGINES):
            raise ValueError(f"rates must be of cpu and other engines among {', '.join(ENGINES)}")
    places = {(cell["trees"], cell["playouts"]) for cell in table["cells"]}
    if len(places) != len({t for t, _ in places}) * len({p for _, p in places}):
        raise ValueError("there must be a cell for all trees with all playouts")


def _closest(known: list[dict[str, Any]], game: str, policy: str, threads: int) -> dict[str, Any]:
    """The table that is closest by four questions, in this order.

    1. Is it of this policy? Else, is it of its kind, uniform or informed?
    2. Is it of this game?
    3. Was it measured?
    4. Of how many threads is it? The nearest number is the best.
    """
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
