"""A uniform ply in attempts: the amazons' moves are looked up once, and six of them are drawn.

The moves of ``sampling.random_move``, after the same draws. There a drawn move of an amazon is taken with the
probability of its number of arrows by the greatest possible one: two times in three at the beginning of a game, one in
fifteen at its end. An attempt makes six draws, of which the first that is taken counts. More of them would be in vain
early in a game, fewer would look at the four amazons too often late in one. Attempts need no search.
"""

from typing import NamedTuple

import numpy as np

from gpumcts.bits import blend
from gpumcts.games.amazons.lines import nth_code, square_at, total
from gpumcts.games.amazons.moves import CODE, CODE_BITS, NO_TURN, arrow_runs, arrows, choice, choices
from gpumcts.games.amazons.options import Board, Full, Split
from gpumcts.games.amazons.plies import is_shot, shot_runs
from gpumcts.games.amazons.sampling import HALF, LOW, NEXT_TRIAL, most_arrows
from gpumcts.games.contract import play
from gpumcts.jit import inlined
from gpumcts.playouts import attempts
from gpumcts.playouts.attempts import First, Second
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import bits

U = np.uint64
DRAWS = U(6)  # of an attempt; 4, 5 and 8 were up to 8 % slower on 10x10


class Attempt(NamedTuple):
    """A move, and whether it is made.

    move : its number, uint64; NO_TURN where there is none
    made : uint64, 1 where a draw was taken, or nothing was to be drawn
    """

    move: np.uint64
    made: np.uint64


class Drawn(NamedTuple):
    """A draw, all uint64.

    walk : the amazon's square and the code of where she goes
    k : the number of her arrow
    taken : 1 where there are as many
    """

    walk: np.uint64
    k: np.uint64
    taken: np.uint64


@inlined
def drawn(game, c, stream, trial):
    """The draw of a trial (uint64, as ``bits`` counts draws)."""
    random = bits(stream, trial)
    origin, code = choice(c, ((random >> HALF) * c.count) >> HALF)
    k = ((random & LOW) * most_arrows(game)) >> HALF
    return Drawn((origin << CODE_BITS) | code, k, U(k < arrows(game, c, origin, square_at(game, origin, code))))


@inlined
def first_of(one, other):
    """The draw that is taken, the first where both are."""
    return blend(one.taken != U(0), one, other)


@inlined
def first_of_two(game, c, stream, trial):
    """The first that is taken of two trials."""
    return first_of(drawn(game, c, stream, trial), drawn(game, c, stream, trial + NEXT_TRIAL))


@inlined
def first_of_six(game, c, stream, trial):
    """The first that is taken of DRAWS trials."""
    later = first_of_two(game, c, stream, trial + U(2) * NEXT_TRIAL)
    last = first_of_two(game, c, stream, trial + U(4) * NEXT_TRIAL)
    return first_of(first_of_two(game, c, stream, trial), first_of(later, last))


@attempts.look.implements(Uniform, Full)
def look_at_turns(policy, game, state, refused, stream):
    c = choices(game, state)
    found, stuck = first_of_six(game, c, stream, refused), c.count == U(0)
    origin = found.walk >> CODE_BITS
    shots = arrow_runs(game, c, origin, square_at(game, origin, found.walk & CODE))
    turn = (found.walk << CODE_BITS) | nth_code(shots, found.k)
    return Attempt(blend(stuck, U(NO_TURN), turn), found.taken | U(stuck))


@attempts.look.implements(Uniform, Split)
def look_at_plies(policy, game, state, refused, stream):
    """An arrow is drawn among those that there are, and always made."""
    c, shoots = choices(game, state), is_shot(state.pieces)
    found, stuck = first_of_six(game, c, stream, refused), c.count == U(0)
    shots = shot_runs(game, state)
    arrow = nth_code(shots, ((bits(stream, U(0)) >> HALF) * total(shots)) >> HALF)
    move = blend(shoots, arrow, blend(stuck, U(NO_TURN), found.walk))
    return Attempt(move, found.taken | U(shoots | stuck))


@attempts.none_refused.implements(Board)
def first_trial(game):
    """What was refused is told by the number of the next trial."""
    return U(0)


@attempts.under_way.implements(First, Board)
@attempts.under_way.implements(Second, Board)
def searches_nothing(search, game, attempt):
    return False


@attempts.look_further.implements(First, Board)
@attempts.look_further.implements(Second, Board)
def as_it_is(search, game, state, attempt):
    return attempt


@attempts.decide.implements(Board)
def play_or_refuse(game, state, refused, attempt):
    made = attempt.made != U(0)
    after = play(game, state, np.int64(attempt.move))
    return blend(made, after, state), blend(made, U(0), refused + DRAWS * NEXT_TRIAL), made


# Memory: the number of the next trial, the move, whether it is made.


@attempts.attempt_words.implements(Board)
def three_words(game):
    return 3


@attempts.store_refused.implements(Board)
def store_trial(game, refused, words, at, stride):
    words[at] = refused


@attempts.load_refused.implements(Board)
def load_trial(game, words, at, stride):
    return words[at]


@attempts.store_attempt.implements(Board)
def store_attempt(game, attempt, words, at, stride):
    words[at + stride] = attempt.move
    words[at + 2 * stride] = attempt.made


@attempts.store_progress.implements(Board)
def store_nothing(game, attempt, words, at, stride):
    pass


@attempts.load_attempt.implements(Board)
def load_attempt(game, words, at, stride):
    return Attempt(words[at + stride], words[at + 2 * stride])
