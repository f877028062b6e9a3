"""The same command again: where nothing was left to do it says so, and the record stays that of the run that did it."""

import json
import threading

import pytest

from experiments import search
from gpumcts.match.lock import held
from tests.experiments.app.refusals import tree

MATCH = "match player=random player@opponent.player=random"
BEGUN = "2001-02-03T04:05:06+00:00"


def dated(path):
    """The record of a run, as though it had begun long ago."""
    record = json.loads(path.read_text())
    path.write_text(json.dumps({**record, "time": BEGUN, "commit": "c" * 40}))


@pytest.mark.parametrize(
    "words",
    [
        f"{MATCH} games=2",
        pytest.param("planning planner=uct game.size=2 samples=10", marks=pytest.mark.slow),
        pytest.param("trees game.depth=3 trees=2 runs=2", marks=pytest.mark.slow),
    ],
)
def test_a_finished_run_is_said_to_be_and_keeps_its_record(run, only, words):
    first = run(words)
    assert first.code == 0 and "finished before" not in first.err
    record = only("outputs/*/*") / "provenance.json"
    dated(record)
    again = run(words)
    assert again.err.splitlines()[-1] == (
        "finished before, by the run begun 2001-02-03 04:05 UTC; nothing was left to do"
    )
    told = json.loads(record.read_text())
    assert (told["time"], told["commit"], told.get("earlier")) == (BEGUN, "c" * 40, None)


def test_a_run_that_adds_games_has_a_record_of_its_own(run, only):
    run(f"{MATCH} games=2")
    record = only("outputs/*/*") / "provenance.json"
    dated(record)
    assert "finished before" not in run(f"{MATCH} games=3").err
    told = json.loads(record.read_text())
    assert told["time"] > BEGUN and [one["time"] for one in told["earlier"]] == [BEGUN]


def test_games_that_do_not_count_are_told_of(run, only):
    """A folder keeps what it has where fewer games are asked for, and the score is of those."""
    assert "more games" not in run(f"{MATCH} games=5").out
    assert "the folder has 1 more game, which games=4 does not count" in run(f"{MATCH} games=4").out
    done = run(f"{MATCH} games=2").out.splitlines()
    assert done[-2] == "the folder has 3 more games, which games=2 does not count"
    assert json.loads((only("outputs/*/*") / "summary.json").read_text())["games"] == 2
    assert "more games" not in run(f"{MATCH} games=5").out


def test_a_match_that_its_test_ended_has_nothing_left_to_do(run, only):
    """The games that count are those before the decision, in the summary as on the terminal; fewer than were asked for
    are no sign of an interrupt."""
    words = f"{MATCH} games=400 sprt=[-120,120] games_in_flight=20"
    done = run(words)
    summary = json.loads((only("outputs/*/*") / "summary.json").read_text())
    decision, accepted = summary["sprt"]["decision"], {"H0": "-120", "H1": "120"}[summary["sprt"]["decision"]]
    said = f"SPRT of -120 (H0) against 120 Elo (H1): {decision} accepted, {accepted} Elo; log-likelihood ratio "
    assert done.code == 0 and said in done.out and "no random part" not in done.out
    assert summary["sprt"]["asked"] == [-120, 120] and 10 < summary["games"] < 200 and summary["digest"]
    again = run(words)
    assert "nothing was left to do" in again.err and said in again.out
    more = len((only("outputs/*/*") / "games.jsonl").read_text().splitlines()) - summary["games"]
    plain = run(f"{MATCH} games={summary['games']}")
    assert json.loads((only("outputs/*/*") / "summary.json").read_text())["digest"] == summary["digest"]
    assert "SPRT" not in plain.out
    assert ("more game" in plain.out) == (more > 0)  # those that ended before the test decided, and do not count


def test_a_match_that_its_test_leaves_open_says_so(run, only):
    assert "not decided, log-likelihood ratio" in run(f"{MATCH} games=4 sprt=[0,5,0.1,0.1]").out
    summary = json.loads((only("outputs/*/*") / "summary.json").read_text())
    assert (summary["games"], summary["sprt"]["decision"]) == (4, "go on")
    assert round(summary["sprt"]["upper"], 3) == 2.197  # log 9


@pytest.mark.parametrize("test", ["[10,0]", "[1]", "7", "[a,2]", "[0,10,0.5,0.05]"])
def test_a_sequential_test_that_is_none_is_one_line(run, tmp_path, test):
    refused = run(f"{MATCH} games=4 sprt={test}")
    assert refused.code == 2 and not (tmp_path / "outputs").exists()
    assert refused.err.startswith("error: sprt=") and refused.err.count("\n") == 1


@pytest.mark.slow
def test_each_finished_run_of_a_sweep_is_said_to_be(run):
    run(f"{MATCH} -m seed=1,2 games=2")
    again = run(f"{MATCH} -m seed=1,2,3 games=2").err.splitlines()
    said = [line.partition(": finished before, ")[0] for line in again if "finished before" in line]
    assert said == ["[1/3] seed=1", "[2/3] seed=2"]


def test_a_command_that_works_anew_each_time_says_nothing(run):
    for _ in range(2):
        assert "finished before" not in run("perft game=othello depth=2").err


def test_a_run_that_finds_its_folder_in_use_leaves_the_records_of_who_plays(run, tmp_path):
    assert run(f"{MATCH} games=2 hydra.run.dir=here").code == 0
    before = tree(tmp_path / "here")
    with held(tmp_path / "here"):
        done = run(f"{MATCH} games=3 hydra.run.dir=here")
    assert done.code == 2 and done.err.splitlines()[-1].startswith("error: the folder ")
    assert "here is in use by another run; wait for it, or choose another" in done.err
    assert tree(tmp_path / "here") == before


def test_a_search_that_is_interrupted_leaves_the_result_of_the_one_before(run, tmp_path, monkeypatch):
    words = "search game=dots_and_boxes budget.iterations=20 search.leaves_per_tree=1 threads=1 engine=cpu"
    assert run(f"{words} hydra.run.dir=here").code == 0
    dated(tmp_path / "here/provenance.json")
    before = tree(tmp_path / "here")

    def cut_off(searcher, root, keys, iterations, stop, advance):
        found, _ = searched(searcher, root, keys, 10, threading.Event(), advance)
        return found, search.INTERRUPTED

    searched = search._searched
    monkeypatch.setattr(search, "_searched", cut_off)
    done = run(f"{words} hydra.run.dir=here")
    assert done.code == 130 and "10 iterations" in done.out
    assert done.err.splitlines()[-2] == "the result of the run begun 2001-02-03 04:05 UTC stays in here"
    assert tree(tmp_path / "here") == before
    assert run(f"{words} hydra.run.dir=there").code == 130  # the first in its folder has what it found
    assert json.loads((tmp_path / "there/summary.json").read_text())["interrupted"]
