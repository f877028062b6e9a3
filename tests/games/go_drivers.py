"""Go as its tests play it: the boards, and games in which every legal move is played."""

import numpy as np
import pytest
from numba import njit

from gpumcts.games import contract
from gpumcts.games.go import Go
from gpumcts.jit import SEPARATE
from gpumcts.options import compiled

U = np.uint64
GO = {size: compiled(Go(size=size)) for size in (9, 13, 19)}
SIZES = [9, pytest.param(13, marks=pytest.mark.slow), pytest.param(19, marks=pytest.mark.slow)]


@njit(**SEPARATE)
def _any_moves(game, keys, words, moves, plies):
    flat, width = words.reshape(-1), words.shape[2]
    for g in range(keys.shape[0]):
        state, ply, key = contract.start(game), 0, keys[g]
        contract.pack(game, state, flat, g * words.shape[1] * width, 1)
        count = contract.count_moves(game, state)
        while count > 0:
            key = key * U(6364136223846793005) + U(1442695040888963407)
            number = np.int64((key >> U(33)) % U(count))
            if number == count - 1 and (key >> U(20)) & U(7) != U(0):
                number = 0  # passes are rare, or games would be short
            moves[g, ply] = contract.nth_move(game, state, number)
            state = contract.play(game, state, moves[g, ply])
            ply += 1
            contract.pack(game, state, flat, (g * words.shape[1] + ply) * width, 1)
            count = contract.count_moves(game, state)
        plies[g] = ply


def traced_with_any_move(game, keys):
    """Games of any legal moves, eyes filled: states uint64[G, P, W], moves int64[G, P], plies int64[G]."""
    words = np.zeros((len(keys), game.MAX_PLIES + 1, game.WORDS), np.uint64)
    moves, plies = np.zeros((len(keys), game.MAX_PLIES + 1), np.int64), np.zeros(len(keys), np.int64)
    _any_moves(game, keys, words, moves, plies)
    return words, moves, plies


def board(*rows, size=9):
    """The one-line form of a board whose last rows are empty: the given ones are the lowest, from left to right."""
    lines = [row.replace(" ", "").ljust(size, ".") for row in rows]
    return "/".join(["." * size] * (size - len(lines)) + lines)


def state_of(text, size=9):
    return contract.parse_position(GO[size], text)


def legal(game, state):
    """The legal moves as text."""
    return [
        contract.move_text(game, state, contract.nth_move(game, state, k))
        for k in range(contract.count_moves(game, state))
    ]


def after(game, state, *texts):
    """The state after moves given as text."""
    for text in texts:
        state = contract.play(game, state, contract.parse_move(game, state, text))
    return state


def rows_of(game, state):
    return contract.position_text(game, state).split()[0]
