"""Turns of the halves of a forest in compiled code; Python's functions play the graphs in place of a driver."""

import ctypes
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from gpumcts.games.instances import instances
from gpumcts.games.pgame import PGame
from gpumcts.kernels.cuda import captured_graph
from gpumcts.kernels.cuda.captured_graph import PLAYED
from gpumcts.tree import memory as tree_memory
from gpumcts.tree.forest import ROOT
from gpumcts.tree.host import device_playouts, shared_blocks, shared_tree, sharing
from gpumcts.tree.host.iterations import MIN_BATCHES
from gpumcts.tree.host.team import LEAVE, announce
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.settings import Settings
from tests.tree.drivers import OTHELLO, keys_for, operator_of, searcher_of
from tests.tree.simulated_searches import digest, roots
from tests.tree.test_device_playouts import Elsewhere, InFlightBatch

TREES, ITERATIONS, REFUSED = 7, 120, 2


class Graphs(Elsewhere):
    """An engine whose batches are played by calls that compiled code makes; one call may be refused once.

    refused : its name, and how often it was answered before
    """

    def __init__(self, game, refused=("", 0)):
        super().__init__(game)
        self.batches, self.spans, self.asked, self.used_by, self._refused = [], [], [], [], refused
        self.clock = SimpleNamespace(busy=0.0, base=self._base, enter_span=lambda *span: self.spans.append(span))
        plain = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        timed = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_float), ctypes.c_void_p, ctypes.c_void_p)
        kinds = [plain, plain, plain, timed]
        self._functions = [
            kind(self._answered(name)) for kind, name in zip(kinds, captured_graph.FUNCTIONS, strict=True)
        ]
        self.addresses = [ctypes.cast(function, ctypes.c_void_p).value for function in self._functions]

    def in_flight_batches(self, leaves, playouts):
        self.batches = [GraphBatch(self, leaves, playouts), GraphBatch(self, leaves, playouts)]
        return self.batches

    def _base(self):
        return SimpleNamespace(address=1), 5.0

    def _answered(self, name):
        def answer(*arguments):
            self.asked.append(name)
            if (name, self.asked.count(name) - 1) == self._refused:
                return REFUSED
            if name == "cuGraphLaunch":
                self.batches[arguments[0] - 1].play_again()
            if name == "cuEventElapsedTime":
                arguments[0][0] = len(self.asked)
            return 0

        return answer


class GraphBatch(InFlightBatch):
    """A batch that is sent off again by its words."""

    words = None

    def start(self, leaves, playouts, stop=None):
        self.sent = leaves, playouts
        self.words = np.zeros(captured_graph.WORDS, np.int64)
        self.words[:4], self.words[captured_graph.GRAPH] = self.engine.addresses, self.engine.batches.index(self) + 1
        seconds = super().start(leaves, playouts, stop)
        self.finish()  # calls from compiled code wait for nothing
        return seconds

    def play_again(self):
        states, keys, tally = self.arrays(*self.sent)
        self.engine.started += 1
        tally[:] = self.engine.playouts.columns(states, keys, self.sent[1])

    def graph_words(self):
        return self.words

    def check_graph(self, answer):
        if answer:
            raise RuntimeError(f"the answer is {answer}")

    def use_here(self):
        self.engine.used_by.append(threading.get_ident())

    def sent_again(self):
        self.engine.most_under_way = 2


@pytest.fixture(autouse=True)
def a_tree_is_a_block(monkeypatch):
    """So that threads share a few trees out as they share thousands, and a tree of few leaves a batch."""
    monkeypatch.setattr(shared_blocks, "ROWS_OF_A_BLOCK", 1)
    monkeypatch.setattr(sharing, "MIN_LEAVES_BESIDE_DEVICE", 100)


def searched(engine, threads=2, **more):
    searcher = searcher_of(operator_of("average"), Settings(leaves_per_tree=2), OTHELLO, engine=engine, threads=threads)
    return searcher.search(roots(OTHELLO, TREES), keys_for(TREES), ITERATIONS, **more)


@pytest.mark.parametrize("slots", [pytest.param(None, id="with room"), pytest.param(0.0, id="growing")])
def test_graphs_find_what_the_cpu_finds(monkeypatch, slots):
    """And every batch is timed once, every iteration told once, and all time is a part's."""
    if slots is not None:
        monkeypatch.setattr(tree_memory, "SLOTS_PER_NODE", slots)
    engine, done = Graphs(OTHELLO), []
    found = searched(engine, on_progress=done.append)
    assert digest(found) == digest(searched("cpu"))
    batches = 2 * ITERATIONS // 2
    assert engine.started == batches and sum(done) == TREES * ITERATIONS
    assert len(engine.spans) == len(set(engine.spans)) == batches and min(engine.spans)[0] > 5.0
    assert all(batch.words[PLAYED] == 1 for batch in engine.batches)
    assert sum(found.times.parts().values()) == pytest.approx(2 * found.times.seconds, rel=0.01)


@pytest.mark.parametrize("name", ["cuGraphLaunch", "cuEventRecord", "cuEventSynchronize"])
@pytest.mark.parametrize("before", [0, 1, 6, 7])
def test_a_call_that_is_refused_ends_the_turns(name, before):
    """Whatever the next call would be answered: a batch that did not go off has the tallies of the last one."""
    engine = Graphs(OTHELLO, (name, before))
    with pytest.raises(RuntimeError, match=f"the answer is {REFUSED}"):
        searched(engine)
    assert engine.asked[-1] == name and engine.asked.count(name) == before + 1
    assert len(engine.spans) == engine.asked.count("cuEventSynchronize") - (name == "cuEventSynchronize")


@pytest.mark.parametrize("calls", [1, 2, 3, 4, 5])
def test_ctrl_c_as_a_call_returns(monkeypatch, calls):
    """Threads that join a phase late are let go by the number of a later one, else they would wait for its shares."""
    take_turns, end_phases, begun = device_playouts.take_turns, device_playouts.end_phases, []

    def interrupted(*arguments):
        begun.append(arguments)
        done = take_turns(*arguments)
        if len(begun) == calls:
            raise KeyboardInterrupt
        return done

    def end(shared, phase):
        assert phase > shared.board[shared_blocks.PHASE] >> shared_blocks.KIND_BITS
        end_phases(shared, phase)

    monkeypatch.setattr(device_playouts, "take_turns", interrupted)
    monkeypatch.setattr(device_playouts, "end_phases", end)
    with pytest.raises(KeyboardInterrupt):
        searched(Graphs(OTHELLO))
    assert len(begun) == calls


@pytest.mark.parametrize("kind", [Elsewhere, Graphs])
@pytest.mark.parametrize("batches", [1, 2])
def test_no_batch_follows_the_last_proof(kind, batches):
    """A budget of 5,000 batches a tree ends after some thirty, with the trees of a small one, and is told as made."""
    settings, game = Settings(leaves_per_tree=4, solve=True, batches_in_flight=batches), PGame(2, 4)
    states, keys, engine, done = instances(game, range(5)), keys_for(5), kind(game), []
    searcher = searcher_of(operator_of("average"), settings, game, engine=engine, threads=2)
    found = searcher.search(states, keys, 20_002, on_progress=done.append)
    assert found.forest.proof[:, ROOT].all() and found.iterations == 20_002
    assert sum(done) == 5 * 20_002 and engine.started < 1_000 and engine.under_way == 0
    assert digest(found) == digest(searcher_of(operator_of("average"), settings, game).search(states, keys, 200))


# ------------------------------------------------------------------------------------------------------------- one tree


ONE_TREE = {
    "threads that share it": (Settings(leaves_per_tree=130), 3),
    "the same, solved": (Settings(leaves_per_tree=130, solve=True), 2),
    "two batches in flight": (Settings(leaves_per_tree=60, batches_in_flight=2), 1),
    "two batches in flight, unobserved": (Settings(leaves_per_tree=60, batches_in_flight=2, in_flight="unobserved"), 2),
}


def one_tree(engine, settings, threads, iterations=1700, **more):
    searcher = searcher_of(operator_of("average"), settings, OTHELLO, engine=engine, threads=threads)
    return searcher.search(roots(OTHELLO, 1), keys_for(1), iterations, **more)


@pytest.mark.parametrize("slots", [pytest.param(None, id="with room"), pytest.param(0.0, id="growing")])
@pytest.mark.parametrize("case", ONE_TREE)
def test_one_tree_is_the_cpus(monkeypatch, case, slots):
    """All batches but the first ones are sent by compiled code; the rest of the iterations is a smaller batch."""
    if slots is not None:
        monkeypatch.setattr(tree_memory, "SLOTS_PER_NODE", slots)
    (settings, threads), engine, done = ONE_TREE[case], Graphs(OTHELLO), []
    found = one_tree(engine, settings, threads, on_progress=done.append)
    assert [array.tobytes() for array in found.table] == [a.tobytes() for a in one_tree("cpu", settings, 1).table]
    whole = 1700 // settings.leaves_per_tree
    assert sum(done) == 1700 and engine.asked.count("cuGraphLaunch") >= whole - 4 > 5
    assert len(engine.spans) == len(set(engine.spans)) == engine.asked.count("cuEventSynchronize")
    assert sum(found.times.parts().values()) == pytest.approx(threads * found.times.seconds, rel=0.01)
    if settings.batches_in_flight == 1:
        assert threading.get_ident() not in engine.used_by and engine.used_by


def sliced(engine, threads):
    """Root's table and slots after fourteen slices, each of the fewest batches that threads share beside a device."""
    settings, step = ONE_TREE["threads that share it"][0], 130 * MIN_BATCHES
    searcher = searcher_of(operator_of("average"), settings, OTHELLO, engine=engine, threads=threads)
    search = IncrementalSearch(searcher, roots(OTHELLO, 1)[0], keys_for(1)[0])
    while search.iterations < 14 * step:
        search.go_on(step)
    found = search.found()
    assert found.forest is not None
    return found.table, int(found.forest.used[0])


def test_slices_of_one_tree_take_no_more_slots_than_on_the_cpu():
    """Threads go on with what is left of the slots that they have taken."""
    (here, slots_here), (there, slots_there) = sliced("cpu", 3), sliced(Graphs(OTHELLO), 3)
    assert [array.tobytes() for array in there] == [array.tobytes() for array in here]
    assert slots_there < 3 * slots_here


@pytest.mark.parametrize("name", ["cuGraphLaunch", "cuEventRecord", "cuEventSynchronize"])
@pytest.mark.parametrize("case", ["threads that share it", "two batches in flight"])
def test_one_tree_ends_with_a_refused_call(case, name):
    engine = Graphs(OTHELLO, (name, 2))
    with pytest.raises(RuntimeError, match=f"the answer is {REFUSED}"):
        one_tree(engine, *ONE_TREE[case])
    assert engine.asked[-1] == name and engine.asked.count(name) == 3


def test_threads_of_a_tree_leave_where_its_device_cannot_be_used(monkeypatch):
    """No phase has begun by then, and they wait for the first."""
    teams = []

    def fail(batch):
        rescue.start()
        raise RuntimeError("planted")

    def noted(*parts):
        teams.append(sharing.team_for(*parts))
        return teams[-1]

    monkeypatch.setattr(GraphBatch, "use_here", fail)
    monkeypatch.setattr(shared_tree, "team_for", noted)
    rescue = threading.Timer(20, lambda: announce(teams[-1], 0, LEAVE, 0))
    with pytest.raises(RuntimeError, match="planted"):
        one_tree(Graphs(OTHELLO), *ONE_TREE["threads that share it"])
    assert rescue.is_alive()
    rescue.cancel()
