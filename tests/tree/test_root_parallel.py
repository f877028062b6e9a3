"""Several trees of a position (root parallelization): the trees, what they come to together, and what takes one."""

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.tree import incremental_search
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.root_parallel import merged, tree_keys
from gpumcts.tree.root_table import Child
from gpumcts.tree.settings import Settings
from gpumcts.tree.solve import DRAW, WIN
from tests.reference.uct import key_below
from tests.tree.drivers import (
    OTHELLO,
    keys_for,
    operator_of,
    othello_states,
    packed,
    reference_of,
    searcher_of,
)
from tests.tree.test_leaves import digest

TREES = 4  # the purpose of the keys of a position's trees below its own


def searcher(**settings):
    return searcher_of(operator_of("average"), Settings(**settings))


def by_hand(state, key, iterations, settings, operator="average"):
    """Visits and values of the moves by the slow UCT: a tree for each root, visits added, values by visits."""
    roots, found = settings.roots, {}
    reference = reference_of(searcher_of(operator_of(operator), settings._replace(roots=1)))
    for number in range(roots):
        root = reference.search(state, key_below(key, TREES, number), iterations // roots)
        reference.operator.forget()
        for child in root.children:
            visits, total = found.get(child.move, (0, 0.0))
            value = reference.operator.value(child)
            found[child.move] = visits + child.visits, total + child.visits * value
    return {move: (visits, total / visits) for move, (visits, total) in found.items()}


@pytest.mark.parametrize("final", ["visits", "value"])
@pytest.mark.parametrize("roots, leaves", [(2, 1), (3, 4)])
def test_visits_and_values_are_those_of_the_reference(roots, leaves, final):
    settings = Settings(roots=roots, leaves_per_tree=leaves, final=final)
    states, keys = othello_states()[:2], keys_for(2)
    found = searcher_of(operator_of("average"), settings).search(packed(OTHELLO, states), keys, 200)
    assert found.iterations == 200 // roots * roots  # a remainder is not made
    for position, (state, key) in enumerate(zip(states, keys, strict=True)):
        known = by_hand(state, int(key), 200, settings)
        children = found.root_children(position)
        assert {child.move: (child.visits, child.value) for child in children} == known
        best = max(known.values(), key=lambda one: one[final == "value"])[final == "value"]
        assert known[int(found.decide()[position])][final == "value"] == best


def test_trees_are_those_of_single_searches():
    """On any number of threads, in waves and with several positions."""
    states, keys = packed(OTHELLO, othello_states()[:2]), keys_for(2)
    found = searcher(roots=3).search(states, keys, 301)
    alone = searcher().search(np.repeat(states, 3, axis=0), tree_keys(keys, 3), 100)
    assert [digest(found.forest, tree) for tree in range(6)] == [digest(alone.forest, tree) for tree in range(6)]
    assert len({digest(found.forest, tree) for tree in range(3)}) == 3
    tree_bytes = searcher().parts.tree_bytes(100)
    narrow = {"memory_limit": 2 * tree_bytes}  # the trees of a position come in two waves
    for more in ({"threads": 2}, narrow):
        other = searcher_of(operator_of("average"), Settings(roots=3), **more).search(states, keys, 301)
        assert (other.forest is None) == (more is narrow)
        assert all(np.array_equal(a, b) for a, b in zip(found.table, other.table, strict=True))
        assert np.array_equal(found.decide(), other.decide())


def test_lines_come_from_the_tree_that_knows_most_of_them():
    found = searcher(roots=4).search(packed(OTHELLO, othello_states()[:1]), keys_for(1), 400)
    alone = searcher().search(packed(OTHELLO, othello_states()[:1] * 4), tree_keys(keys_for(1), 4), 100)
    best = found.root_children(0)[0].move
    lines = {tree: alone.principal_variation(tree, best) for tree in range(4)}
    visits = {tree: next(c.visits for c in alone.root_children(tree) if c.move == best) for tree in range(4)}
    assert found.principal_variation(0) == found.principal_variation(0, best) == lines[max(visits, key=visits.get)]
    assert found.principal_variation(0, 63) == []


@pytest.mark.parametrize("leaves", [1, 8])
def test_slices_change_nothing(leaves):
    engine = searcher(roots=2, leaves_per_tree=leaves)
    state, key = packed(OTHELLO, othello_states()[:1]), keys_for(1)
    search = IncrementalSearch(engine, state[0], key[0])
    for _ in search.slices(1001, None):
        assert search.iterations % 2 == 0
    whole = engine.search(state, key, 1001)
    assert search.iterations == whole.iterations == 1000
    assert search.found().root_children(0) == whole.root_children(0)


def test_each_tree_keeps_its_own():
    """Reuse: tree r of a position goes on from tree r of the last search of its game."""
    states, games = packed(OTHELLO, othello_states()[:1]), np.array([5])
    together, alone = searcher(roots=2, reuse=True), searcher(reuse=True)
    for seed in range(3):
        keys = keys_for(1, seed=seed)
        found = together.search(states, keys, 300, games=games)
        single = alone.search(np.repeat(states, 2, axis=0), tree_keys(keys, 2), 150, games=np.array([10, 11]))
        assert [digest(found.forest, tree) for tree in range(2)] == [digest(single.forest, tree) for tree in range(2)]
        states = together.rules.play(states, found.decide())
    assert found.forest.visits[:, 0].min() > 150
    together.forget(games)
    assert together.kept.most_used(np.array([10, 11])) == 0 < alone.kept.most_used(np.array([10, 11]))


def test_what_one_tree_has_proven_is_proven():
    one, root = searcher(solve=True, roots=3), packed(OTHELLO, othello_states()[3:])
    found = one.search(root, keys_for(1), 9000)
    proofs = [one_tree(found.forest, tree) for tree in range(3)]
    for child in found.root_children(0):
        assert child.proof == max(proof.get(child.move, 0) for proof in proofs)
    best = int(found.decide()[0])
    known = max(proof.get(best, 0) for proof in proofs)
    assert known and (found.proven_line(0, best)[:1] == [best]) == (known != DRAW)
    assert found.iterations_made(1, 1)[0] < found.iterations  # each stops where its root is proven
    search = IncrementalSearch(one, root[0], keys_for(1)[0])
    assert not search.proven and list(search.slices(9000, None)) and search.proven


@pytest.mark.parametrize("seconds", [1e-9, 10.0])
def test_a_proof_of_one_tree_ends_no_search_of_so_many_iterations(monkeypatch, seconds):
    """However long the slices are, the other trees make theirs; a search without a number has what it wanted."""
    monkeypatch.setattr(incremental_search, "SECONDS_A_SLICE", seconds)
    one, root, key = searcher(solve=True, roots=3), packed(OTHELLO, othello_states()[3:]), keys_for(1)
    whole = one.search(root, key, 9000)
    search = IncrementalSearch(one, root[0], key[0])
    assert list(search.slices(9000, None)) and search.proven
    assert search.found().root_children(0) == whole.root_children(0)
    endless = IncrementalSearch(one, root[0], key[0])
    assert list(endless.slices(None, 60.0)) and endless.proven
    assert seconds > 1 or endless.iterations < search.iterations


def test_the_trees_of_a_search_that_goes_on_fit_together():
    """All of them are there at once, however many of them fit."""
    one, root, key = searcher(roots=3), packed(OTHELLO, othello_states()[:1]), keys_for(1)
    limit = 2 * one.parts.tree_bytes(200) + 1000
    one = searcher_of(operator_of("average"), Settings(roots=3), memory_limit=limit)
    assert one.wave(1, 600) == 2  # in a search that does not go on they take turns
    told = r"budget\.iterations=200 x search\.roots=3: 3 trees take 3 x [\d,]+ slots x \d+ bytes = .* may be used"
    search = IncrementalSearch(one, root[0], key[0])
    with pytest.raises(BadInput, match=told):
        search.go_on(600)
    assert list(search.slices(None, 60.0)) and 0 < search.iterations < 600
    assert search.stopped_by.startswith("3 trees take 3 x ") and search.stopped_by.endswith(" goes on longer")


def test_what_a_tree_begins_with_takes_memory_too():
    settings, states = Settings(reuse=True), packed(OTHELLO, othello_states()[:1])
    one = searcher_of(operator_of("average"), settings)
    limit = one.parts.tree_bytes(600)
    one = searcher_of(operator_of("average"), settings, memory_limit=limit)
    found = one.search(states, keys_for(1), 600, games=np.array([3]))
    after = one.rules.play(states, found.decide())
    goes_on = IncrementalSearch(one, after[0], keys_for(1)[0], 3)
    with pytest.raises(BadInput, match=r"budget\.iterations=600: a tree takes"):
        goes_on.go_on(600)
    goes_on.go_on(200)


def one_tree(forest, tree):
    """The proofs of the root's moves in one tree."""
    first = int(forest.first_child[tree, 0])
    block = slice(first, first + int(forest.child_count[tree, 0]))
    return dict(zip(forest.action[tree, block].tolist(), forest.proof[tree, block].tolist(), strict=True))


def test_a_table_of_two_trees_by_hand():
    """Moves in the order of the trees; visits added, values by visits, the proof that there is."""
    table = searcher().search(packed(OTHELLO, othello_states()[:2]), keys_for(2), 20).table
    moves = np.array([[7, 3, 0], [3, 9, 0]])
    visits, values = np.array([[6, 2, 0], [2, 5, 0]]), np.array([[0.5, 0.25, 0.0], [0.75, 0.1, 0.0]])
    table = table._replace(count=np.array([2, 2]), move=moves, visits=visits, value=values, proof=0 * moves)
    table.proof[1, 0] = WIN
    assert merged(table, 2).children(0) == [Child(7, 6, 0.5), Child(9, 5, 0.1), Child(3, 4, 0.5, WIN)]
    assert merged(table, 2).move[0].tolist() == [7, 3, 9]


@pytest.mark.parametrize(
    "settings, iterations, told",
    [
        ({"roots": 3}, 5, "budget.iterations=5: must be more than 5 with search.roots=3, or no move is tried at all"),
        ({"roots": 3}, 2, "budget.iterations=2: must be more than 5 with search.roots=3"),
    ],
)
def test_budgets_too_small_for_all_trees(settings, iterations, told):
    with pytest.raises(BadInput, match=told):
        searcher(**settings).wave(1, iterations)
    with pytest.raises(BadInput, match=told):
        list(
            IncrementalSearch(searcher(**settings), packed(OTHELLO, othello_states()[:1])[0], keys_for(1)[0]).slices(
                iterations, None
            )
        )
    assert searcher(**settings).wave(1, 6) == 3


def test_a_search_that_is_followed_has_one_tree():
    with pytest.raises(BadInput, match="search.roots=2: searches that are followed have one tree"):
        searcher(roots=2).follow(packed(OTHELLO, othello_states()[:1]), keys_for(1), [10], lambda *table: None)
