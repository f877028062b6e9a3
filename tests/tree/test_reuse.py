"""Where the game's next search begins in the tree of its last one."""

import itertools

import numpy as np
import pytest

from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.tree import reuse
from gpumcts.tree.backup.accelerated_adaptive import SUM, AcceleratedAdaptive
from gpumcts.tree.forest import NO_NODE, ROOT
from gpumcts.tree.settings import Settings
from tests.kernels.drivers import positions
from tests.tree.drivers import OTHELLO, keys_for, operator_of, othello_states, packed, searcher_of

GAME = np.array([3])
DOTS = DotsAndBoxes(2, 3)
START = packed(OTHELLO, othello_states())[1:2]


@pytest.fixture(scope="module")
def searched():
    """A searcher, and the forest of its first search."""
    searcher = searcher_of(operator_of("average"), Settings(reuse=True))
    return searcher, searcher.search(START, keys_for(1), 40_000, games=GAME).forest


def last_child(searcher, forest, node, state):
    """The child of a node that comes last, and its state, uint64[1, W]."""
    child = forest.first_child[0, node] + forest.child_count[0, node] - 1
    return child, searcher.rules.play(state, forest.action[0, [child]].astype(np.int64))


def test_the_last_of_thousands_is_found(searched):
    searcher, forest = searched
    node, state, nodes = ROOT, START, 1
    for _ in range(reuse.PLIES_BACK):
        nodes *= int(forest.child_count[0, node])
        node, state = last_child(searcher, forest, node, state)
    assert nodes > 2000 and forest.visits[0, node] > 0
    goes_on = searcher.search(state, keys_for(1), 10, games=GAME).forest  # from a node that moves in other order reach
    assert goes_on.visits[0, ROOT] > 10


def test_nodes_of_hardly_any_visits_are_not_looked_at(searched):
    searcher, forest = searched
    child, state = last_child(searcher, forest, ROOT, START)
    words = np.empty((reuse.PLIES_BACK + 1) * START.shape[1], np.uint64)
    scratch = np.empty((2, reuse.PLIES_BACK + 1), np.int64)
    least = int(forest.visits[0, child])
    for share, found in ((least, child), (least + 1, NO_NODE)):
        forest.visits[0, ROOT] = share * reuse.MOST_NODES
        assert reuse._find(searcher.game, forest, 0, START[0], state[0], words, *scratch) == found


@pytest.mark.parametrize("game, plies", [(OTHELLO, 1), (OTHELLO, 2), (DOTS, 1), (DOTS, 2)])
def test_the_rewards_of_the_new_root_are_those_of_who_moves_there(game, plies):
    """In every tree the root's sum is that of its children and of its own first playouts, whoever moved above it."""
    operator = AcceleratedAdaptive(share=0.0, disagreement=50.0, window=50.0)
    searcher = searcher_of(operator, Settings(reuse=True), game)
    state = positions(game, 1, least=8)  # boxes can be closed there, whereupon the same player moves on
    movers = []
    for turn in range(3):
        forest = searcher.search(state, keys_for(1, seed=turn), 3000, games=GAME).forest
        first, count = int(forest.first_child[0, ROOT]), int(forest.child_count[0, ROOT])
        below = forest.columns[0, first : first + count, SUM].sum()
        own = forest.visits[0, ROOT] - forest.visits[0, first : first + count].sum()
        assert -1e-6 <= forest.columns[0, ROOT, SUM] - below <= own + 1e-6
        assert turn == 0 or forest.visits[0, ROOT] > 3000
        node = ROOT
        for _ in range(plies):
            children = np.arange(forest.child_count[0, node]) + forest.first_child[0, node]
            node = children[np.argmax(forest.visits[0, children])]
            movers.append(searcher.rules.movers(state)[0])
            state = searcher.rules.play(state, forest.action[0, [node]].astype(np.int64))
    assert (game is DOTS) == any(one == other for one, other in itertools.pairwise(movers))
