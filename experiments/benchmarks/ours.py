"""What of ours is measured: UCT with uniform playouts, and keys for its games."""

from typing import Any

import numpy as np

from experiments.benchmarks.measure import Bench
from gpumcts.games.contract import staged_move
from gpumcts.options import compiled, option
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import child_key, key_of
from gpumcts.tree.search import Searcher
from gpumcts.tree.selection.ucb1 import Ucb1


def keys(count: int, ply: int = 0, seed: int = 1) -> np.ndarray:
    """A key for each of ``count`` games, uint64[count]."""
    games = np.arange(count, dtype=np.uint64)
    with np.errstate(over="ignore"):
        return child_key(child_key(key_of(seed), games), np.uint64(ply))


def has_stages(game: Any) -> bool:
    """Whether the game draws moves in stages too, as OpenSpiel's Amazons does."""
    return staged_move.find(type(compiled(game))) is not staged_move.find(object)


def uct(
    bench: Bench, operator: str = "average", engine: Any = None, threads: int | None = None, **more: Any
) -> Searcher:
    """UCT with uniform playouts on the game that is measured; on the bench's engine and threads unless others are named.

    ``more`` goes to the searcher: ``policy`` in the place of uniform playouts, ``settings``, ``memory_limit``.
    """
    return searcher(bench, Searcher, operator, bench.engine if engine is None else engine, threads, **more)


def searcher(
    bench: Bench, kind: type, operator: str = "average", engine: Any = "cpu", threads: int | None = None, **more: Any
) -> Any:
    """The same of a class derived from ``Searcher``."""
    parts = bench.game, more.pop("policy", Uniform()), Ucb1(), option("backup", operator)()
    return kind(*parts, engine=engine, threads=threads or bench.threads, **more)
