"""Time of searches that go on at once: each second counts once, for whom threads work, by a clock that is set here."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from types import SimpleNamespace

import pytest

from gpumcts.tree.host.thread_pool import ThreadPool
from gpumcts.tree.time_shares import TimeShares


class Asking:
    """A thread of its own that asks for a search, and does what it is told to."""

    def __init__(self, shares):
        self._pool, self._shares, self._stack = ThreadPoolExecutor(1), shares, ExitStack()
        self._work = []
        self.turn = self._do(lambda: self._stack.enter_context(shares.turn()))
        self.thread = self._do(threading.get_ident)

    def _do(self, work):
        return self._pool.submit(work).result()

    def begin_work(self):
        self._work.append(self._shares.working(self.thread))
        self._work[-1].__enter__()

    def end_work(self):
        self._work.pop().__exit__(None, None, None)

    def end(self):
        self._do(self._stack.close)
        self._pool.shutdown()
        return self.turn.seconds


@pytest.fixture
def clock():
    return SimpleNamespace(now=100.0)


@pytest.fixture
def shares(clock):
    return TimeShares(lambda: clock.now)


def test_a_search_alone_takes_all_from_beginning_to_end(clock, shares):
    """Python between its steps too, and threads that are idle."""
    clock.now += 50
    one = Asking(shares)
    clock.now += 1
    one.begin_work()
    clock.now += 2
    one.end_work()
    clock.now += 4
    assert one.end() == 7


def test_who_waits_for_the_threads_of_another_takes_nothing(clock, shares):
    one, other = Asking(shares), Asking(shares)
    for working, seconds in ((one, 1), (other, 3), (one, 1), (other, 3)):
        working.begin_work()
        clock.now += seconds
        working.end_work()
    assert (one.end(), other.end()) == (2, 6)


def test_seconds_go_by_the_threads_that_work(clock, shares):
    one, other = Asking(shares), Asking(shares)
    one.begin_work()
    for _ in range(3):
        other.begin_work()
    clock.now += 8
    for _ in range(3):
        other.end_work()
    one.end_work()
    clock.now += 1  # Python of both
    assert (one.end(), other.end()) == (2.5, 6.5)


def test_who_fails_has_no_turn_any_more(clock, shares):
    with pytest.raises(KeyboardInterrupt), shares.turn():
        raise KeyboardInterrupt
    one = Asking(shares)
    clock.now += 3
    assert one.end() == 3


@pytest.mark.parametrize("threads", [1, 2])
def test_processor_time_is_that_of_all_threads(threads):
    """Each piece of work takes 50 ms of one; to sleep takes none."""

    def work(item, stop_event):
        end = time.thread_time() + 0.05
        while time.thread_time() < end:
            pass

    pool = ThreadPool(threads)
    with pool.time_shares.turn() as turn:
        pool.run(work, range(2))
        time.sleep(0.05)
    assert 0.1 <= turn.core_seconds < 0.14
    assert turn.seconds >= turn.core_seconds / threads + 0.05
