"""Leaves in flight, as losses (virtual loss) or samples without an outcome (WU-UCT, Liu et al. 2020), by references."""

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.tree.settings import LATER, Settings
from tests.tree.drivers import (
    OTHELLO,
    SAME_VALUE,
    TOY_GAMES,
    assert_like_reference,
    keys_for,
    operator_of,
    othello_states,
    packed,
    rule_of,
    searcher_of,
)
from tests.tree.test_leaves import digest, levels

WAYS = ("virtual_loss", "unobserved")
SETTINGS = {
    "several": Settings(leaves_per_tree=7),
    "many": Settings(leaves_per_tree=64),
    "more than the budget": Settings(leaves_per_tree=1000),
    "playouts": Settings(leaves_per_tree=5, playouts_per_leaf=2),
    "threshold": Settings(leaves_per_tree=9, expansion="threshold", threshold=4),
    "urgency": Settings(leaves_per_tree=16, first_play_urgency=0.6),
    "whole paths": Settings(leaves_per_tree=9, expansion="whole_path"),
    "sums of children": Settings(leaves_per_tree=16, parent_count="children"),
    "solved": Settings(leaves_per_tree=9, solve=True),
}
TRACING = {"several", "many", "playouts", "threshold"}  # settings for RAVE
MEANS = ("average_variance", "discounted", "heuristic_prior", "implicit_minimax", "average_rounds", "bast")
OWN_VALUES = ("accelerated_adaptive", "accelerated_root_first", "max", "minimax", "mix", "robust_max", "power_mean")
"""Operators whose values no visit in flight changes; accelerated is another, and quick."""
COUNTING = ("sensei", "depth_decayed", "ucb1_tuned")


def rule_that_counts(name):
    return rule_of(name)._replace(exploration=0.7) if name == "rave" else rule_of(name)


def assert_by_reference(operator, rule, settings, way, game=OTHELLO, states=None):
    """The whole tree against the slow one, from the middle of a game, a pass and its end."""
    settings = settings._replace(in_flight=way)
    searcher = searcher_of(operator_of(operator), settings, game, rule_that_counts(rule))
    tolerance = SAME_VALUE if settings.playouts_per_leaf > 1 else 0.0
    assert_like_reference(searcher, othello_states()[1:] if states is None else states, 150, tolerance=tolerance)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("settings", SETTINGS)
def test_trees_are_those_of_the_reference(settings, way):
    assert_by_reference("average", "ucb1", SETTINGS[settings], way)


@pytest.mark.parametrize("settings", sorted(TRACING))
def test_rave_weighs_by_what_is_observed(settings):
    assert_by_reference("average", "rave", SETTINGS[settings], "unobserved")


@pytest.mark.parametrize("settings", ["several", "solved"])
def test_chance(settings):
    dice = TOY_GAMES["dice"]
    assert_by_reference("average", "ucb1", SETTINGS[settings], "unobserved", dice, [contract.start(dice)] * 3)


@pytest.mark.slow
@pytest.mark.parametrize("settings", ["several", "many", "solved"])
@pytest.mark.parametrize(
    "operator, rule",
    [(o, "ucb1") for o in MEANS] + [("average_variance", r) for r in COUNTING] + [("discounted", "rave")],
)
def test_other_operators_and_rules(operator, rule, settings):
    assert_by_reference(operator, rule, SETTINGS[settings], "unobserved")


def in_flight(forest):
    """Unobserved samples of all nodes of a tree."""
    return sum(int(forest.unobserved[0, nodes].sum()) for nodes in levels(forest)) if forest.unobserved.size else 0


def trees_by(way, operator="average", leaves=64, threads=1):
    """The digest of a tree, which leaves nothing in flight."""
    settings = Settings(leaves_per_tree=leaves, in_flight=way)
    root = packed(OTHELLO, othello_states()[1:2])
    forest = searcher_of(operator_of(operator), settings, threads=threads).search(root, keys_for(1), 3000).forest
    assert forest.unobserved.shape[1] == (forest.visits.shape[1] if way == "unobserved" else 0)
    assert in_flight(forest) == 0 and forest.visits[0, 0] == 3000
    return digest(forest)


def test_the_ways_differ():
    assert trees_by("unobserved") != trees_by("virtual_loss")


@pytest.mark.parametrize("operator", ["accelerated", *(pytest.param(o, marks=pytest.mark.slow) for o in OWN_VALUES)])
def test_they_do_not_where_values_ignore_visits(operator):
    assert trees_by("unobserved", operator) == trees_by("virtual_loss", operator)


@pytest.mark.parametrize("threads", [2, 3])
def test_threads_change_nothing(threads):
    assert trees_by("unobserved", leaves=256, threads=threads) == trees_by("unobserved", leaves=256)


def test_reuse_begins_with_nothing_in_flight():
    """The subtree of the move played goes on, and its samples are all observed."""
    settings = Settings(leaves_per_tree=16, in_flight="unobserved", reuse=True)
    searcher, games = searcher_of(operator_of("average"), settings), np.zeros(1, np.int64)
    first = searcher.search(packed(OTHELLO, othello_states()[1:2]), keys_for(1), 500, games=games)
    state = searcher.rules.play(packed(OTHELLO, othello_states()[1:2]), first.decide())
    kept = max(child.visits for child in first.root_children(0))
    second = searcher.search(state, keys_for(1, seed=2), 100, games=games).forest
    assert second.visits[0, 0] == kept + 100 and in_flight(second) == 0


@pytest.mark.parametrize(
    "rule, settings, told",
    [
        (
            rule_of("ucb1"),
            {"leaves_per_tree": 1},
            "counts with search.leaves_per_tree or search.batches_in_flight above 1 alone",
        ),
        (rule_of("ucb1")._replace(exploration=0.0), {}, "selection=ucb1 selection.exploration=0; must be above 0"),
        (rule_of("rave"), {}, "visits do not count with selection=rave selection.exploration=0; must be above 0"),
        (rule_of("sensei")._replace(uctk=0.0), {}, "selection=sensei selection.uctk=0; must be above 0"),
        *(
            (rule_of(name), {}, f"visits do not count with selection={name}; take search.in_flight=virtual_loss")
            for name in ("boltzmann", "best_or_random", "epsilon_greedy", "bast", "uniform")
        ),
    ],
)
def test_what_cannot_count_is_refused(rule, settings, told):
    operator = {"epsilon_greedy": "average_rounds", "bast": "bast"}.get(type(rule).__module__.rpartition(".")[2])
    settings = Settings(**{"leaves_per_tree": 8, "in_flight": "unobserved", **settings})
    with pytest.raises(BadInput) as refused:
        searcher_of(operator_of(operator or "average"), settings, rule=rule)
    assert str(refused.value).startswith("search.in_flight=unobserved: ") and told in str(refused.value)


def test_digests_of_earlier_runs_stay():
    """A key that came later is in the identity where it decides anything."""
    assert not set(LATER) & set(Settings().identity())
    assert Settings(leaves_per_tree=4, in_flight="unobserved").identity()["in_flight"] == "unobserved"
    assert "playouts_per_leaf" not in Settings().identity()
