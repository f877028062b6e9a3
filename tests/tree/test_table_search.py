"""Searches in a table as a caller sees them: what changes no result, memory, course, what is found, what is refused."""

import json
import os
import subprocess
import sys
import threading
import tracemalloc
from typing import Any

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.instances import instances
from gpumcts.games.pgame import PGame
from gpumcts.games.shortest_path import ShortestPath
from gpumcts.playouts.minimax import OPTION as MinimaxPlayouts
from gpumcts.tree.backup.average import Average
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.search import TableSearcher
from tests.tree.drivers import OTHELLO, TOY_GAMES, UNIFORM, keys_for, packed
from tests.tree.table_drivers import GAMES, SETTINGS, STATES, WHOLE, searcher_of, tables

# ------------------------------------------------------------------------------------------- what changes no result


@pytest.mark.parametrize("settings", ["whole", "node", "threshold"])
@pytest.mark.parametrize("threads", [2, 3, 16])
def test_threads_change_nothing(threads, settings):
    states, keys = np.tile(STATES, (5, 1)), keys_for(20)
    one = searcher_of(SETTINGS[settings], entries=300).search(states, keys, 60)
    more = searcher_of(SETTINGS[settings], entries=300, threads=threads).search(states, keys, 60)
    assert tables(one) == tables(more)
    assert one.decide().tolist() == more.decide().tolist()


@pytest.mark.parametrize("settings", ["whole", "node"])
@pytest.mark.parametrize("together", [1, 7, 65, 130])
def test_trees_searched_together_change_nothing(together, settings):
    states, keys = np.tile(STATES, (33, 1))[:130], keys_for(130)
    searcher = searcher_of(SETTINGS[settings], entries=200)
    at_once = tables(searcher.search(states, keys, 40))
    count = 130 if together > 1 else 10
    parts = [slice(begin, begin + together) for begin in range(0, count, together)]
    in_parts = [table for part in parts for table in tables(searcher.search(states[part], keys[part], 40))]
    assert in_parts == at_once[:count]


def test_memory_changes_nothing():
    """Room for one table at a time, and for all."""
    states, keys = np.tile(STATES, (3, 1)), keys_for(12)
    narrow = searcher_of(entries=300, memory_limit=20_000, threads=4)
    assert narrow.wave(12, 50) == 1 and searcher_of(entries=300).wave(12, 50) == 12
    assert tables(narrow.search(states, keys, 50)) == tables(searcher_of(entries=300).search(states, keys, 50))


def test_followed_searches_are_searches_of_that_length():
    states, keys = np.tile(STATES, (9, 1)), keys_for(36)
    searcher = searcher_of(entries=300, threads=2)
    seen = {}
    below = searcher.follow(
        states, keys, [1, 20, 64], lambda n, trees, table: seen.setdefault(n, []).append((trees, table))
    )
    assert list(seen) == [1, 20, 64] and len(below) == 0
    for iterations, parts in seen.items():
        assert [tree for trees, _ in parts for tree in range(trees.start, trees.stop)] == list(range(36))
        rows = [table.children(tree) for _, table in parts for tree in range(len(table.count))]
        assert rows == tables(searcher.search(states, keys, iterations))


def test_the_key_decides():
    searcher = searcher_of(entries=300)
    one, other = (searcher.search(STATES, keys_for(4, seed), 100) for seed in (1, 2))
    assert tables(one) != tables(other)
    assert tables(one) == tables(searcher.search(STATES, keys_for(4, 1), 100))


CASES = {"whole": ("dice", 60), "node": ("dots", 40), "threshold": ("pgame", 60)}


def case_as_text(settings):
    """A search of a toy game, as JSON: the tables to the last word, and the decisions."""
    game, iterations = GAMES[CASES[settings][0]], CASES[settings][1]
    with np.errstate(over="ignore"):
        states = packed(game, [contract.start(game)] * 2)
        found: Any = searcher_of(SETTINGS[settings], game, entries=20).search(states, keys_for(2), iterations)
        return json.dumps([found.tables.entries.tolist(), found.tables.roots.tolist(), found.decide().tolist()])


@pytest.mark.parametrize("settings", [pytest.param(c, marks=[] if c == "whole" else [pytest.mark.slow]) for c in CASES])
def test_plain_python_gives_the_same_bits(settings):
    """The same source without a compiler, in a process of its own."""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = f"from tests.tree.test_table_search import case_as_text; print(case_as_text({settings!r}))"
    run = subprocess.run([sys.executable, "-c", command], env=env, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == case_as_text(settings)


# -------------------------------------------------------------------------------------------------- memory and course


def peak_of(work):
    """Bytes that ``work`` had allocated at most, beyond what was there."""
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        work()
        return tracemalloc.get_traced_memory()[1] - before
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("settings", ["whole", "node"])
def test_memory_is_the_table(settings):
    """As much for 10,000 iterations as for 100, little beside the tables; more trees than blocks take no more."""
    game = PGame(2, 12)
    searcher = searcher_of(SETTINGS[settings], game, entries=2000)
    states, keys = instances(game, range(1)), keys_for(1)
    searcher.search(states, keys, 10_000)
    # The least of ten: on a busy machine a search is cut into more calls, and each call holds some hundred bytes.
    few, many = (min(peak_of(lambda n=n: searcher.search(states, keys, n)) for _ in range(10)) for n in (100, 10_000))
    assert abs(many - few) < 8000  # 80,000 positions would take megabytes
    assert 64_000 <= many < 64_000 + 40_000
    assert many >= searcher.parts.tree_bytes * 0.99
    states, keys = instances(game, range(400)), keys_for(400)
    size, _ = searcher.parts.sizes(400, searcher.threads)
    assert (
        peak_of(lambda: searcher.search(states, keys, 20)) < size * searcher.parts.tree_bytes + 300_000 < 400 * 64_000
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_adds_up(threads):
    told, lock = [], threading.Lock()

    def hear(iterations):
        with lock:
            told.append(iterations)

    searcher_of(entries=300, threads=threads).search(STATES, keys_for(4), 2000, on_progress=hear)
    assert sum(told) == 4 * 2000 and min(told) > 0 and len(told) >= 2


@pytest.mark.parametrize("threads", [1, 2])
def test_stop(threads):
    """Set before the search, or by its first word of progress: KeyboardInterrupt, long before the budget is spent."""
    stop, told = threading.Event(), []

    def hear(iterations):
        told.append(iterations)
        stop.set()

    searcher = searcher_of(entries=300, threads=threads)
    with pytest.raises(KeyboardInterrupt):
        searcher.search(STATES, keys_for(4), 500_000, stop, hear)
    assert 0 < sum(told) < 4 * 500_000 / 10
    told.clear()
    with pytest.raises(KeyboardInterrupt):
        searcher.follow(STATES, keys_for(4), [500_000], lambda *_: None, stop=stop, on_progress=hear)
    assert told == []


def test_what_is_found():
    found = searcher_of(Settings(), entries=5000).search(STATES, keys_for(4), 400)
    assert found.iterations == 400 and found.forest is None
    for tree in range(4):
        children = found.root_children(tree)
        assert sum(child.visits for child in children) == 399  # and one playout of the root itself
        line = found.principal_variation(tree)
        assert (
            line[0] == children[0].move and found.principal_variation(tree, children[-1].move)[0] == children[-1].move
        )
        assert found.principal_variation(tree, 1000) == []
    searcher = searcher_of(Settings(), entries=5000, memory_limit=1_000_000)
    with pytest.raises(ValueError, match="tables are gone"):
        searcher.search(np.tile(STATES, (3, 1)), keys_for(12), 5).principal_variation(0)


def test_no_line_through_chance():
    game = TOY_GAMES["dice"]
    found = searcher_of(Settings(), game, entries=100).search(packed(game, [contract.start(game)]), keys_for(1), 50)
    assert found.principal_variation(0) == []
    assert len(found.root_children(0)) == 3


# ------------------------------------------------------------------------------------------------------ what is refused

REFUSED = {
    "search.table=0: a table has an even number": {"entries": 0},
    "search.table=7: a table has an even number": {"entries": 7},
    "search.replacement=best: must be one of": {"replacement": "best"},
    "engine=cuda: a search with search.table takes engine=cpu": {"engine": "cuda"},
    "search.expansion=root: not with search.table": {"settings": Settings(expansion="root")},
    "search.reuse=true: not with search.table": {"settings": Settings(reuse=True)},
    "search.solve=true: not with search.table": {"settings": Settings(solve=True)},
    "search.leaves_per_tree=2: must be 1": {"settings": Settings(leaves_per_tree=2)},
    "search.roots=2: must be 1 with search.table": {"settings": Settings(roots=2)},
    "search.in_flight=unobserved: counts with search.leaves_per_tree": {"settings": Settings(in_flight="unobserved")},
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused(message):
    with pytest.raises(BadInput, match=f"^{message}") as refusal:
        searcher_of(**REFUSED[message])
    assert "\n" not in str(refusal.value)


def test_other_options_are_refused():
    from gpumcts.tree.backup.minimax import Minimax
    from gpumcts.tree.selection.ucb1_tuned import OPTION as Ucb1Tuned

    with pytest.raises(
        BadInput, match="^backup=minimax: a table keeps means alone; with search.table take backup=average$"
    ):
        TableSearcher(OTHELLO, UNIFORM, Ucb1(), Minimax())
    with pytest.raises(BadInput, match="^selection=ucb1_tuned"):
        TableSearcher(OTHELLO, UNIFORM, Ucb1Tuned(), Average())
    for policy in (MinimaxPlayouts(), UNIFORM._replace(truncate=4)):
        with pytest.raises(BadInput, match="^search.expansion=whole_path plays its random moves in the tree"):
            TableSearcher(OTHELLO, policy, Ucb1(), Average(), WHOLE._replace(table=64))


def test_budgets():
    searcher = searcher_of(Settings(expansion="threshold", threshold=50, playouts_per_leaf=8), entries=300)
    refused = {
        0: "must be more than 7",
        7: "must be more than 7",
        1 << 28: "with budget.playouts_per_leaf=8 a tree would have",
    }
    for iterations, why in refused.items():
        with pytest.raises(BadInput, match=f"^budget.iterations={iterations}: {why}"):
            searcher.wave(1, iterations)
        with pytest.raises(BadInput, match=f"^budget.iterations={iterations}: {why}"):
            searcher.search(STATES, keys_for(4), iterations)
        if iterations:
            with pytest.raises(BadInput, match=f"^budget.iterations={iterations}: {why}"):
                searcher.follow(STATES, keys_for(4), [iterations], lambda *_: None)
    assert searcher.wave(1, 8) == 1
    with pytest.raises(
        BadInput, match="^search.table=300: a table and its search take 0.0 MiB, and 0.0 MiB may be used"
    ):
        searcher_of(entries=300, memory_limit=1000).wave(1, 10)
    with pytest.raises(ValueError, match="over"):
        game = ShortestPath()
        searcher_of(game=game, entries=10).search(np.array([[24, 11]], np.uint64), keys_for(1), 10)


def test_a_root_whose_moves_the_table_has_lost_still_has_one():
    """Later positions of its only episode have taken their places."""
    searcher = searcher_of(WHOLE, entries=2, replacement="single")
    found = searcher.search(STATES, keys_for(4), 1)
    assert not found.table.count.all()
    for state, move in zip(STATES, found.decide(), strict=True):
        assert move in searcher.rules.legal_moves(state)


@pytest.mark.parametrize("points", [[], [0, 5], [5, 5], [9, 3]])
def test_checkpoints_that_are_none(points):
    with pytest.raises(BadInput, match="^checkpoints="):
        searcher_of(entries=300).follow(STATES, keys_for(4), points, lambda *_: None)
    with pytest.raises(BadInput, match="^search.table=300: a root's value is not watched"):
        searcher_of(entries=300).follow(STATES, keys_for(4), [5], lambda *_: None, level=0.5)
