"""Folders that a run may not take are refused in one line."""

import os

import pytest

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
