"""The default bodies of the verbs of ``contract``, for any class."""

from typing import Any

import numpy as np
from numba.extending import overload

from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.states import packed, unpacked
from gpumcts.rng import draw
from gpumcts.verbs import JIT_OPTIONS

_JIT: Any = JIT_OPTIONS


def longest_game(game):
    """``MAX_PLIES`` of a game's class, also where a property says it."""
    return game.MAX_PLIES


@overload(longest_game, strict=False, jit_options=_JIT)
def _longest_game(game):
    said = game.instance_class.MAX_PLIES
    return said.fget if isinstance(said, property) else lambda game: said


@contract.evaluation.implements(object)
def evaluation_none(game, state):
    """Nothing is known: all positions are worth the same."""
    return np.int64(0)


@contract.evaluation_limit.implements(object)
def evaluation_limit_one(game):
    return np.int64(1)


@contract.evaluation_unit.implements(object)
def evaluation_unit_by_limit(game):
    return max(1, int(contract.evaluation_limit(game)) // 40)


@contract.remaining_plies.implements(object)
def remaining_of_the_longest(game, state):
    return np.float64(longest_game(game))


@contract.over.implements(object)
def over_when_no_moves(game, state):
    return contract.count_moves(game, state) == 0


@contract.overrun.implements(object)
def overrun_none(game, state):
    return 0


@contract.random_move.implements(object)
def random_of_all(game, state, stream):
    return contract.nth_move(game, state, np.int64(draw(stream, 0, contract.count_moves(game, state))))


@contract.move_weight.implements(object)
def weight_equal(game, state, move):
    return 1


@contract.staged_move.implements(object)
def staged_at_once(game, state, stream):
    return contract.random_move(game, state, stream)


@contract.random_in_lanes.implements(object)
def random_as_the_rest(game):
    return game.LANES


@contract.chance_move.implements(object)
def chance_uniform(game, state, stream):
    return contract.nth_move(game, state, np.int64(draw(stream, 0, contract.count_moves(game, state))))


@contract.chance_weight.implements(object)
def chance_equal(game, state, move):
    return 1


@contract.move_of_bit.implements(object)
def move_is_bit(game, state, bit):
    return np.int64(bit)


@contract.next_move.implements(object)
def next_by_counting(game, state, move):
    for k in range(contract.count_moves(game, state)):
        candidate = contract.nth_move(game, state, k)
        if candidate > move:
            return candidate
    return contract.NO_MOVE


@contract.move_after.implements(object)
def move_after_by_number(game, state, move, k):
    return contract.nth_move(game, state, k)


@contract.with_history.implements(object)
def without_history(game, state, earlier):
    return state


@contract.pass_left_out.implements(object)
def pass_like_any(game, state):
    return state


@contract.decided.implements(object)
def decided_unknown(game, state):
    return np.int64(0)


@contract.write_moves.implements(object)
def write_in_turn(game, state, count, out, at):
    move = np.int64(contract.NO_MOVE)
    for k in range(count):
        move = np.int64(contract.move_after(game, state, move, np.int64(k)))
        out[at + k] = move


@contract.noisy.implements(object)
def quiet(game, state, move):
    return np.int64(0)


@contract.pack.implements(object)
def pack_words(game, state, words, at, stride):
    packed(state, words, at, stride)


@contract.unpack.implements(object)
def unpack_words(game, words, at, stride):
    return unpacked(game, words, at, stride)


@contract.gtp_setup.implements(object)
def gtp_setup_by_fields(game):
    fields = {
        name.lower(): getattr(game, name) for name in dir(game) if name.lower() in ("size", "base", "rows", "columns")
    }
    sides = [str(int(fields[name])) for name in ("size", "base", "columns", "rows") if name in fields]
    return [f"boardsize {' '.join(dict.fromkeys(sides))}"] if sides else []


@contract.handicap_points.implements(object)
def no_handicap(game, count):
    return []


@contract.with_handicap.implements(object)
def without_handicap(game, names):
    raise BadInput(f"{title(game)} has no handicap")


@contract.chains.implements(object)
def no_chains(game, state):
    return []


@contract.parse_record.implements(object)
def without_records(game, text, plies):
    raise BadInput(f"{title(game)} has no records")


@contract.parse_nth_record.implements(object)
def first_record_alone(game, text, number, plies):
    if number != 1:
        raise BadInput(f"there is no game {number}: a file of {contract.record_format(game).upper()} holds one here")
    return contract.parse_record(game, text, plies)


@contract.record_format.implements(object)
def no_format(game):
    return ""


@contract.lead.implements(object)
def lead_by_result(game, state):
    result = int(contract.score(game, state))
    return (result > 0) - (result < 0)


@contract.parse_move.implements(object)
def parse_move_by_text(game, state, text):
    legal = (int(contract.nth_move(game, state, k)) for k in range(contract.count_moves(game, state)))
    moves = {contract.move_text(game, state, move): move for move in legal}
    if text in moves:
        return moves[text]
    in_any_case = [move for name, move in moves.items() if name.lower() == text.lower()]
    if len(in_any_case) != 1:
        raise BadInput(f"move {text!r} is not legal here; legal: {' '.join(moves) or 'none, the game is over'}")
    return in_any_case[0]
