"""The hash table of a search: positions met, what they are worth to which depth, and the move that was best.

An entry is two words, 16 bytes: the hash of the position with the generation of the search in its low 16 bits, and the
data. A bucket is two entries: one keeps the deepest search, the other the latest. Entries of an earlier search are as
good as none, so a search begins with an empty table that nobody clears, and its result depends on no search before.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.jit import inlined
from gpumcts.rng import PLY_STEP, mix

U = np.uint64
ENTRY_BYTES = 16
MIN_ENTRIES = 2
GENERATIONS = 1 << 16
# Bits of the generation. Of the 16 bits of the hash that it takes the place of, the index of a bucket has those that
# number the buckets: all of them in tables of 2^17 entries and more. In smaller ones some are not compared.
STAMP = U(GENERATIONS - 1)
LOWER, UPPER, EXACT = 1, 2, 3  # bounds: the value is at least, at most, or just that
LASTING = U(2)  # bits of the data where the bounds begin that hold at every greater depth too; the others begin at 0
DEPTH, ORDINAL, VALUE = U(8), U(16), U(32)  # bits of the data where they begin
MAX_DEPTH = 255
OFFSET = np.int64(1 << 31)  # so that values are not negative


class TranspositionTable(NamedTuple):
    """words : uint64[2 * entries], entries a power of two; generation : int64[1], of the search at hand, from 1."""

    words: np.ndarray
    generation: np.ndarray


def empty_table(entries: int) -> TranspositionTable:
    """A table of so many entries (a power of two, at least MIN_ENTRIES)."""
    return TranspositionTable(np.zeros(2 * entries, np.uint64), np.zeros(1, np.int64))


def entries_in(mebibytes: int) -> int:
    """The most entries, a power of two, that so many MiB hold."""
    return 1 << ((mebibytes << 20) // ENTRY_BYTES).bit_length() - 1


@inlined
def begin_generation(table):
    """Forget everything; what is there is cleared once in 65,535 searches."""
    table.generation[0] += 1
    if table.generation[0] == GENERATIONS:
        table.words[:] = U(0)
        table.generation[0] = 1


@inlined
def hash_of(words, at, width):
    """The hash of a packed state (uint64)."""
    found = PLY_STEP
    for i in range(width):
        found = mix((found ^ words[at + i]) + PLY_STEP)
    return found


@inlined
def bucket_of(table, position):
    """Where the bucket of a hash begins in ``words``."""
    return np.int64(position & U(table.words.shape[0] // 4 - 1)) * 4


@inlined
def probe(table, position):
    """The data of a position (uint64), 0 where it is not there."""
    at, own = bucket_of(table, position), (position & ~STAMP) | U(table.generation[0])
    if table.words[at] == own:
        return table.words[at + 1]
    return table.words[at + 3] if table.words[at + 2] == own else U(0)


@inlined
def keep(table, position, data):
    """Put the data of a position into its bucket: in the first entry, unless a deeper search is there."""
    at, stamp = bucket_of(table, position), U(table.generation[0])
    own, there = (position & ~STAMP) | stamp, table.words[at]
    fresh = (there & STAMP) != stamp
    if fresh or there == own or depth_of(data) >= depth_of(table.words[at + 1]):
        if not fresh and there != own:
            table.words[at + 2], table.words[at + 3] = there, table.words[at + 1]
        table.words[at], table.words[at + 1] = own, data
    else:
        table.words[at + 2], table.words[at + 3] = own, data


@inlined
def packed(value, ordinal, depth, bounds, lasting):
    """The data of an entry.

    value : in [-2^31, 2^31); ordinal : number of the move; depth : in [0, MAX_DEPTH]
    bounds : which the value is for a search of that depth; lasting : those of them that hold at every greater depth
    """
    low = U(bounds) | (U(lasting) << LASTING)
    return (U(value + OFFSET) << VALUE) | (U(ordinal) << ORDINAL) | (U(depth) << DEPTH) | low


@inlined
def lasting_of(data):
    """The bounds that hold at every greater depth too, int64."""
    return np.int64((data >> LASTING) & U(EXACT))


@inlined
def bounds_for(data, depth):
    """The bounds that hold for a search of ``depth`` plies, at least 1, int64: 0 where there are none, or no entry."""
    there = depth_of(data)
    return np.int64(data & U(EXACT)) if there == depth else lasting_of(data) if there < depth else np.int64(0)


@inlined
def value_of(data):
    """The value, int64."""
    return np.int64(data >> VALUE) - OFFSET


@inlined
def ordinal_of(data):
    """The number of the best move, int64."""
    return np.int64((data >> ORDINAL) & U(0xFFFF))


@inlined
def depth_of(data):
    """Plies that were searched, int64."""
    return np.int64((data >> DEPTH) & U(0xFF))
