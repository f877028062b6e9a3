"""Seconds of a fresh process: to import the search, and to the first move, with a full and an empty compile cache."""

import os
import pickle
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

from benchmarks.measure import Bench, Row, row_of

_FIRST_MOVE = """
import pickle, sys, time; begin = time.perf_counter()
from gpumcts.options import option
from gpumcts.tree.search import Searcher
from gpumcts.kernels.batch import Rules
from gpumcts.rng import key_of
import numpy as np
print(time.perf_counter() - begin)
game = pickle.loads(bytes.fromhex(sys.argv[1]))
values = option("playout", "uniform")(), option("selection", "ucb1")(), option("backup", "average")()
searcher = Searcher(game, *values)
searcher.search(Rules(game).starts(1), np.array([key_of(1)], np.uint64), 100).decide()
"""


class Start(NamedTuple):
    """Seconds: to import what a search needs, and from nothing to the end of a process that has made a move."""

    imports: float
    process: float


def suite(bench: Bench) -> list[Row]:
    """Imports, and the first move of a search of 100 iterations, Python's own start and end included."""
    with tempfile.TemporaryDirectory() as empty:
        cold = _once(bench, empty)
    _once(bench, None)
    warm = [_once(bench, None) for _ in range(bench.repeats)]
    return [
        row_of("startup", "imports of a search", "s", [start.imports for start in warm]),
        row_of("startup", "first move, warm cache", "s", [start.process for start in warm]),
        row_of("startup", "first move, empty cache", "s", [cold.process]),
    ]


def _once(bench: Bench, cache: str | None) -> Start:
    environment = dict(os.environ) | ({"GPUMCTS_CACHE": cache} if cache else {})
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # parsing every module anew is not what users see
    command = [sys.executable, "-c", _FIRST_MOVE, pickle.dumps(bench.game).hex()]
    begin = time.perf_counter()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return Start(float(done.stdout), time.perf_counter() - begin)
