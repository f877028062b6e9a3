"""A search of one tree that is told to stop has found what a search of so many iterations finds."""

import threading

import numpy as np
import pytest

from gpumcts.games.othello import Othello
from gpumcts.kernels.batch import Rules
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import key_of
from gpumcts.tree.backup.average import Average
from gpumcts.tree.host.stopped_search import SearchStopped
from gpumcts.tree.search import Searcher
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings

MANY = 1_000_000


def stopped(searcher, states, keys):
    """What ends a search that is told to stop once it has told of iterations three times."""
    stop, told = threading.Event(), []

    def on_progress(done):
        told.append(done)
        if len(told) == 3:
            stop.set()

    with pytest.raises(KeyboardInterrupt) as ended:
        searcher.search(states, keys, MANY, stop, on_progress)
    return ended.value, sum(told)


@pytest.mark.parametrize(("threads", "leaves"), [(1, 1), (2, 64)])
def test_it_is_a_search_of_so_many_iterations(threads, leaves):
    searcher = Searcher(Othello(), Uniform(), Ucb1(), Average(), Settings(leaves_per_tree=leaves), threads=threads)
    states, keys = Rules(Othello()).starts(1), np.array([key_of(1, 0, 0)], np.uint64)
    ended, made = stopped(searcher, states, keys)
    assert isinstance(ended, SearchStopped) and leaves < ended.found.iterations == made < MANY
    whole = searcher.search(states, keys, made)
    for found, expected in zip(ended.found.table, whole.table, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert ended.found.decide() == whole.decide() and ended.found.principal_variation(0) == whole.principal_variation(0)


@pytest.mark.parametrize("threads", [1, 2])
def test_of_two_batches_the_one_that_is_not_counted_is_dropped(threads):
    settings = Settings(leaves_per_tree=8, batches_in_flight=2)
    searcher = Searcher(Othello(), Uniform(), Ucb1(), Average(), settings, threads=threads)
    states, keys = Rules(Othello()).starts(1), np.array([key_of(1, 0, 0)], np.uint64)
    ended, told = stopped(searcher, states, keys)
    assert isinstance(ended, SearchStopped) and told <= ended.found.iterations < MANY
    assert ended.found.iterations % 8 == 0
    whole = searcher.search(states, keys, ended.found.iterations)
    for found, expected in zip(ended.found.table, whole.table, strict=True):
        np.testing.assert_array_equal(found, expected)
    assert ended.found.decide() == whole.decide() and ended.found.principal_variation(0) == whole.principal_variation(0)


def test_trees_that_are_at_different_iterations_are_no_result():
    searcher = Searcher(Othello(), Uniform(), Ucb1(), Average(), threads=2)
    states, keys = Rules(Othello()).starts(40), np.array([key_of(1, n, 0) for n in range(40)], np.uint64)
    ended, _ = stopped(searcher, states, keys)
    assert not isinstance(ended, SearchStopped)
