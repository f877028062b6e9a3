"""The final move by velocity and by score: against the two formulas, in waves, in slices, and what is refused."""

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.tree.backup.discounted import Discounted
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.settings import Settings
from tests.tree.drivers import OTHELLO, keys_for, operator_of, othello_states, packed, rule_of, searcher_of

STATES = packed(OTHELLO, othello_states())
ITERATIONS = 300


def expected(searcher, forest, tree):
    """What each move of a root is worth: eq. 6 of Hashimoto et al. 2012, or UCB1 from the forest's own columns."""
    first = int(forest.first_child[tree, 0])
    block = slice(first, first + int(forest.child_count[tree, 0]))
    rate, velocity, visits = forest.columns[tree, block, 0], forest.columns[tree, block, 1], forest.visits[tree, block]
    bias = searcher.parts.rule.exploration * np.sqrt(np.log(forest.visits[tree, 0]) / visits)
    worth = velocity if searcher.settings.final == "velocity" else rate + bias
    return dict(zip(forest.action[tree, block].tolist(), worth.tolist(), strict=True))


@pytest.mark.parametrize("final", ["velocity", "score"])
def test_the_move_of_the_highest_is_played(final):
    searcher = searcher_of(operator_of("accelerated"), Settings(final=final))
    found = searcher.search(STATES, keys_for(4), ITERATIONS)
    for tree, move in enumerate(found.decide()):
        worth = expected(searcher, found.forest, tree)
        assert worth[int(move)] == pytest.approx(max(worth.values()))
    named = list(expected(searcher, found.forest, 0))[:2]
    alone = searcher.search(STATES[:1], keys_for(4)[:1], ITERATIONS)
    worth = expected(searcher, alone.forest, 0)
    assert alone.decide_among(named) == max(named, key=worth.get)


@pytest.mark.parametrize("final", ["velocity", "score"])
def test_waves_and_slices_play_the_same_moves(final):
    settings, operator = Settings(final=final), operator_of("accelerated")
    together = searcher_of(operator, settings)
    whole = together.search(STATES, keys_for(4), ITERATIONS)
    few = searcher_of(operator, settings, memory_limit=2 * together.parts.tree_bytes(ITERATIONS))
    waves = few.search(STATES, keys_for(4), ITERATIONS)
    assert waves.forest is None  # several waves
    assert waves.decide().tolist() == whole.decide().tolist()
    slices = IncrementalSearch(searcher_of(operator, settings), STATES[0], keys_for(4)[0])
    slices.go_on(ITERATIONS // 2)
    slices.go_on(ITERATIONS - ITERATIONS // 2)
    assert slices.found().decide()[0] == whole.decide()[0]


def test_what_cannot_be_known_is_refused():
    with pytest.raises(
        BadInput, match=r"final=velocity: backup=discounted has no velocity; take backup=accelerated or acc"
    ):
        searcher_of(Discounted(), Settings(final="velocity"))
    with pytest.raises(BadInput, match=r"final=score: must be visits or value with selection=boltzmann"):
        searcher_of(operator_of("average"), Settings(final="score"), rule=rule_of("boltzmann"))
    with pytest.raises(BadInput, match=r"final=velocity: must be visits or value with search.roots=2"):
        searcher_of(operator_of("accelerated"), Settings(final="velocity", roots=2))
    searcher = searcher_of(operator_of("accelerated"), Settings(final="score"))
    with pytest.raises(BadInput, match="final=score: must be visits or value; searches that are followed"):
        searcher.follow(STATES, keys_for(4), [10], lambda *seen: None)
