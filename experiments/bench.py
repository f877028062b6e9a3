"""Measure speed and memory on this machine, contenders in turns, medians and ratios.

    python -m experiments.bench
    python -m experiments.bench suites=[playouts,search] repeats=9
    python -m experiments.bench engine=cuda against=null

Suites: playouts and search (rates, beside OpenSpiel's C++), memory (bytes a node of every operator), scaling (threads, trees,
iterations), startup (import, first move with and without a compile cache). Table, plot and JSON go into the folder.
"""

import importlib.util
import sys
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from experiments.command import Command, Run
from experiments.console import here, say, shortened, show, table
from experiments.folder import write_json
from experiments.schema import Checked, Given, Plain, option_value
from experiments.values import typed
from gpumcts.errors import BadInput

SUITE_NAMES = ("playouts", "search", "memory", "scaling", "startup")
PLOT = "plot.png"
COLUMNS = {
    "suite": "left",
    "what": "left",
    "median": "right",
    "range": "right",
    "unit": "left",
    "ratio": "right",
    "to": "left",
}


class BenchKeys(NamedTuple):
    """The plain keys of experiments.bench."""

    suites: list[str] = list(SUITE_NAMES)  # noqa: RUF012
    against: str | None = "open_spiel"
    repeats: Annotated[int, Interval(ge=1, le=1000)] = 5
    threads: Annotated[int, Interval(ge=1, le=4096)] = 1


def bench_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.bench."""
    keys = typed(BenchKeys, {key: value for key, value in plain.items() if key not in ("game", "engine")})
    game, identity = option_value("game", plain["game"], "game")
    unknown = [name for name in keys.suites if name not in SUITE_NAMES]
    if unknown or not keys.suites:
        raise BadInput(f"suites={keys.suites}: a list of {', '.join(SUITE_NAMES)}, written suites=[playouts,search]")
    if keys.against not in (None, "open_spiel"):
        raise BadInput(f"against={keys.against}: must be open_spiel, or null")
    engine = str(plain["engine"]["name"])
    record = {"game": identity, "engine": engine, **keys._asdict()}
    return Checked(record, f"{identity['name']} {' '.join(keys.suites)} {engine}", keys, game=game, engine=engine)


def prepare(config: Checked) -> None:
    """Refuse an engine or a peer that is not there."""
    from gpumcts.kernels.engines import resolve

    resolve(config.engine)
    if config.keys.against and importlib.util.find_spec("pyspiel") is None:
        raise BadInput("against=open_spiel: OpenSpiel is not installed; pip install open_spiel, or against=null")


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Measure; returns the summary."""
    from experiments.benchmarks import Bench, run_suites

    bench = Bench(config.game, config.identity["game"]["name"], config.engine, config.keys.threads, config.keys.repeats)
    rows = []
    for name in config.keys.suites:
        say(f"measuring {name} ...")
        rows += run_suites(bench, [name], config.keys.against is not None)
    show(table("bench", COLUMNS, [_cells(row) for row in rows]))
    _plot(rows, run.folder / PLOT)
    show(f"folder: {here(run.folder)}")
    figures = [row._asdict() for row in rows]
    write_json(run.folder / "figures.json", figures)
    return {"figures": figures, "engine": config.engine, "repeats": config.keys.repeats}


def _cells(row: Any) -> list[str]:
    ratio = f"{row.ratio:.3g}" if row.ratio is not None else ""
    spread = f"{shortened(row.low)} - {shortened(row.high)}"
    return [row.suite, row.what, shortened(row.median), spread, row.unit, ratio, row.against]


def _plot(rows: list[Any], path: Any) -> None:
    """The ratios as bars on a logarithmic axis, where there are any."""
    rows = [row for row in rows if row.ratio is not None]
    if not rows:
        return
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 1.2 + 0.32 * len(rows)), layout="constrained")
    axes = figure.subplots()
    labels = [f"{row.what}  /  {row.against}" for row in rows]
    bars = axes.barh(labels, [row.ratio for row in rows], color="#1f5fa8")
    axes.bar_label(bars, [f"{row.ratio:.3g}" for row in rows], padding=3)
    axes.axvline(1, color="#888888", linewidth=1)
    axes.set_xscale("log")
    axes.invert_yaxis()
    axes.set_xlabel("times as fast, or as slow below 1")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)


COMMAND = Command("bench", bench_config, work, prepare)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
