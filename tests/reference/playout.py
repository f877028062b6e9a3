"""Playouts, minimax and the generator, written once more in plain Python: integers of any size, lists, recursion.

Only the verbs of a game are shared with the library; what a policy does with them is not.
"""

import math
from typing import Any

from gpumcts.games import contract
from gpumcts.games.contract import CHANCE, SCORE_UNIT

GOLDEN = 0x9E3779B97F4A7C15
WORD = 2**64


def splitmix(z: int) -> int:
    """The finaliser of SplitMix64, as published."""
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % WORD
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % WORD
    return z ^ (z >> 31)


def unmix(z: int) -> int:
    """The inverse of ``splitmix``, so that a test can choose the bits that a draw sees."""
    z ^= (z >> 31) ^ (z >> 62)
    z = z * pow(0x94D049BB133111EB, -1, WORD) % WORD
    z ^= (z >> 27) ^ (z >> 54)
    z = z * pow(0xBF58476D1CE4E5B9, -1, WORD) % WORD
    return z ^ (z >> 30) ^ (z >> 60)


def word(key: int, ply: int, j: int) -> int:
    """The 64 bits of draw ``j`` of ply ``ply`` under ``key``."""
    return splitmix((key + GOLDEN * (ply + (j << 16))) % WORD)


def number_below(n: int, key: int, ply: int, j: int) -> int:
    """The same draw as a number in [0, n)."""
    return (word(key, ply, j) >> 32) * n >> 32


def legal_moves(game: Any, state: Any) -> list[int]:
    """All legal moves of a state."""
    return [int(contract.nth_move(game, state, k)) for k in range(int(contract.count_moves(game, state)))]


def uniform_playout(game: Any, state: Any, key: int) -> tuple[Any, int]:
    """(final state, plies) of a playout by uniformly random players."""
    ply = 0
    while moves := legal_moves(game, state):
        if int(contract.mover(game, state)) == CHANCE:
            weights = [int(contract.chance_weight(game, state, move)) for move in moves]
            sides = [move for move, weight in zip(moves, weights, strict=True) for _ in range(weight)]
            state = contract.play(game, state, sides[number_below(len(sides), key, ply, 0)])
        else:
            state = contract.play(game, state, moves[number_below(len(moves), key, ply, 0)])
        ply += 1
    return state, ply


def minimax_value(game: Any, state: Any, depth: int, player: int) -> float:
    """Value of a state for ``player`` (0 or 1) by full minimax: results where the game is over, else the evaluation.

    Where chance moves the evaluation stands, whatever the depth.
    """
    moves = legal_moves(game, state)
    sign = 1 if player == 0 else -1
    if not moves:
        return sign * int(contract.score(game, state)) / SCORE_UNIT * 1e9
    mover = int(contract.mover(game, state))
    if depth == 0 or mover == CHANCE:
        value = int(contract.evaluation(game, state))
        return sign * (-value if mover == 1 else value)
    values = [minimax_value(game, contract.play(game, state, move), depth - 1, player) for move in moves]
    return max(values) if mover == player else min(values)


def best_moves(game: Any, state: Any, depth: int) -> list[int]:
    """Every move whose minimax value of ``depth`` plies is the highest for the player to move."""
    player = int(contract.mover(game, state))
    moves = legal_moves(game, state)
    values = [minimax_value(game, contract.play(game, state, move), depth - 1, player) for move in moves]
    return [move for move, value in zip(moves, values, strict=True) if value == max(values)]


def rescaled_evaluation(game: Any, state: Any, limit: int | None = None) -> int:
    """The evaluation for the first player in score units, towards zero."""
    limit = limit or int(contract.evaluation_limit(game))
    value = max(-limit, min(limit, int(contract.evaluation(game, state))))
    scaled = abs(value) * SCORE_UNIT // limit
    return scaled if (value >= 0) == (int(contract.mover(game, state)) != 1) else -scaled


def logistic_evaluation(game: Any, state: Any, limit: int | None = None) -> float:
    """The evaluation for the first player in score units, on the logistic curve."""
    limit = limit or int(contract.evaluation_limit(game))
    value = max(-limit, min(limit, int(contract.evaluation(game, state))))
    scaled = SCORE_UNIT * (2 / (1 + math.exp(-8 * value / limit)) - 1)
    return -scaled if int(contract.mover(game, state)) == 1 else scaled
