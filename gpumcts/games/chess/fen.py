"""FEN, and which boards are positions of Chess."""

import re

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games.chess.moves import in_check
from gpumcts.games.chess.options import MAX_GAME_PLIES, State
from gpumcts.games.chess.pieces import (
    BLACK,
    CLOCK,
    KING,
    OTHER_KING,
    OTHER_QUEEN,
    OWN_KING,
    OWN_QUEEN,
    PASSANT,
    PAWN,
    PLY,
    ROOK,
    clock,
    occupied,
    ply,
    turned_round,
)

U = np.uint64
LETTERS = ".pnk?brq"  # by kind
RIGHTS = (
    ("K", OWN_KING, OTHER_KING),
    ("Q", OWN_QUEEN, OTHER_QUEEN),
    ("k", OTHER_KING, OWN_KING),
    ("q", OTHER_QUEEN, OWN_QUEEN),
)
ROOK_SQUARES = {"K": 7, "Q": 0, "k": 63, "q": 56}
AT_START = {"q": 1, "r": 2, "b": 2, "n": 2}
MAX_CLOCK = 150  # plies; a longer game has been drawn for certain


def letters_of(state) -> list[str]:
    """The pieces on squares 0 to 63 as White sees the board: capitals for White, dots for none."""
    flip = 56 if int(state.turn & BLACK) else 0
    own, low, middle, high = (int(word) for word in state[:4])
    white = own if flip == 0 else ~own
    found = []
    for square in range(64):
        at = square ^ flip
        letter = LETTERS[(low >> at & 1) | (middle >> at & 1) << 1 | (high >> at & 1) << 2]
        found.append(letter.upper() if white >> at & 1 else letter)
    return found


def plies_before(state) -> int:
    """Plies of the game before this position."""
    return int(ply(state))


# ----------------------------------------------------------------------------------------------------------- writing


def fen_of(state) -> str:
    """The six fields."""
    letters = letters_of(state)
    rows = ["".join(letters[8 * rank : 8 * rank + 8]) for rank in range(7, -1, -1)]
    board = "/".join(re.sub(r"\.+", lambda run: str(len(run[0])), row) for row in rows)
    black = int(state.turn & BLACK)
    rights = "".join(name for name, *bits in RIGHTS if int(state.turn) & int(bits[black])) or "-"
    files = int(state.turn) >> int(PASSANT) & 0xFF
    passed = "abcdefgh"[files.bit_length() - 1] + ("3" if black else "6") if files else "-"
    return f"{board} {'b' if black else 'w'} {rights} {passed} {int(clock(state))} {plies_before(state) // 2 + 1}"


# ----------------------------------------------------------------------------------------------------------- reading


def refused(why: str) -> BadInput:
    """The one line for a text that is no position."""
    return BadInput(
        f"position: {why}; FEN is, as at the start, rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    )


def board_of(text: str) -> list[str]:
    """64 letters or dots, a1 first. Raises BadInput."""
    ranks = text.split("/")
    if len(ranks) != 8:
        raise refused(f"{len(ranks)} ranks in place of eight")
    rows = []
    for number, rank in zip(range(8, 0, -1), ranks, strict=True):
        if re.fullmatch("(?:[1-8](?![1-8])|[pnbrqkPNBRQK])+", rank) is None:
            raise refused(f"rank {number} is {rank!r}")
        row = re.sub("[1-8]", lambda digit: "." * int(digit[0]), rank)
        if len(row) != 8:
            raise refused(f"rank {number} has {len(row)} squares")
        rows.append(row)
    return list("".join(reversed(rows)))


def check_men(board: list[str]) -> None:
    """Refuse boards that no game can bring about, by the numbers and places of pieces. Raises BadInput."""
    for side, change in (("White", str.upper), ("Black", str.lower)):
        count = {kind: board.count(change(kind)) for kind in "pnbrqk"}
        if count["k"] != 1:
            raise refused(f"{side} has {count['k']} kings")
        promoted = sum(max(0, count[kind] - most) for kind, most in AT_START.items())
        if count["p"] + promoted > 8:
            raise refused(f"{side} has {count['p']} pawns and {promoted} promoted pieces, more than eight pawns make")
    kings = [divmod(board.index(king), 8) for king in "kK"]
    if all(abs(one - other) <= 1 for one, other in zip(*kings, strict=True)):
        raise refused("the kings stand side by side")
    for square in (*range(8), *range(56, 64)):
        if board[square] in "pP":
            raise refused("a pawn stands on the first or the last rank")


def check_rights(board: list[str], rights: str) -> None:
    """Refuse rights to castle that are none, or that king and rook are not there for. Raises BadInput."""
    if rights != "-" and (re.fullmatch("K?Q?k?q?", rights) is None or not rights):
        raise refused(f"castling is {rights!r} in place of letters of KQkq in that order, or -")
    for right in rights.replace("-", ""):
        king, rook = ("K", "R") if right.isupper() else ("k", "r")
        if board[4 if right.isupper() else 60] != king or board[ROOK_SQUARES[right]] != rook:
            raise refused(f"castling {right} with the king or the rook not in its place")


def number_in(text: str, what: str, least: int, most: int) -> int:
    """An integer field. Raises BadInput."""
    if not (text.isascii() and text.isdecimal() and len(text) < 9 and least <= int(text) <= most):
        raise refused(f"{what} is {text!r}, not a number from {least} to {most}")
    return int(text)


def passant_file(board: list[str], black: bool, text: str) -> int:
    """The file, as a set, that a pawn may be taken on; 0 where no pawn stands ready to. Raises BadInput."""
    if text == "-":
        return 0
    if re.fullmatch("[a-h]3" if black else "[a-h]6", text) is None:
        raise refused(f"en passant is {text!r}, not - or a square of rank {3 if black else 6}")
    file, up = "abcdefgh".index(text[0]), -8 if black else 8
    target = file + 8 * (2 if black else 5)
    mine, theirs = ("p", "P") if black else ("P", "p")
    if board[target - up] != theirs or board[target] != "." or board[target + up] != ".":
        raise refused(f"en passant on {text} without a pawn that has just gone two squares")
    beside = [target - up + step for step in (-1, 1) if 0 <= file + step < 8]
    return 1 << file if any(board[square] == mine for square in beside) else 0


def state_on(board: list[str], black: bool, turn: int) -> State:
    """The state with these pieces and this word ``turn``."""
    seen = [board[square ^ (56 if black else 0)] for square in range(64)]
    kinds = [LETTERS.index(piece.lower()) for piece in seen]
    own = sum(1 << s for s, piece in enumerate(seen) if piece != "." and piece.islower() == black)
    low, middle, high = (U(sum((kind >> bit & 1) << s for s, kind in enumerate(kinds))) for bit in range(3))
    return State(U(own), low, middle, high, U(turn))


def state_of(text: str) -> State:
    """The state that a FEN names, or an EPD, whose operations are left out. Raises BadInput where it is no position."""
    before, semicolon, _ = text.partition(";")  # which ends each operation of an EPD
    fields = before.split()
    if semicolon and len(fields) > 4 and fields[4][0].isalpha():
        fields = fields[:4]
    if len(fields) not in (4, 6):
        raise refused(f"{len(fields)} fields in place of six, or of four without the clocks")
    placed, side, rights, passed = fields[:4]
    halves, moves = fields[4:] or ("0", "1")
    board = board_of(placed)
    if side not in ("w", "b"):
        raise refused(f"the player to move is {side!r}, not w or b")
    black = side == "b"
    check_men(board)
    check_rights(board, rights)
    # Some programs write 0. A game that has all its plies ends with White to move, at the number after the last.
    number = max(1, number_in(moves, "the move number", 0, MAX_GAME_PLIES // 2 + (not black)))
    plies = 2 * (number - 1) + black
    since = min(number_in(halves, "the clock of fifty moves", 0, MAX_GAME_PLIES), MAX_CLOCK)
    files = passant_file(board, black, passed)
    bits = sum(int(both[black]) for name, *both in RIGHTS if name in rights)
    turn = int(black) | bits | files << int(PASSANT) | since << int(CLOCK) | plies << int(PLY)
    state = state_on(board, black, turn)
    if in_check(other_to_move(state)):
        raise refused("the player who is not to move is in check")
    if files and in_check(before_passant(board, black, files)):
        raise refused(f"en passant on {passed} after a move that could not be played")
    return state


def other_to_move(state) -> State:
    """The same board seen by the player who is not to move."""
    return turned_round(occupied(state) & ~state.own, state.low, state.middle, state.high, state.turn ^ BLACK)


def before_passant(board: list[str], black: bool, files: int) -> State:
    """The position, as seen by who is to move now, before the other side's pawn went its two squares."""
    file = files.bit_length() - 1
    board = list(board)
    came, went = (8 + file, 24 + file) if black else (48 + file, 32 + file)
    board[came], board[went] = board[went], "."
    return state_on(board, black, int(BLACK) * black)


assert LETTERS[KING] == "k" and LETTERS[PAWN] == "p" and LETTERS[ROOK] == "r"
