"""The suites of ``experiments.bench``: what is measured, against what, and how a median and a ratio come about.

Contenders of one comparison take turns within a run, since machines drift; a figure is the median of its repeats, and a
ratio the median of the ratios turn by turn.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from experiments.peers.scalar import scalar_playouts
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.engines import playout_engine
from gpumcts.options import names, option
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import key_of
from gpumcts.tree.forest import bytes_per_slot
from gpumcts.tree.search import Searcher
from gpumcts.tree.selection.ucb1 import Ucb1

PEER_GAMES = {"othello": "othello"}
"""Our games by their names in OpenSpiel; where a game has none, it is measured alone."""


class Bench(NamedTuple):
    """What is measured: a game (option value) and its name, on which engine, CPU threads, and turns of each contender."""

    game: Any
    game_name: str
    engine: str
    threads: int
    repeats: int


ON_A_DEVICE = 16  # times as many playouts a turn there, or launches would not fill it


class Row(NamedTuple):
    """One figure: its median, smallest and largest of the repeats, and its ratio to the row named in ``against``."""

    suite: str
    what: str
    unit: str
    median: float
    low: float
    high: float
    against: str = ""
    ratio: float | None = None


class Contender(NamedTuple):
    """Something that can be timed: ``run(n)`` does n units of work; ``units`` is n for about a second."""

    what: str
    run: Callable[[int], Any]
    units: int


def compare(suite: str, unit: str, contenders: list[Contender], repeats: int, against: str = "") -> list[Row]:
    """Time the contenders in turns; ratios are to the one called ``against``, where it takes part."""
    for contender in contenders:
        contender.run(max(1, contender.units // 50))  # compiles, loads, warms up
    rates: dict[str, list[float]] = {contender.what: [] for contender in contenders}
    for _ in range(repeats):
        for contender in contenders:
            begin = time.perf_counter()
            contender.run(contender.units)
            rates[contender.what].append(contender.units / (time.perf_counter() - begin))
    return [_row(suite, what, unit, rates[what], against, rates.get(against)) for what in rates]


def _row(suite: str, what: str, unit: str, values: list[float], against: str, base: list[float] | None) -> Row:
    ratio = None
    if base is not None and what != against:
        ratio = statistics.median(ours / theirs for ours, theirs in zip(values, base, strict=True))
    name = against if ratio is not None else ""
    return Row(suite, what, unit, statistics.median(values), min(values), max(values), name, ratio)


def keys(count: int, ply: int = 0, seed: int = 1) -> np.ndarray:
    """A key for each of ``count`` games, uint64[count]."""
    return np.array([key_of(seed, number, ply) for number in range(count)], np.uint64)


# ----------------------------------------------------------------------------------------------------------- peers


def open_spiel_rollouts(game_name: str) -> Contender:
    """OpenSpiel's C++ ``RandomRolloutEvaluator`` from the start: one search iteration of its MCTSBot with N rollouts."""
    import pyspiel

    game = pyspiel.load_game(PEER_GAMES[game_name])

    def run(n: int) -> None:
        bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(n, 1), 1.4, 1, 1000, False, 1, False)
        bot.step(game.new_initial_state())

    return Contender("OpenSpiel C++ rollouts", run, 3000)


def open_spiel_search(game_name: str) -> Contender:
    """OpenSpiel's C++ ``MCTSBot``, one rollout a leaf, from the start."""
    import pyspiel

    game = pyspiel.load_game(PEER_GAMES[game_name])

    def run(n: int) -> None:
        bot = pyspiel.MCTSBot(game, pyspiel.RandomRolloutEvaluator(1, 1), 1.4, n, 1000, False, 1, False)
        bot.step(game.new_initial_state())

    return Contender("OpenSpiel C++ MCTSBot", run, 3000)


def scalar_cpp(bench: Bench) -> list[Contender]:
    """Our uniform playouts as scalar C++ on one thread, where the game has such a program and g++ compiles it."""
    tally, units = scalar_playouts(bench.game_name), 300_000
    if tally is None:
        return []
    states, leaf_keys = Rules(bench.game).starts(units), keys(units)
    return [Contender("uniform, scalar C++, -O3 -march=native", lambda n: tally(states[:n], leaf_keys[:n], 1), units)]


# ---------------------------------------------------------------------------------------------------------- suites


def playouts(bench: Bench, peer: bool) -> list[Row]:
    """Playouts a second, uniform and informed, beside OpenSpiel's uniform rollouts."""
    game = bench.game
    rules = Rules(game)

    def contender(what: str, policy: Any, units: int, lanes: bool = True) -> Contender:
        engine = playout_engine(bench.engine, game, policy, bench.threads)
        if not lanes:
            engine = CpuPlayouts(game, policy, bench.threads, lanes=1)
        states, leaf_keys = rules.starts(units), keys(units)
        return Contender(what, lambda n: engine.tally(states[:n], leaf_keys[:n]), units)

    scale = ON_A_DEVICE if bench.engine in ("cuda", "device", "auto") else 1
    contenders = [
        contender(f"uniform, {bench.engine}", Uniform(), 1_000_000 * scale),
        contender("uniform, one by one, cpu", Uniform(), 300_000, lanes=1),
        contender(f"minimax depth 1, {bench.engine}", Minimax(depth=1), 40_000 * scale),
        contender(f"minimax depth 2, {bench.engine}", Minimax(depth=2), 8_000 * scale),
        contender(f"minimax depth 3, {bench.engine}", Minimax(depth=3), 1_500 * scale),
    ]
    if bench.engine != "cpu":
        contenders.append(_on_cpu(bench))
    against = contenders[-1].what
    contenders += scalar_cpp(bench)
    if peer and bench.game_name in PEER_GAMES:
        contenders.append(open_spiel_rollouts(bench.game_name))
        against = contenders[-1].what
    return compare("playouts", "playouts/s", contenders, bench.repeats, against)


def _on_cpu(bench: Bench) -> Contender:
    """Uniform playouts on one CPU thread, to hold a device against."""
    engine, units = CpuPlayouts(bench.game, Uniform(), 1), 1_000_000
    states, leaf_keys = Rules(bench.game).starts(units), keys(units)
    return Contender("uniform, cpu, threads=1", lambda n: engine.tally(states[:n], leaf_keys[:n]), units)


def search(bench: Bench, peer: bool) -> list[Row]:
    """UCT iterations a second, 1000 trees of 500 iterations, every operator, beside OpenSpiel's MCTSBot."""
    game = bench.game
    trees, iterations = 1000, 500
    states, tree_keys = Rules(game).starts(trees), keys(trees)

    def contender(name: str) -> Contender:
        searcher = Searcher(
            game, Uniform(), Ucb1(), option("backup", name)(), engine=bench.engine, threads=bench.threads
        )

        def run(n: int) -> None:
            searcher.search(states[: max(1, n // iterations)], tree_keys[: max(1, n // iterations)], iterations)

        return Contender(f"UCT, {name}", run, trees * iterations)

    contenders = [contender(name) for name in names("backup")]
    against = "UCT, average"
    if peer and bench.game_name in PEER_GAMES:
        contenders.append(open_spiel_search(bench.game_name))
        against = contenders[-1].what
    return compare("search", "iterations/s", contenders, bench.repeats, against)


def memory(bench: Bench, peer: bool) -> list[Row]:
    """Bytes a node: slots handed out times their size, over nodes, after 2000 iterations; nothing is timed."""
    game = bench.game
    rows = []
    for name in names("backup"):
        operator = option("backup", name)()
        searched = Searcher(game, Uniform(), Ucb1(), operator).search(Rules(game).starts(4), keys(4), 2000)
        assert searched.forest is not None
        nodes = _nodes(searched.forest)
        used = searched.forest.used.sum() * bytes_per_slot(len(operator.COLUMNS), game.MAX_MOVES) / nodes
        rows.append(Row("memory", f"a node, {name}", "bytes", used, used, used))
    return rows


def _nodes(forest: Any) -> int:
    """Nodes of all trees: the roots and everybody's children, counted from the roots."""
    total = 0
    for tree in range(len(forest.used)):
        pending = [0]
        while pending:
            node = pending.pop()
            first, count = int(forest.first_child[tree, node]), int(forest.children[tree, node])
            total += 1
            pending.extend(range(first, first + count))
    return total


def scaling(bench: Bench, peer: bool) -> list[Row]:
    """Two threads against one, and what the number of trees and of iterations does to the cost of one."""
    game, repeats = bench.game, bench.repeats
    rules = Rules(game)
    units = 400_000
    states, leaf_keys = rules.starts(units), keys(units)
    threads = sorted({1, min(2, os.cpu_count() or 1), os.cpu_count() or 1})

    def on_threads(count: int) -> Contender:
        engine = CpuPlayouts(game, Uniform(), threads=count)
        return Contender(f"uniform playouts, threads={count}", lambda n: engine.tally(states[:n], leaf_keys[:n]), units)

    def trees(count: int, iterations: int, thread_count: int = 1) -> Contender:
        searcher = Searcher(game, Uniform(), Ucb1(), option("backup", "average")(), threads=thread_count)
        roots, tree_keys = rules.starts(count), keys(count)
        what = f"UCT, {count} trees x {iterations}, threads={thread_count}"
        return Contender(what, lambda n: searcher.search(roots, tree_keys, max(1, n // count)), count * iterations)

    rows = compare("scaling", "playouts/s", [on_threads(n) for n in threads], repeats, "uniform playouts, threads=1")
    shapes = [(64, 1000), (1000, 300), (10_000, 100), (1, 1000), (1, 10_000), (1, 100_000)]
    rows += compare("scaling", "iterations/s", [trees(*shape) for shape in shapes], repeats, "UCT, 64 trees x 1000")
    both = [trees(1000, 300, count) for count in threads]
    return rows + compare("scaling", "iterations/s", both, repeats, "UCT, 1000 trees x 300, threads=1")


_FIRST_RESULT = """
import time; begin = time.perf_counter()
import gpumcts; imported = time.perf_counter()
from gpumcts.options import option
from gpumcts.tree.search import Searcher
from gpumcts.kernels.batch import Rules
from gpumcts.rng import key_of
import numpy as np
game = option("game", "{game}")()
values = option("playout", "uniform")(), option("selection", "ucb1")(), option("backup", "average")()
searcher = Searcher(game, *values)
searcher.search(Rules(game).starts(1), np.array([key_of(1)], np.uint64), 100).decide()
print(imported - begin, time.perf_counter() - begin)
"""


def startup(bench: Bench, peer: bool) -> list[Row]:
    """Seconds of a fresh process: importing gpumcts, and to the first move of a search, from a full and an empty cache."""

    def once(cache: str | None) -> tuple[float, float]:
        environment = dict(os.environ) | ({"GPUMCTS_CACHE": cache} if cache else {})
        environment.pop("PYTHONDONTWRITEBYTECODE", None)  # parsing every module anew is not what users see
        command = [sys.executable, "-c", _FIRST_RESULT.format(game=bench.game_name)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        imported, first = map(float, done.stdout.split())
        return imported, first

    with tempfile.TemporaryDirectory() as empty:
        cold = once(empty)[1]
    once(None)
    warm = [once(None) for _ in range(bench.repeats)]
    return [
        _row("startup", "import gpumcts", "s", [pair[0] for pair in warm], "", None),
        _row("startup", "first move, warm cache", "s", [pair[1] for pair in warm], "", None),
        _row("startup", "first move, empty cache", "s", [cold], "", None),
    ]


SUITES: dict[str, Callable[[Bench, bool], list[Row]]] = {
    "playouts": playouts,
    "search": search,
    "memory": memory,
    "scaling": scaling,
    "startup": startup,
}


def run_suites(bench: Bench, suites: list[str], peer: bool) -> Iterator[Row]:
    """The rows of the suites named, one suite after the other; ``peer`` asks for OpenSpiel beside ours."""
    for name in suites:
        yield from SUITES[name](bench, peer)
