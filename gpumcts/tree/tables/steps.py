"""The steps of a search in a table: walk and pick take turns on the way down, evaluate (the kernels), enter.

A block of searches goes down together, a row each. ``walk`` plays moves as long as the selection rule has no say: where
no child of a position is stored, or one of them cannot be. Where the rule decides, ``walk`` lays the position and its
stored children out as a tree of two levels, a ``Forest`` of its own, to which ``pick`` applies the rule as in any tree.

Each step is compiled on its own (``advance``) and handed to the glue as a value: ``walk`` for the game, ``pick``
for (rule, operator), ``evaluate`` for (game, policy); ``enter`` knows none of them.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.games.contract import (
    CHANCE,
    NO_MOVE,
    SCORE_UNIT,
    chance_move,
    count_moves,
    move_after,
    mover,
    pack,
    play,
    score,
    unpack,
)
from gpumcts.jit import inlined
from gpumcts.kernels.playout_loop import SCORE, TALLY_COLUMNS
from gpumcts.rng import PLY_STEP, draw
from gpumcts.tree.forest import NO_NODE, ROOT, Forest, Layout, empty_forest
from gpumcts.tree.iteration.best_child import best_child
from gpumcts.tree.iteration.new_children import UNVISITED_DRAW
from gpumcts.tree.selection.contract import tries_unvisited
from gpumcts.tree.tables.table import (
    REWARDS,
    acceptable,
    add,
    find,
    is_entry_of,
    note_parent_visits,
    rewards_for,
    store,
    table_index,
    visits_of,
)

U = np.uint64
ROOT_REWARDS, ROOT_VISITS = 0, 1  # columns of Table.roots
SETTLED, ASKS, ARRIVED = -1, -2, -3
"""Codes of a row: its leaf is settled; the selection rule is to pick; it stands at a position not looked at yet."""
BEYOND_MOVES, BEYOND_PLIES = -1, -2
"""What ``walk`` answers at a position with more moves, or in a game with more plies, than there is room for."""
NEW = 0  # what ``pick`` answers: an unvisited move; else the slot of the child in the forest of two levels


class Frontier(NamedTuple):
    """Of each row the position it stands at and its moves. A move's rank is its place in the order of legal moves."""

    forest: Forest  # [B, 1 + M] the position in slot 0, behind it its stored children in order of rank
    moves: np.ndarray  # int32 [B, M] by rank
    indices: np.ndarray  # uint64 [B, M] by rank, of the position that the move leads to
    slots: np.ndarray  # int64 [B, M] by rank, in the table; NO_NODE for one that is not stored
    stored: np.ndarray  # int32 [B, M] ranks of the stored children
    absent: np.ndarray  # int32 [B, M] ranks of the others


class Paths(NamedTuple):
    """The path of each row, from the root at depth 0 to the leaf."""

    words: np.ndarray  # uint64 [B, W] the state at its end
    keys: np.ndarray  # uint64 [B] of the playouts
    streams: np.ndarray  # uint64 [B, 2] of ties and of chance in this iteration
    codes: np.ndarray  # int64 [B] a code, or the answer of ``pick``
    depths: np.ndarray  # int64 [B]
    indices: np.ndarray  # uint64 [B, D] table indices of the positions
    slots: np.ndarray  # int64 [B, D] where they were in the table, or NO_NODE
    reached: np.ndarray  # int64 [B, D] how often they have been reached, this iteration's playouts included
    tally: np.ndarray  # int64 [B, TALLY_COLUMNS]


def empty_frontier(rows: int, most_moves: int) -> Frontier:
    """Room for positions of at most so many moves."""
    shape = (rows, most_moves)
    forest = empty_forest(rows, 1 + most_moves, Layout(1, most_moves))
    forest.first_child[:, ROOT] = 1
    ranks = (np.zeros(shape, np.int32) for _ in range(2))
    return Frontier(forest, np.zeros(shape, np.int32), np.zeros(shape, np.uint64), np.zeros(shape, np.int64), *ranks)


def empty_paths(rows: int, width: int, most_plies: int) -> Paths:
    """Room for paths of at most so many plies, in states of so many words."""
    shape = (rows, most_plies + 1)
    return Paths(
        words=np.zeros((rows, width), np.uint64),
        keys=np.zeros(rows, np.uint64),
        streams=np.zeros((rows, 2), np.uint64),
        codes=np.zeros(rows, np.int64),
        depths=np.zeros(rows, np.int64),
        indices=np.zeros(shape, np.uint64),
        slots=np.zeros(shape, np.int64),
        reached=np.zeros(shape, np.int64),
        tally=np.zeros((rows, TALLY_COLUMNS), np.int64),
    )


def bytes_a_row(width: int, most_moves: int, most_plies: int) -> int:
    """Memory of a row of ``Frontier`` and ``Paths``."""
    parts = (*empty_frontier(1, most_moves), *empty_paths(1, width, most_plies))
    arrays = [array for part in parts for array in (part if isinstance(part, tuple) else (part,))]
    return sum(array.nbytes for array in arrays)


# -------------------------------------------------------------------------------------------------------------- walk


@inlined
def look_up(game, table, replacement, frontier, row, state):
    """Find the children of a position in the table and lay the stored ones out: (how many, the sum of their visits)."""
    stored, total = np.int64(0), np.int64(0)
    who, move = mover(game, state), np.int64(NO_MOVE)
    for rank in range(count_moves(game, state)):
        move = np.int64(move_after(game, state, move, rank))
        index = table_index(game, play(game, state, move))
        slot = find(table, row, replacement, index)
        frontier.moves[row, rank], frontier.indices[row, rank], frontier.slots[row, rank] = move, index, slot
        if slot == NO_NODE:
            frontier.absent[row, rank - stored] = rank
            continue
        frontier.stored[row, stored] = rank
        stored += 1
        visits = visits_of(table, row, slot)
        frontier.forest.visits[row, stored] = visits
        frontier.forest.action[row, stored] = move
        frontier.forest.columns[row, stored, 0] = rewards_for(who, table.entries[row, slot, REWARDS], visits)
        total += visits
    return stored, total


@inlined
def all_acceptable(table, replacement, frontier, row, absent, depth, reached):
    """Whether every one of the absent children, which are at ``depth``, could be stored."""
    for i in range(absent):
        if not acceptable(table, row, replacement, frontier.indices[row, frontier.absent[row, i]], depth, reached):
            return False
    return True


@inlined
def keep_above(frontier, row, stored, level):
    """Leave of the laid out children those of a value above ``level``; how many."""
    kept = np.int64(0)
    forest = frontier.forest
    for child in range(1, stored + 1):
        if forest.columns[row, child, 0] / forest.visits[row, child] > level:
            frontier.stored[row, kept] = frontier.stored[row, child - 1]
            kept += 1
            forest.visits[row, kept] = forest.visits[row, child]
            forest.action[row, kept] = forest.action[row, child]
            forest.columns[row, kept, 0] = forest.columns[row, child, 0]
    return kept


@inlined
def known_visits(table, paths, row, depth):
    """Visits of the position at the end of a path, int64; 0 where it is not in the table."""
    if depth == 0:
        return np.int64(table.roots[row, ROOT_VISITS])
    slot = paths.slots[row, depth]
    return np.int64(0) if slot == NO_NODE else visits_of(table, row, slot)


@inlined
def some_rank(switches, stream, count):
    """One of ``count`` ranks: uniformly random, or the first in order of generation."""
    return np.int64(draw(stream, UNVISITED_DRAW, count)) if switches.random_ties else np.int64(0)


@inlined
def rank_of_move(frontier, row, move):
    """The rank of a move that has been laid out."""
    rank = np.int64(0)
    while frontier.moves[row, rank] != move:
        rank += 1
    return rank


@inlined
def choose_stored(game, table, replacement, frontier, paths, switches, row, state, depth):
    """Look at a position that is not over: the rank of the move made without the rule, NO_NODE where the rule picks.

    Kocsis et al. 2006's selectMove: a child that cannot be stored makes the move a random one, unvisited ones go first.
    """
    moves = np.int64(count_moves(game, state))
    stored, total = look_up(game, table, replacement, frontier, row, state)
    known = known_visits(table, paths, row, depth)
    known = known if known > 0 else total
    reached = known + switches.playouts
    paths.reached[row, depth] = reached
    for i in range(stored):
        note_parent_visits(table, row, frontier.slots[row, frontier.stored[row, i]], reached)
    stream = paths.streams[row, 0] + U(depth) * PLY_STEP
    if mover(game, state) == CHANCE:
        return rank_of_move(frontier, row, chance_move(game, state, paths.streams[row, 1] + U(depth) * PLY_STEP))
    if stored == 0 and switches.random_ties:  # whether all can be stored or not, any move is as good as another
        return some_rank(switches, stream, moves)
    if all_acceptable(table, replacement, frontier, row, moves - stored, depth + 1, reached):
        if stored == 0:
            return np.int64(0)
    else:
        moves = stored = keep_above(frontier, row, stored, replacement.stored_above)
        if stored == 0:
            return np.int64(draw(stream, UNVISITED_DRAW, count_moves(game, state)))
    frontier.forest.visits[row, ROOT] = known
    frontier.forest.move_count[row, ROOT] = moves
    frontier.forest.child_count[row, ROOT] = stored
    return np.int64(NO_NODE)


@inlined
def picked(frontier, paths, switches, row, depth):
    """The rank of the move that ``pick`` has answered."""
    answer = paths.codes[row]
    if answer != NEW:
        return np.int64(frontier.stored[row, answer - 1])
    absent = np.int64(frontier.forest.move_count[row, ROOT]) - np.int64(frontier.forest.child_count[row, ROOT])
    stream = paths.streams[row, 0] + U(depth) * PLY_STEP
    return np.int64(frontier.absent[row, some_rank(switches, stream, absent)])


@inlined
def is_leaf(table, paths, switches, row, depth):
    """Whether the way down ends here, before the game does: at the first position with too few visits for children."""
    return known_visits(table, paths, row, depth) < switches.threshold


@inlined
def walk_row(game, table, replacement, frontier, paths, switches, row):
    """Take one row as far as it goes without the rule; leaves it SETTLED at its leaf, or where the rule is to pick.

    Returns 0, or BEYOND_MOVES or BEYOND_PLIES, before anything is written for which there is no room.
    """
    depth = paths.depths[row]
    state = unpack(game, paths.words[row], 0, 1)
    rank = np.int64(NO_NODE) if paths.codes[row] == ARRIVED else picked(frontier, paths, switches, row, depth)
    while True:
        if rank == NO_NODE:
            moves = np.int64(count_moves(game, state))
            if moves == 0:
                paths.tally[row, SCORE] = switches.playouts * score(game, state)
                paths.codes[row] = SETTLED
                break
            if is_leaf(table, paths, switches, row, depth):
                paths.codes[row] = SETTLED
                break
            if moves > frontier.moves.shape[1]:
                return np.int64(BEYOND_MOVES)
            rank = choose_stored(game, table, replacement, frontier, paths, switches, row, state, depth)
            if rank == NO_NODE:
                paths.codes[row] = ASKS
                break
        if depth + 1 >= paths.indices.shape[1]:
            return np.int64(BEYOND_PLIES)
        state = play(game, state, np.int64(frontier.moves[row, rank]))
        depth += 1
        paths.indices[row, depth] = frontier.indices[row, rank]
        paths.slots[row, depth] = frontier.slots[row, rank]
        rank = np.int64(NO_NODE)
    pack(game, state, paths.words[row], 0, 1)
    paths.depths[row] = depth
    return np.int64(0)


@inlined
def walk(game, table, replacement, frontier, paths, switches):
    """Take every row that is not settled as far as it goes without the rule; returns how many wait for it.

    Or what ``walk_row`` answers, where a row is beyond the bounds of the game's class.
    """
    waiting = np.int64(0)
    for row in range(paths.codes.shape[0]):
        if paths.codes[row] != SETTLED:
            answer = walk_row(game, table, replacement, frontier, paths, switches, row)
            if answer != 0:
                return answer
            waiting += paths.codes[row] == ASKS
    return waiting


# -------------------------------------------------------------------------------------------------------------- pick


@inlined
def pick(rule, operator, forest, switches, streams, depths, codes):
    """Answer every row that asks: NEW for an unvisited move, or the slot of the child that the rule selects."""
    for row in range(codes.shape[0]):
        if codes[row] != ASKS:
            continue
        depth = depths[row]
        stream = streams[row, 0] + U(depth) * PLY_STEP
        unvisited = np.int64(forest.move_count[row, ROOT]) - np.int64(forest.child_count[row, ROOT])
        at_once = unvisited > 0 and switches.first_play_urgency == np.inf
        if at_once and tries_unvisited(rule, stream, unvisited, np.int64(forest.move_count[row, ROOT])):
            codes[row] = NEW
            continue
        chosen, best = best_child(rule, operator, forest, switches, row, ROOT, depth, stream)
        codes[row] = NEW if unvisited > 0 and best <= switches.first_play_urgency < np.inf else chosen


# ------------------------------------------------------------------------------------------------------------- enter


@inlined
def enter(table, replacement, paths, switches):
    """Enter what came of each row's leaf, from the leaf up to the root: Kocsis et al. 2006 adds a position after those
    below it."""
    playouts = switches.playouts
    for row in range(paths.codes.shape[0]):
        rewards = U(playouts * SCORE_UNIT + paths.tally[row, SCORE])
        for depth in range(paths.depths[row], 0, -1):
            index, slot = paths.indices[row, depth], paths.slots[row, depth]
            reached = paths.reached[row, depth - 1]
            if slot == NO_NODE or not is_entry_of(table, row, slot, index):  # it may have been pushed aside meanwhile
                slot = find(table, row, replacement, index)
            if slot == NO_NODE:
                store(table, row, replacement, index, depth, reached, playouts, rewards)
            else:
                add(table, row, slot, reached, playouts, rewards)
        table.roots[row, ROOT_REWARDS] += rewards
        table.roots[row, ROOT_VISITS] += U(playouts)
