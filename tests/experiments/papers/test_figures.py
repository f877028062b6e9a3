"""The worked figures of Hashimoto et al. 2012, to the last digit."""

from fractions import Fraction

import pytest

from gpumcts.tree.backup.accelerated import Accelerated
from gpumcts.tree.backup.average import Average
from gpumcts.tree.backup.discounted import Discounted
from gpumcts.tree.backup.minimax import Minimax
from gpumcts.tree.hand_tree import HandTree

DECAYS = [1.0, 0.5, 0.9, 0.999]
LAST_DIGIT = 2.0**-53  # half a unit in the last place of a number in [1/2, 1)


def assert_is(value: float, exact: Fraction) -> None:
    """The float64 is the fraction, to within two roundings."""
    assert abs(Fraction(value) - exact) <= 2 * Fraction(LAST_DIGIT)


# ------------------------------------------------------------------------------------------ Fig. 1: the deceptive tree


def deceptive_tree(operator) -> HandTree:
    """A is the root; B has D, E (won for the first player) and F (lost); C has G, which has H (won) and I (lost).

    One playout at each leaf, its result the true one.
    """
    tree = HandTree(operator)
    for line, won in (("BD", 1), ("BE", 1), ("BF", 0), ("CGH", 1), ("CGI", 0)):
        tree.playouts(line, won)
    return tree


def test_figure_1_deceives_the_mean():
    tree = deceptive_tree(Average())
    assert tree.value("B") == 2 / 3
    assert tree.value("C") == 1 / 2


def test_figure_1_minimax_sees_through():
    """A -> B loses, because the second player answers F; A -> C wins, because the first player goes on with H."""
    tree = deceptive_tree(Minimax())
    assert (tree.value("B"), tree.value("C")) == (0.0, 1.0)


@pytest.mark.parametrize("decay", DECAYS)
def test_figure_1_by_velocities(decay):
    """D was visited two visits of B before the last, E one, F last: weights decay^2, decay, 1."""
    d = Fraction(decay)
    tree = deceptive_tree(Accelerated(decay))
    assert_is(tree.value("B"), (d**2 + d) / (d**2 + d + 1))
    assert_is(tree.value("C"), d / (d + 1))


def visits_until_undeceived(operator) -> int:
    """How often F must be visited until A -> B looks worse than A -> C."""
    tree, visits = deceptive_tree(operator), 0
    while tree.value("B") >= tree.value("C"):
        tree.playouts("BF", 0)
        visits += 1
    return visits


def test_figure_1_velocities_recover_sooner():
    """By hand: 2/(3 + k) < 1/2 first at k = 2. At decay 1/2 the weights after a visit are 1/8, 1/4, 3/2: 1/5 < 1/3."""
    assert visits_until_undeceived(Average()) == visits_until_undeceived(Accelerated(1.0)) == 2
    assert visits_until_undeceived(Accelerated(0.5)) == 1
    tree = deceptive_tree(Accelerated(0.5))
    tree.playouts("BF", 0)
    assert_is(tree.value("B"), Fraction(1, 5))
    assert_is(tree.value("C"), Fraction(1, 3))


# ------------------------------------------------------------------------------------------- Fig. 2: the virtual child


def expanded_leaf(operator, at_once: bool = False) -> HandTree:
    """Three playouts at a, two of them won; then a is expanded, and a playout at d is won, one at e lost."""
    tree = HandTree(operator)
    if at_once:
        tree.playouts("a", 2, 3)
    else:
        for won in (1, 1, 0):
            tree.playouts("a", won)
    assert_is(tree.value("a"), Fraction(2, 3))
    tree.playouts("ad", 1)
    tree.playouts("ae", 0)
    return tree


@pytest.mark.parametrize("operator", [Average(), Accelerated(1.0), Discounted(1.0)])
def test_figure_2_of_plain_uct(operator):
    assert expanded_leaf(operator).value("a") == 3 / 5


@pytest.mark.parametrize("at_once", [False, True])
@pytest.mark.parametrize("decay", DECAYS)
def test_figure_2_with_the_virtual_child(decay, at_once):
    """The virtual child's velocity is 1 + decay + decay^2 when a is expanded, decays twice, and stands for 2/3."""
    d = Fraction(decay)
    virtual, won, lost = d**2 * (1 + d + d**2), d, 1
    tree = expanded_leaf(Accelerated(decay), at_once)
    assert_is(tree.value("a"), (virtual * Fraction(2, 3) + won) / (virtual + won + lost))
    assert tree.column("a", "own_velocity") == pytest.approx(float(virtual), rel=1e-15)
    assert (tree.column("ad", "velocity"), tree.column("ae", "velocity")) == (decay, 1.0)


def test_figure_2_at_decay_one_half():
    """By hand: velocities 7/16, 1/2, 1; value (7/24 + 1/2) / (31/16)."""
    assert_is(expanded_leaf(Accelerated(0.5)).value("a"), Fraction(38, 93))


def test_without_the_virtual_child_the_playouts_at_a_would_be_lost():
    """What the figure is drawn to show: d and e alone would give 1/2 at decay 1."""
    tree = HandTree(Accelerated(1.0))
    tree.playouts("ad", 1)
    tree.playouts("ae", 0)
    assert tree.value("a") == 1 / 2


# ------------------------------------------------------------------------------------- several playouts in an iteration


@pytest.mark.parametrize("playouts", [1, 2, 3, 64, 1000])
@pytest.mark.parametrize("decay", [1.0, 0.5, 0.999, 1 - 1e-7])
def test_playouts_at_once_are_successive_visits(decay, playouts):
    """v <- decay^P v + (1 - decay^P) / (1 - decay) is eq. 6 taken P times, within 1e-12."""
    trees = [HandTree(Accelerated(decay)), HandTree(Accelerated(decay))]
    for tree in trees:
        tree.playouts("b", 1)
        tree.playouts("ac", 1)
    trees[0].playouts("ad", 0, playouts)
    for _ in range(playouts):
        trees[1].playouts("ad", 0)
    for line, name in (("a", "velocity"), ("b", "velocity"), ("ac", "velocity"), ("ad", "velocity"), ("a", "rate")):
        once, successive = (tree.column(line, name) for tree in trees)
        assert once == pytest.approx(successive, rel=1e-12, abs=1e-12)
