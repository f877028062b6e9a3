"""Compiled drivers for the tests of Chess, and games as python-chess names them."""

from typing import Any

import numpy as np
from numba import njit

from gpumcts import options
from gpumcts.bits import trailing_zeros
from gpumcts.games import contract
from gpumcts.games.chess import Chess
from gpumcts.games.chess.evaluation import kind_at
from gpumcts.games.chess.moves import in_check, source_of, target_of
from gpumcts.games.chess.pieces import BLACK, PAWN, REPEATED
from gpumcts.jit import SEPARATE
from gpumcts.playouts.contract import whole_playout
from gpumcts.rng import PLY_STEP

U = np.uint64
GAME = options.compiled(Chess())
LOCKED = "4k3/8/8/8/p1p1p1p1/P1P1P1P1/8/4K3 w - - 0 1"
"""Kings walk, nothing else moves: a position often comes back."""
KNIGHT, BISHOP, ROOK, QUEEN = 2, 3, 4, 5
"""Kinds that pawns become, by the numbers of python-chess."""


@njit(**SEPARATE)
def _judge(game, states, found):
    flat, width = states.reshape(-1), states.shape[1]
    for s in range(states.shape[0]):
        found[s] = contract.evaluation(game, contract.unpack(game, flat, s * width, 1))


def evaluations(game: Any, states: np.ndarray) -> np.ndarray:
    """The evaluation of each of ``states`` (uint64[S, W]), int64[S]."""
    found = np.zeros(len(states), np.int64)
    _judge(game, states, found)
    return found


@njit(**SEPARATE)
def _seen(game, states, moves, codes, checks):
    flat, width = states.reshape(-1), states.shape[1]
    for s in range(states.shape[0]):
        state = contract.unpack(game, flat, s * width, 1)
        checks[s] = in_check(state)
        flip = U(56) if state.turn & BLACK != U(0) else U(0)
        for k in range(moves.shape[1]):
            if moves[s, k] == contract.NO_MOVE:
                break
            kind, bit = U(moves[s, k] >> 6), U(moves[s, k] & 63)
            source, target = trailing_zeros(source_of(state, kind, bit)), target_of(kind, bit)
            code = np.int64((source ^ flip) | ((target ^ flip) << U(6)))
            if kind_at(state, source) == U(PAWN) and target >= U(56):
                into = QUEEN if kind < U(16) else ROOK if kind == U(16) else BISHOP if kind == U(17) else KNIGHT
                code |= into << 12
            codes[s, k] = code


def seen(states: np.ndarray, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Moves as ``source | target << 6 | promoted << 12``, and whether the king is in check, of uint64[S, W] states."""
    codes, checks = np.full(moves.shape, -1, np.int64), np.zeros(len(states), np.bool_)
    _seen(GAME, states, moves, codes, checks)
    return codes, checks


def code_of(move: Any) -> int:
    """The same number for a move of python-chess."""
    return move.from_square | move.to_square << 6 | (move.promotion or 0) << 12


@njit(**SEPARATE)
def _trace_from(game, start, keys, words, moves, plies):
    flat, room, width = words.reshape(-1), words.shape[1], words.shape[2]
    for g in range(keys.shape[0]):
        state, ply, stream = contract.unpack(game, start, 0, 1), 0, keys[g]
        contract.pack(game, state, flat, g * room * width, 1)
        while ply < room - 1 and contract.count_moves(game, state) > 0:
            moves[g, ply] = contract.random_move(game, state, stream)
            state = contract.play(game, state, moves[g, ply])
            ply += 1
            stream += PLY_STEP
            contract.pack(game, state, flat, (g * room + ply) * width, 1)
        plies[g] = ply


def trace_from(start: Any, keys: np.ndarray, room: int = 256) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random games from a position: states uint64[G, room, W] by ply, moves int64[G, room], plies int64[G]."""
    words, moves = np.zeros((len(keys), room, GAME.WORDS), np.uint64), np.full((len(keys), room), -1, np.int64)
    plies = np.zeros(len(keys), np.int64)
    _trace_from(GAME, np.array(start, np.uint64), keys, words, moves, plies)
    return words, moves, plies


@njit(**SEPARATE)
def _marks(game, words, plies, found):
    for g in range(words.shape[0]):
        earlier = words[g]
        flat, width = earlier.reshape(-1), earlier.shape[1]
        for ply in range(plies[g] + 1):
            state = contract.unpack(game, flat, ply * width, 1)
            found[g, ply] = contract.with_history(game, state, earlier[:ply]).turn & REPEATED != U(0)


def marks(words: np.ndarray, plies: np.ndarray) -> np.ndarray:
    """Whether a position has come for the third time, bool[G, P], as games that are played find it."""
    found = np.zeros(words.shape[:2], np.bool_)
    _marks(GAME, words, plies, found)
    return found


@njit(**SEPARATE)
def _whole(game, policy, start, keys, found):
    for g in range(keys.shape[0]):
        found[g, 0], found[g, 1] = whole_playout(policy, game, contract.unpack(game, start, 0, 1), keys[g])


def whole(game: Any, policy: Any, start: Any, keys: np.ndarray) -> list[tuple[int, int]]:
    """(score, plies) of whole playouts from a position."""
    found = np.zeros((len(keys), 2), np.int64)
    _whole(game, options.compiled(policy), np.array(start, np.uint64), keys, found)
    return [(score, plies) for score, plies in found.tolist()]
