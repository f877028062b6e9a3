"""One tree, many leaves a batch: the trees of the commit that took leaves one by one, on any number of threads."""

import hashlib
import os
import subprocess
import sys

import numpy as np
import pytest

from gpumcts.call_size import SECONDS_A_CALL
from gpumcts.games import contract
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.rng import key_of
from gpumcts.tree.forest import ROOT
from gpumcts.tree.host import shared_tree
from gpumcts.tree.host.shared_tree import FIRST_PACE
from gpumcts.tree.host.sharing import team_for
from gpumcts.tree.host.team import SHARE_BITS
from gpumcts.tree.host.team_steps import PHASES
from gpumcts.tree.host.wave import Wave
from gpumcts.tree.roots import roots_of
from gpumcts.tree.settings import Settings
from tests.tree.drivers import GO, HAVANNAH, OTHELLO, operator_of, othello_states, packed, rule_of, searcher_of

DICE = DiceDuel()
END = othello_states()[-1]
STARTS = {
    "othello": (OTHELLO, None),
    "end": (OTHELLO, END),
    "dice": (DICE, None),
    "havannah": (HAVANNAH, None),
    "go": (GO, None),
}
KEYS = np.array([key_of(3, 0, 0)], np.uint64)


def recorded(digest, iterations, start="othello", rule="ucb1", operator="average", **settings):
    """A search, and the digest of its tree at commit b863a2c."""
    return start, rule, operator, iterations, Settings(**settings), digest


RECORDED = {
    "few": recorded("d580655a97e84ae4", 3001, leaves_per_tree=3),
    "many": recorded("915d6df291907846", 9001, leaves_per_tree=256),
    "thousand": recorded("efc100f51cfb8388", 9001, leaves_per_tree=1000),
    "more than the budget": recorded("51f2dbc624fbb421", 1000, leaves_per_tree=4096),
    "more than there are positions": recorded("91ba6e1609d48606", 9000, start="end", leaves_per_tree=4096),
    "threshold": recorded("791829a0b8fe5cb7", 3000, expansion="threshold", threshold=7, leaves_per_tree=50),
    "threshold and playouts": recorded(
        "289bd66cdd6626e5", 1500, expansion="threshold", threshold=7, playouts_per_leaf=3, leaves_per_tree=16
    ),
    "urgency": recorded("a9f6b8c66a78d970", 2000, first_play_urgency=0.6, leaves_per_tree=64),
    "high urgency": recorded("f35ba8780f805b1b", 3000, first_play_urgency=1.1, leaves_per_tree=64),
    "whole paths": recorded("df3980c5f9a52843", 600, expansion="whole_path", leaves_per_tree=64),
    "whole paths and chance": recorded(
        "e75b4208189ea6ea", 600, start="dice", expansion="whole_path", leaves_per_tree=64
    ),
    "root": recorded("1f4784b12e49d07a", 600, expansion="root", leaves_per_tree=16),
    "sums of children": recorded("bbfadfc6d1170f46", 2000, leaves_per_tree=64, parent_count="children"),
    "first of equals": recorded("c89f7323e936f56b", 2000, leaves_per_tree=64, ties="first"),
    "chance": recorded("07ae91086f95884a", 3000, start="dice", operator="max", leaves_per_tree=100),
    # by a later commit: nothing is proven below chance
    "chance, solved": recorded("8062d355cb71e1d2", 3000, start="dice", leaves_per_tree=100, solve=True),
    "solved": recorded("93a194470d94257f", 2000, start="end", leaves_per_tree=64, solve=True),
    "draws": recorded("bfeed12b6712b0b3", 1000, rule="uniform", leaves_per_tree=64),
    "rave": recorded("7ff62c428e96dc0e", 1500, rule="rave", leaves_per_tree=64),
    "rave and playouts": recorded("1ed624eff82bf682", 500, rule="rave", playouts_per_leaf=3, leaves_per_tree=100),
    "rave, threshold": recorded(
        "2bff833dbfed8a2d", 1000, rule="rave", expansion="threshold", threshold=3, leaves_per_tree=16
    ),
    "rave, solved": recorded("bf7f1978a70add8f", 1000, start="end", rule="rave", leaves_per_tree=64, solve=True),
}


def levels(forest, tree=0):
    """The nodes of a tree, level by level."""
    nodes = np.array([ROOT])
    while len(nodes):
        yield nodes
        counts = forest.child_count[tree, nodes].astype(np.int64)
        begins = forest.first_child[tree, nodes] - (np.cumsum(counts) - counts)
        nodes = np.arange(counts.sum()) + np.repeat(begins, counts)


def digest(forest, tree=0):
    """What a tree is, wherever its nodes lie: all that is kept of its nodes, level by level."""
    known = hashlib.sha256()
    for nodes in levels(forest, tree):
        for array in (forest.visits, forest.child_count, forest.move_count, forest.action):
            known.update(array[tree, nodes].astype(np.int64).tobytes())
        known.update(np.ascontiguousarray(forest.columns[tree, nodes]).tobytes())
        if forest.proof.shape[1]:
            known.update(forest.proof[tree, nodes].tobytes())
    return known.hexdigest()[:16]


def searcher_for(name, threads=1):
    """A recorded case: the searcher, the root, the iterations, the digest."""
    start, rule, operator, iterations, settings, recorded = RECORDED[name]
    game, state = STARTS[start]
    searcher = searcher_of(operator_of(operator), settings, game, rule_of(rule), threads=threads)
    return searcher, packed(game, [contract.start(game) if state is None else state]), iterations, recorded


def found_digest(name, threads=1):
    searcher, root, iterations, _ = searcher_for(name, threads)
    return digest(searcher.search(root, KEYS, iterations).forest)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow) if name == "rave" else name for name in RECORDED]
)
def test_trees_are_those_of_leaves_taken_one_by_one(name):
    assert found_digest(name) == RECORDED[name][-1]


@pytest.mark.parametrize("threads", [2, 3, 5])
@pytest.mark.parametrize("name", ["many", "thousand", "more than the budget"])
def test_threads_in_a_tree_change_nothing(name, threads):
    assert found_digest(name, threads) == RECORDED[name][-1]


@pytest.mark.slow
@pytest.mark.parametrize("threads", [2, 5])
@pytest.mark.parametrize("name", RECORDED)
def test_threads_in_any_tree_change_nothing(name, threads):
    assert found_digest(name, threads) == RECORDED[name][-1]


def test_many_threads_take_little_more_memory_for_a_small_tree():
    """Each takes at most twice what a bundle of leaves may take: the operating system has to clear what is touched."""
    threads, bundle = 16, 48
    used = []
    for count in (1, threads):
        searcher, root, iterations, _ = searcher_for("many", count)
        used.append(int(searcher.search(root, KEYS, iterations).forest.used[0]))
    assert used[1] <= 2 * used[0] + threads * 2 * bundle * OTHELLO.MAX_MOVES


def test_few_of_many_threads_share_a_tree_beside_a_device():
    """Eight at most, where the CPU plays sixteen threads' leaves; fewer where there are too few leaves for them."""
    for leaves, on_cpu, beside_device in ((1024, 16, 8), (64, 4, 4)):
        parts = searcher_of(operator_of("average"), Settings(leaves_per_tree=leaves)).parts
        assert [len(team_for(parts, 16, beside).chunks) for beside in (False, True)] == [on_cpu, beside_device]


def in_slices(searcher, root, points):
    """The tree of a search that goes on from each number of iterations to the next."""
    planted = searcher.plant(roots_of(searcher.parts, root, KEYS), 50, None)  # it grows
    wave = Wave(planted, root, KEYS, searcher.stopwatch())
    for begin, end in zip([0, *points], points, strict=False):
        searcher.iterate(wave, (begin, end))
    return digest(wave.forest)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize(("leaves", "playouts"), [(7, 1), (100, 1), (16, 50), (1, 200)])
def test_slices_and_stops_change_nothing(leaves, playouts, threads):
    """After any number of batches the tree is that of a search of so many iterations; the last batch may be smaller."""
    settings = Settings(leaves_per_tree=leaves, playouts_per_leaf=playouts)
    root = packed(OTHELLO, [contract.start(OTHELLO)])
    for batches in (1, 2, 5):
        last = batches * leaves + 3
        whole = searcher_of(operator_of("average"), settings).search(root, KEYS, last).forest
        points = [leaves * (k + 1) for k in range(batches)] + [last]
        cut = searcher_of(operator_of("average"), settings, threads=threads)
        assert in_slices(cut, root, points) == digest(whole)


@pytest.mark.parametrize("threads", [1, 3])
def test_few_trees_take_turns(threads):
    """A team takes one tree after the other, and keeps the slots of each apart."""
    settings = Settings(leaves_per_tree=64, playouts_per_leaf=2)
    roots, keys = packed(OTHELLO, othello_states()[:1] * 2), np.array([key_of(3, g, 0) for g in range(2)], np.uint64)
    searcher = searcher_of(operator_of("average"), settings, threads=2 * threads)
    together = searcher.search(roots, keys, 1000).forest
    for tree in range(2):
        alone = searcher_of(operator_of("average"), settings).search(roots[:1], keys[tree : tree + 1], 1000).forest
        assert digest(together, tree) == digest(alone)


@pytest.mark.parametrize("threads", [1, 2])
def test_a_tree_that_is_reused_goes_on_alike(threads):
    digests = []
    for count in (1, threads):
        searcher = searcher_of(operator_of("average"), Settings(leaves_per_tree=64, reuse=True), threads=count)
        root, games = packed(OTHELLO, [contract.start(OTHELLO)]), np.zeros(1, np.int64)
        for ply in range(3):
            found = searcher.search(root, np.array([key_of(3, 0, ply)], np.uint64), 700, games=games)
            digests.append(digest(found.forest))
            root = searcher.rules.play(root, found.decide())
    assert digests[:3] == digests[3:]


@pytest.mark.parametrize(("threads", "leaves", "playouts"), [(1, 1, 1), (2, 64, 2)])
def test_proven_roots_say_nothing_of_the_next_search(threads, leaves, playouts):
    """Their iterations take no time; a call as long as that would let no stop be seen for minutes."""
    settings = Settings(leaves_per_tree=leaves, playouts_per_leaf=playouts, solve=True)
    searcher, told = searcher_of(operator_of("average"), settings, threads=threads), []
    end, start = packed(OTHELLO, [END]), packed(OTHELLO, [contract.start(OTHELLO)])
    for _ in range(3):
        assert searcher.search(end, KEYS, 10**7).forest.proof[0, ROOT] != 0
    searcher.search(start, KEYS, 20_000, on_progress=told.append)
    first = SECONDS_A_CALL / (FIRST_PACE * playouts)
    assert told[0] <= first and told[1] <= 8 * first and sum(told) == 20_000  # threads lack room at first


def test_calls_have_no_more_phases_than_the_board_can_count(monkeypatch):
    assert PHASES * (shared_tree.MAX_SHARED_BATCHES + 1) < 1 << (63 - 2 * SHARE_BITS)
    told, settings = [], Settings(leaves_per_tree=64, playouts_per_leaf=2)
    monkeypatch.setattr(shared_tree, "MAX_SHARED_BATCHES", 2)
    root = packed(OTHELLO, [contract.start(OTHELLO)])
    searcher_of(operator_of("average"), settings, threads=2).search(root, KEYS, 640, on_progress=told.append)
    assert max(told) <= 2 * 64 and sum(told) == 640


FAULT = """
import threading

import numpy as np
from gpumcts.games import contract
from gpumcts.games.connect_four import ConnectFour
from gpumcts.tree.settings import Settings
from tests.tree.drivers import operator_of, searcher_of

callers, sound = [], contract.score.find(ConnectFour)

class Broken(ConnectFour):
    pass

@contract.score.implements(Broken)
def broken(game, state):
    callers.append(threading.get_ident())
    if callers[-1] != callers[0] or len(callers) > 200:  # on a second thread, if there is one
        raise ZeroDivisionError("planted")
    return sound(game, state)

searcher = searcher_of(operator_of("average"), Settings(playouts_per_leaf=32), Broken(), threads=2)
with np.errstate(over="ignore"):
    searcher.search(searcher.rules.starts(1), np.ones(1, np.uint64), 20)
"""


def test_a_games_error_comes_out_in_plain_python():
    """Of one thread of several too: none waits for what it has left undone."""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    run = subprocess.run([sys.executable, "-c", FAULT], env=env, capture_output=True, text=True, timeout=60)
    assert run.returncode == 1 and "ZeroDivisionError: planted" in run.stderr
