"""Ways to play playouts and caps on the registers of searches, compared; the tables that engines follow.

Rates are those of the kernels alone where the device tells them: how batches travel is the same for all ways.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from benchmarks.device.kernels import game_and_policy, ways_of
from benchmarks.device.sizes import Sizes
from benchmarks.measure import KERNELS, Contender, Row, compare, row_of
from benchmarks.ours import keys
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cuda.device_choices import PARTS, label
from gpumcts.options import compiled, option
from gpumcts.resources import usable_cores

REPEATS = 3
FEWER_INFORMED = 16  # leaves of informed playouts are so many times fewer: enough for a thread each
MAX_BATCHES = 10_000
PER_CORE = "one core"
PLAYOUTS, ITERATIONS = "playouts/s", "iterations/s"


def rows_of_ways(game_name: str, policy_name: str, chosen: Sizes) -> Iterator[Row]:
    """Playouts a second of every way to play a policy on a game, beside one core of the CPU."""
    from gpumcts.kernels.cpu import CpuPlayouts
    from gpumcts.kernels.cuda.engine import CudaPlayouts

    game, policy = game_and_policy(game_name, policy_name)
    names = {"game": label(compiled(game)), "policy": label(compiled(policy))}
    cpu = CpuPlayouts(game, policy)
    base = f"{game_name}, {policy_name}, {PER_CORE}"
    for playouts in chosen.playouts if policy_name == "uniform" else (1,):
        leaves = max(1, chosen.leaves // (1 if policy_name == "uniform" else FEWER_INFORMED) // playouts)
        contenders = []
        for way in ways_of(game, policy):
            engine = CudaPlayouts(game, policy, way, cores=usable_cores())
            at = {**names, "way": way, "playouts": playouts, "leaves": leaves, "shape": list(engine.shape)}
            name = f"{game_name}, {policy_name}, {way}, {leaves} leaves, {playouts} playouts a leaf"
            contenders.append(_contender(name, engine, game, leaves, playouts, chosen.turn, at))
        contenders.append(_contender(base, cpu, game, min(leaves, 1024), 1, chosen.turn, {}))
        yield from compare("ways", PLAYOUTS, contenders, REPEATS, [base])


def _contender(what: str, engine: Any, game: Any, leaves: int, playouts: int, seconds: float, at: dict) -> Contender:
    """A turn is as many batches as take so many seconds."""
    import numpy as np

    start = Rules(game).starts(1)
    states, leaf_keys = np.broadcast_to(start, (leaves, start.shape[1])), keys(leaves)

    def batch() -> None:
        engine.tally(states, leaf_keys, playouts)

    batches = times(batch, seconds)

    def run(n: int) -> None:
        for _ in range(max(1, n // (leaves * playouts))):
            batch()

    return Contender(what, run, leaves * playouts * batches, at, (engine,))


def times(work: Callable[[], Any], seconds: float) -> int:
    """How often some work can be done in so many seconds, once it is warm; once at least."""
    work()
    begin = time.perf_counter()
    work()
    return max(1, min(MAX_BATCHES, int(seconds / max(time.perf_counter() - begin, 1e-9))))


def rows_of_caps(name: str, chosen: Sizes) -> Iterator[Row]:
    """Iterations a second of whole searches on the device by registers of a thread at most, 0 for no cap."""
    from gpumcts.tree.device_search import search_kernel
    from gpumcts.tree.search import Searcher
    from gpumcts.tree.settings import Settings

    rule, operator, policy, game = (
        option(kind, part)()
        for kind, part in zip(("selection", "backup", "playout", "game"), name.split("/"), strict=True)
    )
    searcher: Any = Searcher(game, policy, rule, operator, Settings(), engine="device")
    parts = searcher.parts
    values = parts.rule, parts.operator, parts.policy, parts.game
    names = dict(zip(PARTS, map(label, values), strict=True))
    states, tree_keys = Rules(game).starts(chosen.trees), keys(chosen.trees)
    for cap in chosen.caps:
        searcher.device_kernel = kernel = search_kernel(parts, registers=cap)
        kernel.spans = []
        rates, alone, units = [], [], chosen.trees * chosen.iterations
        searcher.search(states, tree_keys, chosen.iterations)
        for _ in range(REPEATS):
            kernel.spans.clear()
            begin = time.perf_counter()
            searcher.search(states, tree_keys, chosen.iterations)
            rates.append(units / (time.perf_counter() - begin))
            alone.append(units / max(sum(kernel.spans), 1e-9))
        at = {**names, "cap": cap, "trees": chosen.trees, "shape": list(kernel.shape)}
        what = f"{name}, cap {cap or 'none'}, {kernel.shape.registers} registers"
        yield row_of("caps", what, ITERATIONS, rates, at=at)
        yield row_of("caps", f"{what}: kernels alone", ITERATIONS, alone, at=at | KERNELS)


# -------------------------------------------------------------------------------------------------------------- tables


def table(device: str, rows: Iterable[Row]) -> dict[str, Any]:
    """The table that ``gpumcts.kernels.cuda.device_choices`` follows: ways by the largest batch, and all caps tried."""
    told = [row for row in rows if row.at.get("of") == KERNELS["of"] and row.unit in (PLAYOUTS, ITERATIONS)]
    ways: dict[tuple[str, ...], dict[str, float]] = {}
    caps: dict[tuple[str, ...], dict[str, float]] = {}
    for row in told:
        if "way" in row.at:  # rows of more playouts a leaf come later, and stay
            ways.setdefault((row.at["game"], row.at["policy"]), {})[row.at["way"]] = row.median
        elif "cap" in row.at:
            caps.setdefault(tuple(row.at[part] for part in PARTS), {})[str(row.at["cap"])] = row.median
    return {
        "device": device,
        "ways": [{"game": game, "policy": policy, "rates": rates} for (game, policy), rates in ways.items()],
        "caps": [{**dict(zip(PARTS, names, strict=True)), "rates": rates} for names, rates in caps.items()],
    }
