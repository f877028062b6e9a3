"""Iterative deepening of a batch of roots, ply by ply until the budget is spent or the value proven; its results."""

from typing import NamedTuple

import numpy as np

from gpumcts.alpha_beta import ordering
from gpumcts.alpha_beta.leaves import FAR, WON, WON_LEAST, has_table, most_value
from gpumcts.alpha_beta.ordering import list_moves, move_of, number_of
from gpumcts.alpha_beta.search import (
    AGAIN,
    BEST,
    CHOSEN,
    LASTING,
    MOVES,
    NO_MOVE,
    OVER,
    SIDE,
    SLACK,
    THROUGH_CHANCE,
    TRIED,
    fill_node,
    search,
)
from gpumcts.alpha_beta.table import EXACT, begin_generation, hash_of
from gpumcts.games.contract import CHANCE, count_moves, mover, pack, unpack
from gpumcts.jit import entry, inlined
from gpumcts.rng import PLAYOUT_STREAM, child_key

# Of a cursor: the root at hand, its level, positions visited so far, plies of the iteration.
ROOT, LEVEL, NODES, DEPTH = range(4)
MAX_NOISE = np.int64(1 << 16)  # above that of every move
NEW = -1
"""The level of a root that is not begun."""
DONE, MORE, BY_CHANCE, BEYOND_MOVES = range(4)
"""What ``advance`` answers."""
UNKNOWN, WIN, LOSS, DRAW = 0, 1, -1, 2
"""What is proven."""
BY_LOT, FIRST, NOISY, NOISIEST = range(4)
"""Which of equal moves is preferred: by lot; the first in order; a noisy one; the noisiest; the rest by lot."""


class DeepeningRoots(NamedTuple):
    """A batch of B roots and what became of them, for the player to move there."""

    words: np.ndarray  # uint64 [B, W] packed states
    keys: np.ndarray  # uint64 [B] for the order of the root's moves
    moves: np.ndarray  # int64 [B] the best
    values: np.ndarray  # int64 [B] what it is worth
    depths: np.ndarray  # int64 [B] plies of the last iteration that was completed
    nodes: np.ndarray  # int64 [B] positions visited
    proven: np.ndarray  # int64 [B] UNKNOWN, WIN, LOSS or DRAW
    move_values: np.ndarray  # int64 [B, M] values of the legal moves, in order; M = 0 where they are not asked for


class SearchLimits(NamedTuple):
    """How far searches go.

    nodes : positions that one may visit; first, last : plies of its first iteration and of the last
    slack : of the root (see ``search``). With 0 a proven value ends a search, and of equal moves the one that is tried
        first is taken; with 1 all that are as good as the best are known, and the one that is preferred is taken
    ties : in which order the first iteration tries the root's moves, BY_LOT, FIRST, NOISY or NOISIEST
    """

    nodes: int
    first: int
    last: int
    slack: int
    ties: int = BY_LOT


@inlined
def put_in_order(game, state, stack, moves, key, ties):
    """Put the root's moves in the order in which equal ones are preferred, and note it.

    The lots do not depend on what moves are worth, so BY_LOT the first best move is each of them as likely.
    """
    if ties != FIRST:
        ordering.shuffle(stack.lists, moves, key)
    if ties in (NOISY, NOISIEST):
        ordering.bring_noisy_to_front(game, state, stack.lists, moves, MAX_NOISE if ties == NOISIEST else np.int64(1))
    for k in range(moves):
        stack.ranks[number_of(stack.lists[k])] = k


@inlined
def begin(game, leaf, stack, table, words, key, ties):
    """Put a root into ``stack``, its moves in the order of ``ties``; returns whether chance moves there."""
    begin_generation(table)
    stack.history[:] = 0
    stack.killers[:, :] = NO_MOVE
    state = unpack(game, words, 0, 1)
    pack(game, state, stack.words, 0, 1)
    if has_table(leaf):
        stack.hashes[0] = hash_of(stack.words, 0, words.shape[0])
    else:
        stack.hashes[0] = child_key(key, PLAYOUT_STREAM)
    moves = np.int64(count_moves(game, state))
    list_moves(game, state, moves, stack.lists, 0)
    put_in_order(game, state, stack, moves, key, ties)
    stack.nodes[0, MOVES], stack.nodes[0, SIDE] = moves, mover(game, state)
    return stack.nodes[0, SIDE] == CHANCE


@inlined
def begin_iteration(leaf, stack, depth, limits):
    """The root before a search of ``depth`` plies: the best move so far first, those that are known to lose last."""
    moves, side, best = stack.nodes[0, MOVES], stack.nodes[0, SIDE], stack.nodes[0, CHOSEN]
    if depth > limits.first:
        ordering.bring_lost_to_back(stack.lists, moves)
        ordering.bring_to_front(stack.lists, moves, best)
    # No value leaves the window, and without slack a win by the first move cuts off.
    fill_node(stack.nodes, 0, -most_value(leaf), most_value(leaf), depth, moves, side, moves, NO_MOVE)
    stack.nodes[0, SLACK] = limits.slack


@inlined
def chosen_move(stack):
    """The move of the list that is the root's best."""
    best = stack.nodes[0, CHOSEN]
    at = np.int64(0)
    while number_of(stack.lists[at]) != best:
        at += 1
    return move_of(stack.lists[at])


@inlined
def choose_among_equals(stack):
    """Let the one that is preferred be chosen of the moves that are worth as much as the best."""
    moves, best, chosen = stack.nodes[0, MOVES], stack.nodes[0, BEST], stack.nodes[0, CHOSEN]
    for k in range(moves):
        chosen = k if stack.values[k] == best and stack.ranks[k] < stack.ranks[chosen] else chosen
    stack.nodes[0, CHOSEN] = chosen


@inlined
def first_open(stack, level):
    """Where in the list, all moves done being lost, the first not known to lose stands; its length if none is."""
    root = stack.nodes[0]
    if level == OVER:
        return root[MOVES]
    between = level == 0 and root[AGAIN] == 0  # two moves; else it is the one at hand
    at = root[TRIED] if between else root[TRIED] - 1
    return root[MOVES] if ordering.is_lost(stack.lists[at]) else at  # after a lost one all are


@inlined
def note(stack, roots, b, depth, level, visited, slack):
    """Write down where the root stands after an iteration, or within one that the budget has stopped at ``level``."""
    root, value = stack.nodes[0], stack.nodes[0, BEST]
    roots.nodes[b] = visited
    if root[CHOSEN] == NO_MOVE:  # not even the first move is done: what the last iteration said stands
        if roots.moves[b] == NO_MOVE:  # there was none, since noisy moves took the whole budget
            roots.moves[b] = move_of(stack.lists[0])
        return
    if slack > 0 and level == OVER:
        choose_among_equals(stack)
        for k in range(min(roots.move_values.shape[1], root[MOVES])):
            roots.move_values[b, k] = stack.values[k]
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


@inlined
def is_enough(roots, b, depth, limits):
    """Whether a root is done after an iteration of ``depth`` plies.

    A value that goes to the end of a game holds at any depth, and so do those of the moves that are as good.
    """
    to_the_end = limits.slack == 1 and abs(roots.values[b]) > WON - FAR
    return depth >= limits.last or (limits.slack == 0 and roots.proven[b] != UNKNOWN) or to_the_end


@entry
def advance(game, leaf, roots, stack, table, cursor, end, limits, quota):
    """Search the roots from ``cursor`` to ``end`` within ``limits``, until all are done or ``quota`` positions visited.

    Returns DONE, MORE (call it again with the same cursor, stack and table), BY_CHANCE where chance moves, or
    BEYOND_MOVES where a position below a root has more moves than MAX_MOVES.
    """
    while cursor[ROOT] < end:
        b = cursor[ROOT]
        if cursor[LEVEL] == NEW:
            cursor[LEVEL], cursor[NODES], cursor[DEPTH] = 0, 0, limits.first
            if begin(game, leaf, stack, table, roots.words[b], roots.keys[b], limits.ties):
                return BY_CHANCE
            begin_iteration(leaf, stack, limits.first, limits)
        before = cursor[NODES]
        level, visited = search(game, leaf, stack, table, cursor[LEVEL], before, min(limits.nodes, before + quota))
        cursor[LEVEL], cursor[NODES] = level, visited
        quota -= visited - before
        if level < OVER:
            return BY_CHANCE if level == THROUGH_CHANCE else BEYOND_MOVES
        if level != OVER and visited < limits.nodes:
            return MORE
        note(stack, roots, b, cursor[DEPTH], level, visited, limits.slack)
        if level != OVER or visited >= limits.nodes or is_enough(roots, b, cursor[DEPTH], limits):
            cursor[ROOT], cursor[LEVEL] = b + 1, NEW
        else:
            cursor[LEVEL], cursor[DEPTH] = 0, cursor[DEPTH] + 1
            begin_iteration(leaf, stack, cursor[DEPTH], limits)
        if quota <= 0 and cursor[ROOT] < end:
            return MORE
    return DONE
