"""What experiments.search shows of a position with many moves."""

import contextlib
import json
import re
import threading

import numpy as np

from experiments import playouts, search
from gpumcts.tree.stopped_search import SearchStopped


def test_a_search_shows_its_most_visited_moves_and_keeps_all(run, only):
    done = run("search game=go budget.iterations=200 threads=1")
    moves = json.loads(only("outputs/search/*/summary.json").read_text())["moves"]
    shown = [line.split()[0] for line in done.out.splitlines() if re.match(r" \S+ +\d+ +[01]\.\d{4} ", line)]
    assert len(moves) == 82 and shown == [row["move"] for row in moves[:10]]
    assert f"and 72 others with {sum(row['visits'] for row in moves[10:])} visits, in summary.json" in done.out


def interrupt(monkeypatch, command):
    """Ctrl-C in the command's first batch, or the second."""

    class Stop(threading.Event):
        asked = 0

        def is_set(self):
            self.asked += 1
            return self.asked > 2

    monkeypatch.setattr(command, "stop_on_interrupt", lambda message: contextlib.nullcontext(Stop()))


def test_an_interrupted_search_shows_and_writes_what_it_has_found(run, only, monkeypatch):
    with monkeypatch.context() as patch:
        interrupt(patch, search)
        done = run("search budget.iterations=1000000 search.leaves_per_tree=16 threads=1")
    assert done.code == 130 and done.err.splitlines()[-1] == "interrupted; the same command starts again"
    summary = json.loads(only("outputs/search/*/summary.json").read_text())
    assert summary["interrupted"] and 0 < summary["iterations"] < 1_000_000
    assert f"interrupted; by then it plays {summary['best']}; {summary['iterations']:,} iterations" in done.out
    line = f"search budget.iterations={summary['iterations']} search.leaves_per_tree=16 threads=1"
    whole = run(f"{line} hydra.run.dir=whole")
    found = json.loads(only("whole/summary.json").read_text())
    assert "interrupted" not in found and "interrupted" not in whole.out and found["moves"] == summary["moves"]


def test_what_has_all_its_iterations_was_not_interrupted(monkeypatch):
    class Found:
        iterations = 8

    class Searched:
        def search(self, *_):
            raise SearchStopped(Found())

    event = threading.Event()
    assert not search._searched(Searched(), np.zeros(1), None, 8, event, print)[1]


def test_playouts_that_are_interrupted_say_so(run, monkeypatch):
    interrupt(monkeypatch, playouts)
    done = run("playouts count=100000 engine=cpu threads=1")
    assert done.code == 130 and ", interrupted" in done.out and "the same command starts again" in done.err
