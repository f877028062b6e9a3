"""Boards that no random game comes to, against python-chess: pins en passant, castling, promoted pieces, few men."""

import random

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.chess.fen import fen_of
from gpumcts.games.chess.san import moves_of, of_san, of_uci, san, uci
from gpumcts.games.contract import SCORE_UNIT
from tests.games import drivers
from tests.games.chess_drivers import GAME, code_of, seen

chess = pytest.importorskip("chess")
PAWN, KNIGHT, BISHOP, ROOK, QUEEN = range(1, 6)
MEN = {  # kinds of pieces by what a board is for, and how many are put on it
    "endings": ([PAWN, KNIGHT, BISHOP, ROOK, QUEEN], 4),
    "lines": ([BISHOP, ROOK, QUEEN], 7),
    "pawns": ([PAWN], 14),
    "full": ([PAWN, PAWN, KNIGHT, BISHOP, ROOK, QUEEN], 20),
    "minor": ([KNIGHT, BISHOP, BISHOP], 3),
}
CLOCKS = [0, 0, 3, 98, 99, 100, 130]

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def put_passant(board, pick):
    """A pawn of the player not to move that has just gone two squares, with others beside it, where there is room."""
    file, mine = pick.randrange(8), board.turn
    came, over, on = (chess.square(file, rank if mine else 7 - rank) for rank in (6, 5, 4))
    if any(board.piece_at(square) for square in (came, over, on)):
        return
    board.set_piece_at(on, chess.Piece(PAWN, not mine))
    board.ep_square = over
    for beside in (file - 1, file + 1):
        if 0 <= beside < 8 and not board.piece_at(square := chess.square(beside, 4 if mine else 3)):
            board.set_piece_at(square, chess.Piece(PAWN, mine))
    if pick.random() < 0.5:
        open_rank(board, pick, pick.sample([0, 7], 2))


def open_rank(board, pick, ends):
    """The king of the player to move and a rook or queen of the other on the two ends of the rank of these pawns."""
    if board.castling_rights:
        return
    own, other = (chess.square(file, 4 if board.turn else 3) for file in ends)
    board.remove_piece_at(board.king(board.turn))
    board.set_piece_at(own, chess.Piece(chess.KING, board.turn))
    board.set_piece_at(other, chess.Piece(pick.choice([ROOK, QUEEN]), not board.turn))


def any_board(kind, pick):
    """A board with both kings, at home with their rooks in half of the boards; it may be no position."""
    kinds, men = MEN[kind]
    board, home = chess.Board(None), pick.random() < 0.5 and kind != "minor"
    board.turn = pick.random() < 0.5
    for king, colour in zip((4, 60) if home else pick.sample(range(64), 2), (True, False), strict=True):
        board.set_piece_at(king, chess.Piece(chess.KING, colour))
    for corner in (0, 7, 56, 63) if home else ():
        if pick.random() < 0.8:
            board.set_piece_at(corner, chess.Piece(ROOK, corner < 8))
            board.castling_rights |= chess.BB_SQUARES[corner]
    for _ in range(men):
        square, piece = pick.randrange(64), pick.choice(kinds)
        if not board.piece_at(square) and (piece != PAWN or 8 <= square < 56):
            board.set_piece_at(square, chess.Piece(piece, pick.random() < 0.5))
    if PAWN in kinds and pick.random() < 0.4:
        put_passant(board, pick)
    board.halfmove_clock = pick.choice(CLOCKS) if board.ep_square is None else 0
    board.fullmove_number = pick.choice([1, 40, 1000])
    return board


def positions_of(kind, first, count):
    """So many positions as python-chess and we have them: what it takes for a position and we refuse is left out."""
    pick, boards, states = random.Random(f"{kind} {first}"), [], []
    while len(boards) < count:
        board = any_board(kind, pick)
        if not board.is_valid():
            continue
        try:
            states.append(contract.parse_position(GAME, board.fen(en_passant="fen")))
        except BadInput as refusal:
            assert "promoted pieces" in str(refusal) or "could not be played" in str(refusal), board.fen()
        else:
            boards.append(board)
    return boards, states


def compare_names(board, state):
    """FEN of the position and of those after some moves, and the moves' names, written and read."""
    assert fen_of(state) == board.fen(en_passant="xfen")
    for move in moves_of(state)[::3]:
        theirs = chess.Move.from_uci(uci(move))
        name, long = board.san(theirs), board.lan(theirs)
        assert san(GAME, state, move.number) == name, board.fen()
        found = [of_san(state, name), of_san(state, long), of_uci(state, uci(move))]
        assert found == [[move]] * 3, board.fen()
        if contract.count_moves(GAME, state):
            board.push(theirs)
            after = contract.play(GAME, state, np.int64(move.number))
            assert fen_of(after) == board.fen(en_passant="xfen")
            board.pop()


def compare_with_python_chess(kind, first, count, named):
    """Moves, check, end and result of any positions; names and what moves make in one of ``named``."""
    boards, states = positions_of(kind, first, count)
    words = np.array(states, np.uint64)
    numbers, legal, _ = drivers.described(GAME, words, np.zeros(count, np.uint64))
    codes, checks = seen(words, legal)
    for i, board in enumerate(boards):
        drawn = board.halfmove_clock >= 100 or board.is_insufficient_material()
        theirs = [] if drawn else sorted(map(code_of, board.legal_moves))
        assert sorted(codes[i, : numbers[i, 0]].tolist()) == theirs and checks[i] == board.is_check(), board.fen()
        if not theirs:
            assert numbers[i, 3] == (SCORE_UNIT * (-1 if board.turn else 1) if board.is_checkmate() else 0), board.fen()
        if i % named == 0:
            compare_names(board, states[i])


@pytest.mark.parametrize("kind", MEN)
def test_any_position_against_python_chess(kind):
    compare_with_python_chess(kind, 0, 300, named=20)


@pytest.mark.slow
@pytest.mark.parametrize("kind", MEN)
@pytest.mark.parametrize("first", range(1, 5))
def test_more_positions_against_python_chess(kind, first):
    compare_with_python_chess(kind, first, 1000, named=4)
