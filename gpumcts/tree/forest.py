"""The forest: T search trees of at most N nodes as a struct of arrays, and how a tree grows.

Only visited moves have nodes. The children of a node lie side by side in a block that grows as they come (capacities 1, 2, 4,
6, 8, 12, 16, ... up to the number of legal moves), so that selection reads neighbouring memory; an outgrown block goes to the
tree's free list of its capacity. A node is 16 bytes, or 14 in games of at most 127 moves a position, and 8 for each column of
the backup operator; one more where positions are solved, 4 more where unobserved samples are counted apart. Where the
selection rule learns from traces (``selection=rave``), a
node gets children for all its moves at once, in one block, and each is 8 bytes more for each column of the rule.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.jit import inlined

ROOT = 0
NONE = -1
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

    Values are for the player who moves at the parent (the root's: who moves there).
    """

    visits: np.ndarray  # int32 [T, N] playouts that went through the node
    first_child: np.ndarray  # int32 [T, N] where its children begin; in a free block the next free block
    children: np.ndarray  # int8 or int16 [T, N] children it has
    moves: np.ndarray  # int8 or int16 [T, N] legal moves; 0: the game is over; negative: chance moves, or UNSETTLED
    move: np.ndarray  # int32 [T, N] the move that leads here
    columns: np.ndarray  # float64 [T, N, K] the operator's
    proof: np.ndarray  # int8 [T, N] or, where nothing is solved, [T, 0]: what is proven (see ``solve``), 0 for nothing
    unobserved: np.ndarray  # int32 [T, N] of the visits, those in flight, where they are no losses; else [T, 0]
    used: np.ndarray  # int32 [T] slots handed out
    free: np.ndarray  # int32 [T, len(CAPACITIES)] heads of the lists of free blocks, NONE if empty
    horizon: np.ndarray  # float64 [T] estimated plies from the root to the end
    beyond: (
        np.ndarray
    )  # int32 [T] 0, BEYOND_MOVES or BEYOND_PLIES: the node where it was met is a leaf, as if the game was over


def bytes_per_slot(
    columns: int, most_moves: int = MAX_COUNTED_MOVES, solve: bool = False, counts_unobserved: bool = False
) -> int:
    """Memory of one node slot for an operator with so many columns, in a game with at most so many moves a position."""
    return 3 * 4 + 2 * count_type(most_moves).itemsize + 8 * columns + solve + 4 * counts_unobserved


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


def empty_forest(
    trees: int,
    slots: int,
    columns: int,
    most_moves: int = MAX_COUNTED_MOVES,
    solve: bool = False,
    counts_unobserved: bool = False,
) -> Forest:
    """A forest without roots. Its pages come from the operating system as they are first written."""
    counts = count_type(most_moves)
    return Forest(
        visits=np.zeros((trees, slots), np.int32),
        first_child=np.zeros((trees, slots), np.int32),
        children=np.zeros((trees, slots), counts),
        moves=np.zeros((trees, slots), counts),
        move=np.zeros((trees, slots), np.int32),
        columns=np.zeros((trees, slots, columns), np.float64),
        proof=np.zeros((trees, slots if solve else 0), np.int8),
        unobserved=np.zeros((trees, slots if counts_unobserved else 0), np.int32),
        used=np.zeros(trees, np.int32),
        free=np.full((trees, len(CAPACITIES)), NONE, np.int32),
        horizon=np.zeros(trees, np.float64),
        beyond=np.zeros(trees, np.int32),
    )


def widen(held: list[Forest], slots: int) -> None:
    """Give the one forest that is ``held`` more slots a tree.

    One array after the other: where nobody else holds the forest, but one is there twice at a time.
    """
    forest = held.pop()
    most, arrays = int(forest.used.max()), list(forest)
    del forest
    for index in range(PER_NODE):
        old = arrays[index]
        if old.shape[1] > 0:
            arrays[index] = np.zeros((len(old), slots, *old.shape[2:]), old.dtype)
            arrays[index][:, :most] = old[:, :most]
        del old
    held.append(Forest(*arrays))


def with_room(forest: Forest, slots: int) -> Forest:
    """The same forest with more slots a tree."""
    held = [forest]
    widen(held, slots)
    return held[0]


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
    forest.first_child[tree, node] = NONE
    forest.children[tree, node] = 0
    forest.moves[tree, node] = 0
    forest.move[tree, node] = move
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
    forest.children[tree, target] = forest.children[tree, source]
    forest.moves[tree, target] = forest.moves[tree, source]
    forest.move[tree, target] = forest.move[tree, source]
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
    """A block of ``size`` slots: a free one of capacity class ``index``, or new ones (the caller has seen to the room)."""
    if size == CAPACITIES[index] and forest.free[tree, index] != NONE:
        block = forest.free[tree, index]
        forest.free[tree, index] = forest.first_child[tree, block]
        return np.int64(block)
    block = np.int64(forest.used[tree])
    forest.used[tree] += size
    return block


@inlined
def add_child(forest, tree, node, move):
    """The slot of a new child of ``node`` for ``move``; the other children may have moved (the caller has seen to the room)."""
    count = np.int64(forest.children[tree, node])
    index = capacity_class(count) if count > 0 else 0
    if count == 0 or CAPACITIES[index] == count:
        most = abs(np.int64(forest.moves[tree, node]))
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
    forest.children[tree, node] = count + 1
    clear_node(forest, tree, child, move)
    return child


@inlined
def add_children(forest, tree, node):
    """A block for all children of ``node``, which has none, to be filled: its first slot (the caller has seen to the room)."""
    most = np.int64(forest.moves[tree, node])
    block = take_block(forest, tree, capacity_class(most), most)
    forest.first_child[tree, node] = block
    forest.children[tree, node] = most
    return block


@inlined
def child_with_move(forest, tree, node, move):
    """The child of ``node`` that ``move`` leads to, or NONE."""
    first = np.int64(forest.first_child[tree, node])
    for child in range(first, first + forest.children[tree, node]):
        if forest.move[tree, child] == move:
            return np.int64(child)
    return np.int64(NONE)
