"""Iterations a second of searches with every backup operator, RAVE or a game's own playouts, beside other programs."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from benchmarks.measure import Bench, Contender, Row, compare
from benchmarks.ours import keys, own_policies, uct
from benchmarks.peers import mctsnc
from benchmarks.peers.contenders import of_searches
from gpumcts.kernels.batch import Rules
from gpumcts.options import compiled, name_of, names
from gpumcts.tree.selection.rave import Rave
from gpumcts.tree.settings import Settings

TREES, ITERATIONS = 1000, 500
MIN_TREES, TURN_SECONDS = 64, 5.0  # trees of slow games: so many, or what a core searches in this time
FULL = (50_000, 200)  # trees and iterations that fill a device
FULL_BATCHES = ((131_072, 1, 60), (8192, 16, 100), (2048, 64, 100))  # trees, playouts a leaf, iterations
BASE = "UCT, average, cpu"
AS_MCTSNC, PLAYOUTS_OF_A_TURN = (8, 128), 20_000_000  # trees and playouts a leaf, as MCTS-NC has them by default
MANY_LEAVES = 1024


def there(game: Any, on_cpu: bool) -> list[str]:
    """What the suite searches with: operators, policies and rules by name; ``average`` always, to compare others to."""
    points = on_cpu and getattr(compiled(game), "CELLS", 0) > 0
    return [*names("backup"), *own_policies(game), *(["rave"] if points else [])]


def suite(bench: Bench) -> Iterator[Row]:
    """UCT iterations a second, 1000 trees of 500 iterations from the start of the game; on a device more trees besides.

    All with uniform playouts and UCB1 but for a row of each policy that the game has of its own, and on the CPU one of
    RAVE where moves are points: these are compared with ``average``. On the CPU alone slow games have fewer trees, or
    the operators would take a quarter of an hour.
    """
    shape = _trees(bench) if bench.on_cpu else TREES, ITERATIONS
    operators = _operators(bench)
    contenders = [_ours(bench, operator, *shape) for operator in operators] + _beside_average(bench, *shape)
    if not bench.on_cpu:
        contenders += [_ours(bench, "average", *shape, engine="cpu", threads=n) for n in _threads(bench)]
    with ExitStack() as stack:
        peers = [stack.enter_context(peer) for peer in of_searches(bench.peers, bench.game, bench.game_name)]
        if any(peer.what.startswith(mctsnc.NAME) for peer in peers):
            leaves = compiled(bench.game).MAX_MOVES, MANY_LEAVES
            contenders += [_in_shape_of_mctsnc(bench, number) for number in leaves]
        against = [peer.what for peer in peers] or [c.what for c in contenders if c.what.startswith(BASE)]
        average = _name("average", {"trees": shape[0], "iterations": ITERATIONS, "playouts": 1}, {})
        yield from compare("search", "iterations/s", contenders + peers, bench.repeats, against or [average])
    if bench.engine in ("device", "auto"):
        yield from compare("search", "iterations/s", [_ours(bench, o, *FULL) for o in operators], bench.repeats)
    elif not bench.on_cpu:
        yield from _full_batches(bench)


def _operators(bench: Bench) -> list[str]:
    return [operator for operator in names("backup") if operator == "average" or bench.wants(operator)]


def _beside_average(bench: Bench, trees: int, iterations: int) -> list[Contender]:
    """Searches with ``backup=average`` that differ from its row in the playouts, or in the rule of selection."""
    chosen = [name for name in there(bench.game, bench.on_cpu) if bench.wants(name)]
    parts = [{"policy": policy} for name, policy in own_policies(bench.game).items() if name in chosen]
    parts += [{"rule": Rave()}] if "rave" in chosen else []
    found = [_ours(bench, "average", trees, iterations, **part) for part in parts]
    base = _name("average", {"trees": trees, "iterations": iterations, "playouts": 1}, {})
    return [contender._replace(against=(base,)) for contender in found]


def _trees(bench: Bench) -> int:
    """Trees of a turn that takes no more than about ``TURN_SECONDS``: TREES, or a multiple of ``MIN_TREES``."""
    few = _ours(bench, "average", MIN_TREES, ITERATIONS)
    few.run(1)  # compiles
    begin = time.perf_counter()
    few.run(few.units)
    times = int(TURN_SECONDS / (time.perf_counter() - begin))
    return min(TREES, MIN_TREES * max(1, times))


def _threads(bench: Bench) -> list[int]:
    return sorted({1, bench.threads})


def _full_batches(bench: Bench) -> Iterator[Row]:
    """Batches of 131,072 playouts and more, where the kernels of a device ought to be busy all the time."""
    for trees, playouts, iterations in FULL_BATCHES:
        settings = Settings(playouts_per_leaf=playouts)
        contender = _ours(bench, "average", trees, iterations, settings=settings)
        yield from compare("search", "iterations/s", [contender], bench.repeats)


def _ours(bench: Bench, operator: str, trees: int, iterations: int, **more: Any) -> Contender:
    searcher = uct(bench, operator, **more)
    states, tree_keys = Rules(bench.game).starts(trees), keys(trees)

    def run(n: int) -> None:
        some = max(1, n // iterations)
        searcher.search(states[:some], tree_keys[:some], iterations)

    playouts = searcher.settings.playouts_per_leaf
    at = {"trees": trees, "iterations": iterations, "playouts": playouts}
    return Contender(_name(operator, at, more), run, trees * iterations, at, (searcher.engine,))


def _in_shape_of_mctsnc(bench: Bench, leaves: int) -> Contender:
    """Few trees of many playouts, which count as MCTS-NC counts them: its step plays every child of a leaf."""
    trees, playouts = AS_MCTSNC
    settings = Settings(leaves_per_tree=leaves, playouts_per_leaf=playouts, in_flight="unobserved")
    searcher = uct(bench, "average", "cuda", settings=settings)
    states, tree_keys = Rules(bench.game).starts(trees), keys(trees)

    def run(n: int) -> None:
        searcher.search(states, tree_keys, max(leaves, n // (trees * playouts)))

    at = {"trees": trees, "leaves": leaves, "playouts": playouts}
    what = f"UCT, average, {trees} trees, L = {leaves}, {playouts} playouts a leaf, cuda, playouts"
    return Contender(what, run, PLAYOUTS_OF_A_TURN, at, (searcher.engine,))


def _name(operator: str, at: dict[str, int], more: dict[str, Any]) -> str:
    words = [f"UCT, {operator}"]
    if (at["trees"], at["playouts"]) != (TREES, 1):
        words.append(f"{at['trees']} trees x {at['iterations']}, {at['playouts']} a leaf")
    if "policy" in more:
        words.append(f"{name_of(more['policy'])} playouts")
    if "rule" in more:
        words.append(name_of(more["rule"]))
    if "engine" in more:
        words.append(f"{more['engine']}, threads={more['threads']}")
    return ", ".join(words)
