"""Searches in a table against the slow reference, slot for slot, and the forest where the table loses nothing."""

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.contract import NO_MOVE
from gpumcts.games.instances import instances
from gpumcts.games.pgame import PGame
from gpumcts.solver.alpha_beta import root_scores
from gpumcts.tree.backup.average import Average
from gpumcts.tree.search import Searcher
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.table import REWARD_UNIT
from tests.reference.table import LimitedUct
from tests.reference.uct import NearTie, compiled_playouts, plain_playouts
from tests.tree.drivers import TOY_GAMES, UNIFORM, keys_for, othello_states, packed, rule_of
from tests.tree.table_drivers import GAMES, SETTINGS, WHOLE, content, searcher_of, tables

# ------------------------------------------------------------------------------------------- against the reference


def searched_by_reference(searcher, state, key, iterations, play=None):
    """The reference after so many iterations, or after those before two scores come within 1e-12; and how many."""
    while True:
        reference = LimitedUct(
            searcher.game, searcher.parts.rule, searcher.settings, searcher.parts.entries,
            {2: "twobigp", 1: "single"}[searcher.parts.replacement.ways], searcher.parts.replacement.stored_above,
            play or compiled_playouts(searcher.game, UNIFORM),
        )  # fmt: skip
        try:
            reference.search(state, key, iterations)
            return reference, iterations
        except NearTie as tie:
            assert tie.iterations >= 20
            iterations = tie.iterations


def assert_like_reference(searcher, state, iterations, seed=1, play=None):
    """Every slot of the table, the root's moves and the decision; returns the reference."""
    key = int(keys_for(1, seed)[0])
    reference, iterations = searched_by_reference(searcher, state, key, iterations, play)
    found = searcher.search(packed(searcher.game, [state]), np.array([key], np.uint64), iterations)
    expected = [
        e and (e.index, round(e.rewards * REWARD_UNIT), e.visits, e.parent, e.depth)
        for bucket in reference.table.buckets
        for e in bucket
    ]
    assert content(found.tables) == expected
    assert [int(word) for word in found.tables.roots[0]] == [
        round(reference.root_rewards * REWARD_UNIT),
        reference.root_visits,
    ]
    stored = reference.root_moves(state)
    assert sorted((c.move, c.visits, c.value) for c in found.root_children(0)) == stored
    assert found.decide()[0] == (reference.decide(state, key) if stored else NO_MOVE)
    return reference


@pytest.mark.parametrize("replacement", ["twobigp", pytest.param("single", marks=pytest.mark.slow)])
@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize("game", [pytest.param(g, marks=[pytest.mark.slow] if g == "path" else []) for g in GAMES])
def test_like_the_reference(game, settings, replacement):
    """From a table that hardly holds the root's moves to one in which little is lost, each under its own seed."""
    game, random, asked = GAMES[game], 0, 0
    for seed, entries in enumerate((4, 40, 2000), 1):
        searcher = searcher_of(SETTINGS[settings], game, entries=entries, replacement=replacement)
        reference = assert_like_reference(searcher, contract.start(game), 80, seed)
        random, asked = random + reference.random_moves, asked + reference.asked
    assert random > 0 and asked > 20


@pytest.mark.parametrize(
    "rule",
    ["ucb1", "depth_decayed", *(pytest.param(r, marks=pytest.mark.slow) for r in ("sensei", "uniform", "boltzmann"))],
)
def test_every_rule_that_reads_means(rule):
    for game, settings in ((PGame(3, 6), WHOLE), (TOY_GAMES["dots"], Settings())):
        searcher = searcher_of(settings, game, rule_of(rule), entries=300)
        assert_like_reference(searcher, contract.start(game), 200)


@pytest.mark.parametrize("settings", ["whole", "node"])
def test_othello_from_several_positions(settings):
    """Transpositions, passes, and an end of the game."""
    for state in othello_states()[1:]:
        assert_like_reference(searcher_of(SETTINGS[settings], entries=500), state, 60)


@pytest.mark.parametrize("level", [0.0, 0.4, 0.5, 1.0])
def test_stored_moves_above_a_value_are_preferred(level):
    """Kocsis et al. 2006, section 2.2, the alternative.

    The level changes what is made of an unstorable child, and only that.
    """
    without = assert_like_reference(searcher_of(WHOLE, PGame(3, 5), entries=16), contract.start(PGame(3, 5)), 150)
    searcher = searcher_of(WHOLE, PGame(3, 5), entries=16, stored_above=level)
    reference = assert_like_reference(searcher, contract.start(PGame(3, 5)), 150)
    assert (reference.random_moves < without.random_moves) == (level < 1.0)


def test_playouts_in_plain_python():
    """Nothing compiled on the reference's side: rules, generator and playouts too."""
    for game in (PGame(2, 8), TOY_GAMES["dice"]):
        searcher = searcher_of(Settings(playouts_per_leaf=2), game, entries=64)
        assert_like_reference(searcher, contract.start(game), 80, play=plain_playouts(game))


# ---------------------------------------------------------------------------------------------- against the forest


@pytest.mark.parametrize("settings", ["whole_first", "node_first", "first_of_many"])
@pytest.mark.parametrize("rule", ["ucb1", "depth_decayed"])
def test_in_a_large_table_it_is_uct(rule, settings):
    """A P-game all of whose nodes have a bucket: the forest's visits and values, to the last bit.

    With ties in order of generation: at random they are drawn among children in the order in which they came to be.
    """
    game = PGame(3, 6)
    settings = {**SETTINGS, "first_of_many": Settings(ties="first", expansion="threshold", threshold=4)}[settings]
    states, keys = instances(game, range(20)), keys_for(20)
    forest = Searcher(game, UNIFORM, rule_of(rule), Average(), settings).search(states, keys, 500)
    table = searcher_of(settings, game, rule_of(rule), entries=4096).search(states, keys, 500)
    assert tables(forest) == tables(table)
    assert forest.table.count.min() == 3


def test_a_small_table_finds_the_best_move():
    """P-games of 4,096 leaves in 500 entries, 400 trees, 3,000 iterations.

    In 2,000 other trees UCT so erred once and uniform sampling (MC) 76 times: four errors or more of 400 have
    probability 6e-5 for the one, three or fewer 3e-4 for the other.
    """
    game = PGame(2, 12)
    states, keys = instances(game, range(400)), keys_for(400)
    scores, _ = root_scores(game, states)
    moves = searcher_of(WHOLE, game, rule_of("depth_decayed"), entries=500).search(states, keys, 3000).decide()
    assert (scores[np.arange(400), moves] < scores.max(axis=1)).sum() <= 3
