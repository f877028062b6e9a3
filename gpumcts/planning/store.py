"""Nodes found by (state, depth): an open hash table that planners keep rows of statistics beside."""

from typing import NamedTuple

import numpy as np

from gpumcts.jit import entry, inlined
from gpumcts.rng import mix

U = np.uint64
FIRST_ROOM = 1024  # nodes, a power of two


class Store(NamedTuple):
    """Up to N nodes, N a power of two; nodes 0 ... ``count[0]`` - 1 are in the order in which they were added.

    keys uint64[N]: ``node_key`` of each node
    slots int32[2 N]: node + 1 at the place of its key or after it, 0 where free
    count int64[1]
    """

    keys: np.ndarray
    slots: np.ndarray
    count: np.ndarray


def store(room: int) -> Store:
    """An empty store with room for ``room`` nodes, a power of two."""
    return Store(np.zeros(room, np.uint64), np.zeros(2 * room, np.int32), np.zeros(1, np.int64))


@inlined
def node_key(state, depth):
    """The key of a state at a depth, both below 2^32, uint64."""
    return (U(depth) << U(32)) | U(state)


@inlined
def depth_of(store, node):
    """The depth of a node, int64."""
    return np.int64(store.keys[node] >> U(32))


@inlined
def state_of(store, node):
    """The state of a node, int64."""
    return np.int64(store.keys[node] & U(0xFFFFFFFF))


@inlined
def room_left(store):
    """How many nodes may be added."""
    return store.keys.shape[0] - store.count[0]


@inlined
def slot_of(store, key):
    """The slot that holds the node of ``key``, or the free one where it belongs."""
    last = store.slots.shape[0] - 1
    slot = np.int64(mix(key)) & last
    while store.slots[slot] != 0 and store.keys[store.slots[slot] - 1] != key:
        slot = (slot + 1) & last
    return slot


@inlined
def add(store, slot, key):
    """Add the node of ``key`` at its free slot and return it; there must be room."""
    node = store.count[0]
    store.keys[node] = key
    store.slots[slot] = node + 1
    store.count[0] = node + 1
    return node


@inlined
def clear(store):
    """Forget all nodes."""
    store.slots[:] = 0
    store.count[0] = 0


@entry
def move_in(old, new):
    """Give the nodes of ``old`` to the empty, larger ``new``, under the same numbers."""
    for node in range(old.count[0]):
        add(new, slot_of(new, old.keys[node]), old.keys[node])
