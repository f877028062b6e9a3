"""Measure speed and memory on this machine, contenders in turns, medians and ratios.

    python -m experiments.bench
    python -m experiments.bench suites=[playouts,search] repeats=9
    python -m experiments.bench suites=[playouts] against=[open_spiel,pgx]
    python -m experiments.bench game=go suites=[playouts,search] only=[go,rave]
    python -m experiments.bench suites=[beside] checkout=../before
    python -m experiments.bench engine=cuda against=null
    python -m experiments.bench engine=cuda suites=[crossover]

Suites: playouts and search (rates, beside other programs), match (games a second, and the share of the time outside
compiled code), memory (bytes a node of every operator), scaling (threads, lanes, batches, trees, the size of a tree),
startup (imports, first move with and without a compile cache). Where they are named: one_tree (many leaves of one tree,
on threads, and ten million iterations), trees (synthetic trees, tables and planners, on one core), chess_attacks
(game=chess: three ways to find what sliding pieces attack), beside (playouts and searches beside those of ``checkout``,
the folder of another checkout of gpumcts, in turns so short that the drift of a machine hardly counts). With a device:
crossover (which engine is fastest for how many trees and playouts a leaf) and launch (what launches cost).

``only`` names the playout policies, backup operators and selection rules that playouts, search and beside measure,
beside what those are compared with. Tables, plots and JSON go into the folder, suite by suite.
"""

import os
import sys
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from benchmarks.peers.names import PEERS, not_installed
from benchmarks.text import fastest, shortened, spread, text, times
from experiments.app.command import Command, Run
from experiments.config.json_files import write_json
from experiments.config.schema import Checked, Given, Plain, option_value
from experiments.config.validation import typed
from experiments.runs.provenance import conditions
from experiments.terminal.console import here, say, show, table
from gpumcts.errors import BadInput
from gpumcts.resources import usable_cores

SUITES = ("playouts", "search", "match", "memory", "scaling", "startup")
MORE = ("one_tree", "trees", "chess_attacks", "beside")  # of the CPU, where they are named
ON_DEVICES = ("crossover", "launch")
NARROWED = ("playouts", "search", "beside")  # by the key ``only``
COUNTED_BY = {  # suites by the keys that count for some alone; others have threads and engines of their own
    "engine": ("playouts", "search", "match", "scaling", "one_tree", *ON_DEVICES),
    "threads": ("playouts", "search", "match", "one_tree", *ON_DEVICES),
}
GRID = ("trees", "playouts", "iterations")
FIGURES, TABLE = "figures.json", "table.txt"
BUSY = 0.3  # cores that other programs may keep busy before a word is said
COLUMNS = {"what": "left", "median": "right", "range": "right", "unit": "left", "ratio": "right", "to": "left"}


class BenchKeys(NamedTuple):
    """The plain keys of experiments.bench."""

    suites: list[str] = list(SUITES)  # noqa: RUF012
    only: list[str] = []  # noqa: RUF012
    against: list[str] | str | None = ["open_spiel"]  # noqa: RUF012
    repeats: Annotated[int, Interval(ge=1, le=1000)] = 5
    threads: Annotated[int, Interval(ge=1, le=4096)] = 1
    trees: list[Annotated[int, Interval(ge=1, le=1_000_000)]] = [1, 10, 100, 1000, 10_000, 100_000]  # noqa: RUF012
    playouts: list[Annotated[int, Interval(ge=1, le=1_000_000)]] = [1, 4, 16, 64]  # noqa: RUF012
    iterations: Annotated[int, Interval(ge=2, le=1_000_000)] = 50
    checkout: str | None = None

    @property
    def peers(self) -> list[str]:
        """``against`` as a list."""
        return [self.against] if isinstance(self.against, str) else list(self.against or [])


def bench_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.bench."""
    keys = typed(BenchKeys, {key: value for key, value in plain.items() if key not in ("game", "engine")})
    game, identity = option_value("game", plain["game"], "game")
    engine = str(plain["engine"]["name"])
    _check_suites(keys, engine, game, identity["name"])
    if [name for name in keys.peers if name not in PEERS]:
        raise BadInput(f"against={keys.against}: must be a list of {', '.join(PEERS)}, or null")
    if keys.only:
        _check_only(keys, engine, game, identity["name"])
    if given is not None:
        _check_given(keys, given)
    record = {"game": identity, "engine": engine, **keys._asdict(), "against": keys.peers}
    return Checked(record, f"{identity['name']} {' '.join(keys.suites)} {engine}", keys, game=game, engine=engine)


def _check_suites(keys: BenchKeys, engine: str, game: Any, name: str) -> None:
    known = (*SUITES, *MORE, *ON_DEVICES)
    if not keys.suites or [suite for suite in keys.suites if suite not in known]:
        given = f"suites=[{','.join(keys.suites)}]"
        raise BadInput(f"{given}: must be a list of {', '.join(known)}, such as suites=[playouts,search]")
    if twice := [suite for suite in keys.suites if keys.suites.count(suite) > 1]:
        raise BadInput(f"suites=[{','.join(keys.suites)}]: {twice[0]} stands there twice")
    if "crossover" in keys.suites and engine == "cpu":
        raise BadInput("suites=[crossover] is between engines: engine must be cuda, device, auto or cudasim")
    if "launch" in keys.suites and engine == "cpu":
        raise BadInput("suites=[launch] is of a device: engine must be cuda, device, auto or cudasim")
    if "match" in keys.suites and game.PLAYERS != 2:
        raise BadInput(f"suites=[match]: game={name} is for one player; name the other suites")
    if "chess_attacks" in keys.suites and name != "chess":
        raise BadInput(f"suites=[chess_attacks] is of Chess, not of {name}; add game=chess")
    _check_checkout(keys, engine)
    if not keys.trees or not keys.playouts:
        raise BadInput("trees and playouts: lists with a number at least, written trees=[1,100]")
    from gpumcts.tree.memory import MAX_VISITS  # which brings what a machine's memory is counted with

    if (most := max(keys.playouts)) * keys.iterations >= MAX_VISITS:
        raise BadInput(f"playouts=[{most}] iterations={keys.iterations}: their product must be below {MAX_VISITS:,}")


def _check_checkout(keys: BenchKeys, engine: str) -> None:
    if "beside" not in keys.suites:
        if keys.checkout is not None:
            raise BadInput("checkout counts for suites=[beside] alone; leave it out")
        return
    if engine != "cpu":
        raise BadInput(f"suites=[beside] is of the CPU: engine={engine} must be cpu")
    if keys.checkout is None:
        raise BadInput("suites=[beside] compares with another checkout of gpumcts: add checkout=FOLDER")
    if not (Path(keys.checkout).expanduser() / "gpumcts" / "__init__.py").is_file():
        raise BadInput(f"checkout={keys.checkout}: there is no checkout of gpumcts (no gpumcts/__init__.py)")


def _check_only(keys: BenchKeys, engine: str, game: Any, name: str) -> None:
    """Refuse what the suites do not measure on the game, and what leaves nothing of one of them."""
    of_suites = {suite: import_module(f"benchmarks.{suite}") for suite in NARROWED if suite in keys.suites}
    if not of_suites:
        raise BadInput(f"only counts for suites {', '.join(NARROWED[:-1])} and {NARROWED[-1]}; leave it out")
    there = {suite: module.there(game, engine == "cpu") for suite, module in of_suites.items()}
    known = dict.fromkeys(option for options in there.values() for option in options)
    if unknown := [option for option in keys.only if option not in known]:
        raise BadInput(
            f"only={keys.only}: no row of game={name} engine={engine} is {unknown[0]}; there are: {', '.join(known)}"
        )
    for suite, options in there.items():
        if not set(options) & set(keys.only):
            raise BadInput(f"only={keys.only} leaves nothing of suite {suite}, which has {', '.join(options)}")


def _check_given(keys: BenchKeys, given: Given) -> None:
    """Refuse a peer that is asked for and not there, and keys without effect."""
    for name in keys.peers if "against" in given.keys else ():
        if missing := not_installed(name):
            raise BadInput(f"against={name}: {missing}, or against=null")
    if set(keys.suites) == {"trees"} and [key for key in given.keys if key.partition(".")[0] == "game"]:
        raise BadInput("game counts for nothing in suites=[trees], whose games are P-games and sailing; leave it out")
    named = {key.partition(".")[0] for key in given.keys}
    for key, suites in COUNTED_BY.items():
        if key in named and not set(suites) & set(keys.suites):
            raise BadInput(f"{key} counts for suites {', '.join(suites[:-1])} and {suites[-1]}; leave it out")
    idle = [key for key in GRID if key in given.keys]
    if idle and "crossover" not in keys.suites:
        raise BadInput(f"{idle[0]} counts for suites=[crossover] alone; leave it out")


def prepare(config: Checked) -> None:
    """Refuse an engine that is not there."""
    from gpumcts.kernels.engines import cuda_problem, resolve

    engine = resolve(config.engine)
    for name in ON_DEVICES:
        if name in config.keys.suites and engine == "cpu":
            raise BadInput(f"suites=[{name}] needs a device: {cuda_problem()}")


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Measure, suite by suite; what is measured is written at once. Returns the summary."""
    from benchmarks import crossover
    from benchmarks.plots import plot
    from gpumcts.kernels.crossover import FILE

    bench, begin, load = _bench(config, run), time.perf_counter(), _load()
    heading = conditions(config.identity["game"]["name"], bench.engine, bench.threads, bench.repeats, load)
    rows: list[Any] = []
    cells = None
    for name in config.keys.suites:
        say(f"measuring {name} ...")
        suite: Callable[[Any], Iterable[Any]] = import_module(f"benchmarks.{name}").suite
        found = list(suite(bench))
        rows += found
        show(table(name, COLUMNS, [_cells(row) for row in found]))
        write_json(run.folder / FIGURES, [row._asdict() for row in rows])
        (run.folder / TABLE).write_text(f"{heading}\n\n{text(rows)}", "utf-8")
        if name == "crossover":
            cells = crossover.table(bench, found)
            write_json(run.folder / FILE, cells)
            show(_fastest(cells))
            with (run.folder / TABLE).open("a", encoding="utf-8") as file:
                file.write("\n" + fastest(cells))
    plot(rows, run.folder, cells)
    show(f"folder: {here(run.folder)}")
    figures = [row._asdict() for row in rows]
    seconds = time.perf_counter() - begin
    return {"figures": figures, "engine": config.engine, "repeats": bench.repeats, "seconds": seconds, "load": load}


def _bench(config: Checked, run: Run) -> Any:
    from benchmarks.measure import Bench, Grid
    from gpumcts.kernels.engines import resolve

    keys = config.keys
    missing = {name: not_installed(name) for name in keys.peers}
    for name, problem in missing.items():
        if problem:
            say(f"measured without {name}: {problem}")
    return Bench(
        config.game,
        config.identity["game"]["name"],
        "cpu" if resolve(config.engine) == "cpu" else config.engine,
        keys.threads,
        keys.repeats,
        peers=tuple(name for name, problem in missing.items() if not problem),
        folder=run.folder,
        grid=Grid(keys.trees, keys.playouts, keys.iterations),
        only=tuple(keys.only),
        checkout=Path(keys.checkout).expanduser().resolve() if keys.checkout else None,
        say=say,
    )


def _load() -> float | None:
    """Cores that were busy during the last minute, before we began; a word where it is more than a few per cent."""
    if not hasattr(os, "getloadavg"):
        return None
    load = os.getloadavg()[0]
    if load > BUSY:
        say(f"{load:.1f} of {usable_cores()} cores were busy in the last minute: rates may be low, ratios hold better")
    return load


def _cells(row: Any) -> list[str]:
    ratios, others = "\n".join(map(times, row.ratios.values())), "\n".join(row.ratios)
    return [row.what, shortened(row.median), spread(row), row.unit, ratios, others]


def _fastest(cells: dict[str, Any]) -> Any:
    """Trees by playouts a leaf: which engine to take."""
    playouts = sorted({cell["playouts"] for cell in cells["cells"]})
    rows = {cell["trees"]: [str(cell["trees"])] for cell in cells["cells"]}
    for cell in sorted(cells["cells"], key=lambda cell: cell["playouts"]):
        rows[cell["trees"]].append(cell["fastest"])
    headings = {"trees": "right"} | {f"{count} a leaf": "left" for count in playouts}
    return table("fastest engine, trees by playouts a leaf", headings, list(rows.values()))


COMMAND = Command("bench", bench_config, work, prepare)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
