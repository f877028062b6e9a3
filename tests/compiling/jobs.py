"""Jobs that compile little, for processes to share (``test_stage``)."""

import os
import time
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numba import types

from gpumcts.compiling import cache, stage
from gpumcts.jit import entry, separate

PATIENCE = 100.0  # seconds


def first(x):
    return x + 1


def second(x):
    return x + 2


@entry
def third(x, found):
    found[0] = x + 3


FUNCTIONS = first, second
KINDS = types.int64, types.int64[::1]


def compiled(number: int) -> Any:
    """The step of a number."""
    return separate(FUNCTIONS[number], types.int64(types.int64), f"step {number}")


def prepared() -> Any:
    """The entry, prepared."""
    return third.prepare(KINDS, "an entry")


def outlasting(process: int) -> Any:
    """The first step, which takes that process until others have compiled the second step and the entry."""
    step, begin = compiled(0), time.monotonic()
    while os.getpid() == process and len(list(cache.folder().rglob("*.nbc"))) < 3:
        assert time.monotonic() < begin + PATIENCE
        time.sleep(0.02)
    return step


def fails() -> Any:
    """Raise ValueError."""
    raise ValueError("a job")


def endless(file: str) -> None:
    """Write the file, and go on."""
    Path(file).touch()
    while True:
        time.sleep(1)


def main(processes: int) -> None:
    """Print how often each of two steps and an entry came from the cache, an empty one in the beginning."""
    stage.usable_cores = lambda: processes
    begin = outlasting if processes > 1 else lambda process: compiled(0)
    jobs = partial(begin, os.getpid()), partial(compiled, 1), prepared
    steps = stage.results(jobs, processes)
    found = np.zeros(1, np.int64)
    third(39, found)
    assert (steps[0].ctypes(41), steps[1].ctypes(40), found[0]) == (42, 42, 42)
    print(steps[0].cache_hits, steps[1].cache_hits, sum(steps[2].stats.cache_hits.values()))
