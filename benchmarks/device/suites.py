"""What is measured on a device, a suite at a time in a process of its own.

    python -m benchmarks.device.suites SIZES SUITE FILE
    python -m benchmarks.device.suites SIZES:rehearsed SUITE FILE

writes a line of JSON for each figure to FILE as soon as there is one. A rehearsal compiles.
"""

import json
import sys
import tempfile
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path

from benchmarks import crossover
from benchmarks.device import sizes
from benchmarks.device.names import BATCHES as BATCHES
from benchmarks.device.names import CAPS as CAPS
from benchmarks.device.names import CROSSOVERS as CROSSOVERS
from benchmarks.device.names import PARTS as PARTS
from benchmarks.device.names import SECONDS_A_CELL as SECONDS_A_CELL
from benchmarks.device.names import WAYS as WAYS
from benchmarks.device.names import Part as Part
from benchmarks.device.peers import PEERS, missing, rows_of_peers
from benchmarks.device.process import ABSENT_CODE
from benchmarks.measure import Bench, Row
from gpumcts.options import option
from gpumcts.resources import usable_cores


def bench_of(part: Part, folder: Path, chosen: sizes.Sizes) -> Bench:
    """How a suite is measured: on all cores."""
    game = option("game", chosen.game)()
    repeats = min(part.repeats, chosen.repeats)
    return Bench(game, chosen.game, part.engine, usable_cores(), repeats, (), folder, chosen.grid, chosen.only)


def rows_of(name: str, chosen: sizes.Sizes, folder: Path) -> Iterable[Row]:
    """The figures of a suite."""
    kind, _, what = name.partition(": ")
    if kind == WAYS:
        from benchmarks.device.choices import rows_of_ways

        game, policy = what.split(", ")
        return rows_of_ways(game, policy, chosen)
    if kind == BATCHES:
        from benchmarks.device.batches import rows_of_batches

        game, leaves = what.split(", ")
        return rows_of_batches(game, int(leaves), chosen)
    if kind == CAPS:
        from benchmarks.device.choices import rows_of_caps

        return rows_of_caps(what, chosen)
    if kind == PEERS:
        return rows_of_peers(name, chosen, folder)
    part = PARTS[name]
    if name == CROSSOVERS[1]:
        return crossover.informed_suite(bench_of(part, folder, chosen))
    return import_module(f"benchmarks.{part.module}").suite(bench_of(part, folder, chosen))


def shrink() -> None:
    """Make the suites' own numbers small."""
    from benchmarks import launch, match, playouts, search

    playouts.UNIFORM, playouts.ONE_BY_ONE, playouts.INFORMED = 200, 200, {1: 5, 2: 5}
    playouts.ON_A_DEVICE, playouts.INFORMED_ON_A_DEVICE = {1: (64, 2), 3: (20, 1)}, {1: 20}
    search.TREES, search.ITERATIONS, search.FULL, search.FULL_BATCHES = 20, 4, (20, 4), ((20, 2, 4),)
    search.AS_MCTSNC, search.PLAYOUTS_OF_A_TURN, search.MANY_LEAVES = (2, 2), 200, 10
    match.ON_A_DEVICE, match.WARM_UP = ((3, 2, 2),), (3, 2)
    launch.LAUNCHES, launch.BATCHES, launch.LEAVES, launch.WORDS = 2, 2, (1, 2), 8


def main(size: str, name: str, file: Path) -> None:
    """Run a suite in this process; each row goes into ``file`` at once, one a line. Exits where a peer is missing."""
    if name.startswith(PEERS) and (lacking := missing(name)):
        print(lacking)
        sys.exit(ABSENT_CODE)
    size, _, rehearsal = size.partition(":")
    chosen = sizes.rehearsed(sizes.NAMED[size]) if rehearsal else sizes.NAMED[size]
    if size == "small" or rehearsal:
        shrink()
    with tempfile.TemporaryDirectory() as folder, file.open("a", encoding="utf-8") as lines:
        for row in rows_of(name, chosen, Path(folder)):
            lines.write(json.dumps(row._replace(suite=name)._asdict()) + "\n")
            lines.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
