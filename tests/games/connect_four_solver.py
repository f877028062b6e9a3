"""Whether the first player of Connect Four wins a position: proof search over the game's own verbs, with a table."""

import numpy as np
from numba import njit

from gpumcts.bits import popcount
from gpumcts.games import contract
from gpumcts.games.connect_four import BOARD, BOTTOM, SQUARES, ConnectFour, completing

U = np.uint64
ENTRIES = 1 << 24
COLUMNS = tuple(U(BOARD.bits(lambda row, column, c=c: column == c)) for c in (3, 2, 4, 1, 5, 0, 6))
WIN, NO_WIN = 1, 2


@njit
def _wins_at(discs, free):
    """The free squares that complete four."""
    up = (discs << U(1)) & (discs << U(2)) & (discs << U(3))
    return (up | completing(discs, U(6)) | completing(discs, U(7)) | completing(discs, U(8))) & free


@njit
def _worth_trying(state, moves):
    """The moves that do not lose at once: squares to take first, and none below a square that wins for the other."""
    own, opp = state.own & SQUARES, state.opp & SQUARES
    theirs = _wins_at(opp, SQUARES & ~(own | opp))
    forced = moves & theirs
    if forced:
        if forced & (forced - U(1)):
            return U(0)
        moves = forced
    return moves & ~(theirs >> U(1))


@njit
def _prove(game, state, first, keys, values, nodes):
    """Whether the first player wins; ``first``: he is to move. ``nodes[0]`` counts."""
    nodes[0] += 1
    moves = contract.move_set(game, state)
    if moves == U(0):
        return contract.score(game, state) > 0
    own, opp = state.own & SQUARES, state.opp & SQUARES
    free = SQUARES & ~(own | opp)
    if _wins_at(own, moves):
        return first
    moves = _worth_trying(state, moves)
    if moves == U(0):
        return not first
    if popcount(free) <= U(2):
        return False  # two squares left and no win at hand: a draw
    key = own + (own | opp) + BOTTOM
    slot = np.int64((key * U(0x9E3779B97F4A7C15)) >> U(40))
    if keys[slot] == key:
        return values[slot] == WIN
    order = np.zeros(7, np.uint64)
    rank = np.zeros(7, np.int64)
    count = 0
    for column in COLUMNS:
        square = moves & column
        if square:
            worth = np.int64(popcount(_wins_at(own | square, free & ~square)))
            at = count
            while at > 0 and rank[at - 1] < worth:
                rank[at], order[at] = rank[at - 1], order[at - 1]
                at -= 1
            rank[at], order[at] = worth, square
            count += 1
    found = not first
    for i in range(count):
        square = order[i]
        move = np.int64(popcount(square - U(1)))
        if _prove(game, contract.play(game, state, move), not first, keys, values, nodes) == first:
            found = first
            break
    keys[slot], values[slot] = key, WIN if found else NO_WIN
    return found


def first_player_wins(state, game=ConnectFour(), nodes=None) -> bool:
    """Whether the first player wins ``state`` under best play of both."""
    keys, values = np.zeros(ENTRIES, np.uint64), np.zeros(ENTRIES, np.uint8)
    count = np.zeros(1, np.int64) if nodes is None else nodes
    return bool(_prove(game, state, bool(contract.mover(game, state) == 0), keys, values, count))
