"""Hydra's launchers and sweepers play what the basic ones do: equal digests, labels, tables; a bad wish is one line."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.utils import JobReturn, JobStatus
from omegaconf import OmegaConf
from omegaconf.errors import InterpolationResolutionError

from experiments.app import launchers, ray_settings
from experiments.app.error_messages import one_line
from experiments.app.failed_runs import Watch
from experiments.app.sweeps import folder_of_study
from experiments.app.task import Task, objective_of, task_of
from experiments.config.schema import usable_cores
from experiments.runs.run_directory import digest
from gpumcts.errors import BadInput
from hydra_plugins.gpumcts_watched_launcher import WatchedLauncher

ROOT = Path(__file__).resolve().parents[3]
SWEEP = "match backup=average,accelerated games=4 game=dots_and_boxes budget.iterations=20 seed=3"
PLUGINS = {"joblib": "joblib", "submitit_local": "submitit", "ray": "ray", "optuna": "optuna"}


def needs(extra):
    """Skip where an extra is not installed; in CI that is a failure, so that nothing goes untested unseen."""
    found = {module for (_, _), (name, module) in launchers.EXTRAS.items() if name == extra}
    if not all(map(launchers._is_there, found)):
        (pytest.fail if os.environ.get("CI") == "true" and extra != "ray" else pytest.skip)(f"extra {extra}")


def command(line, folder, *more):
    """The command in a process of its own, whose warnings are its own too."""
    folder.mkdir(exist_ok=True)
    name, *words = line.split()
    return subprocess.run(
        [sys.executable, "-m", f"experiments.{name}", *words, *more],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "160"}, capture_output=True, text=True,
    )  # fmt: skip


def summaries(folder):
    found = {path.parent.name: json.loads(path.read_text()) for path in folder.glob("multirun/*/*/summary.json")}
    return dict(sorted(found.items()))


def provenances(folder):
    return [json.loads(path.read_text()) for path in sorted(folder.glob("multirun/*/*/provenance.json"))]


def rows_of(out):
    return [line.split()[0] for line in out.splitlines() if line.startswith(" backup=")]


@pytest.mark.parametrize(
    "launcher",
    ["joblib", pytest.param("submitit_local", marks=pytest.mark.slow), pytest.param("ray", marks=pytest.mark.slow)],
)
def test_every_launcher_plays_the_same_games(launcher, run, tmp_path):
    """Flags may stand behind overrides; runs at a time share the cores; the table is there, in the sweep's order."""
    needs(PLUGINS[launcher])
    assert run(f"{SWEEP} -m").code == 0
    done = command(f"{SWEEP} hydra/launcher={launcher} -m", tmp_path / "other")
    assert done.returncode == 0, done.stderr
    here, there = summaries(tmp_path), summaries(tmp_path / "other")
    assert list(here) == list(there) and len(here) == 2
    assert [one["digest"] for one in here.values()] == [one["digest"] for one in there.values()]
    assert {one["label"] for one in provenances(tmp_path / "other")} == {"backup=average", "backup=accelerated"}
    assert rows_of(done.stdout) == ["backup=average", "backup=accelerated"]
    (sweep,) = (tmp_path / "other/multirun").iterdir()
    assert {"table.csv", "table.parquet", "plot.png"} <= {path.name for path in sweep.iterdir()}
    assert {one["threads"] for one in provenances(tmp_path / "other")} == {max(1, usable_cores() // 2)}


@pytest.mark.slow
@pytest.mark.parametrize("line", ["trees game.depth=6 trees=8 runs=2 budget.iterations=20", "planning game.size=2,3"])
def test_runs_side_by_side_have_a_lock_each(line, tmp_path):
    needs("joblib")
    done = command(f"{line} hydra/launcher=joblib hydra.launcher.n_jobs=2 seed=1,2 threads=1 -m", tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(summaries(tmp_path)) == (4 if "," in line else 2)


@pytest.mark.slow
@pytest.mark.parametrize("space", ["interval(0.9,0.9999)", "choice(0.9,0.99)"])
def test_optuna_looks_for_the_greatest_objective(space, tmp_path):
    needs("optuna")
    words = "match -m games=4 game=dots_and_boxes budget.iterations=20 backup=accelerated hydra/sweeper=optuna"
    done = command(f"{words} hydra.sweeper.n_trials=3 objective=win_rate", tmp_path, f"backup.decay={space}")
    assert done.returncode == 0, done.stderr
    (sweep,) = (tmp_path / "multirun").iterdir()
    for path in sweep.glob("*/provenance.json"):
        record = json.loads(path.read_text())
        assert record["label"] == f"backup.decay={record['identity']['backup']['decay']}"
    best = max(one["win_rate"] for one in summaries(tmp_path).values())
    assert f"best_value: {best}" in (sweep / "optimization_results.yaml").read_text()
    assert "best: backup.decay=" in done.stdout and (sweep / "plot.png").exists()


def numbers_of(sweep):
    """Decays of the trials that lie in the folder of a sweep."""
    return sorted(json.loads(path.read_text())["label"] for path in sweep.glob("*/provenance.json"))


@pytest.mark.slow
def test_optuna_draws_the_same_trials_under_the_same_seed(tmp_path):
    """The same command again plays nothing, one of more trials plays these; another seed is another study."""
    needs("optuna")
    words = "playouts -m count=20 threads=1 engine=cpu hydra/sweeper=optuna objective=mean_plies"
    words += " hydra.sweeper.n_trials=3 playout=minimax playout.depth=1"
    for _ in range(2):
        assert command(words, tmp_path, "playout.epsilon=interval(0.1,0.9)").returncode == 0
        (sweep,) = (tmp_path / "multirun").iterdir()
        assert len(numbers_of(sweep)) == 3
    first, more = numbers_of(sweep), words.replace("n_trials=3", "n_trials=4")
    assert command(more, tmp_path, "playout.epsilon=interval(0.1,0.9)").returncode == 0
    assert list((tmp_path / "multirun").iterdir()) == [sweep]
    assert len(numbers_of(sweep)) == 4 and {*first} < {*numbers_of(sweep)}
    assert command(f"{words} seed=2", tmp_path, "playout.epsilon=interval(0.1,0.9)").returncode == 0
    (other,) = {*(tmp_path / "multirun").iterdir()} - {sweep}
    assert len(numbers_of(other)) == 3 and not {*numbers_of(other)} & {*numbers_of(sweep)}


def test_a_study_lies_where_one_of_fewer_trials_does(tmp_path):
    def named(line):
        given = OverridesParser.create().parse_overrides(line.split())
        return folder_of_study(tmp_path / "match", {"seed": 1}, given)

    eight, twelve = (named(f"seed=1 hydra.sweeper.n_trials={trials}") for trials in (8, 12))
    assert eight == twelve == named("seed=1") != named("seed=1 hydra.sweeper.n_jobs=2")
    earlier = tmp_path / f"match-{digest([{'seed': 1}, ['hydra.sweeper.n_trials=8', 'seed=1']])}"
    earlier.mkdir()
    assert named("seed=1 hydra.sweeper.n_trials=8") == earlier != named("seed=1 hydra.sweeper.n_trials=9")


@pytest.mark.parametrize(
    ("sweeper", "words", "seed", "expected"),
    [
        ({"sampler": {"seed": None}}, [], 7, ["hydra.sweeper.sampler.seed=7"]),
        ({"sampler": {"seed": None}, "storage": None}, ["seed=7"], 7, ["hydra.sweeper.sampler.seed=7"]),
        ({"sampler": {"seed": None}}, [], 2**32 + 5, ["hydra.sweeper.sampler.seed=5"]),
        ({"sampler": {"seed": None}}, ["hydra.sweeper.sampler.seed=null"], 7, []),
        ({"sampler": {"seed": 3}}, [], 7, []),
        ({"sampler": {"seed": None}, "storage": "sqlite:///study.db"}, [], 7, []),
        ({"sampler": {"_target_": "optuna.samplers.GridSampler"}}, [], 7, []),
        ({"sampler": {"seed": None}}, [], None, []),
        ({}, [], 7, []),
    ],
)
def test_a_sampler_has_the_seed_of_the_run_unless_it_is_given_one(sweeper, words, seed, expected):
    assert launchers.sampler_seed(sweeper, OverridesParser.create().parse_overrides(words), seed) == expected


def test_a_sweep_grows_by_what_is_missing(run, tmp_path):
    """A further value, one that is there already, and repeated ones: one folder, each run once, no clock goes on."""
    assert run("playouts -m count=20,30 threads=1").code == 0
    assert run("match -m games=2 game=dots_and_boxes budget.iterations=9 seed=1,2,1").code == 0
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("multirun/match-*/*/moves.jsonl")}
    seconds = {name: one["seconds"] for name, one in summaries(tmp_path).items() if name.startswith("dots")}
    assert len(before) == 2
    done = run("match -m games=2 game=dots_and_boxes budget.iterations=9 seed=1,3,2")
    assert done.code == 0, done.err
    (sweep,) = tmp_path.glob("multirun/match-*")
    runs = [path for path in sweep.iterdir() if path.is_dir()]
    assert len(runs) == 3 and all(path.stat().st_mtime_ns == stamp for path, stamp in before.items())
    assert {name: summaries(tmp_path)[name]["seconds"] for name in seconds} == seconds
    assert [line.split()[0] for line in done.out.splitlines() if line.startswith(" seed=")] == [
        "seed=1", "seed=3", "seed=2",
    ]  # fmt: skip
    assert run("match -m games=2 game=dots_and_boxes budget.iterations=8 seed=1,2").code == 0
    assert len(list(tmp_path.glob("multirun/match-*"))) == 2  # another sweep has a folder of its own


def test_a_task_goes_to_another_process_and_knows_its_command_there():
    import pickle

    task = Task("match", "experiments.match", ("backup",), 4, 2)
    text = f"import pickle; t = pickle.loads({pickle.dumps(task)!r}); from experiments.app.task import COMMANDS; "
    done = subprocess.run(
        [sys.executable, "-c", text + "print(t, 'match' in COMMANDS)"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == f"{task} True" and task_of("match", "experiments.match", (), 1, 1).name == "match"


@pytest.mark.parametrize(
    ("choices", "launcher", "sweeper", "runs", "expected"),
    [
        ({}, {}, {}, 9, 1),
        ({"hydra/launcher": "basic"}, {}, {}, 9, 1),
        ({"hydra/launcher": "joblib"}, {"n_jobs": 3}, {}, 9, 3),
        ({"hydra/launcher": "joblib"}, {"n_jobs": 3}, {}, 2, 2),
        ({"hydra/launcher": "joblib"}, {"n_jobs": -1}, {}, 10**6, usable_cores()),
        ({"hydra/launcher": "submitit_local"}, {}, {}, 5, 5),
        ({"hydra/launcher": "submitit_slurm"}, {}, {}, 5, 1),
        ({"hydra/launcher": "ray"}, {"ray": {"init": {"num_cpus": 3}, "remote": {}}}, {}, 9, 3),
        ({"hydra/launcher": "ray"}, {"ray": {"init": {"num_cpus": 3}, "remote": {}}}, {}, 2, 2),
        ({"hydra/launcher": "joblib", "hydra/sweeper": "optuna"}, {"n_jobs": 3}, {"n_jobs": 2}, 9, 2),
    ],
)
def test_runs_at_a_time(choices, launcher, sweeper, runs, expected):
    assert launchers.at_once(choices, launcher, sweeper, runs) == expected


def test_an_objective_is_a_number_of_the_summary():
    summary = {"win_rate": 0.5, "digest": "x", "interrupted": False, "player": {"moves": 3}}
    assert objective_of(None, summary) is None
    assert objective_of("win_rate", summary) == 0.5 and objective_of("player.moves", summary) == 3.0
    for key in ("digest", "interrupted", "nothing"):
        with pytest.raises(BadInput, match=f"objective={key}: this run has no such number; it has win_rate, player"):
            objective_of(key, summary)


def test_a_sweeper_that_looks_for_the_best_needs_to_know_of_what(run, tmp_path):
    needs("optuna")
    done = run("match -m hydra/sweeper=optuna seed=1,2")
    assert done.code == 2 and done.err == "error: hydra/sweeper=optuna: give objective=..., as objective=win_rate\n"
    assert not (tmp_path / "multirun").exists()


@pytest.mark.parametrize("word", ["n_trials=0", "n_jobs=0", "n_jobs=-1", "max_failure_rate=1.5"])
def test_a_number_of_a_study_out_of_range_is_one_line_and_leaves_nothing(run, tmp_path, word):
    needs("optuna")
    done = run(f"match -m hydra/sweeper=optuna objective=win_rate seed=1,2 hydra.sweeper.{word}")
    said = f"error: hydra.sweeper.{word}: must be {'a number in [0, 1]' if '.' in word else 'an integer above 0'}\n"
    assert (done.code, done.out, done.err, list(tmp_path.iterdir())) == (2, "", said, [])


@pytest.mark.parametrize("direction", ["max", "null", "[]", "[minimize,maximize]"])
def test_a_direction_that_is_none_is_one_line(run, tmp_path, direction):
    """Of two directions no trial counted, and the sweep ended without a best one or a word."""
    needs("optuna")
    done = run(f"match -m hydra/sweeper=optuna objective=win_rate seed=1,2 hydra.sweeper.direction={direction}")
    said = f"error: hydra.sweeper.direction={direction}: must be minimize or maximize\n"
    assert (done.code, done.out, done.err, list(tmp_path.iterdir())) == (2, "", said, [])


@pytest.mark.parametrize("choice", ["basic", "ray"])
def test_a_run_that_a_sweeper_draws_twice_at_a_time_is_done_once(choice, monkeypatch):
    """Of two runs at once in one folder the second would be refused, and the study would end; Ray is started before."""
    launched, watch, started = [], Watch(4, ""), []
    monkeypatch.setattr(ray_settings, "start", lambda keys: started.append((keys, len(launched))))

    class Chosen:
        def launch(self, rows, initial_job_idx):
            launched.extend(rows)
            return [JobReturn(row, status=JobStatus.COMPLETED, _return_value=float(row[0][-1])) for row in rows]

    launcher = WatchedLauncher()
    launcher.launcher, launcher.watch, launcher.swept = Chosen(), watch, ("seed",)
    keys = {"ray": {"init": {}, "remote": {}}}
    launcher.config = OmegaConf.create(
        {"hydra": {"runtime": {"choices": {"hydra/launcher": choice}}, "launcher": keys}}
    )
    rows = [["seed=1"], ["seed=2"], ["seed=1"], ["seed=1"]]
    assert [job.return_value for job in launcher.launch(rows, 0)] == [1.0, 2.0, 1.0, 1.0]
    assert launched == [["seed=1"], ["seed=2"]] and watch.launched == 4
    assert started == ([(keys, 0)] if choice == "ray" else [])


def test_a_launcher_that_fails_is_one_line(tmp_path):
    """A launcher that cannot start is no fault of a run: no traceback, and another one plays the sweep there."""
    needs("submitit")
    failed = command(f"{SWEEP} hydra/launcher=submitit_local hydra.launcher.submitit_folder=/dev/null/x -m", tmp_path)
    errors = [line for line in failed.stderr.splitlines() if line.startswith("error: ")]
    assert failed.returncode == 1 and "Traceback" not in failed.stderr, failed.stderr
    assert len(errors) == 1 and errors[0].startswith(
        "error: hydra/launcher=submitit failed: NotADirectoryError: [Errno"
    )
    assert command(f"{SWEEP} -m", tmp_path).returncode == 0 and len(summaries(tmp_path)) == 2


@pytest.mark.parametrize(
    ("extra", "launcher"),
    [
        ("joblib", "hydra/launcher=joblib hydra.launcher.n_jobs=2"),
        pytest.param("ray", "hydra/launcher=ray", marks=pytest.mark.slow),
    ],
)
def test_a_sweep_of_which_a_run_fails_in_a_worker_ends_with_its_table(run, tmp_path, extra, launcher):
    """A folder lies where the run writes a file: a fault that another process meets too."""
    needs(extra)
    line = "playouts -m count=20 seed=1,2 threads=1 engine=cpu hydra.sweep.dir=sweep"
    assert run(line).code == 0
    (planted,) = (path for path in (tmp_path / "sweep").glob("*/config.yaml") if "\nseed: 2" in path.read_text())
    for name in ("config.yaml", "summary.json"):
        (planted.parent / name).unlink()
    planted.mkdir()
    done = command(f"{line} {launcher}", tmp_path)
    errors = [line for line in done.stderr.splitlines() if "rror" in line]
    assert done.returncode == 1 and len(errors) == 1, done.stderr
    assert errors[0].startswith("error: [2/2] seed=2: IsADirectoryError: ")
    assert errors[0].endswith(f"{planted.parent.relative_to(tmp_path)}/traceback.txt has the traceback")
    assert [line.split()[0] for line in done.stdout.splitlines() if line.startswith(" seed=")] == ["seed=1"]
    assert done.stdout.splitlines()[-1] == "table.csv, table.parquet, plot.png in sweep"


@pytest.mark.parametrize(
    ("word", "wanted"),
    [("n_jobs=two", "an integer"), ("n_jobs=1.5", "an integer"), ("timeout=soon", "a number")],
)
def test_a_wrong_type_of_a_launchers_key_is_one_line(run, tmp_path, word, wanted):
    needs("joblib")
    done = run(f"match -m seed=1,2 hydra/launcher=joblib hydra.launcher.{word}")
    said = f"error: hydra.launcher.{word}: must be {wanted}\n"
    assert (done.code, done.out, done.err, list(tmp_path.iterdir())) == (2, "", said, [])


@pytest.mark.parametrize(
    ("extra", "words", "said"),
    [
        ("", "+hydra.launcher.n_jobs=2", "n_jobs: unknown key; hydra/launcher=basic has no keys"),
        (
            "joblib",
            "hydra/launcher=joblib +hydra.launcher.job=2",
            "job: unknown key; hydra/launcher=joblib has n_jobs, ",
        ),
        ("ray", "hydra/launcher=ray +hydra.launcher.n_jobs=2", "n_jobs: unknown key; hydra/launcher=ray has ray"),
    ],
)
def test_a_key_that_a_launcher_does_not_have_is_one_line(run, tmp_path, extra, words, said):
    if extra:
        needs(extra)
    done = run(f"match -m seed=1,2 {words}")
    assert (done.code, done.out, [*tmp_path.iterdir()]) == (2, "", [])
    assert done.err.startswith(f"error: hydra.launcher.{said}") and done.err.count("\n") == 1


def test_an_error_that_a_worker_sends_is_told_without_its_traceback():
    error = InterpolationResolutionError("KeyError raised while resolving interpolation: 'match'")
    error.__cause__ = RuntimeError("""Traceback (most recent call last):\n  File "x.py", line 1\nKeyError: 'match'""")
    assert one_line(error) == "KeyError raised while resolving interpolation: 'match'"


def raised_through(*modules):
    """An error that the last of some modules raised, each called by the one before it."""
    inner = "raise RuntimeError('of its own.')"
    for module in reversed(modules):
        space = {"__name__": module}
        exec(f"def call():\n    {inner if isinstance(inner, str) else 'inner()'}", space | {"inner": inner}, space)
        inner = space["call"]
    try:
        inner()
    except RuntimeError as error:
        return error


JOBLIB, OPTUNA = "hydra_plugins.hydra_joblib_launcher._core", "hydra_plugins.hydra_optuna_sweeper._impl"


@pytest.mark.parametrize(
    ("modules", "said"),
    [
        (["experiments.match"], None),
        ([launchers.LAUNCH, JOBLIB], "hydra/launcher=joblib failed: RuntimeError: of its own"),
        ([OPTUNA, "optuna.study"], "hydra/sweeper=optuna failed: RuntimeError: of its own"),
        ([OPTUNA, launchers.LAUNCH, JOBLIB], "hydra/launcher=joblib failed: RuntimeError: of its own"),
        ([launchers.LAUNCH, "ray._private.worker"], "hydra/launcher=ray failed: RuntimeError: of its own"),
        ([OPTUNA, launchers.LAUNCH, "experiments.app.command"], None),
    ],
)
def test_an_error_of_a_launcher_or_a_sweeper_is_told_apart_from_ours(modules, said):
    assert launchers.failure(raised_through(*modules)) == said
