"""Work out a figure of a source document with the operators themselves, and lay the exact values beside.

    python -m experiments.worked experiment=hashimoto2012accelerated/fig1
    python -m experiments.worked figure=hashimoto2012accelerated/fig2

Each value has a row: by the definition, as a fraction (``exact``), and as the operators give it (``ours``).
"""

import sys
from typing import Any, NamedTuple

from experiments.app.command import Command, Run
from experiments.config.schema import Checked, Given, Plain
from experiments.config.validation import typed
from experiments.terminal.console import here, show, table
from gpumcts.errors import BadInput

FIGURES = ("hashimoto2012accelerated/fig1", "hashimoto2012accelerated/fig2", "kocsis2006improved/fig3")
COLUMNS = {"what": "left", "exact": "right", "ours": "right", "difference": "right", "source": "left"}


class WorkedKeys(NamedTuple):
    """The plain keys of experiments.worked."""

    figure: str = FIGURES[1]


def worked_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.worked."""
    keys = typed(WorkedKeys, plain)
    if keys.figure not in FIGURES:
        raise BadInput(f"figure={keys.figure}: must be one of {', '.join(FIGURES)}")
    return Checked(keys._asdict(), keys.figure.replace("/", " "), keys)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Work it out; returns the summary."""
    import importlib

    source, figure = config.keys.figure.split("/")
    rows = importlib.import_module(f"experiments.papers.{source}").FIGURES[figure]()
    cells = [[r.what, str(r.exact), repr(r.ours), f"{r.ours - float(r.exact):.1g}", r.source] for r in rows]
    show(table(config.keys.figure, COLUMNS, cells), f"folder: {here(run.folder)}")
    values = [{**row._asdict(), "exact": str(row.exact)} for row in rows]
    return {"figure": config.keys.figure, "values": values}


COMMAND = Command("worked", worked_config, work)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
