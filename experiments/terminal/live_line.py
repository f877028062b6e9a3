"""The live line of progress: what of it a terminal has room for, the share done and the times left before all else."""

from rich.progress import BarColumn, ProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Column

GAP = 1
PERCENT, ELAPSED = len("100 %"), len("0:00:00")
MIN_TITLE, MIN_BAR, MAX_BAR = 20, 10, 40  # letters


def columns_that_fit(
    width: int, title: str, left: str, note: str, sweep: str, short_sweep: str
) -> list[ProgressColumn]:
    """The columns of a line of ``width`` letters whose task has these texts, empty ones included.

    The share done and the time left are always there, and how the sweep stands, if need be in fewer words
    (``short_sweep``). Then come the title, which may be cut, the note, the seconds so far, and a bar in the room that
    is left.
    """
    room = width - PERCENT - sum(GAP + len(text) for text in (left, sweep) if text)
    of_sweep = "sweep"
    if sweep and room < min(MIN_TITLE, len(title)) + GAP:
        room, of_sweep = room + len(sweep) - len(short_sweep), "short_sweep"
    titled = max(1, min(len(title), room - GAP))
    room -= titled + GAP
    noted = bool(note) and room >= GAP + len(note)
    room -= GAP + len(note) if noted else 0
    timed = room >= GAP + ELAPSED
    room -= GAP + ELAPSED if timed else 0
    found: list[ProgressColumn] = [_text("description", titled)]
    if room >= GAP + MIN_BAR:
        found.append(BarColumn(min(MAX_BAR, room - GAP)))
    found.append(TextColumn("{task.percentage:>3.0f} %"))
    found += [TimeElapsedColumn()] if timed else []
    # rich's own time left counts seconds of compiling as work
    found += [_text("fields[left]")] if left else []
    found += [_text("fields[note]")] if noted else []
    return [*found, TextColumn(f"{{task.fields[{of_sweep}]}}", style="dim", markup=False)] if sweep else found


def _text(field: str, width: int | None = None) -> TextColumn:
    column = Column(no_wrap=True, overflow="ellipsis", max_width=width)
    return TextColumn(f"{{task.{field}}}", markup=False, table_column=column)
