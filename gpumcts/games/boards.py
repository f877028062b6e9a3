"""Rectangular boards in plain Python: how squares are numbered, constants for compiled code, names, drawings and texts.

Square (row, column) has the number ``row_step * row + column_step * column``, so that a board may lie by rows or by
columns and may leave bits between its lines: a line of set bits that crosses such a bit has left the board.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from gpumcts.errors import BadInput

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WITHOUT_I = "ABCDEFGHJKLMNOPQRSTUVWXYZ"


class RectangularBoard(NamedTuple):
    """A board of squares, row 0 and column 0 first.

    row_step, column_step : what a row and a column add to the number of a square
    letters : the names of the columns
    top_first : whether row 0 is the upper one, and has the highest number in names; else it is the lower one, number 1
    """

    rows: int
    columns: int
    row_step: int
    column_step: int = 1
    letters: str = LETTERS
    top_first: bool = False

    def squares(self) -> Iterator[tuple[int, int]]:
        """Row and column of every square, row by row."""
        return ((row, column) for row in range(self.rows) for column in range(self.columns))

    def number(self, row: int, column: int) -> int:
        """The number of a square."""
        return self.row_step * row + self.column_step * column

    def square(self, number: int) -> tuple[int, int]:
        """Row and column of a number."""
        if self.row_step > self.column_step or self.columns == 1:
            row, rest = divmod(int(number), self.row_step)
            return row, rest // self.column_step
        column, rest = divmod(int(number), self.column_step)
        return rest // self.row_step, column

    def bits(self, of: Callable[[int, int], bool] = lambda row, column: True) -> int:
        """The squares of which ``of(row, column)`` is true, as the bits of a number."""
        return sum(1 << self.number(*square) for square in self.squares() if of(*square))

    def is_rim(self, row: int, column: int) -> bool:
        """Whether a square is in the first or last row or column."""
        return row in (0, self.rows - 1) or column in (0, self.columns - 1)

    # ------------------------------------------------------------------------------------------------------- names

    def label(self, row: int) -> int:
        """The number of a row in names."""
        return self.rows - row if self.top_first else row + 1

    def name(self, number: int) -> str:
        """The name of a square, as ``e5``."""
        row, column = self.square(number)
        return f"{self.letters[column]}{self.label(row)}"

    def named(self, name: str) -> int | None:
        """The number of the square of a name, in either case; None where there is no such square."""
        case = name.upper() if self.letters.isupper() else name.lower()
        letter, digits = case[:1], case[1:]
        column = self.letters[: self.columns].find(letter) if letter else -1
        if column < 0 or not (digits.isascii() and digits.isdecimal()) or digits.startswith("0"):
            return None
        label = int(digits[:4])
        row = self.rows - label if self.top_first else label - 1
        return self.number(row, column) if 0 <= row < self.rows else None

    # ------------------------------------------------------------------------------------------- drawings and texts

    def lines(self, sign: Callable[[int], str]) -> list[str]:
        """The rows from the top as people see them; ``sign(number)`` is what stands on a square."""
        rows = range(self.rows) if self.top_first else reversed(range(self.rows))
        return ["".join(sign(self.number(row, column)) for column in range(self.columns)) for row in rows]

    def drawn(self, sign: Callable[[int], str]) -> str:
        """The board with the names of its rows and columns."""
        labels = [self.label(row) for row in (range(self.rows) if self.top_first else reversed(range(self.rows)))]
        width = len(str(self.rows))
        rows = [f"{label:{width}} {' '.join(line)}" for label, line in zip(labels, self.lines(sign), strict=True)]
        return "\n".join([*rows, f"{' ' * width} {' '.join(self.letters[: self.columns])}"])

    def read(self, text: str, signs: str) -> dict[str, int]:
        """The squares of each sign as bits, from the lines of a board joined by ``/``.

        Raises BadInput where there are not as many rows or columns as the board has, or another sign.
        """
        lines = text.split("/")
        if len(lines) != self.rows or any(len(line) != self.columns for line in lines):
            raise BadInput(
                f"position: the board is {self.rows} rows of {self.columns} squares from the top, joined by /"
            )
        wrong = next((line for line in lines if set(line) - set(signs)), None)
        if wrong is not None:
            raise BadInput(f"position: row {wrong!r} takes {', '.join(signs)}")
        if not self.top_first:
            lines.reverse()
        found = dict.fromkeys(signs, 0)
        for row, line in enumerate(lines):
            for column, sign in enumerate(line):
                found[sign] |= 1 << self.number(row, column)
        return found


def sign_of(sets: Iterable[tuple[int, str]], number: int, empty: str = ".") -> str:
    """The sign of the first of ``sets`` (squares as bits, sign) that has the square; ``empty`` where none has."""
    return next((sign for bits, sign in sets if bits >> number & 1), empty)
