"""The alpha-beta search itself: fail-soft, over an explicit stack, so that it can stop after any leaf and go on later.

Values are scores for the first player, who maximises; whoever moves twice in a row just does so. Leaves are finished
games. The window of the root is (-SCORE_UNIT, SCORE_UNIT), which no score leaves: the value is exact, and a proven win
or loss is a cutoff at once.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.games.contract import CHANCE, SCORE_UNIT, count_moves, mover, nth_move, pack, play, score, unpack
from gpumcts.jit import entry, inlined
from gpumcts.rng import PLY_STEP, draw, mix

U = np.uint64
BOUND = np.int64(1 << 40)  # beyond every score
LOW, HIGH, BEST, TRIED, MOVES, SIDE, MOVE = range(7)  # columns of a frame: its window, best value, moves, who moves
FRAME = 7
ROOT, LEVEL, LEAVES = range(3)  # of a cursor: the root at hand, its level (NEW before it begins), its leaves so far
NEW = -1
OVER, THROUGH_CHANCE = -1, -2  # levels of a search that has ended, and of one that has met chance
TOO_MANY_MOVES, TOO_MANY_PLIES = -3, -4  # of one that has met a position beyond the bounds of the game's class
MOVE_SEARCHED, VALUE, LEAVES_THEN = range(3)  # columns of ``SolverRoots.progress``
DONE, MORE, BY_CHANCE, BEYOND_MOVES, BEYOND_PLIES = range(5)  # what ``advance`` answers


class SolverRoots(NamedTuple):
    """A batch of B roots and what became of them."""

    words: np.ndarray  # uint64 [B, W] packed states
    keys: np.ndarray  # uint64 [B] for the random order of moves
    scores: np.ndarray  # int64 [B] values for the first player
    leaves: np.ndarray  # int64 [B] leaves counted
    finished: np.ndarray  # bool [B] whether the search ended before its limit of leaves
    progress: np.ndarray
    """int64 [B, M, 3], or [0, M, 3] where it is not asked for: move, value, leaves so far, as they were searched."""


class Stack(NamedTuple):
    """One search: L levels, of which the last is the node at hand."""

    words: np.ndarray  # uint64 [L * W] states
    frames: np.ndarray  # int64 [L, FRAME]
    keys: np.ndarray  # uint64 [L] keys of the nodes, for the order of their moves
    order: np.ndarray  # int32 [L, M] numbers of the moves, those tried first


def empty_stack(game) -> Stack:
    """Room for a search of ``game`` (an option value)."""
    levels = game.MAX_PLIES + 1
    return Stack(
        np.zeros(levels * game.WORDS, np.uint64),
        np.zeros((levels, FRAME), np.int64),
        np.zeros(levels, np.uint64),
        np.zeros((levels, game.MAX_MOVES), np.int32),
    )


@inlined
def leaf_value(game, state, signs):
    """The score of a finished game, or a win, a draw or a loss by its sign."""
    found = np.int64(score(game, state))
    return SCORE_UNIT * (np.int64(found > 0) - np.int64(found < 0)) if signs else found


@inlined
def worst(side):
    """What every value is better than, for ``side``."""
    return BOUND if side == 1 else -BOUND


@inlined
def merged(side, best, low, high, value):
    """(best, low, high) of a node of ``side`` once a child is worth ``value``."""
    if side == 1:
        best = min(best, value)
        return best, low, min(high, best)
    best = max(best, value)
    return best, max(low, best), high


@inlined
def load(stack, level):
    """Read a frame: (low, high, best, tried, moves, side)."""
    low, high, best = stack.frames[level, LOW], stack.frames[level, HIGH], stack.frames[level, BEST]
    return low, high, best, stack.frames[level, TRIED], stack.frames[level, MOVES], stack.frames[level, SIDE]


@inlined
def store(stack, level, low, high, best, tried, moves, side):
    """Write a frame; its move stays."""
    stack.frames[level, LOW], stack.frames[level, HIGH], stack.frames[level, BEST] = low, high, best
    stack.frames[level, TRIED], stack.frames[level, MOVES], stack.frames[level, SIDE] = tried, moves, side


@inlined
def open_order(stack, level, key, moves):
    """Forget the order of the moves of the node that used this level before."""
    stack.keys[level] = key
    for k in range(moves):
        stack.order[level, k] = k


@inlined
def next_number(stack, level, tried, moves):
    """Number of the move to try after ``tried`` others, uniform among the rest: a step of a Fisher-Yates shuffle."""
    if tried + 1 == moves:
        return np.int64(stack.order[level, tried])
    at = tried + np.int64(draw(stack.keys[level] + U(tried) * PLY_STEP, 0, moves - tried))
    number = stack.order[level, at]
    stack.order[level, at] = stack.order[level, tried]
    stack.order[level, tried] = number
    return np.int64(number)


@inlined
def record(progress, row, number, move, value, leaves):
    """Note a move of the root that is done."""
    if progress.shape[0] > 0:
        progress[row, number, MOVE_SEARCHED], progress[row, number, VALUE] = move, value
        progress[row, number, LEAVES_THEN] = leaves


@inlined
def search(game, stack, shuffled, signs, progress, row, level, leaves, until):
    """Go on with the search in ``stack`` at ``level`` until it ends or ``leaves`` reach ``until`` and more are needed.

    Returns (level, leaves), the level being OVER once the search has ended, THROUGH_CHANCE where chance moves,
    TOO_MANY_MOVES or TOO_MANY_PLIES where a position is beyond MAX_MOVES or MAX_PLIES, for which there is no room. The
    value of the root is then the best of frame 0. ``progress[row]`` gets the root's moves as they are done, where there
    are any rows.
    """
    width = stack.words.shape[0] // stack.keys.shape[0]
    state = unpack(game, stack.words, level * width, 1)
    low, high, best, tried, moves, side = load(stack, level)
    while True:
        if tried < moves and low < high:
            if leaves >= until:
                store(stack, level, low, high, best, tried, moves, side)
                return level, leaves
            number = next_number(stack, level, tried, moves) if shuffled else tried
            move = nth_move(game, state, number)
            if level == 0:
                stack.frames[0, MOVE] = move
            tried += 1
            child = play(game, state, move)
            choices = np.int64(count_moves(game, child))
            if choices > 0:
                if choices > stack.order.shape[1]:
                    return np.int64(TOO_MANY_MOVES), leaves
                if level + 1 == stack.keys.shape[0]:
                    return np.int64(TOO_MANY_PLIES), leaves
                store(stack, level, low, high, best, tried, moves, side)
                if shuffled:
                    open_order(stack, level + 1, mix(stack.keys[level] ^ U(move + 1)), choices)
                level += 1
                pack(game, child, stack.words, level * width, 1)
                state, moves, tried, side = child, choices, np.int64(0), np.int64(mover(game, child))
                best = worst(side)
                if side == CHANCE:
                    return np.int64(THROUGH_CHANCE), leaves
                continue
            leaves += 1
            value = leaf_value(game, child, signs)
        else:
            value = best
            level -= 1
            if level == OVER:
                stack.frames[0, BEST] = best
                return level, leaves
            state = unpack(game, stack.words, level * width, 1)
            low, high, best, tried, moves, side = load(stack, level)
        best, low, high = merged(side, best, low, high, value)
        if level == 0:
            record(progress, row, tried - 1, stack.frames[0, MOVE], value, leaves)


@inlined
def begin(game, stack, words, key):
    """Put a root into ``stack``; returns DONE, BY_CHANCE where chance moves there, or BEYOND_MOVES."""
    state = unpack(game, words, 0, 1)
    pack(game, state, stack.words, 0, 1)
    moves, side = np.int64(count_moves(game, state)), np.int64(mover(game, state))
    if moves > stack.order.shape[1]:
        return BEYOND_MOVES
    store(stack, 0, -np.int64(SCORE_UNIT), np.int64(SCORE_UNIT), worst(side), np.int64(0), moves, side)
    open_order(stack, 0, key, moves)
    return BY_CHANCE if moves > 0 and side == CHANCE else DONE


@entry
def advance(game, roots, stack, shuffled, signs, cursor, end, limit, quota):
    """Search roots ``cursor`` to ``end``, at most ``limit`` leaves each, until all are done or ``quota`` leaves spent.

    Returns DONE, MORE (call it again with the same cursor and stack), BY_CHANCE where chance moves in a tree,
    BEYOND_MOVES or BEYOND_PLIES where a position has more moves than MAX_MOVES, or a game more plies than MAX_PLIES.
    """
    while cursor[ROOT] < end:
        b = cursor[ROOT]
        if cursor[LEVEL] == NEW:
            cursor[LEVEL], cursor[LEAVES] = 0, 0
            answer = begin(game, stack, roots.words[b], roots.keys[b])
            if answer != DONE:
                return answer
        before = cursor[LEAVES]
        until = min(limit, before + quota)
        level, leaves = search(game, stack, shuffled, signs, roots.progress, b, cursor[LEVEL], before, until)
        cursor[LEVEL], cursor[LEAVES] = level, leaves
        quota -= leaves - before
        if level < OVER:
            return BY_CHANCE if level == THROUGH_CHANCE else BEYOND_MOVES if level == TOO_MANY_MOVES else BEYOND_PLIES
        if level != OVER and leaves < limit:
            return MORE
        root = unpack(game, roots.words[b], 0, 1)
        alone = count_moves(game, root) == 0
        roots.scores[b] = leaf_value(game, root, signs) if alone else stack.frames[0, BEST]
        roots.leaves[b] = 1 if alone else leaves
        roots.finished[b] = level == OVER
        cursor[ROOT], cursor[LEVEL] = b + 1, NEW
        if quota <= 0 and b + 1 < end:
            return MORE
    return DONE
