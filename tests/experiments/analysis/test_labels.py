"""What runs of several sweeps are called side by side."""

from pathlib import Path

import pytest

from experiments.analysis.labels import told_apart
from experiments.runs.results import Result


def match(label, backup="average", iterations=500, games=100, sweep="a", **opponent):
    budget = {"iterations": iterations, "seconds": None}
    identity = {"game": {"name": "go"}, "backup": {"name": backup}, "budget": budget, "seed": 0}
    identity["opponent"] = {"backup": {"name": "average"}, "budget": {**budget, **opponent}}
    record = {"program": "match", "name": "go", "label": label, "identity": identity}
    return Result(Path(sweep) / f"{backup}-{iterations}", {"games": games}, record, {})


def labels(*results):
    return [result.label for result in told_apart(results)]


def test_runs_of_two_sweeps_are_told_apart_by_the_keys_in_which_they_differ():
    two = [match(f"backup={name}", name, sweep="a") for name in ("average", "minimax")]
    two += [match(f"backup={name}", name, 700, 150, sweep="b") for name in ("average", "minimax")]
    two.append(match("budget.iterations=50 backup=minimax", "minimax", 50, 20, sweep="c"))
    assert labels(*two) == [
        "backup=average budget.iterations=500 games=100",
        "backup=minimax budget.iterations=500 games=100",
        "backup=average budget.iterations=700 games=150",
        "backup=minimax budget.iterations=700 games=150",
        "budget.iterations=50 backup=minimax games=20",
    ]


def test_an_opponent_with_settings_of_its_own_is_told():
    assert labels(match("seed=1"), match("seed=1", iterations=700, sweep="b")) == [
        "seed=1 budget.iterations=500",
        "seed=1 budget.iterations=700",
    ]
    assert labels(match("seed=1", seconds=1), match("seed=1", seconds=2, sweep="b")) == [
        "seed=1 opponent.budget.seconds=1",
        "seed=1 opponent.budget.seconds=2",
    ]


def test_titles_get_no_keys_unless_they_recur():
    found = labels(match("equal time"), match("seed=1"), match("seed=1", games=7, sweep="b"))
    assert found == ["equal time", "seed=1 games=100", "seed=1 games=7"]
    assert labels(match("equal time"), match("equal time", games=7)) == ["equal time games=100", "equal time games=7"]


def test_runs_that_differ_in_nothing_get_the_names_of_their_sweeps():
    assert labels(match("seed=1"), match("seed=1", sweep="b")) == ["seed=1 (a)", "seed=1 (b)"]


@pytest.mark.parametrize("some", [[], ["seed=1"], ["seed=1", "seed=2"]])
def test_labels_that_differ_stay_as_they_are(some):
    assert labels(*map(match, some)) == some
