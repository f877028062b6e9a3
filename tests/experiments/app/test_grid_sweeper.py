"""Our own sweeper makes the runs of Hydra's basic one, composes none twice, and tells refused runs in one line."""

import importlib
import json
from pathlib import Path

import pytest
from hydra.core.plugins import Plugins
from hydra.plugins.sweeper import Sweeper

from experiments.app.repeats import repeated
from experiments.app.sweeps import Job
from experiments.config.schema import Checked
from gpumcts.errors import BadInput

SWEEP = "playouts -m count=1 seed=1,2 threads=1 engine=cpu"


@pytest.fixture
def told(monkeypatch):
    """Batches that a sweeper has Hydra compose to see whether it can."""
    found = []
    monkeypatch.setattr(Sweeper, "validate_batch_is_legal", lambda sweeper, batch: found.append(batch))
    return found


def names(folder):
    return sorted(path.parent.name for path in folder.glob("multirun/*/*/summary.json"))


def test_the_runs_of_a_sweep_are_those_of_the_basic_sweeper(run, tmp_path, told):
    assert run(f"{SWEEP} hydra.sweeper.max_batch_size=1").code == 0
    assert told == []
    before = {path: path.stat().st_mtime_ns for path in tmp_path.glob("multirun/*/*/config.yaml")}
    assert run(f"{SWEEP} hydra/sweeper=basic").code == 0
    assert len(told) == 1 and len(told[0]) == 2
    assert before.keys() == {*tmp_path.glob("multirun/*/*/config.yaml")} and len(names(tmp_path)) == 2


def test_hydra_finds_it_as_a_plugin():
    assert "GridSweeper" in {sweeper.__name__ for sweeper in Plugins.instance().discover(Sweeper)}


@pytest.mark.parametrize(
    ("words", "labels"),
    [
        ("seed=1,1.0,1e0", ["seed=1"]),
        ("seed=2,1 playout.truncate=0,0.0", ["seed=2 playout.truncate=0", "seed=1 playout.truncate=0"]),
        ("seed=1,1.0 threads=1,2", ["seed=1 threads=1", "seed=1 threads=2"]),
        ("seed=1,1.0 hydra.sweep.subdir='${hydra.job.num}'", ["seed=1"]),
        ("hydra.sweeper.max_batch_size=1 seed=1,1.0,2", ["seed=1", "seed=2"]),
    ],
)
def test_a_value_written_in_two_ways_is_one_run(run, tmp_path, words, labels):
    done = run("playouts -m count=1 engine=cpu", *words.split())
    assert done.code == 0, done.err
    records = [json.loads(path.read_text()) for path in tmp_path.glob("multirun/*/*/provenance.json")]
    found = sorted((record["number"], record["label"]) for record in records)
    assert found == [(number, label) for number, label in enumerate(labels, 1)]


def test_runs_of_one_identity_and_other_keys_are_no_repeats():
    def job(seed, **plain):
        return Job(Checked({"seed": seed}, "", None), Path("any"), {"seed": seed, **plain})

    assert repeated([job(1), job(1.0), job(2), job(1)]) == [3]  # 1.0 in an identity is another one
    assert repeated([job(1, games=2), job(1, games=4), job(1, games=4.0), job(1, games="4")]) == [2]


def refusing(monkeypatch, seeds):
    """Runs of some seeds are refused once their work begins."""
    command = importlib.import_module("experiments.playouts").COMMAND
    work = command.work

    def refused(config, run):
        if config.keys.seed in seeds:
            raise BadInput(f"seed={config.keys.seed}: it is refused")
        return work(config, run)

    monkeypatch.setattr(command, "work", refused)


def errors(done):
    return [line for line in done.err.splitlines() if "rror" in line]


@pytest.mark.parametrize(
    ("sweeper", "seeds"),
    [
        ("grid", (1,)),
        *(
            pytest.param(*case, marks=pytest.mark.slow)
            for case in [("grid", (2,)), ("grid", (1, 2)), ("basic", (1,)), ("basic", (2,)), ("basic", (1, 2))]
        ),
    ],
)
def test_a_sweep_with_refused_runs_ends_with_its_table_and_a_line_for_each(run, tmp_path, monkeypatch, seeds, sweeper):
    refusing(monkeypatch, seeds)
    done = run(f"{SWEEP} hydra/sweeper={sweeper}")
    assert (done.code, errors(done)) == (2, [f"error: [{seed}/2] seed={seed}: it is refused" for seed in seeds])
    assert done.err.splitlines()[-len(seeds) :] == errors(done)
    played = [f"seed={seed}" for seed in (1, 2) if seed not in seeds]
    assert [line.split()[0] for line in done.out.splitlines() if line.startswith(" seed=")] == played
    assert len(names(tmp_path)) == len(played)
    files = {path.name for path in tmp_path.glob("multirun/*/*") if path.is_file()}
    assert {"table.csv", "table.parquet", "plot.png"} & files == (
        {"table.csv", "table.parquet", "plot.png"} if played else set()
    )


def test_a_sweep_goes_on_after_a_fault_and_keeps_its_traceback_in_a_file(run, tmp_path, monkeypatch):
    command = importlib.import_module("experiments.playouts").COMMAND
    work = command.work
    faulty = [1]

    def fails(config, run):
        if config.keys.seed in faulty:
            raise ZeroDivisionError("a fault\nof two lines")
        return work(config, run)

    monkeypatch.setattr(command, "work", fails)
    done = run(SWEEP)
    (file,) = tmp_path.glob("multirun/*/*/traceback.txt")
    said = (
        f"error: [1/2] seed=1: ZeroDivisionError: a fault of two lines; {file.relative_to(tmp_path)} has the traceback"
    )
    assert (done.code, errors(done)) == (1, [said])
    assert "in fails" in file.read_text() and "ZeroDivisionError: a fault" in file.read_text()
    assert " seed=2" in done.out and " seed=1" not in done.out
    faulty.clear()
    again = run(SWEEP)
    assert (again.code, errors(again)) == (0, []) and " seed=1" in again.out
    assert not file.exists() and len(names(tmp_path)) == 2


def test_a_single_run_that_is_refused_is_one_line(run, monkeypatch):
    refusing(monkeypatch, (1,))
    done = run(SWEEP.replace(" -m", "").replace("seed=1,2", "seed=1"))
    assert (done.code, done.out, done.err) == (2, "", "error: seed=1: it is refused\n")


@pytest.mark.parametrize("sweeper", ["grid", "basic"])
def test_a_batch_of_no_runs_is_one_line_and_leaves_nothing(run, tmp_path, sweeper):
    done = run(f"{SWEEP} hydra/sweeper={sweeper} hydra.sweeper.max_batch_size=0")
    said = "error: hydra.sweeper.max_batch_size=0: must be an integer above 0, or null\n"
    assert (done.code, done.out, done.err, list(tmp_path.iterdir())) == (2, "", said, [])


def test_a_damaged_record_of_a_sweep_is_told_with_what_to_do(run, only):
    assert run(SWEEP).code == 0
    record = only("multirun/*/sweep.json")
    record.write_text("")
    done = run(SWEEP)
    assert (done.code, len(done.err.splitlines())) == (2, 1) and "remove it, and the command that made" in done.err
    record.unlink()
    assert run(SWEEP).code == 0 and record.exists()


@pytest.mark.parametrize(
    ("file", "data", "said"),
    [
        ("summary.json", "{", "is damaged: it holds no JSON object"),
        ("summary.json", '{"nodes": null}', "is damaged: it is no summary of experiments.perft"),
        ("provenance.json", "{}", "is not the record of a run"),
    ],
)
def test_a_damaged_run_of_another_sweep_is_named_behind_the_table(run, only, file, data, said):
    """Its damage may be old; it does not hide what was computed now."""
    assert run("perft -m depth=0,1 hydra.sweep.dir=s").code == 0
    damaged = only(f"s/*depth_0*/{file}")
    damaged.write_text(data)
    done = run("perft -m depth=1,2 hydra.sweep.dir=s")
    lines = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert done.code == 1 and len(lines) == 1
    assert lines[0].startswith(f"error: {damaged.relative_to(Path.cwd())} {said}")
    table = only("s/table.csv").read_text().splitlines()
    assert len(table) == 3 and "depth=2" in done.out and "depth=0" not in done.out
