"""Random playouts by pgx, compiled by JAX for one core of the CPU; they run in a process of their own.

JAX takes every core it may use, so the process that plays is bound to one before it imports JAX, and no thread of JAX
is in the way of ours.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from experiments.benchmarks.measure import Contender
from gpumcts.errors import BadInput

GAMES = {"othello": "othello"}
"""Our games by their names there."""

BATCH = 1024
UNITS = 4 * BATCH  # playouts a turn
PROCESS = Path(__file__).with_name("pgx_process.py")


def playouts(game: Any, name: str) -> AbstractContextManager[Contender] | None:
    """Games from the start by random moves, ``BATCH`` of them at a time; None for a game that pgx is not asked for."""
    return _playing(GAMES[name]) if name in GAMES else None


@contextmanager
def _playing(name: str) -> Iterator[Contender]:
    command = [sys.executable, "-P", str(PROCESS), name, str(BATCH)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as process:
        try:
            _ask(process, BATCH)  # compiled before anything is timed
            yield Contender(f"pgx, JAX on one core, batch {BATCH}", lambda n: _ask(process, n), UNITS, {"batch": BATCH})
        finally:
            process.kill()


def _ask(process: Any, playouts: int) -> None:
    """Have so many playouts played; raises BadInput where the process has come to an end instead."""
    try:
        process.stdin.write(f"{playouts}\n")
        process.stdin.flush()
        answer = process.stdout.readline()
    except BrokenPipeError:
        answer = ""
    if not answer:
        said = process.stderr.read().strip().splitlines()
        raise BadInput(f"against=pgx: its process failed: {said[-1] if said else 'it said nothing'}")
