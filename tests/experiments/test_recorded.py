"""Results of commands never change: each gives what was recorded, and goes on with the folders of an earlier commit."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recorded import DATA, FOLDERS, left_in, rows, said

ROOT = Path(__file__).resolve().parents[2]
GROWING = ("moves.jsonl", "results.jsonl")  # a line a piece of work: those that are there stay as they are


def by_speed(rows):
    return [pytest.param(row, id=name_of(row), marks=() if row["quick"] else pytest.mark.slow) for row in rows]


def name_of(row):
    return row.get("folder") or row["command"].replace(" ", ",")


@pytest.mark.parametrize("row", by_speed(rows()))
def test_a_command_gives_what_was_recorded(row, run, tmp_path):
    if "input" in row:
        assert said(answers(row, tmp_path)) == row["said"]
        return
    done = run(row["command"])
    assert done.code == 0, done.err
    assert left_in(tmp_path) == row["left"]


def answers(row, folder) -> str:
    """What a command that serves a program says."""
    name, *words = row["command"].split()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-m", f"experiments.{name}", *words],
        input=row["input"], capture_output=True, text=True, cwd=folder, env=environment, timeout=600,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("row", by_speed(rows(FOLDERS)))
def test_a_folder_of_an_earlier_commit_goes_on_to_the_end_it_had_to_have(row, run, tmp_path):
    """Unfinished work that is there is kept, and not done again in another folder."""
    kept = DATA / "folders" / row["folder"]
    shutil.copytree(kept, tmp_path, dirs_exist_ok=True)
    done = run(row["command"])
    assert done.code == 0, done.err
    assert left_in(tmp_path, totals=False) == row["left"]
    for path in (path for path in kept.rglob("*") if path.suffix == ".npz"):
        assert (tmp_path / path.relative_to(kept)).read_bytes() == path.read_bytes()
    for name in (*GROWING, "values/*.jsonl"):
        for path in kept.rglob(name):
            lines = path.read_text().splitlines(keepends=True)
            whole = "".join(line for line in lines if line.endswith("\n"))
            assert (tmp_path / path.relative_to(kept)).read_text().startswith(whole)


def test_a_changed_result_is_seen(tmp_path):
    """The digest of a folder has every number of its results, and none of a clock."""
    (row,) = (row for row in rows(FOLDERS) if row["folder"] == "trees_finished")
    shutil.copytree(DATA / "folders" / row["folder"], tmp_path, dirs_exist_ok=True)
    assert left_in(tmp_path, totals=False) == row["left"]
    (curve,) = tmp_path.rglob("curve.csv")
    curve.write_text(curve.read_text().replace("0.25", "0.26", 1))
    assert left_in(tmp_path, totals=False) != row["left"]
