"""The first ten games or searches of a cell, made once more, and their digest."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments.config.scales import as_typed_today
from experiments.reproduction.catalogue import Run, item_of
from experiments.reproduction.cells import RESULTS, Cell, Digests, read
from experiments.reproduction.derived import joined, sources_of
from experiments.reproduction.gathering import gather
from experiments.reproduction.gathering.common import of_both
from experiments.reproduction.gathering.matches import match_digests
from experiments.reproduction.gathering.planned import planning_digests
from experiments.reproduction.gathering.ranks import rank_digests
from experiments.reproduction.gathering.synthetic import search_digests
from experiments.reproduction.gathering.traps import trap_digests
from experiments.reproduction.gathering.worked import worked_digests
from experiments.reproduction.schedule import ROOT, command_of
from experiments.runs.results import Result, below
from gpumcts.errors import BadInput

PATIENCE = 3600.0
"""Seconds that the first ten of a cell may take."""
MAX_LAST_WORDS = 300
"""Letters of the last line of a command that failed."""
AMOUNTS = ("trees", "runs", "states", "samples")
"""Keys that the first ten searches or states do not depend on."""
OF_SEVERAL: dict[str, Callable[[Result], Digests]] = {
    "planning": planning_digests,
    "trees": lambda run: search_digests(run.folder),
}
"""What digests the runs of commands of which a cell may compare several."""
BY_PROGRAM = {"worked": worked_digests, "rank": rank_digests, "traps": trap_digests}
"""What digests the runs of commands that make all cells of an item in one run."""


def run_of(cell: Cell) -> Run:
    """The run of the catalogue that measured a cell."""
    _, item = item_of(f"{cell.paper}/{cell.item}")
    run = item.owner(cell.cell)
    if run is None:
        raise BadInput(f"{cell.path}: no run of the catalogue measures it")
    return run


def first_ten(cell: Cell, folder: Path) -> str:
    """The digest of the first ten games or searches of a cell, made again in ``folder``.

    Raises BadInput, naming the cell, where its command fails, with the last line it said, or takes longer than an hour.
    """
    sources = sources_of(cell)
    if sources:  # nothing was run for it; what it was made of can be made again
        every = [read(RESULTS / path, RESULTS) for path in sources]
        return joined([first_ten(one, folder / str(number)) for number, one in enumerate(every)])
    run = run_of(cell)
    command = command_of(_replaced(_words(cell, run), run.again), folder)
    try:
        told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        raise BadInput(f"{cell.path}: {' '.join(command[1:])} took longer than {PATIENCE:,g} s") from None
    if told.returncode:
        last = "".join(told.stderr.strip().splitlines()[-1:])[-MAX_LAST_WORDS:]
        raise BadInput(f"{cell.path}: {' '.join(command[1:])} ended with exit code {told.returncode}: {last}")
    return digest_of_folder(cell, folder)


def _words(cell: Cell, run: Run) -> list[str]:
    """The command line that measured a cell, as it is typed today; the catalogue has the paper's own budget alone."""
    return as_typed_today(cell.asked.command) if cell.verdict == "reduced" else run.command


def _replaced(words: Sequence[str], others: Sequence[str]) -> list[str]:
    """A command line with other overrides in place of those of the same keys, which a command refuses given twice."""
    keys = {word.partition("=")[0] for word in others}
    return [*(word for word in words if "=" not in word or word.partition("=")[0] not in keys), *others]


def _kind(identity: dict[str, Any]) -> dict[str, Any]:
    """What searches of trees or answers of planners are, but for how many there are."""
    return {key: value for key, value in identity.items() if key not in AMOUNTS}


def first_ten_of_several(asked: dict[str, Any], results: Sequence[Result]) -> str | None:
    """The digest of the first ten over the runs that a cell compares; None of a cell of one run, or where one lacks.

    asked : the keys of each run by its label
    """
    found = []
    for keys in asked.values():
        if not isinstance(keys, dict) or "seed" not in keys:
            return None
        run = next((run for run in results if _kind(run.provenance["identity"]) == _kind(keys)), None)
        if run is None or run.program not in OF_SEVERAL:
            return None
        found.append(OF_SEVERAL[run.program](run))
    return of_both(found).first_ten if found else None


def digest_of_folder(cell: Cell, folder: Path) -> str:
    """The digest of the first ten of a cell, from the runs in a folder."""
    results = below(folder)
    if (found := first_ten_of_several(cell.asked.keys, results)) is not None:
        return found
    for result in results:
        if result.program == "match":
            return match_digests(result.folder, result.summary["games"]).first_ten
        if result.program == "trees" and _kind(result.provenance["identity"]) == _kind(cell.asked.keys):
            return search_digests(result.folder).first_ten
        if result.program in BY_PROGRAM:
            return BY_PROGRAM[result.program](result).first_ten
    paper, item = item_of(f"{cell.paper}/{cell.item}")
    for gathered in gather(paper, item, folder):  # a cell of several runs, whose keys stand by the run
        if gathered.cell == cell.cell:
            return gathered.digests.first_ten
    raise BadInput(f"{folder}: no run of {cell.path}")
