"""What commands tell while they run: the score and the time left, of a run and of a whole sweep."""

import io
import json
import os
import re
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from rich.console import Console

from experiments.match import _final, standing
from experiments.terminal import console
from experiments.terminal.pace import Pace
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
    # half of b took 20 seconds, whatever came before
    assert clock.left("b", 0.5, made=0.5, worked=20) == pytest.approx(20 * 15.5 / 4.5)
    end(tmp_path, "old", ago=1000)  # of an earlier sweep
    end(tmp_path, "c", ago=60)
    assert clock.left() is None  # the first run compiles and loads, so its end tells no pace
    assert clock.words("b", 0.0) == "sweep: 1 of 3 runs done"
    end(tmp_path, "a", ago=40)
    assert clock.left() == pytest.approx(20 * 9 / 1, rel=0.01)
    assert clock.left("b", 0.5, made=0.5, worked=25) == pytest.approx((20 + 25) * 4.5 / 5.5, rel=0.01)
    assert clock.words("b", 0.5, made=0.5, worked=25) == "sweep: 2 of 3 runs done, about 37 s left"
    # what an earlier sweep did says nothing of the pace
    assert clock.left("b", 0.5, 0.5) == pytest.approx(20 * 4.5 / 1, rel=0.01)


def test_loading_and_compiling_before_the_first_run_are_no_pace_of_a_sweep(tmp_path):
    """Ten minutes of compiling, then runs of ten seconds each."""
    clock = SweepClock(tmp_path, "summary.json", 12, begun=time.time() - 630)
    for number in range(3):
        end(tmp_path, f"{number}", ago=20 - 10 * number)
    assert clock.left() == pytest.approx(90, rel=0.01)


def test_runs_that_an_earlier_sweep_did_are_no_pace(tmp_path):
    costs = {"done": 0.0, **dict.fromkeys("abcd", 1.0)}
    clock = SweepClock(tmp_path, "summary.json", 5, costs, begun=time.time() - 100)
    for name, ago in (("done", 80), ("a", 30), ("b", 20)):
        end(tmp_path, name, ago)
    assert clock.left() == pytest.approx(20, rel=0.01)


def test_runs_beside_each_other_count_as_half_done(tmp_path):
    clock = SweepClock(tmp_path, "summary.json", 6, at_once=2, begun=time.time() - 90)
    for name, ago in zip("abcd", (31, 30, 1, 0), strict=True):  # the first of either process compiles
        end(tmp_path, name, ago)
    assert clock.left("e", 0.5, made=0.5, worked=15) == pytest.approx((30 + 7.5) * (1.5 - 0.375) / 2.5, rel=0.02)


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


class Clock:
    """A clock that stands still until it is moved; some of its seconds are compiling."""

    def __init__(self):
        self.seconds = self.compiled = 0.0

    def moved(self, seconds, compiling=0.0):
        self.seconds += seconds
        self.compiled += compiling

    @property
    def pace(self):
        return Pace(lambda: self.seconds, lambda: self.compiled)


def test_what_comes_before_the_first_report_is_no_work():
    clock = Clock()
    pace = clock.pace
    clock.moved(60)  # compiling, announced or not
    pace.report(1)
    assert pace.left(1, 1000) is None
    clock.moved(5)
    pace.report(11)
    assert pace.left(11, 1000) == pytest.approx(5 / 10 * 989)


def test_a_trace_of_the_work_tells_nothing():
    """A first report of some billionths, after seconds, was told as a year that is left."""
    clock = Clock()
    pace = clock.pace
    pace.report(0)
    clock.moved(10)
    pace.report(0.4)
    assert pace.left(0.4, 1000) is None
    pace.report(0.6)
    assert pace.left(0.6, 1000) == pytest.approx(10 / 0.6 * 999.4)


def test_compiling_between_two_reports_is_no_work():
    clock = Clock()
    pace = clock.pace
    pace.report(0.5)
    for done in (10, 20):
        clock.moved(31, compiling=30)
        pace.report(done)
    assert pace.left(20, 100) == pytest.approx(2 / 19.5 * 80)
    clock.moved(1, compiling=3)  # of several threads at a time: no more than the second there was
    pace.report(30)
    assert pace.left(30, 100) == pytest.approx(2 / 29.5 * 70)


def stands(games=200, finished=0, begun=0, plies=0, finished_plies=0, moves=None, earlier=0):
    made = plies - earlier if moves is None else moves
    counts = {"games": games, "finished": finished, "begun": begun, "plies": plies, "finished_plies": finished_plies}
    return Progress(**counts, wins=finished, draws=0, losses=0, moves=made, seconds=1.0, earlier=earlier)


@pytest.mark.parametrize(
    ("progress", "moves"),
    [
        (stands(), 200 * 100),  # nothing is known yet
        (stands(finished=99, begun=1, plies=99 * 50 + 10, finished_plies=99 * 50), 99 * 50 + 101 * 50.5),  # in turn
        (stands(begun=200, plies=200 * 30), 200 * 100),  # all at once
        (stands(finished=20, begun=180, plies=180 * 40 + 800, finished_plies=800), 800 + 180 * 94),  # the short ones
        (stands(games=10, begun=10, plies=1_300), 1_300),  # longer than was to be expected
        (stands(finished=200, plies=12_000, finished_plies=12_000, earlier=11_000), 12_000),
        (stands(finished=100, plies=5_000, finished_plies=5_000, moves=2_500), 5_000),  # every other ply is chance's
    ],
)
def test_finished_games_tell_how_many_moves_a_match_has(progress, moves):
    assert progress.moves_in_all(100.0) == pytest.approx(moves)


def test_a_match_expects_as_many_moves_as_its_games_have(run, tmp_path, monkeypatch):
    """Random games of Gomoku end long before the board is full, which is what a game of it is taken for at first."""
    totals = []
    monkeypatch.setattr(console.Bar, "expect", lambda self, total: totals.append(total))
    players = "player=random player@opponent.player=random threads=1"
    assert run(f"match game=gomoku game.size=9 {players} games=20 games_in_flight=1 hydra.run.dir=here").code == 0
    plies = [json.loads(line)["plies"] for line in (tmp_path / "here" / "games.jsonl").read_text("ascii").splitlines()]
    assert len(plies) == 20 and len(set(plies)) > 5
    assert totals[-1] == pytest.approx(sum(plies)) and totals[-1] < 0.9 * totals[0]


def test_a_bar_whose_work_is_less_than_was_expected(capsys, at_once, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(console, "Pace", lambda: clock.pace)
    with console.bar("work", 1000) as shown:
        shown.advance(100)
        clock.moved(10)
        shown.advance(100)
        shown.expect(400)
        shown.note("half")
        shown.expect(0)  # never less than is done
        shown.note("all")
    told = capsys.readouterr()
    assert "work: 50 %, about 20 s left; half" in told.err + told.out
    assert "work: 100 %; all" in told.err + told.out


def test_what_an_earlier_run_left_is_no_pace_wherever_it_is_found():
    clock = Clock()
    pace = clock.pace
    pace.skip(300)
    pace.report(301)
    clock.moved(10)
    pace.report(311)
    pace.skip(400)
    assert pace.made(711) == (10, 10)
    assert pace.left(711, 1000) == pytest.approx(289)


@pytest.mark.parametrize(
    "command",
    ["trees trees=4 runs=2 budget.iterations=20 game.depth=4 threads=1 engine=cpu", "planning game.size=3 states=8"],
)
def test_pieces_that_are_read_are_no_pace(run, only, monkeypatch, command):
    """A run that was stopped and goes on begins with what is on disk."""
    moved = {"skip": 0.0, "advance": 0.0}
    for name in moved:

        def counted(self, amount, name=name, of=getattr(console.Bar, name)):
            moved[name] += amount
            of(self, amount)

        monkeypatch.setattr(console.Bar, name, counted)
    monkeypatch.setattr("experiments.runs.tree_searches.SEARCHES_A_PIECE", 4)
    assert run(f"{command} hydra.run.dir=here").code == 0
    assert moved["skip"] == 0 < moved["advance"]
    (kept, *others) = sorted(only("here/pieces").iterdir())
    for path in [*others, only("here/summary.json")]:
        path.unlink()
    whole = dict(moved)
    assert run(f"{command} hydra.run.dir=here").code == 0
    assert kept.exists() and moved["skip"] > 0
    assert moved["skip"] + moved["advance"] - whole["advance"] == pytest.approx(whole["advance"])


@pytest.mark.parametrize(
    ("done", "seconds", "known"),
    [(29, 4.9, False), (30, 0.1, True), (1, 5.0, True), (0, 60.0, False), (1000, 9, False)],
)
def test_no_time_is_told_before_there_is_work_to_tell_it_by(done, seconds, known):
    clock = Clock()
    pace = clock.pace
    pace.report(0)
    clock.moved(seconds)
    pace.report(done)
    assert (pace.left(done, 1000) is not None) == known


def test_a_bar_tells_no_time_while_it_compiles(capsys, at_once, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(console, "Pace", lambda: clock.pace)
    with console.bar("search", 1000) as shown:
        clock.moved(60)
        shown.advance(1)
        clock.moved(2)
        shown.advance(100)
    first, second = capsys.readouterr().err.splitlines()
    assert (first, second) == ("search: 0 %", "search: 10 %, about 18 s left")


def test_a_bar_on_a_terminal_tells_the_same_time_left_and_no_other(monkeypatch):
    clock, shown_on = Clock(), io.StringIO()
    terminal = Console(file=shown_on, force_terminal=True, width=120, highlight=False, color_system=None)
    monkeypatch.setattr(console, "Pace", lambda: clock.pace)
    monkeypatch.setattr(console, "_console", lambda to_stderr: terminal)
    with console.bar("search", 1000) as shown:
        clock.moved(60)
        shown.advance(1)
        clock.moved(2)
        shown.advance(100)
    last = [line for line in re.split(r"[\r\n]", shown_on.getvalue()) if "search" in line][-1]
    assert re.search(r"10 % 0:00:0\d about 18 s left\s*$", last), last


@pytest.mark.parametrize("width", [60, 80, 100, 140, 220])
def test_a_live_line_of_any_width_tells_the_share_and_both_times_left(monkeypatch, tmp_path, width):
    clock, shown_on = Clock(), io.StringIO()
    terminal = Console(file=shown_on, force_terminal=True, width=width, highlight=False, color_system=None)
    monkeypatch.setattr(console, "Pace", lambda: clock.pace)
    monkeypatch.setattr(console, "_console", lambda to_stderr: terminal)
    monkeypatch.setattr(console, "POLL_SECONDS", -1.0)
    monkeypatch.setattr(console, "LINES", console.Lines())
    sweep = SweepClock(tmp_path, "summary.json", 12, begun=time.time() - 600)
    with (
        console.sweeping(sweep, "a"),
        console.bar("[1/12] backup=accelerated_root_first playout=minimax", 1000) as shown,
    ):
        shown.advance(1)
        clock.moved(40)
        shown.advance(199)
        shown.note("20 of 100 games: +12 =1 -7  62 % [41, 80]")
    lines = re.split(r"[\r\n]|\x1b\[2K", shown_on.getvalue())
    last = [line for line in lines if "sweep" in line][-1].rstrip()
    assert len(last) <= width
    assert " 20 % " in last and "about 3 min left" in last.replace("161 s", "3 min")
    assert re.search(r"sweep.*, (about )?40 min left$", last)
    assert ("+12 =1 -7  62 % [41, 80]" in last) == (width >= 220)


def test_the_clock_of_a_sweep_waits_for_work(tmp_path):
    clock = SweepClock(tmp_path, "summary.json", 100, begun=time.time() - 60)
    assert clock.left("a", 0.5, made=0.5, worked=2) is None
    assert clock.left("a", 0.5, made=0.5, worked=10) == pytest.approx(10 * 99.5 / 0.5)
    beside = SweepClock(tmp_path, "summary.json", 4, at_once=4, begun=time.time() - 60)
    assert beside.left() is None  # runs that go on meanwhile tell no pace


def test_a_match_without_a_finished_game_tells_no_win_rate():
    """As after Ctrl-C in the first moves."""
    sides = {"label": "uct", "playouts": 5, "iterations": 5, "playouts_per_second": 1.0, "made_a_move": 5.0}
    sides |= {"counted": "iterations", "first_sees_win_ply": 30.0, "first_sees_win_games": 1}
    counts = dict.fromkeys(("games", "wins", "draws", "losses"), 0)
    config = SimpleNamespace(slug="a match", keys=SimpleNamespace(seed=1, games=9))
    summary = {**counts, "player": sides, "opponent": sides, "engine": "cpu"}
    lines = _final(config, SimpleNamespace(folder=Path("x")), summary)
    assert lines[1] == "no game finished" and not any("win rate" in line for line in lines)
    assert lines[2].endswith("first sees its win at ply 30.0 on average, in 1 game")


@pytest.mark.parametrize(("asked", "ending"), [(57, "57"), (400, "57; 57 of 400 games, those that ended first: ")])
def test_the_score_of_an_interrupted_match_says_that_games_lack(asked, ending):
    sides = {"label": "uct", "playouts": 0, "iterations": 0, "playouts_per_second": 0.0, "made_a_move": None}
    sides |= {"counted": "iterations", "first_sees_win_ply": None, "iterations_per_second": 0.0}
    counts = {"games": 57, "wins": 36, "draws": 1, "losses": 20}
    counts |= {"win_rate": 0.64, "ci95_low": 0.5, "ci95_high": 0.75, "seconds": 1.0}
    config = SimpleNamespace(slug="a match", keys=SimpleNamespace(seed=1, games=asked))
    summary = {**counts, "player": sides, "opponent": sides, "engine": "cpu"}
    score = _final(config, SimpleNamespace(folder=Path("x")), summary)[1]
    assert score.removesuffix("no random part").endswith(f"36 - 20 - 1  [0.640] {ending}")
