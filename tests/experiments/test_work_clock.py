"""Seconds of work are those without compiling and loading, whichever thread does it."""

import threading
import time

import pytest
from numba import njit
from numba.core.compiler_lock import global_compiler_lock

from experiments.runs.work_clock import WorkClock

PAUSE = 0.2


def test_blocks_add_up_and_one_that_fails_counts():
    now = iter([10.0, 12.0, 20.0, 23.0])
    clock = WorkClock(lambda: next(now))
    with clock.running():
        pass
    with pytest.raises(ZeroDivisionError), clock.running():
        raise ZeroDivisionError
    assert clock.seconds == 5.0


def test_what_numba_compiles_is_no_work():
    @njit
    def doubled(x):
        return 2 * x

    clock, begin = WorkClock(), time.perf_counter()
    with clock.running():
        assert doubled(3) == 6
    assert clock.seconds < (time.perf_counter() - begin) / 2


def test_a_compilation_begun_before_and_nested_ones_count_once():
    clock = WorkClock()
    with clock.running(), global_compiler_lock, global_compiler_lock:
        time.sleep(PAUSE)
    assert clock.seconds < PAUSE
    global_compiler_lock.acquire()
    with clock.running():
        global_compiler_lock.release()
        time.sleep(PAUSE)
    assert clock.seconds >= PAUSE


def test_threads_that_wait_for_the_compiler_are_not_counted_twice():
    """Two threads compile, one after the other; the work that follows stays in the clock."""

    def compiles():
        with global_compiler_lock:
            time.sleep(PAUSE)

    clock, threads = WorkClock(), [threading.Thread(target=compiles) for _ in range(2)]
    with clock.running():
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep(2 * PAUSE)
    assert 2 * PAUSE <= clock.seconds < 3 * PAUSE
