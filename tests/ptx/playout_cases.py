"""Playouts of every game by every policy in every way: what the emulated device finds, and what the CPU finds."""

import functools
import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from gpumcts import options
from gpumcts.kernels.compile_check import variants
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.cuda.searches import ways
from gpumcts.options import compiled
from gpumcts.playouts.contract import plays
from gpumcts.playouts.traces import trace_words, traced
from tests.kernels.drivers import GAMES, PAIRS, POLICIES, digest, keys_for, positions
from tests.ptx.driver_cases import Outcome

LATE = {
    "Othello": 40,
    "OneWord6": 20,
    "Full10": 60,
    "Michniewski": 20,
    "Gomoku15": 100,
}  # plies before the positions, by the game's class
LEAVES, FEW = 40, {2: 6, 3: 4}  # by the depth of a policy that searches


class Shape(NamedTuple):
    """How playouts are launched: threads of a block, leaves (None: as suits the policy), playouts a leaf, a launch."""

    threads: int | None
    leaves: int | None
    playouts: int
    cut: int | None
    same: bool = False  # one state for all leaves
    blocks: int | None = None  # no more at once, so that warps come back for more playouts


SHAPES = (
    Shape(None, None, 1, None),
    Shape(64, None, 1, None, same=True),
    Shape(32, 3, 1, None),
    Shape(96, None, 3, 29),
    Shape(160, 5, 33, None),
    Shape(32, 7, 20, None, blocks=1),
)
SLOW_SHAPES = (Shape(None, None, 1, None), Shape(96, 3, 2, 5), Shape(32, 4, 12, None, blocks=1))


class Row(NamedTuple):
    """A kernel: a game and a policy (option values), traces kept or not, and the way."""

    name: str
    game: Any
    policy: Any
    keeps: bool
    way: str

    def __str__(self) -> str:
        return f"playouts of {self.name}, {'traced, ' if self.keeps else ''}{self.way}"


def parts(row: Row) -> tuple[Any, Any]:
    """The game and the policy as they travel into compiled code."""
    game, policy = compiled(row.game), compiled(row.policy)
    return (traced(game, policy) if row.keeps else game), policy


def kernel_of(row: Row) -> tuple[str, str, bool, str]:
    """What tells a row's kernel from others: the classes of game and policy, whether traces are kept, the way."""
    return type(compiled(row.game)).__name__, type(compiled(row.policy)).__name__, row.keeps, row.way


@functools.cache
def rows() -> tuple[Row, ...]:
    """All kernels of playouts: of the boards of other tests, and of every game and policy with its defaults."""
    found = {str(row): row for row in _of_tests()}
    known = {kernel_of(row) for row in found.values()}
    found |= {str(row): row for row in _of_defaults() if kernel_of(row) not in known}
    return tuple(found.values())


def _of_tests() -> Iterator[Row]:
    for game, policy in PAIRS:
        yield from _all_ways(f"{policy} on {game}", GAMES[game], POLICIES[policy])


def _of_defaults() -> Iterator[Row]:
    """The kernels that users' defaults ask for; searches are cut, since a board may be large."""
    for name in options.names("game"):
        game = options.option("game", name)()
        for policy in (
            value for kind in options.names("playout") for value in variants(options.option("playout", kind))
        ):
            if plays(compiled(policy), compiled(game)):
                cut = {1: 12, 2: 4, 3: 2}.get(getattr(policy, "depth", 0))
                short = policy._replace(truncate=cut) if cut else policy
                yield from _all_ways(f"{type(compiled(policy)).__name__} on {name} by default", game, short)


def _all_ways(name: str, game: Any, policy: Any) -> Iterator[Row]:
    for keeps in (False, True):
        if not keeps or getattr(compiled(game), "CELLS", 0):
            row = Row(name, game, policy, keeps, "")
            yield from (row._replace(way=way) for way in ways(*parts(row)))


def outcome(row: Row) -> Outcome:
    """Digests of all shapes by the emulated device, and by the CPU."""
    shapes = SLOW_SHAPES if getattr(row.policy, "depth", 0) > 1 else SHAPES
    return " ".join(_on_device(row, shape) for shape in shapes), lambda: " ".join(
        _on_cpu(row, shape) for shape in shapes
    )


def _on_device(row: Row, shape: Shape) -> str:
    from gpumcts.kernels.cuda.engine import CudaPlayouts

    game, policy = parts(row)
    engine = CudaPlayouts(game, policy, row.way, _threads(game, policy, row.way, shape))
    if shape.blocks:
        engine.shape = engine.shape._replace(blocks=shape.blocks)
    if shape.cut:
        engine.took = lambda playouts, begin, end: None
        engine.playouts_a_launch = shape.cut
    return _told(engine, row, shape)


def _on_cpu(row: Row, shape: Shape) -> str:
    return _told(CpuPlayouts(*parts(row)), row, shape)


def _threads(game: Any, policy: Any, way: str, shape: Shape) -> int | None:
    """The threads of a shape, or fewer where the kernel's registers leave room for fewer."""
    from gpumcts.kernels.cuda.engine import CudaPlayouts

    most = CudaPlayouts(game, policy, way)._kernel.get_max_threads_per_block()
    return shape.threads and min(shape.threads, most // 32 * 32)


def _told(engine: Any, row: Row, shape: Shape) -> str:
    states, keys = batch(row, shape)
    if not row.keeps:
        return digest(engine.tally(states, keys, shape.playouts))
    return hashlib.sha256(engine.columns(states, keys, shape.playouts).tobytes()).hexdigest()[:16]


def batch(row: Row, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    """Leaves and their keys."""
    name = str(row), shape  # a row itself may hold a list, and that is no key
    if name not in _BATCHES:
        _BATCHES[name] = _new_batch(row, shape)
    return _BATCHES[name]


_BATCHES: dict[tuple[str, Shape], tuple[np.ndarray, np.ndarray]] = {}
"""What :func:`batch` has made."""


def _new_batch(row: Row, shape: Shape) -> tuple[np.ndarray, np.ndarray]:
    leaves = shape.leaves or FEW.get(getattr(row.policy, "depth", 0), LEAVES)
    states = positions(compiled(row.game), leaves, least=LATE.get(type(compiled(row.game)).__name__, 0))
    if row.keeps:
        states = np.hstack([states, np.zeros((leaves, trace_words(compiled(row.game))), np.uint64)])
    return np.broadcast_to(states[-1], states.shape) if shape.same else states, keys_for(leaves)
