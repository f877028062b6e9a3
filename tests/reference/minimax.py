"""Minimax with playouts or noisy moves at its leaves in plain Python: all lines to the horizon, no window, no order."""

from typing import Any

from gpumcts.games import contract
from tests.reference.playout import WORD, legal_moves, splitmix, uniform_playout

WON = 1 << 30
MAX_NOISY = 64
PLAYOUTS = 0  # the purpose of the key below a search's key


def key_below(key: int, number: int) -> int:
    """Key number ``number`` below ``key``."""
    return splitmix((splitmix(key ^ 0xA0761D6478BD642F) + (number + 1) * 0xD1342543DE82EF95) % WORD)


def sign_for(game: Any, state: Any, side: int) -> int:
    """1, 0 or -1: how a finished game has gone for ``side``."""
    score = int(contract.score(game, state))
    return ((score > 0) - (score < 0)) * (-1 if side == 1 else 1)


def side_of(game: Any, state: Any) -> int:
    return int(contract.mover(game, state))


def played_out(game: Any, state: Any, depth: int, key: int) -> list[int]:
    """What each move is worth to its mover, -1, 0 or 1; leaves before the end are played out under path keys."""
    side, path = side_of(game, state), key_below(key, PLAYOUTS)
    return [_played_out(game, state, move, depth, path, side) for move in legal_moves(game, state)]


def _played_out(game: Any, state: Any, move: int, depth: int, path: int, side: int) -> int:
    """The value for ``side`` of a position's move, searched to ``depth`` plies, itself included."""
    child, path = contract.play(game, state, move), key_below(path, move)
    moves, mover = legal_moves(game, child), side_of(game, child)
    if not moves or depth == 1:
        last = child if not moves else uniform_playout(game, child, path)[0]
        return sign_for(game, last, side)
    best = max(_played_out(game, child, reply, depth - 1, path, mover) for reply in moves)
    return best if mover == side else -best


def quiescent(game: Any, state: Any, depth: int, ply: int = 0) -> list[int]:
    """The values of the moves, noisy ones followed beyond the horizon; a win n plies from the root is WON - n."""
    side = side_of(game, state)
    return [_for(game, side, contract.play(game, state, move), depth - 1, ply + 1) for move in legal_moves(game, state)]


def _for(game: Any, side: int, state: Any, left: int, ply: int) -> int:
    """The value of a position for ``side``."""
    moves, mover = legal_moves(game, state), side_of(game, state)
    if not moves:
        return sign_for(game, state, side) * (WON - ply)
    if left > 0:
        best = max(quiescent(game, state, left, ply))
    else:
        lines = [move for move in moves if contract.noisy(game, state, move)] if left > -MAX_NOISY else []
        after = [_for(game, mover, contract.play(game, state, move), left - 1, ply + 1) for move in lines]
        best = max([int(contract.evaluation(game, state)), *after])
    return best if mover == side else -best
