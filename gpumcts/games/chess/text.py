"""Moves, boards and positions as people and programs write them: UCI moves, SAN, FEN."""

import re
from typing import NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.chess.fen import LETTERS, fen_of, letter_on, state_of, turned
from gpumcts.games.chess.moves import PROMOTIONS, in_check, source_of, target_of
from gpumcts.games.chess.options import Board
from gpumcts.games.chess.pieces import BLACK, KING, PAWN, kind_on
from gpumcts.games.contract import NO_MOVE

U = np.uint64
FILES = "abcdefgh"
PROMOTED = "rbn"
SAN = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)x?([a-h][1-8])(?:=?([QRBN]))?$")
DECORATION = re.compile(r"[+#!?]+$")
SHOWN = 40


class Move(NamedTuple):
    """A move on the board as White sees it.

    number : the move; kind : of the piece that moves; source, target : squares, 0 for a1; promoted : a letter of QRBN, or none
    """

    number: int
    kind: int
    source: int
    target: int
    promoted: str


def square_name(square: int) -> str:
    """As in ``e4``."""
    return FILES[square % 8] + str(square // 8 + 1)


def described(state, number: int) -> Move:
    """A legal move for people."""
    kind, bit = number >> 6, number & 63
    source, target = int(source_of(state, U(kind), U(bit))).bit_length() - 1, int(target_of(U(kind), U(bit)))
    flip = 56 if int(state.turn & BLACK) else 0
    piece = kind_on(state, source)
    promoted = "" if piece != PAWN or target < 56 else "Q" if kind < PROMOTIONS else PROMOTED[kind - PROMOTIONS].upper()
    return Move(number, piece, source ^ flip, target ^ flip, promoted)


def legal_moves(game, state) -> list[Move]:
    """All legal moves, in order."""
    found, number = [], int(contract.next_move(game, state, NO_MOVE))
    while number != NO_MOVE:
        found.append(described(state, number))
        number = int(contract.next_move(game, state, number))
    return found


def uci(move: Move) -> str:
    """As in ``e7e8q``; castling is the king's move."""
    return square_name(move.source) + square_name(move.target) + move.promoted.lower()


@contract.move_text.implements(Board)
def chess_move_text(game, state, move):
    return uci(described(state, int(move)))


def san(game, state, number: int) -> str:
    """A legal move in standard algebraic notation, as in ``Nbd7``, ``exd8=Q+``, ``O-O-O#``."""
    move = described(state, number)
    after = contract.play(game, state, np.int64(number))
    sign = ("#" if not legal_moves_by_pieces(game, after) else "+") if in_check(after) else ""
    if move.kind == KING and abs(move.target - move.source) == 2:
        return ("O-O" if move.target > move.source else "O-O-O") + sign
    takes = letter_on(state, move.target) != "." or (move.kind == PAWN and move.source % 8 != move.target % 8)
    name = square_name(move.target)
    if move.kind == PAWN:
        start = FILES[move.source % 8] + "x" if takes else ""
        return start + name + (f"={move.promoted}" if move.promoted else "") + sign
    rivals = [m for m in legal_moves(game, state) if m.kind == move.kind and m.target == move.target and m != move]
    return LETTERS[move.kind].upper() + _apart(move, rivals) + ("x" if takes else "") + name + sign


def legal_moves_by_pieces(game, state) -> bool:
    """Whether the pieces have a move, whatever rule has drawn the game."""
    return contract.score(game, state) == 0


def _apart(move: Move, rivals: list[Move]) -> str:
    """The file, the rank or the square that tells a piece from others of its kind with the same target."""
    if not rivals:
        return ""
    if all(rival.source % 8 != move.source % 8 for rival in rivals):
        return FILES[move.source % 8]
    if all(rival.source // 8 != move.source // 8 for rival in rivals):
        return str(move.source // 8 + 1)
    return square_name(move.source)


def _of_san(text: str, moves: list[Move]) -> list[Move]:
    """The legal moves that a text in algebraic notation may mean."""
    plain = DECORATION.sub("", text).replace("0", "O")
    if plain in ("O-O", "O-O-O"):
        return [m for m in moves if m.kind == KING and m.target - m.source == (2 if plain == "O-O" else -2)]
    found = SAN.match(plain)
    if found is None:
        return []
    letter, file, rank, target, promoted = found.groups()
    return [
        m
        for m in moves
        if LETTERS[m.kind].upper() == (letter or "P")
        and square_name(m.target) == target
        and (not file or FILES[m.source % 8] == file)
        and (not rank or str(m.source // 8 + 1) == rank)
        and m.promoted == (promoted or "")
    ]


@contract.parse_move.implements(Board)
def chess_parse_move(game, state, text):
    """UCI, as ``e2e4``, or algebraic, as ``Nf3``."""
    moves = legal_moves(game, state)
    found = [m for m in moves if uci(m) == text.lower()] or _of_san(text, moves)
    if len(found) == 1:
        return found[0].number
    legal = " ".join([uci(m) for m in moves[:SHOWN]] + (["..."] if len(moves) > SHOWN else []))
    meant = "may be any of " + " ".join(map(uci, found)) if found else "is not legal here"
    raise BadInput(f"move {text!r} {meant}; legal: {legal or 'none, the game is over'}")


@contract.board_text.implements(Board)
def chess_board_text(game, state):
    rows = [
        f"{rank + 1} " + " ".join(letter_on(state, 8 * rank + file) for file in range(8)) for rank in range(7, -1, -1)
    ]
    to_move = "Black" if int(state.turn & BLACK) else "White"
    check = ", in check" if in_check(state) else ""
    return "\n".join([*rows, "  a b c d e f g h", f"{to_move} to move{check}"])


@contract.position_text.implements(Board)
def chess_position_text(game, state):
    """FEN. A square of en passant stands in it only where a pawn stands ready to take there."""
    return fen_of(state)


@contract.parse_position.implements(Board)
def chess_parse_position(game, text):
    """FEN; ``startpos`` is the start. EPD without clocks is one with a clock of 0 and move number 1."""
    state = contract.start(game) if text.strip() == "startpos" else state_of(text)
    if turned(state) > game.max_plies:
        raise BadInput(
            f"position: it is ply {turned(state)} of the game, which game.max_plies={game.max_plies} ends before"
        )
    return state
