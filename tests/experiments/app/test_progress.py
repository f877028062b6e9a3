"""What commands tell while they run: the score and the time left, of a run and of a whole sweep."""

import os
import re
import time

import pytest

from experiments.match import standing
from experiments.terminal import console
from experiments.terminal.sweep_clock import SweepClock, duration
from gpumcts.match.progress import Progress


@pytest.fixture
def at_once(monkeypatch):
    """A line of progress at every chance, whenever an earlier command in this process told its last one."""
    monkeypatch.setattr(console, "LINES", console.Lines())
    monkeypatch.setattr(console, "LINE_EVERY_SECONDS", 0.0)
    monkeypatch.setattr(console, "FIRST_LINE_SECONDS", 0.0)


def test_a_piped_match_tells_its_score_and_the_time_left(run, at_once):
    told = run("match player=random player@opponent.player=random games=40 games_in_flight=10").err
    assert re.search(r"[1-9]\d* %, about \d+ s left; 0 of 40 games, ply \d+", told)
    assert re.search(r"\d+ of 40 games: \+\d+ =\d+ -\d+  \d+ % \[\d+, \d+\]", told)
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", told)  # control characters but for newlines


def test_a_piped_sweep_tells_the_time_left_of_all_its_runs(run, at_once):
    told = run("match -m seed=1,2,3 player=random player@opponent.player=random games=20").err
    stands = re.findall(r"sweep: (\d) of 3 runs done, about \d+ s left", told)
    assert set(stands) == {"0", "1", "2"} and stands == sorted(stands)
    assert not re.search(r"[\x00-\x09\x0b-\x1f]", told)


NOTHING_YET = Progress(games=100, finished=0, wins=0, draws=0, losses=0, moves=9, seconds=1.0, earlier=0)


def progress(**some):
    return NOTHING_YET._replace(**some)


def test_a_match_without_a_finished_game_tells_what_the_players_expect():
    assert standing(progress(ply=12)) == "0 of 100 games, ply 12"
    told = standing(progress(ply=12, expected=(0.54, 0.49)))
    assert told == "0 of 100 games, ply 12, player expects 54 %, opponent expects 49 %"
    assert standing(progress(finished=4, wins=3, draws=1)) == "4 of 100 games: +3 =1 -0  88 % [40, 99]"


def end(folder, name, ago=0.0):
    """A run that ended so many seconds ago."""
    (folder / name).mkdir()
    path = folder / name / "summary.json"
    path.write_text("{}")
    os.utime(path, (time.time() - ago, time.time() - ago))


def test_the_clock_of_a_sweep_knows_what_its_runs_take(tmp_path):
    clock = SweepClock(tmp_path, "summary.json", 3, {"a": 1.0, "b": 9.0, "c": 10.0}, begun=time.time() - 100)
    assert clock.left() is None
    assert clock.words() == "sweep: 0 of 3 runs done"
    assert clock.left("b", 0.5) == pytest.approx(100 * 15.5 / 4.5, rel=0.01)
    end(tmp_path, "c")
    end(tmp_path, "old", ago=1000)  # of an earlier sweep
    assert clock.left() == pytest.approx(100, rel=0.01)
    assert clock.words("b", 0.0) == "sweep: 1 of 3 runs done, about 2 min left"
    # what an earlier sweep did says nothing of the pace
    assert clock.left("b", 0.5, 0.5) == pytest.approx(100 * (15.5 - 10) / 10, rel=0.01)


def test_runs_beside_each_other_count_as_half_done(tmp_path):
    clock = SweepClock(tmp_path, "summary.json", 4, at_once=2, begun=time.time() - 60)
    end(tmp_path, "a")
    end(tmp_path, "b")
    assert clock.left("c", 0.5) == pytest.approx(60 * (4 - 2.875) / 2.875, rel=0.01)


@pytest.mark.parametrize(
    "seconds, words",
    [
        (3, "3 s"),
        (89.6, "90 s"),
        (91, "2 min"),
        (3600, "60 min"),
        (7200, "2 h"),
        (9000, "2 h 30 min"),
        (187200, "2 d 4 h"),
    ],
)
def test_durations_are_for_people(seconds, words):
    assert duration(seconds) == words
