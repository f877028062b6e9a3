"""docs/how-to/run-commands.md says what each column of the tables means, and which files a run leaves."""

import re
from pathlib import Path

import pytest

from experiments.analysis.result_table import SECONDARY, match_cells
from experiments.runs.results import Result

PAGE = Path(__file__).resolve().parents[3] / "docs" / "how-to" / "run-commands.md"
TOLD = set(re.findall(r"`([^`\n]+)`", "".join(re.findall(r"^\|.*?\|", PAGE.read_text("utf-8"), re.MULTILINE))))


def test_every_column_of_a_match_has_a_meaning():
    side = {"playouts_per_second": 1.0, "made_a_move": 3.0, "first_sees_win_ply": 9.0}
    counts = dict.fromkeys(("games", "wins", "draws", "losses"), 1)
    summary = {**counts, "win_rate": 0.5, "ci95_low": 0.1, "ci95_high": 0.9, "seconds": 1.0}
    cells = match_cells(Result(Path("x"), {}, {}, {**summary, "player": side, "opponent": side}))
    assert len(cells) == 10 and sorted(set(cells) - TOLD) == []


def test_every_column_that_may_be_left_out_has_a_meaning():
    rates = {"iterations/s", "nodes/s", "samples/s", "core seconds"}  # as playouts/s and seconds
    assert sorted(set(SECONDARY) - TOLD - rates) == []


@pytest.mark.parametrize(
    "words",
    ["match player=random player@opponent.player=random games=2", "planning planner=uct game.size=2 samples=10"],
)
def test_every_file_that_a_run_leaves_is_named(run, only, words):
    assert run(words).code == 0
    left = {f"{path.name}/" if path.is_dir() else path.name for path in only("outputs/*/*").iterdir()}
    assert "summary.json" in left and sorted(left - TOLD) == []
