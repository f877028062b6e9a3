"""Noisy moves of Chess: those that take a piece or promote a pawn, valuable victims first."""

import pytest

from gpumcts.games import contract
from gpumcts.games.chess import Chess
from gpumcts.games.chess.pieces import occupied, pieces_of
from gpumcts.options import compiled
from tests.games.test_searching import line
from tests.reference.playout import legal_moves

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")

GAME = compiled(Chess())
POSITIONS = (
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",  # castling, captures of both sides
    "8/2p5/3p4/KP5r/1R3pPk/8/4P3/8 b - g3 0 1",  # en passant
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",  # promotions, with and without a capture
)


def men(state):
    return int(occupied(state)).bit_count()


def pawns(state, side):
    return int(pieces_of(state, side).pawns).bit_count()


def noises(state):
    return {int(move): int(contract.noisy(GAME, state, move)) for move in legal_moves(GAME, state)}


def test_captures_and_promotions_are_noisy():
    states = [contract.parse_position(GAME, text) for text in POSITIONS]
    kinds = set()
    for state in [*states, *line(GAME, 3, 40)[::4], *line(GAME, 4, 200)[40::40]]:
        for move, noise in noises(state).items():
            after = contract.play(GAME, state, move)
            takes, promotes = men(after) < men(state), pawns(after, ~after.own) < pawns(state, state.own)
            assert (noise > 0) == (takes or promotes)
            kinds.add((takes, promotes))
    assert len(kinds) == 4


def text_of(fen):
    """The noisy moves of a position, the noisiest first."""
    state = contract.parse_position(GAME, fen)
    found = sorted(((noise, move) for move, noise in noises(state).items() if noise), reverse=True)
    return [contract.move_text(GAME, state, move) for noise, move in found]


def test_valuable_victims_come_first():
    """A queen before a rook, and of two takers the pawn; promoting to a queen counts as much as taking one."""
    assert text_of("4k3/8/8/3q3r/4P3/7R/8/3QK3 w - - 0 1") == ["e4d5", "d1d5", "h3h5", "d1h5"]
    assert text_of("8/P6k/8/8/8/8/r7/1N5K b - - 0 1") == ["a2a7"]
    assert text_of("8/P6k/8/1p6/2P5/8/8/7K w - - 0 1")[:2] == ["a7a8q", "c4b5"]
