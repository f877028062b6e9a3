"""Two batches of a tree in flight: against the reference, with playouts elsewhere, cut anywhere, and what takes one."""

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.kernels import engines
from gpumcts.tree.device_search import DeviceEngine
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.settings import Settings
from tests.tree.drivers import (
    OTHELLO,
    TOY_GAMES,
    assert_like_reference,
    keys_for,
    operator_of,
    othello_states,
    packed,
    rule_of,
    searcher_of,
)
from tests.tree.test_device_playouts import Elsewhere
from tests.tree.test_leaves import digest

SETTINGS = {
    "one leaf": Settings(),
    "several": Settings(leaves_per_tree=7),
    "unobserved": Settings(leaves_per_tree=7, in_flight="unobserved"),
    "unobserved, one leaf": Settings(in_flight="unobserved"),
    "playouts": Settings(leaves_per_tree=5, playouts_per_leaf=2),
    "more than the budget": Settings(leaves_per_tree=1000),
    "threshold": Settings(leaves_per_tree=9, expansion="threshold", threshold=4),
    "whole paths": Settings(leaves_per_tree=5, expansion="whole_path"),
    "solved": Settings(leaves_per_tree=9, solve=True),
}
START = packed(OTHELLO, othello_states()[:1])


def two(settings):
    return settings._replace(batches_in_flight=2)


@pytest.mark.parametrize("settings", SETTINGS)
def test_trees_are_those_of_the_reference(settings):
    tolerance = 1e-12 if settings == "playouts" else 0.0
    searcher = searcher_of(operator_of("average"), two(SETTINGS[settings]))
    assert_like_reference(searcher, othello_states()[1:], 150, tolerance=tolerance)


@pytest.mark.parametrize(
    "operator, rule, game",
    [
        ("average", "rave", "othello"),
        pytest.param("minimax", "ucb1", "othello", marks=pytest.mark.slow),
        pytest.param("average", "ucb1", "dice", marks=pytest.mark.slow),
        pytest.param("accelerated", "ucb1", "othello", marks=pytest.mark.slow),
        pytest.param("discounted", "ucb1", "othello", marks=pytest.mark.slow),
    ],
)
def test_other_operators_rules_and_games(operator, rule, game):
    """Operators that read children while they back up find nothing in flight; chance and RAVE go the same ways."""
    game = OTHELLO if game == "othello" else TOY_GAMES[game]
    states = othello_states()[1:] if game is OTHELLO else [contract.start(game)] * 2
    searcher = searcher_of(operator_of(operator), two(Settings(leaves_per_tree=6)), game, rule_of(rule))
    assert_like_reference(searcher, states, 100)


def digest_of(settings, iterations=500, **more):
    found = searcher_of(operator_of("average"), settings, **more).search(START, keys_for(1), iterations)
    return digest(found.forest)


def test_it_is_another_search_than_one_batch_at_a_time():
    assert digest_of(two(Settings(leaves_per_tree=16))) != digest_of(Settings(leaves_per_tree=16))


@pytest.mark.parametrize("settings", ["one leaf", "unobserved", "solved"])
def test_engines_that_play_elsewhere_grow_the_same_trees(settings):
    """The second batch is selected while the first is on its way; several trees, on threads."""
    settings = two(SETTINGS[settings])
    roots, keys = packed(OTHELLO, othello_states()), keys_for(4)
    here = searcher_of(operator_of("average"), settings).search(roots, keys, 200)
    for threads in (1, 3):
        engine = Elsewhere(OTHELLO)
        there = searcher_of(operator_of("average"), settings, engine=engine, threads=threads)
        found = there.search(roots, keys, 200)
        assert [digest(found.forest, tree) for tree in range(4)] == [digest(here.forest, tree) for tree in range(4)]
        assert engine.most_under_way == 2 and engine.under_way == 0


@pytest.mark.parametrize("elsewhere", [False, True])
@pytest.mark.parametrize("roots", [1, 2])
def test_a_batch_survives_the_cuts_of_a_clock(roots, elsewhere):
    """What is told on the way is counted; in the end all is."""
    settings = two(Settings(leaves_per_tree=8, roots=roots))
    engine = {"engine": Elsewhere(OTHELLO)} if elsewhere else {}
    searcher = searcher_of(operator_of("average"), settings, **engine)
    search, cuts = IncrementalSearch(searcher, START[0], keys_for(1)[0]), 0
    for _ in search.slices(1003, None):
        cuts += 1
        told = search.found()
        ended = search.iterations > 1003 - roots
        assert told.iterations == search.iterations - (0 if ended else 8 * roots)
        assert told.forest.visits[:, 0].sum() == told.iterations
    search.keep()
    whole = searcher_of(operator_of("average"), settings).search(START, keys_for(1), 1003)
    found = search.found()
    assert cuts > 1 and found.iterations == whole.iterations == 1003 // roots * roots
    assert found.root_children(0) == whole.root_children(0)
    assert [digest(found.forest, t) for t in range(roots)] == [digest(whole.forest, t) for t in range(roots)]


@pytest.mark.parametrize("batches", [1, 2, 5])
def test_a_search_that_is_stopped_is_one_of_so_many_iterations(batches):
    settings, last = two(Settings(leaves_per_tree=10)), 10 * batches
    searcher = searcher_of(operator_of("average"), settings)
    search = IncrementalSearch(searcher, START[0], keys_for(1)[0])
    while search.iterations < last:
        search.go_on(10)
    search.keep()
    assert digest(search.found().forest) == digest_of(settings, last)


def test_lines_on_the_way_are_those_of_what_is_counted():
    """The batch that is not counted has made nodes that nobody has visited: a line ends above them."""
    searcher = searcher_of(operator_of("average"), two(Settings(leaves_per_tree=64)))
    search = IncrementalSearch(searcher, START[0], keys_for(1)[0])
    search.go_on(64)
    for _ in range(8):
        search.go_on(64)
        told = search.found()
        whole = searcher.search(START, keys_for(1), told.iterations)
        assert told.iterations == search.iterations - 64
        for child in whole.root_children(0):
            assert told.principal_variation(0, child.move) == whole.principal_variation(0, child.move)


def test_reuse_goes_on_from_what_is_counted():
    settings, games = two(Settings(leaves_per_tree=8, reuse=True)), np.zeros(1, np.int64)
    searcher = searcher_of(operator_of("average"), settings)
    first = searcher.search(START, keys_for(1), 400, games=games)
    assert first.forest.visits[0, 0] == 400
    move = int(first.decide()[0])
    kept = next(child.visits for child in first.root_children(0) if child.move == move)
    second = searcher.search(searcher.rules.play(START, np.array([move])), keys_for(1, seed=2), 100, games=games)
    assert second.forest.visits[0, 0] == kept + 100


def test_what_keeps_one_batch_refuses_two():
    settings = two(Settings(leaves_per_tree=4))
    with pytest.raises(BadInput, match="search.batches_in_flight=2: engine=device keeps one batch of a tree in flight"):
        searcher_of(operator_of("average"), settings, engine=DeviceEngine())
    with pytest.raises(BadInput, match="search.batches_in_flight=2: searches that are followed have one batch"):
        searcher_of(operator_of("average"), settings).follow(START, keys_for(1), [8], lambda *table: None)


@pytest.mark.gpu
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("settings", ["one leaf", "unobserved", "playouts"])
def test_cuda_is_cpu(settings):
    if problem := engines.cuda_problem():
        pytest.skip(problem)
    found = {}
    for engine in ("cpu", "cuda"):
        searcher = searcher_of(operator_of("average"), two(SETTINGS[settings]), engine=engine, threads=4)
        forest = searcher.search(np.repeat(START, 50, axis=0), keys_for(50), 300).forest
        found[engine] = [digest(forest, tree) for tree in range(50)]
    assert found["cuda"] == found["cpu"]
