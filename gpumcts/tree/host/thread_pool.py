"""Threads that compiled blocks of trees run on."""

import os
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any

from gpumcts.stop_event import StopEvent
from gpumcts.tree.time_shares import TimeShares


class ThreadPool:
    """So many threads, for one searcher or for several that go on at once and are to take no more than that together.

    With one thread, a search works in the thread that asked for it, and other callers wait meanwhile. Two callers are
    of use even so: one prepares a search or writes down what was found while the search of the other runs.

    time_shares : the threads' work is told to it
    """

    def __init__(self, threads: int) -> None:
        self.threads, self.time_shares = threads, TimeShares()
        self._begin_in_this_process()

    def _begin_in_this_process(self) -> None:
        self._process = os.getpid()
        self._alone = threading.Lock()
        self._pool: ThreadPoolExecutor | None = None

    def run(
        self, work: Callable[[Any, threading.Event], None], items: Iterable[Any], stop: threading.Event | None = None
    ) -> None:
        """``work(item, stop_event)`` on every item; returns when none goes on, and raises what one of them raised.

        stop_event : set where ``stop`` is, other work has failed or this thread was interrupted; work ends early then
        """
        if self._process != os.getpid():  # a fork has the pool, and none of its threads
            self._begin_in_this_process()
        stop_event, asking = StopEvent(stop), threading.get_ident()
        if self.threads == 1:
            with self._alone, self.time_shares.working(asking):
                for item in items:
                    work(item, stop_event)
            return
        with self._alone:
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self.threads, "search")

        def timed(item: Any) -> None:
            with self.time_shares.working(asking), stop_event.set_where_this_fails():
                work(item, stop_event)

        begun: list[Future] = []
        try:
            begun.extend(self._pool.submit(timed, item) for item in items)
            for done in begun:
                done.result()
        finally:
            stop_event.set()
            wait(begun)
