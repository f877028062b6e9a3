"""Sweeps over keys that decide no result: each run has its own folder by its values, and none is shown as another."""

import json
from pathlib import Path

import pytest
import yaml

from experiments.app.sweeps import Job
from experiments.app.told_apart import told_apart, told_by
from experiments.config.command_options import MatchKeys
from experiments.config.schema import Checked

MATCH = "match -m budget.iterations=3 engine=cpu"


@pytest.fixture(autouse=True)
def no_table(monkeypatch):
    """The table and the plot that a sweep ends with take longer than all these matches."""
    monkeypatch.setattr("experiments.analysis.sweep_report.conclude", lambda folder: [])


def made(folder):
    """Of each run below a folder, by name: games and threads as configured, games of the summary, threads at work."""
    found = {}
    for path in sorted(folder.rglob("summary.json")):
        config, record = (path.with_name(name).read_text() for name in ("config.yaml", "provenance.json"))
        config, record = yaml.safe_load(config), json.loads(record)
        games = json.loads(path.read_text())["games"]
        found[path.parent.name.split("-")[-1]] = (config["games"], config["threads"], games, record["threads"])
    return found


def test_sweeps_over_other_keys_do_not_meet_in_a_folder(run, tmp_path):
    assert run(f"{MATCH} games=2,4 threads=1").code == 0
    first = made(tmp_path)
    assert first == {"games=2": (2, 1, 2, 1), "games=4": (4, 1, 4, 1)}
    assert "finished before" not in run(f"{MATCH} threads=1,2 games=2").err
    both = first | {"threads=1": (2, 1, 2, 1), "threads=2": (2, 2, 2, 2)}
    assert made(tmp_path) == both and len([*tmp_path.glob("multirun/*")]) == 2
    assert run(f"{MATCH} threads=2,1 games=2").err.count("finished before") == 2
    assert run(f"{MATCH} games=2,4,6 threads=1").err.count("finished before") == 2
    assert made(tmp_path) == both | {"games=6": (6, 1, 6, 1)}


def test_runs_that_were_named_by_their_place_go_on_under_the_same_values_alone(run, tmp_path):
    """So sweeps named them before: the place says nothing of the values, which their records do."""
    line = f"{MATCH} games=2 hydra.sweep.dir=here"
    assert run(f"{line} threads=1,2").code == 0
    for place in (0, 1):
        (path,) = (tmp_path / "here").glob(f"*-threads={place + 1}")
        path.rename(path.with_name(path.name.replace(f"-threads={place + 1}", f"-{place}")))
    assert run(f"{line} threads=1,2").err.count("finished before") == 2
    assert made(tmp_path) == {"0": (2, 1, 2, 1), "1": (2, 2, 2, 2)}
    assert "finished before" not in run(f"{line} threads=2,1").err
    assert made(tmp_path).keys() == {"0", "1", "threads=1", "threads=2"}


def job(name="one", **plain):
    return Job(Checked({"name": name}, "slug", MatchKeys()), Path(name), plain)


@pytest.mark.parametrize(
    ("jobs", "names", "subdir"),
    [
        ([job(engine={"name": "cpu"}), job(engine={"name": "cuda"})], ["-engine=cpu", "-engine=cuda"], ":engine}"),
        ([job(games=4.0, k=1), job(games=8, k=1)], ["-games=4", "-games=8"], ":games}"),
        ([job(games=4, k=1), job("two", games=4, k=2), job(games=5, k=1)], ["-games=4", "-games=4", "-games=5"], None),
        ([job(games=4, k=None), job(games=4, k=2)], ["-k=null", "-k=2"], ":k}"),
        ([job(games=4), job(games=4)], ["-0", "-1"], ":}-${hydra.job.num}"),
    ],
)
def test_names_have_the_values_in_which_runs_of_one_folder_differ(tmp_path, jobs, names, subdir):
    found, override = told_apart(jobs, ["engine", "k", "games"], lambda jobs: tmp_path)
    digests = ["-".join(each.folder.name.split("-")[:2]) for each in found]
    assert [each.folder.name for each in found] == [f"{d}{name}" for d, name in zip(digests, names, strict=True)]
    assert override == f"hydra.sweep.subdir='${{run_folder{subdir or ':games}'}'"


def test_a_sweeper_that_draws_keeps_runs_apart_by_the_keys_that_decide_nothing():
    checked = Checked({"seed": 1, "game": {}}, "slug", MatchKeys())
    assert told_by(checked, ["threads", "seed", "game", "backup.decay", "engine"]) == [
        "hydra.sweep.subdir='${run_folder:threads,engine}'"
    ]
    assert told_by(checked, ["seed", "backup.decay"]) == []


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        ("hydra.run.dir=here", "-m seed=1,2 hydra.sweep.dir=here", "a run; choose another folder for a sweep"),
        ("-m seed=1,2 hydra.sweep.dir=here", "hydra.run.dir=here", "a sweep; choose another folder for a run"),
    ],
)
def test_a_run_and_a_sweep_do_not_share_a_folder(run, tmp_path, first, second, told):
    """The tables of the sweep would have the run as a cell."""
    line = "match games=2 budget.iterations=3 engine=cpu threads=1"
    assert run(f"{line} {first}").code == 0
    before, done = made(tmp_path), run(f"{line} {second}")
    assert done.code == 2 and done.err == f"error: here holds {told} ({second.split()[-1].partition('=')[0]})\n"
    assert made(tmp_path) == before
    assert "finished before" in run(f"{line} {first}").err
