"""Othello with lists and loops, as the rules are told: slow, obvious, and independent of the library.

A board is a list of 64 characters ``X``, ``O`` and ``-``, square 8 * row + column; nothing here uses bits.
"""

DIRECTIONS = [(dr, dc) for dr in (-1, 0, 1) for dc in (-1, 0, 1) if (dr, dc) != (0, 0)]
PASS = 64


def start() -> list[str]:
    """The usual four discs."""
    board = ["-"] * 64
    board[27] = board[36] = "O"
    board[28] = board[35] = "X"
    return board


def other(player: str) -> str:
    """The opponent."""
    return "O" if player == "X" else "X"


def turned(board: list[str], player: str, square: int) -> list[int]:
    """The discs that turn when ``player`` puts one on an empty ``square``."""
    found = []
    for dr, dc in DIRECTIONS:
        row, column = square // 8 + dr, square % 8 + dc
        run = []
        while 0 <= row < 8 and 0 <= column < 8 and board[8 * row + column] == other(player):
            run.append(8 * row + column)
            row, column = row + dr, column + dc
        if 0 <= row < 8 and 0 <= column < 8 and board[8 * row + column] == player:
            found += run
    return sorted(found)


def placements(board: list[str], player: str) -> list[int]:
    """The squares on which ``player`` may put a disc."""
    return [square for square in range(64) if board[square] == "-" and turned(board, player, square)]


def legal_moves(board: list[str], player: str) -> list[int]:
    """The same, or PASS where only the opponent can move, or nothing where the game is over."""
    squares = placements(board, player)
    return squares or ([PASS] if placements(board, other(player)) else [])


def play(board: list[str], player: str, move: int) -> list[str]:
    """The board after a legal move."""
    after = list(board)
    if move != PASS:
        for square in [move, *turned(board, player, move)]:
            after[square] = player
    return after


def evaluation(board: list[str], player: str, corner_weight: int) -> int:
    """Mobility and corners, for ``player``."""
    mobility = len(placements(board, player)) - len(placements(board, other(player)))
    corners = [board[square] for square in (0, 7, 56, 63)]
    return mobility + corner_weight * (corners.count(player) - corners.count(other(player)))


def result(board: list[str]) -> int:
    """1, 0 or -1 for Black (X) by the number of discs."""
    lead = board.count("X") - board.count("O")
    return (lead > 0) - (lead < 0)
