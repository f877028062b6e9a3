"""Searches as a caller sees them: what may not change a result, what is decided, how they stop, what they refuse."""

import hashlib
import json
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.rng import key_of
from gpumcts.tree.backup.discounted import Discounted
from gpumcts.tree.checks import min_iterations
from gpumcts.tree.host.thread_pool import ThreadPool
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.root_table import Child
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from tests.tree.drivers import (
    NEEDY,
    OPERATORS,
    OTHELLO,
    RULES,
    TOY_GAMES,
    keys_for,
    operator_of,
    othello_states,
    packed,
    rule_of,
    searcher_of,
)

STATES = packed(OTHELLO, othello_states())


def tables(found):
    """A search's root tables, to be compared."""
    return [found.root_children(tree) for tree in range(len(found.table.count))]


# ------------------------------------------------------------------------------------------- what changes no result


@pytest.mark.parametrize("settings", [Settings(), Settings(leaves_per_tree=5, playouts_per_leaf=3)])
@pytest.mark.parametrize("threads", [2, 3, 16])
def test_threads_change_nothing(threads, settings):
    states, keys = np.tile(STATES, (5, 1)), keys_for(20)
    operator = operator_of("accelerated")
    one = searcher_of(operator, settings).search(states, keys, 200)
    more = searcher_of(operator, settings, threads=threads).search(states, keys, 200)
    assert tables(one) == tables(more)
    assert one.decide().tolist() == more.decide().tolist()


@pytest.mark.parametrize("together", [1, 7, 65, 130])
def test_trees_searched_together_change_nothing(together):
    """One tree at a time (playouts one by one), a few, more than a block (playouts in lanes)."""
    states, keys = np.tile(STATES, (33, 1))[:130], keys_for(130)
    searcher = searcher_of(operator_of("discounted"))
    at_once = tables(searcher.search(states, keys, 60))
    count = 130 if together > 1 else 10
    parts = [slice(begin, begin + together) for begin in range(0, count, together)]
    in_parts = [table for part in parts for table in tables(searcher.search(states[part], keys[part], 60))]
    assert in_parts == at_once[:count]


def test_more_iterations_continue_fewer():
    """Iterations are addressed by number: the first 100 of 200 are the 100."""
    searcher = searcher_of(operator_of("average"))
    short, long = (searcher.search(STATES, keys_for(4), n).forest for n in (100, 200))
    for tree in range(4):
        first_moves = short.action[tree, short.first_child[tree, 0] :][: short.child_count[tree, 0]]
        later_moves = long.action[tree, long.first_child[tree, 0] :][: long.child_count[tree, 0]]
        assert later_moves[: len(first_moves)].tolist() == first_moves.tolist()


def test_the_key_decides():
    searcher = searcher_of(operator_of("average"))
    one, other = (searcher.search(STATES, keys_for(4, seed), 200) for seed in (1, 2))
    assert tables(one) != tables(other)
    assert tables(one) == tables(searcher.search(STATES, keys_for(4, 1), 200))


CASES = {
    "discounted": (OTHELLO, othello_states(), "depth_decayed", 40),
    "power_mean": (OTHELLO, othello_states()[2:], "ucb1", 40),
    "average": (OTHELLO, othello_states()[1:3], "boltzmann", 40),
    "average_rounds": (TOY_GAMES["dots"], [contract.start(TOY_GAMES["dots"])], "epsilon_greedy", 60),
    "average_variance": (OTHELLO, othello_states()[2:], "ucb1_tuned", 40),
    "bast": (TOY_GAMES["dots"], [contract.start(TOY_GAMES["dots"])], "bast", 60),
    "implicit_minimax": (TOY_GAMES["dice"], [contract.start(TOY_GAMES["dice"])], "ucb1", 150),
}
# Each compiles for seconds; quick tests hold their operators against references.
DEAR = ("average_rounds", "bast", "average", "average_variance", "power_mean", "discounted")


def case_as_text(operator):
    """One of the cases searched, as JSON: every move, visit, value and decision."""
    game, states, rule, iterations = CASES[operator]
    searcher = searcher_of(operator_of(operator), Settings(leaves_per_tree=2), game, rule_of(rule))
    found = searcher.search(packed(game, states), keys_for(len(states)), iterations)
    return json.dumps([*(column.tolist() for column in found.table), found.decide().tolist()])


@pytest.mark.parametrize("operator", [pytest.param(o, marks=[pytest.mark.slow] if o in DEAR else []) for o in CASES])
def test_plain_python_gives_the_same_bits(operator):
    """The same source without a compiler, in a process of its own."""
    env = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    command = f"from tests.tree.test_search import case_as_text; print(case_as_text({operator!r}))"
    run = subprocess.run([sys.executable, "-c", command], env=env, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == case_as_text(operator)


# ------------------------------------------------------------------------------------------------------ what is found


def test_root_table_and_children():
    found = searcher_of(operator_of("average")).search(STATES, keys_for(4), 500)
    for tree in range(4):
        children = found.root_children(tree)
        assert sum(child.visits for child in children) == 499  # and one playout of the root itself
        assert children == sorted(children, key=lambda child: -child.visits)
        assert all(isinstance(child, Child) and 0 <= child.value <= 1 for child in children)
    assert found.iterations == 500


@pytest.mark.parametrize("final", ["visits", "value"])
def test_decided_by_visits_or_by_value(final):
    found = searcher_of(operator_of("minimax"), Settings(final=final)).search(STATES, keys_for(4), 300)
    for tree, move in enumerate(found.decide()):
        worth = {child.move: getattr(child, final) for child in found.root_children(tree)}
        assert worth[move] == max(worth.values())


def test_ties_of_the_final_move_are_broken_evenly():
    """Four moves, one visit each: over 2000 keys each is played 500 times, to 4.5 standard deviations (P > 0.99997)."""
    states, keys = np.tile(STATES[:1], (2000, 1)), keys_for(2000, seed=9)
    moves = searcher_of(operator_of("average")).search(states, keys, 5).decide()
    _, counts = np.unique(moves, return_counts=True)
    assert len(counts) == 4 and np.abs(counts - 500).max() < 4.5 * np.sqrt(2000 * 0.25 * 0.75)


def test_principal_variation():
    found = searcher_of(operator_of("average")).search(STATES, keys_for(4), 2000)
    for tree in (0, 1, 3):
        line, best = found.principal_variation(tree), found.root_children(tree)[0]
        assert found.table.visits[tree].max() == best.visits
        assert len(line) >= 3
        assert line[0] in [child.move for child in found.root_children(tree) if child.visits == best.visits]
        other = found.root_children(tree)[-1].move
        assert found.principal_variation(tree, other)[0] == other
        assert found.principal_variation(tree, 1000) == []
    assert found.principal_variation(2)[0] == 64  # the pass


def test_one_iteration_tries_a_move_where_whole_episodes_are_stored():
    whole = searcher_of(operator_of("average"), Settings(expansion="whole_path")).search(STATES, keys_for(4), 1)
    assert (whole.decide() >= 0).all()


def test_values_of_forgotten_moves_are_values():
    """Discounted counts faded below every float64: the move keeps its ratio, and highest value means something."""
    searcher = searcher_of(Discounted(0.5), Settings(final="value"), rule=Ucb1(0.0))
    found = searcher.search(STATES, keys_for(4), 3000)
    assert np.isfinite(found.table.value).all() and (found.table.value <= 1).all()
    for tree, move in enumerate(found.decide()):
        children = found.root_children(tree)
        assert next(c.value for c in children if c.move == move) == max(c.value for c in children)


# ----------------------------------------------------------------------------------------------- progress and stopping


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_adds_up(threads):
    told, lock = [], threading.Lock()

    def hear(iterations):
        with lock:
            told.append(iterations)

    searcher_of(operator_of("average"), threads=threads).search(STATES, keys_for(4), 3000, on_progress=hear)
    assert sum(told) == 4 * 3000 and min(told) > 0 and len(told) >= 3


@pytest.mark.parametrize("threads", [1, 2])
def test_stop(threads):
    """Set before the search, or by its first word of progress: KeyboardInterrupt, long before the budget is spent."""
    stop, told = threading.Event(), []

    def hear(iterations):
        told.append(iterations)
        stop.set()

    searcher = searcher_of(operator_of("average"), threads=threads)
    with pytest.raises(KeyboardInterrupt):
        searcher.search(STATES, keys_for(4), 500_000, stop, hear)
    assert 0 < sum(told) < 4 * 500_000 / 10
    told.clear()
    with pytest.raises(KeyboardInterrupt):
        searcher.search(STATES, keys_for(4), 500_000, stop, hear)
    assert told == []
    stop.clear()
    assert tables(searcher.search(STATES, keys_for(4), 100, stop)) == tables(searcher.search(STATES, keys_for(4), 100))


# ------------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize("iterations", [0, -5])
def test_no_iterations(iterations):
    with pytest.raises(BadInput, match=f"budget.iterations={iterations}: must be more than 1, or no move is tried"):
        searcher_of(operator_of("average")).search(STATES, keys_for(4), iterations)


def asked_of(searcher, iterations):
    """Everything of a searcher that takes a budget."""
    yield lambda: searcher.wave(1, iterations)
    yield lambda: searcher.search(STATES, keys_for(4), iterations)
    yield lambda: searcher.follow(STATES, keys_for(4), [1, iterations], lambda *_: None)


def test_a_budget_that_tries_no_move_is_refused():
    """By ``wave``, which players and commands ask before any work starts, and by a search itself."""
    searcher = searcher_of(operator_of("average"), Settings(expansion="threshold", threshold=50, playouts_per_leaf=8))
    for refused in asked_of(searcher, 7):
        with pytest.raises(BadInput, match="budget.iterations=7: must be more than 7, or no move is tried at all"):
            refused()
    assert searcher.wave(1, 8) == 1 and min_iterations(searcher.settings) == 8
    assert (searcher.search(STATES, keys_for(4), 8).decide() >= 0).all()


def test_more_visits_than_can_be_counted_are_refused():
    searcher = searcher_of(operator_of("average"), Settings(playouts_per_leaf=1_000_000))
    for refused in asked_of(searcher, 2148):
        with pytest.raises(
            BadInput, match="playouts_per_leaf=1000000 a tree would have 2,148,000,000 visits, and they"
        ):
            refused()
    assert searcher.wave(1, 2147) == 1


def test_visits_of_a_tree_that_goes_on_are_counted_too():
    searcher, game = searcher_of(operator_of("average"), Settings(reuse=True)), np.array([3])
    first = searcher.search(STATES[:1], keys_for(1), 50, games=game)
    first.forest.visits[0, :] = 2**31 - 100
    after = searcher.rules.play(STATES[:1], first.decide())
    told = "search.reuse=true: a tree would have 2,147,483,748 visits, and they are counted in 32 bits"
    with pytest.raises(BadInput, match=told):
        searcher.search(after, keys_for(1), 200, games=game)
    goes_on = IncrementalSearch(searcher, after[0], keys_for(1)[0], 3)
    with pytest.raises(BadInput, match=told):
        goes_on.go_on(200)
    goes_on.go_on(99)


@pytest.mark.parametrize(("playouts", "fewest"), [(1, 17), (4, 5), (1000, 2)])
def test_a_short_clock_makes_few_iterations_of_many_playouts(playouts, fewest):
    """The first slice, whose pace nobody knows, has about as many playouts whatever a leaf has."""
    searcher = searcher_of(operator_of("average"), Settings(playouts_per_leaf=playouts))
    search = IncrementalSearch(searcher, STATES[0], keys_for(1)[0])
    assert len(list(search.slices(None, 1e-9))) == 1 and search.iterations == fewest
    assert search.found().decide()[0] >= 0


def test_a_finished_game_is_not_searched():
    game = TOY_GAMES["path"]
    with pytest.raises(ValueError, match="over"):
        searcher_of(operator_of("average"), game=game).search(
            np.array([[24, 11]], np.uint64), np.array([key_of(1)], np.uint64), 10
        )


# --------------------------------------------------------------------------------------------------------- signatures


SIGNATURES = {
    "accelerated": "735033698aa4ba4b",
    "accelerated_root_first": "8c5312e80a479838",
    "average": "557e3a27652ae08e",
    "accelerated_adaptive": "8b775f4fc930f18d",
    "average_rounds": "557e3a27652ae08e",
    "average_variance": "557e3a27652ae08e",
    "bast": "557e3a27652ae08e",
    "discounted": "bd9c7385473a7f49",
    "heuristic_prior": "d23e9c398152962c",
    "implicit_minimax": "8be2fe9086fe4c20",
    "max": "d041a5b4b70f9d7b",
    "minimax": "3165d3d608ae7dcc",
    "mix": "4a91b1b77abcbf82",
    "power_mean": "d1bdeb8692830ca9",
    "robust_max": "71f532883be42bf8",
}
SIGNATURES_OF_RULES = {
    "bast": "3ec4417daa9fed94",
    "best_or_random": "d51ceba47a494260",
    "boltzmann": "961af729cfde5d6a",
    "depth_decayed": "daaa04127d683fb8",
    "epsilon_greedy": "309ec2029d7df1e0",
    "rave": "984b736535a1c487",
    "sensei": "1b21341f7159e270",
    "ucb1": "557e3a27652ae08e",
    "ucb1_tuned": "976e3b366f867de9",
    "uniform": "c7016de3ac2af6fb",
}


QUICK_SIGNATURES = {"accelerated", "average", "discounted", "implicit_minimax", "minimax"}
QUICK_RULES = {"bast", "sensei", "ucb1", "ucb1_tuned"}  # rave has digests in test_leaves


@pytest.mark.parametrize(
    "operator", [pytest.param(o, marks=[] if o in QUICK_SIGNATURES else [pytest.mark.slow]) for o in OPERATORS]
)
def test_signature(operator):
    """What a fixed search visits, per operator with its defaults.

    A change here is a change of results: to be made on purpose, with a line in the changelog.
    """
    assert signature(type(operator_of(operator))(), Ucb1()) == SIGNATURES[operator]


@pytest.mark.parametrize("rule", [pytest.param(r, marks=[] if r in QUICK_RULES else [pytest.mark.slow]) for r in RULES])
def test_signature_of_a_rule(rule):
    """Likewise, per selection rule, with the mean or the operator that it needs."""
    operator = type(operator_of(NEEDY.get(rule, "average")))()
    assert signature(operator, type(rule_of(rule))()) == SIGNATURES_OF_RULES[rule]


def signature(operator, rule):
    """Of the moves and visits of four roots of Othello."""
    found = searcher_of(operator, rule=rule).search(STATES, keys_for(4, seed=2012), 2000)
    text = repr([[(c.move, c.visits) for c in found.root_children(tree)] for tree in range(4)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_workers_are_as_many_as_were_asked_for(threads):
    """Two callers at once share them: no more than so many pieces of work go on, and all are done."""
    workers, inside, most, done, lock = ThreadPool(threads), [0], [0], [], threading.Lock()

    def work(item, stop_event):
        with lock:
            inside[0] += 1
            most[0] = max(most[0], inside[0])
        time.sleep(0.002)
        with lock:
            inside[0] -= 1
            done.append(item)

    with ThreadPoolExecutor(2) as callers:
        list(callers.map(lambda first: workers.run(work, range(first, first + 20)), (0, 20)))
    assert sorted(done) == list(range(40))
    assert most[0] == threads


def test_what_a_worker_raises_comes_out():
    for threads in (1, 2):
        with pytest.raises(ZeroDivisionError):
            ThreadPool(threads).run(lambda item, stop_event: 1 // item, [1, 0, 2])


@pytest.mark.parametrize("failing", [0, 1])
@pytest.mark.parametrize("interrupt", [ZeroDivisionError, KeyboardInterrupt])
def test_what_fails_ends_what_goes_on_beside_it(interrupt, failing):
    """The others are told, whichever fails, and none goes on when the error comes out."""
    ended, begun = [], threading.Event()

    def work(item, stop_event):
        if item == failing:
            begun.wait(10)
            raise interrupt
        begun.set()
        for _ in range(10_000):
            if stop_event.is_set():
                ended.append(item)
                return
            time.sleep(0.001)

    with pytest.raises(interrupt):
        ThreadPool(2).run(work, [0, 1, 2])
    assert sorted(ended) == [item for item in (0, 1, 2) if item != failing]


def test_searches_at_once_are_what_they_are_alone():
    """Two searches of one searcher from two threads."""
    searcher = searcher_of(operator_of("average"), threads=2)
    states = packed(OTHELLO, othello_states())
    expected = [searcher.search(states, keys_for(4, seed), 200).decide().tolist() for seed in (1, 2)]
    with ThreadPoolExecutor(2) as callers:
        for _ in range(5):
            found = callers.map(lambda seed: searcher.search(states, keys_for(4, seed), 200).decide().tolist(), (1, 2))
            assert list(found) == expected
