"""Searches within a memory limit: what the process takes, and that waves, threads and engines then change nothing."""

import hashlib
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.kernels.batch import Rules
from gpumcts.tree import memory as tree_memory
from gpumcts.tree import search as tree_search
from gpumcts.tree.forest import Layout, bytes_per_slot
from gpumcts.tree.host import wave
from gpumcts.tree.host.plan import SearchPlan
from gpumcts.tree.settings import Settings
from tests.tree.drivers import OTHELLO, keys_for, operator_of, searcher_of
from tests.tree.test_device_playouts import Elsewhere

MIB = 1 << 20
TREES, ITERATIONS, LIMIT = 3000, 300, 8 * MIB
MIDGAME = 24  # plies
GROWTH = 2.5  # times its size that a forest takes while it grows: half as many slots again, and the old one beside them
REST = 8 * MIB  # states, keys, leaves and root tables of all trees, the first pages of the next wave, and allocators


def midgame(count, plies=MIDGAME):
    """Positions of Othello after so many random plies, uint64[count, W]."""
    rules = Rules(OTHELLO)
    states = rules.starts(count)
    for ply in range(plies):
        after = rules.play(states, rules.random_moves(states, keys_for(count, 100 + ply)))
        going = rules.count_moves(after) > 0
        states[going] = after[going]
    return states


# ---------------------------------------------------------------------------------------------------------- the limit


def peak() -> int:
    """Bytes that this process has had in memory at most.

    On Linux ``ru_maxrss`` begins with the peak of the process that started this one, ``VmHWM`` does not.
    """
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmHWM:"))
        return int(line.split()[1]) * 1024
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


def report(plies: int) -> None:
    """Prints by how much the peak rises in a search within the limit, and then in one of all trees together."""
    operator, states, keys = operator_of("average"), midgame(TREES, plies), keys_for(TREES)
    searchers = searcher_of(operator, memory_limit=LIMIT), searcher_of(operator)
    for searcher in searchers:
        searcher.search(states[:2], keys[:2], ITERATIONS).decide()
    before, decided, rises = peak(), [], []
    for searcher in searchers:
        decided.append(searcher.search(states, keys, ITERATIONS).decide().tolist())
        rises.append(peak() - before)
    told = {"waves": -(-TREES // searchers[0].wave(TREES, ITERATIONS)), "same": decided[0] == decided[1]}
    print(json.dumps({**told, "limited": rises[0], "free": rises[1]}))


@pytest.mark.slow
@pytest.mark.parametrize(("plies", "most"), [(0, LIMIT + REST), (MIDGAME, GROWTH * LIMIT + REST)])
def test_the_memory_of_a_process(plies, most):
    """In a process of its own, from the start, and from midgame, where forests turn out too small and grow."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = [sys.executable, "-c", f"from tests.tree.test_memory import report; report({plies})"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout.splitlines()[-1])
    assert told["same"] and told["waves"] >= 4
    assert told["limited"] < most
    assert told["free"] > 1.3 * most  # or the limit would say nothing


# --------------------------------------------------------------------------------------------- what it does not change


def digest(found) -> str:
    """Of the root tables and the moves decided on, to the last bit."""
    text = hashlib.sha256()
    for array in (*found.table, found.decide()):
        text.update(np.ascontiguousarray(array).tobytes())
    return text.hexdigest()[:16]


def limit_for(searcher, trees, iterations):
    """Bytes in which so many trees are searched together."""
    size = bytes_per_slot(
        Layout(len(searcher.parts.operator.COLUMNS), searcher.game.MAX_MOVES, searcher.settings.solve)
    )
    return int((trees + 0.5) * searcher.parts.memory.slots(iterations) * size)


@pytest.mark.parametrize(
    "operator",
    ["average", pytest.param("accelerated", marks=pytest.mark.slow), pytest.param("bast", marks=pytest.mark.slow)],
)  # of one, four and three columns
def test_waves_threads_and_engines_change_nothing(operator):
    """One tree at a time, a few, all; on one thread and two; playouts in place and elsewhere."""
    states, keys, settings = midgame(7), keys_for(7), Settings(leaves_per_tree=2)
    whole = searcher_of(operator_of(operator), settings)
    expected = digest(whole.search(states, keys, 90))
    for together, options in ((1, {}), (3, {"threads": 2}), (3, {"engine": Elsewhere(OTHELLO)}), (6, {"threads": 2})):
        searcher = searcher_of(operator_of(operator), settings, memory_limit=limit_for(whole, together, 90), **options)
        assert searcher.wave(7, 90) == together
        assert digest(searcher.search(states, keys, 90)) == expected, (together, options)


def test_a_forest_that_grows_within_a_wave(monkeypatch):
    """Room for no node to begin with: it grows in every wave, with playouts in place and elsewhere."""
    states, keys = midgame(5), keys_for(5)
    expected = digest(searcher_of(operator_of("accelerated")).search(states, keys, 150))
    monkeypatch.setattr(tree_memory, "SLOTS_PER_NODE", 0.0)
    monkeypatch.setattr(tree_memory, "SPREAD", 0.0)
    whole, widen = searcher_of(operator_of("accelerated")), SearchPlan.widen
    for engine in ("cpu", Elsewhere(OTHELLO)):
        searcher = searcher_of(operator_of("accelerated"), engine=engine, memory_limit=limit_for(whole, 2, 150))
        grown = []

        def counted(plan, wave, grown=grown):
            grown.append(wave.forest.visits.shape[1])
            widen(plan, wave)

        monkeypatch.setattr(SearchPlan, "widen", counted)
        assert searcher.wave(5, 150) == 2
        assert digest(searcher.search(states, keys, 150)) == expected
        assert grown


# ------------------------------------------------------------------------------------------------- what is not there


def test_memory_that_the_system_does_not_give_is_a_line(monkeypatch):
    def refused(*arguments):
        raise MemoryError("planted")

    monkeypatch.setattr(tree_search, "planted", refused)
    told = r"^budget\.iterations=90: 7 trees take 7 x [\d,]+ slots x \d+ bytes = .* does not give this process; fewer"
    with pytest.raises(BadInput, match=told):
        searcher_of(operator_of("average")).search(midgame(7), keys_for(7), 90)


def test_a_growing_tree_has_no_more_slots_than_can_be_counted():
    memory = searcher_of(operator_of("average")).parts.memory
    assert memory.more_slots(1_000) >= 1_500
    assert memory.more_slots(2**31 - 5) == 2**31 - 1
    with pytest.raises(BadInput, match="^a tree takes more than 2,147,483,647 slots, and they are counted in 32 bits"):
        memory.more_slots(2**31 - 1)


@pytest.mark.parametrize("batches", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("engine", ["cpu", Elsewhere(OTHELLO)], ids=["cpu", "elsewhere"])
def test_memory_that_the_system_does_not_give_a_growing_tree_is_a_line(monkeypatch, engine, batches):
    def refused(*arguments):
        raise MemoryError("planted")

    monkeypatch.setattr(tree_memory, "SLOTS_PER_NODE", 0.0)
    monkeypatch.setattr(tree_memory, "SPREAD", 0.0)
    monkeypatch.setattr(wave, "widened", refused)
    settings = Settings(leaves_per_tree=2, batches_in_flight=batches)
    searcher = searcher_of(operator_of("average"), settings, engine=engine)
    for trees, told in ((1, "a tree grows"), (5, "each of 5 trees grows")):
        with pytest.raises(
            BadInput, match=rf"^{told} to [\d,]+ slots, for which the system does not give this process"
        ):
            searcher.search(midgame(trees), keys_for(trees), 150)


def test_a_budget_that_does_not_fit_is_told_by_its_trees():
    searcher = searcher_of(operator_of("average"), Settings(roots=3), memory_limit=1 << 10)
    with pytest.raises(BadInput, match=r"^budget\.iterations=30 x search\.roots=3: a tree takes "):
        searcher.wave(1, 91)
