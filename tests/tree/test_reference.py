"""The forest against the slow UCT in plain Python: every node, visit for visit, for every operator, rule and setting.

Values are equal to the last bit, except where the reference sums in another order or by other functions: power means,
and several playouts of a leaf (there one by one, in the library in one step). There they agree to 1e-12, visits
exactly.
"""

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from tests.reference.decays import AcceleratedByAge, DiscountedByAge
from tests.reference.operators import OPERATORS as REFERENCE_OPERATORS
from tests.reference.rules import RULES as REFERENCE_RULES
from tests.reference.uct import plain_playouts
from tests.tree.drivers import (
    NEEDY,
    OPERATORS,
    OTHELLO,
    RULES,
    SAME_VALUE,
    TOY_GAMES,
    assert_like_reference,
    assert_same_tree,
    fits,
    keys_for,
    operator_of,
    othello_states,
    packed,
    reference_of,
    rule_of,
    searched_by_both,
    searcher_of,
)

SETTINGS = {
    "threshold": Settings(expansion="threshold", threshold=5),
    "whole_path": Settings(expansion="whole_path"),
    "playouts": Settings(playouts_per_leaf=3),
    "leaves": Settings(leaves_per_tree=4),
    "leaves_to_a_threshold": Settings(leaves_per_tree=6, expansion="threshold", threshold=4),
    "leaves_and_playouts": Settings(leaves_per_tree=3, playouts_per_leaf=2),
    "leaves_on_whole_paths": Settings(leaves_per_tree=3, expansion="whole_path"),
    "urgency": Settings(first_play_urgency=0.6),
    "low_urgency": Settings(first_play_urgency=1.0, expansion="threshold", threshold=3, leaves_per_tree=2),
    "first": Settings(ties="first"),
    "children": Settings(parent_count="children"),
    "value": Settings(final="value"),
    "root": Settings(expansion="root", leaves_per_tree=2),
    "solve": Settings(solve=True),
    "solve_with_leaves": Settings(solve=True, leaves_per_tree=3),
    "solve_with_urgency": Settings(solve=True, first_play_urgency=0.6),
    "solve_on_whole_paths": Settings(solve=True, expansion="whole_path", playouts_per_leaf=2),
}
WHOLE_EPISODES = {"whole_path", "leaves_on_whole_paths", "solve_on_whole_paths"}
# With other rules than ucb1.
OTHER_SETTINGS = ["threshold", "whole_path", "leaves_and_playouts", "first", "solve", "solve_with_leaves"]
OF_FEW = {"root", "solve", "solve_with_urgency", "solve_on_whole_paths"}  # which operators know nothing of
TWO_COUNTS = {"average", "discounted"}  # what a rule can read of an operator: visits, or counts of its own
THREE_SUMS = {"average", "accelerated", "minimax"}
# Those of the other rules are slow: they have quick tests of their own in test_selection.
QUICK_RULES = {("average", "ucb1")}  # on Othello; the tests of settings have the others on small boards
QUICK_ON_DICE = {"average_variance", "implicit_minimax", "mix"}  # that know more of chance than a mean


def tolerance_of(operator: str, settings: Settings = Settings()) -> float:
    """0 where the reference does the same operations in the same order."""
    return SAME_VALUE if operator == "power_mean" or settings.playouts_per_leaf > 1 else 0.0


def slow_unless(quick: bool):
    """Marks of a test: a pair of options is compiled for seconds, and they add up."""
    return [] if quick else [pytest.mark.slow]


def test_every_operator_and_rule_has_a_reference():
    assert {type(operator_of(name)).__name__ for name in OPERATORS} == set(REFERENCE_OPERATORS)
    assert {type(rule_of(name)).__name__ for name in RULES} == set(REFERENCE_RULES)


@pytest.mark.parametrize(
    "operator, rule",
    [pytest.param(o, r, marks=slow_unless((o, r) in QUICK_RULES)) for o in OPERATORS for r in RULES if fits(o, r)],
)
def test_othello(operator, rule):
    """The start, the middle, a position with a pass and one near the end of the game."""
    searcher = searcher_of(operator_of(operator), rule=rule_of(rule))
    iterations = 250 if rule == "ucb1" else 120
    assert_like_reference(searcher, othello_states(), iterations, tolerance=tolerance_of(operator))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 3])
@pytest.mark.parametrize("operator", OPERATORS)
def test_other_seeds(operator, seed):
    searcher = searcher_of(operator_of(operator))
    assert_like_reference(searcher, othello_states()[:2], 150, seed, tolerance_of(operator))


@pytest.mark.parametrize(
    "operator, game",
    [
        pytest.param(o, g, marks=slow_unless(g == "dots" and o in ("average", "minimax")))
        for o in OPERATORS
        for g in TOY_GAMES
    ],
)
def test_toy_games(operator, game):
    """Two moves in a row, one player with costs, and chance: several seeds from the start."""
    game = TOY_GAMES[game]
    searcher = searcher_of(operator_of(operator), game=game)
    assert_like_reference(searcher, [contract.start(game)] * 3, 150, tolerance=tolerance_of(operator))


def is_quick(operator: str, settings: str, game: str) -> bool:
    """Groups of rows are compiled beside rows that are alone, and know little of operators."""
    if SETTINGS[settings].leaves_per_tree > 1:
        return operator == "average"
    return operator == "average" or (operator in THREE_SUMS | QUICK_ON_DICE and game == "dice")


@pytest.mark.parametrize(
    "operator, settings, game",
    [
        pytest.param(o, s, g, marks=slow_unless(is_quick(o, s, g)))
        for g in ("othello", "dice")
        for o in OPERATORS
        for s in SETTINGS
        if o in THREE_SUMS or s not in OF_FEW
    ],
)
def test_settings(operator, settings, game):
    refused = operator_of(operator).EVALUATES and settings in WHOLE_EPISODES
    settings = SETTINGS[settings]
    game = OTHELLO if game == "othello" else TOY_GAMES[game]
    states = othello_states()[1:3] if game == OTHELLO else [contract.start(game)]
    if refused:
        with pytest.raises(BadInput, match="whole_path evaluates no position"):
            searcher_of(operator_of(operator), settings, game)
        return
    searcher = searcher_of(operator_of(operator), settings, game)
    iterations = 51 if settings.expansion == "whole_path" else 101
    assert_like_reference(searcher, states, iterations, tolerance=tolerance_of(operator, settings))


@pytest.mark.parametrize(
    "operator", ["average", *(pytest.param(o, marks=pytest.mark.slow) for o in ("accelerated", "discounted"))]
)
def test_fuegos_bias(operator):
    """n + 1 in place of n; every move has been tried once, and the visits are others than with n."""
    searcher = searcher_of(operator_of(operator), rule=Ucb1(extra_visits=1))
    assert_like_reference(searcher, othello_states(), 250, tolerance=tolerance_of(operator))
    state, visits = packed(OTHELLO, othello_states()[1:2]), []
    for other in (searcher, searcher_of(operator_of(operator))):
        found = other.search(state, keys_for(1), 250)
        visits.append(sorted(child.visits for child in found.root_children(0)))
    assert visits[0][0] >= 1 and visits[0] != visits[1]


@pytest.mark.slow
@pytest.mark.parametrize("settings", OTHER_SETTINGS)
@pytest.mark.parametrize("rule", ["uniform", "boltzmann", *NEEDY])
def test_settings_of_other_rules(rule, settings):
    """Where visits need not begin with every move, where scores are draws, where operators keep more than values."""
    operator = NEEDY.get(rule, "average")
    searcher = searcher_of(operator_of(operator), SETTINGS[settings], TOY_GAMES["dots"], rule_of(rule))
    iterations = 51 if settings == "whole_path" else 151
    start = contract.start(TOY_GAMES["dots"])
    assert_like_reference(searcher, [start] * 2, iterations, tolerance=tolerance_of(operator, SETTINGS[settings]))


@pytest.mark.parametrize("rule", [Ucb1(0.4, -1), Ucb1(1.4142135623730951), Ucb1(0.1), Ucb1(0.0)])
def test_exploration(rule):
    for operator in ("average", "accelerated"):
        assert_like_reference(searcher_of(operator_of(operator), rule=rule), othello_states()[:2], 200)


def test_given_length_of_the_depth_decayed_bias():
    rule = rule_of("depth_decayed")._replace(length=3.0, exploration=0.7)
    assert_like_reference(searcher_of(operator_of("average"), rule=rule), othello_states()[:2], 200)


def test_playouts_in_plain_python():
    """Nothing compiled on the reference's side: rules, generator and playouts too."""
    searcher = searcher_of(operator_of("accelerated"))
    assert_like_reference(searcher, othello_states()[1:], 60, play=plain_playouts(OTHELLO))
    for game in (DotsAndBoxes(2, 2), DiceDuel(2)):
        searcher = searcher_of(operator_of("average"), Settings(playouts_per_leaf=2), game)
        assert_like_reference(searcher, [contract.start(game)], 100, play=plain_playouts(game))


@pytest.mark.parametrize("decay", [0.5, 0.9, 0.999, 1 - 1e-7])
@pytest.mark.parametrize("operator, by_age", [("accelerated", AcceleratedByAge), ("discounted", DiscountedByAge)])
def test_decay_is_a_sum_over_ages(operator, by_age, decay):
    """Velocities and discounted counts, kept step by step, are the explicit sums of decay^age: equal to 1e-12."""
    operator = operator_of(operator)._replace(decay=decay)
    searcher = searcher_of(operator)
    for state, key in zip(othello_states()[:2], keys_for(2), strict=True):
        found, reference, root = searched_by_both(searcher, state, int(key), 200)
        reference.operator = by_age(operator)
        assert_same_tree(found.forest, 0, operator, reference, root, SAME_VALUE)


@pytest.mark.parametrize("operator, leaves", [("accelerated", 1), ("discounted", 1), ("discounted", 3)])
def test_without_decay_it_is_uct(operator, leaves):
    """Decay 1: the visits of plain UCT exactly, its values to 1e-12.

    Not from the end of a game, where the same finished positions are met again and again, exact ties abound, and the
    last bit decides them. Not with several leaves for velocities: virtual loss leaves the accelerated rate as it is.
    """
    states, keys = np.repeat(packed(OTHELLO, othello_states()[:2]), 4, axis=0), keys_for(8)
    settings = Settings(leaves_per_tree=leaves)
    plain = searcher_of(operator_of("average"), settings).search(states, keys, 1500)
    undecayed = searcher_of(operator_of(operator)._replace(decay=1.0), settings).search(states, keys, 1500)
    for field in ("visits", "action", "child_count", "first_child", "move_count"):
        assert np.array_equal(getattr(plain.forest, field), getattr(undecayed.forest, field))
    assert np.abs(plain.table.value - undecayed.table.value).max() <= SAME_VALUE


@pytest.mark.slow
def test_power_mean_of_exponent_1_is_the_mean():
    states, keys = np.repeat(packed(OTHELLO, othello_states()[:2]), 4, axis=0), keys_for(8)
    plain = searcher_of(operator_of("average")).search(states, keys, 1500)
    power = searcher_of(operator_of("power_mean")._replace(exponent=1.0)).search(states, keys, 1500)
    assert np.array_equal(plain.table.visits, power.table.visits)
    assert np.abs(plain.table.value - power.table.value).max() <= SAME_VALUE


@pytest.mark.parametrize(
    "operator",
    [
        pytest.param(o, marks=slow_unless(o in THREE_SUMS))
        for o in (*sorted(THREE_SUMS), "discounted", "heuristic_prior")
    ],
)
def test_subtree_reuse(operator):
    """Three searches of one game two plies apart: the subtree that was kept, and iterations on top of it."""
    searcher = searcher_of(operator_of(operator), Settings(reuse=True))
    reference, node, state = reference_of(searcher), None, othello_states()[1]
    for turn in range(3):
        keys = keys_for(1, seed=20 + turn)
        found = searcher.search(packed(OTHELLO, [state]), keys, 150, games=np.array([7]))
        node = reference.search(state, int(keys[0]), 150, node)
        assert_same_tree(found.forest, 0, searcher.parts.operator, reference, node)
        assert found.decide()[0] == reference.decide(node, int(keys[0]))
        node = max(node.children, key=lambda child: child.visits)
        node = max(node.children, key=lambda child: child.visits)
        state = node.state
