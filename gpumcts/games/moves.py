"""Games whose legal moves are a set of numbers: one body returns the set, and the verbs about single moves follow.

A game whose moves are below 64 writes::

    @moves.from_word(ConnectFour)
    def open_cells(game, state): ...      # uint64: bit m is set where move m is legal

and has ``move_set``, ``count_moves``, ``nth_move``, ``next_move`` and ``random_move``, for lanes too. ``from_set`` is
the same for sets of N words (``sets``), where there is no ``move_set``.
"""

from collections.abc import Callable

import numpy as np

from gpumcts.bits import nth_set_bit, popcount, trailing_zeros
from gpumcts.games import contract, sets
from gpumcts.jit import inlined
from gpumcts.rng import draw
from gpumcts.verbs import verb

U = np.uint64


@verb("game")
def legal_moves(game, state):
    """The legal moves as a set of N words; empty exactly where the game is over."""


@inlined
def word_count(game, state):
    """The number of legal moves, int64; for ``count_moves`` of a game with a ``move_set``."""
    return np.int64(popcount(contract.move_set(game, state)))


@inlined
def word_nth(game, state, k):
    """The legal move of rank ``k`` from the lowest, int64; ``k`` is 0 to the number of moves less 1."""
    return np.int64(nth_set_bit(contract.move_set(game, state), U(k)))


@inlined
def word_next(game, state, move):
    """The lowest legal move above ``move`` (-1 for the first one), int64; NO_MOVE where there is none."""
    above = (U(0) - U(1)) << U((move + 1) & 63) if move < 63 else U(0)
    left = contract.move_set(game, state) & above
    return np.int64(trailing_zeros(left)) if left != U(0) else np.int64(contract.NO_MOVE)


@inlined
def word_random(game, state, stream):
    """A legal move drawn uniformly by draw 0 of ``stream``, int64; the game is not over."""
    moves = contract.move_set(game, state)
    return np.int64(nth_set_bit(moves, draw(stream, 0, popcount(moves))))


@inlined
def set_count(game, state):
    """The number of legal moves, int64; for ``count_moves`` of a game with ``legal_moves``."""
    return np.int64(sets.size(legal_moves(game, state)))


@inlined
def set_nth(game, state, k):
    """The legal move of rank ``k`` from the lowest, int64; ``k`` is 0 to the number of moves less 1."""
    return np.int64(sets.nth(legal_moves(game, state), U(k)))


@inlined
def set_next(game, state, move):
    """The lowest legal move above ``move`` (-1 for the first one), int64; NO_MOVE where there is none."""
    left = sets.from_number(legal_moves(game, state), np.int64(move) + 1)
    return np.int64(contract.NO_MOVE) if sets.is_empty(left) else np.int64(sets.lowest(left))


@inlined
def set_random(game, state, stream):
    """A legal move drawn uniformly by draw 0 of ``stream``, int64; the game is not over."""
    moves = legal_moves(game, state)
    return np.int64(sets.nth(moves, draw(stream, 0, sets.size(moves))))


@inlined
def following(game, state, move, k):
    """The move after ``move`` in rising order, whatever its rank ``k``; for ``move_after`` of both kinds of games."""
    return contract.next_move(game, state, move)


def from_word(*games: type) -> Callable[[Callable], Callable]:
    """Decorator of a body ``(game, state)``: the legal moves of ``games`` as the bits of a uint64."""
    return _register(contract.move_set, (word_count, word_nth, word_next, word_random), games)


def from_set(*games: type) -> Callable[[Callable], Callable]:
    """Decorator of a body ``(game, state)``: legal moves of ``games`` as a set of N words, a NamedTuple of uint64."""
    return _register(legal_moves, (set_count, set_nth, set_next, set_random), games)


def _register(own, derived, games):
    verbs = (contract.count_moves, contract.nth_move, contract.next_move, contract.random_move)

    def register(body):
        for game in games:
            own.implements(game)(body)
            for each, follows in zip(verbs, derived, strict=True):
                each.implements(game)(follows)
            contract.move_after.implements(game)(following)
        return inlined(body)

    return register
