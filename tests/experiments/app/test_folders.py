"""Folders that a run may not take are refused in one line."""

import errno
import os
from pathlib import Path

import pytest

from experiments.app import command
from gpumcts import whole_files
from tests.experiments.app.refusals import refused, tree


def test_another_run_is_not_written_over(run, tmp_path):
    line = "match games=2 threads=1 engine=cpu player=random player@opponent.player=random hydra.run.dir=here"
    assert run(line).code == 0
    before = tree(tmp_path)
    refused(run(f"{line} game.corner_weight=7"), "game.corner_weight=7 differs from")
    refused(
        run("perft depth=1 hydra.run.dir=here"),
        "here holds a run of experiments.match; choose another folder for experiments.perft",
    )
    assert tree(tmp_path) == before


def test_a_folder_without_permission_is_one_line(run, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may write everywhere")
    (tmp_path / "closed").mkdir(mode=0o500)
    refused(run("match hydra.run.dir=closed/run"), "cannot be written")


@pytest.fixture
def closed(monkeypatch):
    """``closed("summary.json")``: files of that name are refused, as to a user without permission. Root has it."""
    real, names = os.fsync, [""]

    def fsync(handle):
        if names[0] and Path(os.readlink(f"/proc/self/fd/{handle}")).name.startswith(f".{names[0]}"):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), names[0])
        real(handle)

    monkeypatch.setattr(whole_files.os, "fsync", fsync)
    return lambda name: names.__setitem__(0, name)


PLAYED = "match games=2 threads=1 engine=cpu game=dots_and_boxes player=random player@opponent.player=random"


@pytest.mark.parametrize("name", ["config.yaml", "summary.json"])
def test_a_file_without_permission_is_one_line(run, closed, name):
    closed(name)
    done = run(f"{PLAYED} hydra.run.dir=here")
    assert done.code == 2 and done.err.splitlines()[-1] == f"error: {name}: Permission denied"
    assert "Traceback" not in done.err


def test_a_file_without_permission_is_one_line_of_a_sweep(run, tmp_path, closed):
    closed("summary.json")
    done = run(f"{PLAYED} -m seed=1,2 hydra.sweep.dir=sweep")
    lines = [line for line in done.err.splitlines() if line.startswith("error: ")]
    told = [f"error: [{number}/2] seed={number}: summary.json: Permission denied" for number in (1, 2)]
    assert done.code == 2 and lines[:2] == told and not list(tmp_path.rglob("traceback.txt"))


def test_a_folder_that_may_not_be_looked_at_is_one_line(run, monkeypatch):
    """Before Hydra is at work."""

    def looked_at(folder, *_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(folder / "multirun.yaml"))

    monkeypatch.setattr(command, "check_kinds", looked_at)
    refused(run(f"{PLAYED} hydra.run.dir=here"), "here/multirun.yaml: Permission denied")
