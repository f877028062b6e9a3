"""What a command line changes of an experiment, and which keys an experiment leaves to choose."""

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser

from experiments.app.departures import Experiments
from experiments.app.hydra_calls import composed, composing
from experiments.app.hydra_speed import quicken
from experiments.app.task import plain_of

CLOBBER, CHESS = "experiment=kocsis2006improved/table2", "experiment=ramanujan2010understanding/sec4"
TABLE_1A, FIG_4 = "experiment=hashimoto2012accelerated/table1a", "experiment=kocsis2006improved/fig4"


def changes(command: str, *words: str) -> dict:
    quicken()
    with composing(None) as more:
        config = composed(command, [*words, *more])
        given = OverridesParser.create().parse_overrides(list(words))
        return Experiments(command, more).departures(config, plain_of(config), given)


@pytest.mark.parametrize(
    "words",
    [
        (
            TABLE_1A,
            "game=havannah",
            "game.base=5",
            "scale=small",
            "k=2",
            "policy=uniform",
            "round=confirm",
            "threads=1",
        ),
        (CLOBBER, "scale=small", "by=calibrated", "cell=clobber/mc30_uct30", "engine=cpu"),
        ("experiment=go/policy", "game.size=13", "option=uniform", "title=mine"),
    ],
)
def test_what_an_experiment_leaves_to_choose_is_no_change(words):
    assert changes("match", *words) == {}


def test_another_game_and_budget_are_named_with_the_experiments_own():
    found = changes("match", CLOBBER, "scale=small", "games=2", "game=othello", "budget.iterations=30")
    assert found == {"games": [2, 20], "game": ["othello", "clobber"], "budget.iterations": [30, 9740]}
    found = changes("match", CHESS, "cell=chess/uct_h_100", "playout.limit=6500", "budget.iterations=100")
    assert found == {"playout.limit": [6500, None]}


def test_amounts_of_an_axis_are_named_as_the_axis_has_them():
    found = changes("trees", FIG_4, "scale=small", "shape=b8d8", "cell=kocsis/mc", "trees=3", "budget.iterations=100")
    assert found == {"trees": [3, 100], "budget.iterations": [100, 30000]}
    assert changes("match", "experiment=main", "cell=main/informed", "games=4") == {"games": [4, 60]}


def test_a_changed_table_and_another_operator_are_named():
    found = changes(
        "match", TABLE_1A, "k=3", "decays.3=0.5", "backup=accelerated_root_first", "selection.exploration=2"
    )
    assert found == {
        "decays.3": [0.5, 0.999],
        "backup": ["accelerated_root_first", "accelerated"],
        "selection.exploration": [2, 1.0],
    }
