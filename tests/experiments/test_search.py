"""What experiments.search shows of a position with many moves."""

import contextlib
import json
import re
import threading

import numpy as np
import pytest

from experiments import playouts, search
from gpumcts.tree.host.stopped_search import SearchStopped
from gpumcts.tree.settings import Settings


def test_a_search_shows_its_most_visited_moves_and_keeps_all(run, only):
    done = run("search game=gomoku game.size=9 budget.iterations=200 threads=1")
    moves = json.loads(only("outputs/search/*/summary.json").read_text())["moves"]
    shown = [line.split()[0] for line in done.out.splitlines() if re.match(r" \S+ +\d+ +[01]\.\d{4} ", line)]
    assert len(moves) == 81 and shown == [row["move"] for row in moves[:10]]
    assert f"and 71 others with {sum(row['visits'] for row in moves[10:])} visits, in summary.json" in done.out


def test_the_move_played_is_shown_where_ten_others_stand_before_it():
    moves = [{"move": str(number), "visits": 1, "value": 0.5, "variation": ""} for number in range(14)]
    shown = [row[0] for row in search._table_of_moves(moves, "12").rows]
    assert shown == [*map(str, range(10)), "12"]
    assert search._others(moves, "12") == ["and 3 others with 3 visits, in summary.json"]


@pytest.mark.parametrize(
    "threads, waiting, seconds, device, settings, told",
    [
        (4, 0.74, 2.0, None, Settings(), True),
        (4, 0.74, 2.0, None, Settings(leaves_per_tree=64), True),
        (4, 0.5, 2.0, None, Settings(), False),  # two threads worked
        (1, 0.0, 2.0, None, Settings(), False),
        (4, 0.74, 0.2, None, Settings(), False),
        (4, 0.74, 2.0, 1.0, Settings(), False),  # they wait for a device
        (4, 0.74, 2.0, None, Settings(leaves_per_tree=1024), False),
        (4, 0.74, 2.0, None, Settings(table=100), False),  # has one leaf a batch
        (4, 0.74, 2.0, None, Settings(batches_in_flight=2), False),  # is one thread's
    ],
)
def test_threads_with_nothing_to_do_are_told_of_larger_batches(threads, waiting, seconds, device, settings, told):
    time = {"threads": threads, "seconds": seconds, "device_seconds": device, "parts": {"waiting": {"share": waiting}}}
    line = "one of 4 threads did the work; they share a tree in larger batches (search.leaves_per_tree)"
    assert search._idle(time, settings) == [line] * told


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


@pytest.mark.parametrize(
    ("moves", "iterations", "proof"),
    [("", 20_000, "draw"), ("a1b1", 20_000, "win"), ("a1b1 a2b2", 20_000, "loss"), ("", 20, None)],
)
def test_what_is_proven_is_told(run, only, moves, iterations, proof):
    line = f"search game=dots_and_boxes game.rows=1 game.columns=2 budget.iterations={iterations} threads=1"
    done = run(f"{line} search.solve=true", f"moves={moves}")
    assert done.code == 0, done.err
    summary = json.loads(only("outputs/search/*/summary.json").read_text())
    proofs = [row["proof"] for row in summary["moves"]]
    assert summary["proof"] == proof and (proof in proofs or proof is None)
    ended = f"proven: a {proof} for the player to move; the search ended after {summary['iterations']:,} of 20,000"
    assert (ended in done.out) == (proof is not None) and ("proven" in done.out) == (proof is not None)
    header = next(line.split() for line in done.out.splitlines() if line.split()[:1] == ["move"])
    assert header == ["move", "visits", "value", "proof", "principal", "variation"]


def test_proofs_are_told_where_they_are_asked_for(run, only):
    done = run("search game=dots_and_boxes game.rows=1 game.columns=2 budget.iterations=100 threads=1")
    summary = json.loads(only("outputs/search/*/summary.json").read_text())
    assert "proof" not in summary and "proof" not in summary["moves"][0] and " proof " not in done.out


@pytest.mark.parametrize("words", ["budget.iterations={}", "budget.iterations=30 search.leaves_per_tree={}"])
def test_a_number_may_be_written_as_a_power_of_ten(run, words):
    """It decides of leaves a batch, and of how they count in flight, as any other."""
    line = f"search game=connect_four threads=1 engine=cpu {words}"
    plain, other = (run(line.format(number)) for number in ("20", "2e1"))
    assert plain.code == other.code == 0
    folders = [done.out.splitlines()[-1] for done in (plain, other)]
    assert folders[0] == folders[1] and folders[0].startswith("folder: ")
