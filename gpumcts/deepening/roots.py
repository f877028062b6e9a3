"""Iterative deepening of a batch of roots: ply by ply until the budget is spent or the value is proven, and what came of it."""

from typing import NamedTuple

import numpy as np

from gpumcts.deepening import ordering
from gpumcts.deepening.ordering import list_moves, move_of, number_of
from gpumcts.deepening.search import (
    AGAIN,
    BEST,
    CHOSEN,
    LASTING,
    MOVES,
    NONE,
    OVER,
    SIDE,
    THROUGH_CHANCE,
    TRIED,
    WON,
    WON_LEAST,
    fill_node,
    search,
)
from gpumcts.deepening.table import EXACT, begin_generation, hash_of
from gpumcts.games.contract import CHANCE, count_moves, mover, pack, unpack
from gpumcts.jit import entry, inlined

# Of a cursor: the root at hand, its level, positions visited so far, plies of the iteration.
ROOT, LEVEL, NODES, DEPTH = range(4)
NEW = -1
"""The level of a root that is not begun."""
DONE, MORE, BY_CHANCE = range(3)
"""What ``advance`` answers."""
UNKNOWN, WIN, LOSS, DRAW = 0, 1, -1, 2
"""What is proven."""


class Roots(NamedTuple):
    """A batch of B roots and what became of them, for the player to move there."""

    words: np.ndarray  # uint64 [B, W] packed states
    keys: np.ndarray  # uint64 [B] for the order of the root's moves
    moves: np.ndarray  # int64 [B] the best
    values: np.ndarray  # int64 [B] what it is worth
    depths: np.ndarray  # int64 [B] plies of the last iteration that was completed
    nodes: np.ndarray  # int64 [B] positions visited
    proven: np.ndarray  # int64 [B] UNKNOWN, WIN, LOSS or DRAW


@inlined
def begin(game, stack, table, words, key):
    """Put a root into ``stack``, its moves in the order of ``key``; returns whether chance moves there."""
    begin_generation(table)
    stack.history[:] = 0
    stack.killers[:, :] = NONE
    state = unpack(game, words, 0, 1)
    pack(game, state, stack.words, 0, 1)
    stack.hashes[0] = hash_of(stack.words, 0, words.shape[0])
    moves = np.int64(count_moves(game, state))
    list_moves(game, state, moves, stack.lists, 0)
    ordering.shuffle(stack.lists, moves, key)
    stack.nodes[0, MOVES], stack.nodes[0, SIDE] = moves, mover(game, state)
    return stack.nodes[0, SIDE] == CHANCE


@inlined
def begin_iteration(stack, depth):
    """The root before a search of ``depth`` plies: the best move so far first, those that are known to lose last."""
    moves, side, best = stack.nodes[0, MOVES], stack.nodes[0, SIDE], stack.nodes[0, CHOSEN]
    if depth > 1:
        ordering.bring_lost_to_back(stack.lists, moves)
        ordering.bring_to_front(stack.lists, moves, best)
    # No value leaves the window, and a win by the first move cuts off.
    fill_node(stack.nodes, 0, -WON, WON - 1, depth, moves, side, moves, NONE)


@inlined
def chosen_move(stack):
    """The move of the list that is the root's best."""
    best = stack.nodes[0, CHOSEN]
    at = np.int64(0)
    while number_of(stack.lists[at]) != best:
        at += 1
    return move_of(stack.lists[at])


@inlined
def first_open(stack, level):
    """Where the list has the first move that is not known to lose, all that are done being lost; its length if there is none."""
    root = stack.nodes[0]
    if level == OVER:
        return root[MOVES]
    between = level == 0 and root[AGAIN] == 0  # two moves; else it is the one at hand
    at = root[TRIED] if between else root[TRIED] - 1
    return root[MOVES] if ordering.is_lost(stack.lists[at]) else at  # after a lost one all are


@inlined
def note(stack, roots, b, depth, level, visited):
    """Write down where the root stands after an iteration, or in the midst of one that the budget has stopped at ``level``."""
    root, value = stack.nodes[0], stack.nodes[0, BEST]
    roots.nodes[b] = visited
    if root[CHOSEN] == NONE:
        return  # not even the first move is done: what the last iteration said stands
    roots.values[b], roots.moves[b] = value, chosen_move(stack)
    if level == OVER:
        roots.depths[b] = depth
    if value >= WON_LEAST:
        roots.proven[b] = WIN
    elif value <= -WON_LEAST:
        at = first_open(stack, level)
        if at < root[MOVES]:
            roots.moves[b] = move_of(stack.lists[at])
        else:
            roots.proven[b] = LOSS
    elif level == OVER and root[LASTING] == EXACT:
        roots.proven[b] = DRAW


@entry
def advance(game, roots, stack, table, cursor, end, most_nodes, most_depth, quota):
    """Search the roots from ``cursor`` to ``end`` until all are done or ``quota`` positions are visited.

    A root is done after ``most_depth`` plies, after ``most_nodes`` positions, or when its value is proven.
    Returns DONE, MORE (call it again with the same cursor, stack and table), or BY_CHANCE where chance moves.
    """
    while cursor[ROOT] < end:
        b = cursor[ROOT]
        if cursor[LEVEL] == NEW:
            cursor[LEVEL], cursor[NODES], cursor[DEPTH] = 0, 0, 1
            if begin(game, stack, table, roots.words[b], roots.keys[b]):
                return BY_CHANCE
            begin_iteration(stack, 1)
        before = cursor[NODES]
        level, visited = search(game, stack, table, cursor[LEVEL], before, min(most_nodes, before + quota))
        cursor[LEVEL], cursor[NODES] = level, visited
        quota -= visited - before
        if level == THROUGH_CHANCE:
            return BY_CHANCE
        if level != OVER and visited < most_nodes:
            return MORE
        note(stack, roots, b, cursor[DEPTH], level, visited)
        enough = visited >= most_nodes or cursor[DEPTH] >= most_depth or roots.proven[b] != UNKNOWN
        if level != OVER or enough:
            cursor[ROOT], cursor[LEVEL] = b + 1, NEW
        else:
            cursor[LEVEL], cursor[DEPTH] = 0, cursor[DEPTH] + 1
            begin_iteration(stack, cursor[DEPTH])
        if quota <= 0 and cursor[ROOT] < end:
            return MORE
    return DONE
