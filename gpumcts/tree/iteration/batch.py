"""The leaves of one step of a block of trees, and the groups in which they descend together.

What is chosen at a node depends on the node, on its children and on how many rows of the batch went through before. So
the rows at a node, a *group*, choose their children there in row order, and each child's rows are a group of their own,
in whatever order the groups are taken. A group is named by its first row, its head, whose words hold the group's state.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np

from gpumcts.jit import inlined
from gpumcts.struct_of_arrays import Array, allocate
from gpumcts.tree.forest import NO_NODE

TIES, CHANCES = 0, 1  # columns of Batch.streams, and of Batch.stems
STEM_OF_KEYS = 2
NEXT, CHOICE, LAST, COUNT, AT, UNTIL, SIBLING = range(7)
"""Columns of Batch.links.

Of a row: the next row of its group, NO_NODE at the end; the child it chose, by its place in the block, or STAYS. Of a
head: the last row, the number of rows, the first row that has not chosen yet, the row at which ``expand`` hands the
group back to ``select``; the next group below the same node.
"""
LINKS = 7
STAYS = -1  # the row's leaf is this node
NO_LEAF = -1  # depth of a row whose tree is proven
DONE = -1  # code of a row whose leaf is settled
PATH_BEYOND_PLIES = 2  # nodes of a path beside those after each ply of a game: the root, and one to spare
DEPTH_MASK = (1 << 32) - 1
NEW_CHILD = 1 << 32  # select: the node at this depth gets a new child
THROUGH_CHANCE = 1 << 33  # select: chance moves at the node at this depth


class Batch(NamedTuple):
    """The leaves of one step of a block of trees; row = tree of the block times leaves a tree + leaf.

    Arrays begin with the axis of the rows.
    """

    words: Annotated[np.ndarray, Array(np.uint64, "words")]  # states; with traces, room for an empty one behind each
    keys: Annotated[np.ndarray, Array(np.uint64)]  # of the playouts
    paths: Annotated[np.ndarray, Array(np.int32, "depth")]  # nodes from the root
    movers: Annotated[np.ndarray, Array(np.int8, "depth")]  # who moves at them
    depths: Annotated[np.ndarray, Array(np.int64)]
    """Of the leaf, or NO_LEAF where the tree's root is proven; on the way, of the group."""
    evaluations: Annotated[np.ndarray, Array(np.float64)]  # in [0, 1] for the first player
    tally: Annotated[np.ndarray, Array(np.int64, "columns")]  # ``tally_columns`` of the game
    stems: Annotated[np.ndarray, Array(np.uint64, 3)]
    """Of the trees, by their place in the block: of the streams of ties and chance, and of the keys of the playouts."""
    streams: Annotated[np.ndarray, Array(np.uint64, 2)]  # of ties and chance in this iteration
    codes: Annotated[np.ndarray, Array(np.int64)]
    """What select tells expand of a head: a depth and a flag; DONE of a row."""
    trees: Annotated[np.ndarray, Array(np.int32)]  # in the forest
    links: Annotated[np.ndarray, Array(np.int32, LINKS)]
    open: Annotated[np.ndarray, Array(np.int32, 4)]
    """Lists of heads in pairs, 0 and 1, 2 and 3: of the groups that go on, and of those that will."""


def empty_batch(rows: int, words: int, depth: int, columns: int, zeros: Callable = np.zeros) -> Batch:
    """Room for ``rows`` leaves of ``words`` words, paths of ``depth`` nodes and tally columns.

    zeros : ``zeros(shape, dtype)`` makes the arrays
    """
    return allocate(Batch, (rows,), {"words": words, "depth": depth, "columns": columns}, zeros=zeros)


@inlined
def rows_of(batch, begin, end):
    """Rows ``begin`` to ``end`` of a batch."""
    return Batch(
        batch.words[begin:end],
        batch.keys[begin:end],
        batch.paths[begin:end],
        batch.movers[begin:end],
        batch.depths[begin:end],
        batch.evaluations[begin:end],
        batch.tally[begin:end],
        batch.stems[begin:end],
        batch.streams[begin:end],
        batch.codes[begin:end],
        batch.trees[begin:end],
        batch.links[begin:end],
        batch.open[begin:end],
    )


@inlined
def begin_group(batch, row, depth):
    """Make a row the head of a group at ``depth`` that has no other row yet."""
    batch.links[row, NEXT] = NO_NODE
    batch.links[row, LAST] = row
    batch.links[row, COUNT] = 1
    batch.links[row, AT] = row
    batch.depths[row] = depth


@inlined
def join_group(batch, head, row):
    """Put a row behind the others of a group."""
    batch.links[row, NEXT] = NO_NODE
    batch.links[np.int64(batch.links[head, LAST]), NEXT] = row
    batch.links[head, LAST] = row
    batch.links[head, COUNT] += 1


@inlined
def is_alone(batch, head):
    """Whether a group has one row."""
    return batch.links[head, NEXT] == NO_NODE
