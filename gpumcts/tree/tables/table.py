"""Transposition tables of fixed size, as Kocsis et al. 2006 uses them where memory is limited (section 2.2, TWOBIGP).

T trees have a table of E entries each. An entry is found by the position's *table index*, a number of 64 bits: the
preorder index of the node in P-games, as the document has it, else a hash of the position. It lies in the bucket of
that index modulo the number of buckets, and is recognised by the whole index, so that two positions share an entry only
where 64 bits agree (hashes of a million positions: with probability 3e-8).

Replacement is by what an entry remembers of how it was stored:

``twobigp``   buckets of two. The first slot keeps the position of smaller depth; what does not stay there tries the
              second, which keeps the one whose parent was reached more often. At equal numbers the incumbent stays
``single``    buckets of one, which keep the position whose parent was reached more often, the incumbent at equality

Rewards are the first player's, whoever moves at the parent: a position may be reached by moves of either player.

An entry is four words, 32 bytes, side by side: a bucket of two is one line of the cache. *This differs from an array
for each field*: a search is in a random place of its table for every legal move of every position it passes, and would
wait for five.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.pgame import PGame
from gpumcts.jit import inlined
from gpumcts.rng import PLY_STEP, mix
from gpumcts.tree.forest import NO_NODE
from gpumcts.verbs import verb

U = np.uint64
INDEX, REWARDS, COUNTS, DEPTH = 0, 1, 2, 3  # the words of an entry
WORDS = 4
BYTES_AN_ENTRY = 8 * WORDS
REWARD_UNIT = 2 * SCORE_UNIT
"""A win in an entry's sum of rewards; a draw is half of it."""
PARENT = U(32)  # bit of COUNTS at which the parent's visits begin
VISITS = U((1 << 32) - 1)
LINE = 64  # bytes of a line of the cache
REPLACEMENTS = {"twobigp": 2, "single": 1}
"""Ways to keep entries by name, and the entries of a bucket."""


class Table(NamedTuple):
    """T tables of E entries, 32 bytes an entry. An entry without visits is free.

    The words of an entry: its table index; the sum of the first player's rewards, a win being REWARD_UNIT; visits in
    the low half and the parent's in the high half, as of when the search last stood at the parent; its depth when
    stored.
    """

    entries: np.ndarray  # uint64 [T, E, WORDS]
    roots: np.ndarray  # uint64 [T, 2] of the root, which is in no bucket: the sum of rewards, and visits


class Replacement(NamedTuple):
    """How entries are kept, as compiled code reads it.

    ways : entries of a bucket; 2 is TWOBIGP, 1 single-level replacement
    buckets : of a table
    stored_above : where a child cannot be stored, stored ones of a higher value (in [0, 1], for who chooses) go first
    """

    ways: int
    buckets: int
    stored_above: float


def replacement_of(entries: int, replacement: str = "twobigp", stored_above: float = np.inf) -> Replacement:
    """The checked numbers of a table of so many entries.

    Raises BadInput where ``entries`` is no even number of at least 2, for an unknown replacement, and a value below 0.
    """
    if entries < 2 or entries % 2:
        raise BadInput(f"search.table={entries}: a table has an even number of entries, at least 2")
    if replacement not in REPLACEMENTS:
        raise BadInput(f"search.replacement={replacement}: must be one of {', '.join(REPLACEMENTS)}")
    if not stored_above >= 0:
        raise BadInput(f"search.stored_above={stored_above}: must be a value from 0 on, or .inf")
    ways = REPLACEMENTS[replacement]
    return Replacement(ways, entries // ways, float(stored_above))


def empty_table(trees: int, entries: int) -> Table:
    """Tables without entries, every bucket in one line of the cache. Memory is committed when it is first written."""
    spare = LINE // 8
    words = np.zeros(trees * entries * WORDS + spare, np.uint64)
    begin = (-words.ctypes.data // 8) % spare
    block = words[begin : begin + trees * entries * WORDS]
    return Table(block.reshape(trees, entries, WORDS), np.zeros((trees, 2), np.uint64))


# ------------------------------------------------------------------------------------------------------ the table index


@verb("game")
def table_index(game, state):
    """The number that a position's entry is found by, uint64.

    It is equal for equal positions and differs for others if at all possible. Of neighbouring numbers the low bits
    should differ: buckets are taken modulo their number.
    """


@table_index.implements(object)
def hashed_index(game, state):
    """A hash of the words of the state."""
    index = U(0)
    for i in range(len(state)):
        index = mix((index ^ state[i]) + PLY_STEP)
    return index


@table_index.implements(PGame)
def preorder_index(game, state):
    """The index of the node as the tree is traversed in preorder (Kocsis et al. 2006, section 3.1), which is exact."""
    return state.node


# --------------------------------------------------------------------------------------------------- entries (compiled)


@inlined
def visits_of(table, tree, slot):
    """Playouts that went through the position of an entry, int64; 0 for a free one."""
    return np.int64(table.entries[tree, slot, COUNTS] & VISITS)


@inlined
def parent_visits_of(table, tree, slot):
    """How often the parent had been reached when the search last stood there, int64."""
    return np.int64(table.entries[tree, slot, COUNTS] >> PARENT)


@inlined
def note_parent_visits(table, tree, slot, parent_visits):
    """The search stands at the parent, which has now been reached so often (int64)."""
    table.entries[tree, slot, COUNTS] = (U(parent_visits) << PARENT) | (table.entries[tree, slot, COUNTS] & VISITS)


@inlined
def is_entry_of(table, tree, slot, index):
    """Whether the entry at ``slot`` is that of the position with this index."""
    return table.entries[tree, slot, INDEX] == index and table.entries[tree, slot, COUNTS] != U(0)


@inlined
def first_slot(replacement, index):
    """The first slot of the bucket of an index, int64."""
    return np.int64(index % U(replacement.buckets)) * replacement.ways


@inlined
def find(table, tree, replacement, index):
    """The slot of the position with this index, int64; NO_NODE where it is not in the table."""
    first = first_slot(replacement, index)
    if is_entry_of(table, tree, first, index):
        return first
    if replacement.ways == 2 and is_entry_of(table, tree, first + 1, index):
        return first + 1
    return np.int64(NO_NODE)


@inlined
def gives_way(table, tree, slot, parent_visits):
    """Whether a slot kept by the parent's visits takes a position whose parent was reached so often."""
    return visits_of(table, tree, slot) == 0 or parent_visits > parent_visits_of(table, tree, slot)


@inlined
def gives_way_to_depth(table, tree, slot, depth):
    """Whether a slot kept by depth takes a position of this depth."""
    return visits_of(table, tree, slot) == 0 or U(depth) < table.entries[tree, slot, DEPTH]


@inlined
def acceptable(table, tree, replacement, index, depth, parent_visits):
    """Whether an absent position would be stored: the document's empty entry, n = 0; if not, its invalid one."""
    first = first_slot(replacement, index)
    if replacement.ways == 1:
        return gives_way(table, tree, first, parent_visits)
    return gives_way_to_depth(table, tree, first, depth) or gives_way(table, tree, first + 1, parent_visits)


@inlined
def write(table, tree, slot, index, depth, parent_visits, visits, rewards):
    """Put an entry over whatever is at ``slot``."""
    table.entries[tree, slot, INDEX] = index
    table.entries[tree, slot, REWARDS] = rewards
    table.entries[tree, slot, COUNTS] = (U(parent_visits) << PARENT) | U(visits)
    table.entries[tree, slot, DEPTH] = U(depth)


@inlined
def add(table, tree, slot, parent_visits, visits, rewards):
    """Count ``visits`` more with the sum of their rewards (uint64) in the entry at ``slot``."""
    table.entries[tree, slot, REWARDS] += rewards
    table.entries[tree, slot, COUNTS] += U(visits)
    note_parent_visits(table, tree, slot, parent_visits)


@inlined
def store(table, tree, replacement, index, depth, parent_visits, visits, rewards):
    """Offer a position that is not in the table; it is stored, or not, and may push another one out."""
    first = first_slot(replacement, index)
    if replacement.ways == 1:
        if gives_way(table, tree, first, parent_visits):
            write(table, tree, first, index, depth, parent_visits, visits, rewards)
        return
    second = first + 1
    if gives_way_to_depth(table, tree, first, depth):
        if visits_of(table, tree, first) > 0 and gives_way(table, tree, second, parent_visits_of(table, tree, first)):
            for word in range(WORDS):
                table.entries[tree, second, word] = table.entries[tree, first, word]
        write(table, tree, first, index, depth, parent_visits, visits, rewards)
    elif gives_way(table, tree, second, parent_visits):
        write(table, tree, second, index, depth, parent_visits, visits, rewards)


@inlined
def rewards_for(player, rewards, visits):
    """The first player's sum of rewards (uint64, in REWARD_UNIT) for ``player``: float64 in [0, visits], exact."""
    first = float(rewards) / REWARD_UNIT
    return visits - first if player == 1 else first


def memory_of(entries: int) -> int:
    """Bytes of one table."""
    return entries * BYTES_AN_ENTRY
