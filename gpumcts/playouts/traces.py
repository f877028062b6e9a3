"""Playouts that record who played first on each cell: a game whose states hold this trace, for the loops of any game.

``Traced`` is what the playout loops get in place of a game. Lanes and CUDA's threads hold the trace beside the
position, two words for up to 64 points; the tally keeps score and trace of every playout (``contract.keep``). Policies
see the game itself.
"""

from typing import Any, NamedTuple

import numpy as np

from gpumcts.bits import put_word, with_bits, word_at
from gpumcts.compiling.class_names import title
from gpumcts.games.contract import (
    count_moves,
    evaluation,
    evaluation_limit,
    mover,
    over,
    overrun,
    pack,
    play,
    score,
    unpack,
)
from gpumcts.jit import inlined
from gpumcts.playouts.contract import (
    has_traced_playout,
    has_whole_playout,
    in_lanes,
    keep,
    kept_playout,
    kept_words,
    outcome,
    plain_game,
    plain_state,
    play_out,
    traced_playout,
)
from gpumcts.scratch import scratch

U = np.uint64


class Traced(NamedTuple):
    """A game (as it travels into compiled code) whose states remember who was first to play where.

    game : has ``CELLS`` and no chance
    nothing : 2 C words of 0, C = ceil(CELLS / 64): the trace of a playout that has not begun
    """

    game: Any
    nothing: tuple

    @property
    def TITLE(self) -> str:
        """As the game."""
        return title(self.game)

    @property
    def WORDS(self) -> int:
        """Those of the game, and the trace."""
        return self.game.WORDS + len(self.nothing)

    @property
    def LANES(self) -> bool:
        """As the game."""
        return self.game.LANES


class TracedWhole(Traced):
    """The same where the game plays on its own way: ``traced_playout`` in place of steps."""


class State(NamedTuple):
    """position: the game's state; trace: 2 C words, those of the first player's cells first."""

    position: Any
    trace: tuple


def traced(game: Any, policy: Any) -> Traced:
    """What the playout loops get so that playouts of a policy on a game (both as they travel) keep their traces."""
    kind = TracedWhole if has_traced_playout(policy, game) else Traced
    return kind(game, (U(0),) * trace_words(game))


def trace_words(game: Any) -> int:
    """Words of a trace, 2 C."""
    return 2 * -(-game.CELLS // 64)


@inlined
def marked(trace, player, move):
    """``contract.mark`` of words that lie in no memory."""
    half = len(trace) >> 1
    word = np.int64(move) >> 6
    free = ~(word_at(trace, word) | word_at(trace, half + word))
    bit = (U(1) << U(move & 63)) & free
    return with_bits(trace, half * np.int64(player) + word, bit if word < half else U(0))


@plain_game.implements(Traced)
def traced_plain_game(game):
    return game.game


@plain_state.implements(Traced)
def traced_plain_state(game, state):
    return state.position


@play.implements(Traced)
def traced_play(game, state, move):
    trace = marked(state.trace, mover(game.game, state.position), move)
    return State(play(game.game, state.position, move), trace)


@pack.implements(Traced)
def traced_pack(game, state, words, at, stride):
    pack(game.game, state.position, words, at, stride)
    for i in range(len(state.trace)):
        words[at + (len(state.position) + i) * stride] = state.trace[i]


@unpack.implements(Traced)
def traced_unpack(game, words, at, stride):
    position, trace = unpack(game.game, words, at, stride), game.nothing
    for i in range(len(game.nothing)):
        trace = with_bits(trace, np.int64(i), words[at + (len(position) + i) * stride])
    return State(position, trace)


@mover.implements(Traced)
def traced_mover(game, state):
    return mover(game.game, state.position)


@count_moves.implements(Traced)
def traced_count_moves(game, state):
    return count_moves(game.game, state.position)


@over.implements(Traced)
def traced_over(game, state):
    return over(game.game, state.position)


@overrun.implements(Traced)
def traced_overrun(game, state):
    return overrun(game.game, state.position)


@score.implements(Traced)
def traced_score(game, state):
    return score(game.game, state.position)


@evaluation.implements(Traced)
def traced_evaluation(game, state):
    return evaluation(game.game, state.position)


@evaluation_limit.implements(Traced)
def traced_evaluation_limit(game):
    return evaluation_limit(game.game)


@kept_words.implements(Traced)
def traced_kept_words(game):
    return 1 + len(game.nothing)


@keep.implements(Traced)
def traced_keep(game, state, score, tally, at):
    put_word(tally, at, U(score))
    for i in range(len(state.trace)):
        put_word(tally, at + 1 + i, state.trace[i])


@kept_playout.implements(Traced)
def playout_by_steps(game, policy, state, key, tally, at):
    last, plies = play_out(game, policy, state, key)
    score = np.int64(outcome(policy, game, last))
    keep(game, last, score, tally, at)
    return score, np.int64(plies - overrun(game, last))


@kept_playout.implements(TracedWhole)
def playout_by_the_game(game, policy, state, key, tally, at):
    trace = scratch(len(game.nothing), np.uint64)
    score, plies = traced_playout(policy, game.game, state.position, key, trace)
    put_word(tally, at, U(score))
    for i in range(len(game.nothing)):
        put_word(tally, at + 1 + i, trace[i])
    return score, plies


def plays_whole(policy: Any, game: Any) -> bool:
    """Whether playouts are the game's own, traced where they are to be. Plain Python."""
    return isinstance(game, TracedWhole) or (not isinstance(game, Traced) and has_whole_playout(policy, game))


def may_play_in_lanes(policy: Any, game: Any) -> bool:
    """``in_lanes`` of the game that the policy sees. Plain Python."""
    return in_lanes(policy, plain_game(game))
