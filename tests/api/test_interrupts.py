"""Ctrl-C in the middle of a search, a tally or a match: it ends, and what was used can be used again."""

import contextlib
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from numba import njit

import gpumcts as g
from gpumcts.api.interrupts import stoppable
from gpumcts.compiling.messages import announced
from gpumcts.kernels import batch
from gpumcts.kernels.batch import Rules
from gpumcts.players.random import RandomPlayer
from tests.interrupts import raised

BOXES = g.make("dots_and_boxes", rows=2, columns=2)
FOREVER = 2**31 - 1
RANDOM = g.players.Random()


@pytest.fixture(autouse=True)
def listening():
    """A shell starts what it runs in the background deaf to Ctrl-C; these tests would wait without end."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@contextlib.contextmanager
def control_c(seconds):
    """Ctrl-C after so long, as the terminal sends it."""
    main = threading.main_thread().ident
    timer = threading.Timer(seconds, lambda: signal.pthread_kill(main, signal.SIGINT))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


WAYS = [control_c, raised]


@pytest.fixture(scope="module", params=[1, 2])
def search(request):
    search = g.Search(BOXES, threads=request.param, expansion="root")  # trees stay small however long it takes
    search(g.start(BOXES), 10)
    return search


def test_work_within_work_ends_with_it():
    """A search that a player of a user's own makes knew nothing of the match's Ctrl-C."""
    with pytest.raises(KeyboardInterrupt), stoppable() as match:
        with pytest.raises(KeyboardInterrupt), stoppable() as search:
            signal.raise_signal(signal.SIGINT)
            assert match.is_set() and search.is_set()
        with pytest.raises(KeyboardInterrupt), stoppable():
            pass
    with stoppable() as stop:  # the next one begins anew
        assert not stop.is_set()


@pytest.mark.parametrize("way", WAYS)
def test_a_search(way, search):
    expected = search(g.start(BOXES, batch=3), 200)
    for seconds in (0.05, 0.21):
        with pytest.raises(KeyboardInterrupt), way(seconds):
            search(g.start(BOXES, batch=3), FOREVER)
    assert (search(g.start(BOXES, batch=3), 200).visits[2] == expected.visits[2]).all()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not [thread for thread in threading.enumerate() if "match" in thread.name]


def test_a_search_that_still_compiles_ends_at_the_next_pass(monkeypatch):
    """Not in the handler: in a callback from LLVM its exception would be ignored."""
    handled = []

    def interrupted(*parts):
        with announced("a search", may_load=True):
            signal.raise_signal(signal.SIGINT)
            handled.append(True)
            njit(lambda x: x)(1)

    monkeypatch.setattr("gpumcts.api.search.tree_search", interrupted)
    with pytest.raises(KeyboardInterrupt):
        g.Search(BOXES)
    assert handled


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("way", WAYS)
def test_a_tally(way, threads):
    start = g.start(BOXES)
    expected = g.play_out(BOXES, "uniform", start, playouts=1000, threads=threads)
    with pytest.raises(KeyboardInterrupt), way(0.2):
        g.play_out(BOXES, "uniform", start, playouts=10**12, threads=threads)
    assert g.play_out(BOXES, "uniform", start, playouts=1000, threads=threads).digest == expected.digest


@pytest.mark.parametrize("way", WAYS)
def test_a_match_goes_on_where_it_was(way, search, tmp_path):
    pair = (search.player(iterations=200), RANDOM)
    whole = g.play_match(BOXES, pair, games=40, seed=3)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt), way(0.3):
            g.play_match(BOXES, (pair[0], RANDOM), games=20_000, seed=3, folder=tmp_path, games_in_flight=8)
    assert g.play_match(BOXES, pair, games=40, seed=3, folder=tmp_path).digest == whole.digest


class Thinker(RandomPlayer):
    """Moves at random after a search, of which it notes how it ended."""

    trusted = False

    def __init__(self, search, ended):
        super().__init__(BOXES)
        self._search, self._ended = search, ended

    def identity(self):
        return {"player": {"name": "thinker"}}

    def build(self, context, folder):
        return self

    def choose(self, states, keys, games, stop=None):
        try:
            self._search(g.start(BOXES), FOREVER // 200)
        except KeyboardInterrupt:
            self._ended.append("by Ctrl-C")
            raise
        self._ended.append("by itself")
        return super().choose(states, keys, games, stop)


@pytest.mark.parametrize("engine", ["cpu", "cudasim"], ids=["on threads of the match", "on its own"])
def test_a_search_of_an_own_player_in_a_match(monkeypatch, search, engine):
    ended = []
    monkeypatch.setattr("gpumcts.api.match.resolve", lambda asked: engine)
    with pytest.raises(KeyboardInterrupt), control_c(0.3):
        g.play_match(BOXES, (Thinker(search, ended), RANDOM), games=2, seed=3)
    assert set(ended) == {"by Ctrl-C"}


def test_a_match_that_is_interrupted_while_its_threads_begin(monkeypatch, tmp_path):
    """It ends then, and does not play on to its last game first."""

    class Interrupted(ThreadPoolExecutor):
        begun = 0

        def submit(self, *work):
            self.begun += 1
            if self.begun == 2:
                raise KeyboardInterrupt
            return super().submit(*work)

    monkeypatch.setattr("gpumcts.match.runner.ThreadPoolExecutor", Interrupted)
    with pytest.raises(KeyboardInterrupt):
        g.play_match(BOXES, (RANDOM, RANDOM), games=5_000, seed=3, folder=tmp_path, games_in_flight=8)
    assert len((tmp_path / "games.jsonl").read_text().splitlines()) < 5_000


def test_another_threads_search_knows_no_signals(search):
    found = []
    thread = threading.Thread(target=lambda: found.append(search(g.start(BOXES), 100)))
    thread.start()
    thread.join()
    assert (found[0].visits[0] == search(g.start(BOXES), 100).visits[0]).all()


def test_a_perft_ends_in_its_middle_and_slices_change_no_count(monkeypatch):
    rules = Rules(g.make("othello"))
    root = rules.starts(1)[0]
    rules.perft(root, 1)  # compiles
    begin = time.perf_counter()
    with raised(0.1), pytest.raises(KeyboardInterrupt):
        rules.perft(root, 13)
    assert time.perf_counter() - begin < 3
    whole = rules.perft_and_finished(root, 7)
    monkeypatch.setattr(batch, "TURNS", 7)
    assert rules.perft_and_finished(root, 7) == whole == (55_092, 0)
