"""Random playouts by pgx, compiled by JAX for one core of the CPU; they run in a process of their own.

JAX takes every core it may use, so the process that plays is bound to one before it imports JAX, and no thread of JAX
is in the way of ours.
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from benchmarks.measure import Contender
from benchmarks.peers.answering import answering

GAMES = {"othello": "othello"}
"""Our games by their names there."""

BATCH = 1024
UNITS = 4 * BATCH  # playouts a turn
PROCESS = Path(__file__).with_name("pgx_process.py")


def playouts(game: Any, name: str) -> AbstractContextManager[Contender] | None:
    """Games from the start by random moves, ``BATCH`` of them at a time; None for a game that pgx is not asked for."""
    return _playing(GAMES[name]) if name in GAMES else None


def _playing(name: str) -> AbstractContextManager[Contender]:
    command = ["-P", str(PROCESS), name, str(BATCH)]
    return answering("pgx", command, f"pgx, JAX on one core, batch {BATCH}", UNITS, BATCH, {"batch": BATCH})
