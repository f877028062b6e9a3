"""Small games solved exactly (expectiminimax over all states, in fractions), and what the search makes of them.

The keys are fixed, so every assertion here either always holds or never. Where chance or a mean is in play, its margin
is stated with what it means.
"""

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.shortest_path import ShortestPath
from gpumcts.tree.backup.accelerated import Accelerated
from gpumcts.tree.backup.average import Average
from gpumcts.tree.backup.minimax import Minimax
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from tests.reference.exact import Exact
from tests.tree.drivers import keys_for, packed, searcher_of

SEEDS = 10
BOXES, PATH, DUEL = DotsAndBoxes(1, 2), ShortestPath(), DiceDuel(1)


def searched(game, operator, iterations, **settings):
    """Ten searches from the start under different keys."""
    states = packed(game, [contract.start(game)] * SEEDS)
    return searcher_of(operator, Settings(**settings), game).search(states, keys_for(SEEDS, seed=5), iterations)


def exact_children(game):
    """The exact value in [0, 1] of every move at the start, for who moves there (the first player if chance does)."""
    solver, start = Exact(game), contract.start(game)
    moves = [int(contract.nth_move(game, start, k)) for k in range(int(contract.count_moves(game, start)))]
    return {move: float((solver.value(contract.play(game, start, move)) + 1) / 2) for move in moves}


def test_the_games_are_not_trivial():
    assert set(exact_children(BOXES).values()) == {0.0, 0.5}  # one line holds the draw
    assert len(set(exact_children(PATH).values())) > 1
    assert len(set(exact_children(DUEL).values())) == 3


@pytest.mark.parametrize("game, iterations", [(BOXES, 60_000), (PATH, 5_000)])
@pytest.mark.slow
def test_minimax_becomes_exact(game, iterations):
    """Once the tree holds all positions that matter, the best move's value is the game's, to the last bit: 10 seeds."""
    exact = exact_children(game)
    found = searched(game, Minimax(), iterations, final="value")
    for tree, move in enumerate(found.decide()):
        worth = {child.move: child.value for child in found.root_children(tree)}
        assert worth[move] == max(exact.values()) == exact[move]


@pytest.mark.parametrize("operator", [Average(), Accelerated(0.99)])
@pytest.mark.parametrize("game, iterations", [(BOXES, 60_000), pytest.param(PATH, 60_000, marks=pytest.mark.slow)])
def test_the_mean_converges(game, iterations, operator):
    """10 of 10 seeds find the best move, and its value comes within 0.05 of the game's: what exploration costs."""
    exact = exact_children(game)
    best = [move for move, worth in exact.items() if worth == max(exact.values())]
    found = searched(game, operator, iterations)
    for tree, move in enumerate(found.decide()):
        assert move in best
        worth = {child.move: child.value for child in found.root_children(tree)}
        assert abs(worth[move] - exact[move]) < 0.05


@pytest.mark.slow
def test_the_mean_comes_closer_with_more_iterations():
    exact = max(exact_children(PATH).values())
    errors = []
    for iterations in (500, 5_000, 50_000):
        found = searched(PATH, Average(), iterations)
        errors.append(np.mean([abs(found.root_children(tree)[0].value - exact) for tree in range(SEEDS)]))
    assert errors[0] > 2 * errors[1] > 4 * errors[2]


@pytest.mark.slow
@pytest.mark.parametrize("operator", [Minimax(), Average()])
def test_chance(operator):
    """A loaded die first: visits come with its probabilities, and every outcome's value goes to its expectation.

    100,000 visits: the shares are within 4.5 standard deviations (0.007). Values are means over later throws, of at
    least 16,000 visits each: sampling alone moves them by 0.004 (one standard deviation); 0.03 also allows for
    exploration.
    """
    exact = exact_children(DUEL)
    found = searched(DUEL, operator, 100_000)
    for tree in range(SEEDS):
        children = {child.move: child for child in found.root_children(tree)}
        for move, probability in ((1, 3 / 6), (2, 2 / 6), (3, 1 / 6)):
            share = children[move].visits / 99_999
            assert abs(share - probability) < 4.5 * np.sqrt(probability * (1 - probability) / 100_000)
            assert abs(children[move].value - exact[move]) < 0.03


@pytest.mark.slow
def test_a_smaller_bias_settles_on_the_cheapest_walk():
    """One player, costs: with exploration 0.3 every seed's principal variation is a cheapest walk (cost 11)."""
    states = packed(PATH, [contract.start(PATH)] * SEEDS)
    found = searcher_of(Average(), game=PATH, rule=Ucb1(0.3)).search(states, keys_for(SEEDS), 20_000)
    for tree in range(SEEDS):
        state = contract.start(PATH)
        for move in found.principal_variation(tree):
            state = contract.play(PATH, state, move)
        assert contract.over(PATH, state)
        assert int(state.cost) == 11
