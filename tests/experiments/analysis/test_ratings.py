"""Ratings of players by the matches of a round robin."""

from dataclasses import replace
from itertools import combinations, permutations
from pathlib import Path

import numpy as np
import pytest

from experiments.analysis.html_report import page
from experiments.analysis.ratings import Pairing, fitted, ratings
from experiments.runs.results import Result
from gpumcts.match.statistics import elo, elo_difference, expected_score

TRUE = {"a": 120.0, "b": 20.0, "c": -40.0, "d": -100.0}


def played(label, wins, draws=0, games=100, budgets=(50, 50)):
    """A match of two sides that a sweep names."""
    names = dict(word.split("=") for word in label.split())
    sides = names.get("player"), names.get("player@opponent.player")
    one, other = ({"player": {"name": n}, "budget": {"iterations": b}} for n, b in zip(sides, budgets, strict=True))
    one |= {"selection": {"name": "ucb1"}} if sides[0] == "a" else {}  # which not every player has
    other |= {"selection": {"name": "ucb1"}} if sides[1] == "a" else {}
    summary = {"games": games, "wins": wins, "draws": draws, "losses": games - wins - draws, "win_rate": wins / games}
    summary |= {"ci95_low": 0.0, "ci95_high": 1.0, "seconds": 1.0, "engine": "cpu"}
    summary |= {"player": {"playouts_per_second": 0.0}, "opponent": {"playouts_per_second": 0.0}}
    record = {
        "program": "match", "name": "a match", "label": label, "time": "2026-01-01", "seed": 1, "commit": "c" * 40,
        "versions": {"gpumcts": "0.1.0", "numba": "0.68.1"}, "device": None, "cpu": "AMD EPYC", "engine": "auto",
        "command": ["match.py", "-m"], "identity": {"game": {"name": "go"}, **one, "opponent": other},
    }  # fmt: skip
    return Result(Path("sweep") / label.replace(" ", "_"), {"games": games, "game": {"name": "go"}}, record, summary)


def against(one, other, *counts, **more):
    return played(f"player={one} player@opponent.player={other}", *counts, **more)


def test_ratings_that_games_follow_exactly_are_found():
    games = 10**6
    pairings = [Pairing(x, y, games * expected_score(TRUE[x] - TRUE[y]), games) for x, y in combinations(TRUE, 2)]
    players, found, half = fitted(pairings)
    assert players == list(TRUE) and found == pytest.approx(list(TRUE.values()), abs=1e-6) and (half < 1).all()
    several = [Pairing(p.first, p.second, p.score / 4, p.games // 4) for p in pairings for _ in range(4)]
    assert fitted(several)[1] == pytest.approx(found) and fitted(several)[2] == pytest.approx(half)


def test_of_two_players_the_difference_is_that_of_their_match():
    _, found, half = fitted([Pairing("a", "b", 70.0, 100)])
    assert found[0] - found[1] == pytest.approx(elo(0.7)) == pytest.approx(elo_difference(70, 0, 30)[0])
    assert 2 * half[0] == pytest.approx(400 / np.log(10) * 1.959964 / np.sqrt(100 * 0.7 * 0.3), rel=1e-6)


def test_a_rating_that_rounds_to_nothing_has_the_sign_of_none():
    (table,) = ratings(
        [against(x, y, 50_001 if x == "c" else 50_000, games=100_001) for x, y in permutations("abc", 2)]
    )
    assert [row[1] for row in table.rows] == ["+0"] * 3


def test_both_directions_count_and_a_player_against_itself_does_not():
    results = [against(x, y, 60 if x < y else 40) for x, y in permutations("abc", 2)]
    (table,) = ratings([*results, against("a", "a", 90)])
    assert [row[0] for row in table.rows] == ["player=a", "player=b", "player=c"]
    assert [row[3:] for row in table.rows] == [["400", "60.0"], ["400", "50.0"], ["400", "40.0"]]
    numbers = [float(row[1]) for row in table.rows]
    assert numbers[0] == -numbers[2] > 0 == numbers[1]
    assert "ratings" in page("A round robin", results) and "player=b" in page("A round robin", results)


def test_the_same_games_count_once():
    """With other threads they are played again, and two sweeps may have a match in common."""
    one = [against(x, y, 60) for x, y in combinations("abc", 2)]
    for number, result in enumerate(one):
        result.summary["digest"] = str(number)
    again = [replace(result, provenance={**result.provenance, "label": f"{result.label} threads=2"}) for result in one]
    assert ratings([*one, *again])[0].rows == ratings(one)[0].rows
    more = [replace(result, summary={**result.summary, "digest": "of other games"}) for result in again]
    assert [row[3] for row in ratings([*one, *more])[0].rows] == ["400"] * 3


def test_games_of_external_engines_count_for_every_seed():
    """They have no digest, as nobody can repeat them."""
    one = [against(x, y, 60) for x, y in combinations("abc", 2)]
    for result in one:
        result.summary["digest"] = None
    more = [replace(result, folder=Path("sweep") / f"{result.folder.name}_seed=2") for result in one]
    assert [row[3] for row in ratings([*one, *more])[0].rows] == ["400"] * 3


def test_draws_are_half_a_win():
    decided = [against(x, y, 60) for x, y in combinations("abc", 2)]
    drawn = [against(x, y, 40, 40) for x, y in combinations("abc", 2)]
    assert ratings(decided)[0].rows == ratings(drawn)[0].rows


def test_who_has_lost_every_game_has_no_rating():
    some = [against("a", "b", 60), against("b", "c", 100), against("a", "c", 100)]
    assert ratings(some) == ["No ratings: a player, or a group of them, has won or lost all games against the others."]


def test_each_game_has_a_table_of_its_own():
    some = [
        played(f"game={game} player={x} player@opponent.player={y} seed={seed}", 55 + len(game))
        for game in ("go", "othello")
        for x, y in combinations("abc", 2)
        for seed in (1, 2)
    ]
    go, othello = ratings(some)
    assert "game=go" in go.title and "game=othello" in othello.title and go.rows != othello.rows
    assert {row[3] for row in go.rows} == {"400"}


@pytest.mark.parametrize(
    "some",
    [
        [against(x, y, 60) for x, y in combinations("ab", 2)],
        [against(x, y, 60, budgets=(50, 500)) for x, y in combinations("abc", 2)],  # one name, two players
        [*(against(x, y, 60) for x, y in combinations("abc", 2)), played("player=a", 50)],
        [played(f"player={x}", 50) for x in "abc"],
    ],
)
def test_other_sweeps_have_no_ratings(some):
    assert ratings(some) == []


def test_half_an_interval_is_that_of_many_samples():
    """The standard error by the likelihood is the spread of ratings over drawn matches."""
    random, games, names = np.random.default_rng(1), 400, list(TRUE)
    drawn = []
    for _ in range(400):
        scores = {(x, y): random.binomial(games, expected_score(TRUE[x] - TRUE[y])) for x, y in combinations(names, 2)}
        drawn.append(fitted([Pairing(x, y, float(score), games) for (x, y), score in scores.items()])[1])
    exact = [Pairing(x, y, games * expected_score(TRUE[x] - TRUE[y]), games) for x, y in combinations(names, 2)]
    assert np.std(drawn, axis=0) * 1.96 == pytest.approx(fitted(exact)[2], rel=0.15)
