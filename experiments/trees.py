"""Follow many searches of many synthetic trees: how often they would choose a wrong move, when their values converge.

    python -m experiments.trees game=pgame budget.iterations=10000
    python -m experiments.trees selection=uniform search=flat budget.iterations=10000
    python -m experiments.trees method=alpha_beta budget.iterations=100000
    python -m experiments.trees experiment=kocsis2006improved/fig4 scale=small

A move fails that is worth less than the best one: a draw for a win, a loss for a draw. Every tree is solved beforehand.
Those without a wrong move cannot fail; they count, and are not searched. Intervals are over trees. An interrupted run
goes on with the pieces that are missing. Compiling is not in ``seconds``.
"""

import sys
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from annotated_types import Interval

from experiments.analysis.headings import counted_by
from experiments.analysis.plots import trees_panel
from experiments.analysis.result_table import trees_cells
from experiments.app.command import Command, Run
from experiments.config.command_options import Memory, Seed, Threads
from experiments.config.schema import (
    OF_EXPERIMENTS,
    Checked,
    Given,
    IdleGroup,
    Plain,
    Study,
    as_json,
    game_value,
    named,
)
from experiments.config.validation import typed
from experiments.players.contract import GROUPS
from experiments.players.kinds.uct import searching_player
from experiments.players.registry import label
from experiments.runs.presentation import Presentation
from experiments.terminal.console import bar, here, say, show, stop_on_interrupt, table
from gpumcts.errors import BadInput
from gpumcts.kernels import engines
from gpumcts.match.lock import held
from gpumcts.tree.checks import check_followable
from gpumcts.tree.settings import Settings

LEAVES_AN_ITERATION = 30  # that alpha-beta visits in the time of an iteration of UCT


class TreesKeys(NamedTuple):
    """The plain keys of experiments.trees."""

    method: Literal["search", "alpha_beta", "alpha_beta_best"] = "search"
    trees: Annotated[int, Interval(ge=1, le=1_000_000)] = 200
    runs: Annotated[int, Interval(ge=1, le=1_000_000)] = 200
    points: Annotated[int, Interval(ge=1, le=1000)] = 3
    exact: bool = True
    level: Annotated[float, Interval(ge=0, le=1)] | None = None
    seed: Seed = 1
    threads: Threads = None
    memory_gb: Memory = None


def trees_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.trees."""
    groups = ("game", *GROUPS, "engine")
    keys = typed(TreesKeys, {key: value for key, value in plain.items() if key not in (*groups, *OF_EXPERIMENTS)})
    study = typed(Study, {key: plain[key] for key in Study._fields if key in plain})
    game, game_identity = game_value(plain)
    if "instance" not in game_identity:
        raise BadInput(
            f"game={game_identity['name']} has no instances; experiments.trees takes synthetic trees, such as pgame"
        )
    player = searching_player(plain, units=("iterations",))
    engine = named(plain["engine"], "engine", engines.NAMES)
    identity = {"game": game_identity, **keys._asdict(), "budget": player.identity["budget"]}
    if keys.method == "search":
        engine = _following_engine(keys, player.settings, engine)
        identity |= player.identity
    else:
        _check_alpha_beta(keys, given)
    for key in ("threads", "memory_gb"):
        del identity[key]
    name = label(player.identity) if keys.method == "search" else keys.method
    return Checked(
        as_json(identity),
        f"{game_identity['name']} {name}",
        keys,
        game=game,
        player=player,
        engine=engine,
        study=study,
        trees_at_once=keys.trees * keys.runs if keys.method == "search" else 1,
    )


def _following_engine(keys: TreesKeys, settings: Settings, engine: str) -> str:
    """The engine that follows searches: the CPU where no other can; refuses what cannot be followed."""
    check_followable(settings)
    if keys.level is not None and settings.table is not None:
        raise BadInput(f"level={keys.level}: with search.table={settings.table} a root's value is not watched")
    if keys.level is not None and engine not in ("auto", "cpu"):
        raise BadInput(f"engine={engine}: with level={keys.level} a root's value is watched, with engine=cpu alone")
    if settings.table is not None and engine not in ("auto", "cpu"):
        raise BadInput(f"engine={engine}: a search with search.table takes engine=cpu")
    return "cpu" if engine == "auto" and (keys.level is not None or settings.table is not None) else engine


def _check_alpha_beta(keys: TreesKeys, given: Given | None) -> None:
    """Refuse what does not count for alpha-beta."""
    if not keys.exact or keys.level is not None:
        raise BadInput(f"method={keys.method}: finds moves, not values; it takes exact=true and level=null")
    for group in ("playout", "selection", "backup", "search"):
        if given is None or group in given.idle:
            continue
        if any(key == group or key.startswith(f"{group}.") for key in given.keys):
            raise IdleGroup(group, f"method={keys.method}")


def prepare(config: Checked) -> None:
    """Refuse an engine that is not there, a budget that does not fit, and parts that do not go together."""
    from experiments.players.preflight import check_engine, check_memory

    check_engine(config)
    if config.keys.method == "search":
        check_memory(config)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Follow the searches, or what is left of them; returns the summary.

    Raises BadInput where another process works in the run's folder.
    """
    with held(run.folder):
        return _work(config, run)


def _work(config: Checked, run: Run) -> dict[str, Any]:
    from experiments.analysis.convergence import summarise, write_curve
    from experiments.runs.tree_searches import follow, points_of

    title = f"[{run.number}/{run.of}] {run.label}" if run.of > 1 else config.slug
    with stop_on_interrupt("stopping; finished pieces are kept ...") as stop, bar(title, 1.0) as shown:
        pieces, done = follow(config, run.folder, stop, shown.advance, shown.skip)
    summary: dict[str, Any] = {
        **summarise(pieces, points_of(config), config.keys),
        "iterations": done.iterations,
        "seconds": done.seconds,
        "seed": config.keys.seed,
        "engine": done.engine,
    }
    summary["iterations_per_second"] = summary["iterations"] / summary["seconds"] if summary["seconds"] else 0.0
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
    return "; ".join([*words, f"{summary['seconds']:.1f} s"])


def _shown(config: Checked, summary: dict[str, Any]) -> list[Any]:
    from experiments.analysis.convergence import curve_rows
    from experiments.terminal.console import counted, shortened

    rows = curve_rows(summary, counted_by([config.keys.method]))
    columns = dict.fromkeys(rows[0], "right")
    cells = [[row[name] for name in columns] for row in rows]
    decisive = f", {summary['decisive']} with a wrong move" if "decisive" in summary else ""
    trees = f"{counted(summary['trees'], 'tree')}{decisive}, {counted(config.keys.runs, 'run')} each"
    if config.keys.method == "search":
        told = f"{shortened(summary['iterations_per_second'])} iterations/s"
    else:  # ``iterations`` are budgets of leaves, which a search that ends before them does not visit
        told = f"{summary['leaves_mean']:,.0f} leaves in a whole search, on average"
    return [table(config.slug, columns, cells), f"{trees}; {brief(summary)}; {told}, seed {config.keys.seed}"]


def cost(config: Checked, folder: Path) -> float:
    """About how many iterations a run takes, 0 where all its pieces are there; leaves of alpha-beta count for less."""
    from experiments.runs.tree_searches import is_whole

    assert config.player is not None
    of_a_search = config.player.iterations / (1 if config.keys.method == "search" else LEAVES_AN_ITERATION)
    return 0.0 if is_whole(config, folder) else config.keys.trees * config.keys.runs * of_a_search


def numbers(config: Checked) -> tuple[str, ...]:
    """Those of the summary, by what the keys ask for; ``iterations_to`` a rate of failures may be null."""
    from experiments.analysis.convergence import summary_numbers

    return *summary_numbers(config.keys), "iterations", "seconds", "seed", "iterations_per_second"


COMMAND = Command(
    "trees",
    trees_config,
    work,
    prepare,
    cost=cost,
    numbers=numbers,
    results=Presentation(trees_cells, trees_panel, keys=TreesKeys),
    resumes=True,
    takes_game=lambda game: "instance" in game._fields,  # type: ignore[attr-defined]
)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
