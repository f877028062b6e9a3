"""Go from its rules, point by point: slow, and of the package nothing but the order of the points (A1, B1 ... by rows).

Area scoring, no suicide, positional superko where asked for, simple ko elsewhere; two passes or 2 n^2 plies end it.
"""

import random

EMPTY, BLACK, WHITE = ".", "X", "O"


def other(colour):
    """The opponent's."""
    return WHITE if colour == BLACK else BLACK


class GoGame:
    """A game from the empty board, or from ``board``; ``size * size`` signs."""

    def __init__(self, size, superko=True, board=None, mover=BLACK):
        self.size, self.superko = size, superko
        self.board = list(board or EMPTY * size * size)
        self.mover, self.passes, self.plies, self.ko = mover, 0, 0, None
        self.seen = {tuple(self.board)}

    def near(self, point):
        """The points next to one."""
        row, column = divmod(point, self.size)
        steps = ((row + 1, column), (row - 1, column), (row, column + 1), (row, column - 1))
        return [r * self.size + c for r, c in steps if 0 <= r < self.size and 0 <= c < self.size]

    def diagonal(self, point):
        """The points diagonal to one."""
        row, column = divmod(point, self.size)
        steps = [(row + r, column + c) for r in (-1, 1) for c in (-1, 1)]
        return [r * self.size + c for r, c in steps if 0 <= r < self.size and 0 <= c < self.size]

    def group(self, board, point):
        """The points connected with one of its sign, and the points next to them."""
        found, border, left = {point}, set(), [point]
        while left:
            for p in self.near(left.pop()):
                if board[p] != board[point]:
                    border.add(p)
                elif p not in found:
                    found.add(p)
                    left.append(p)
        return found, border

    def chain(self, board, point):
        """The stones of a chain, and its liberties."""
        stones, border = self.group(board, point)
        return stones, {p for p in border if board[p] == EMPTY}

    def after(self, point):
        """(board after a stone there, stones captured, whether it has a liberty)."""
        board, captured = list(self.board), set()
        board[point] = self.mover
        for p in self.near(point):
            if board[p] == other(self.mover):
                stones, liberties = self.chain(board, p)
                if not liberties:
                    captured |= stones
        for p in captured:
            board[p] = EMPTY
        return board, captured, bool(self.chain(board, point)[1])

    def over(self):
        """After two passes, or at the length cap."""
        return self.passes == 2 or self.plies >= 2 * self.size**2

    def allowed(self, point):
        """Whether a stone may be put there."""
        if self.board[point] != EMPTY:
            return False
        board, _, breathes = self.after(point)
        if not breathes:
            return False
        return tuple(board) not in self.seen if self.superko else point != self.ko

    def legal(self):
        """The legal moves; ``size * size`` is a pass."""
        if self.over():
            return []
        return [p for p in range(self.size**2) if self.allowed(p)] + [self.size**2]

    def play(self, move):
        """Play a legal move."""
        self.ko = None
        if move == self.size**2:
            self.passes += 1
        else:
            self.board, captured, _ = self.after(move)
            stones, liberties = self.chain(self.board, move)
            if len(captured) == len(stones) == len(liberties) == 1:
                self.ko = min(captured)
            self.passes = 0
            self.seen.add(tuple(self.board))
        self.plies += 1
        self.mover = other(self.mover)

    def area(self, colour):
        """Stones of a colour, with the empty points that only it surrounds."""
        count = 0
        for p, sign in enumerate(self.board):
            border = {self.board[q] for q in self.group(self.board, p)[1]} if sign == EMPTY else set()
            count += sign == colour or border == {colour}
        return count

    def is_eye(self, point):
        """Whether a point is an eye of the player to move."""
        if self.board[point] != EMPTY or any(self.board[p] != self.mover for p in self.near(point)):
            return False
        theirs = sum(self.board[p] == other(self.mover) for p in self.diagonal(point))
        return theirs <= (1 if len(self.near(point)) == 4 else 0)

    def random_move(self, generator):
        """Uniform over the legal points that fill no eye, else a pass."""
        points = [p for p in range(self.size**2) if self.board[p] == EMPTY and not self.is_eye(p)]
        generator.shuffle(points)
        return next((p for p in points if self.allowed(p)), self.size**2)


def random_playout(size, seed):
    """(lead of Black in points, plies) of a random game with simple ko."""
    game, generator = GoGame(size, superko=False), random.Random(seed)
    while not game.over():
        game.play(game.random_move(generator))
    return game.area(BLACK) - game.area(WHITE), game.plies
