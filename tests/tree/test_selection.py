"""What the selection rules select: shares of visits, rounds, bounds; and which operators and settings they take.

Shares are compared with their expectation at 4.5 standard deviations (P > 0.99999 a comparison); the keys are fixed.
"""

import math

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.implanted import Implanted
from gpumcts.games.instances import instances
from gpumcts.games.pgame import PGame
from gpumcts.rng import key_of
from gpumcts.tree import checks
from gpumcts.tree.backup.bast import LOWER, UPPER
from gpumcts.tree.backup.bast import Bast as Bounds
from gpumcts.tree.backup.contract import bound, variance
from gpumcts.tree.forest import ROOT
from gpumcts.tree.hand_tree import HandTree
from gpumcts.tree.selection import contract as selection
from gpumcts.tree.selection.bast import Bast
from gpumcts.tree.selection.boltzmann import Boltzmann
from gpumcts.tree.selection.epsilon_greedy import EpsilonGreedy
from gpumcts.tree.selection.ucb1_tuned import Ucb1Tuned
from gpumcts.tree.selection.uniform import Uniform
from gpumcts.tree.settings import Settings
from tests.reference.exact import Exact
from tests.reference.playout import legal_moves, number_below, word
from tests.reference.uct import PLAYOUTS, TIES, key_below, plain_playouts
from tests.tree.drivers import (
    NEEDY,
    OPERATORS,
    OTHELLO,
    RULES,
    keys_for,
    operator_of,
    othello_states,
    packed,
    rule_of,
    searcher_of,
)

AVERAGE, ROUNDS = operator_of("average"), operator_of("average_rounds")
STATES = packed(OTHELLO, othello_states())
DEVIATIONS = 4.5


def assert_share(count, trials, probability):
    """Successes among independent trials of that probability."""
    spread = math.sqrt(trials * probability * (1 - probability))
    assert abs(count - trials * probability) <= DEVIATIONS * spread + 1e-9


# -------------------------------------------------------------------------------------------------------------- uniform


def test_uniform_samples_every_move_alike():
    """Visited or not: shares of the root's moves after 4,000 iterations."""
    found = searcher_of(AVERAGE, rule=Uniform()).search(STATES, keys_for(4), 4_001)
    for tree in range(4):
        children = found.root_children(tree)
        assert sum(child.visits for child in children) == 4_000
        for child in children:
            assert_share(child.visits, 4_000, 1 / len(children))


def test_uniform_leaves_moves_untried():
    """Of 4 moves the first two draws are the same in a quarter of the trees: unvisited moves do not come first."""
    states = np.tile(STATES[:1], (2000, 1))
    found = searcher_of(AVERAGE, rule=Uniform()).search(states, keys_for(2000), 3)
    assert_share(int((found.table.count == 1).sum()), 2000, 1 / 4)


def test_flat_monte_carlo_is_a_count():
    """``expansion=root`` with uniform sampling: the moves by the draws alone, and the means of their playouts."""
    searcher = searcher_of(AVERAGE, Settings(expansion="root", final="value"), rule=Uniform())
    found, play = searcher.search(STATES, keys_for(4), 120), plain_playouts(OTHELLO)
    for tree, (state, key) in enumerate(zip(othello_states(), keys_for(4), strict=True)):
        rewards = sampled(state, int(key), 120, play)
        counted = {move: (len(seen), sum(seen) / len(seen)) for move, seen in rewards.items() if seen}
        assert {child.move: (child.visits, child.value) for child in found.root_children(tree)} == counted
        assert counted[int(found.decide()[tree])][1] == max(mean for _, mean in counted.values())
        assert found.forest.visits[tree, ROOT] == 120 and not found.forest.child_count[tree, 1:].any()


def sampled(state, key, iterations, play):
    """The rewards (for the mover) of all moves: of those not tried yet any, of the others that of the highest noise."""
    moves, mover = legal_moves(OTHELLO, state), int(contract.mover(OTHELLO, state))
    rewards = {move: [] for move in moves}
    for iteration in range(iterations):
        stream = key_below(key, TIES, iteration)
        untried = [move for move in moves if not rewards[move]]
        if len(untried) == len(moves) or number_below(len(moves), stream, 0, 2**32) < len(untried):
            move = untried[number_below(len(untried), stream, 0, 0)]
        else:
            tried = [move for move in moves if rewards[move]]
            move = max(tried, key=lambda move: word(stream, 0, 2**32 + 1 + move) >> 11)
        reward = play(contract.play(OTHELLO, state, move), key_below(key, PLAYOUTS, iteration), 1)
        rewards[move].append(reward if mover == 0 else 1 - reward)
    return rewards


# ------------------------------------------------------------------------------------------------- drawn from values


def hand_tree(operator, rewards):
    """A root with a child for every letter, which has had these rewards."""
    tree = HandTree(operator, moves=len(rewards))
    for letter, seen in rewards.items():
        for reward in seen:
            tree.playouts(letter, reward)
    return tree


def selected(tree, rule, streams=8_000, total=10.0):
    """How often each child of the root has the highest score, over so many streams."""
    forest, counts = tree.forest, {}
    switches = Settings().compiled(False)
    children = [tree.path(chr(move))[-1] for move in sorted(forest.action[0, 1 : int(forest.used[0])]) if move]
    for stream in (np.uint64(key_of(3, number)) for number in range(streams)):
        prepared = selection.prepare(rule, tree.operator, forest, switches, 0, ROOT, total, 0, stream)
        scores = {c: selection.score(rule, tree.operator, forest, 0, c, prepared, stream) for c in children}
        best = chr(int(forest.action[0, max(scores, key=lambda child: scores[child])]))
        counts[best] = counts.get(best, 0) + 1
    return counts


@pytest.mark.parametrize("temperature", [0.2, 1.0])
def test_boltzmann_is_proportional_to_exponentials(temperature):
    tree = hand_tree(AVERAGE, {"a": [1, 0], "b": [1, 1, 1, 0], "c": [0, 0, 1, 0]})
    counts = selected(tree, Boltzmann(temperature))
    weights = {letter: math.exp(tree.value(letter) / temperature) for letter in "abc"}
    for letter, weight in weights.items():
        assert_share(counts[letter], 8_000, weight / sum(weights.values()))


def test_a_cold_boltzmann_is_greedy():
    tree = hand_tree(AVERAGE, {"a": [1, 0], "b": [1, 1, 1, 0], "c": [0, 0, 1, 0]})
    assert selected(tree, Boltzmann(1e-6)) == {"b": 8_000}


def test_epsilon_greedy_takes_the_best_or_any_other():
    tree = hand_tree(ROUNDS, {"a": [1, 0], "b": [1, 1, 1, 0], "c": [0, 0, 1, 0], "d": [0, 0, 0, 0]})
    assert not any(tree.column(letter, "owed") for letter in "abcd")  # no round: one move is best
    counts = selected(tree, EpsilonGreedy(0.3))
    assert_share(counts["b"], 8_000, 0.7)
    for letter in "acd":
        assert_share(counts[letter], 8_000, 0.1)


def test_rounds_until_one_move_is_best():
    """By hand: after a tie every move is owed a visit, whatever comes between; the next tie begins the next round."""
    tree = hand_tree(ROUNDS, {"a": [1], "b": [1], "c": [0]})

    def owed():
        return "".join(letter for letter in "abc" if tree.column(letter, "owed"))

    assert owed() == "abc"
    tree.playouts("a", 0)  # b alone is best now, but the round goes on
    assert owed() == "bc"
    counts = selected(tree, EpsilonGreedy(0.3), 100)
    assert set(counts) <= {"b", "c"}
    tree.playouts("c", 1)
    assert owed() == "b"
    tree.playouts("b", 0)  # a tie of three
    assert owed() == "abc"
    tree.playouts("b", 1)
    tree.playouts("a", 0)
    tree.playouts("c", 0)
    assert owed() == ""
    assert selected(tree, EpsilonGreedy(0.0), 100) == {"b": 100}


@pytest.mark.parametrize(
    "p, epsilon", [pytest.param(*case, marks=pytest.mark.slow) for case in [(0.5, 0.0), (0.5, 0.2), (0.8, 0.4)]]
)
def test_scenario_a_of_ramanujan2010(p, epsilon):
    """One move always wins, the other a share p: rounds are geometric, 1 / (1 - p) on average, then epsilon decides."""
    game, trees, iterations = Implanted(24, [0], leaves="shares", first_share=p).compiled(), 2_000, 200
    searcher = searcher_of(ROUNDS, Settings(expansion="root"), game, EpsilonGreedy(epsilon))
    found = searcher.search(instances(game, range(trees)), keys_for(trees), iterations)
    wrong = found.table.visits[found.table.move == 1]
    assert len(wrong) == trees
    if epsilon == 0.0:
        for rounds in (1, 2, 3):
            assert_share(int((wrong == rounds).sum()), trees, p ** (rounds - 1) * (1 - p))
    rounds, spread = 1 / (1 - p), math.sqrt(p) / (1 - p)
    expected = rounds + epsilon * (iterations - 2 * rounds)
    deviation = math.sqrt((iterations * epsilon * (1 - epsilon) + spread**2) / trees)
    assert abs(wrong.mean() - expected) < DEVIATIONS * deviation


# -------------------------------------------------------------------------------------------------- variance, bounds


@pytest.mark.parametrize("rewards", [[1, 0, 0, 1, 1], [0.5, 0.5], [0.25, 1, 0.125], [1], [0, 0, 0]])
def test_variance_is_that_of_the_rewards(rewards):
    tree = hand_tree(operator_of("average_variance"), {"a": rewards})
    (node,) = tree.path("a")[1:]
    assert variance(tree.operator, tree.forest, 0, node) == pytest.approx(np.var(rewards), abs=1e-15)


def test_variance_of_several_playouts_is_that_of_their_means():
    """Three leaves of 4 playouts each: as 12 rewards, 4 of each mean; for the other player the same."""
    tree = HandTree(operator_of("average_variance"))
    for won in (4, 1, 3):
        tree.playouts("ab", won, 4)
    expected = np.var([1.0] * 4 + [0.25] * 4 + [0.75] * 4)
    for node in tree.path("ab")[1:]:
        assert variance(tree.operator, tree.forest, 0, node) == pytest.approx(expected, abs=1e-15)


def test_ucb1_tuned_explores_moves_of_little_variance_less():
    """Equal means and visits: the move whose rewards vary has the larger bias, up to that of a variance of 1/4."""
    tree = hand_tree(operator_of("average_variance"), {"a": [0.5] * 40, "b": [0, 1] * 20})
    assert selected(tree, Ucb1Tuned(), 10, total=2.0) == {"b": 10}


@pytest.mark.parametrize("iterations", [50, pytest.param(30_000, marks=pytest.mark.slow)])
def test_bounds_hold(iterations):
    """Without any smoothness supposed: exact values lie between a node's bounds, and with visits the best ones meet."""
    game = PGame(2, 6)
    states, solver = instances(game, range(12)), Exact(game)
    operator = Bounds(delta=1.0, gamma=1.0, nodes=127.0)
    forest = searcher_of(operator, game=game, rule=Bast()).search(states, keys_for(12), iterations).forest
    for tree in range(12):
        worths, uppers = [], []
        pending = [(ROOT, contract.unpack(game, states[tree], 0, 1))]
        while pending:
            node, state = pending.pop()
            mover, first = int(contract.mover(game, state)), int(forest.first_child[tree, node])
            for child in range(first, first + int(forest.child_count[tree, node])):
                after = contract.play(game, state, np.int64(forest.action[tree, child]))
                worth = (solver.value(after) + 1) / 2 if mover == 0 else (1 - solver.value(after)) / 2
                upper, lower = forest.columns[tree, child, UPPER], forest.columns[tree, child, LOWER]
                assert lower <= worth <= upper == bound(operator, forest, tree, child)
                if node == ROOT:
                    worths.append(worth)
                    uppers.append(upper)
                pending.append((child, after))
        assert iterations == 50 or max(uppers) - max(worths) < 0.15


def test_smoothness_cuts():
    """The smoother a tree is taken to be, the sooner the half with leaves won and lost at random is given up."""
    game = Implanted(12, [0], leaves="shares", first_share=0.5).compiled()
    states, shares = instances(game, range(20)), []
    for delta, gamma in ((0.0, 1.0), (1.0, 0.5), (1.0, 1.0)):
        searcher = searcher_of(Bounds(delta, gamma, nodes=2.0), game=game, rule=Bast())
        table = searcher.search(states, keys_for(20), 20_000).table
        shares.append(float(table.visits[table.move == 1].sum() / table.visits.sum()))
    assert shares[0] < shares[1] / 2 < shares[2] / 4


# --------------------------------------------------------------------------------------------------- what goes together


@pytest.mark.parametrize("rule", NEEDY)
def test_rules_that_need_an_operator_say_so(rule):
    needed = rule_of(rule).NEEDS
    fitting = [name for name in OPERATORS if selection.fits(rule_of(rule), operator_of(name))]
    assert fitting == [NEEDY[rule]]
    for operator in set(OPERATORS) - set(fitting):
        with pytest.raises(BadInput) as caught:
            searcher_of(operator_of(operator), rule=rule_of(rule))
        assert str(caught.value) == (
            f"selection={rule} asks the operator for `{needed}`, and backup={operator} has none; "
            f"take backup={NEEDY[rule]}"
        )


def test_rules_that_need_nothing_fit_every_operator():
    for rule in set(RULES) - set(NEEDY):
        assert all(selection.fits(rule_of(rule), operator_of(operator)) for operator in OPERATORS)
        checks.check_rule_fits(rule_of(rule), AVERAGE)


def test_an_urgency_among_draws_is_refused():
    for rule in RULES:
        operator = operator_of(NEEDY.get(rule, "average"))
        if getattr(rule_of(rule), "DRAWS", False):
            with pytest.raises(
                BadInput, match=rf"^search\.first_play_urgency=1\.1: must be inf with selection={rule}, which"
            ):
                searcher_of(operator, Settings(first_play_urgency=1.1), rule=rule_of(rule))
        else:
            checks.check_rule_fits(rule_of(rule), operator, 1.1)
    assert {rule for rule in RULES if getattr(rule_of(rule), "DRAWS", False)} == {
        "uniform",
        "boltzmann",
        "epsilon_greedy",
        "best_or_random",
    }


def test_a_rule_of_ones_own_is_named_by_its_module():
    class Mine(Bast):
        __module__ = "my_lab.mine"

    with pytest.raises(
        BadInput, match=r"^selection=my_lab\.mine asks the operator for `bound`, and backup=average has none"
    ):
        checks.check_rule_fits(Mine(), AVERAGE)
