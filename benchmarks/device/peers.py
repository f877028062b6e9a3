"""The peers on the same device, beside ours and in the same turns: pgx's playouts, MCTS-NC's searches."""

import subprocess
import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

from benchmarks.device.sizes import Sizes
from benchmarks.measure import Bench, Row
from benchmarks.peers.names import not_installed
from gpumcts.options import option
from gpumcts.resources import usable_cores

PEERS = "peers"
SECONDS = 90.0  # a step; JAX compiles half a minute
REPEATS = 3
ASKED = "import jax; print(jax.devices('cuda')[0].device_kind)"


class Beside(NamedTuple):
    """A peer and a game that it has; ``suite`` of ``benchmarks`` measures both, on the engine ``engine`` of ours."""

    peer: str
    game: str
    suite: str
    engine: str


BESIDE = {
    f"{PEERS}: {beside.peer}, {beside.game}": beside
    for beside in (
        Beside("mctsnc", "connect_four", "search", "device"),
        Beside("mctsnc", "gomoku", "search", "device"),
        Beside("pgx", "othello", "playouts", "cuda"),
    )
}


def missing(name: str) -> str:
    """What is missing for a step, on one line; empty where nothing is."""
    peer = BESIDE[name].peer
    return not_installed(peer) or (_jax_without_device() if peer == "pgx" else "")


def _jax_without_device() -> str:
    """What keeps JAX from the device, asked in a process of its own, since JAX takes memory for good."""
    done = subprocess.run([sys.executable, "-c", ASKED], capture_output=True, text=True)
    said = done.stderr.strip().splitlines() or ["it said nothing"]
    return f"JAX has no CUDA device: {said[-1]}; pip install jax[cuda13]" if done.returncode else ""


def rows_of_peers(name: str, chosen: Sizes, folder: Path) -> Iterable[Row]:
    """The figures of ours, average backup and uniform playouts alone, and those of the peer."""
    peer, game, suite, engine = BESIDE[name]
    value, cores = option("game", game)(), usable_cores()
    bench = Bench(value, game, engine, cores, REPEATS, (peer,), folder, chosen.grid, ("average", "uniform"))
    return import_module(f"benchmarks.{suite}").suite(bench)
