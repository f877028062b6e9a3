"""Matches whose searches run on the emulated device are the CPU's games."""

import json
import sys

import pytest

from tests.ptx.running import run

MATCH = ["game=dots_and_boxes", "games=4", "budget.iterations=20", "threads=1"]


def digest_of(folder, engine):
    """Of all games of a match."""
    words = [*MATCH, f"engine={engine}", f"hydra.run.dir={folder / engine}"]
    done = run([sys.executable, "-m", "experiments.match", *words], timeout=1800)
    assert done.code == 0, done.errors[-2000:]
    (summary,) = (folder / engine).glob("**/summary.json")
    told = json.loads(summary.read_text())
    assert told["digest"]
    return told["digest"]


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["cuda", "device"])
def test_match(emulator, tmp_path, engine):
    assert digest_of(tmp_path, engine) == digest_of(tmp_path, "cpu")
