"""Processes that a launcher gives runs: they end with the process of their sweep."""

import functools
import os
import threading
import time

SECONDS_A_LOOK = 1.0
ORPHANED = 1  # exit code


@functools.cache
def end_with(parent: int) -> None:
    """End this process soon after ``parent``, the process of its sweep, where that is its parent process.

    A sweep that is killed with SIGKILL ends no worker of its own, and a worker that waits for more runs waits on. A run
    that ends here loses no more than one that is killed.
    """
    if os.getppid() == parent:
        threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(SECONDS_A_LOOK)
    os._exit(ORPHANED)
