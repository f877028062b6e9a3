"""Several threads in one tree: a coordinator, who does what ``advance`` does, and workers who take shares of steps.

The answer is that of one thread. In a batch, groups below different nodes have nothing in common, so whoever takes one
on finds the same. Playouts are integers that add up in any order. The coordinator backs up alone, in row order, unless
the operator has ``back_up_at``: then bundles of rows are shared. Slots are handed out to each thread in chunks, so
nodes lie elsewhere than with one thread, which nothing reads.

A step is a phase, and the coordinator announces it. Whoever is there takes shares of it, one by one; it is over when
all are done. Nobody waits for a thread that has taken none: threads may be somebody else's, and their cores too.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.atomic import fetch_add, idle, load, replace, store, wait_while
from gpumcts.jit import inlined
from gpumcts.kernels.playout_loop import LANE_COUNT
from gpumcts.tree.forest import CAPACITIES, NO_NODE, Forest, slots_of_children

LINE = 8  # words of int64 in a line of the cache: words of the board that different threads write lie apart
PHASE, JOINED, TAKEN, READY, COMPLETE, DONE, ROWS, PIECES, SLOTS, PATHS = range(0, 10 * LINE, LINE)
"""The board.

The phase, its number and kind; threads that have joined. Shares of the phase: its number and how many are taken, how
many there are so far, whether that is all, how many are done. Rows of the batch, pieces that a leaf's playouts are cut
into; slots of the tree that are in chunks; bundles of the batch.
"""
ALONE, GATHER, EVALUATE, BACK_UP, LEAVE = range(5)  # kinds of phases; ALONE is the coordinator's
KIND_BITS, SHARE_BITS = 3, 20
MAX_SHARES = (1 << SHARE_BITS) - 1
NO_SHARE = -1
NEVER = np.iinfo(np.int32).max
BEGUN, END = 0, 1  # columns of Team.chunks: the first free slot, and the end of the chunk
BEGIN, GROUPS, BUNDLE_ROWS = 0, 1, 2  # columns of Team.bundles
ROWS_OF_A_BUNDLE = 32  # at least: paths enough for the lanes
SHARES = 8  # of a thread in a step, so that all end together
MIN_ROWS = 64  # of a batch whose groups are shared out
MIN_PLAYOUTS = 16  # of a share
MIN_IN_LANES = 16 * LANE_COUNT  # the same in lanes: those that run empty at a share's end are few of all rounds
MIN_TEAM_PLAYOUTS = 128  # playouts of a batch of many leaves: below, waiting takes what sharing gives
NEEDS_OF_A_CHUNK = 8  # what is left of a chunk that is given up is less than one
SMALLEST_CHUNK = 4  # times smaller: a chunk of a small tree, since memory that is written here and there is slow to get
LEFTOVER = 2  # class of the blocks that what is left of a chunk becomes: most nodes have one in their time


def useful_threads(threads: int, leaves: int, playouts: int) -> int:
    """Threads of a team for batches of so many leaves and playouts a leaf: more would wait, and be in the way."""
    shares = max(leaves * playouts // MIN_PLAYOUTS, leaves // ROWS_OF_A_BUNDLE)
    return max(1, min(threads, shares))


def is_worth_a_team(leaves: int, playouts: int) -> bool:
    """Whether batches of so many leaves and playouts a leaf are large enough to be shared out."""
    return leaves * playouts >= MIN_TEAM_PLAYOUTS or playouts >= 2 * MIN_PLAYOUTS


class Team(NamedTuple):
    """What the threads of one tree share; M threads, the coordinator is number 0."""

    board: np.ndarray  # int64 [10 LINE]
    bundles: np.ndarray  # int64 [B, 3] groups taken on together: where in the open list, how many, their rows
    chunks: np.ndarray  # int32 [M, 16] the slots of each thread: see BEGUN and END
    free: np.ndarray  # int32 [M, len(CAPACITIES)] its free blocks, as ``Forest.free``
    tally: np.ndarray  # int64 [pieces of all leaves, tally columns] of playouts of leaves that are cut
    rows: np.ndarray  # int32 [B] of the bundles, at their places, in row order within a group
    every_row: np.ndarray  # int32 [B] 0, 1, 2, ...
    tops: np.ndarray  # int32 [B] depth at which a row went into a bundle; NEVER where the coordinator took it on
    shares_back_up: bool  # whether threads share the back-up
    leaf_slots: int  # that a leaf may take at most
    node_slots: int  # that the children of a node may take at most
    chunk: int  # slots of a worker's chunk in a large tree
    first_chunk: int  # the same of the coordinator
    largest: int  # rows of a group that goes into a bundle, at most
    min_share_playouts: int  # of a share


def team_of(
    threads: int,
    leaves: int,
    most_moves: int,
    leaf_slots: int,
    columns: int,
    shares_back_up: bool = False,
    playouts: int = 1,
    in_lanes: bool = False,
) -> Team:
    """A team of so many threads for batches of so many leaves and playouts of a leaf, played in lanes or not."""
    largest = max(ROWS_OF_A_BUNDLE // 2, leaves // (SHARES * threads))
    rows = max(ROWS_OF_A_BUNDLE + largest, min(leaves, MIN_ROWS))
    node_slots, need = slots_of_children(most_moves), rows * leaf_slots
    large_groups = leaves // (largest + 1)  # at most, that the coordinator takes on together
    pieces = 2 * SHARES * threads if leaves < SHARES * threads else 0
    part = leaves * playouts // threads
    min_share_playouts = max(MIN_PLAYOUTS, min(MIN_IN_LANES, part)) if in_lanes else MIN_PLAYOUTS
    return Team(
        board=np.zeros(10 * LINE, np.int64),
        bundles=np.zeros((leaves, 3), np.int64),
        chunks=np.zeros((threads, 16), np.int32),
        free=np.full((threads, len(CAPACITIES)), NO_NODE, np.int32),
        tally=np.zeros((pieces, columns), np.int64),
        rows=np.zeros(leaves, np.int32),
        every_row=np.arange(leaves, dtype=np.int32),
        tops=np.zeros(leaves, np.int32),
        shares_back_up=shares_back_up,
        leaf_slots=leaf_slots,
        node_slots=node_slots,
        chunk=NEEDS_OF_A_CHUNK * need,
        first_chunk=NEEDS_OF_A_CHUNK * max(need, large_groups * node_slots),
        largest=largest,
        min_share_playouts=min_share_playouts,
    )


def team_room(team: Team, leaves: int) -> int:
    """Slots that a step of so many leaves may take: no chunk is given up before half of it is used."""
    return 2 * leaves * team.leaf_slots + team.first_chunk + (len(team.chunks) - 1) * team.chunk


# ------------------------------------------------------------------------------------------------------ phases


@inlined
def announce(team, number, kind, shares):
    """Begin phase ``number`` of so many shares; 0 where it is not known yet how many.

    Shares of the last phase are done. Its number goes with what is taken, so who comes late takes none of this one
    unawares: there is none until the number is in place.
    """
    store(team.board, READY, 0)
    store(team.board, COMPLETE, 0)
    store(team.board, DONE, 0)
    store(team.board, TAKEN, number << (2 * SHARE_BITS))
    store(team.board, READY, shares)
    store(team.board, COMPLETE, np.int64(shares > 0))
    store(team.board, PHASE, (number << KIND_BITS) | kind)


@inlined
def take_share(team, number, thread):
    """The number of a share of phase ``number``, waiting for one while there may be more, or NO_SHARE.

    The coordinator takes the last one, workers take the first one: subtrees that are next to each other in a batch are
    so in the next one, so most of a subtree's nodes stay in the cache of one core.
    """
    spins, one = 0, np.int64(1) << (SHARE_BITS if thread == 0 else 0)
    while True:
        taken = load(team.board, TAKEN)
        if taken >> (2 * SHARE_BITS) != number:
            return np.int64(NO_SHARE)
        first, last = taken & MAX_SHARES, (taken >> SHARE_BITS) & MAX_SHARES
        complete = load(team.board, COMPLETE)
        ready = load(team.board, READY)
        if first + last < ready and (thread != 0 or complete != 0):
            if replace(team.board, TAKEN, taken, taken + one):
                return ready - 1 - last if thread == 0 else first
        elif complete != 0:
            return np.int64(NO_SHARE)
        else:
            spins = idle(spins)


@inlined
def await_shares(team):
    """Wait until all shares of a phase are done."""
    done = load(team.board, DONE)
    while done < load(team.board, READY):
        done = wait_while(team.board, DONE, done)


# ------------------------------------------------------------------------------------------------------- slots


@inlined
def with_slots(forest, team, thread):
    """The forest of one tree as a thread sees it that takes slots of its own."""
    return Forest(
        forest.visits,
        forest.first_child,
        forest.child_count,
        forest.move_count,
        forest.action,
        forest.columns,
        forest.proof,
        forest.unobserved,
        team.chunks[thread],
        team.free[thread : thread + 1],
        forest.horizon,
        forest.beyond,
    )


@inlined
def ensure_chunk(forest, team, thread, slots):
    """Take a new chunk of the tree's slots if a thread has fewer than ``slots`` left; these become its free blocks."""
    begun, end = np.int64(team.chunks[thread, BEGUN]), np.int64(team.chunks[thread, END])
    if begun + slots <= end:
        return
    size = CAPACITIES[LEFTOVER]
    while begun + size <= end:
        forest.first_child[0, begun] = team.free[thread, LEFTOVER]
        team.free[thread, LEFTOVER] = begun
        begun += size
    most = team.first_chunk if thread == 0 else team.chunk
    size = max(most // SMALLEST_CHUNK, min(most, load(team.board, SLOTS) // (SMALLEST_CHUNK * team.chunks.shape[0])))
    begun = fetch_add(team.board, SLOTS, size)
    team.chunks[thread, BEGUN], team.chunks[thread, END] = begun, begun + size
