"""Tables that keep their numbers whole on a narrow terminal: columns are left out before a cell is folded."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

MIN_LEFT, MAX_LEFT_WORD = 20, 32
"""Letters that a column of words has at least where its cells are longer, and up to which its words stay whole."""
INDENT = 1
SHORT_HEADING = 8  # letters, up to which it does not fold
BEHIND = r"(?<=[/=,_@-])"
"""Where words too long for a line are broken."""
GAP = 2  # letters between columns: a blank after each cell, and the one that rich has for a line


@dataclass(frozen=True)
class FittedTable:
    """A table that rich draws at the width there is.

    columns : headings, each ``left`` (words, which fold between words, long ones at a mark within) or ``right``
        (numbers, which never fold)
    rows : a cell a column
    secondary : headings that are left out where there is no room, the first of them first
    where : a file that has them all the same
    """

    title: str
    columns: Mapping[str, str]
    rows: Sequence[Sequence[str]]
    secondary: Sequence[str] = ()
    where: str = ""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.title, style="bold")
        shown, left_out = self._that_fit(options.max_width)
        widths = self._widths(shown, options.max_width)
        # Where nothing more can be left out, lines are longer than the terminal is wide: numbers stay whole.
        needed = INDENT + sum(widths.values()) + GAP * len(widths)
        drawn = Padding.indent(self._drawn(widths), INDENT)
        yield from console.render(drawn, options.update_width(max(needed, options.max_width)))
        if left_out:
            where = f"; {self.where} has them" if self.where else ""
            yield Text(f"no room for: {', '.join(left_out)}{where}")
        yield Text()

    def _that_fit(self, width: int) -> tuple[list[str], list[str]]:
        """The headings that are shown in so many letters, and those left out."""
        shown, left_out = list(self.columns), []
        for heading in self.secondary:
            if self._width(shown) <= width:
                break
            if heading in shown:
                shown.remove(heading)
                left_out.append(heading)
        return shown, [heading for heading in self.columns if heading in left_out]

    def _width(self, headings: Sequence[str]) -> int:
        """Letters of the narrowest table of some columns."""
        return INDENT + sum(self._narrowest(heading) + GAP for heading in headings) - GAP

    def _widths(self, headings: Sequence[str], width: int) -> dict[str, int]:
        """Letters of each column: the narrowest, and what room there is more, first for words and then for headings."""
        found = {heading: self._narrowest(heading) for heading in headings}
        spare = max(0, width - self._width(headings))
        for heading in sorted(headings, key=lambda heading: self.columns[heading] == "right"):
            more = min(spare, max(cell_len(text) for text in (heading, *self._cells(heading))) - found[heading])
            found[heading] += more
            spare -= more
        return found

    def _narrowest(self, heading: str) -> int:
        """Letters of a column at its narrowest: long headings fold between words, as cells of words do."""
        cells = self._cells(heading)
        longest = max(map(cell_len, cells), default=0)
        if self.columns[heading] == "right":
            return max(longest, cell_len(heading) if cell_len(heading) <= SHORT_HEADING else _longest_word([heading]))
        word = min(_longest_word([heading, *cells]), MAX_LEFT_WORD)
        return min(max(longest, cell_len(heading)), max(MIN_LEFT, word))

    def _cells(self, heading: str) -> list[str]:
        at = list(self.columns).index(heading)
        return [row[at] for row in self.rows]

    def _drawn(self, widths: Mapping[str, int]) -> Table:
        drawn = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
        for heading, width in widths.items():
            side = "right" if self.columns[heading] == "right" else "left"
            drawn.add_column(heading, justify=side, overflow="fold", width=width)
        cells = ([broken(text, width) for text in self._cells(heading)] for heading, width in widths.items())
        for row in zip(*cells, strict=True):
            drawn.add_row(*row)
        return drawn


def broken(text: str, width: int) -> str:
    """The text with words too long for a line broken behind a slash, a hyphen, a comma or the like, where they can."""
    return " ".join(_broken_word(word, width) if cell_len(word) > width else word for word in text.split(" "))


def _broken_word(word: str, width: int) -> str:
    lines = [""]
    for part in re.split(BEHIND, word):
        if lines[-1] and cell_len(lines[-1] + part) > width:
            lines.append("")
        lines[-1] += part
    return "\n".join(lines)


def _longest_word(texts: Sequence[str]) -> int:
    return max((cell_len(word) for text in texts for word in text.split()), default=1)
