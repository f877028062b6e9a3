"""What the cost of a playout, an iteration or a game depends on: threads, lanes, batches, trees, the size of a tree."""

from collections.abc import Callable
from typing import Any

from benchmarks.match import games_a_turn
from benchmarks.measure import Bench, Contender, Row, compare
from benchmarks.ours import keys, uct
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.engines import playout_engine
from gpumcts.kernels.playout_loop import WIDTHS
from gpumcts.playouts.uniform import Uniform
from gpumcts.resources import usable_cores
from gpumcts.tree.settings import Settings

TREES = (64, 1000, 10_000)
ITERATIONS_OF_TREES = 200
ONE_TREE = (1000, 10_000, 100_000, 1_000_000)
BATCHES = (64, 1000, 10_000, 100_000, 1_000_000)
PLAYOUTS_A_TURN, ITERATIONS_A_TURN = 600_000, 300_000
THREADED_TREES, THREADED_ITERATIONS = 1000, 400
MATCHES = ((300, 64), (1000, 64))  # iterations a move, games
DEVICE_TREES, DEVICE_PLAYOUTS, DEVICE_ITERATIONS = (1000, 10_000, 100_000), (1, 8, 64), 50
ON_A_DEVICE = 20  # times as many playouts a turn there


def suite(bench: Bench) -> list[Row]:
    """The curves of the CPU, or those of a device: in each, rates are compared with its first point."""
    curves = [_threads_of_playouts, _threads_of_searches, _threads_of_matches, _lanes, _batches, _trees, _one_tree]
    if not bench.on_cpu:
        curves = [_batches, _trees_and_playouts]
    return [row for curve in curves for row in curve(bench)]


def _curve(bench: Bench, unit: str, contenders: list[Contender]) -> list[Row]:
    return compare("scaling", unit, contenders, bench.repeats, [contenders[0].what])


def _threads() -> list[int]:
    cores = usable_cores()
    return sorted({1, min(2, cores), cores})


# ---------------------------------------------------------------------------------------------------------- threads


def _threads_of_playouts(bench: Bench) -> list[Row]:
    rows = [_playouts(bench, f"uniform playouts, threads={n}", {"threads": n}, threads=n) for n in _threads()]
    return _curve(bench, "playouts/s", rows)


def _threads_of_searches(bench: Bench) -> list[Row]:
    trees, iterations = THREADED_TREES, THREADED_ITERATIONS
    contenders = []
    for count in _threads():
        searcher, states, tree_keys = uct(bench, threads=count), Rules(bench.game).starts(trees), keys(trees)
        name = f"UCT, {trees} trees x {iterations}, threads={count}"
        run = _searching(searcher, states, tree_keys)
        contenders.append(Contender(name, run, trees * iterations, {"threads": count}))
    return _curve(bench, "iterations/s", contenders)


def _searching(searcher: Any, states: Any, tree_keys: Any) -> Callable[[int], None]:
    """All trees together; n is iterations of all of them."""
    return lambda n: searcher.search(states, tree_keys, max(2, n // len(states)))


def _threads_of_matches(bench: Bench) -> list[Row]:
    return [row for shape in MATCHES for row in _curve(bench, "games/s", _matches(bench, *shape))]


def _matches(bench: Bench, iterations: int, games: int) -> list[Contender]:
    return [
        Contender(
            f"match, {games} games of {iterations} iterations a move, threads={count}",
            games_a_turn(bench, iterations, games, count),
            games,
            {"threads": count, "iterations": iterations, "games": games},
        )
        for count in _threads()
    ]


# --------------------------------------------------------------------------------------------------------- playouts


def _playouts(bench: Bench, what: str, at: dict[str, Any], units: int = PLAYOUTS_A_TURN, **options: Any) -> Contender:
    engine = CpuPlayouts(bench.game, Uniform(), **options)
    states, leaf_keys = Rules(bench.game).starts(units), keys(units)
    return Contender(what, lambda n: engine.tally(states[:n], leaf_keys[:n]), units, at)


def _lanes(bench: Bench) -> list[Row]:
    counts = (1, *WIDTHS) if bench.game.LANES else (1,)
    rows = [_playouts(bench, f"uniform playouts, lanes={n}", {"lanes": n}, lanes=n) for n in counts]
    return _curve(bench, "playouts/s", rows)


def _batches(bench: Bench) -> list[Row]:
    """Leaves in one call of the engine, as many calls as make a turn."""
    engine = playout_engine(bench.engine, bench.game, Uniform(), bench.threads)
    units = PLAYOUTS_A_TURN * (1 if bench.on_cpu else ON_A_DEVICE)
    states, leaf_keys = Rules(bench.game).starts(max(BATCHES)), keys(max(BATCHES))

    def contender(batch: int) -> Contender:
        def run(n: int) -> None:
            for _ in range(max(1, n // batch)):
                engine.tally(states[:batch], leaf_keys[:batch])

        turn = max(batch, min(units, 2000 * batch) // batch * batch)
        return Contender(f"uniform playouts, batch={batch}", run, turn, {"batch": batch})

    return _curve(bench, "playouts/s", [contender(batch) for batch in BATCHES])


# ------------------------------------------------------------------------------------------------------------ trees


def _forest(bench: Bench, trees: int, iterations: int, what: str, at: dict[str, Any], **options: Any) -> Contender:
    """Searches of so many trees one after the other, each under other keys, as many as make a turn."""
    searcher, states = uct(bench, **options), Rules(bench.game).starts(trees)
    searches = max(1, ITERATIONS_A_TURN // (trees * iterations))
    tree_keys = [keys(trees, ply=number) for number in range(searches)]

    def run(n: int) -> None:
        for number in range(max(1, min(n // (trees * iterations), searches))):
            searcher.search(states, tree_keys[number], max(2, min(iterations, n // trees)))

    return Contender(what, run, searches * trees * iterations, at)


def _trees(bench: Bench) -> list[Row]:
    size = ITERATIONS_OF_TREES
    rows = [_forest(bench, n, size, f"UCT, {n} trees x {size}", {"trees": n, "iterations": size}) for n in TREES]
    return _curve(bench, "iterations/s", rows)


def _one_tree(bench: Bench) -> list[Row]:
    rows = [_forest(bench, 1, n, f"UCT, 1 tree x {n}", {"iterations": n, "trees": 1}) for n in ONE_TREE]
    return _curve(bench, "iterations/s", rows)


def _trees_and_playouts(bench: Bench) -> list[Row]:
    """On a device: trees times playouts a leaf."""
    contenders = []
    for playouts in DEVICE_PLAYOUTS:
        settings = Settings(playouts_per_leaf=playouts)
        for trees in DEVICE_TREES:
            name = f"UCT, {trees} trees x {DEVICE_ITERATIONS}, {playouts} playouts a leaf"
            at = {"trees": trees, "iterations": DEVICE_ITERATIONS, "playouts": playouts}
            contenders.append(_forest(bench, trees, DEVICE_ITERATIONS, name, at, settings=settings))
    return _curve(bench, "iterations/s", contenders)
