"""The forest: T search trees of at most N nodes as a struct of arrays, and how nodes are added.

Only visited moves have nodes. The children of a node lie side by side in a block that grows as they come (capacities 1,
2, 4, 6, 8, 12, 16, ... up to the number of legal moves), so that selection reads neighbouring memory; an outgrown block
goes to the tree's free list of its capacity. A node is 16 bytes, or 14 in games of at most 127 moves a position, and 8
for each column of the backup operator; one more where positions are solved, 4 more where unobserved samples are counted
apart. Where the selection rule learns from traces (``selection=rave``), a node gets children for all its moves at once,
in one block, and each is 8 bytes more for each column of the rule.
"""

from collections.abc import Callable
from typing import Annotated, NamedTuple

import numpy as np

from gpumcts.jit import inlined
from gpumcts.struct_of_arrays import Array, allocate, bytes_per_row

ROOT = 0
NO_NODE = -1
UNSETTLED = -1
"""Moves of a node that has not been reached yet, in trees whose nodes get all children at once: without chance."""
CAPACITIES = np.array(
    [1, 2, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048]
    + [3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768],
    np.int64,
)
MAX_COUNTED_MOVES = 32_767  # legal moves of a position: they are kept in 15 bits and a sign
FEW_MOVES = 127  # of a game whose counts of moves fit in a byte
PER_NODE = 8  # the first so many arrays of a forest have a place for every node
BEYOND_MOVES, BEYOND_PLIES = 1, 2  # what a tree met for which the bounds of the game's class leave no room


class Forest(NamedTuple):
    """T trees, N slots each; operator columns are float64, their meaning is the operator's.

    Values are for the player who moves at the parent (the root's: who moves there). The trees are the first axis.
    """

    visits: Annotated[np.ndarray, Array(np.int32, "slots")]  # playouts that went through the node
    first_child: Annotated[np.ndarray, Array(np.int32, "slots")]
    """Where its children begin; of a free block: the next one."""
    child_count: Annotated[np.ndarray, Array("counts", "slots")]  # children it has
    move_count: Annotated[np.ndarray, Array("counts", "slots")]
    """Legal moves; 0: the game is over; negative: chance moves, or UNSETTLED."""
    action: Annotated[np.ndarray, Array(np.int32, "slots")]  # the move that leads here
    columns: Annotated[np.ndarray, Array(np.float64, "slots", "columns")]  # the operator's
    proof: Annotated[np.ndarray, Array(np.int8, "slots to solve")]  # what is proven (see ``solve``), 0 for nothing
    unobserved: Annotated[np.ndarray, Array(np.int32, "slots of unobserved")]
    """Of the visits, those in flight, where they are no losses."""
    used: Annotated[np.ndarray, Array(np.int32)]  # slots handed out
    free: Annotated[np.ndarray, Array(np.int32, len(CAPACITIES))]  # heads of lists of free blocks, NO_NODE if empty
    horizon: Annotated[np.ndarray, Array(np.float64)]  # estimated plies from the root to the end
    beyond: Annotated[np.ndarray, Array(np.int32)]
    """0, BEYOND_MOVES or BEYOND_PLIES: the node where it was met is a leaf, as if the game was over."""


class Layout(NamedTuple):
    """What a node has in the arrays of a forest.

    columns : of the backup operator and the selection rule
    most_moves : of a position in the game
    solve : whether proofs are kept
    counts_unobserved : whether visits in flight are counted apart
    """

    columns: int
    most_moves: int = MAX_COUNTED_MOVES
    solve: bool = False
    counts_unobserved: bool = False

    def lengths(self, slots: int) -> dict[str, int]:
        """The axes of a forest's arrays; what a search does without has no slots."""
        apart = {"slots to solve": slots * self.solve, "slots of unobserved": slots * self.counts_unobserved}
        return {"slots": slots, "columns": self.columns, **apart}

    def dtypes(self) -> dict[str, np.dtype]:
        """The types that depend on the game."""
        return {"counts": count_type(self.most_moves)}


def bytes_per_slot(layout: Layout) -> int:
    """Memory of one node slot."""
    one, none = (bytes_per_row(Forest, layout.lengths(slots), layout.dtypes()) for slots in (1, 0))
    return one - none


def count_type(most_moves: int) -> np.dtype:
    """What counts of moves and children are kept in."""
    return np.dtype(np.int8 if most_moves <= FEW_MOVES else np.int16)


def most_nodes(most_moves: int, most_plies: int, iterations: int, path_an_iteration: bool) -> int:
    """Nodes of a tree at most: each iteration adds one, or a path, and no level is fuller than the game's."""
    nodes = level = 1
    for _ in range(most_plies):
        level = min(level * most_moves, iterations)
        nodes += level
        if not path_an_iteration and nodes > iterations:
            return 1 + iterations
    return nodes


def slots_of_children(most_moves: int) -> int:
    """Slots that a node of so many moves may take for its children: its outgrown blocks, and the last one."""
    return int(sum(capacity for capacity in CAPACITIES if capacity < most_moves)) + most_moves


def zeroed_forest(trees: int, slots: int, layout: Layout, zeros: Callable = np.zeros) -> Forest:
    """A forest whose arrays come from ``zeros(shape, dtype)`` and are nothing but zeros; see ``empty_forest``."""
    return allocate(Forest, (trees,), layout.lengths(slots), layout.dtypes(), zeros)


def empty_forest(trees: int, slots: int, layout: Layout) -> Forest:
    """A forest without roots and free blocks; the operating system commits its memory when it is first written."""
    forest = zeroed_forest(trees, slots, layout)
    forest.free[:] = NO_NODE
    return forest


def widened(arrays: list[np.ndarray], slots: int) -> Forest:
    """The forest of these ``arrays``, which are let go of, with more slots a tree.

    One array after the other: where nobody else holds the forest, only one array is there twice at a time.
    """
    most = int(Forest(*arrays).used.max())
    for index in range(PER_NODE):
        old = arrays[index]
        if old.shape[1] > 0:
            arrays[index] = np.zeros((len(old), slots, *old.shape[2:]), old.dtype)
            arrays[index][:, :most] = old[:, :most]
        del old
    return Forest(*arrays)


def with_room(forest: Forest, slots: int) -> Forest:
    """The same forest with more slots a tree."""
    return widened(list(forest), slots)


@inlined
def capacity_class(count):
    """Index of the smallest capacity that holds ``count`` children."""
    index = 0
    while CAPACITIES[index] < count:
        index += 1
    return index


@inlined
def clear_node(forest, tree, node, move):
    """A fresh node for ``move``: nothing in it yet."""
    forest.visits[tree, node] = 0
    forest.first_child[tree, node] = NO_NODE
    forest.child_count[tree, node] = 0
    forest.move_count[tree, node] = 0
    forest.action[tree, node] = move
    if forest.proof.shape[1] > 0:
        forest.proof[tree, node] = 0
    if forest.unobserved.shape[1] > 0:
        forest.unobserved[tree, node] = 0
    for column in range(forest.columns.shape[2]):
        forest.columns[tree, node, column] = 0.0


@inlined
def copy_node(forest, tree, source, target):
    """Copy one node to another slot of its tree; its children stay where they are."""
    forest.visits[tree, target] = forest.visits[tree, source]
    forest.first_child[tree, target] = forest.first_child[tree, source]
    forest.child_count[tree, target] = forest.child_count[tree, source]
    forest.move_count[tree, target] = forest.move_count[tree, source]
    forest.action[tree, target] = forest.action[tree, source]
    if forest.proof.shape[1] > 0:
        forest.proof[tree, target] = forest.proof[tree, source]
    if forest.unobserved.shape[1] > 0:
        forest.unobserved[tree, target] = forest.unobserved[tree, source]
    for column in range(forest.columns.shape[2]):
        forest.columns[tree, target, column] = forest.columns[tree, source, column]


@inlined
def add_in_flight(forest, tree, node, playouts):
    """Count playouts that are selected and not yet played as visits of a node; fewer than 0 take them back."""
    forest.visits[tree, node] += playouts
    if forest.unobserved.shape[1] > 0:
        forest.unobserved[tree, node] += playouts


@inlined
def take_block(forest, tree, index, size):
    """A block of ``size`` slots: a free one of capacity class ``index``, or new ones (the caller has ensured room)."""
    if size == CAPACITIES[index] and forest.free[tree, index] != NO_NODE:
        block = forest.free[tree, index]
        forest.free[tree, index] = forest.first_child[tree, block]
        return np.int64(block)
    block = np.int64(forest.used[tree])
    forest.used[tree] += size
    return block


@inlined
def add_child(forest, tree, node, move):
    """The slot of a new child of ``node`` for ``move``; its other children may move (the caller has ensured room)."""
    count = np.int64(forest.child_count[tree, node])
    index = capacity_class(count) if count > 0 else 0
    if count == 0 or CAPACITIES[index] == count:
        most = abs(np.int64(forest.move_count[tree, node]))
        following = index + 1 if count > 0 else 0
        block = take_block(forest, tree, following, min(CAPACITIES[following], most))
        if count > 0:
            outgrown = np.int64(forest.first_child[tree, node])
            for i in range(count):
                copy_node(forest, tree, outgrown + i, block + i)
            forest.first_child[tree, outgrown] = forest.free[tree, index]
            forest.free[tree, index] = outgrown
        forest.first_child[tree, node] = block
    child = np.int64(forest.first_child[tree, node]) + count
    forest.child_count[tree, node] = count + 1
    clear_node(forest, tree, child, move)
    return child


@inlined
def add_children(forest, tree, node):
    """The first slot of a new block for all children of ``node``, which has none, to be filled (room is ensured)."""
    most = np.int64(forest.move_count[tree, node])
    block = take_block(forest, tree, capacity_class(most), most)
    forest.first_child[tree, node] = block
    forest.child_count[tree, node] = most
    return block


@inlined
def child_with_move(forest, tree, node, move):
    """The child of ``node`` that ``move`` leads to, or NO_NODE."""
    first = np.int64(forest.first_child[tree, node])
    for child in range(first, first + forest.child_count[tree, node]):
        if forest.action[tree, child] == move:
            return np.int64(child)
    return np.int64(NO_NODE)
