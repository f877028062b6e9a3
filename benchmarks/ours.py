"""What of ours is measured: UCT with uniform playouts, the playouts a game has of its own, and keys for its games."""

from typing import Any

import numpy as np

from benchmarks.measure import Bench
from gpumcts.games.contract import staged_move
from gpumcts.options import compiled, names, option
from gpumcts.playouts.contract import choose, plays
from gpumcts.playouts.staged import Staged
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


def own_policies(game: Any) -> dict[str, Any]:
    """A game's own policies by name: those that play no other kind of game, and moves drawn in its stages."""
    found = {"staged": Staged()} if has_stages(game) else {}
    policies = {name: option("playout", name)() for name in names("playout")}
    alone = [name for name, policy in policies.items() if choose.find(type(compiled(policy)), object) is None]
    return found | {name: policies[name] for name in alone if plays(policies[name], game)}


def uct(
    bench: Bench, operator: str = "average", engine: Any = None, threads: int | None = None, **more: Any
) -> Searcher:
    """UCT with uniform playouts on the game measured; on the bench's engine and threads unless others are named.

    ``more`` goes to the searcher: ``policy`` in the place of uniform playouts, ``rule`` in that of UCB1, ``settings``,
    ``memory_limit``.
    """
    return searcher(bench, Searcher, operator, bench.engine if engine is None else engine, threads, **more)


def searcher(
    bench: Bench, kind: type, operator: str = "average", engine: Any = "cpu", threads: int | None = None, **more: Any
) -> Any:
    """The same of a class derived from ``Searcher``."""
    parts = bench.game, more.pop("policy", Uniform()), more.pop("rule", Ucb1()), option("backup", operator)()
    return kind(*parts, engine=engine, threads=threads or bench.threads, **more)
