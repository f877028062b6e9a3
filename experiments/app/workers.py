"""Processes that a launcher gives runs: they end with the process of their sweep."""

import contextlib
import functools
import os
import threading
import time

import psutil

SECONDS_A_LOOK = 1.0
ORPHANED = 1  # exit code
EXECUTOR, LOCAL = "SUBMITIT_EXECUTOR", "local"
"""Submitit's variable of a run, and its value for a run on the machine of its sweep."""


@functools.cache
def end_with(sweep: int) -> None:
    """End this process soon after ``sweep``, the process of its sweep, where that is above it on this machine.

    A sweep that is killed with SIGKILL ends no worker of its own, and a worker that waits for more runs waits on.
    Submitit puts a process of its own between the two. A run that ends here loses no more than one that is killed.
    A sweep may be gone before a run of ``submitit_local`` gets here; on a cluster it may be on another machine.
    """
    if sweep in _above():
        threading.Thread(target=_watch, args=(sweep,), name="parent", daemon=True).start()
    elif os.environ.get(EXECUTOR) == LOCAL and not psutil.pid_exists(sweep):
        os._exit(ORPHANED)


def _above() -> list[int]:
    """The parent of this process, and the parent's parent where it is known."""
    parent = os.getppid()
    with contextlib.suppress(psutil.Error):
        return [parent, psutil.Process(parent).ppid()]
    return [parent]


def _watch(sweep: int) -> None:
    while sweep in _above():
        time.sleep(SECONDS_A_LOOK)
    os._exit(ORPHANED)
