"""MCTS-NC beside ours: what is missing is said in one line; its own code runs, here a stand-in without a device."""

import sys
from types import SimpleNamespace

import pytest

from benchmarks import search as search_suite
from benchmarks.measure import Bench, Grid
from benchmarks.peers import contenders, mctsnc, mctsnc_process
from benchmarks.peers.names import not_installed
from gpumcts.games.connect_four import ConnectFour
from gpumcts.games.gomoku import Gomoku
from gpumcts.kernels import engines
from gpumcts.tree.settings import Settings

SEARCH = """
import mctsnc_game_mechanics
from mctsnc_game_mechanics import is_action_legal, take_action, legal_actions_playout, \
take_action_playout, compute_outcome

class MCTSNC:
    def __init__(self, shape, extra, actions, search_time_limit=5.0, search_steps_limit=float("inf")):
        assert search_time_limit == float("inf") and shape == (6, 7) and extra == 7
        self.n_trees, self.n_playouts, self.state_max_actions = 8, 128, actions
        self.ready = False

    def init_device_side_arrays(self):
        self.ready = True
        print("arrays")

    def run(self, board, extra, turn):
        assert self.ready and (board, extra, turn) == ("board", "fills", 1)
        print("MCTSNC RUN...", file=__import__("sys").stdout)
        if self.search_steps_limit > 1000:
            raise RuntimeError("no memory for " + is_action_legal())
        self.performance_info = {"playouts": int(self.search_steps_limit) * 8 * 7 * 100}
"""
MECHANICS = "\n".join(
    f"def {name}{ending}(): return '{ending}'" for name in mctsnc_process.CHOSEN for ending in ("", "_c4", "_gomoku")
)
STATE = """
class C4:
    get_board_shape = staticmethod(lambda: (6, 7))
    get_extra_info_memory = get_max_actions = staticmethod(lambda: 7)
    def get_board(self): return "board"
    def get_extra_info(self): return "fills"
    def get_turn(self): return 1
"""


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A stand-in for a checkout, and for a device."""
    (tmp_path / "src").mkdir()
    for name, text in {"mctsnc": SEARCH, "mctsnc_game_mechanics": MECHANICS, "c4": STATE}.items():
        (tmp_path / "src" / f"{name}.py").write_text(text)
    monkeypatch.setenv(mctsnc.CHECKOUT, str(tmp_path))
    monkeypatch.setattr(engines, "cuda_problem", lambda: "")
    return tmp_path


def test_what_is_missing(checkout, monkeypatch):
    assert not_installed("mctsnc") == ""
    monkeypatch.setattr(engines, "cuda_problem", lambda: "no driver")
    assert not_installed("mctsnc") == "it runs on a CUDA device alone: no driver"
    monkeypatch.setenv(mctsnc.CHECKOUT, str(checkout / "src"))
    assert not_installed("mctsnc").endswith("there is no src/mctsnc.py in it")
    monkeypatch.delenv(mctsnc.CHECKOUT)
    assert not_installed("mctsnc").startswith("no checkout of MCTS-NC is named; set GPUMCTS_MCTSNC")
    assert not contenders.of_searches(["mctsnc"], ConnectFour(), "connect_four")


def test_it_plays_two_games(checkout):
    assert len(contenders.of_searches(["mctsnc"], ConnectFour(), "connect_four")) == 1
    assert len(contenders.of_searches(["mctsnc"], Gomoku(), "gomoku")) == 1
    assert not contenders.of_searches(["mctsnc"], Gomoku(9), "gomoku")
    assert not contenders.of_searches(["mctsnc"], None, "othello")


def test_its_own_code_is_run(checkout):
    """With the rules of the game that is asked for, until its own count of playouts is what is asked for."""
    (peer,) = contenders.of_searches(["mctsnc"], ConnectFour(), "connect_four")
    with peer as contender:
        assert contender.run(100_000) is None
        with pytest.raises(Exception, match="against=mctsnc: its process failed: RuntimeError: no memory for _c4"):
            contender.run(10_000_000)


def test_ours_in_its_shape_plays_as_many_playouts(tmp_path, monkeypatch):
    """Eight trees of 128 playouts a leaf, which count; never fewer than a batch of each tree."""
    asked: list[int] = []

    def uct(bench, operator, engine, settings):
        def search(states, tree_keys, iterations):
            assert len(states) == len(set(tree_keys)) and iterations >= settings.leaves_per_tree
            asked.append(len(states) * iterations * settings.playouts_per_leaf)

        assert engine == "cuda"
        return SimpleNamespace(engine=None, search=search)

    monkeypatch.setattr(search_suite, "uct", uct)
    bench = Bench(ConnectFour(), "connect_four", "device", 1, 1, ("mctsnc",), tmp_path, Grid((), (), 0))
    contender = search_suite._in_shape_of_mctsnc(bench, 7)
    contender.run(100 * 8 * 128)
    contender.run(1)
    assert asked == [100 * 8 * 128, 7 * 8 * 128]
    assert contender.what == "UCT, average, 8 trees, L = 7, 128 playouts a leaf, cuda, playouts"


@pytest.mark.parametrize(("game", "name", "beside"), [(ConnectFour(), "connect_four", 2), (Gomoku(9), "gomoku", 0)])
def test_ours_in_its_shape_is_there_where_it_is(checkout, tmp_path, monkeypatch, game, name, beside):
    """In the games that it plays, with as many leaves a batch as a step of it has, and with many."""
    timed: list[str] = []
    monkeypatch.setattr(
        search_suite, "compare", lambda suite, unit, found, *more: timed.extend(c.what for c in found) or []
    )
    monkeypatch.setattr(search_suite, "uct", lambda *parts, **more: SimpleNamespace(engine=None, settings=Settings()))
    for _ in search_suite.suite(Bench(game, name, "cuda", 1, 1, ("mctsnc",), tmp_path, Grid((), (), 0), ("average",))):
        break
    assert sum("8 trees, L = " in what for what in timed) == beside
    assert sum(what.startswith(mctsnc.NAME) for what in timed) == (beside > 0)


def test_playouts_are_counted_by_it(checkout, monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    search, start = mctsnc_process.searching(checkout, "connect_four")
    found = mctsnc_process.searched(search, start, 1_000_000)
    assert 1_000_000 <= found < 1_000_000 + 8 * 7 * 128
    for name in ("mctsnc", "mctsnc_game_mechanics", "c4"):
        del sys.modules[name]
