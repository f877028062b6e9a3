"""Memory of trees and their batches: how much there is, what a tree takes, how many fit, and what is refused."""

import functools
import time
from typing import Any

from gpumcts.errors import BadInput
from gpumcts.kernels.cuda import device
from gpumcts.resources import free_memory
from gpumcts.tree.forest import most_nodes, slots_of_children
from gpumcts.tree.settings import SearchSwitches, Settings

SHARE_OF_MEMORY = 0.4  # two searches may go on at once
SHARE_OF_DEVICE = 0.9
MAX_SLOTS = 2**31
MAX_VISITS = 2**31  # of a tree: nodes count them in 32 bits

# Slots a tree is given: nodes leave gaps between their blocks of children, 4 to 20 % of them and more in small trees,
# which vary. Enough for most batches of Othello; otherwise the forest is widened.
SLOTS_PER_NODE = 1.2
SPREAD = 16  # by the root of the nodes
# Nodes an iteration adds beside its own, over the moves of a position at most, where nodes get all their children at
# once; on Othello it is 0.03, since few positions have so many moves, and forests grow.
SIBLINGS = 0.1


@functools.lru_cache(maxsize=1)
def _available(second: int) -> int:
    """Bytes of memory that are free; looked up once a second, since that takes as long as hundreds of iterations."""
    return free_memory()


def limit_of(asked: int | None) -> int:
    """Bytes that may be used: those that were asked for, or a share of what is free."""
    return int(SHARE_OF_MEMORY * _available(int(time.monotonic()))) if asked is None else asked


def memory_for_trees(limit: int | None) -> int:
    """Bytes that the trees of a wave may take on the device: nine tenths of what is free, and at most ``limit``."""
    free = int(SHARE_OF_DEVICE * device.free_memory())
    return min(free, limit) if limit else free


def budget_of(iterations: int, roots: int) -> str:
    """The budget of a position with so many iterations of each of its trees, as errors name it."""
    return f"budget.iterations={iterations}" + (f" x search.roots={roots}" if roots > 1 else "")


def check_trees(budget: str, trees: int, slots: int, slot_bytes: int, tree_bytes: int, limit: int) -> None:
    """Refuse so many trees of a ``budget_of`` that do not fit together. Raises BadInput, with the arithmetic."""
    if slots >= MAX_SLOTS:
        raise BadInput(f"{budget}: a tree may take {slots:,} slots, and they are counted in 32 bits")
    if trees * tree_bytes > limit:
        raise BadInput(
            f"{budget}: {_taken_by(trees)} {slots:,} slots x {slot_bytes} bytes = "
            f"{trees * tree_bytes / 2**20:,.1f} MiB, and {limit / 2**20:,.1f} MiB may be used; "
            "fewer iterations, or more memory_gb"
        )


def _taken_by(trees: int) -> str:
    return "a tree takes" if trees == 1 else f"{trees:,} trees take {trees:,} x"


def without_iterations(error: BadInput) -> str:
    """Why trees do not fit, for who gave no iterations: without their key, and with the advice that is left."""
    why = str(error).partition(": ")[2].partition(";")[0]
    return f"{why}; more memory_gb goes on longer" if "may be used" in why else why


def check_batch(settings: Settings, row_bytes: int, limit: int) -> None:
    """Refuse batches of one tree that do not fit. Raises BadInput, with the arithmetic."""
    leaves, batches = settings.leaves_per_tree, settings.batches_in_flight
    rows = leaves * batches
    if rows * row_bytes > limit:
        what = "a batch" if batches == 1 else f"{batches} batches"
        fewer, s = ("leaves" if leaves > 1 else "playouts a leaf"), "s" if rows > 1 else ""
        raise BadInput(
            f"search.leaves_per_tree={leaves}: {what} of budget.playouts_per_leaf={settings.playouts_per_leaf} takes "
            f"{rows:,} row{s} x {row_bytes:,} bytes = {rows * row_bytes / 2**20:,.1f} MiB, and "
            f"{limit / 2**20:,.1f} MiB may be used; fewer {fewer}, or more memory_gb"
        )


class TreeMemory:
    """What the trees of one search take.

    slot_bytes : of a node slot; row_bytes : of a batch's row; room : slots that a batch takes at most
    memory_limit : bytes that may be used, a share of what is free if None
    """

    def __init__(
        self,
        game: Any,
        settings: Settings,
        switches: SearchSwitches,
        slot_bytes: int,
        row_bytes: int,
        room: int,
        memory_limit: int | None,
    ) -> None:
        self._game, self._settings, self._switches = game, settings, switches
        self._slot_bytes, self._row_bytes, self._room, self._limit = slot_bytes, row_bytes, room, memory_limit

    def slots(self, iterations: int) -> int:
        """Node slots a tree is given for so many iterations, to begin with."""
        switches, most_moves = self._switches, self._game.MAX_MOVES
        if switches.flat:
            return 1 + slots_of_children(most_moves) + self._room
        if switches.cells > 0:
            iterations = int(iterations * (1 + SIBLINGS * most_moves))
        nodes = most_nodes(most_moves, self._game.MAX_PLIES, iterations, switches.whole_path)
        return 1 + int(SLOTS_PER_NODE * nodes + SPREAD * nodes**0.5) + self._room

    def more_slots(self, slots: int) -> int:
        """Slots a tree is given where so many do not suffice. Raises BadInput where no more can be counted."""
        more = min(int(slots * 1.5) + self._room, MAX_SLOTS - 1)
        if more <= slots:
            raise BadInput(f"a tree takes more than {slots:,} slots, and they are counted in 32 bits; fewer iterations")
        return more

    def fitting(self, trees: int, iterations: int, slots_beside: int, device_bytes: int | None, least: int = 1) -> int:
        """How many of so many trees fit together, ``least`` or more.

        slots_beside : slots a tree takes beside those of its iterations
        device_bytes : bytes a tree takes on the device beside its slots; None for trees on the host

        Raises BadInput where not so many fit, with the arithmetic.
        """
        slots = self.slots(iterations) + slots_beside
        tree_bytes = slots * self._slot_bytes + (device_bytes or 0)
        limit = limit_of(self._limit) if device_bytes is None else self._device_limit()
        of_batch = functools.partial(check_batch, self._settings, self._row_bytes, limit)
        if self._settings.leaves_per_tree > 1:  # of which a tree has room for too
            of_batch()
        check_trees(budget_of(iterations, self._settings.roots), least, slots, self._slot_bytes, tree_bytes, limit)
        of_batch()
        return min(trees, limit // tree_bytes)

    def not_given(self, trees: int, iterations: int, slots: int) -> BadInput:
        """The error of trees of so many slots each that fit by what is free, where the system does not give memory."""
        taken = trees * slots * self._slot_bytes
        return BadInput(
            f"{budget_of(iterations, self._settings.roots)}: {_taken_by(trees)} {slots:,} slots x "
            f"{self._slot_bytes} bytes = {taken / 2**20:,.1f} MiB, which the system does not give this process; "
            "fewer iterations, or a lower memory_gb"
        )

    def held_by_device(self, iterations: int, device_bytes: int) -> int | None:
        """How many trees the device that the driver shows holds at a time, at least one; None where that is not known.

        device_bytes : bytes a tree takes on the device beside its slots
        """
        memory = int(SHARE_OF_DEVICE * device.describe().memory)
        memory = min(memory, self._limit) if self._limit else memory
        memory = min(memory, limit_of(None)) if self._settings.reuse else memory
        return max(1, memory // (self.slots(iterations) * self._slot_bytes + device_bytes)) if memory else None

    def _device_limit(self) -> int:
        # with reuse the trees come back, and those of the last search are still there
        limit = memory_for_trees(self._limit)
        return min(limit, limit_of(None)) if self._settings.reuse else limit
