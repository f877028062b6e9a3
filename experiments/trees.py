"""Follow many searches of many synthetic trees: how often they would choose a wrong move, and when their values converge.

    python -m experiments.trees game=pgame budget.iterations=10000
    python -m experiments.trees selection=uniform search=flat budget.iterations=10000
    python -m experiments.trees method=alpha_beta budget.iterations=100000
    python -m experiments.trees experiment=kocsis2006improved/fig4 budget=small

A move fails that is worth less than the best one: a draw for a win, a loss for a draw. Every tree is solved beforehand. Those
without a wrong move cannot fail; they count, and are not searched. Intervals are over trees. An interrupted run goes on
with the pieces that are missing.
"""

import sys
import time
from typing import Any

from experiments.command import Command, Run
from experiments.console import bar, here, say, show, stop_on_interrupt, table
from experiments.folder import SUMMARY, read_json
from experiments.schema import Checked, trees_config


def prepare(config: Checked) -> None:
    """Refuse an engine that is not there, a budget that does not fit, and parts that do not go together."""
    from experiments.seating import check_engine, check_memory

    check_engine(config.engine)
    if config.keys.method == "search":
        check_memory(config)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Follow the searches, or what is left of them; returns the summary."""
    from experiments.curves import summarise, write_curve
    from experiments.following import follow, points_of
    from gpumcts.kernels.engines import resolve

    title = f"[{run.number}/{run.of}] {run.label}" if run.of > 1 else config.slug
    begin = time.perf_counter()
    with stop_on_interrupt("stopping; finished pieces are kept ...") as stop, bar(title, 1.0) as shown:
        pieces, iterations = follow(config, run.folder, stop, shown.advance)
    path = run.folder / SUMMARY
    earlier = read_json(path) if path.exists() else {}
    points, seconds = points_of(config), time.perf_counter() - begin
    summary: dict[str, Any] = {
        **summarise(pieces, points, config.keys),
        "iterations": iterations + earlier.get("iterations", 0),
        "seconds": seconds + earlier.get("seconds", 0.0) if iterations else earlier.get("seconds", seconds),
        "seed": config.keys.seed,
        "engine": resolve(config.engine),
    }
    summary["iterations_per_second"] = summary["iterations"] / summary["seconds"]
    summary.update({key: value for key, value in config.study._asdict().items() if value is not None})
    write_curve(summary, run.folder)
    if run.of > 1:
        say(f"{title}: {brief(summary)}  {here(run.folder)}")
    else:
        show(*_shown(config, summary), f"folder: {here(run.folder)}")
    return summary


def brief(summary: dict[str, Any]) -> str:
    """A run in a few words."""
    words = []
    if "failure_rate" in summary:
        words.append(f"failure rate {100 * summary['failure_rate'][-1]:.2f} % after {summary['points'][-1]:,}")
    if "crossing_median" in summary:
        median = summary["crossing_median"]
        when = f"more than {summary['points'][-1]:,}" if median is None else f"{median:,.0f}"
        words.append(f"value above {summary['level']} for good after {when} iterations (median)")
    return f"{'; '.join(words)}; {summary['seconds']:.1f} s"


def _shown(config: Checked, summary: dict[str, Any]) -> list[Any]:
    from experiments.console import shortened
    from experiments.curves import curve_rows

    rows = curve_rows(summary)
    columns = dict.fromkeys(rows[0], "right")
    cells = [[row[name] for name in columns] for row in rows]
    decisive = f", {summary['decisive']} with a wrong move" if "decisive" in summary else ""
    trees = f"{summary['trees']} trees{decisive}, {config.keys.runs} runs each"
    speed = f"{shortened(summary['iterations_per_second'])} iterations/s"
    return [table(config.slug, columns, cells), f"{trees}; {brief(summary)}; {speed}, seed {config.keys.seed}"]


COMMAND = Command("trees", trees_config, work, prepare)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
