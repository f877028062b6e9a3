"""What a playout policy is: the verbs every policy answers.

A policy is a ``NamedTuple`` of numbers and bools with the class attribute ``LANES`` (True where ``choose`` is written
without branches, given a game that is; ``in_lanes`` tells on which games). Every policy has a field ``truncate``: a
playout is cut after so many plies and the rescaled evaluation stands for its outcome; 0 means never. A class may
define ``compiled(self)``, the value that travels into compiled code in its place (a width or a depth becomes a class
there, a probability an integer).
"""

import numpy as np

from gpumcts.games.contract import (
    CHANCE,
    SCORE_UNIT,
    chance_move,
    count_moves,
    evaluation,
    evaluation_limit,
    mover,
    over,
    overrun,
    play,
    random_in_lanes,
    score,
)
from gpumcts.jit import inlined
from gpumcts.rng import PLY_STEP
from gpumcts.verbs import verb

NEVER = np.int64(1 << 62)


@verb("policy", "game")
def choose(policy, game, state, stream):
    """The move a player makes in a playout, int64; draws come from ``stream``. The game may be over where lanes run on."""


@verb("policy", "game")
def in_lanes(policy, game):
    """Whether playouts of a policy on a game are written without branches and may run in SIMD lanes. Plain Python."""


@in_lanes.implements(object, object)
def in_lanes_of_both(policy, game):
    return policy.LANES and game.LANES and random_in_lanes(game)


@verb("policy")
def cut(policy):
    """Plies after which a playout is truncated, int64; NEVER if it is played to the end."""


@cut.implements(object)
def cut_of_field(policy):
    return np.int64(policy.truncate) if policy.truncate > 0 else NEVER


@inlined
def step(game, policy, state, stream):
    """One ply of a playout: a player's choice, or chance."""
    if mover(game, state) == CHANCE:
        return play(game, state, chance_move(game, state, stream))
    return play(game, state, choose(policy, game, state, stream))


@inlined
def rescaled_evaluation(game, state):
    """The evaluation for the first player in score units: linear, ``evaluation_limit`` becomes SCORE_UNIT, clamped.

    Document 004, section 4. int64 in [-SCORE_UNIT, SCORE_UNIT]; the division truncates, on every target alike.
    """
    limit = evaluation_limit(game)
    value = min(max(evaluation(game, state), -limit), limit)
    size = abs(value) * SCORE_UNIT // limit
    for_mover = size if value >= 0 else -size
    return -for_mover if mover(game, state) == 1 else for_mover


@inlined
def outcome(game, state):
    """The score of a playout that stopped in ``state``: the game's if it is over, the rescaled evaluation if it was cut."""
    if over(game, state) or count_moves(game, state) == 0:
        return np.int64(score(game, state))
    return np.int64(rescaled_evaluation(game, state))


@inlined
def play_out(game, policy, state, key):
    """One playout from ``state`` under ``key``: (last state, plies gone, those past the end included)."""
    stream = key
    plies = np.int64(0)
    limit = cut(policy)
    while plies < limit and not over(game, state):
        state = step(game, policy, state, stream)
        stream += PLY_STEP
        plies += 1
    return state, plies


@verb("policy", "game")
def whole_playout(policy, game, state, key):
    """One playout from ``state`` under ``key``: (score for the first player, plies to its end), int64 both.

    For games that play on faster with something that states do not hold, connections say, kept along the playout in
    ``jit.scratch`` of constant size. Moves and outcomes must be those of ``ply_by_ply``, which a body calls itself where
    the policy cuts playouts. It runs in place of lanes, and on CUDA in a kernel of its own.
    """


@inlined
@whole_playout.implements(object, object)
def ply_by_ply(policy, game, state, key):
    last, plies = play_out(game, policy, state, key)
    return np.int64(outcome(game, last)), np.int64(plies - overrun(game, last))


def has_whole_playout(policy, game):
    """Whether a policy, as it travels into compiled code, has a ``whole_playout`` of its own on a game. Plain Python."""
    return whole_playout.find(type(policy), type(game)) is not ply_by_ply
