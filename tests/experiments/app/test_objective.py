"""``objective=`` names a number of a command's summary.

What each command declares is what its summaries have, and a name that is none of them is told before anything runs.
"""

import importlib
import json
from importlib.util import find_spec

import pytest

from experiments.app.flags import parsed
from experiments.app.sweeps import BEST, best_of
from experiments.app.task import COMMANDS
from experiments.runs.results import flat

OTHELLO = "game=othello data.games=2 data.from_ply=50"
RUNS = [
    "perft depth=1",
    "playouts count=20 threads=1 engine=cpu",
    "search budget.iterations=20 threads=1 engine=cpu",
    "match games=2 budget.iterations=9 game=dots_and_boxes threads=1 engine=cpu",
    "planning states=4 samples=100 game.size=3 threads=1",
    "trees trees=3 runs=2 budget.iterations=20 game.depth=4 threads=1 engine=cpu",
    "trees trees=3 runs=2 budget.iterations=20 game.depth=4 threads=1 engine=cpu level=0.5 exact=false",
    "trees trees=3 runs=2 budget.iterations=20 game.depth=4 threads=1 engine=cpu method=alpha_beta",
    f"traps {OTHELLO} deep=3 strategy=1 threads=1",
    f"rank {OTHELLO} reference=minimax_3 methods=[minimax_3,evaluation] threads=1",
]
DEAR = ("rank", "trees trees=3 runs=2 budget.iterations=20 game.depth=4 threads=1 engine=cpu level=0.5")
BY_DATA = {"trees": ("iterations_to_decisive",), "rank": ("differences",)}
"""Numbers that a summary may have beside those that are declared: they are there for some data alone."""


def declared(line: str) -> tuple[str, ...]:
    """The numbers that the command of a line declares for its run."""
    name, *words = line.split()
    command = importlib.import_module(f"experiments.{name}").COMMAND
    (job,), _ = command._jobs(parsed(words))
    return command.numbers(job.checked)


@pytest.mark.parametrize(
    "line", [pytest.param(line, marks=pytest.mark.slow if line.startswith(DEAR) else ()) for line in RUNS]
)
def test_what_a_command_declares_is_what_its_summary_has(run, only, line):
    done = run(line)
    assert done.code == 0, done.err
    summary = flat(json.loads(only("outputs/*/*/summary.json").read_text()))
    numbers = {name for name, value in summary.items() if type(value) in (int, float)}
    nulls = {name for name, value in summary.items() if value is None}
    said = declared(line)
    assert len(set(said)) == len(said) and set(said) <= numbers | nulls
    assert {name for name in numbers - set(said) if not name.startswith(BY_DATA.get(line.split()[0], ()))} == set()


def test_every_command_with_results_declares_its_numbers():
    for line in RUNS:
        importlib.import_module(f"experiments.{line.split()[0]}")
    shown = {name for name, command in COMMANDS.items() if command.results.gathered}
    assert shown <= {line.split()[0] for line in RUNS}


LAUNCHERS = {"": "", "hydra/launcher=joblib": "hydra_joblib_launcher", "hydra/launcher=ray": "hydra_ray_launcher"}
LAUNCHERS |= {
    "hydra/launcher=submitit_local": "hydra_submitit_launcher",
    "hydra/sweeper=optuna": "hydra_optuna_sweeper",
}


@pytest.mark.parametrize("words", LAUNCHERS)
def test_a_wrong_objective_is_one_line_before_anything_runs(run, tmp_path, words):
    if (plugin := LAUNCHERS[words]) and not find_spec(f"hydra_plugins.{plugin}"):
        pytest.skip(f"{plugin} is not installed")
    done = run(f"match -m seed=1,2 objective=win_rat {words}")
    said = "error: objective=win_rat: the summary has no such number (did you mean win_rate?); it has games, wins, "
    assert (done.code, done.out) == (2, "") and done.err.startswith(said) and done.err.count("\n") == 1, done.err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("playouts count=20 objective=win_rate", "it has playouts, playouts_per_second, mean_plies, "),
        ("playouts count=20 objective=3", "objective=3: the summary has no such number; it has playouts, "),
        ("doctor objective=cores", "objective=cores: experiments.doctor has no number to look for"),
    ],
)
def test_a_wrong_objective_of_a_single_run_is_one_line(run, tmp_path, line, said):
    done = run(line)
    assert (done.code, done.out) == (2, "") and said in done.err and done.err.count("\n") == 1, done.err
    assert not list(tmp_path.iterdir())


def test_the_best_of_a_study_has_four_digits_and_says_where_all_are(tmp_path, monkeypatch):
    """No number reads as another one: 0.99999 is not 1."""
    monkeypatch.chdir(tmp_path)

    def best(params):
        (tmp_path / BEST).write_text(f"name: optuna\nbest_params: {params}\nbest_value: 0.6123456789\n")
        (line,) = best_of(tmp_path)
        return line.partition("; ")[0]

    drawn = "{selection.exploration: 0.7123456789012, backup.decay: 0.999991234, budget.iterations: 12345, backup: mix}"
    words = "selection.exploration=0.7123 backup.decay=0.99999 budget.iterations=12345 backup=mix"
    assert best(drawn) == f"best: {words} (all digits: {BEST}), 0.6123"
    assert best("{search.solve: true}") == "best: search.solve=true, 0.6123"
    assert best("{backup.decay: 0.5}") == "best: backup.decay=0.5, 0.6123"
