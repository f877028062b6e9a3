"""The same command again: where nothing was left to do it says so, and the record stays that of the run that did it."""

import json

import pytest

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


@pytest.mark.slow
def test_each_finished_run_of_a_sweep_is_said_to_be(run):
    run(f"{MATCH} -m seed=1,2 games=2")
    again = run(f"{MATCH} -m seed=1,2,3 games=2").err.splitlines()
    said = [line.partition(": finished before, ")[0] for line in again if "finished before" in line]
    assert said == ["[1/3] seed=1", "[2/3] seed=2"]


def test_a_command_that_works_anew_each_time_says_nothing(run):
    for _ in range(2):
        assert "finished before" not in run("perft game=othello depth=2").err
