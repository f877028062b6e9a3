"""What a sweep ends with."""

from pathlib import Path

from experiments.console import here, show, table
from experiments.frames import write_table
from experiments.plots import plot
from experiments.results import PLOT, TABLE, below, columns, groups


def conclude(folder: Path) -> None:
    """The end of a sweep: its table on stdout, and table and plot in its folder."""
    results = below(folder)
    for title, some in groups(results).items():
        show(table(title, *columns(some)))
    write_table(results, folder)
    files = [f"{TABLE}.csv", f"{TABLE}.parquet", *([PLOT] if plot(results, folder / PLOT) else [])]
    show(f"{', '.join(files)} in {here(folder)}")
