"""Where the time of a search goes: parts that add up, whoever plays the playouts and on how many threads."""

import time
from types import SimpleNamespace

import numba
import numpy as np
import pytest

from gpumcts.monotonic import now
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.search import TableSearcher
from gpumcts.tree.time_split import (
    BACKUP,
    GROWTH,
    PARTS,
    PLAYOUTS,
    SELECTION,
    WAITING,
    Stopwatch,
    TimeSplit,
    no_ticks,
    timing_interval,
)
from tests.tree.drivers import OTHELLO, UCB1, UNIFORM, keys_for, operator_of, searcher_of
from tests.tree.simulated_searches import roots
from tests.tree.test_device_playouts import Elsewhere

TOLERANCE = 0.02  # parts are read from several clocks: of the whole, how far their sum may be off
NAMES = ["selection", "growth", "playouts", "backup", "waiting", "other"]


def split_of(searcher, trees: int, iterations: int) -> TimeSplit:
    """The split of one search, and the seconds around it, after another that loads the code."""
    states, keys = roots(OTHELLO, trees), keys_for(trees)
    searcher.search(states, keys, 64)
    begin = time.perf_counter()
    found = searcher.search(states, keys, iterations).times
    assert 0 < found.seconds <= time.perf_counter() - begin
    return found


def check(found: TimeSplit, threads: int) -> None:
    """Parts are none below 0 and add up to the time of all threads."""
    assert found.threads == threads and list(found.parts()) == list(found.shares()) == NAMES
    assert min(found.parts().values()) >= 0
    assert sum(found.parts().values()) == pytest.approx(threads * found.seconds, rel=TOLERANCE)
    assert sum(found.shares().values()) == pytest.approx(1)


CASES = {  # settings, threads, trees
    "one tree": (Settings(), 1, 1),
    "leaves": (Settings(leaves_per_tree=64), 1, 1),
    "two threads on one tree": (Settings(leaves_per_tree=64), 2, 1),
    "pieces of a leaf": (Settings(leaves_per_tree=2, playouts_per_leaf=64), 2, 1),
    "trees side by side": (Settings(), 2, 5),
    "solved": (Settings(solve=True), 1, 2),
    "two batches": (Settings(leaves_per_tree=32, batches_in_flight=2), 1, 1),
    "two batches, two threads": (Settings(leaves_per_tree=32, batches_in_flight=2), 2, 2),
}


QUICK = ("one tree", "two threads on one tree", "two batches")


@pytest.mark.parametrize(
    ("settings", "threads", "trees"),
    [pytest.param(*case, id=name, marks=() if name in QUICK else pytest.mark.slow) for name, case in CASES.items()],
)
def test_parts_add_up(settings, threads, trees):
    found = split_of(searcher_of(operator_of("average"), settings, threads=threads), trees, 3000)
    check(found, threads)
    assert min(found.selection, found.growth, found.playouts, found.backup) > 0
    assert found.device is None
    if threads == 1:
        assert found.waiting == 0


def test_playouts_are_most_where_they_are_many():
    for settings in (Settings(playouts_per_leaf=256), Settings(playouts_per_leaf=64, leaves_per_tree=8)):
        parts = split_of(searcher_of(operator_of("average"), settings), 1, 400).parts()
        assert max(parts, key=lambda name: parts[name]) == "playouts"


def test_a_thread_without_work_waits():
    """One leaf of one playout at a time is the work of one thread."""
    found = split_of(searcher_of(operator_of("average"), threads=2), 1, 5000)
    assert found.waiting >= 0.4 * sum(found.parts().values())


@pytest.mark.parametrize("batches", [1, 2])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_host_waits_for_a_device(threads, batches):
    engine = Elsewhere(OTHELLO)
    vars(engine)["clock"] = SimpleNamespace(busy=0.0)
    settings = Settings(leaves_per_tree=8, playouts_per_leaf=32, batches_in_flight=batches)
    searcher = searcher_of(operator_of("average"), settings, engine=engine, threads=threads)
    found = split_of(searcher, 2, 160)
    check(found, threads)
    assert found.waiting > max(found.selection, found.growth, found.backup) > 0
    assert found.device == 0.0  # as the engine says


def test_a_table():
    searcher = TableSearcher(OTHELLO, UNIFORM, UCB1, operator_of("average"), Settings(table=4096))
    found = split_of(searcher, 1, 3000)
    check(found, 1)
    assert found.selection > found.backup > 0 == found.growth


# --------------------------------------------------------------------------------------------------------- the pieces


def test_ticks_are_shared_out():
    """Seconds of compiled calls go as the timed batches; what is added by itself stays as it is."""
    clock, ticks = Stopwatch(1), no_ticks()
    ticks[[SELECTION, GROWTH, PLAYOUTS, BACKUP]] = 10, 20, 60, 10
    clock.add_sampled(ticks, 2.0)
    clock.add_sampled(ticks, 1.0)
    ticks[:] = np.arange(PARTS) * 1_000_000_000
    clock.add_ticks(ticks)
    clock.add(WAITING, 0.5)
    found = clock.split()
    expected = {"selection": 0.3, "growth": 0.6 + 1, "playouts": 1.8 + 2, "backup": 0.3 + 3, "waiting": 4.5}
    assert {name: found.parts()[name] for name in expected} == pytest.approx(expected)
    assert not ticks.any() and found.other == 0


def test_calls_without_a_timed_batch_are_other():
    clock = Stopwatch(1)
    clock.add_sampled(no_ticks(), 1.0)
    time.sleep(0.001)
    found = clock.split()
    assert found.other == pytest.approx(found.seconds) and found.shares()["other"] == 1


def test_few_batches_are_timed_where_they_are_small():
    intervals = [timing_interval(rows, playouts) for rows, playouts in ((1, 1), (64, 1), (1, 64), (4096, 16))]
    assert intervals == [256, 4, 4, 1]


def test_the_clock_of_compiled_code_is_pythons():
    @numba.njit
    def told():
        return now()

    before = now()
    assert before <= told() <= told() <= now() < before + 60_000_000_000
