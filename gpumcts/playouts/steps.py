"""The search of ``Minimax`` of depth 1 and 2 cut into equal steps, so that many searches can go on in lockstep.

A step, ``step_search``, plays one move and weighs where it leads: a move of the root, or a reply to it. It has no
branches where the game has none. The search is the alpha-beta search of ``minimax`` and finds the same best moves with
the same ties; only the order differs, and with it the number of replies that need a look. At the root the reply
expected a ply earlier comes first, among replies those that were best against earlier moves: on Othello 36 steps a ply,
45 in the order of the moves.
"""

from typing import Any, NamedTuple

import numpy as np

from gpumcts.bits import blend, trailing_zeros
from gpumcts.games.contract import CHANCE, evaluation, move_of_bit, move_set, mover, pack, play, unpack
from gpumcts.jit import inlined
from gpumcts.playouts.minimax import (
    BOUND,
    TIE_DRAWS,
    MinimaxDepth1,
    MinimaxDepth2,
    MinimaxDepth3,
    for_player,
    result_value,
)
from gpumcts.rng import draw
from gpumcts.verbs import verb

U = np.uint64
NO_MOVES = U(0)  # no move: sets of moves are words of ``move_set``, single moves sets of one


class SteppedSearch(NamedTuple):
    """One search as far as it has come; moves are bits of ``move_set``.

    root, child, best_child : states; the child is the position after ``move``, best_child the one after ``best_move``
    untried : moves of the root not played yet
    hope : a move of the root to try first
    replies : moves of the child not played yet; none where the next step plays a move of the root
    moves, best_moves : the move sets of child and best_child
    value, answer : the best value of the replies so far, for the player who makes them, and its reply
    killers : replies to try first, the answers to earlier moves
    best, ties : the best value of the moves of the root so far, for the player there, and all moves of that value
    best_answer : the reply expected to best_move, the first move found of that value
    """

    root: Any
    child: Any
    best_child: Any
    untried: np.uint64
    hope: np.uint64
    replies: np.uint64
    moves: np.uint64
    move: np.uint64
    value: np.int64
    answer: np.uint64
    killers: np.uint64
    best: np.int64
    ties: np.uint64
    best_move: np.uint64
    best_moves: np.uint64
    best_answer: np.uint64


STATES, SINGLE_WORDS = 3, 13  # what a SteppedSearch is made of


@verb("policy")
def depth(policy):
    """Depth of the search that ``step_search`` makes in the policy's place, as int64: 1 or 2; 0 where there is none."""


@depth.implements(object)
def depth_none(policy):
    return 0


@depth.implements(MinimaxDepth1)
def depth_1(policy):
    return 1


@depth.implements(MinimaxDepth2)
def depth_2(policy):
    return 2


@depth.implements(MinimaxDepth3)
def depth_3(policy):
    return 0


@inlined
def begin(state, moves, hope):
    """The search of the best of ``moves``, the move set of ``state``, before its first step."""
    return SteppedSearch(
        state,
        state,
        state,
        moves,
        hope,
        NO_MOVES,
        NO_MOVES,
        NO_MOVES,
        -BOUND,
        NO_MOVES,
        NO_MOVES,
        -BOUND,
        NO_MOVES,
        NO_MOVES,
        NO_MOVES,
        NO_MOVES,
    )


@inlined
def lowest(moves):
    """The first of a set of moves."""
    return moves & (NO_MOVES - moves)


@inlined
def value_of(game, state, moves):
    """``value_0`` where the move set is known."""
    over = result_value(game, state)
    return over if moves == NO_MOVES else np.int64(evaluation(game, state))


@inlined
def step_search(replying, game, search):
    """The search after one more step; it is over when ``untried`` and ``replies`` are empty.

    ``replying`` : whether replies count (depth 2) or not (depth 1).
    """
    at_child = replying and search.replies != NO_MOVES
    state = blend(at_child, search.child, search.root)
    left = search.replies if at_child else search.untried
    first = left & (search.killers if at_child else search.hope)
    move = lowest(first if first != NO_MOVES else left)
    left ^= move
    after = play(game, state, move_of_bit(game, state, trailing_zeros(move)))
    moves = move_set(game, after)
    seen = for_player(mover(game, state), game, after, value_of(game, after, moves))

    opens = replying and not at_child and moves != NO_MOVES and mover(game, after) != CHANCE
    child = blend(at_child, search.child, after)
    child_moves = search.moves if at_child else moves
    root_move = search.move if at_child else move
    improves = at_child and seen > search.value
    answer = move if improves else (search.answer if at_child else NO_MOVES)
    reply_value = seen if improves else (search.value if at_child else -BOUND)

    # What the child is worth at the root; below the best, where sides alternate, further replies only make it worse.
    same = (mover(game, child) == 1) == (mover(game, search.root) == 1)
    value = (reply_value if same else -reply_value) if at_child else seen
    settled = (left == NO_MOVES or (value < search.best and not same)) if at_child else not opens
    better = settled and value > search.best
    as_good = settled and value == search.best
    return SteppedSearch(
        search.root,
        child,
        blend(better, child, search.best_child),
        search.untried if at_child else left,
        search.hope,
        NO_MOVES if settled else (left if at_child else moves),
        child_moves,
        root_move,
        reply_value,
        answer,
        search.killers | answer if settled else search.killers,
        value if better else search.best,
        root_move if better else (search.ties | root_move if as_good else search.ties),
        root_move if better else search.best_move,
        child_moves if better else search.best_moves,
        answer if better else search.best_answer,
    )


@inlined
def over(search):
    """Whether every move of the root is settled."""
    return search.untried | search.replies == NO_MOVES


@inlined
def chosen(game, search, stream):
    """The best move, as a set of one; among several, uniformly at random, with the draws of ``minimax.best_move``."""
    left = search.ties
    found, count = lowest(left), U(1)
    left ^= found
    while left != NO_MOVES:
        move = lowest(left)
        left ^= move
        count += U(1)
        number = move_of_bit(game, search.root, trailing_zeros(move))
        found = move if draw(stream, TIE_DRAWS + number, count) == U(0) else found
    return found


@inlined
def load(game, words, at, stride):
    """Read a search from ``words[at + i * stride]``, written by ``store``."""
    root = unpack(game, words, at, stride)
    width = len(root)
    i = at + 3 * width * stride
    return SteppedSearch(
        root,
        unpack(game, words, at + width * stride, stride),
        unpack(game, words, at + 2 * width * stride, stride),
        words[i],
        words[i + stride],
        words[i + 2 * stride],
        words[i + 3 * stride],
        words[i + 4 * stride],
        np.int64(words[i + 5 * stride]),
        words[i + 6 * stride],
        words[i + 7 * stride],
        np.int64(words[i + 8 * stride]),
        words[i + 9 * stride],
        words[i + 10 * stride],
        words[i + 11 * stride],
        words[i + 12 * stride],
    )


@inlined
def store(game, search, words, at, stride):
    """Write a search to ``words[at + i * stride]``: STATES states and SINGLE_WORDS words."""
    width = len(search.root)
    pack(game, search.root, words, at, stride)
    pack(game, search.child, words, at + width * stride, stride)
    pack(game, search.best_child, words, at + 2 * width * stride, stride)
    i = at + 3 * width * stride
    words[i] = search.untried
    words[i + stride] = search.hope
    words[i + 2 * stride] = search.replies
    words[i + 3 * stride] = search.moves
    words[i + 4 * stride] = search.move
    words[i + 5 * stride] = U(search.value)
    words[i + 6 * stride] = search.answer
    words[i + 7 * stride] = search.killers
    words[i + 8 * stride] = U(search.best)
    words[i + 9 * stride] = search.ties
    words[i + 10 * stride] = search.best_move
    words[i + 11 * stride] = search.best_moves
    words[i + 12 * stride] = search.best_answer
