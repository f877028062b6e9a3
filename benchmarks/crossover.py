"""Which engine is fastest for how many trees and playouts a leaf: the CPU, playouts on a device, or whole trees there.

The table that comes of it is written to ``crossover.json``: rates of every engine and the fastest, for every pair of
numbers. ``engine=auto`` goes by it where ``gpumcts.kernels.crossover`` finds it.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks.measure import Bench, Contender, Row, compare
from benchmarks.ours import keys, uct
from gpumcts.kernels.batch import Rules
from gpumcts.playouts.minimax import Minimax
from gpumcts.tree.device_search import DeviceEngine
from gpumcts.tree.settings import Settings

BASE = "cpu"
CPU_PLAYOUTS = 1_000_000  # of a turn at most: from some thousand trees on, the cost of one does not change on a CPU
INFORMED_TIMES_UNIFORM = 40  # what an informed playout takes on a CPU
SECONDS_A_TURN, MAX_SEARCHES = 0.1, 100


def suite(bench: Bench) -> Iterator[Row]:
    """Iterations a second of every engine, trees by playouts a leaf as the grid has them, compared with the CPU."""
    yield from _rows(bench, bench.grid.playouts, CPU_PLAYOUTS, {})


def informed_suite(bench: Bench) -> Iterator[Row]:
    """The same of minimax playouts of depth 2, with one a leaf."""
    yield from _rows(bench, [1], CPU_PLAYOUTS // INFORMED_TIMES_UNIFORM, {"policy": Minimax(depth=2)})


def _rows(bench: Bench, playouts_of_a_leaf: Sequence[int], cpu_playouts: int, more: dict[str, Any]) -> Iterator[Row]:
    engines = engines_of(bench)
    for playouts in playouts_of_a_leaf:
        more = more | {"settings": Settings(playouts_per_leaf=playouts)}
        searchers = {name: uct(bench, engine=engine, **more) for name, engine in engines.items()}
        for trees in bench.grid.trees:
            contenders = [_contender(bench, name, s, trees, cpu_playouts) for name, s in searchers.items()]
            yield from compare("crossover", "iterations/s", contenders, bench.repeats, [contenders[0].what])


def engines_of(bench: Bench) -> dict[str, Any]:
    """The engines by name, the CPU first; with ``engine=cudasim`` the simulator stands for the device."""
    if bench.engine == "cudasim":
        return {BASE: "cpu", "cuda": "cudasim", "device": DeviceEngine()}
    return {name: name for name in (BASE, "cuda", "device")}


def _contender(bench: Bench, engine: str, searcher: Any, trees: int, cpu_playouts: int = CPU_PLAYOUTS) -> Contender:
    """Searches of all trees together; on the CPU of so many of them as give a fair rate."""
    iterations, playouts = bench.grid.iterations, searcher.settings.playouts_per_leaf
    at = {"engine": engine, "trees": trees, "playouts": playouts, "iterations": iterations}
    if engine == BASE:
        trees = min(trees, max(64, bench.threads, cpu_playouts // (playouts * iterations)))
    states, tree_keys = Rules(bench.game).starts(trees), keys(trees)
    search = lambda: searcher.search(states, tree_keys, iterations)  # noqa: E731
    units = trees * iterations

    def run(n: int) -> None:
        for _ in range(max(1, n // units)):
            search()

    name = f"trees={at['trees']} playouts={playouts}, {engine}"
    return Contender(name, run, units * searches_a_turn(search), at)


def searches_a_turn(search: Callable[[], Any]) -> int:
    """How many searches take about a tenth of a second, once what has to be compiled is."""
    search()
    begin = time.perf_counter()
    search()
    seconds = time.perf_counter() - begin
    return max(1, min(MAX_SEARCHES, int(SECONDS_A_TURN / max(seconds, 1e-9))))


def complete(rows: Sequence[Row]) -> list[Row]:
    """The rows of as many playouts a leaf as all numbers of trees were measured for, so that they are a table."""
    trees: dict[int, set[int]] = {}
    for row in rows:
        trees.setdefault(row.at["playouts"], set()).add(row.at["trees"])
    most = max((len(numbers) for numbers in trees.values()), default=0)
    return [row for row in rows if len(trees[row.at["playouts"]]) == most]


def table(bench: Bench, rows: Sequence[Row], policy: str = "uniform") -> dict[str, Any]:
    """The rows as a table of cells, by trees and playouts a leaf: ``rates`` of the engines, and the ``fastest``."""
    cells: dict[tuple[int, int], dict[str, float]] = {}
    for row in rows:
        cells.setdefault((row.at["trees"], row.at["playouts"]), {})[row.at["engine"]] = row.median
    return {
        "game": bench.game_name,
        "policy": policy,
        "measured": True,
        "threads": bench.threads,
        "iterations": bench.grid.iterations,
        "unit": "iterations/s",
        "cells": [
            {"trees": trees, "playouts": playouts, "fastest": max(rates, key=lambda name: rates[name]), "rates": rates}
            for (trees, playouts), rates in sorted(cells.items())
        ],
    }
