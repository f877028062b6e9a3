"""Gather any number of runs into one table, plots with error bars, and one HTML page that needs nothing else.

    python -m experiments.report runs='multirun/main-*/*'
    python -m experiments.report runs='multirun/hashimoto2012accelerated/**' title='Table 1'

``runs`` is a pattern of folders; ``**`` goes down any number of folders. Every folder with a summary.json counts. Where
a run belongs to an experiment, what its sweep ends with is worked out anew: the document's figures or words beside
ours.
"""

import glob
import sys
from pathlib import Path
from typing import Any

from experiments.analysis.labels import shown, told_apart
from experiments.analysis.result_table import result_table
from experiments.app.command import Command, Run
from experiments.config.command_options import ReportKeys
from experiments.config.schema import Checked, Given, Plain, top_keys
from experiments.runs.presentation import presentation_of
from experiments.runs.results import PLOT, TABLE, Result, groups, in_order, read
from experiments.runs.run_directory import SUMMARY
from experiments.terminal.console import counted, here, show
from gpumcts.errors import BadInput


def report_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.report."""
    keys = top_keys(ReportKeys, plain, ())
    return Checked(keys._asdict(), "report", keys)


def find(pattern: str) -> list[Result]:
    """The finished runs in the folders that match; raises BadInput where there is none."""
    # ``nothing/**`` is said to match nothing/ itself, which need not be there.
    folders = [Path(found) for found in sorted(glob.glob(pattern, recursive=True)) if Path(found).exists()]
    finished = dict.fromkeys(folder.resolve() for folder in folders if (folder / SUMMARY).is_file())
    results = [result for result in map(read, finished) if presentation_of(result.program).gathered and result.finished]
    if not results:
        deeper = [] if pattern.endswith("**") else [folder for folder in folders if folder.is_dir()]
        below = any(next(folder.rglob(SUMMARY), None) for folder in deeper)
        hint = f"; there are some further down: runs='{pattern.rstrip('/')}/**'" if below else ""
        where = {0: "no folder matches", 1: "the folder that matches has no finished run"}
        said = where.get(len(folders), f"the {len(folders)} folders that match have no finished run")
        raise BadInput(f"runs={pattern}: {said}{hint}")
    return told_apart(in_order(results))


def prepare(config: Checked) -> None:
    """Refuse a pattern without a run."""
    find(config.keys.runs)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Write table, plots and page; returns the summary."""
    from experiments.analysis.dataframes import write_table
    from experiments.analysis.html_report import page
    from experiments.analysis.plots import plot
    from experiments.analysis.sweep_report import ends

    results = find(config.keys.runs)
    named = shown(results)
    write_table(results, run.folder)
    image = run.folder / PLOT
    plotted = plot(named, image)
    for title, some in groups(named).items():
        show(result_table(_heading(title, some), some))
    said = ends(results, run.folder)
    text = page(config.keys.title, named, image if plotted else None, said)
    (run.folder / "report.html").write_text(text, "utf-8")
    files = ["report.html", f"{TABLE}.csv", f"{TABLE}.parquet", *([PLOT] if plotted else [])]
    files += [str(file.relative_to(run.folder)) for end in said for file in end.files]
    show(f"{counted(len(results), 'run')}; {', '.join(files)} in {here(run.folder)}")
    return {"runs": len(results), "files": files, "folders": [str(result.folder) for result in results]}


def _heading(title: str, results: list[Result]) -> str:
    """The title of a table, with what all of its runs share: game, opponent, budget."""
    from experiments.analysis.plots import plot_title

    shared = plot_title(results)
    return shared if shared.startswith(title) else f"{title}: {shared}"


COMMAND = Command("report", report_config, work, prepare)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
