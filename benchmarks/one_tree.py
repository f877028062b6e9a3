"""One tree that takes many leaves at a time: rates by leaves and threads, a large tree's memory and longest pause."""

import time
from typing import Any

from benchmarks.measure import Bench, Contender, Row, compare
from benchmarks.memory import count_nodes, slot_bytes
from benchmarks.ours import keys, uct
from gpumcts.kernels.batch import Rules
from gpumcts.resources import usable_cores
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.settings import Settings

LEAVES = (1, 16, 64, 256, 1024, 4096)
MANY_PLAYOUTS, WITH_MANY_PLAYOUTS = 64, (1, 16)  # playouts a leaf, and at which leaves a batch
ITERATIONS, BATCHES = 50_000, 50  # of a turn, at least
LARGE, WITH_LARGE = 10_000_000, (1, 256)  # iterations of a large tree, and at which leaves a batch
LARGE_WITHOUT_LANES = 300_000  # of games whose playouts are ten times as dear and more


def suite(bench: Bench) -> list[Row]:
    """Rates by leaves a batch and threads, then a large tree of a search that is stopped and looked at."""
    return [*_rates(bench, 1, LEAVES), *_rates(bench, MANY_PLAYOUTS, WITH_MANY_PLAYOUTS), *_large(bench)]


def _threads() -> tuple[int, ...]:
    return (1, 2) if usable_cores() < 4 else (1, 2, usable_cores())


def _rates(bench: Bench, playouts: int, of_leaves: tuple[int, ...]) -> list[Row]:
    """Each compared with one leaf a batch on one thread, and against as many leaves on one thread."""
    contenders = []
    for leaves in of_leaves:
        for threads in _threads() if bench.on_cpu else (bench.threads,):
            against = (_name(1, playouts, 1), _name(leaves, playouts, 1))
            contenders.append(_contender(bench, leaves, playouts, threads, against))
    return compare("one_tree", "iterations/s", contenders, bench.repeats)


def _name(leaves: int, playouts: int, threads: int) -> str:
    return f"L = {leaves:,}, {playouts} playouts, threads={threads}"


def _contender(bench: Bench, leaves: int, playouts: int, threads: int, against: tuple[str, ...]) -> Contender:
    searcher = _searcher(bench, leaves, playouts, threads)
    states, tree_keys = Rules(bench.game).starts(1), keys(1)

    def run(n: int) -> None:
        searcher.search(states, tree_keys, max(2, n))

    at = {"leaves": leaves, "playouts": playouts, "threads": threads}
    units = max(ITERATIONS // playouts, BATCHES * leaves)
    return Contender(_name(leaves, playouts, threads), run, units, at, against=against)


def _searcher(bench: Bench, leaves: int, playouts: int, threads: int) -> Any:
    settings = Settings(leaves_per_tree=leaves, playouts_per_leaf=playouts)
    return uct(bench, threads=threads, settings=settings)


def _large(bench: Bench) -> list[Row]:
    """Bytes a node, and the longest and the median slice of a search: how long a growing tree keeps a clock waiting."""
    rows, iterations = [], LARGE if bench.game.LANES else LARGE_WITHOUT_LANES
    for leaves in WITH_LARGE:
        searcher, states = _searcher(bench, leaves, 1, bench.threads), Rules(bench.game).starts(1)
        searcher.search(states, keys(1), leaves + 1)  # compiles
        search = IncrementalSearch(searcher, states[0], keys(1)[0])
        slices, begin = [], time.perf_counter()
        for _ in search.slices(iterations, None):
            slices.append(time.perf_counter() - begin)
            begin = time.perf_counter()
        forest, at = search.found().forest, {"leaves": leaves, "iterations": iterations}
        assert forest is not None
        what, nodes = f"L = {leaves:,}, {iterations:,} iterations", count_nodes(forest)
        used = int(forest.used.sum()) * slot_bytes(forest) / nodes
        middle, longest = sorted(slices)[len(slices) // 2], max(slices)
        rows += [
            Row("one_tree", f"{what}: nodes", "nodes", nodes, nodes, nodes, at=at),
            Row("one_tree", f"{what}: a node", "bytes", used, used, used, at=at),
            Row("one_tree", f"{what}: longest slice", "ms", 1e3 * longest, 1e3 * middle, 1e3 * longest, at=at),
        ]
    return rows
