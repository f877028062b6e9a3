"""Moves on the board as people see it, and their names: UCI (``e7e8q``), standard algebraic notation (``exd8=Q+``)."""

import re
from typing import Any, NamedTuple

import numpy as np

from gpumcts.games.chess.fen import LETTERS
from gpumcts.games.chess.moves import CLASSES, PROMOTIONS, in_check, legal, size, source_of, target_of
from gpumcts.games.chess.pieces import BLACK, KING, PAWN, kind_on
from gpumcts.games.chess.rules import after

U = np.uint64
FILES = "abcdefgh"
PROMOTED = "RBN"
ALL = (1 << 64) - 1
UCI = re.compile(r"[a-h][1-8]([a-h][1-8])[qrbn]?")
SAN = re.compile(r"([KQRBN]?)([a-h]?)([1-8]?)[x-]?([a-h][1-8])(?:=?([QRBN]))?")
CASTLES = {"O-O": 6, "O-O-O": 2}  # square that the king goes to, as who moves sees it
DECORATION = re.compile(r"(?:[+#!?]|e\.?p\.?)+$")


class Move(NamedTuple):
    """A move on the board as White sees it.

    number : the move; kind : of the piece that moves; source, target : squares, 0 for a1
    promoted : a letter of QRBN, or none
    """

    number: int
    kind: int
    source: int
    target: int
    promoted: str


def flip_of(state: Any) -> int:
    """What turns a square of the player to move into one of White's, or back."""
    return 56 if int(state.turn & BLACK) else 0


def square_name(square: int) -> str:
    """As in ``e4``."""
    return FILES[square % 8] + str(square // 8 + 1)


def described(state: Any, number: int) -> Move:
    """A legal move for people."""
    kind, bit = number >> 6, number & 63
    source, target = int(source_of(state, U(kind), U(bit))).bit_length() - 1, int(target_of(U(kind), U(bit)))
    piece = kind_on(state, source)
    promoted = "" if piece != PAWN or target < 56 else "Q" if kind < PROMOTIONS else PROMOTED[kind - PROMOTIONS]
    return Move(number, piece, source ^ flip_of(state), target ^ flip_of(state), promoted)


def moves_of(state: Any, targets: int = ALL) -> list[Move]:
    """The moves of the pieces in order, whatever rule drew the game, to ``targets``: squares as who moves sees them."""
    sets, found = legal(state), []
    crowning = (targets >> 56) * 0x010101
    for kind in range(CLASSES):
        bits = int(sets[min(kind, PROMOTIONS)]) & (targets if kind < PROMOTIONS else crowning)
        while bits:
            found.append(described(state, kind << 6 | (bits & -bits).bit_length() - 1))
            bits &= bits - 1
    return found


# ------------------------------------------------------------------------------------------------------------ writing


def uci(move: Move) -> str:
    """As in ``e7e8q``; castling is the king's move."""
    return square_name(move.source) + square_name(move.target) + move.promoted.lower()


def san(game: Any, state: Any, number: int) -> str:
    """A legal move in standard algebraic notation, as in ``Nbd7``, ``exd8=Q+``, ``O-O-O#``."""
    move, then = described(state, number), after(game, state, np.int64(number))
    sign = "" if not in_check(then) else "+" if size(legal(then)) else "#"
    if move.kind == KING and abs(move.target - move.source) == 2:
        return ("O-O" if move.target > move.source else "O-O-O") + sign
    target = move.target ^ flip_of(state)
    takes = kind_on(state, target) > 0 or (move.kind == PAWN and (move.target - move.source) % 8 != 0)
    name = ("x" if takes else "") + square_name(move.target)
    if move.kind == PAWN:
        start = FILES[move.source % 8] if takes else ""
        return start + name + (f"={move.promoted}" if move.promoted else "") + sign
    rivals = [m for m in moves_of(state, 1 << target) if m.kind == move.kind and m != move]
    return LETTERS[move.kind].upper() + _disambiguation(move, rivals) + name + sign


def _disambiguation(move: Move, rivals: list[Move]) -> str:
    """The file, the rank or the square that tells a piece from others of its kind with the same target."""
    if not rivals:
        return ""
    if all(rival.source % 8 != move.source % 8 for rival in rivals):
        return FILES[move.source % 8]
    if all(rival.source // 8 != move.source // 8 for rival in rivals):
        return str(move.source // 8 + 1)
    return square_name(move.source)


# ------------------------------------------------------------------------------------------------------------ reading


def square_of(name: str) -> int:
    """The square of ``e4`` as White sees it."""
    return FILES.index(name[0]) + 8 * (int(name[1]) - 1)


def of_uci(state: Any, text: str) -> list[Move]:
    """The move of the pieces that a text means as UCI, if it is one; squares may be in capitals if both are (``E2E4``).

    They may not be in mixed case: ``B2b4`` is a bishop's move in algebraic notation.
    """
    squares, name = text[:4], text.lower()
    found = UCI.fullmatch(name)
    if found is None or squares not in (squares.lower(), squares.upper()):
        return []
    return [m for m in moves_of(state, 1 << (square_of(found[1]) ^ flip_of(state))) if uci(m) == name]


def of_san(state: Any, text: str) -> list[Move]:
    """The moves of the pieces that a text in algebraic notation may mean; signs of check and comments do not count."""
    plain = DECORATION.sub("", text)
    castles = CASTLES.get(plain.replace("0", "O"))
    if castles is not None:
        return [m for m in moves_of(state, 1 << castles) if m.kind == KING and abs(m.target - m.source) == 2]
    found = SAN.fullmatch(plain)
    if found is None:
        return []
    letter, file, rank, target, promoted = found.groups("")
    return [
        m
        for m in moves_of(state, 1 << (square_of(target) ^ flip_of(state)))
        if LETTERS[m.kind].upper() == (letter or "P")
        and file in ("", FILES[m.source % 8])
        and rank in ("", str(m.source // 8 + 1))
        and m.promoted == promoted
        and not (m.kind == KING and abs(m.target - m.source) == 2)
    ]
