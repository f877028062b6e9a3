"""MCTS-NC (Klesk 2024), UCT by numba.cuda on one device: its own code, from a checkout, beside ours.

It plays Connect Four and Gomoku 15x15. Its Gomoku wins by exactly five in a row, ours by five or more, which changes
few games. The environment variable ``GPUMCTS_MCTSNC`` names the folder of the checkout; nothing of it is a part of this
project.
"""

import os
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from benchmarks.measure import Contender
from benchmarks.peers.answering import answering
from benchmarks.peers.mctsnc_process import DESCRIBED, GAMES

CHECKOUT = "GPUMCTS_MCTSNC"
MODULE = Path("src") / "mctsnc.py"
NAME = "MCTS-NC"
UNITS = 10_000_000  # playouts a turn: some seconds
SIZE = 15  # of its Gomoku
PROCESS = Path(__file__).with_name("mctsnc_process.py")


def missing() -> str:
    """What is missing to run it, on one line; empty where nothing is."""
    from gpumcts.kernels.engines import cuda_problem

    named = os.environ.get(CHECKOUT)
    if not named:
        return (
            f"no checkout of MCTS-NC is named; set {CHECKOUT} to the folder of one (github.com/pklesk/mcts_numba_cuda)"
        )
    if not (Path(named) / MODULE).is_file():
        return f"{CHECKOUT}={named}: there is no {MODULE} in it"
    problem = cuda_problem()
    return f"it runs on a CUDA device alone: {problem}" if problem else ""


def search(game: Any, name: str) -> AbstractContextManager[Contender] | None:
    """Searches from the start, by playouts, on the device; None for a game that it has not."""
    if name not in GAMES or missing() or getattr(game, "size", SIZE) != SIZE:
        return None
    command = ["-P", str(PROCESS), str(Path(os.environ[CHECKOUT]).resolve()), name]
    return answering("mctsnc", command, f"{NAME}, {DESCRIBED}, playouts", UNITS)
