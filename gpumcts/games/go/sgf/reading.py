"""A record played through by our rules: no suicide, positional superko. A file that breaks them is refused."""

from typing import Any, NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.go.options import SIZES, Board, Go
from gpumcts.games.go.points import points_of
from gpumcts.games.go.setup import GoPosition, closed
from gpumcts.games.go.sgf.grammar import Node, Text, main_line, text_of
from gpumcts.games.go.sgf.properties import Setup, Stone, events_of, first_colour, game_info_of
from gpumcts.games.go.text import point_name, stones, without_liberties

U = np.uint64
NAMES = ("Black", "White")


@contract.parse_record.implements(Board)
def parse_sgf(game, text, plies):
    with np.errstate(over="ignore"):
        return read(game, text, plies)


def read(game: Board, sgf: str, plies: int | None = None) -> contract.Record:
    """The game of a file up to so many moves, all of them if None; weights and an absent komi are those of ``game``.

    A record begins where points were set last: the moves before that cannot be played from an empty board. Where a
    player moves twice in a row, the other's pass is left out of the file. Two passes end a game, and those after them
    are passed over; where a stone follows all the same, or a pass that is left out is the second in a row, the game has
    gone on, and the record begins there; the superko of the file's moves still holds from the last setting of points.

    Raises BadInput, with line and column, where it is not SGF, not Go, or one of these moves is not legal.
    """
    text = text_of(sgf)
    nodes = main_line(text)
    board = game_info_of(text, nodes[0])
    size: Any = board.size
    option = Go(size, game.half_points / 2 if board.komi is None else board.komi)
    try:
        kind = option.compiled()
    except BadInput as error:
        raise text.wrong(nodes[0].properties["KM"][0].at, str(error).removeprefix("game.")) from None
    known = SIZES[board.size](kind.half_points, game.area_weight, game.liberty_weight)
    replay = Replay.of(known, text, _first_to_move(nodes, board.tags.get("HA", "")))
    count = 0
    for event in events_of(text, nodes, board.size, plies):
        if isinstance(event, Setup):
            replay.set(event)
        else:
            count += 1
            replay.move(event)
    if plies is not None and count < plies:
        raise BadInput(f"the game has {count} moves, no {plies}")
    return contract.Record(known, {"size": option.size, "komi": option.komi}, replay.start, replay.moves, board.tags)


def _first_to_move(nodes: list[Node], handicap: str) -> int:
    """Who moves first: whoever does, else White where Black has a handicap."""
    first = first_colour(nodes)
    if first is not None:
        return first
    return int(handicap.isascii() and handicap.isdecimal() and int(handicap[:4]) >= 2)


class Sides(NamedTuple):
    """Stones of Black and of White, as numbers whose bits are points."""

    black: int
    white: int


class Replay:
    """A game as it goes on.

    start : the state where points were set last; moves : since then; seen : positions of the board
    """

    def __init__(self, game: Any, text: Text, start: Any) -> None:
        self._game, self._text = game, text
        self._begin(start)

    @classmethod
    def of(cls, game: Any, text: Text, to_move: int) -> "Replay":
        """The empty board."""
        return cls(game, text, _state(game, Sides(0, 0), to_move))

    def _begin(self, start: Any) -> None:
        self._begin_record(start)
        self._seen = {stones(self._game, start)}

    def _begin_record(self, start: Any) -> None:
        self.start = self._state = start
        self.moves: list[int] = []

    @property
    def _mover(self) -> int:
        return int(contract.mover(self._game, self._state))

    def set(self, setup: Setup) -> None:
        """Set points; whoever was to move is, if nothing is said. Where no point changes, the game goes on."""
        before = stones(self._game, self._state)
        kept = [side & ~(setup.black | setup.white | setup.empty) for side in before]
        after = Sides(kept[0] | setup.black, kept[1] | setup.white)
        if after == before:
            if setup.to_move is not None and not self._over:
                self._turn_to(setup.to_move)
            return
        choked = without_liberties(self._game, *(points_of(side) for side in after))
        if choked is not None:
            raise self._text.wrong(setup.at, f"the chain of {point_name(self._game, choked)} has no liberty")
        self._begin(_state(self._game, after, self._mover if setup.to_move is None else setup.to_move))

    def move(self, stone: Stone) -> None:
        """A move of either player."""
        game = self._game
        if stone.point is None and self._over:
            return
        self._turn_to(stone.colour)
        if self._over:
            raise self._text.wrong(
                stone.at, f"{NAMES[stone.colour]} moves after {game.MAX_PLIES} plies, the most a game here may have"
            )
        name = "pass" if stone.point is None else point_name(game, stone.point)
        try:
            move = contract.parse_move(game, self._state, name)
        except BadInput as error:
            raise self._text.wrong(stone.at, f"{NAMES[stone.colour]}'s {error}") from None
        self._play(move)
        after = stones(game, self._state)
        if stone.point is not None and after in self._seen:
            raise self._text.wrong(
                stone.at, f"{NAMES[stone.colour]}'s {name} brings back an earlier position (superko)"
            )
        self._seen.add(after)

    @property
    def _over(self) -> bool:
        return bool(contract.over(self._game, self._state))

    def _turn_to(self, colour: int) -> None:
        """Let the other player pass, where it is his turn, and the game go on after passes that have ended it."""
        if not self._over and self._mover != colour:
            self._play(self._game.CELLS)
        going_on = contract.pass_left_out(self._game, self._state)
        if self._over and not contract.over(self._game, going_on):
            self._begin_record(going_on)
            if self._mover != colour:
                self._play(self._game.CELLS)

    def _play(self, move: int) -> None:
        self._state = contract.play(self._game, self._state, move)
        self.moves.append(int(move))


def _state(game: Board, board: Sides, to_move: int) -> Any:
    own, opp = board if to_move == 0 else reversed(board)
    return closed(game, GoPosition(points_of(own), points_of(opp), points_of(0), U(to_move)))
