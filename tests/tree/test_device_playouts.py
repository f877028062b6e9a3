"""Searches whose playouts are played elsewhere grow the same trees as those that play them in place."""

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import numpy as np
import pytest

from gpumcts.kernels import engines
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.playout_loop import tally_columns
from gpumcts.tree import memory as tree_memory
from gpumcts.tree.host import device_playouts, shared_blocks
from gpumcts.tree.host.plan import SearchPlan
from gpumcts.tree.settings import Settings
from tests.kernels.drivers import told_by
from tests.tree import simulated_searches
from tests.tree.drivers import OPERATORS, OTHELLO, TOY_GAMES, UNIFORM, keys_for, operator_of, searcher_of
from tests.tree.simulated_searches import digest, roots

TREES, ITERATIONS = 7, 150
SETTINGS = {
    "plain": Settings(),
    "leaves": Settings(leaves_per_tree=4),
    "unobserved": Settings(leaves_per_tree=6, in_flight="unobserved"),
    "roots": Settings(roots=2, leaves_per_tree=3),
    "leaves and playouts": Settings(leaves_per_tree=7, playouts_per_leaf=3),
    "whole path": Settings(expansion="whole_path"),
    "threshold": Settings(expansion="threshold", threshold=5, first_play_urgency=1.1),
    "ties and counts": Settings(ties="first", parent_count="children"),
    "solve": Settings(solve=True, leaves_per_tree=2),
    "root": Settings(expansion="root"),
}


class Elsewhere:
    """An engine that plays on a thread of its own and lets its batches wait a while."""

    name = "elsewhere"
    clock = None

    def __init__(self, game, policy=UNIFORM):
        self.playouts = CpuPlayouts(game, policy)
        self.thread = ThreadPoolExecutor(1)
        self.started = self.most_under_way = self.under_way = 0

    def in_flight_batches(self, leaves, playouts):
        return [InFlightBatch(self, leaves, playouts), InFlightBatch(self, leaves, playouts)]


class InFlightBatch:
    """A batch on its way."""

    def __init__(self, engine, leaves, playouts):
        game = engine.playouts.game
        width, columns = game.WORDS, tally_columns(game, playouts)
        self.engine, self.pending, self.back = engine, Future(), True
        self.pending.set_result(None)
        self.room = (
            np.zeros(leaves * width, np.uint64),
            np.zeros(leaves, np.uint64),
            np.zeros(leaves * columns, np.int64),
        )
        self.width, self.columns = width, columns

    def arrays(self, leaves, playouts):
        states, keys, tally = self.room
        rows = tally[: leaves * self.columns].reshape(leaves, -1)
        return states[: leaves * self.width].reshape(leaves, -1), keys[:leaves], rows

    def start(self, leaves, playouts, stop=None):
        begin = time.perf_counter()
        assert self.back, "the last batch has not come back"
        states, keys, tally = self.arrays(leaves, playouts)
        tally[:] = -1
        engine = self.engine
        engine.started += 1
        engine.under_way += 1
        engine.most_under_way = max(engine.most_under_way, engine.under_way)

        def play():
            time.sleep(0.0005)
            tally[:] = engine.playouts.columns(states, keys, playouts)

        self.pending, self.back = engine.thread.submit(play), False
        return time.perf_counter() - begin

    def finish(self):
        self.pending.result()
        if not self.back:
            self.back = True
            self.engine.under_way -= 1

    def graph_words(self):
        return None

    def check_graph(self, answer):
        raise AssertionError("there is no graph")


def compared(game, operator, settings, threads=1, trees=TREES, iterations=ITERATIONS):
    """The engine, after trees grown with it were found the same as those grown in place."""
    engine = Elsewhere(game)
    here = searcher_of(operator, settings, game).search(roots(game, trees), keys_for(trees), iterations)
    there = searcher_of(operator, settings, game, engine=engine, threads=threads)
    assert digest(there.search(roots(game, trees), keys_for(trees), iterations)) == digest(here)
    return engine


@pytest.fixture(autouse=True)
def a_tree_is_a_block(monkeypatch):
    """So that threads share a few trees out as they share thousands."""
    monkeypatch.setattr(shared_blocks, "ROWS_OF_A_BLOCK", 1)


FIRST = ("average", "accelerated", "discounted", "minimax")
"""The operators among the quick tests."""


def slow_unless(quick, *arguments):
    """A case of a test; the first that are run where there is a device are the ``quick`` ones."""
    return pytest.param(*arguments, marks=[] if quick else [pytest.mark.slow])


def works(operator, settings):
    """Whether an operator of ``OPERATORS`` works with settings: the nodes of whole paths are not evaluated."""
    return settings != "whole path" or not operator_of(operator).EVALUATES


@pytest.mark.parametrize("operator", [slow_unless(o in FIRST, o) for o in OPERATORS])
def test_operators(operator):
    engine = compared(OTHELLO, operator_of(operator), Settings())
    assert engine.most_under_way == 2 and engine.started == 2 * ITERATIONS


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.slow), 2])
@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_settings(settings, threads):
    compared(OTHELLO, operator_of("average"), settings, threads)


@pytest.mark.parametrize(
    "game",
    [pytest.param(game, id=name, marks=pytest.mark.slow if name == "path" else ()) for name, game in TOY_GAMES.items()],
)
def test_toy_games(game):
    compared(game, operator_of("minimax"), Settings(leaves_per_tree=2), threads=2)


@pytest.mark.parametrize("trees", [1, 2, 3])
def test_few_trees(trees):
    engine = compared(OTHELLO, operator_of("average"), Settings(), trees=trees)
    assert engine.most_under_way == min(trees, 2)


def test_more_leaves_than_a_batch_takes(monkeypatch):
    monkeypatch.setattr(device_playouts, "MAX_LEAVES", 8)
    engine = compared(OTHELLO, operator_of("average"), Settings(leaves_per_tree=4), trees=11, iterations=60)
    assert engine.started == 6 * 15  # three pairs of halves of at most two trees


def test_forests_grow_under_way(monkeypatch):

    monkeypatch.setattr(tree_memory, "SLOTS_PER_NODE", 0.0)
    compared(OTHELLO, operator_of("accelerated"), Settings(leaves_per_tree=2), threads=2, iterations=400)


def test_more_threads_than_cores_while_forests_grow(monkeypatch):
    """The last batch is a smaller one; threads leave and join for it, and for every larger forest."""
    monkeypatch.setattr(tree_memory, "SLOTS_PER_NODE", 0.0)
    engine = compared(OTHELLO, operator_of("minimax"), Settings(leaves_per_tree=4), threads=7, trees=61, iterations=102)
    assert engine.started == 2 * 26


@pytest.mark.parametrize("failing", [2, 3, 6])
def test_no_thread_stays_behind(monkeypatch, failing):
    """Where a thread cannot be started, at first or once the forest has grown, those that wait leave."""
    begun = []

    class Pool(ThreadPoolExecutor):
        def submit(self, *words):
            begun.append(words)
            if len(begun) == failing:
                raise RuntimeError("can't start new thread")
            return super().submit(*words)

    monkeypatch.setattr(device_playouts, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(tree_memory, "SLOTS_PER_NODE", 0.0)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        compared(OTHELLO, operator_of("average"), Settings(), threads=5, iterations=400)
    assert len(begun) == failing
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("search")]


def test_a_thread_that_has_left_joins_again(monkeypatch):
    """It leaves where the device takes long."""
    joined = []

    def leave(*words):
        joined.append(words[-2])

    monkeypatch.setattr(device_playouts, "join_phases", leave)
    compared(OTHELLO, operator_of("average"), Settings(), threads=2, iterations=30)
    assert len(joined) > 10 and set(joined) == {1}


def test_the_time_of_growth_is_told_once(monkeypatch):
    widen = SearchPlan.widen

    def widen_slowly(plan, wave):
        time.sleep(0.1)  # far more than what no part is told of
        widen(plan, wave)

    monkeypatch.setattr(tree_memory, "SLOTS_PER_NODE", 0.0)
    monkeypatch.setattr(SearchPlan, "widen", widen_slowly)
    for threads in (1, 2):
        searcher = searcher_of(operator_of("average"), engine=Elsewhere(OTHELLO), threads=threads)
        times = searcher.search(roots(OTHELLO, 9), keys_for(9), 300).times
        assert times.growth > 0.1
        assert sum(times.parts().values()) == pytest.approx(threads * times.seconds, rel=0.01)


def test_phases_begin_anew(monkeypatch):
    """Before their number outgrows the board."""
    ended, end = [], device_playouts.end_phases

    def note(shared, phase):
        ended.append(phase)
        end(shared, phase)

    monkeypatch.setattr(device_playouts, "MAX_PHASES", 5)
    monkeypatch.setattr(device_playouts, "end_phases", note)
    compared(OTHELLO, operator_of("average"), Settings(leaves_per_tree=2), threads=3, iterations=60)
    assert max(ended) == 6 and len(ended) > 10


def test_blocks_of_halves():
    shared = shared_blocks.shared_blocks([(0, 500), (500, 1000)], threads=4, leaves=2, room=9)
    assert shared.spans.tolist() == [[0, 500], [500, 1000]] and shared.size == 16 and shared.lacking.shape == (2, 32)
    assert shared_blocks.shared_blocks([(3, 4)], threads=16, leaves=1, room=9).spans.tolist() == [[3, 4], [0, 0]]


def test_a_thread_that_fails_is_told_of(monkeypatch):
    """And those that wait for the next phase leave all the same."""

    def fail(*words):
        raise RuntimeError("planted")

    monkeypatch.setattr(device_playouts, "join_phases", fail)
    with pytest.raises(RuntimeError, match="planted"):
        compared(OTHELLO, operator_of("average"), Settings(), threads=2, iterations=20)


def test_progress_and_stop():
    done, stop = [], threading.Event()
    searcher = searcher_of(operator_of("average"), engine=Elsewhere(OTHELLO))
    searcher.search(roots(OTHELLO, TREES), keys_for(TREES), ITERATIONS, on_progress=done.append)
    assert sum(done) == TREES * ITERATIONS

    def stop_soon(iterations):
        stop.set()

    with pytest.raises(KeyboardInterrupt):
        searcher.search(roots(OTHELLO, TREES), keys_for(TREES), 1_000_000, stop=stop, on_progress=stop_soon)
    assert searcher.engine.under_way == 0


def test_an_engine_by_name_or_made():
    assert searcher_of(operator_of("average"), engine="cpu").engine is None
    assert searcher_of(operator_of("average"), engine=CpuPlayouts(OTHELLO, UNIFORM)).engine is None


@pytest.fixture(scope="module")
def simulated():
    """Digests by case, from a process in which the simulator is on."""
    return told_by("tests.tree.simulated_searches")


@pytest.mark.slow
@pytest.mark.parametrize("case", simulated_searches.CASES)
def test_cudasim_is_cpu(simulated, case):
    assert simulated[case] == simulated_searches.searched(case, "cpu")


@pytest.mark.gpu
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize(
    ("operator", "settings"),
    [slow_unless(s == "plain" or o == "average", o, s) for o in OPERATORS for s in SETTINGS if works(o, s)],
)
def test_cuda_is_cpu(operator, settings):
    if problem := engines.cuda_problem():
        pytest.skip(problem)
    trees, iterations = 300, 500
    found = {}
    for engine in ("cpu", "cuda"):
        searcher = searcher_of(operator_of(operator), SETTINGS[settings], engine=engine, threads=4)
        found[engine] = searcher.search(roots(OTHELLO, trees), keys_for(trees), iterations)
    assert digest(found["cuda"]) == digest(found["cpu"])
    assert np.array_equal(found["cuda"].decide(), found["cpu"].decide())
