"""The contract of a game: the verbs that every game implements.

A game is a ``NamedTuple`` of numbers and bools (its parameters, schema and dispatch key) with these class attributes:

``WORDS``      words of 64 bits in a packed state: set by ``state_of``, which names the class of the states
``MAX_PLIES``  no game lasts longer (paths in the tree are sized by it)
``MAX_MOVES``  no position has more legal moves; at most 32,767
``PLAYERS``    1 or 2
``LANES``      True where ``play``, ``mover`` and ``over`` are without branches and may run in SIMD lanes, and so are
               ``random_move``, unless ``random_in_lanes`` says otherwise, and ``staged_move`` where the game has one
``FIRST``      the colour of who moves first, ``"white"``, in games that name players by colour where it is not black.
               Optional; GTP goes by it
``CELLS``      for games without chance in which a move places something of the mover's on a point, for good or until it
               is taken: numbers below CELLS are those moves, the number being the point, and others (a pass) place
               nothing. Nor may ``random_move`` give one past the game's end. Optional; ``selection=rave`` asks for it
``NAMED_MOVES``  True where ``move_text`` depends on the move alone, so that a match looks each text up once. Optional

A state is a ``NamedTuple`` of ``uint64``. Moves are non-negative integers below 2^31; the legal moves of a state are
ordered, and ``nth_move`` and ``next_move`` give them in increasing order. Scores are for the first player, in
[-SCORE_UNIT, SCORE_UNIT]; a game of win, draw and loss uses -SCORE_UNIT, 0 and SCORE_UNIT.

What a game leaves out has a body in ``defaults``; verbs without one are required, but for those that say otherwise.
"""

from typing import Any, NamedTuple

import numpy as np

from gpumcts.games.states import state_of as state_of
from gpumcts.verbs import verb

U = np.uint64
CHANCE = 2
"""The mover of a state in which nature moves."""
NO_MOVE = -1
SCORE_UNIT = 1 << 20
"""The score of a win. A power of two, so that sums of scores and their scaling to [0, 1] are exact in float64."""


# ------------------------------------------------------------------------------------------------ rules (compiled)


@verb("game")
def start(game):
    """The state a game begins in."""


@verb("game")
def mover(game, state):
    """Who moves: 0 (first player), 1 (second player) or CHANCE, as int64."""


@verb("game")
def count_moves(game, state):
    """Number of legal moves (outcomes, where chance moves), as int64; 0 exactly where the game is over."""


@verb("game")
def nth_move(game, state, k):
    """Legal move number ``k`` (int64, 0 <= k < count_moves), in increasing order, as int64."""


@verb("game")
def next_move(game, state, move):
    """The smallest legal move above ``move`` (-1 for the first), as int64; NO_MOVE if there is none."""


@verb("game")
def move_after(game, state, move, k):
    """Legal move number ``k``, int64, ``move`` being number ``k - 1`` (-1 for k = 0): to go through all in turn."""


@verb("game")
def write_moves(game, state, count, out, at):
    """Write the ``count`` legal moves, in order, into ``out[at:]`` (int64); for games that find all moves at once."""


@verb("game")
def move_set(game, state):
    """The legal moves packed into a word (uint64), a bit a move, in the moves' order; 0 exactly where the game is over.

    Only for games whose every position has a place for each move among 64 bits; there is no default. With ``LANES`` it
    lets informed playouts run in lanes, and must then be free of branches, as must ``evaluation``, ``mover`` and
    ``score``.
    """


@verb("game")
def move_of_bit(game, state, bit):
    """The legal move, int64, that bit number ``bit`` (uint64) of ``move_set`` stands for."""


@verb("game")
def play(game, state, move):
    """The state after a legal move. Playing on from a finished game, as lanes do, must leave it finished."""


@verb("game")
def score(game, state):
    """int64 in [-SCORE_UNIT, SCORE_UNIT] for the first player; called where the game is over."""


@verb("game")
def over(game, state):
    """Whether a playout may stop here. It may answer some plies late (see ``overrun``), where that saves work."""


@verb("game")
def overrun(game, state):
    """Plies that a playout has gone past the end of the game, as int64; 0 where it goes on, and the playout is cut."""


@verb("game")
def random_move(game, state, stream):
    """A random legal move from draw 0 of ``stream``, uniform or by ``move_weight``; for players, never for chance.

    A game that needs more draws takes numbers from 2^32 on; those between belong to policies.
    """


@verb("game")
def move_weight(game, state, move):
    """Weight of a legal move, int64: ``random_move`` draws it with its share of the weights of all. 1 unless given.

    For games whose turns take several plies, so that whole turns are uniform; and 0 for moves that no random game can
    do with, such as those that fill an eye in Go. Not all are 0.
    """


@verb("game")
def staged_move(game, state, stream):
    """A legal move drawn in stages (a piece, its target, ...), each uniform; ``random_move`` where a game has none."""


@verb("game")
def random_in_lanes(game):
    """Whether ``random_move`` is written without branches; asked where LANES is True. Plain Python, never compiled."""


@verb("game")
def chance_move(game, state, stream):
    """An outcome of chance, drawn with its probability from draw 0 of ``stream``."""


@verb("game")
def chance_weight(game, state, move):
    """Weight of an outcome of chance, a positive int64; its probability is its share of the weights of all outcomes."""


@verb("game")
def evaluation(game, state):
    """How good a position that is not over is for the player to move, in the game's own integer units, as int64.

    Where chance moves: for the first player. Without a body all are 0, and what rests on them is refused.
    """


@verb("game")
def evaluation_limit(game):
    """The largest absolute evaluation, as int64, 1 to 2^40 - 1; 1 unless given.

    It is rescaled to SCORE_UNIT, and larger ones clamp (Ramanujan et al. 2010, section 4).
    """


@verb("game")
def evaluation_unit(game):
    """What people count the evaluation in, as int64, at least 1: a pawn in Chess. Plain Python.

    A fortieth of ``evaluation_limit`` where a game does not say.
    """


@verb("game")
def remaining_plies(game, state):
    """An estimate of the plies left, float64, for Kocsis' depth-decayed bias (Kocsis et al. 2006, section 2.1).

    MAX_PLIES where a game does not say.
    """


@verb("game")
def pack(game, state, words, at, stride):
    """Write a state into ``words[at + i * stride]``."""


@verb("game")
def unpack(game, words, at, stride):
    """Read a state from ``words[at + i * stride]``."""


@verb("game")
def with_history(game, state, earlier):
    """The state that a player faces in a game that is played, whose ``earlier`` states are uint64[k, W], packed.

    For rules that look back beyond what a state holds, such as superko. It is asked after each ply; trees and playouts
    go on from the state that it gives, without it. A game without a body has no such rule, and nobody keeps its states.
    """


@verb("game")
def pass_left_out(game, state):
    """The state after a pass that nobody made: a protocol that lets a player move twice in a row omits the other's.

    For games that end by passes, towards which it does not count.
    """


@verb("game")
def decided(game, state):
    """Who wins a position that is not over, where the game's own knowledge proves it, as int64.

    1 where the player to move wins, -1 where he loses, both under best play; 0 where it is not known. For searches, not
    for playouts: a game may take some time over it.
    """


@verb("game")
def noisy(game, state, move):
    """How noisy a legal move is, int64 in [0, 60000]: 0 where it is quiet, else the more, the sooner searches try it.

    Noisy moves change the evaluation at once, as captures do. Searches try them first, and ``player.quiescence=true``
    follows them beyond the horizon, until none is left or both sides prefer to stay where they are.
    """


# ------------------------------------------------------------------------------------------------- text (plain Python)


@verb("game")
def move_text(game, state, move):
    """A legal move in the game's notation."""


@verb("game")
def parse_move(game, state, text):
    """The legal move that ``text`` names; raises BadInput where it names none."""


@verb("game")
def board_text(game, state):
    """The position drawn for people, several lines."""


@verb("game")
def position_text(game, state):
    """The position on one line, complete."""


@verb("game")
def parse_position(game, text):
    """The state that ``position_text`` gave; raises BadInput where the text names no position."""


@verb("game")
def gtp_setup(game):
    """The GTP commands that tell a program the board and the terms of the game, as ``["boardsize 9", "komi 7.5"]``."""


@verb("game")
def lead(game, state):
    """By how many points the first player leads in a finished game, if it counts points; 1, 0 or -1 elsewhere."""


@verb("game")
def handicap_points(game, count):
    """Names of the points where ``count`` stones of a fixed handicap stand (GTP 2, 4.1.1); none where there is none."""


@verb("game")
def with_handicap(game, names):
    """The state in which the first player's stones stand on these points, and the other moves; raises BadInput."""


@verb("game")
def chains(game, state):
    """The stones on the board as a list of chains, each a list of names of points; none where stones form no chains."""


class Record(NamedTuple):
    """A game as a file has it.

    game : option value, compiled, with the terms of the file
    terms : those, by key of the configuration (``{"size": 9}``)
    start : the state that the moves begin with; moves : legal ones, in order
    tags : what the file says beside, by its own names
    """

    game: Any
    terms: dict[str, Any]
    start: Any
    moves: list[int]
    tags: dict[str, str]


@verb("game")
def parse_record(game, text, plies):
    """The ``Record`` in a file's text (SGF, PGN) up to so many moves, None for all; what it leaves open is ``game``'s.

    Where the file holds several games it is the first. Raises BadInput, with the place, where the text is none, or
    breaks the rules.
    """


@verb("game")
def parse_nth_record(game, text, number, plies):
    """``parse_record`` of game number ``number`` (from 1) of a file."""


@verb("game")
def record_format(game):
    """In which format games are read and written: ``sgf``, ``pgn``; empty where in none."""


@verb("game")
def record_text(game, record):
    """The text of a file (SGF, PGN) for a ``Record`` of this game."""


def has_history(game):
    """Whether a game, as it travels into compiled code, has rules that look back (``with_history``). Plain Python."""
    return with_history.find(type(game)) is not with_history.find(object)


def has_evaluation(game):
    """Whether a game, as it travels into compiled code, says how good positions are (``evaluation``). Plain Python."""
    return evaluation.find(type(game)) is not evaluation.find(object)


def has_noisy(game):
    """Whether a game, as it travels into compiled code, says which moves are noisy (``noisy``). Plain Python."""
    return noisy.find(type(game)) is not noisy.find(object)
