"""Gomoku on 9, 13, 15 or 19 points a side: rules on sets of two to six words without a branch, evaluation, text.

Players put stones on free points in turn; whoever first has five or more in a row, along a row, a column or a diagonal,
wins. A full board is a draw. Nothing is forbidden to the first player, who wins on 15x15 (Allis, van den Herik and
Huntjens 1996).

Point (row, column) is number (size + 1) * row + column, row 0 below: after each row a bit is never a point, so that a
line of bits that leaves the board meets it. A state holds the stones of the player to move, the other's, and a word.

Evaluation: twos, threes and fours in a row with a free point at an end, by weights of their own.
"""

from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.bits import blend
from gpumcts.errors import BadInput
from gpumcts.games import contract, moves, sets
from gpumcts.games.boards import RectangularBoard, sign_of
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.sets import (
    difference,
    higher,
    intersection,
    is_empty,
    lower,
    or_of_words,
    set_of,
    single,
    size,
    union,
)
from gpumcts.jit import inlined
from gpumcts.verbs import verb

U = np.uint64
SECOND, WON, PLY = U(1), U(2), U(4)  # of State.turn: who moves; the other has five in a row; plies from bit 2 on
MAX_LINES = 64  # lines that an evaluation tells apart, either way
SIGNS = "xo"


class Gomoku(NamedTuple):
    """Gomoku without restrictions, as it is configured.

    size : points a side: 9, 13, 15 or 19
    two_weight, three_weight, four_weight : what so many stones in a row are worth in the evaluation, for each free end
    """

    size: Literal[9, 13, 15, 19] = 15
    two_weight: Annotated[int, Interval(ge=0, le=1000)] = 1
    three_weight: Annotated[int, Interval(ge=0, le=1000)] = 4
    four_weight: Annotated[int, Interval(ge=0, le=1000)] = 16

    PLAYERS = 2
    LANES = True

    def compiled(self) -> "Board":
        """The size as a class. Raises BadInput for another size."""
        if self.size not in SIZES:
            raise BadInput(f"game.size={self.size}: Gomoku is played on 9, 13, 15 or 19 points a side")
        return SIZES[self.size](*self[1:])


OPTION = Gomoku


class Board(NamedTuple):
    """What Gomoku becomes in compiled code: its size is its class; the weights are as configured."""

    two_weight: int
    three_weight: int
    four_weight: int

    PLAYERS = 2
    LANES = True
    NAMED_MOVES = True
    SIZE = 0
    CELLS = 0  # numbers of points, those behind the rows included


class Shape(NamedTuple):
    """What a size comes to: constants of the compiled code.

    points : all of the board, a set
    along, up, rising, falling : what a step of a line adds to a number, uint64
    cells : how many points there are, uint64
    """

    points: Any
    along: np.uint64
    up: np.uint64
    rising: np.uint64
    falling: np.uint64
    cells: np.uint64


@verb("game")
def shape(game):
    """The Shape of a board."""


def geometry(size: int) -> RectangularBoard:
    """The board of a size."""
    return RectangularBoard(size, size, row_step=size + 1)


def _of_size(size: int) -> Any:
    """The class of a size, with those of its states and sets, found by their names, by which compiled code is kept."""
    board = geometry(size)
    words = -(-board.bits().bit_length() // sets.WORD)
    cells = {"SIZE": size, "CELLS": board.number(size - 1, size - 1) + 1, "MAX_PLIES": size**2, "MAX_MOVES": size**2}
    kind = _named(f"Gomoku{size}", (Board,), f"{size}x{size}.", cells)
    points = _fields(f"Points{size}", [f"p{i}" for i in range(words)], "A set of points.")
    names = [f"{side}_{i}" for side in ("own", "opp") for i in range(words)]
    state = _fields(f"State{size}", [*names, "turn"], "own: of the player to move; opp: of the other; turn: see above.")
    contract.state_of(kind)(state)
    value = Shape(set_of(points, board.bits()), U(1), U(size + 1), U(size + 2), U(size), U(size**2))
    empty = state(*[U(0)] * len(state._fields))
    shape.implements(kind)(lambda game: value)
    contract.start.implements(kind)(lambda game: empty)
    return kind


def _named(name: str, bases: tuple[type, ...], doc: str, attributes: dict[str, Any]) -> Any:
    kind = type(name, bases, {"__module__": __name__, "__doc__": doc, **attributes})
    return globals().setdefault(name, kind)


def _fields(name: str, fields: list[str], doc: str) -> Any:
    kind = NamedTuple(name, [(field, np.uint64) for field in fields])  # type: ignore[misc]
    kind.__doc__, kind.__module__ = doc, __name__
    return globals().setdefault(name, kind)


SIZES: dict[int, Any] = {points: _of_size(points) for points in (9, 13, 15, 19)}


# ------------------------------------------------------------------------------------------------------------ rules


@inlined
def sides(game, state):
    """The stones of the player to move, and of the other: two sets."""
    like = shape(game).points
    return sets.first_set(like, state), sets.second_set(like, state)


@inlined
def five_along(stones, s):
    """The points at which five in a row with this step begin."""
    pairs = intersection(stones, lower(stones, s))
    fours = intersection(pairs, lower(pairs, s + s))
    return intersection(fours, lower(fours, s))


@inlined
def has_five(game, stones):
    """Whether a side has five or more in a row."""
    g = shape(game)
    straight = union(five_along(stones, g.along), five_along(stones, g.up))
    return not is_empty(union(straight, union(five_along(stones, g.rising), five_along(stones, g.falling))))


@contract.mover.implements(Board)
def gomoku_mover(game, state):
    return np.int64(state.turn & SECOND)


@moves.from_set(Board)
def free_points(game, state):
    """The free points; none once the game is over."""
    own, opp = sides(game, state)
    free = difference(shape(game).points, union(own, opp))
    return blend((state.turn & WON) != U(0), difference(free, free), free)


@contract.play.implements(Board)
def gomoku_play(game, state, move):
    own, opp = sides(game, state)
    stone = intersection(single(own, U(move)), free_points(game, state))  # none where the game is over
    stones = union(own, stone)
    won = WON if has_five(game, stones) else U(0)
    after = sets.of_parts(state, opp, stones, (state.turn + PLY) ^ SECOND | won)
    return blend(or_of_words(stone) != U(0), after, state)


@contract.over.implements(Board)
def gomoku_over(game, state):
    return ((state.turn & WON) != U(0)) | (state.turn // PLY == shape(game).cells)


@contract.score.implements(Board)
def gomoku_score(game, state):
    loss = -SCORE_UNIT if (state.turn & WON) != U(0) else 0  # of the player to move
    return np.int64(-loss if (state.turn & SECOND) != U(0) else loss)


@inlined
def open_lines(stones, free, s):
    """Twos, threes and fours in a row of step ``s``, counted by their free ends: three int64. A three is also a two."""
    two = intersection(stones, lower(stones, s))
    three = intersection(two, lower(stones, s + s))
    four = intersection(two, lower(two, s + s))
    below, above = higher(free, s), lower(free, s)
    twos = size(intersection(two, below)) + size(intersection(two, lower(above, s)))
    threes = size(intersection(three, below)) + size(intersection(three, lower(above, s + s)))
    fours = size(intersection(four, below)) + size(intersection(four, lower(lower(above, s + s), s)))
    return np.int64(twos), np.int64(threes), np.int64(fours)


@inlined
def lines_of(game, stones, free):
    """``open_lines`` in the four directions, by their weights, int64."""
    g, worth = shape(game), np.int64(0)
    for s in (g.along, g.up, g.rising, g.falling):
        twos, threes, fours = open_lines(stones, free, s)
        worth += game.two_weight * twos + game.three_weight * threes + game.four_weight * fours
    return worth


@inlined
def limit(game):
    """What the evaluation is at most."""
    return np.int64(MAX_LINES * (game.two_weight + game.three_weight + game.four_weight) + 1)


@contract.evaluation.implements(Board)
def gomoku_evaluation(game, state):
    own, opp = sides(game, state)
    free = free_points(game, state)
    return min(max(lines_of(game, own, free) - lines_of(game, opp, free), -limit(game)), limit(game))


@contract.evaluation_limit.implements(Board)
def gomoku_evaluation_limit(game):
    return limit(game)


@contract.remaining_plies.implements(Board)
def gomoku_remaining_plies(game, state):
    return np.float64(shape(game).cells - state.turn // PLY)


# ------------------------------------------------------------------------------------------------------------- text


def _stones(game, state):
    """The stones of the first and of the second player as bits, with their signs."""
    own, opp = (sets.int_of(side) for side in sides(game, state))
    return list(zip((opp, own) if int(state.turn & SECOND) else (own, opp), SIGNS, strict=True))


@contract.move_text.implements(Board)
def gomoku_move_text(game, state, move):
    """A column and a row, ``h8``."""
    return geometry(game.SIZE).name(move)


@contract.board_text.implements(Board)
def gomoku_board_text(game, state):
    stones = _stones(game, state)
    drawn = geometry(game.SIZE).drawn(lambda number: sign_of(stones, number))
    return f"{drawn}\n{SIGNS[int(state.turn & SECOND)]} to move"


@contract.position_text.implements(Board)
def gomoku_position_text(game, state):
    """The rows from the top joined by ``/``, x the first player, o the second and . for free; who moves follows."""
    stones = _stones(game, state)
    return "/".join(geometry(game.SIZE).lines(lambda number: sign_of(stones, number)))


@contract.parse_position.implements(Board)
def gomoku_parse_position(game, text):
    found = geometry(game.SIZE).read(text.strip().lower(), SIGNS + ".")
    first, second = found["x"], found["o"]
    if first.bit_count() - second.bit_count() not in (0, 1):
        raise BadInput("position: x has as many stones as o, or one more")
    is_second = first.bit_count() > second.bit_count()
    points = type(shape(game).points)
    own, opp = (set_of(points, side) for side in ((second, first) if is_second else (first, second)))
    if has_five(game, own):
        raise BadInput("position: the player to move has five in a row already")
    plies = first.bit_count() + second.bit_count()
    turn = U(plies) * PLY | U(is_second) | (WON if has_five(game, opp) else U(0))
    return sets.of_parts(contract.start(game), own, opp, turn)
