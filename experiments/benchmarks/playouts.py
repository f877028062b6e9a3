"""Playouts a second: uniform and informed, in lanes and one by one, beside scalar C++ and other programs."""

from contextlib import ExitStack
from typing import Any

from experiments.benchmarks.measure import Bench, Contender, Row, compare
from experiments.benchmarks.ours import keys
from experiments.benchmarks.peers import of_playouts
from experiments.peers.scalar import scalar_playouts
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.engines import playout_engine
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.uniform import Uniform

ON_A_DEVICE = 16  # times as many playouts a turn there, or launches would not fill it
INFORMED = {1: 40_000, 2: 8_000, 3: 1_500}  # playouts a turn by depth


def suite(bench: Bench) -> list[Row]:
    """Playouts a second from the start of the game; every row is held against the other programs, else the slowest of ours."""
    scale = 1 if bench.on_cpu else ON_A_DEVICE
    contenders = [_ours(bench, f"uniform, {bench.engine}", Uniform(), 1_000_000 * scale)]
    contenders.append(_on_cpu(bench, "uniform, one by one, cpu", 300_000, bench.threads, lanes=1))
    for depth, units in INFORMED.items():
        name = f"minimax depth {depth}, {bench.engine}"
        contenders.append(_ours(bench, name, Minimax(depth=depth), units * scale))
    if not bench.on_cpu:
        contenders.append(_on_cpu(bench, "uniform, cpu, threads=1", 1_000_000, 1))
    against = [contenders[-1].what]
    contenders += _scalar(bench)
    with ExitStack() as stack:
        peers = [stack.enter_context(peer) for peer in of_playouts(bench.peers, bench.game, bench.game_name)]
        against = [peer.what for peer in peers] or against
        return compare("playouts", "playouts/s", contenders + peers, bench.repeats, against)


def _ours(bench: Bench, what: str, policy: Any, units: int) -> Contender:
    engine = playout_engine(bench.engine, bench.game, policy, bench.threads)
    states, leaf_keys = Rules(bench.game).starts(units), keys(units)
    return Contender(what, lambda n: engine.tally(states[:n], leaf_keys[:n]), units)


def _on_cpu(bench: Bench, what: str, units: int, threads: int, **options: Any) -> Contender:
    engine = CpuPlayouts(bench.game, Uniform(), threads, **options)
    states, leaf_keys = Rules(bench.game).starts(units), keys(units)
    return Contender(what, lambda n: engine.tally(states[:n], leaf_keys[:n]), units)


def _scalar(bench: Bench) -> list[Contender]:
    """Our uniform playouts as scalar C++ on one thread, where the game has such a program and g++ compiles it."""
    tally, units = scalar_playouts(bench.game_name), 300_000
    if tally is None:
        return []
    states, leaf_keys = Rules(bench.game).starts(units), keys(units)
    return [Contender("uniform, scalar C++, -O3 -march=native", lambda n: tally(states[:n], leaf_keys[:n], 1), units)]
