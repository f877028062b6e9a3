"""Matches that a sequential test ends: after which game they do, and that nothing but the games decides it."""

import threading

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.match.game_batch import UNFINISHED
from gpumcts.match.resume import is_over
from gpumcts.match.sequential import SequentialTest, TestedGames, sequential_test
from gpumcts.match.statistics import sprt

TEST = SequentialTest(-120, 120)  # decides within some dozens of games
MOST = 200
RESULTS = ("win", "draw", "loss")


@pytest.fixture(scope="module")
def all_games(play, games_of, tmp_path_factory):
    """All games of a match without a test, in order."""
    folder = tmp_path_factory.mktemp("all")
    play(folder, MOST)
    games = games_of(folder)
    return [games[number]["result"] for number in range(MOST)]


def ends_after(results, test=TEST):
    """After how many games the test has decided, looked for one look at a time, and how."""
    for count in range(2, len(results) + 1, 2):
        decision = sprt(*(results[:count].count(name) for name in RESULTS), *test).decision
        if decision != "go on":
            return count, decision
    return None


@pytest.mark.parametrize(
    "options",
    [{"games_in_flight": 1}, {"games_in_flight": 30}, {"games_in_flight": 1000}, {"at_once": 0}, {"at_once": 2}],
)
def test_a_match_ends_where_its_test_decides_whatever_is_played_together(play, tmp_path, all_games, options):
    count, decision = ends_after(all_games)
    assert 10 < count < MOST / 2
    ended = play(tmp_path / "tested", MOST, test=TEST, **options)
    assert (ended.games, ended.sprt.decision, ended.interrupted) == (count, decision, False)
    assert (ended.wins, ended.draws, ended.losses) == tuple(all_games[:count].count(name) for name in RESULTS)
    assert ended.digest == play(tmp_path / "plain", count).digest


def test_no_game_is_begun_after_the_decision(play, tmp_path, all_games, games_of):
    count, _ = ends_after(all_games)
    play(tmp_path, MOST, test=TEST, games_in_flight=1, at_once=0)
    assert len(games_of(tmp_path)) == count


def test_a_match_that_is_decided_has_nothing_left_to_do(play, tmp_path, all_games):
    count, _ = ends_after(all_games)
    first = play(tmp_path, MOST, test=TEST, games_in_flight=8)
    again = play(tmp_path, MOST, test=TEST)
    assert again.chosen == (0, 0) and (again.digest, again.sprt) == (first.digest, first.sprt)
    assert is_over(tmp_path, MOST, TEST) and not is_over(tmp_path, MOST)
    assert not is_over(tmp_path, MOST, SequentialTest(-10, 10))
    whole = play(tmp_path, MOST)  # without a test it goes on to its end
    assert whole.games == MOST and whole.sprt is None and is_over(tmp_path, MOST)
    assert play(tmp_path, MOST, test=TEST).games == count  # games beyond the decision do not count


def test_a_match_that_was_stopped_ends_where_it_would_have(play, tmp_path, all_games):
    stop = threading.Event()

    def halt(progress):
        if progress.finished >= 6:
            stop.set()

    cut = play(tmp_path, MOST, test=TEST, games_in_flight=4, on_progress=halt, stop=stop)
    assert cut.interrupted and cut.digest is None and cut.sprt.decision == "go on"
    assert not is_over(tmp_path, MOST, TEST)
    assert play(tmp_path, MOST, test=TEST).games == ends_after(all_games)[0]


@pytest.mark.parametrize("games", [6, 7])
def test_a_match_without_a_decision_has_all_its_games(play, tmp_path, all_games, games):
    """The last one alone, where their number is odd."""
    told = []
    ended = play(tmp_path, games, test=TEST, on_progress=lambda progress: told.append(progress.sprt))
    assert ended.games == games and ended.digest is not None and not ended.interrupted
    assert ended.sprt == TEST.of(*(all_games[:games].count(name) for name in RESULTS))
    assert told[0] == TEST.of(0, 0, 0) and told[-1] == ended.sprt


def test_games_are_looked_at_in_order():
    """Game 1 ends last: all others wait for it, and the second half of them does not count."""
    scores = np.full(100, 5)
    scores[1] = UNFINISHED
    tested = TestedGames(TEST, 100)
    assert not tested.look(scores) and tested.counted == 0
    scores[1] = -3
    assert tested.look(scores) and tested.decided
    assert (
        tested.results == [tested.counted - 1, 0, 1] and tested.counted == ends_after(["win", "loss", *["win"] * 98])[0]
    )
    assert tested.look(np.full(100, -5)) and tested.results[2] == 1  # what is decided stays


def test_errors_are_as_rare_as_they_are_asked_to_be():
    """Of games between equals, H1 = 60 Elo against H0 = 0 is accepted in at most 5 % of all tests, by 400 of them."""
    draws = np.random.default_rng(1).choice([1, 0, -1], p=[0.4, 0.2, 0.4], size=(400, 4000))
    decisions = []
    for scores in draws:
        tested = TestedGames(SequentialTest(0, 60), len(scores))
        assert tested.look(scores)
        decisions.append(tested.state.decision)
    assert 4 <= decisions.count("H1") <= 32  # 20 expected at most: the test steps over its bounds


@pytest.mark.parametrize(
    ("values", "line"),
    [
        ([10, 0], r"^sprt=\[10,0\]: elo0 must be below elo1, both in \[-4000, 4000\]$"),
        ([1], r"^sprt=\[1\]: must be two Elo differences, or four numbers: elo0, elo1, alpha, beta$"),
        ([], r"^sprt=\[\]: must be two Elo differences"),
        ((0, 10, 0.05), r"^sprt=\[0,10,0\.05\]: must be two"),
        ((0, 10, 0.5, 0.05), r"^sprt=\[0,10,0\.5,0\.05\]: alpha and beta must be above 0 and below 0\.5$"),
        ((0, float("nan")), "^sprt=nan: must be a finite number$"),
        (("0", 10), "^sprt='0': must be a finite number$"),
        (10, r"^sprt=10: must be two Elo differences, as \(0, 10\)$"),
        ("ab", r"^sprt='ab': must be two Elo differences, as \(0, 10\)$"),
    ],
)
def test_a_test_that_is_none_is_refused(values, line):
    with pytest.raises(BadInput, match=line):
        sequential_test(values)


def test_a_test_of_its_numbers():
    assert sequential_test(None) is None
    assert sequential_test((0, 10)) == SequentialTest(0, 10, 0.05, 0.05)
    assert sequential_test(np.array([0, 10, 0.1, 0.2])) == SequentialTest(0, 10, 0.1, 0.2)
    assert sequential_test([np.int64(-5), 5.5]) == SequentialTest(-5, 5.5)
