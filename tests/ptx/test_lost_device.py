"""A device that is lost in the middle: the command ends in one line, and the same command goes on where it stood."""

import json
import sys

import pytest

from tests.ptx.running import run

MATCH = ["game=dots_and_boxes", "games=4", "budget.iterations=20", "threads=1"]
LOST = "error: this process's device is lost (illegal address); start it again, or take engine=cpu"
LAUNCHES = {"cuda": 30, "device": 3}  # before the device is lost: the first kernel, and some of the match


def match(folder, engine, **variables):
    """Exit code, and what is said on stderr, of a match."""
    command = [sys.executable, "-m", "experiments.match", *MATCH, f"engine={engine}", f"hydra.run.dir={folder}"]
    done = run(command, timeout=1800, environ=variables)
    return done.code, done.errors.splitlines()


def digest(folder):
    """Of all games of a match that has ended."""
    return json.loads((folder / "summary.json").read_text("utf-8"))["digest"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", LAUNCHES)
def test_a_match_goes_on(emulator, tmp_path, engine):
    code, said = match(tmp_path / "lost", engine, GPUMCTS_PTX_LOSE_AFTER=str(LAUNCHES[engine]))
    assert code == 2 and said[-1] == LOST
    assert not any("Traceback" in line or "Exception" in line for line in said)
    assert not (tmp_path / "lost" / "summary.json").exists()
    assert match(tmp_path / "lost", engine)[0] == 0
    assert match(tmp_path / "cpu", "cpu")[0] == 0
    assert digest(tmp_path / "lost") == digest(tmp_path / "cpu")


@pytest.mark.slow
def test_a_first_kernel_loses_it(emulator, tmp_path):
    code, said = match(tmp_path, "cuda", GPUMCTS_PTX_LOSE_AFTER="0")
    assert code == 2 and len([line for line in said if not line.startswith("compiling ")]) == 1
    assert said[-1].startswith("error: engine=cuda: a first kernel failed: ")
