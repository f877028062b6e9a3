"""Compilations that go together: processes share what the cache lacks, each a job at a time (``claims``).

The process that wants the code begins with the first job. Once something is missing, it starts helpers: Python
processes of their own, since numba compiles in one thread of a process at a time. All of them go through the same jobs
in the same order, and pass over those that another one has begun. What helpers compile comes back by the disk cache.

A user's own classes are compiled by the process alone: a helper would run the user's modules once more.
"""

import contextlib
import importlib
import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gpumcts.compiling import cache, claims
from gpumcts.compiling.interruption import interruptible
from gpumcts.compiling.own_sources import body_modules
from gpumcts.resources import usable_cores

Job = Callable[[], Any]
"""Compiles something, or loads it, by ``jit.separate`` or the ``prepare`` of an entry."""

LENGTH = 8  # bytes that say how long a message is


def results(jobs: Sequence[Job], processes: int = 1, shared: bool = True) -> list[Any]:
    """What each of ``jobs`` returns, compiled by up to so many processes, this one among them, or loaded.

    jobs : the longest first; those that helpers are to have can be pickled
    processes : at most one a core and one a job
    shared : whether helpers can run the jobs: no class in them is a user's own

    Raises what a job raises, and KeyboardInterrupt where the user stops the work meanwhile (``interruption``).
    """
    helpers = _Helpers(jobs, min(processes, usable_cores(), len(jobs)) - 1 if shared else 0)
    found: dict[int, Any] = {}
    try:
        with interruptible():
            for waits in (False, True):
                for number in sorted(set(range(len(jobs))) - set(found)):
                    with claims.by(claims.Manner(waits, helpers.start)), contextlib.suppress(claims.CompiledElsewhere):
                        found[number] = jobs[number]()
    finally:
        helpers.end()
    return [found[number] for number in range(len(jobs))]


class _Helpers:
    """The processes that compile beside this one; none before ``start``."""

    def __init__(self, jobs: Sequence[Job], count: int) -> None:
        self._jobs, self._count = jobs, count
        self._running: list[subprocess.Popen] = []

    def start(self) -> None:
        """Start them, unless they are; none where they could not bring back what they compile."""
        count, self._count = self._count, 0
        if count <= 0 or not sys.executable or not cache.is_found_by_others():
            return
        try:
            message = pickle.dumps((cache.digest(), sorted(body_modules), pickle.dumps(tuple(self._jobs))))
        except (pickle.PicklingError, AttributeError, TypeError):
            return  # an option that is not pickled by name
        path = [entry for entry in sys.path if isinstance(entry, str)]  # as Python does: it passes over a Path there
        begin = f"import sys; sys.path[:] = {path!r}; from gpumcts.compiling.stage import help_out; help_out()"
        for _ in range(count):
            try:
                self._running.append(_started([sys.executable, "-c", begin], message))
            except OSError:
                return  # no more processes

    def end(self) -> None:
        """End them at once: all that was wanted is there, or is wanted no more. One may be stopped, or still begin."""
        for process in self._running:
            process.kill()
        for process in self._running:
            assert process.stdin is not None
            with contextlib.suppress(OSError):  # it has ended
                process.stdin.close()
            process.wait()
        self._running = []


def _started(command: list[str], message: bytes) -> subprocess.Popen:
    """A helper that has been given its jobs, and ends when its input does."""
    nowhere = subprocess.DEVNULL  # the process that wants the code comes upon the same faults, and tells them
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=nowhere, stderr=nowhere)
    assert process.stdin is not None
    with contextlib.suppress(OSError):  # it has ended
        process.stdin.write(len(message).to_bytes(LENGTH, "little") + message)
        process.stdin.flush()
    return process


def help_out() -> None:
    """What a helper does: the jobs that come by its input, where nobody else has begun them.

    It ends at once when its input does: the process that started it has all it wants, or is gone. Ctrl-C is that
    process's to answer, which may go on to the end of what it compiles.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    size = int.from_bytes(sys.stdin.buffer.read(LENGTH), "little")
    message = sys.stdin.buffer.read(size)
    threading.Thread(target=_end_with_input, daemon=True).start()
    digest, modules, jobs = pickle.loads(message)
    if digest == cache.digest():  # else the sources have changed since that process began
        for module in modules:  # or a verb might find another body here
            importlib.import_module(module)
        compile_free(pickle.loads(jobs))


def compile_free(jobs: Iterable[Job]) -> None:
    """Do the jobs that no other process is doing."""
    for job in jobs:
        with claims.by(claims.Manner(waits=False)):
            try:
                job()
            except claims.CompiledElsewhere:
                continue


def _end_with_input() -> None:
    # Not by sys.stdin: a thread that reads it when the process ends by itself makes Python abort.
    while os.read(sys.stdin.fileno(), LENGTH):
        pass
    os._exit(0)
