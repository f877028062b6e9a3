"""Exceptions of signals' handlers that come in while the main thread waits for others."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from numba.experimental.function_type import _get_wrapper_address

import gpumcts as g
from gpumcts.stop_event import as_raised_by_handlers
from tests.interrupts import cut_wait


def test_python_tells_another_exception():
    """What ``as_raised_by_handlers`` is for."""
    with cut_wait(), pytest.raises(RuntimeError, match="release unlocked lock"):
        threading.Event().wait(10)


def test_an_event_that_is_waited_for():
    with cut_wait(), pytest.raises(KeyboardInterrupt), as_raised_by_handlers():
        threading.Event().wait(10)


def test_a_result_that_is_waited_for():
    over = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(over.wait)
        try:
            with cut_wait(), pytest.raises(KeyboardInterrupt), as_raised_by_handlers():
                waiting.result()
        finally:
            over.set()
        assert waiting.result()


def test_playouts_on_two_threads():
    boxes = g.make("dots_and_boxes", rows=2, columns=2)
    start = g.start(boxes)
    expected = g.play_out(boxes, "uniform", start, playouts=2000, threads=2)
    with cut_wait(), pytest.raises(KeyboardInterrupt):
        g.play_out(boxes, "uniform", start, playouts=10**12, threads=2)
    assert g.play_out(boxes, "uniform", start, playouts=2000, threads=2).digest == expected.digest


def test_an_exception_that_numba_loses():
    """As in a call whose signature could not be unpacked."""
    with pytest.raises(KeyboardInterrupt), as_raised_by_handlers():
        _get_wrapper_address(len)
    with pytest.raises(TypeError, match="takes no arguments"), as_raised_by_handlers():
        raise TypeError("a function takes no arguments")


def test_other_errors_are_left_alone():
    lock = threading.Lock()
    with pytest.raises(RuntimeError, match="release unlocked lock"), as_raised_by_handlers():
        lock.release()
    with pytest.raises(RuntimeError, match="another"), as_raised_by_handlers():
        try:
            raise KeyError("first")
        except KeyError:
            raise RuntimeError("another") from None
