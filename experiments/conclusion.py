"""What a sweep ends with."""

import importlib
from pathlib import Path

from experiments.console import here, show, table
from experiments.frames import write_table
from experiments.plots import plot
from experiments.results import PLOT, TABLE, Result, below, columns, groups


def conclude(folder: Path) -> None:
    """The end of a sweep: its table on stdout, and table and plot in its folder."""
    results = below(folder)
    for title, some in groups(results).items():
        show(table(title, *columns(some)))
    write_table(results, folder)
    files = [f"{TABLE}.csv", f"{TABLE}.parquet", *([PLOT] if plot(results, folder / PLOT) else [])]
    files += _own_end(results, folder)
    show(f"{', '.join(files)} in {here(folder)}")


def _own_end(results: list[Result], folder: Path) -> list[str]:
    """What the experiment's own module adds (``CONCLUSIONS``): it shows tables, writes files, and returns their names."""
    documents = {str(result.config["document"]) for result in results if result.config.get("document")}
    if len(documents) != 1:
        return []
    source, item = documents.pop().split("/")
    own = getattr(importlib.import_module(f"experiments.{source}"), "CONCLUSIONS", {})
    return own[item](results, folder) if item in own else []
