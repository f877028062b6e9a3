"""Plan from many random states of a Markov decision problem, and tell how many samples a planner needs.

    python -m experiments.planning game.size=10
    python -m experiments.planning -m planner=uct,artdp,pg_id game.size=5,10,20
    python -m experiments.planning planner.stop=fixed planner.depth=8
    python -m experiments.planning experiment=kocsis2006bandit/fig4 scale=small

A sample is one call of the simulator. The error after so many is the mean of Q*(s, a) - V*(s), with a the action named
in state s; what is told is when it falls below the limit and stays, with a 95 % interval over states. Samples are
raised fourfold until the error was reached by half of them, or to ``samples``. A run is done in pieces of some queries
each, and one that was stopped goes on with those that are missing. Compiling is not in ``seconds``.
"""

import csv
import hashlib
import sys
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from experiments.analysis.plots import planning_panel
from experiments.analysis.result_table import planning_cells
from experiments.app.command import Command, Run
from experiments.config.command_options import Memory, Seed, Threads
from experiments.config.schema import OF_EXPERIMENTS, Checked, Given, Plain, Study, option_value
from experiments.config.validation import typed
from experiments.runs.array_files import read_npz, write_npz
from experiments.runs.presentation import Presentation
from experiments.runs.run_directory import ADVICE, SUMMARY, read_summary
from experiments.runs.work_clock import WorkClock
from experiments.terminal.console import bar, here, say, shortened, show, stop_on_interrupt, table
from gpumcts.errors import BadInput
from gpumcts.match.lock import held
from gpumcts.planning import KIND

CURVE, PIECES = "curve.csv", "pieces"
CURVES = ("points", "mean_error", "standard_error")
OF_SAMPLES = ("samples", "interval", "error", "most", "samples_per_second", "seconds")
WHOLE = {*CURVES, *OF_SAMPLES, "interrupted", "planner", "size"}
"""Keys of the summary of a run that is through."""
PIECES_A_STAGE = 20
FIRST_SAMPLES, FACTOR = 1000, 4
GROUPS = ("game", "planner")


class PlanningKeys(NamedTuple):
    """The plain keys of experiments.planning."""

    states: Annotated[int, Interval(ge=2, le=1_000_000)] = 200
    runs: Annotated[int, Interval(ge=1, le=1000)] = 1
    noise: Annotated[float, Interval(ge=0, le=1)] = 0.1
    discount: Annotated[float, Interval(gt=0, le=1)] = 1.0
    error: Annotated[float, Interval(gt=0)] = 0.1
    samples: Annotated[int, Interval(ge=1, le=1_000_000_000)] = 100_000
    seed: Seed = 1
    threads: Threads = None
    memory_gb: Memory = None


def planning_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.planning."""
    from gpumcts.games.sailing import Sailing
    from gpumcts.options import compiled

    keys = typed(PlanningKeys, {key: value for key, value in plain.items() if key not in (*GROUPS, *OF_EXPERIMENTS)})
    study = typed(Study, {key: plain[key] for key in Study._fields if key in plain})
    game, game_identity = option_value("game", plain["game"], "game")
    if not isinstance(game, Sailing):
        raise BadInput(
            f"game={game_identity['name']} is no Markov decision problem; experiments.planning takes sailing"
        )
    if given is not None and "game.patience" in given.keys:
        raise BadInput("game.patience does not count; the problem has no limit")
    planner, planner_identity = option_value(KIND, plain["planner"], KIND)
    try:
        compiled(planner)
    except BadInput as error:
        raise BadInput(f"{KIND}.{error}") from None
    identity = {"game": game_identity, "planner": planner_identity, **keys._asdict()}
    for key in ("threads", "memory_gb"):
        del identity[key]
    slug = f"{game_identity['name']} {game.size} {planner_identity['name']}"
    return Checked(identity, slug, keys, game=game, player=None, policy=planner, study=study)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Plan, unless the run is finished already; returns the summary.

    Raises BadInput where another process works in the run's folder.
    """
    with held(run.folder):
        return _work(config, run)


def _work(config: Checked, run: Run) -> dict[str, Any]:
    earlier = read_summary(run.folder) if (run.folder / SUMMARY).exists() else {}
    if earlier and not ({"interrupted"} if earlier.get("interrupted") else WHOLE) <= earlier.keys():
        raise BadInput(f"{run.folder / SUMMARY} is damaged: it is no summary of experiments.planning{ADVICE}")
    if not earlier or earlier["interrupted"]:
        title = f"[{run.number}/{run.of}] {run.label}" if run.of > 1 else config.slug
        queries = len(_stages(config.keys.samples)) * config.keys.states * config.keys.runs
        with stop_on_interrupt("stopping ...") as stop, bar(title, queries) as progress:
            try:
                earlier = _measured(config, run.folder, stop, progress)
            except KeyboardInterrupt:
                return {"interrupted": True, "seed": config.keys.seed}
        _write_curve(earlier, run.folder)
    if run.of > 1:
        say(f"[{run.number}/{run.of}] {run.label}: {brief(earlier)}  {here(run.folder)}")
    else:
        show(_table(config, earlier), brief(earlier), f"folder: {here(run.folder)}")
    return earlier


def _stages(samples: int) -> list[int]:
    """Most samples a query, one stage after the other."""
    stages = [min(FIRST_SAMPLES, samples)]
    while stages[-1] < samples:
        stages.append(min(FACTOR * stages[-1], samples))
    return stages


def _queries(config: Checked, stop: Any, progress: Any) -> tuple[Any, Any]:
    """The queries of a run in pieces, and a function from all answers (int8[Q, C]) to state errors, float64[N, C]."""
    import numpy as np

    from gpumcts.planning import study
    from gpumcts.planning.queries import Queries
    from gpumcts.planning.sailing import mdp_of
    from gpumcts.planning.value_iteration import action_values, optimal_values

    keys = config.keys
    mdp = mdp_of(config.game, keys.discount)
    values = optimal_values(mdp, on_progress=lambda sweeps, _: progress.note(f"V*, {sweeps} sweeps"), stop=stop)
    costs, states = action_values(mdp, values), study.random_states(mdp, keys.states, keys.seed)
    evaluations = study.perturbed(values, keys.noise, keys.seed, keys.runs)
    roots, runs = np.tile(states, keys.runs), np.repeat(np.arange(keys.runs), keys.states)
    draws = np.concatenate([study.query_keys(keys.seed, number, keys.states) for number in range(keys.runs)])

    def errors_of(chosen: Any) -> Any:
        found = study.errors(chosen, roots, costs, values)
        return found.reshape(keys.runs, keys.states, -1).mean(axis=0)

    size = -(-len(roots) // PIECES_A_STAGE)
    limits = config.threads, config.memory_limit
    parts = [slice(begin, begin + size) for begin in range(0, len(roots), size)]
    pieces = [Queries(mdp, config.policy, evaluations, roots[p], runs[p], draws[p], *limits) for p in parts]
    return pieces, errors_of


def _answers(pieces: list[Any], points: Any, home: Path, stop: Any, progress: Any) -> tuple[Any, float]:
    """The answers of all pieces, int8[Q, C], and the seconds they took: read where on disk, else made and written."""
    import numpy as np

    home.mkdir(exist_ok=True)
    found, seconds = [], 0.0
    for number, queries in enumerate(pieces):
        path = home / f"{int(points[-1])}-{number:02d}.npz"
        if path.exists():
            chosen, took = read_npz(path, ("chosen", "seconds"))
            progress.skip(len(chosen))
        else:
            clock = WorkClock()
            with clock.running():
                chosen = queries.answers(points, stop, progress.advance)
            took = clock.seconds
            write_npz(path, chosen=chosen, seconds=took)
        found.append(chosen)
        seconds += float(took)
    return np.concatenate(found), seconds


def _measured(config: Checked, folder: Path, stop: Any, progress: Any) -> dict[str, Any]:
    """Plan with more and more samples until they are enough; returns the summary."""
    import numpy as np

    from gpumcts.planning import study

    keys, clock, drawn, seconds, stages = config.keys, WorkClock(), 0, 0.0, iter(_stages(config.keys.samples))
    with clock.running():
        pieces, errors_of = _queries(config, stop, progress)
        while True:
            most = next(stages)
            progress.note(f"{most:,} samples a query")
            points = study.checkpoints(most)
            chosen, took = _answers(pieces, points, folder / PIECES, stop, progress)
            seconds, drawn = seconds + took, drawn + most * len(chosen)
            found = errors_of(chosen)
            needed = study.samples_needed(found, points, keys.error, keys.seed)
            if most == keys.samples or (needed.samples is not None and 2 * needed.samples <= most):
                break
    return {
        "planner": config.identity["planner"]["name"],
        "size": config.game.size,
        **needed._asdict(),
        "interval": _interval(needed.low, needed.high, most),
        "error": keys.error,
        "most": most,
        "points": points.tolist(),
        "mean_error": found.mean(axis=0).tolist(),
        "standard_error": (found.std(axis=0, ddof=1) / np.sqrt(len(found))).tolist(),
        "digest": hashlib.sha256(chosen.tobytes()).hexdigest(),
        "samples_per_second": drawn / seconds,
        "seconds": max(seconds, clock.seconds),  # those of pieces that an earlier run made too
        "interrupted": False,
        "seed": keys.seed,
        "threads": config.threads,
    }


def _interval(low: int | None, high: int | None, most: int) -> str:
    """An interval in words; an end that is None lies beyond ``most``."""
    ends = [f"> {most:,}" if end is None else f"{end:,}" for end in (low, high)]
    return ends[0] if low is None else " - ".join(ends)


def brief(summary: dict[str, Any]) -> str:
    """A run in a few words."""
    speed = f"{shortened(summary['samples_per_second'])} samples/s, {summary['seconds']:.1f} s"
    if summary["samples"] is None:
        return f"error {summary['mean_error'][-1]:.3f} after {summary['most']:,} samples; {speed}"
    needed = f"{summary['samples']:,} samples ({summary['interval']})"
    return f"error below {summary['error']:g} after {needed}; {speed}"


def _table(config: Checked, summary: dict[str, Any]) -> Any:
    columns = {"samples": "right", "error": "right", "standard error": "right"}
    rows = list(zip(*(summary[key] for key in ("points", "mean_error", "standard_error")), strict=True))
    cells = [[f"{point:,}", f"{mean:.4f}", f"{half:.4f}"] for point, mean, half in [*rows[:-1:10], rows[-1]]]
    return table(config.slug, columns, cells)


def _write_curve(summary: dict[str, Any], folder: Path) -> None:
    """The error after every checkpoint."""
    with (folder / CURVE).open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["planner", "size", "samples", "mean_error", "standard_error"])
        rows = zip(*(summary[key] for key in ("points", "mean_error", "standard_error")), strict=True)
        writer.writerows((summary["planner"], summary["size"], *row) for row in rows)


def numbers(config: Checked) -> tuple[str, ...]:
    """Those of the summary; ``samples``, ``low`` and ``high`` are null where the error was not reached."""
    needed = "samples", "low", "high"
    return "size", *needed, "error", "most", "samples_per_second", "seconds", "seed", "threads"


def _is_planned_in(game: type) -> bool:
    from gpumcts.games.sailing import Sailing

    return issubclass(game, Sailing)


COMMAND = Command(
    "planning",
    planning_config,
    work,
    numbers=numbers,
    results=Presentation(planning_cells, planning_panel, partial=False, keys=PlanningKeys),
    resumes=True,
    takes_game=_is_planned_in,
)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
