"""Gather any number of runs into one table, plots with error bars, and one HTML page that needs nothing else.

    python -m experiments.report runs='multirun/main-*/*'
    python -m experiments.report runs='multirun/hashimoto2012accelerated/**' title='Table 1'
    python -m experiments.report runs=[multirun/match-701d13b3b2,outputs/match]

``runs`` is a folder, a pattern of folders, or a list of them; ``**`` goes down any number of folders. A folder with a
summary.json is a run; one without, such as a sweep's, stands for all runs in it and below. Where a run belongs to an
experiment, what its sweep ends with is worked out anew: the document's figures or words beside ours.
"""

import glob
import os
import sys
from pathlib import Path
from typing import Any

from experiments.analysis.labels import shown, sweeps_together, told_apart
from experiments.analysis.result_table import result_table
from experiments.app.command import Command, Run
from experiments.config.command_options import ReportKeys
from experiments.config.schema import Checked, Given, Plain, top_keys
from experiments.runs.presentation import presentation_of
from experiments.runs.results import PLOT, TABLE, Result, check_shown, groups, in_order, read
from experiments.runs.run_directory import SUMMARY
from experiments.terminal.console import counted, here, show
from gpumcts.errors import BadInput


def report_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.report."""
    keys = top_keys(ReportKeys, plain, ())
    return Checked(keys._asdict(), "report", keys)


def find(runs: str | list[str]) -> list[Result]:
    """The finished runs in the folders that match; raises BadInput where a pattern has none."""
    patterns = [runs] if isinstance(runs, str) else runs
    if not patterns:
        raise BadInput("runs=[]: must be a pattern of folders, or a list of at least one")
    found: dict[Path, Result] = {}
    for pattern in patterns:
        found |= _matching(pattern)
    return told_apart(sweeps_together(in_order(found.values())))


def _matching(pattern: str) -> dict[Path, Result]:
    """The finished runs of a pattern, by their folders."""
    # A folder whose name has brackets is no pattern. ``nothing/**`` is said to match nothing/ itself.
    names = [pattern] if os.path.exists(pattern) else sorted(glob.glob(pattern, recursive=True))
    folders = [Path(name) for name in names if os.path.exists(name)]
    finished = dict.fromkeys(home.resolve() for folder in folders for home in _runs_of(folder))
    results = {home: read(home) for home in finished}
    found = {home: one for home, one in results.items() if presentation_of(one.program).gathered and one.finished}
    if not found:
        where = {0: "no folder matches", 1: "the folder that matches has no finished run"}
        said = where.get(len(folders), f"the {len(folders)} folders that match have no finished run")
        others = {one.program for one in results.values() if not presentation_of(one.program).gathered}
        if others:
            said = f"its runs are of {', '.join(sorted(others))}, which have no reports"
        several = "; several patterns stand in a list: runs='[a/**,b/**]'" if {"{", ","} & set(pattern) else ""
        raise BadInput(f"runs={pattern}: {said}{several}")
    for one in found.values():
        check_shown(one)
    return found


def _runs_of(folder: Path) -> list[Path]:
    """A folder that is a run; of another one the runs in it and below."""
    if (folder / SUMMARY).is_file() or not folder.is_dir():
        return [folder] if folder.is_dir() else []
    return [path.parent for path in sorted(folder.rglob(SUMMARY))]


def prepare(config: Checked) -> None:
    """Refuse a pattern without a run."""
    find(config.keys.runs)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Write table, plots and page; returns the summary."""
    from experiments.analysis.dataframes import write_table
    from experiments.analysis.headings import heading
    from experiments.analysis.html_report import not_there_yet, page
    from experiments.analysis.plots import plot
    from experiments.analysis.ratings import ratings
    from experiments.analysis.sweep_report import ends

    results = find(config.keys.runs)
    named = shown(results)
    write_table(results, run.folder)
    pictures = plot(named, run.folder / PLOT)
    for title, some in groups(named).items():
        show(result_table(heading(title, some), some), *ratings(some))
    if lacks := not_there_yet(named):
        show("\n".join(["Not there yet:", *lacks]))
    said = ends(results, run.folder)
    text = page(config.keys.title, named, pictures, said)
    (run.folder / "report.html").write_text(text, "utf-8")
    files = ["report.html", f"{TABLE}.csv", f"{TABLE}.parquet", *(file.name for file in pictures)]
    files += [str(file.relative_to(run.folder)) for end in said for file in end.files]
    show(f"{counted(len(results), 'run')}; {', '.join(files)} in {here(run.folder)}")
    return {"runs": len(results), "files": files, "folders": [str(result.folder) for result in results]}


COMMAND = Command("report", report_config, work, prepare)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
