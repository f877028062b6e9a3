"""The benchmark of synthetic trees and planning, at its smallest."""

import json

import pytest

from benchmarks import trees
from gpumcts.games.pgame import PGame
from gpumcts.games.sailing import Sailing


@pytest.mark.slow
def test_the_suite_of_trees(run, monkeypatch, tmp_path):
    small = {"GAME": PGame(2, 4), "TREES": 2, "ITERATIONS": 5, "TABLE_TREES": 2, "ENTRIES": 64, "EXACT": {(2, 4): 3}}
    for name, value in (small | {"SAILING": Sailing(size=3), "STATES": 3, "SAMPLES": 20}).items():
        monkeypatch.setattr(trees, name, value)
    done = run("bench suites=[trees] against=null repeats=1 hydra.run.dir=here")
    assert done.code == 0, done.err
    rows = json.loads((tmp_path / "here" / "figures.json").read_text("utf-8"))
    units = [row["unit"] for row in rows]
    assert {unit: units.count(unit) for unit in units} == {"iterations/s": 7, "leaves/s": 1, "samples/s": 3}
    assert all(row["median"] > 0 for row in rows)
    text = (tmp_path / "here" / "table.txt").read_text("utf-8")
    conditions, rows = text.split("\n\n")
    assert conditions.startswith("gpumcts ") and conditions.endswith("engine=cpu threads=1 repeats=1")
    assert rows.startswith("suite  what") and "P-game B = 2, D = 4, UCT, whole path" in text
