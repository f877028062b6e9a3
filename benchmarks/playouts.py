"""Playouts a second: uniform, informed and a game's own, in lanes and singly, beside scalar C++ and other programs."""

import time
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

from benchmarks.machine import floor
from benchmarks.measure import Bench, Contender, Row, compare, row_of
from benchmarks.ours import keys, own_policies
from benchmarks.peers.contenders import of_playouts, of_playouts_on_device
from benchmarks.peers.scalar import scalar_playouts
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.engines import playout_engine
from gpumcts.options import compiled
from gpumcts.playouts.contract import has_whole_playout
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.traces import may_play_in_lanes
from gpumcts.playouts.uniform import Uniform

UNIFORM, ONE_BY_ONE, OWN = 1_000_000, 300_000, 100_000  # playouts a turn; OWN where a game's own policy has no lanes
UNIFORM_ON_CPU = "uniform, cpu"
INFORMED = {1: 40_000, 2: 8_000, 3: 1_500}  # by depth; on the CPU fewer where these take longer than TURN_SECONDS
TURN_SECONDS = 30.0
MAX_INFORMED_MOVES = 1000  # of a position, for informed playouts that end within a repeat's time
ON_A_DEVICE = {1: (1 << 20, 8), 64: (1 << 20, 1), 1024: (1 << 16, 1)}  # leaves, batches a turn; by playouts a leaf
INFORMED_ON_A_DEVICE = {1: 1 << 22, 2: 1 << 21, 3: 1 << 18}  # leaves by depth


def there(game: Any, on_cpu: bool) -> list[str]:
    """The policies by name that the suite measures; uniform playouts always, since others are compared with them."""
    few_moves = compiled(game).MAX_MOVES <= MAX_INFORMED_MOVES
    if not on_cpu:
        return ["uniform", *(["minimax"] if few_moves else [])]
    # Informed ones do without what makes whole playouts fast, and would take minutes.
    informed = few_moves and not has_whole_playout(Uniform(), compiled(game))
    return ["uniform", *own_policies(game), *(["minimax"] if informed else [])]


def suite(bench: Bench) -> Iterator[Row]:
    """Playouts a second from the start of the game; each row is compared with other programs, else with uniform ones.

    Those of the game's own policies are compared with uniform ones in any case. On a device uniform playouts come
    first, then informed ones, each compared with the CPU's: what is measured is there, should time run out.
    """
    if not bench.on_cpu:
        with ExitStack() as stack:
            peers = [stack.enter_context(p) for p in of_playouts_on_device(bench.peers, bench.game, bench.game_name)]
            rows = _held_against_cpu(bench, _uniform_of_device(bench) + _scalar(bench) + peers)
        yield from rows
        yield from _of_the_floor(bench, rows)
        yield from _held_against_cpu(bench, _informed_of_device(bench))
        return
    contenders = [*_of_cpu(bench), *_scalar(bench)]
    with ExitStack() as stack:
        peers = [stack.enter_context(peer) for peer in of_playouts(bench.peers, bench.game, bench.game_name)]
        against = [peer.what for peer in peers] or [UNIFORM_ON_CPU]
        yield from compare("playouts", "playouts/s", contenders + peers, bench.repeats, against)


def _held_against_cpu(bench: Bench, contenders: list[Contender]) -> list[Row]:
    against = [c.what for c in contenders if ", cpu" in c.what or "JAX" in c.what]
    return compare("playouts", "playouts/s", contenders, bench.repeats, against) if contenders else []


def _of_cpu(bench: Bench) -> list[Contender]:
    chosen = [name for name in there(bench.game, on_cpu=True) if bench.wants(name)]
    found = [_on_cpu(bench, UNIFORM_ON_CPU, Uniform(), UNIFORM, bench.threads)]
    if "uniform" in chosen and not has_whole_playout(Uniform(), compiled(bench.game)):  # which is never in lanes
        found.append(_on_cpu(bench, "uniform, one by one, cpu", Uniform(), ONE_BY_ONE, bench.threads, lanes=1))
    for name, policy in own_policies(bench.game).items():
        found += _own_on_cpu(bench, name, policy) if name in chosen else []
    for depth, units in INFORMED.items() if "minimax" in chosen else ():
        what = f"minimax depth {depth}, cpu"
        found.append(_within_a_turn(_on_cpu(bench, what, Minimax(depth=depth), units, bench.threads)))
    return found


def _within_a_turn(contender: Contender) -> Contender:
    """No more units than one core does in about ``TURN_SECONDS``: depth 3 in Chess takes most of a second a playout."""
    contender.run(1)  # compiles
    begin = time.perf_counter()
    contender.run(1)
    units = int(TURN_SECONDS / (time.perf_counter() - begin))
    return contender._replace(units=max(1, min(contender.units, units)))


def _own_on_cpu(bench: Bench, name: str, policy: Any) -> list[Contender]:
    """Playouts of a policy that the game has of its own: in lanes and one by one, where there are lanes."""
    in_lanes = may_play_in_lanes(compiled(policy), compiled(bench.game))
    found = [_on_cpu(bench, f"{name}, cpu", policy, UNIFORM if in_lanes else OWN, bench.threads)]
    if in_lanes:
        found.append(_on_cpu(bench, f"{name}, one by one, cpu", policy, ONE_BY_ONE, bench.threads, lanes=1))
    return [contender._replace(against=(UNIFORM_ON_CPU,)) for contender in found]


def _uniform_of_device(bench: Bench) -> list[Contender]:
    """The device by playouts a leaf, and one core of the CPU."""
    found = [_on_device(bench, "uniform", Uniform(), leaves, p, n) for p, (leaves, n) in ON_A_DEVICE.items()]
    found.append(_on_cpu(bench, "uniform, cpu, threads=1", Uniform(), UNIFORM, 1))
    found.append(_on_cpu(bench, "uniform, one by one, cpu, threads=1", Uniform(), ONE_BY_ONE, 1, lanes=1))
    return found


def _informed_of_device(bench: Bench) -> list[Contender]:
    """Every kernel of the device by depth, and a CPU core at depth 2; none where positions have too many moves."""
    if "minimax" not in there(bench.game, on_cpu=False) or not bench.wants("minimax"):
        return []
    found = [
        _on_device(bench, f"minimax depth {depth}, {way}", Minimax(depth=depth), leaves, 1, 1, way)
        for depth, leaves in INFORMED_ON_A_DEVICE.items()
        for way in _ways(bench, Minimax(depth=depth))
    ]
    found.append(_on_cpu(bench, "minimax depth 2, cpu, threads=1", Minimax(depth=2), INFORMED[2], 1))
    return found


def _ways(bench: Bench, policy: Any) -> list[str]:
    """The kernels that play a policy: by thread, by warp, or by nested loops."""
    playout_engine(bench.engine, bench.game, Uniform(), bench.threads)  # which sets the simulator on, where asked for
    from gpumcts.kernels.cuda.searches import ways

    return list(ways(compiled(bench.game), compiled(policy)))


def _on_device(
    bench: Bench, what: str, policy: Any, leaves: int, playouts: int, batches: int, way: str = ""
) -> Contender:
    engine = playout_engine(bench.engine, bench.game, policy, bench.threads)
    if way:
        from gpumcts.kernels.cuda.engine import CudaPlayouts

        engine = CudaPlayouts(bench.game, policy, way)
    states, leaf_keys = Rules(bench.game).starts(leaves), keys(leaves)

    def run(n: int) -> None:
        for _ in range(max(1, n // (leaves * playouts))):
            size = max(1, min(leaves, n // playouts))
            engine.tally(states[:size], leaf_keys[:size], playouts)

    name = f"{what}, {bench.engine}, {leaves} leaves, {playouts} playouts a leaf"
    at: dict[str, Any] = {"leaves": leaves, "playouts": playouts, "shape": list(getattr(engine, "shape", ()))}
    return Contender(name, run, leaves * playouts * batches, at, (engine,))


def _on_cpu(bench: Bench, what: str, policy: Any, units: int, threads: int, **options: Any) -> Contender:
    engine = CpuPlayouts(bench.game, policy, threads, **options)
    states, leaf_keys = Rules(bench.game).starts(units), keys(units)
    return Contender(what, lambda n: engine.tally(states[:n], leaf_keys[:n]), units)


def _scalar(bench: Bench) -> list[Contender]:
    """Our uniform playouts as scalar C++ on one thread, where the game has such a program and g++ compiles it."""
    tally, units = scalar_playouts(bench.game_name) if bench.wants("uniform") else None, ONE_BY_ONE
    if tally is None:
        return []
    states, leaf_keys = Rules(bench.game).starts(units), keys(units)
    return [Contender("uniform, scalar C++, -O3 -march=native", lambda n: tally(states[:n], leaf_keys[:n], 1), units)]


def _of_the_floor(bench: Bench, rows: list[Row]) -> list[Row]:
    """How much of what a device could do at most its uniform playouts are, those of the kernels alone too."""
    most = floor(bench.game_name)
    if most is None:
        return []
    found = [row for row in rows if row.unit == "playouts/s" and row.at and row.what.startswith("uniform")]
    return [
        row_of(
            "playouts", f"{row.what}: of the integer floor", "%", [100 * row.median / most], at=row.at | {"floor": most}
        )
        for row in found
    ]
