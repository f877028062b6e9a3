"""The benchmark of one tree with many leaves, at its smallest."""

import json

import pytest

from benchmarks import memory, one_tree
from benchmarks.measure import Bench, Grid
from benchmarks.ours import keys, uct
from gpumcts.games.othello import Othello
from gpumcts.kernels.batch import Rules
from gpumcts.tree.forest import ROOT


@pytest.mark.slow
def test_the_suite_of_one_tree(run, monkeypatch, tmp_path):
    small = {"LEAVES": (1, 4), "WITH_MANY_PLAYOUTS": (1, 2), "ITERATIONS": 64, "BATCHES": 2, "LARGE": 3000}
    for name, value in small.items():
        monkeypatch.setattr(one_tree, name, value)
    done = run("bench suites=[one_tree] against=null repeats=1 hydra.run.dir=here")
    assert done.code == 0, done.err
    rows = json.loads((tmp_path / "here" / "figures.json").read_text("utf-8"))
    rates = [row for row in rows if row["unit"] == "iterations/s"]
    assert len(rates) >= 8 and all(row["median"] > 0 for row in rates)
    for leaves in one_tree.WITH_LARGE:
        nodes, size, longest = (
            row for row in rows if row["at"].get("iterations") == 3000 and row["at"]["leaves"] == leaves
        )
        assert 3000 <= nodes["median"] <= 3100 and 22 <= size["median"] <= 40 and longest["low"] <= longest["median"]


def test_nodes_are_counted_from_the_roots(tmp_path):
    bench = Bench(Othello(), "othello", "cpu", 1, 1, (), tmp_path, Grid([1], [1], 1))
    forest = uct(bench).search(Rules(bench.game).starts(2), keys(2), 500).forest
    expected = 0
    for tree in range(2):
        pending = [ROOT]
        while pending:
            node = pending.pop()
            first = int(forest.first_child[tree, node])
            expected += 1
            pending.extend(range(first, first + int(forest.child_count[tree, node])))
    assert memory.count_nodes(forest) == expected
