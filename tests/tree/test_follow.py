"""Searches that show their roots on the way: the tables of searches of that length, and when a value was last low."""

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games.instances import instances
from gpumcts.games.pgame import PGame
from gpumcts.tree.backup.contract import value
from gpumcts.tree.checks import min_iterations
from gpumcts.tree.forest import ROOT
from gpumcts.tree.host.wave import Wave
from gpumcts.tree.roots import roots_of
from gpumcts.tree.settings import Settings
from tests.tree.drivers import (
    NEEDY,
    OPERATORS,
    OTHELLO,
    TOY_GAMES,
    UNIFORM,
    keys_for,
    operator_of,
    othello_states,
    packed,
    rule_of,
    searcher_of,
)
from tests.tree.simulated_searches import roots
from tests.tree.test_device_playouts import FIRST, Elsewhere, slow_unless

POINTS = [1, 2, 12, 60, 84, 240]
TREES = 20
STATES, KEYS = packed(OTHELLO, othello_states() * 5), keys_for(TREES)


def followed(searcher, points, states=STATES, keys=KEYS, **more):
    """(iterations, begin, end) -> table of that wave; and what ``follow`` returns."""
    shown = {}

    def show(point, wave, table):
        shown[point, wave.start, wave.stop] = table

    return shown, searcher.follow(states, keys, points, show, **more)


def assert_tables_of_searches(searcher, points, waves, states=STATES, keys=KEYS, plain=None):
    """Every table is that of a search of so many iterations."""
    shown, below = followed(searcher, points, states, keys)
    assert list(shown) == [(point, *wave) for wave in waves for point in points]
    assert below.shape == (0,)
    for point in points:
        tried = point >= min_iterations(searcher.settings)  # a shorter search is refused
        found = (plain or searcher).search(states, keys, point) if tried else None
        for begin, end in waves:
            for tree in range(begin, end):
                expected = found.root_children(tree) if found is not None else []
                assert shown[point, begin, end].children(tree - begin) == expected


@pytest.mark.parametrize("rule", ["ucb1", "uniform", "epsilon_greedy"])
def test_tables_are_those_of_searches(rule):
    searcher = searcher_of(operator_of(NEEDY.get(rule, "average")), rule=rule_of(rule))
    assert_tables_of_searches(searcher, POINTS, [(0, TREES)])


SETTINGS = {
    "leaves": (Settings(leaves_per_tree=4, playouts_per_leaf=2), [4, 12, 60, 241]),
    "whole_path": (Settings(expansion="whole_path"), POINTS[:5]),
    "root": (Settings(expansion="root"), POINTS),
    "solve": (Settings(solve=True), POINTS),
}


@pytest.mark.parametrize("name", SETTINGS)
def test_settings(name):
    settings, points = SETTINGS[name]
    assert_tables_of_searches(searcher_of(operator_of("accelerated"), settings), points, [(0, TREES)])


def test_threads_waves_and_playouts_elsewhere():
    operator = operator_of("average")
    plain = searcher_of(operator)
    assert_tables_of_searches(searcher_of(operator, threads=3), POINTS, [(0, TREES)], plain=plain)
    assert_tables_of_searches(
        searcher_of(operator, engine=Elsewhere(OTHELLO, UNIFORM)), POINTS, [(0, TREES)], plain=plain
    )
    limit = int(8.5 * plain.parts.tree_bytes(POINTS[-1]))
    in_waves = searcher_of(operator, memory_limit=limit)
    assert_tables_of_searches(in_waves, POINTS, [(0, 8), (8, 16), (16, 20)], plain=plain)


def test_progress_adds_up():
    told = []
    followed(searcher_of(operator_of("average")), POINTS, on_progress=told.append)
    assert sum(told) == TREES * POINTS[-1]


# --------------------------------------------------------------------------------------------------- the root's value


def last_below(searcher, states, keys, iterations, level):
    """The same by searches of every length: the last after which the root's value is below the level."""
    last = np.zeros(len(states), np.int64)
    for number in range(1, iterations + 1):
        planted = searcher.plant(roots_of(searcher.parts, states, keys), number, None)  # a search of one is refused
        wave = Wave(planted, states, keys, searcher.stopwatch())
        searcher.iterate(wave, (0, number))
        for tree in range(len(states)):
            if value(searcher.parts.operator, wave.forest, tree, ROOT) < level:
                last[tree] = number
    return last


@pytest.mark.parametrize("operator", [slow_unless(o in FIRST, o) for o in OPERATORS])
def test_every_operator_values_the_root(operator):
    operator, game = operator_of(operator), TOY_GAMES["dots"]
    forest = searcher_of(operator, game=game).search(roots(game, 6), keys_for(6), 100).forest
    assert all(0.0 <= value(operator, forest, tree, ROOT) <= 1.0 for tree in range(6))


@pytest.mark.parametrize("level", [0.4, 0.5, 0.55])
@pytest.mark.parametrize("operator", ["average", "accelerated", "discounted", "minimax"])
def test_below(operator, level):
    searcher = searcher_of(operator_of(operator), game=TOY_GAMES["dots"])
    states = roots(TOY_GAMES["dots"], 6)
    _, below = followed(searcher, [70, 150], states, keys_for(6), level=level)
    assert below.tolist() == last_below(searcher, states, keys_for(6), 150, level).tolist()


@pytest.mark.parametrize("threads", [pytest.param(1, marks=pytest.mark.slow), 3])
def test_below_of_solved_roots(threads):
    """A proven root keeps its value, and stays below a level to the end, whatever trees are searched beside it."""
    game = PGame(2, 4)
    states, keys = instances(game, range(12)), keys_for(12)
    searcher = searcher_of(operator_of("average"), Settings(solve=True), game, threads=threads)
    shown, below = followed(searcher, [20, 100], states, keys, level=0.6)
    assert shown[100, 0, 12].proof.any()
    assert below.tolist() == last_below(searcher, states, keys, 100, 0.6).tolist()
    assert (below == 100).any() and (below < 50).any()
    alone = [followed(searcher, [20, 100], states[t : t + 1], keys[t : t + 1], level=0.6)[1][0] for t in range(12)]
    assert below.tolist() == alone


def test_below_in_waves():
    plain = searcher_of(operator_of("average"))
    limit = int(8.5 * plain.parts.tree_bytes(100))
    in_waves = searcher_of(operator_of("average"), memory_limit=limit)
    assert in_waves.wave(TREES, 100) == 8
    assert followed(plain, [100], level=0.5)[1].tolist() == followed(in_waves, [100], level=0.5)[1].tolist()


# ---------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.parametrize("points", [[], [0], [-3, 5], [5, 5], [10, 5], [1, 3, 2]])
def test_checkpoints_out_of_order(points):
    with pytest.raises(BadInput, match=r"^checkpoints=\[.*\]: must be increasing numbers of iterations, 1 at least$"):
        followed(searcher_of(operator_of("average")), points)


def test_checkpoints_within_a_batch():
    """A search of that length would have gathered other batches."""
    searcher = searcher_of(operator_of("average"), Settings(leaves_per_tree=4))
    with pytest.raises(BadInput, match=r"^checkpoints=\[4, 10, 20\]: all but the last must be multiples of search"):
        followed(searcher, [4, 10, 20])
    assert len(followed(searcher, [4, 8, 19])[0]) == 3


def test_other_things_that_are_refused():
    with pytest.raises(BadInput, match=r"^search\.reuse=true"):
        followed(searcher_of(operator_of("average"), Settings(reuse=True)), POINTS)
    with pytest.raises(BadInput, match=r"^engine=elsewhere: a root's value is watched with engine=cpu alone$"):
        followed(searcher_of(operator_of("average"), engine=Elsewhere(OTHELLO)), POINTS, level=0.5)
    with pytest.raises(ValueError, match="over"):
        game = TOY_GAMES["path"]
        followed(searcher_of(operator_of("average"), game=game), [5], np.array([[24, 11]], np.uint64), keys_for(1))
