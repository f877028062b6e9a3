"""Waiting for words that other threads write."""

import threading
import time

import numba
import numpy as np
import pytest

from gpumcts import atomic


@numba.njit(nogil=True)
def compiled(words):
    return atomic.wait_long(words, 0, 0)


@pytest.mark.parametrize("wait", [compiled, lambda words: atomic.wait_long(words, 0, 0)], ids=["compiled", "plain"])
def test_waiting_ends(wait):
    """As another word is written, after naps too; and where none is, in a second."""
    words = np.ones(1, np.int64)
    assert wait(words) == 1
    words[0] = 0
    timer = threading.Timer(0.05, lambda: atomic.store(words, 0, 7))
    timer.start()
    assert wait(words) == 7
    timer.join()
    words[0], begin = 0, time.perf_counter()
    assert wait(words) == 0
    assert time.perf_counter() - begin > 0.9 * atomic.LONGEST / 1e9
