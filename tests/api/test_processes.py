"""A search, a tally and a match in processes: copies, pickles, and forks of a process that has searched."""

import copy
import os
import pickle
import subprocess
import sys

import pytest

import gpumcts as g

BOXES = g.make("dots_and_boxes", rows=1, columns=2)
SEARCH = {"selection": g.selection.Ucb1(exploration=0.5), "threads": 2, "memory_gb": 1.5, "solve": True}

FORKED = """
import multiprocessing as mp
import gpumcts as g

GAME = g.make("dots_and_boxes", rows=1, columns=2)
SEARCH = g.Search(GAME, threads=2)
STATES = g.random_positions(GAME, 40, plies=2, seed=2)

def again(search):
    return search(STATES, iterations=50, seed=1).visits[0].tolist()

def anew(_):
    tally = g.play_out(GAME, "uniform", STATES, playouts=10, seed=1, threads=2)
    match = g.play_match(GAME, (g.Search(GAME, threads=2).player(20), g.players.Random()), games=4, seed=1, threads=2)
    return tally.wins.tolist(), match.digest

if __name__ == "__main__":
    expected = again(SEARCH), anew(0)
    with mp.get_context("fork").Pool(2) as pool:
        kept = pool.map_async(again, [SEARCH, SEARCH]).get(50)
        fresh = pool.map_async(anew, [0, 1]).get(50)
    assert kept == [expected[0]] * 2 and fresh == [expected[1]] * 2, (kept, fresh, expected)
    assert again(SEARCH) == expected[0]
    print("the same")
"""

HELD = """
import os
import gpumcts as g

GAME = g.make("dots_and_boxes", rows=1, columns=2)
SEARCH, STATES = g.Search(GAME, threads=2), g.random_positions(GAME, 40, plies=2, seed=2)
expected = SEARCH(STATES, iterations=50, seed=1).visits[0].tolist()
child = os.fork()
found = SEARCH(STATES, iterations=50, seed=1).visits[0].tolist()
if child == 0:
    os._exit(0 if found == expected else 1)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), found == expected)
"""


@pytest.fixture(scope="module")
def search():
    return g.Search(BOXES, **SEARCH)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda search: pickle.loads(pickle.dumps(search))])
def test_a_copy_is_the_search(search, copied):
    other, states = copied(search), g.random_positions(BOXES, 6, plies=2, seed=2)
    assert repr(other) == repr(search) and other.settings == search.settings and other is not search
    one, two = (found(states, iterations=60, seed=3) for found in (search, other))
    assert all((a == b).all() for a, b in zip(one.visits, two.visits, strict=True))
    assert one.best.tolist() == two.best.tolist()
    assert other.player(10) == search.player(10)


def test_a_pickle_holds_what_the_search_was_made_of(search):
    assert len(pickle.dumps(search)) < 2000


def _told(program):
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout.split("\n")[-2]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_fork_searches_with_what_its_parent_made():
    assert _told(HELD) == "0 True"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_a_forked_pool_searches_plays_out_and_plays_matches(tmp_path):
    program = tmp_path / "forked.py"
    program.write_text(FORKED)
    done = subprocess.run([sys.executable, str(program)], capture_output=True, text=True, timeout=150, check=False)
    assert done.stdout.strip().endswith("the same"), done.stderr[-2000:]
