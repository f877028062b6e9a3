"""Suites and sizes by name, for the command line; importing this needs no package."""

from typing import NamedTuple

ON_DEVICE = "device search"
SIZES: tuple[str, ...] = ("full", "brief", "small")


class Part(NamedTuple):
    """A suite on an engine: its module of ``benchmarks``, turns of each contender, and seconds it may take."""

    module: str
    engine: str
    repeats: int
    seconds: float


PARTS = {
    "launch": Part("launch", "cuda", 5, 40),
    "playouts": Part("playouts", "cuda", 5, 70),
    "crossover": Part("crossover", "auto", 3, 120),
    "informed crossover": Part("crossover", "auto", 3, 120),
    "search": Part("search", "cuda", 3, 80),
    ON_DEVICE: Part("search", "device", 3, 70),
    "match": Part("match", "cuda", 2, 70),
}
CROSSOVERS = ("crossover", "informed crossover")
"""Suites for the table of ``engine=auto``: with uniform playouts, and with those of minimax of depth 2."""
WAYS, CAPS, BATCHES = "ways", "caps", "batches"
"""Suites for a cell, for a search, for a game with its leaves a batch: ``ways: go, uniform``, ``batches: go, 1024``."""
SECONDS_A_CELL = 60.0
