"""Solved nodes: what the search proves is true, it proves all of a small game, and it plays by it.

Exact values are those of exhaustive search (``tests.reference.exact``). That the trees are the right ones, proofs
included, visit for visit, is compared with the reference in ``test_reference``; here stands what a proof means.
"""

import numpy as np
import pytest

from gpumcts.games import contract
from gpumcts.games.clobber.board import Clobber
from gpumcts.games.contract import CHANCE, SCORE_UNIT
from gpumcts.games.dice_duel import DiceDuel
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.instances import instances
from gpumcts.games.othello import Othello
from gpumcts.games.pgame import PGame
from gpumcts.games.shortest_path import ShortestPath
from gpumcts.kernels.batch import Rules
from gpumcts.players.uct import UctPlayer
from gpumcts.solver.alpha_beta import root_scores
from gpumcts.tree.forest import ROOT
from gpumcts.tree.root_table import RootTable, decide
from gpumcts.tree.settings import Settings
from gpumcts.tree.solve import DRAW, LOSS, WIN
from tests.reference.exact import Exact
from tests.tree.drivers import NEEDY, OPERATORS, RULES, keys_for, operator_of, rule_of, searcher_of
from tests.tree.simulated_searches import roots
from tests.tree.test_device_playouts import Elsewhere

SOLVE = Settings(solve=True)
EXACT = {LOSS: -1, DRAW: 0, WIN: 1}
SHAPES = [PGame(2, 4), PGame(2, 8), PGame(3, 4), PGame(2, 6, plus_minus_one=True)]
TREES = 60
DUEL = DiceDuel(1)


def nodes_of(game):
    """Nodes of a P-game's tree: every iteration in an unsolved tree adds one."""
    return sum(game.branching**ply for ply in range(game.depth + 1))


def states_of(game, trees=TREES):
    """The starts of so many instances."""
    return instances(game, range(trees))


def state_of(game, words):
    """A packed state as a state."""
    return contract.unpack(game, words, 0, 1)


def proven(found, tree, game, start):
    """(state, whose value it is, proof) of every proven node of a tree."""
    forest, mover = found.forest, int(contract.mover(game, start))
    pending = [(ROOT, start, 0 if mover == CHANCE else mover)]
    while pending:
        node, state, owner = pending.pop()
        if forest.proof[tree, node]:
            yield state, owner, int(forest.proof[tree, node])
        mover = int(contract.mover(game, state))
        first = int(forest.first_child[tree, node])
        for child in range(first, first + int(forest.child_count[tree, node])):
            after = contract.play(game, state, np.int64(forest.action[tree, child]))
            pending.append((child, after, 0 if mover == CHANCE else mover))


def assert_true(found, tree, game, start, solver):
    """Everything that was proven is so; how much was."""
    count = 0
    for state, owner, proof in proven(found, tree, game, start):
        assert solver.value(state) * (1 if owner == 0 else -1) == EXACT[proof]
        count += 1
    return count


# ------------------------------------------------------------------------------------------------- what is proven


@pytest.mark.parametrize("game", SHAPES, ids=str)
def test_small_trees_are_solved(game):
    """In as many iterations as there are nodes every root is proven, and the move decided on keeps the exact value."""
    states, solver = states_of(game), Exact(game)
    found = searcher_of(operator_of("average"), SOLVE, game).search(states, keys_for(TREES), nodes_of(game) + 1)
    outcomes = set()
    for tree, move in enumerate(found.decide()):
        start = state_of(game, states[tree])
        assert EXACT[int(found.forest.proof[tree, ROOT])] == solver.value(start)
        assert move in solver.best_moves(start)
        assert assert_true(found, tree, game, start, solver) > 1
        for child in found.root_children(tree):
            assert not child.proof or EXACT[child.proof] == solver.value(contract.play(game, start, child.move))
        outcomes.add(solver.value(start))
    assert len(outcomes) > 1  # wins and losses, and with moves of +-1 draws


@pytest.mark.parametrize("iterations", [60, 150])
def test_what_is_proven_on_the_way_is_true(iterations):
    """Long before the root is: and where a winning move has been proven, it is played."""
    game = PGame(2, 8)
    states, solver, some = states_of(game), Exact(game), 0
    found = searcher_of(operator_of("average"), SOLVE, game).search(states, keys_for(TREES), iterations)
    for tree, move in enumerate(found.decide()):
        start = state_of(game, states[tree])
        some += assert_true(found, tree, game, start, solver)
        wins = [child.move for child in found.root_children(tree) if child.proof == WIN]
        assert not wins or move in wins
    assert some > TREES


QUICK = {"average", "accelerated", "discounted", "minimax", "mix"}, {"average"}, {"average"}
"""Operators by settings; each compiles for two seconds, and all search the toy games in other tests."""


@pytest.mark.parametrize(
    "operator, settings",
    [
        pytest.param(operator, settings, marks=[] if operator in QUICK[number] else [pytest.mark.slow])
        for operator in OPERATORS
        for number, settings in enumerate((Settings(), Settings(leaves_per_tree=4), Settings(expansion="whole_path")))
    ],
)
def test_every_operator(operator, settings):
    """Virtual loss and whole episodes too: a few times the nodes suffice."""
    game = PGame(2, 6)
    if operator_of(operator).EVALUATES and settings.expansion == "whole_path":
        settings = Settings(expansion="threshold", threshold=2)
    states, solver = states_of(game, 20), Exact(game)
    searcher = searcher_of(operator_of(operator), settings._replace(solve=True), game)
    found = searcher.search(states, keys_for(20), 4 * nodes_of(game))
    for tree, move in enumerate(found.decide()):
        start = state_of(game, states[tree])
        assert EXACT[int(found.forest.proof[tree, ROOT])] == solver.value(start)
        assert move in solver.best_moves(start)
        assert_true(found, tree, game, start, solver)


@pytest.mark.slow
@pytest.mark.parametrize("rule", [rule for rule in RULES if rule != "rave"])  # which wants a game of points
def test_every_rule(rule):
    game = PGame(2, 6)
    states, solver = states_of(game, 20), Exact(game)
    searcher = searcher_of(operator_of(NEEDY.get(rule, "average")), SOLVE, game, rule_of(rule))
    found = searcher.search(states, keys_for(20), nodes_of(game) + 1)
    for tree, proof in enumerate(found.forest.proof[:, ROOT]):
        assert EXACT[int(proof)] == solver.value(state_of(game, states[tree]))


def test_two_moves_in_a_row():
    """Dots and boxes, where who closes a box moves again: a draw, which one line holds."""
    game = DotsAndBoxes(1, 2)
    start, solver = contract.start(game), Exact(game)
    found = searcher_of(operator_of("average"), SOLVE, game).search(roots(game, 5), keys_for(5), 14_000)
    for tree, move in enumerate(found.decide()):
        assert found.forest.proof[tree, ROOT] == DRAW and solver.value(start) == 0
        assert solver.best_moves(start) == [move]
        assert assert_true(found, tree, game, start, solver) > 100


@pytest.mark.slow
@pytest.mark.parametrize("rows", [2, 3])
def test_clobber(rows):
    """Boards of 2 x 4 and 3 x 4: alpha-beta and proofs agree on the start and on each of its moves that is proven."""
    game = Clobber(rows, 4).compiled()
    states = roots(game, 3)
    found = searcher_of(operator_of("average"), SOLVE, game).search(states, keys_for(3), 60_000)
    scores, counts = root_scores(game, states[:1])
    exact = dict(
        zip(Rules(game).legal_moves(states[0]).tolist(), np.sign(scores[0, : counts[0]]).tolist(), strict=True)
    )
    for tree, move in enumerate(found.decide()):
        assert EXACT[int(found.forest.proof[tree, ROOT])] == max(exact.values()) == exact[int(move)]
        proofs = {child.move: EXACT[child.proof] for child in found.root_children(tree) if child.proof}
        assert proofs and all(exact[child] == proof for child, proof in proofs.items())


def plies_to_end(forest, tree, node):
    """Plies from a won or lost node to the end, by recursion: the shortest of the moves that win, else the longest."""
    first = int(forest.first_child[tree, node])
    below = range(first, first + int(forest.child_count[tree, node]))
    wins = [1 + plies_to_end(forest, tree, child) for child in below if forest.proof[tree, child] == WIN]
    losses = [1 + plies_to_end(forest, tree, child) for child in below if forest.proof[tree, child] == LOSS]
    return min(wins) if wins else max(losses, default=0)


def test_the_line_to_the_end_of_a_proof():
    """Legal moves to an end with the proven result, as many as recursion has; no line where nothing is proven."""
    game, lengths, open_moves = Othello(), set(), 0
    states, rules = roots(game, 12), Rules(Othello())
    for ply in range(51):
        states = rules.play(states, rules.random_moves(states, keys_for(12) + np.uint64(ply)))
    states = states[rules.count_moves(states) > 0]
    found = searcher_of(operator_of("average"), SOLVE).search(states, keys_for(len(states)), 3000)
    for tree, words in enumerate(states):
        for child in found.root_children(tree):
            line, state = found.proven_line(tree, child.move), state_of(game, words)
            if child.proof not in (WIN, LOSS):
                open_moves += not line
                assert not line
                continue
            winner = int(contract.mover(game, state)) ^ (child.proof == LOSS)
            for move in line:
                state = contract.play(game, state, move)
            assert contract.count_moves(game, state) == 0
            assert contract.score(game, state) == (SCORE_UNIT if winner == 0 else -SCORE_UNIT)
            first = int(found.forest.first_child[tree, ROOT])
            nodes = range(first, first + int(found.forest.child_count[tree, ROOT]))
            node = next(n for n in nodes if found.forest.action[tree, n] == child.move)
            assert len(line) == 1 + plies_to_end(found.forest, tree, node)
            lengths.add(len(line))
    assert len(lengths) > 2 and open_moves
    first, unsolved = int(rules.legal_moves(states[0])[0]), searcher_of(operator_of("average"))
    assert found.proven_line(0, 64) == unsolved.search(states[:1], keys_for(1), 50).proven_line(0, first) == []


def test_chance_proves_nothing():
    """A loaded die first: nothing below its throws is proven, and the search is that without proofs."""
    one, other = (
        searcher_of(operator_of("average"), settings, DUEL).search(roots(DUEL, 5), keys_for(5), 5_000)
        for settings in (SOLVE, Settings())
    )
    assert not one.forest.proof.any() and (one.forest.visits[:, ROOT] == 5_000).all()
    assert np.array_equal(one.table.visits, other.table.visits) and np.array_equal(one.table.value, other.table.value)


def test_moves_into_chance_have_the_values_that_they_have_without_proofs():
    """Chance enters nodes whatever they are proven to be; there a proof would send playouts to the other moves."""
    start = np.array([[1, 0, 0, 1]], np.uint64)  # the second player threw a 1, and may throw again
    values = [
        searcher_of(operator_of("average"), settings, DiceDuel()).search(start, keys_for(1), 20_000).table.value[0, :2]
        for settings in (SOLVE, Settings())
    ]
    assert values[0] == pytest.approx(values[1], abs=0.01)
    assert max(values[0]) == pytest.approx(0.894, abs=0.01)  # by recursion


def test_costs_prove_no_more_than_is_so():
    """One player: only ends that cost all, nothing or just the half are proofs, and of nothing else than themselves."""
    game, start = ShortestPath(), contract.start(ShortestPath())
    solver = Exact(game)
    found = searcher_of(operator_of("average"), SOLVE, game).search(roots(game, 3), keys_for(3), 2_000)
    for tree in range(3):
        assert_true(found, tree, game, start, solver)
        assert found.forest.proof[tree, ROOT] == 0


def test_nothing_is_kept_of_proofs_where_none_are_asked_for():
    found = searcher_of(operator_of("average"), game=SHAPES[0]).search(states_of(SHAPES[0]), keys_for(TREES), 100)
    assert found.forest.proof.shape == (TREES, 0) and not found.table.proof.any()


# ------------------------------------------------------------------------------------------------ a tree that is solved


def same(one, other):
    """Whether two searches have come to the same trees."""
    used = int(max(one.forest.used.max(), other.forest.used.max()))
    arrays = [(a[:, :used], b[:, :used]) for a, b in zip(one.forest[:7], other.forest[:7], strict=True)]
    return all(np.array_equal(a, b) for a, b in [*arrays, *zip(one.table, other.table, strict=True)])


@pytest.mark.parametrize("settings", [SOLVE, Settings(solve=True, leaves_per_tree=3)])
def test_a_solved_tree_stays_as_it_is(settings):
    """Alone, among trees not solved yet, over threads, in waves, with playouts elsewhere; at any later iteration."""
    game = PGame(2, 6)
    states, keys = states_of(game, 70), keys_for(70)
    searcher = searcher_of(operator_of("average"), settings, game)
    found = searcher.search(states, keys, 600)
    assert found.forest.proof[:, ROOT].all() and len(set(found.forest.visits[:, ROOT])) > 10
    assert found.forest.visits[:, ROOT].max() < 300
    assert found.iterations_made(1, searcher.settings.root_playouts).tolist() == found.forest.visits[:, ROOT].tolist()
    player = UctPlayer(searcher, 600)
    player.choose(states, keys, np.arange(70))
    assert player.iterations == player.playouts == found.forest.visits[:, ROOT].sum() < 70 * 600
    assert same(found, searcher.search(states, keys, 3_000))
    assert same(found, searcher_of(operator_of("average"), settings, game, threads=3).search(states, keys, 600))
    offloaded = searcher_of(operator_of("average"), settings, game, engine=Elsewhere(game), threads=2)
    assert same(found, offloaded.search(states, keys, 600))
    for tree in (0, 7, 69):
        alone = searcher.search(states[tree : tree + 1], keys[tree : tree + 1], 600)
        assert alone.root_children(0) == found.root_children(tree)
        assert alone.forest.visits[0, ROOT] == found.forest.visits[tree, ROOT]
    limit = int(9.5 * searcher.parts.tree_bytes(600))
    in_waves = searcher_of(operator_of("average"), settings, game, memory_limit=limit)
    assert in_waves.wave(70, 600) == 9
    waves = in_waves.search(states, keys, 600)
    assert waves.decide().tolist() == found.decide().tolist()
    assert [waves.root_children(t) for t in range(70)] == [found.root_children(t) for t in range(70)]


@pytest.mark.parametrize("threads", [1, 2])
def test_progress_adds_up_where_iterations_are_not_made(threads):
    told = []
    searcher = searcher_of(operator_of("average"), SOLVE, PGame(2, 4), threads=threads)
    searcher.search(states_of(PGame(2, 4)), keys_for(TREES), 5_000, on_progress=told.append)
    assert sum(told) == TREES * 5_000


def test_proofs_are_kept_for_the_next_search():
    """With subtree reuse: after the move decided on in a won tree the other side is proven to lose, at once."""
    game = PGame(2, 6)
    states, solver = states_of(game), Exact(game)
    searcher = searcher_of(operator_of("average"), Settings(solve=True, reuse=True), game)
    first = searcher.search(states, keys_for(TREES), 600, games=np.arange(TREES))
    after = searcher.rules.play(states, first.decide())
    visits = [max(c.visits for c in first.root_children(t) if c.move == m) for t, m in enumerate(first.decide())]
    second = searcher.search(after, keys_for(TREES, 2), 600, games=np.arange(TREES))
    for tree in range(TREES):
        assert EXACT[int(second.forest.proof[tree, ROOT])] == -solver.value(state_of(game, after[tree]))
        if first.forest.proof[tree, ROOT] == WIN:
            assert second.forest.proof[tree, ROOT] == LOSS
            assert second.forest.visits[tree, ROOT] == visits[tree]  # not one iteration more


# -------------------------------------------------------------------------------------------------------- deciding


def table_of(*children):
    """The table of one root with (move, visits, value, proof) a child."""
    columns = [np.array([column]) for column in zip(*children, strict=True)]
    return RootTable(np.array([len(children)]), *columns)


PREFERENCES = {  # children, what may be played by visits, what by value
    "a win before anything": ([(1, 90, 0.99, 0), (2, 3, 0.1, WIN), (3, 50, 0.6, DRAW)], {2}, {2}),
    "any of several wins": ([(1, 90, 0.9, WIN), (2, 3, 0.1, WIN), (3, 95, 0.6, 0)], {1, 2}, {1, 2}),
    "no loss where there is another": ([(1, 90, 0.9, LOSS), (2, 1, 0.01, 0), (3, 2, 0.005, 0)], {3}, {2}),
    "a loss where there is nothing else": ([(1, 90, 0.9, LOSS), (2, 1, 0.0, LOSS)], {1, 2}, {1, 2}),
    "a draw rather than what looks worse": ([(1, 90, 0.49, 0), (2, 1, 0.2, DRAW), (3, 5, 0.5, LOSS)], {2}, {2}),
    "what looks as good as a draw, or better": ([(1, 9, 0.5, 0), (2, 99, 0.9, DRAW), (3, 5, 0.8, 0)], {1}, {3}),
    "any of several draws": ([(1, 9, 0.4, DRAW), (2, 2, 0.9, DRAW), (3, 5, 0.4, 0)], {1, 2}, {1, 2}),
    "without proofs the best": ([(1, 9, 0.4, 0), (2, 2, 0.9, 0)], {1}, {2}),
}


@pytest.mark.parametrize("name", PREFERENCES)
def test_deciding_with_proofs(name):
    children, by_visits, by_value = PREFERENCES[name]
    tables = RootTable(*(np.repeat(column, 64, axis=0) for column in table_of(*children)))
    assert set(decide(tables, False, keys_for(64)).tolist()) == by_visits
    assert set(decide(tables, True, keys_for(64)).tolist()) == by_value


def test_scores_of_a_final_move_may_have_any_sign():
    """Beside a root of more moves; a proven loss is played by nobody who has another move."""
    unproven, several = (
        table_of((1, 9, 0.9, 0), (2, 5, 0.2, 0)),
        table_of((4, 9, 0.9, LOSS), (5, 1, 0.1, 0), (7, 1, 0.6, 0)),
    )
    wider = RootTable(*(np.pad(column, [(0, 0), (0, 1)][: column.ndim]) for column in unproven))
    tables = RootTable(*(np.concatenate(pair) for pair in zip(wider, several, strict=True)))
    scores = np.array([[-7.5, -7.0, 0.0], [-0.1, -np.inf, -1e300]])
    assert decide(tables, False, keys_for(2), scores).tolist() == [2, 7]
    assert decide(tables, False, keys_for(2), np.full((2, 3), -np.inf))[0] in (1, 2)


def test_a_draw_is_no_tie_with_a_move_of_score_zero():
    tables = RootTable(*(np.repeat(column, 64, axis=0) for column in table_of((1, 9, 0.9, 0), (2, 5, 0.2, DRAW))))
    assert set(decide(tables, False, keys_for(64), np.zeros((64, 2))).tolist()) == {1}


def test_scores_of_p_games_are_wins_losses_and_draws():
    """What the bound on iterations in this file rests on: every end of a game is proven when it is first reached."""
    game = PGame(2, 6, plus_minus_one=True)
    state, seen = contract.start(game), set()
    for line in range(64):
        for ply in range(6):
            state = contract.play(game, state, np.int64(line >> ply & 1))
        seen.add(int(contract.score(game, state)))
        state = contract.start(game)
    assert seen == {-SCORE_UNIT, 0, SCORE_UNIT}
