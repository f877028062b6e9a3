"""What a search makes ready before it begins is what it then calls, and processes can share the work."""

import os
import pickle
import subprocess
import sys
from types import SimpleNamespace

import numba
import pytest

from gpumcts import options
from gpumcts.games.havannah import Havannah
from gpumcts.playouts.uniform import Uniform
from gpumcts.tree import root_table
from gpumcts.tree.host import compilation, plan, shared_tree
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.parts import TableParts
from tests.tree.drivers import OTHELLO, UCB1, UNIFORM, keys_for, operator_of, searcher_of
from tests.tree.simulated_searches import roots

TEAM = Settings(leaves_per_tree=128, in_flight="unobserved")
"""Of trees that two threads share."""


class OwnUniform(Uniform):
    """A user's own policy."""


@pytest.fixture
def kinds(monkeypatch):
    """The types of arguments by the name of a loop: what was made ready, and what was called; no loop runs."""
    ready, called = {}, {}

    def stand_in(name, answer):
        def call(*arguments):
            called[name] = tuple(numba.typeof(value) for value in arguments)
            return answer(arguments)

        call.prepare = lambda found, title: ready.setdefault(name, found)
        return call

    def reach_the_end(place):
        return lambda arguments: arguments[place][1]

    loops = {
        (plan, "advance_block"): reach_the_end(6),
        (shared_tree, "run_coordinator"): reach_the_end(5),
        (shared_tree, "run_worker"): lambda arguments: None,
        (root_table, "_fill"): lambda arguments: None,
    }
    for (module, name), answer in loops.items():
        instead = stand_in(name, answer)
        monkeypatch.setattr(module, name, instead)
        if module is not root_table:
            monkeypatch.setattr(compilation, name, instead)
    return SimpleNamespace(ready=ready, called=called)


@pytest.mark.parametrize(
    ("settings", "threads", "rule", "loops"),
    [
        (Settings(), 2, UCB1, {"advance_block"}),
        (Settings(solve=True), 1, UCB1, {"advance_block"}),
        (Settings(), 1, options.option("selection", "rave")(), {"advance_block"}),
        (TEAM, 2, UCB1, {"run_coordinator", "run_worker"}),
        (TEAM, 1, UCB1, {"advance_block"}),
        (TEAM._replace(roots=2), 2, UCB1, {"advance_block"}),
        (TEAM._replace(roots=2), 4, UCB1, {"run_coordinator", "run_worker"}),
        (Settings(leaves_per_tree=4, batches_in_flight=2), 2, UCB1, set()),
    ],
    ids=["a leaf", "solved", "rave", "team", "one thread", "a tree a thread", "two teams", "batches in flight"],
)
def test_what_is_made_ready_is_called(kinds, settings, threads, rule, loops):
    searcher = searcher_of(operator_of("average"), settings, rule=rule, threads=threads)
    searcher.search(roots(OTHELLO, 1), keys_for(1), 256)
    assert set(kinds.ready) == {*loops, "_fill"} and kinds.called == kinds.ready


@pytest.mark.parametrize(
    ("game", "operator", "rule"),
    [
        (OTHELLO, "average", "ucb1"),
        (Havannah(4, swap=True), "minimax", "ucb1"),
        (OTHELLO, "discounted", "rave"),
    ],
)
def test_another_process_makes_the_same_ready(game, operator, rule):
    """Options are found by their names, though compiled values' classes are not."""
    settings = TEAM._replace(in_flight="virtual_loss")
    rule = options.option("selection", rule)()
    parts = SearchParts(game, UNIFORM, rule, operator_of(operator), settings, memory_limit=1 << 30)
    again = pickle.loads(pickle.dumps(parts))
    assert compilation._kinds(again) == compilation._kinds(parts)
    assert compilation._steps_type(again, shared=True) == compilation._steps_type(parts, shared=True)
    assert (again.method, again.memory_limit) == (parts.method, parts.memory_limit)


def test_another_process_makes_the_same_tables_ready():
    parts = TableParts(Havannah(4), UNIFORM, UCB1, operator_of("average"), Settings(table=1 << 10), memory_limit=7)
    again = pickle.loads(pickle.dumps(parts))
    assert numba.typeof(again.method) == numba.typeof(parts.method) and again.method == parts.method
    assert numba.typeof(again.block(1)) == numba.typeof(parts.block(1)) and again.entries == parts.entries


@pytest.mark.parametrize(("policy", "shared"), [(UNIFORM, True), (OwnUniform(), False)])
def test_users_own_classes_are_compiled_in_one_process(monkeypatch, policy, shared):
    asked = []

    def results(jobs, processes, shared):
        asked.append((processes, shared))
        raise InterruptedError

    monkeypatch.setattr(compilation, "results", results)
    parts = SearchParts(OTHELLO, policy, UCB1, operator_of("average"))
    with pytest.raises(InterruptedError):
        compilation.compiled(parts, 3, engine_plays=False)
    assert asked == [(3, shared)]


SEARCH = """
from gpumcts.compiling import stage
from tests.tree.drivers import OTHELLO, keys_for, operator_of, searcher_of
from tests.tree.simulated_searches import roots
from tests.tree.test_compilation import TEAM
stage.usable_cores = lambda: {processes}
searcher = searcher_of(operator_of("average"), TEAM, threads=2)
print(searcher.search(roots(OTHELLO, 1), keys_for(1), 1000).table)
"""


@pytest.mark.slow
def test_from_an_empty_cache_processes_compile_what_one_does(tmp_path):
    """The same functions for the same types, each once."""
    found = []
    for processes in (1, 2):
        folder = tmp_path / str(processes)
        done = subprocess.run(
            [sys.executable, "-c", SEARCH.format(processes=processes)],
            env={**os.environ, "GPUMCTS_CACHE": str(folder)}, capture_output=True, text=True, timeout=300,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        found.append((done.stdout, sorted(file.relative_to(folder) for file in folder.rglob("*.nbc"))))
    assert found[0] == found[1] and len(found[0][1]) > 8
