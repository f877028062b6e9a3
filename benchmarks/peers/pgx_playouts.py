"""Random playouts by pgx, compiled by JAX for one core of the CPU or for a device; they run in a process of their own.

JAX takes every core it may use, so the process that plays on the CPU is bound to one before it imports JAX, and no
thread of JAX is in the way of ours.
"""

from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from benchmarks.measure import Contender
from benchmarks.peers.answering import answering

GAMES = {"othello": "othello"}
"""Our games by their names there."""

BATCH, BATCH_ON_DEVICE = 1024, 1 << 16
TURN = 4  # batches
PROCESS = Path(__file__).with_name("pgx_process.py")


def playouts(game: Any, name: str, on_device: bool = False) -> AbstractContextManager[Contender] | None:
    """Games from the start by random moves, a batch at a time; None for a game that pgx is not asked for."""
    if name not in GAMES:
        return None
    place, batch = ("a device", BATCH_ON_DEVICE) if on_device else ("one core", BATCH)
    command = ["-P", str(PROCESS), GAMES[name], str(batch), *(["cuda"] if on_device else [])]
    return answering("pgx", command, f"pgx, JAX on {place}, batch {batch}", TURN * batch, batch, {"batch": batch})
