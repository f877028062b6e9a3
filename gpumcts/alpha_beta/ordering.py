"""The order of the moves of a node: the table's, noisy ones, two killers, then by what cut off elsewhere (history).

Above random leaves, what cut off elsewhere tells little, and moves that leave the other side few replies come first.

An entry of a list is one int64, (score, number of the move, move), so that the greatest entry is the next to try. The
list of the root is not scored; there the place of the score says whether the move is known to lose.
"""

import numpy as np

from gpumcts.games.contract import count_moves, mover, noisy, play, write_moves
from gpumcts.jit import inlined
from gpumcts.rng import PLY_STEP, draw

U = np.uint64
MOVE_BITS, ORDINAL_BITS = 31, 15
SCORE = MOVE_BITS + ORDINAL_BITS  # the bit at which the score begins
SLOTS_LOG = 14
SLOTS = 1 << SLOTS_LOG  # of the history
MAX_HISTORY = 16  # log of the greatest history score
MAX_BONUS = 1024
KILLER = (1 << MAX_HISTORY) + 2  # the score of the first killer; the second has one less, noisy moves have more
NO_REPLY = 1 << ORDINAL_BITS  # the score of a move that leaves no reply
LOST = 1 << SCORE  # the bit of an entry of the root's list that is set where the move is known to lose
SORTED = 24  # moves of a node that are tried in order of score; later ones come as they are


@inlined
def entry_of(score, ordinal, move):
    """A move in a list."""
    return (score << SCORE) | (ordinal << MOVE_BITS) | move


@inlined
def move_of(entry):
    """The move of an entry."""
    return entry & ((1 << MOVE_BITS) - 1)


@inlined
def number_of(entry):
    """The number of the move among the legal ones."""
    return (entry >> MOVE_BITS) & ((1 << ORDINAL_BITS) - 1)


@inlined
def slot_of(side, move):
    """Where the history of a move of a player stands: there may be millions of moves, so two may share a slot."""
    return np.int64(((U(move) * U(2) + U(side)) * PLY_STEP) >> U(64 - SLOTS_LOG))


@inlined
def reward(history, slot, depth):
    """A move has cut off a search of ``depth`` plies; scores grow to 2^MAX_HISTORY at most."""
    bonus = min(depth * depth, MAX_BONUS)
    history[slot] += bonus - ((history[slot] * bonus) >> MAX_HISTORY)


@inlined
def list_moves(game, state, count, out, at):
    """Write the ``count`` legal moves into ``out[at:]``, scores 0."""
    write_moves(game, state, count, out, at)
    for k in range(count):
        out[at + k] |= k << MOVE_BITS


@inlined
def list_noisy(game, state, count, out, at):
    """Write the noisy ones of ``count`` legal moves into ``out[at:]``, with their scores; returns how many."""
    listed = np.int64(0)
    write_moves(game, state, count, out, at)
    for k in range(count):
        move = np.int64(out[at + k])
        noise = np.int64(noisy(game, state, move))
        if noise > 0:
            out[at + listed] = entry_of(noise, np.int64(k), move)
            listed += 1
    return listed


@inlined
def score_moves(game, state, history, killers, level, side, out, at, count):
    """Give the listed moves of a node their scores."""
    first, second = killers[level, 0], killers[level, 1]
    for k in range(at, at + count):
        move = move_of(out[k])
        score = np.int64(history[slot_of(side, move)])
        score = np.int64(KILLER) if move == first else np.int64(KILLER - 1) if move == second else score
        noise = np.int64(noisy(game, state, move))
        out[k] |= (score if noise == 0 else KILLER + noise) << SCORE


@inlined
def score_by_replies(game, state, side, out, at, count):
    """Give the listed moves of a node scores by how many moves the other side has after them: the fewer, the sooner.

    Where leaves are drawn independently, a move holds if no reply refutes it: the fewer there are the likelier.
    """
    for k in range(at, at + count):
        child = play(game, state, move_of(out[k]))
        replies = np.int64(count_moves(game, child))
        out[k] |= (NO_REPLY - replies if np.int64(mover(game, child)) != side else NO_REPLY + replies) << SCORE


@inlined
def without(out, at, count, ordinal):
    """Take one move out of a list (the last one takes its place); returns how many are left."""
    out[at + ordinal] = out[at + count - 1]
    return count - 1


@inlined
def bring_best(out, first, end):
    """Swap the best move of ``out[first:end]`` to its front."""
    best = first
    for k in range(first + 1, end):
        best = k if out[k] > out[best] else best
    out[first], out[best] = out[best], out[first]


@inlined
def shuffle(out, count, key):
    """Put a list in a random order of the key (Fisher and Yates)."""
    for k in range(count - 1):
        other = k + np.int64(draw(key + U(k) * PLY_STEP, 0, count - k))
        out[k], out[other] = out[other], out[k]


@inlined
def bring_noisy_to_front(game, state, out, count, most):
    """Put the noisiest moves of a list first; those that are as noisy, or ``most`` and more, keep their order."""
    for k in range(1, count):
        entry, at = out[k], k
        noise = min(np.int64(noisy(game, state, move_of(entry))), most)
        while at > 0 and np.int64(noisy(game, state, move_of(out[at - 1]))) < noise:
            out[at] = out[at - 1]
            at -= 1
        out[at] = entry


@inlined
def bring_to_front(out, count, ordinal):
    """Move one move to the front of a list; the others keep their order."""
    at = np.int64(0)
    while at < count - 1 and number_of(out[at]) != ordinal:
        at += 1
    chosen = out[at]
    for k in range(at, 0, -1):
        out[k] = out[k - 1]
    out[0] = chosen


@inlined
def mark_lost(out, at):
    """Note that a move of the root loses."""
    out[at] |= LOST


@inlined
def is_lost(entry):
    """Whether a move of the root is known to lose."""
    return entry & LOST != 0


@inlined
def bring_lost_to_back(out, count):
    """Move what is known to lose to the end of a list; the others keep their order."""
    others = np.int64(0)
    for k in range(count):
        if not is_lost(out[k]):
            out[others], out[k] = out[k], out[others]
            others += 1
