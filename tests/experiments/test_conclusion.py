"""What the end of a sweep says of budgets: those of the experiment, and those of the command line."""

from pathlib import Path

import pytest

from experiments.conclusion import overridden, reduced
from experiments.results import Result

SCALES = {
    "small": {"games": {"othello": 400, "go": 100}, "iterations": {"few": 500, "many": 2000}},
    "document": {"games": {"othello": 1000, "go": 1000}, "iterations": {"few": 5000, "many": 50000}},
}


def result(budget, games, iterations):
    config = {"scales": SCALES, "games": games, "budget": {"name": budget, "iterations": iterations}}
    return Result(Path("x"), config, {}, {})


@pytest.mark.parametrize("budget, games, iterations", [("small", 400, 2000), ("document", 1000, 50000)])
def test_budgets_of_the_experiment_are_not_mentioned(budget, games, iterations):
    assert overridden([result(budget, games, iterations)]) == []


def test_what_the_command_line_changed_is_told():
    found = overridden([result("document", 2, 50), result("document", 1000, 2000), result("document", 1000, 5000)])
    assert found == [
        "Not as the experiment has it, by the command line: games 2 (of the experiment: 1,000); "
        "iterations 50 to 2,000 (of the experiment: 5,000 to 50,000)."
    ]


def test_reduced_scales_are_told_beside_the_documents():
    (line,) = reduced([result("small", 400, 500)])
    assert line.startswith("Reduced, budget=small: games 100 to 400 (document: 1,000); iterations 500 to 2,000")


def test_experiments_without_scales_have_nothing_to_tell():
    plain = Result(Path("x"), {"games": 7, "budget": {"name": "iterations", "iterations": 3}}, {}, {})
    assert overridden([plain]) == reduced([plain]) == []
