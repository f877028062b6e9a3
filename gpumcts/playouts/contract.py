"""The contract of a playout policy: the verbs that every policy implements.

A policy is a ``NamedTuple`` of numbers and bools with the class attribute ``LANES`` (True where ``choose`` is written
without branches, given a game that is; ``in_lanes`` tells on which games). Every policy has a field ``truncate``: a
playout is cut after so many plies and the rescaled evaluation stands for its outcome; 0 means never. A policy whose
moves or outcomes rest on the game's evaluation says ``EVALUATES = True``, and is refused on games that have none. A
class may define ``compiled(self)``, the value that travels into compiled code in its place (a width or a depth becomes
a class there, a probability an integer).
"""

import numpy as np

from gpumcts import options
from gpumcts.compiling.own_sources import is_own
from gpumcts.errors import BadInput
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
from gpumcts.games.evaluations import check_evaluation
from gpumcts.jit import inlined
from gpumcts.rng import PLY_STEP
from gpumcts.verbs import verb

U = np.uint64
NEVER = np.int64(1 << 62)


@verb("policy", "game")
def choose(policy, game, state, stream):
    """A player's move in a playout, int64; draws come from ``stream``. The game may be over where lanes run on."""


def plays(policy, game):
    """Whether a policy is one for a game. Plain Python."""
    return choose.find(type(options.compiled(policy)), type(plain_game(options.compiled(game)))) is not None


def check_policy(policy, game):
    """Refuse a policy that is not for a game, before anything is compiled. Raises BadInput. Plain Python.

    A user's own is asked whether it keeps the contract on that game (``playouts.conformance``).
    """
    if not plays(policy, game):
        names = options.name_of(policy), options.name_of(game)
        why = ": no body of choose is for it" if is_own(type(options.compiled(policy))) else ""
        raise BadInput(f"playout={names[0]} is not for game={names[1]}{why}; playout=uniform plays every game")
    _check_evaluation(options.compiled(policy), plain_game(options.compiled(game)))
    options.check_together(options.compiled(policy), plain_game(options.compiled(game)))


def _check_evaluation(policy, game):
    if getattr(policy, "EVALUATES", False):
        check_evaluation(game, f"playout={options.name_of(policy)}")
    elif getattr(policy, "truncate", 0) > 0 and value_at_cut.find(type(policy), type(game)) is rescaled_at_cut:
        check_evaluation(game, f"playout.truncate={policy.truncate}")


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


@verb("game")
def plain_game(game):
    """The game that policies see: itself, or the one that ``traces.Traced`` holds."""


@verb("game")
def plain_state(game, state):
    """The state of ``plain_game`` in a state of ``game``."""


@plain_game.implements(object)
def plain_game_itself(game):
    return game


@plain_state.implements(object)
def plain_state_itself(game, state):
    return state


@inlined
def step(game, policy, state, stream):
    """One ply of a playout: a player's choice, or chance."""
    plain, position = plain_game(game), plain_state(game, state)
    if mover(plain, position) == CHANCE:
        return play(game, state, chance_move(plain, position, stream))
    return play(game, state, choose(policy, plain, position, stream))


@inlined
def rescaled_to(limit, game, state):
    """The evaluation for the first player in score units: linear, clamped; ``limit`` (int64, at least 1) is SCORE_UNIT.

    Ramanujan et al. 2010, section 4. int64 in [-SCORE_UNIT, SCORE_UNIT]; the division truncates, on every target alike.
    """
    value = min(max(evaluation(game, state), -limit), limit)
    size = abs(value) * SCORE_UNIT // limit
    for_mover = size if value >= 0 else -size
    return -for_mover if mover(game, state) == 1 else for_mover


@inlined
def rescaled_evaluation(game, state):
    """``rescaled_to`` the game's ``evaluation_limit``."""
    return rescaled_to(evaluation_limit(game), game, state)


@verb("policy", "game")
def value_at_cut(policy, game, state):
    """The score of a playout cut in ``state``, for the first player: int64 in [-SCORE_UNIT, SCORE_UNIT]."""


@value_at_cut.implements(object, object)
def rescaled_at_cut(policy, game, state):
    return np.int64(rescaled_evaluation(game, state))


@inlined
def outcome(policy, game, state):
    """The score of a playout that stopped in ``state``: the game's if it is over, ``value_at_cut`` if it was cut."""
    if over(game, state) or count_moves(game, state) == 0:
        return np.int64(score(game, state))
    return np.int64(value_at_cut(policy, game, state))


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
    ``scratch.scratch`` of constant size. Moves and outcomes must be those of ``ply_by_ply``, which a body calls itself
    where the policy cuts playouts. It runs in place of lanes, and on CUDA in a kernel of its own.
    """


@inlined
@whole_playout.implements(object, object)
@inlined
def ply_by_ply(policy, game, state, key):
    last, plies = play_out(game, policy, state, key)
    return np.int64(outcome(policy, game, last)), np.int64(plies - overrun(game, last))


@verb("policy", "game")
def traced_playout(policy, game, state, key, trace):
    """``whole_playout`` of a game with ``CELLS`` that also notes in ``trace`` who was first to play where.

    trace : uint64[2 C] of zeros, C = ceil(CELLS / 64). Bit ``cell % 64`` of word ``cell // 64`` is the first player's,
        that of word ``C + cell // 64`` the second's; it is set for the player whose stone came first in this playout
        (``mark`` does it), for none where nobody played there. Bits from CELLS on mean nothing.

    A game with a ``whole_playout`` gives a body too, with the same moves, outcomes and plies, or searches that learn
    from traces (``selection=rave``) play by the default, ply by ply. A body calls that where the policy cuts playouts.
    One loop serves both verbs: it marks each move, and ``whole_playout`` hands it None for the trace.
    """


@inlined
def mark(trace, player, move):
    """Note in ``trace`` that ``player`` (0 or 1) has played ``move`` (int64 both), if nobody has on that cell before.

    ``trace`` may be None, where none is kept: then nothing of this is compiled.
    """
    if trace is not None:
        half = trace.shape[0] >> 1
        word = np.int64(move) >> 6
        if U(word) < U(half):  # nor below 0, whatever number a game gives its moves
            bit = (U(1) << U(move & 63)) & ~(trace[word] | trace[half + word])
            trace[half * player + word] |= bit


@traced_playout.implements(object, object)
@inlined
def traced_ply_by_ply(policy, game, state, key, trace):
    stream, plies, limit = key, np.int64(0), cut(policy)
    while plies < limit and not over(game, state):
        move = choose(policy, game, state, stream)  # games with CELLS have no chance
        mark(trace, np.int64(mover(game, state)), move)
        state = play(game, state, move)
        stream += PLY_STEP
        plies += 1
    return np.int64(outcome(policy, game, state)), np.int64(plies - overrun(game, state))


@verb("game")
def kept_words(game):
    """Words that a tally keeps of every playout beside the sums, int64: its score and trace; 0 without traces."""


@kept_words.implements(object)
def keeps_nothing(game):
    return 0


@verb("game")
def keep(game, state, score, tally, at):
    """Write what is kept of a playout that ended in ``state`` with ``score`` to ``tally[at]`` (1-D) and after it."""


@keep.implements(object)
def keep_nothing(game, state, score, tally, at):
    return None


@verb("game")
def kept_playout(game, policy, state, key, tally, at):
    """``whole_playout``, of which is written to ``tally[at]`` and the words after it what is kept."""


@kept_playout.implements(object)
def playout_not_kept(game, policy, state, key, tally, at):
    return whole_playout(policy, game, state, key)


def has_whole_playout(policy, game):
    """Whether a policy, as compiled code gets it, has a ``whole_playout`` of its own on a game. Plain Python."""
    return whole_playout.find(type(policy), type(game)) is not ply_by_ply


def has_traced_playout(policy, game):
    """Whether a policy, as compiled code gets it, has a ``traced_playout`` of its own on a game. Plain Python."""
    return traced_playout.find(type(policy), type(game)) is not traced_ply_by_ply
