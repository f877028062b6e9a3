"""RAVE: the forest against the slow UCT with RAVE, eq. 8 of Hashimoto et al. 2012 by hand, and what is refused."""

import math

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.playouts.traces import traced
from gpumcts.tree import memory as tree_memory
from gpumcts.tree.backup.discounted import DiscountedByMove
from gpumcts.tree.forest import ROOT, Layout, add_children, bytes_per_slot, clear_node, empty_forest
from gpumcts.tree.host.cpu_iterations import BATCH_BYTES, CpuIterations
from gpumcts.tree.host.thread_pool import ThreadPool
from gpumcts.tree.search import Searcher
from gpumcts.tree.selection import contract as selection
from gpumcts.tree.selection.rave import Rave
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.search import TableSearcher
from tests.reference.rave import plain_playouts
from tests.tree.drivers import (
    GO,
    HAVANNAH,
    OPERATORS,
    OTHELLO,
    SAME_VALUE,
    TOY_GAMES,
    UNIFORM,
    assert_like_reference,
    assert_same_tree,
    go_states,
    havannah_states,
    keys_for,
    operator_of,
    othello_states,
    packed,
    reference_of,
    searcher_of,
)
from tests.tree.simulated_searches import digest, roots
from tests.tree.test_device_playouts import Elsewhere

DOTS = TOY_GAMES["dots"]
SETTINGS = {
    "plain": Settings(),
    "threshold": Settings(expansion="threshold", threshold=3),
    "leaves": Settings(leaves_per_tree=4),
    "leaves and playouts": Settings(leaves_per_tree=3, playouts_per_leaf=2),
    "urgency": Settings(first_play_urgency=0.6),
    "first": Settings(ties="first"),
    "root": Settings(expansion="root", leaves_per_tree=2),
    "solve": Settings(solve=True, leaves_per_tree=2),
    "children": Settings(parent_count="children"),
}
FUEGO = Settings(first_play_urgency=1.0)
WITH_BIAS = Rave(initial=0.9, final=30.0, exploration=0.3, ignore_every=3)


# ------------------------------------------------------------------------------------------------- like the reference


@pytest.mark.parametrize("operator", ["average", pytest.param("accelerated", marks=pytest.mark.slow), "discounted"])
def test_othello_is_the_reference(operator):
    """Visit for visit, value for value, and both sums of every move, visited or not: the start, the middle, a pass."""
    searcher = searcher_of(operator_of(operator), rule=Rave())
    assert_like_reference(searcher, othello_states()[:3], 110)


@pytest.mark.slow
@pytest.mark.parametrize("operator", ["average", "accelerated", "discounted"])
def test_more_of_othello_is_the_reference(operator):
    assert_like_reference(searcher_of(operator_of(operator), rule=Rave()), othello_states(), 400, seed=2)


@pytest.mark.slow
def test_havannah_is_the_reference():
    """With the swap, a move without a cell: before it, at the choice, in the middle. The reference is plain Python."""
    searcher = searcher_of(operator_of("accelerated"), FUEGO, HAVANNAH, Rave())
    assert_like_reference(searcher, havannah_states(), 60, play=plain_playouts(HAVANNAH))


@pytest.mark.slow
@pytest.mark.parametrize("operator", ["average", "accelerated", "discounted"])
def test_more_of_havannah_is_the_reference(operator):
    assert_like_reference(searcher_of(operator_of(operator), FUEGO, HAVANNAH, Rave()), havannah_states(), 300, seed=2)


@pytest.mark.slow
@pytest.mark.parametrize("operator", ["average", "accelerated", "discounted"])
def test_go_is_the_reference(operator):
    """Two words of points for either player; captures, and passes that end the game within the tree."""
    assert_like_reference(searcher_of(operator_of(operator), FUEGO, GO, Rave()), go_states(), 60)


@pytest.mark.parametrize(
    ("settings", "rule", "operator"),
    [(name, Rave(), "average") for name in SETTINGS]
    + [
        pytest.param(*case, marks=pytest.mark.slow)
        for case in (
            *[("leaves", Rave(), operator) for operator in ("accelerated", "discounted")],
            *[(name, WITH_BIAS, "average") for name in ("plain", "children", "urgency", "leaves and playouts")],
        )
    ],
)
def test_settings(settings, rule, operator):
    """On dots and boxes, where a player may move twice in a row, and with a bias on Othello."""
    settings = SETTINGS[settings]
    if rule == WITH_BIAS:
        searcher, states = searcher_of(operator_of(operator), settings, rule=rule), othello_states()[1:3]
    else:
        searcher, states = searcher_of(operator_of(operator), settings, DOTS, rule), [contract.start(DOTS)] * 2
    assert_like_reference(searcher, states, 150, tolerance=SAME_VALUE if settings.playouts_per_leaf > 1 else 0.0)


def test_playouts_in_plain_python():
    """Nothing compiled on the reference's side: traces neither."""
    searcher = searcher_of(operator_of("average"), Settings(), DOTS, Rave())
    assert_like_reference(searcher, [contract.start(DOTS)], 60, play=plain_playouts(DOTS))
    searcher = searcher_of(operator_of("average"), rule=Rave())
    assert_like_reference(searcher, othello_states()[3:], 60, play=plain_playouts(OTHELLO))


@pytest.mark.parametrize("operator", ["average", "discounted"])
def test_subtree_reuse(operator):
    """Three searches of one game two plies apart: what is known of unvisited moves is kept too."""
    searcher = searcher_of(operator_of(operator), Settings(reuse=True), DOTS, Rave())
    reference, node, state = reference_of(searcher), None, contract.start(DOTS)
    for turn in range(3):
        keys = keys_for(1, seed=20 + turn)
        found = searcher.search(packed(DOTS, [state]), keys, 80, games=np.array([7]))
        node = reference.search(state, int(keys[0]), 80, node)
        assert_same_tree(found.forest, 0, searcher.parts.operator, reference, node)
        assert found.decide()[0] == reference.decide(node, int(keys[0]))
        node = max(node.children, key=lambda child: child.visits)
        node = max(node.children, key=lambda child: child.visits)
        state = node.state


# ---------------------------------------------------------------------------------------------------- by hand: eq. 8


def hand_forest():
    """A root of moves 10, 11, 12: 10 visited 4 times, won thrice, the others never; 16 RAVE playouts of 11, 12 won."""
    forest = empty_forest(1, 4, Layout(3))
    forest.used[0], forest.move_count[0, ROOT], forest.visits[0, ROOT] = 1, 3, 4
    first = int(add_children(forest, 0, ROOT))
    for i in range(3):
        clear_node(forest, 0, first + i, 10 + i)
    forest.visits[0, first] = 4
    forest.columns[0, first] = (3.0, 8.0, 2.0)  # sum of rewards, RAVE playouts, their rewards
    forest.columns[0, first + 1, 1:] = (16.0, 12.0)
    return forest, first


def hand_scores(rule, visits=4, urgency=1.1, playouts=1):
    forest, first = hand_forest()
    forest.visits[0, ROOT] = visits
    switches = Settings(first_play_urgency=urgency, playouts_per_leaf=playouts).compiled(False, 64)
    prepared = selection.prepare(rule, operator_of("average"), forest, switches, 0, ROOT, 4.0, 0, np.uint64(1))
    scored = (first, first + 1, first + 2)
    return [selection.score(rule, operator_of("average"), forest, 0, c, prepared, np.uint64(1)) for c in scored]


def test_equation_8_by_hand():
    """n = 4, r = 3/4, N = 8, r_RAVE = 1/4, W = 8 / (1/1 + 8/8) = 4: (4 x 3/4 + 4 x 1/4) / 8 = 1/2."""
    assert hand_scores(Rave(initial=1.0, final=8.0)) == [0.5, 0.75, 1.1]
    # W = 8 / (1/0.5 + 8/4) = 2: (3 + 2 x 1/4) / 6
    assert hand_scores(Rave(initial=0.5, final=4.0))[0] == pytest.approx(3.5 / 6, abs=1e-15)
    # Fuego's defaults: W = 8 / (1 + 8/5000)
    weight = 8 / (1 + 8 / 5000)
    assert hand_scores(Rave())[0] == pytest.approx((3 + weight / 4) / (4 + weight), abs=1e-15)


def test_the_bias_by_hand():
    """C sqrt(ln n(s) / (n + 1)), n(s) = 4; none beside an urgency."""
    biases = [0.7 * math.sqrt(math.log(4) / 5), 0.7 * math.sqrt(math.log(4)), 0.0]
    scores = hand_scores(Rave(initial=1.0, final=8.0, exploration=0.7))
    assert scores == pytest.approx([v + b for v, b in zip([0.5, 0.75, 1.1], biases, strict=True)], abs=1e-14)


def test_each_so_many_th_visit_ignores_rave():
    rule = Rave(initial=1.0, final=8.0, ignore_every=20)
    assert hand_scores(rule, visits=18) == [0.5, 0.75, 1.1]
    assert hand_scores(rule, visits=19) == [0.75, 1.1, 1.1]  # the 20th
    assert hand_scores(rule, visits=19, urgency=math.inf) == [0.75, math.inf, math.inf]
    assert hand_scores(rule, visits=38, playouts=2) == [0.75, 1.1, 1.1]  # the 20th, each of two playouts
    assert hand_scores(rule._replace(ignore_every=0), visits=19) == [0.5, 0.75, 1.1]


def test_learning_by_hand():
    """A path: move 10 by the first player, 11 by the second; in the playout the second was first on 10 and 12.

    The tree comes first: 10 is the first player's at the root, and the second's from the child on.
    """
    rule, forest = Rave(), empty_forest(1, 10, Layout(3))
    switches = Settings().compiled(False, 64)
    forest.used[0], forest.move_count[0, ROOT] = 1, 3
    top = int(add_children(forest, 0, ROOT))
    forest.move_count[0, top] = 3
    below = int(add_children(forest, 0, top))
    for i in range(3):
        clear_node(forest, 0, top + i, 10 + i) if i else None
        clear_node(forest, 0, below + i, 10 + i)
    forest.action[0, top] = 10
    tally = np.zeros((1, 7), np.int64)
    tally[0, 4:] = SCORE_UNIT, 1 << 11, (1 << 10) | (1 << 12)  # the first player won; he was first on 11
    path, movers = np.array([ROOT, top, below + 1]), np.array([0, 1, 0], np.int8)
    selection.learn(rule, forest, switches, 0, path, movers, 2, tally, 0)
    sums = forest.columns[0, :, 1:]
    assert sums[top : top + 3].tolist() == [
        [1, 1],
        [0, 0],
        [0, 0],
    ]  # 11 is the second player's, by his move in the tree
    assert sums[below : below + 3].tolist() == [[1, 0], [1, 0], [1, 0]]  # all of them the second player's, who lost
    assert not sums[ROOT].any()


def test_only_the_move_that_is_taken_decays():
    """Hashimoto et al. 2012, note 9, by hand: wins and losses of one move, whatever comes between."""
    forest, operator = empty_forest(1, 3, Layout(3)), DiscountedByMove(0.5)
    path, movers = np.array([0, 1]), np.array([0, 1], np.int8)
    for taken, reward in ((1, 1.0), (2, 0.0), (2, 0.0), (1, 0.0), (1, 1.0)):
        path[1] = taken
        forest.visits[0, path] += 1
        operator_back_up(operator, forest, path, movers, reward)
    assert forest.columns[0, 1, :2].tolist() == [1.75, 1.25]  # 1 + 1/2 + 1/4, and 1 + 0/2 + 1/4
    assert forest.columns[0, 2, :2].tolist() == [1.5, 0.0]


def operator_back_up(operator, forest, path, movers, reward):
    from gpumcts.tree.backup.contract import back_up

    back_up(operator, forest, 0, path, movers, 1, reward, 1, 0.5)


# ------------------------------------------------------------------------------------- the same however it is played


class Shifted(DotsAndBoxes):
    """Dots and boxes whose lines have numbers from 50 on: two words of points for either player."""

    LANES = False
    CELLS = 50 + 64


@contract.nth_move.implements(Shifted)
def shifted_nth_move(game, state, k):
    return contract.nth_move(DotsAndBoxes(game.rows, game.columns), state, k) + 50


@contract.play.implements(Shifted)
def shifted_play(game, state, move):
    return contract.play(DotsAndBoxes(game.rows, game.columns), state, move - 50)


@pytest.mark.slow
def test_more_than_64_points():
    shifted = Shifted(2, 2)
    found = [searcher_of(operator_of("average"), Settings(), g, Rave()) for g in (DOTS, shifted)]
    plain, moved = (s.search(roots(s.game, 3), keys_for(3), 200).forest for s in found)
    assert plain is not None and moved is not None
    assert found[1].played_game.WORDS == 2 + 4 and found[0].played_game.WORDS == 2 + 2
    for field in ("visits", "first_child", "children", "moves", "columns"):
        assert np.array_equal(getattr(plain, field), getattr(moved, field))
    assert np.array_equal(plain.action[:, 1 : 1 + 12] + 50, moved.action[:, 1 : 1 + 12])


@pytest.mark.parametrize("settings", ["plain", pytest.param("leaves and playouts", marks=pytest.mark.slow)])
def test_playouts_elsewhere_and_threads(settings):
    """An engine that brings scores and traces back, two threads, and trees alone: the same trees."""
    made = {"operator": operator_of("average"), "settings": SETTINGS[settings], "rule": Rave()}
    here = searcher_of(**made).search(roots(OTHELLO, 7), keys_for(7), 100)
    there = searcher_of(**made, engine=Elsewhere(traced(OTHELLO, UNIFORM)), threads=2)
    assert digest(there.search(roots(OTHELLO, 7), keys_for(7), 100)) == digest(here)
    alone = searcher_of(**made).search(roots(OTHELLO, 1), keys_for(7)[6:], 100)
    assert alone.root_children(0) == here.root_children(6)


def test_a_forest_that_is_too_small_grows(monkeypatch):

    searcher = searcher_of(operator_of("accelerated"), rule=Rave())
    plenty = searcher.search(roots(OTHELLO, 4), keys_for(4), 300)
    monkeypatch.setattr(tree_memory, "SLOTS_PER_NODE", 0.0)
    monkeypatch.setattr(tree_memory, "SPREAD", 0.0)
    tight = searcher.search(roots(OTHELLO, 4), keys_for(4), 300)
    assert tight.forest is not None and searcher.parts.memory.slots(300) < int(tight.forest.used.max())
    assert digest(tight) == digest(plenty)


def test_traces_of_many_playouts_take_memory():
    """They are counted for one leaf too, and fewer trees go on together, which changes nothing."""
    few, many = (Settings(playouts_per_leaf=playouts) for playouts in (1, 20_000))
    parts = searcher_of(operator_of("average"), many, DOTS, Rave()).parts
    assert parts.row_bytes > 20_000 * 24
    with pytest.raises(
        BadInput, match=r"^search.leaves_per_tree=1: a batch .*=20000 takes 1 row x .* fewer playouts a"
    ):
        searcher_of(operator_of("average"), many, DOTS, Rave(), memory_limit=parts.row_bytes - 1).wave(1, 10)
    usual, long = (searcher_of(operator_of("average"), s, DOTS, Rave(), threads=1) for s in (few, many))
    sizes = [len(CpuIterations(s.plan, ThreadPool(1))._blocks(64, 10)) for s in (usual, long)]
    assert sizes[0] == 1 and sizes[1] >= 64 * parts.row_bytes / BATCH_BYTES


@pytest.mark.parametrize("operator", OPERATORS)
@pytest.mark.slow
def test_every_operator_keeps_its_values_among_unvisited_moves(operator):
    """Root tables have visited moves alone, whose visits add up and whose values lie in [0, 1]."""
    searcher = searcher_of(operator_of(operator), Settings(leaves_per_tree=2), rule=Rave(), threads=1)
    found = searcher.search(packed(OTHELLO, othello_states()), keys_for(4), 61)
    for tree in range(4):
        children = found.root_children(tree)
        assert sum(child.visits for child in children) in (60, 59)
        assert all(child.visits > 0 and 0 <= child.value <= 1 for child in children)
    assert (found.decide() >= 0).all()


# ----------------------------------------------------------------------------------------------- memory, and refusals


def test_bytes_a_node():
    searcher = searcher_of(operator_of("average"), rule=Rave())
    assert searcher.parts.slot_bytes == bytes_per_slot(Layout(1, OTHELLO.MAX_MOVES)) + 16
    forest = searcher.search(roots(OTHELLO, 1), keys_for(1), 20).forest
    assert forest is not None and forest.columns.shape[2] == 3


def test_discounted_decays_by_move_with_rave_alone():
    discounted = operator_of("discounted")
    assert searcher_of(discounted, rule=Rave(), game=DOTS).operator == DiscountedByMove(discounted.decay)
    assert searcher_of(discounted, game=DOTS).operator == discounted


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: searcher_of(operator_of("average"), game=TOY_GAMES["dice"], rule=Rave()),
            "selection=rave wants a game whose moves are points (CELLS), and game=dice_duel is none",
        ),
        (
            lambda: searcher_of(operator_of("average"), Settings(expansion="whole_path"), rule=Rave()),
            "search.expansion=whole_path: must be node, threshold or root with selection=rave",
        ),
        (
            lambda: TableSearcher(
                OTHELLO, UNIFORM, Rave(), operator_of("average"), Settings(expansion="whole_path", table=64)
            ),
            "search.table=64: must be null with selection=rave, which wants trees",
        ),
        (
            lambda: Searcher(OTHELLO, UNIFORM, Rave(), operator_of("average"), engine=CpuPlayouts(OTHELLO, UNIFORM)),
            "engine=cpu: made for Othello, not Traced",
        ),
    ],
)
def test_what_cannot_work_is_refused(make, message):
    with pytest.raises(BadInput) as caught:
        make()
    assert str(caught.value) == message
