"""The informed playouts of Go from their words, point by point on the slow board: sets of moves, and draws from them.

Patterns are matched sign by sign in all rotations, reflections and colours, without a table.
"""

from tests.reference.go import EMPTY, other
from tests.reference.playout import number_below

OFF = "#"
AROUND = [(r, c) for r in range(3) for c in range(3) if (r, c) != (1, 1)]
MIDDLE = [  # rows from above, the move in the middle; who may play it: "X", "O", or both
    ("XOX", "...", "???", "XO"),
    ("XO.", "...", "?.?", "XO"),
    ("XO?", "X..", "?.?", "XO"),
    ("XOO", "...", "?.?", "X"),
    ("?X?", "O.O", "xxx", "XO"),
]
CUT = ("XO?", "O.?", "???")
NO_CUT = [("XO?", "O.O", "?.?"), ("XO?", "O..", "?O?")]
EDGE = [
    ("X.?", "O.?", "###", "XO"),
    ("?X?", "o.O", "###", "XO"),
    ("?XO", "?.?", "###", "X"),
    ("?XO", "?.o", "###", "O"),
    ("?XO", "O.X", "###", "O"),
]


def fits(sign, found, mine, theirs):
    """Whether a sign of a drawing allows what is on a point, where X stands for ``mine``."""
    if sign == "?":
        return found != OFF
    if sign in "xo":
        return found in (EMPTY, mine if sign == "x" else theirs)
    return found == (mine if sign == "X" else theirs if sign == "O" else sign)


def turned(grid):
    """Eight views of three rows of three."""
    for _ in range(4):
        grid = [[grid[2 - c][r] for c in range(3)] for r in range(3)]
        yield grid
        yield [row[::-1] for row in grid]


def drawn(rows, grid, mine, theirs):
    """Whether rows of a drawing are a grid as it lies, but for its middle."""
    return all(fits(rows[r][c], grid[r][c], mine, theirs) for r, c in AROUND)


def matches(grid, mover):
    """Whether the player to move matches a pattern in the middle of a grid: rows of X, O, . and # off the board."""
    for view in turned(grid):
        for mine, theirs in (("X", "O"), ("O", "X")):
            role = "X" if mover == mine else "O"
            if any(role in who and drawn(rows, view, mine, theirs) for *rows, who in MIDDLE + EDGE):
                return True
            if drawn(CUT, view, mine, theirs) and not any(drawn(rows, view, mine, theirs) for rows in NO_CUT):
                return True
    return False


def grid_at(game, point):
    """The grid around a point, rows from above."""
    row, column = divmod(point, game.size)
    return [
        [
            game.board[r * game.size + c] if 0 <= r < game.size and 0 <= c < game.size else OFF
            for c in (column - 1, column, column + 1)
        ]
        for r in (row + 1, row, row - 1)
    ]


def liberties_after(game, colour, point):
    """Liberties of a stone of a colour on an empty point, stones captured next to it among them."""
    found = set()
    for p in game.near(point):
        if game.board[p] == EMPTY:
            found.add(p)
            continue
        liberties = game.chain(game.board, p)[1]
        if game.board[p] == colour:
            found |= liberties - {point}
        elif liberties == {point}:
            found.add(p)
    return found


def in_atari(game, colour, among):
    """The last liberties of the chains of a colour in atari with stones among some points."""
    chains = [game.chain(game.board, p)[1] for p in among if game.board[p] == colour]
    return {p for liberties in chains if len(liberties) == 1 for p in liberties}


def gains(game, point):
    """Where the owner of the chain on ``point``, if it has two liberties, would get more than two by playing on one."""
    colour, liberties = game.board[point], game.chain(game.board, point)[1]
    return {p for p in liberties if len(liberties) == 2 and len(liberties_after(game, colour, p)) > 2}


def allowed(game):
    """Empty points that are neither banned nor an eye of the player to move."""
    return {p for p, sign in enumerate(game.board) if sign == EMPTY and p != game.ko and not game.is_eye(p)}


def stages(game, last, before):
    """The moves of the six stages, sets of points; ``last``, ``before``: last two moves' points, None for a pass."""
    mine, theirs = game.mover, other(game.mover)
    friends = [] if last is None else [p for p in game.near(last) if game.board[p] == mine]
    capture = in_atari(game, theirs, [] if last is None else [last])
    counter = set()
    for p in friends:
        stones, liberties = game.chain(game.board, p)
        if len(liberties) == 1:
            counter |= in_atari(game, theirs, {q for stone in stones for q in game.near(stone)})
    gain = set().union(*(gains(game, p) for p in friends), gains(game, last) if last is not None else set())
    around = {q for p in (last, before) if p is not None for q in game.near(p) + game.diagonal(p)}
    pattern = {p for p in around & allowed(game) if matches(grid_at(game, p), mine)}
    every = in_atari(game, theirs, range(game.size**2))
    sets = [capture, counter, gain, pattern, every, allowed(game)]

    def moves(candidates, least):
        return {p for p in candidates & allowed(game) if len(liberties_after(game, mine, p)) >= least}

    found = [moves(candidates, 2 if candidates is gain else 1) for candidates in sets]
    found[1] |= moves(in_atari(game, mine, friends), 2)
    return found


def corrected(game, point):
    """The move in place of ``point``."""
    liberties = liberties_after(game, game.mover, point)
    if len(liberties) == 1 and liberties <= allowed(game):
        (there,) = liberties
        return there if len(liberties_after(game, game.mover, there)) > 1 else point
    return point


def chosen(game, last, before, key, ply, mercy=30):
    """The move of the policy with all its stages under the draws of a ply; ``size * size`` is a pass."""
    cells = game.size**2
    lead = game.board.count("X") - game.board.count("O")
    if abs(lead) * 100 >= mercy * cells:
        return cells
    sets = stages(game, last, before)
    for number, moves in enumerate(sets[:-1]):
        if moves:
            return corrected(game, drawn_from(game, number, moves, last, before, key, ply))
    left, j = sorted(allowed(game)), 0
    while left:
        point = left[number_below(len(left), key, ply, j + 2**32 if j else 0)]
        if liberties_after(game, game.mover, point):
            return corrected(game, point)
        left.remove(point)
        j += 1
    return cells


def drawn_from(game, number, moves, last, before, key, ply):
    """The point that the draws of a stage come to: they pick among its candidates, and again where that is no move."""
    left, j = sorted(candidates(game, number, last, before) | moves), 0
    while True:
        point = left[number_below(len(left), key, ply, 1 + (number << 16) + j)]
        if point in moves:
            return point
        left.remove(point)
        j += 1


def candidates(game, number, last, before):
    """The points of a stage with suicides and self-ataris that are no move of it."""
    if number == 1:
        friends = [p for p in game.near(last) if game.board[p] == game.mover]
        return in_atari(game, game.mover, friends) & allowed(game)
    if number == 2:
        friends = [p for p in game.near(last) if game.board[p] == game.mover]
        return set().union(gains(game, last), *(gains(game, p) for p in friends)) & allowed(game)
    if number == 3:
        around = {q for p in (last, before) if p is not None for q in game.near(p) + game.diagonal(p)}
        return {p for p in around & allowed(game) if matches(grid_at(game, p), game.mover)}
    return set()
