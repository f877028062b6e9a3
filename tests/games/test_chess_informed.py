"""Players that look ahead in playouts of Chess choose what plain minimax chooses, the same of equal moves too."""

import numpy as np
import pytest
from numba import njit

from gpumcts import options
from gpumcts.games import contract
from gpumcts.games.chess.options import Board, Chess
from gpumcts.games.chess.pieces import CLOCK, PLY
from gpumcts.jit import SEPARATE
from gpumcts.kernels.batch import Rules
from gpumcts.playouts.contract import choose
from gpumcts.playouts.minimax import Minimax, best_move
from gpumcts.rng import PLY_STEP, key_of
from tests.games.drivers import keys_of

U = np.uint64
ENDINGS = (
    "8/8/8/8/8/5k2/7p/5K2 b - - 0 1",  # a pawn may become a queen, or stalemate
    "7k/5Q2/8/8/8/8/8/K7 w - - 0 1",  # stalemates all round
    "7k/8/5KQ1/8/8/8/8/8 w - - 98 80",  # mate on the last of the fifty moves, or none
    "7k/8/5KQ1/8/8/8/8/8 w - - 99 80",
    "k7/p7/P7/8/8/8/8/K1R5 w - - 0 1",  # a side with a blocked pawn
    "8/8/8/8/k2Pp2Q/8/8/3K4 b - d3 0 1",  # en passant would open the rank
    "8/8/8/8/1k1Pp3/8/8/3KB3 b - d3 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "k7/8/K7/8/8/8/8/1n5R b - - 0 1",  # too little to mate after a capture
    "8/P1k5/8/8/8/8/2K3p1/8 w - - 0 1",
    "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3",  # mated: not to be asked
)


@njit(**SEPARATE)
def _compare(game, policy, states, keys, found):
    words, width = states.reshape(-1), states.shape[1]
    for s in range(states.shape[0]):
        state = contract.unpack(game, words, s * width, 1)
        if contract.count_moves(game, state) > 0:
            found[s, 0] = choose(policy, game, state, keys[s])
            found[s, 1] = best_move(policy, game, state, keys[s])


@njit(**SEPARATE)
def _play_on(game, policy, states, keys, plies):
    words, width = states.reshape(-1), states.shape[1]
    for s in range(states.shape[0]):
        stream = keys[s]
        for _ in range(plies[s]):
            state = contract.unpack(game, words, s * width, 1)
            if contract.count_moves(game, state) > 0:
                after = contract.play(game, state, choose(policy, game, state, stream))
                contract.pack(game, after, words, s * width, 1)
            stream += PLY_STEP


def positions(game, policy, count):
    """Positions of games between such players, who err often, from opening to ending, and ENDINGS."""
    states = Rules(game).starts(count)
    _play_on(game, policy, states, keys_of(31, count=count), 2 + np.arange(count) % 160)
    late = states[::7].copy()
    late[:, -1] = (late[:, -1] & ~(U(0xFFFF) << CLOCK)) | (U(97) << CLOCK)
    long = states[::9].copy()
    long[:, -1] = (long[:, -1] & ~(U(0xFFFF) << PLY)) | (U(game.max_plies - 2) << PLY)
    ends = np.array([contract.parse_position(game, text) for text in ENDINGS], np.uint64)
    return np.concatenate([states, late, long, ends])


def test_every_depth_has_a_body_of_its_own():
    """Chess has one for depth 1 and one for depth 2; depth 3 is searched as in every game, not by either of them."""
    bodies = [choose.find(type(Minimax(depth=depth).compiled()), Board) for depth in (1, 2, 3)]
    assert len(set(bodies)) == 3


@pytest.mark.parametrize(
    "depth, evaluation",
    [
        (1, "michniewski"),
        pytest.param(1, "pesto", marks=pytest.mark.slow),
        pytest.param(2, "michniewski", marks=pytest.mark.slow),
        pytest.param(2, "pesto", marks=pytest.mark.slow),
        pytest.param(3, "michniewski", marks=pytest.mark.slow),
    ],
)
def test_choices_are_those_of_minimax(depth, evaluation):
    game = options.compiled(Chess(evaluation=evaluation))
    policy = Minimax(depth=depth, epsilon=0.2).compiled()
    states = positions(game, policy, {1: 800, 2: 400, 3: 40}[depth])
    exact = Minimax(depth=depth).compiled()
    found = np.full((len(states), 2), -1, np.int64)
    _compare(game, exact, states, np.array([key_of(32, i) for i in range(len(states))], np.uint64), found)
    assert (found[:, 0] >= 0).sum() > len(states) // 2
    differ = np.flatnonzero(found[:, 0] != found[:, 1])
    assert not len(differ), [
        contract.position_text(game, contract.unpack(game, states[i], 0, 1)) for i in differ[:3].tolist()
    ]
