"""A full disk is told in a line that names what cannot be written; what was played before is kept."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gpumcts import whole_files

ROOT = Path(__file__).resolve().parents[3]
PLAYED = "match player=random player@opponent.player=random game=dots_and_boxes engine=cpu threads=1 games=4"
FULL = "cannot be written: No space left on device"


@pytest.fixture
def full(monkeypatch):
    """``full("summary.json")``: nothing of that name reaches the disk; ``full("")``: anything does again."""
    real, names = os.fsync, [""]

    def fsync(handle):
        if names[0] and Path(os.readlink(f"/proc/self/fd/{handle}")).name.startswith(f".{names[0]}"):
            raise OSError(28, "No space left on device")
        real(handle)

    def choose(name):
        names[0] = name

    monkeypatch.setattr(whole_files.os, "fsync", fsync)
    return choose


@pytest.mark.parametrize("name", ["config.yaml", "summary.json"])
def test_a_match_names_the_file_and_goes_on_later(name, run, full, tmp_path):
    assert run(f"{PLAYED} hydra.run.dir=here".replace("games=4", "games=2")).code == 0
    before = (tmp_path / "here" / name).read_bytes()
    full(name)
    done = run(f"{PLAYED} hydra.run.dir=here")
    assert done.code == 1
    said = f"error: {tmp_path}/here/{name} {FULL}; the same command goes on where it was"
    assert done.err.splitlines()[-1] == said and "Traceback" not in done.err
    assert (tmp_path / "here" / name).read_bytes() == before
    full("")
    assert run(f"{PLAYED} hydra.run.dir=here").code == 0
    assert json.loads((tmp_path / "here" / "summary.json").read_text())["games"] == 4


def test_a_run_of_a_sweep_names_it_and_leaves_no_traceback(run, full, tmp_path):
    full("summary.json")
    done = run(f"{PLAYED} -m seed=1,2 hydra.sweep.dir=sweep")
    lines = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert done.code == 1 and len(lines) == 2 and not list(tmp_path.rglob("traceback.txt"))
    assert all(f"/summary.json {FULL}" in line for line in lines)
    assert lines[0].startswith("error: [1/2] seed=1: ")


def test_failed_runs_are_told_where_the_table_cannot_be_written_either(run, full, tmp_path):
    assert run(f"{PLAYED} -m seed=1,2 hydra.sweep.dir=sweep").code == 0
    (damaged,) = [path.parent for path in tmp_path.glob("sweep/*/config.yaml") if "seed: 2" in path.read_text()]
    (damaged / "games.jsonl").write_text("{}\n")
    full("table.csv")
    done = run(f"{PLAYED} -m seed=1,2,3 hydra.sweep.dir=sweep")
    lines = [line for line in done.err.splitlines() if line.startswith("error: ")]
    assert done.code == 1 and len(lines) == 2
    assert lines[0].startswith("error: [2/3] seed=2: ") and f"table.csv {FULL}" in lines[1]


def test_an_error_in_the_midst_of_a_file_names_the_folder(run, tmp_path, monkeypatch):
    def fails(*_, **__):
        raise OSError(28, "No space left on device")

    assert run(f"{PLAYED} hydra.run.dir=here").code == 0
    monkeypatch.setattr(Path, "write_text", fails)  # of report.html
    done = run("report runs=here hydra.run.dir=page")
    assert (done.code, done.err) == (1, f"error: {tmp_path}/page {FULL}; the same command starts again\n")


def test_other_errors_of_files_keep_their_traceback(run, monkeypatch):
    def fails(*_, **__):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(whole_files, "sync_folder", fails)
    with pytest.raises(OSError, match="Input/output error"):
        run(f"{PLAYED} hydra.run.dir=here")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize(
    "words",
    [
        ["experiments.playouts", "game=dots_and_boxes", "count=10", "engine=cpu", "hydra.run.dir=here"],
        ["experiments.match", "--help"],
        ["experiments.check_game", "--help"],
    ],
    ids=" ".join,
)
def test_an_output_that_is_full_is_told_and_the_result_is_kept(words, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with open("/dev/full", "wb") as sink:
        done = subprocess.run(
            [sys.executable, "-m", *words],
            cwd=tmp_path, env=environment, stdout=sink, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
    assert done.returncode == 1
    # While code compiles a slow machine has the time to show how far the playouts are, too.
    said = [line for line in done.stderr.splitlines() if "compiling" not in line and not line.endswith(": 100 %")]
    assert said == [f"error: standard output {FULL}"]
    if "--help" not in words:
        assert json.loads((tmp_path / "here" / "summary.json").read_text())["playouts"] == 10


def test_a_full_error_stream_ends_no_run(run, monkeypatch, tmp_path):
    with open("/dev/full", "w") as sink:
        monkeypatch.setattr(sys, "stderr", sink)
        assert run(f"{PLAYED} hydra.run.dir=here").code == 0
        assert run(f"{PLAYED} hydra.run.dir=here").code == 0  # says that nothing was left to do
    assert (tmp_path / "here" / "summary.json").exists()
