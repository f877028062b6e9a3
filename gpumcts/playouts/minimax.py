"""Informed playouts: both sides play depth-k minimax over the game's evaluation (the MM-k players of Ramanujan et al.
2010, section 5).

The search is alpha-beta in integers and exact for every root move that could tie with the best; ties are broken
uniformly at random, and with probability ``epsilon`` the move is one that uniform playouts would draw, since two
deterministic players would play the same game N times.
"""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.errors import BadInput
from gpumcts.games.contract import CHANCE, NO_MOVE, SCORE_UNIT, evaluation, mover, next_move, play, random_move, score
from gpumcts.jit import inlined
from gpumcts.playouts.contract import choose
from gpumcts.rng import bits, draw
from gpumcts.verbs import verb

U = np.uint64
WIN_VALUE = np.int64(1 << 40)
"""Above every evaluation; a near win is worth no more than a far one, unlike ``WON`` of ``alpha_beta.leaves``."""
BOUND = np.int64(1 << 60)
WORDS = 2**32
"""Values of the random word that decides epsilon."""
TIE_DRAWS = 2  # draws 0 and 1 decide epsilon and the random move; the ties follow


class Minimax(NamedTuple):
    """Depth-k minimax players on both sides.

    depth : plies each player looks ahead, its own move included (MM-k)
    epsilon : probability of a random move, as ``Uniform`` draws it: 0, or in [2^-32, 1]
    truncate : plies after which the evaluation stands for the outcome; 0 plays to the end
    """

    depth: Annotated[int, Interval(ge=1, le=3)] = 2
    epsilon: Annotated[float, Interval(ge=0, le=1)] = 0.0
    truncate: Annotated[int, Interval(ge=0, le=65535)] = 0

    LANES = False

    def compiled(self) -> "MinimaxDepth":
        """Depth becomes a class, epsilon the 32-bit threshold of a random word, so that compiled code is integer.

        Raises BadInput for an epsilon that no random word tells from 0.
        """
        if 0 < self.epsilon < 1 / WORDS:
            raise BadInput(f"playout.epsilon={self.epsilon}: must be 0 or at least 2^-32, about {1 / WORDS:.2g}")
        return (MinimaxDepth1, MinimaxDepth2, MinimaxDepth3)[self.depth - 1](round(self.epsilon * WORDS), self.truncate)


OPTION = Minimax


class MinimaxDepth(NamedTuple):
    """Minimax as it travels into compiled code: threshold in [0, 2^32] for a random move.

    A game that has bodies of its own gives them for the classes below. These are no classes of each other, so a body
    for one depth does not stand for another one.
    """

    threshold: int
    truncate: int

    LANES = False
    EVALUATES = True


class MinimaxDepth1(MinimaxDepth):
    """Depth 1."""


class MinimaxDepth2(MinimaxDepth):
    """Depth 2."""


class MinimaxDepth3(MinimaxDepth):
    """Depth 3."""


@verb("policy")
def child_value(policy, game, state, floor):
    """Minimax value of a child of the root for its player to move, exact below ``-floor``, else any value not below."""


@inlined
def result_value(game, state):
    """The value of a finished game for the player to move in ``state``: WIN_VALUE times his score over a win's."""
    value = np.int64(score(game, state)) * (WIN_VALUE // SCORE_UNIT)
    return -value if mover(game, state) == 1 else value


@inlined
def value_0(game, state):
    """The evaluation, or the result where the game is over."""
    if next_move(game, state, NO_MOVE) == NO_MOVE:
        return result_value(game, state)
    return np.int64(evaluation(game, state))


@inlined
def for_player(player, game, state, value):
    """``value`` (for the player to move in ``state``; for the first where chance does) as ``player`` sees it."""
    return value if (mover(game, state) == 1) == (player == 1) else -value


@inlined
def value_1(game, state, cutoff):
    """Best evaluation after one more ply; stops once it reaches ``cutoff``. Where chance moves, the evaluation."""
    move = next_move(game, state, NO_MOVE)
    if move == NO_MOVE or mover(game, state) == CHANCE:
        return value_0(game, state)
    best = -BOUND
    while move != NO_MOVE and best < cutoff:
        child = play(game, state, move)
        value = for_player(mover(game, state), game, child, value_0(game, child))
        best = max(best, value)
        move = next_move(game, state, move)
    return best


@inlined
def value_2(game, state, cutoff):
    """Best value after two more plies, likewise."""
    move = next_move(game, state, NO_MOVE)
    if move == NO_MOVE or mover(game, state) == CHANCE:
        return value_0(game, state)
    best = -BOUND
    player = mover(game, state)
    while move != NO_MOVE and best < cutoff:
        child = play(game, state, move)
        # A reply below our best cannot help us: the other side stops once it has held us to that.
        bound = -best if mover(game, child) != player else BOUND
        value = for_player(player, game, child, value_1(game, child, bound))
        best = max(best, value)
        move = next_move(game, state, move)
    return best


@child_value.implements(MinimaxDepth1)
def child_value_1(policy, game, state, floor):
    return value_0(game, state)


@child_value.implements(MinimaxDepth2)
def child_value_2(policy, game, state, floor):
    return value_1(game, state, -floor)


@child_value.implements(MinimaxDepth3)
def child_value_3(policy, game, state, floor):
    return value_2(game, state, -floor)


@inlined
def best_move(policy, game, state, stream):
    """The move of the highest minimax value; among several, uniformly at random (draws TIE_DRAWS and up)."""
    player = mover(game, state)
    best, chosen, ties = -BOUND, np.int64(NO_MOVE), U(0)
    move = next_move(game, state, NO_MOVE)
    while move != NO_MOVE:
        child = play(game, state, move)
        # Values up to best - 1 need not be exact; at best a tie must be seen as one.
        floor = best - 1 if mover(game, child) != player else -BOUND
        value = for_player(player, game, child, child_value(policy, game, child, floor))
        ties = U(1) if value > best else ties + U(value == best)
        take = value > best or (value == best and draw(stream, TIE_DRAWS + move, ties) == U(0))
        best = max(best, value)
        chosen = move if take else chosen
        move = next_move(game, state, move)
    return chosen


@inlined
def random_ply(policy, stream):
    """Whether epsilon makes the ply of this stream a random one."""
    return (bits(stream, 1) >> U(32)) < U(policy.threshold)


@choose.implements(MinimaxDepth, object)
def minimax_choose(policy, game, state, stream):
    if random_ply(policy, stream):
        return random_move(game, state, stream)
    chosen = best_move(policy, game, state, stream)
    return chosen if chosen != NO_MOVE else random_move(game, state, stream)
