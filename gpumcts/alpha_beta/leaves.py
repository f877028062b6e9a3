"""What stands at the horizon of a search: the game's evaluation, at once or after the noisy moves, or a random playout.

Values are for the player to move. With an evaluation, a won game is worth WON less the plies to its end, beyond every
evaluation, so wins come soon and losses late; a draw is 0. A win that the game's own knowledge proves (``decided``)
counts as one that is FAR more plies away. With playouts (MM-k-R of Ramanujan et al. 2010, section 3) a finished game is
worth 1, 0 or -1, and so is a playout: a sure win and a lucky playout are equal, as in the document, and no win is
better for being near.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games.contract import decided, evaluation, has_noisy, mover, score
from gpumcts.jit import inlined
from gpumcts.options import name_of
from gpumcts.playouts.contract import whole_playout
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import child_key
from gpumcts.verbs import verb

U = np.uint64
EXACT = 3  # bounds, as the table has them: the value holds from both sides
WON = np.int64(1 << 30)
FAR = np.int64(1 << 16)
WON_LEAST = WON - 2 * FAR
"""The least value of a win; -WON_LEAST is the greatest of a loss. Evaluations are clamped to stay between."""
MAX_EVALUATION = np.int64(1 << 29)
MAX_NOISY = 64
"""Noisy moves in a row that a search follows beyond its horizon; there the evaluation stands in any case."""


class Evaluated(NamedTuple):
    """The game's evaluation."""


class Quiescent(NamedTuple):
    """The best of the evaluation and of what noisy moves lead to (``contract.noisy``), tried until none is left."""


class PlayedOut(NamedTuple):
    """The outcome of one random playout under a key of the path: of the root's key and the moves from the root.

    So a leaf has one outcome whoever looks at it, when and how often, and alpha-beta finds what plain minimax does.
    Positions that two paths reach are two leaves, so there is no hash table, and windows of width one, whose lines are
    searched again, do not pay: without them Chess takes 30 % fewer nodes at 4 plies. Moves that leave few replies are
    tried first, which saves another 26 %; what is looked at for that order is not counted among the nodes.

    What remains is what random leaves cost: 92 % of them are no loss in Chess, and a move holds where none of some 30
    replies refutes it, which it does one time in twelve, a reply of those again. There alpha-beta's branching factor is
    0.92 / 0.08, 11.5 in place of the 5.5 of perfect order (Pearl 1982, *The solution for the branching factor of the
    alpha-beta pruning algorithm and its optimality*).

    Playouts are made one by one as leaves come up. A leaf that is worth 1 cuts off, so that of the 20 to 50 leaves
    below a node of Chess about ten are looked at; in lanes all of them take as long as twelve one by one.
    """


@verb("leaf")
def value_at_once(leaf, game, state, moves, left, ply, path):
    """(whether a position is worth something without a search, what, which bounds of it hold at every greater depth).

    moves : its legal ones; left : plies to the horizon, below 0 beyond it; ply : plies from the root; path : key of the
        path

    Beyond the horizon of ``Quiescent`` the answer is no, and what it is worth without a noisy move.
    """


@verb("leaf")
def most_value(leaf):
    """The greatest value there can be, int64; the least is its negative."""


@verb("leaf")
def has_table(leaf):
    """Whether what a position is worth depends on it alone, so that a hash table serves."""


@verb("leaf")
def goes_beyond(leaf):
    """Whether noisy moves are followed beyond the horizon."""


@verb("leaf")
def scouts_ahead(leaf):
    """Whether moves after a node's first are searched with a window of width one, and again where that does not tell.

    Not where nothing is remembered: playouts have three outcomes, so the window is narrow as it is.
    """


@verb("leaf")
def path_below(leaf, path, move):
    """The key, uint64, of a path with one more move."""


@inlined
def final_value(game, state, won):
    """What a finished game is worth for the player to move, a win being worth ``won``."""
    found = np.int64(score(game, state))
    value = (np.int64(found > 0) - np.int64(found < 0)) * won
    return -value if mover(game, state) == 1 else value


@inlined
def clamped_evaluation(game, state):
    """The evaluation, between losses and wins."""
    return min(max(np.int64(evaluation(game, state)), -MAX_EVALUATION), MAX_EVALUATION)


@most_value.implements(object)
def most_is_won_at_once(leaf):
    return WON - 1


@has_table.implements(object)
def positions_have_values(leaf):
    return True


@goes_beyond.implements(object)
def stops_at_horizon(leaf):
    return False


@scouts_ahead.implements(object)
def scouts_where_it_remembers(leaf):
    return has_table(leaf)


@path_below.implements(object)
def no_path(leaf, path, move):
    return U(0)


@value_at_once.implements(Evaluated)
def evaluated_at_once(leaf, game, state, moves, left, ply, path):
    if moves == 0:
        return True, final_value(game, state, WON - ply), np.int64(EXACT)
    known = np.int64(decided(game, state))
    if known != 0:
        return True, known * (WON - FAR - ply), np.int64(EXACT)
    if left == 0:
        return True, clamped_evaluation(game, state), np.int64(0)
    return False, np.int64(0), np.int64(0)


@value_at_once.implements(Quiescent)
def quiescent_at_once(leaf, game, state, moves, left, ply, path):
    if moves == 0:
        return True, final_value(game, state, WON - ply), np.int64(EXACT)
    known = np.int64(decided(game, state))
    if known != 0:
        return True, known * (WON - FAR - ply), np.int64(EXACT)
    if left <= 0:
        return left <= -MAX_NOISY, clamped_evaluation(game, state), np.int64(0)
    return False, np.int64(0), np.int64(0)


@goes_beyond.implements(Quiescent)
def quiescent_beyond(leaf):
    return True


@value_at_once.implements(PlayedOut)
def played_out_at_once(leaf, game, state, moves, left, ply, path):
    if moves == 0:
        return True, final_value(game, state, np.int64(1)), np.int64(0)
    if left == 0:
        found, plies = whole_playout(Uniform(0), game, state, path)
        value = np.int64(found > 0) - np.int64(found < 0)
        return True, -value if mover(game, state) == 1 else value, np.int64(0)
    return False, np.int64(0), np.int64(0)


@most_value.implements(PlayedOut)
def most_is_one(leaf):
    return np.int64(1)


@has_table.implements(PlayedOut)
def paths_have_values(leaf):
    return False


@path_below.implements(PlayedOut)
def path_of_moves(leaf, path, move):
    return child_key(path, U(move))


def check_noisy(game, where: str) -> None:
    """Refuse ``where`` (``player.quiescence=true``) where a game does not say which moves are noisy. Plain Python."""
    if not has_noisy(game):
        raise BadInput(f"{where}: game={name_of(game)} does not say which moves are noisy")
