"""Memory for trees and their batches: how much there is, and what is refused for want of it."""

import functools
import time

import psutil

from gpumcts.errors import BadInput
from gpumcts.tree.settings import Settings

SHARE_OF_MEMORY = 0.4  # two searches may go on at once
MAX_SLOTS = 2**31
MAX_VISITS = 2**31  # of a tree: nodes count them in 32 bits


@functools.lru_cache(maxsize=1)
def _available(second: int) -> int:
    """Bytes of memory that are free; looked up once a second, since that takes as long as hundreds of iterations."""
    return psutil.virtual_memory().available


def limit_of(asked: int | None) -> int:
    """Bytes that may be used: those that were asked for, or a share of what is free."""
    return asked or int(SHARE_OF_MEMORY * _available(int(time.monotonic())))


def check_tree(iterations: int, slots: int, slot_bytes: int, tree_bytes: int, limit: int) -> None:
    """Refuse a tree that does not fit alone. Raises BadInput, with the arithmetic."""
    if slots >= MAX_SLOTS:
        raise BadInput(
            f"budget.iterations={iterations}: a tree may take {slots:,} slots, and they are counted in 32 bits"
        )
    if tree_bytes > limit:
        raise BadInput(
            f"budget.iterations={iterations}: a tree takes {slots:,} slots x {slot_bytes} bytes = "
            f"{tree_bytes / 2**20:,.1f} MiB, and {limit / 2**20:,.1f} MiB may be used"
        )


def check_batch(settings: Settings, row_bytes: int, limit: int) -> None:
    """Refuse batches of one tree that do not fit. Raises BadInput, with the arithmetic."""
    leaves, batches = settings.leaves_per_tree, settings.batches_in_flight
    rows = leaves * batches
    if leaves > 1 and rows * row_bytes > limit:
        what = "a batch" if batches == 1 else f"{batches} batches"
        raise BadInput(
            f"search.leaves_per_tree={leaves}: {what} of budget.playouts_per_leaf={settings.playouts_per_leaf} takes "
            f"{rows:,} rows x {row_bytes:,} bytes = {rows * row_bytes / 2**20:,.1f} MiB, and {limit / 2**20:,.1f} MiB may "
            "be used"
        )
