"""Implanted strategies: leaf by leaf against a second implementation, averages of Ramanujan et al. 2010, refusals."""

import numpy as np
import pytest
from scipy.stats import chisquare

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.implanted import Implanted, ImplantedTree
from gpumcts.games.instances import instances
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.uniform import Uniform
from tests.games import drivers
from tests.reference import synthetic

SURE = 1e-6
ONE = 1 << 32

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def biased_2_2(bits, missed):
    return 1 if missed == 0 else -1


def biased_3_3(bits, missed):
    """P(+1) = 6/7 in B, 1/3 in A."""
    return 1 if bits >= (ONE - ONE * 6 // 7 if missed == 0 else ONE - ONE // 3) else -1


def shares(bits, missed):
    return 1 if bits >= ONE * (1 if missed == 0 else 3) // 4 else -1


TREES = {
    "one critical depth": (Implanted(6, [0]), synthetic.thirds),
    "late": (Implanted(7, [4], instance=3), synthetic.thirds),
    "two": (Implanted(8, [0, 6]), synthetic.thirds),
    "four": (Implanted(8, [0, 2, 4, 6], instance=9), synthetic.thirds),
    "alone": (Implanted(7, [1, 4], single_agent=True), synthetic.thirds),
    "both sides": (Implanted(8, [0, 4], [1, 7], leaves="biased", instance=2), biased_2_2),
    "both sides, three each": (Implanted(9, [0, 2, 6], [3, 5, 7], leaves="biased"), biased_3_3),
    "trap among thirds": (Implanted(8, [2, 4], [3, 5]), synthetic.thirds),
    "scenario A": (Implanted(6, [0], leaves="shares", first_share=0.75), shares),
    "scenario B": (Implanted(8, [0, 2], leaves="shares", first_share=0.75, later_share=0.25), shares),
}
every_tree = pytest.mark.parametrize("name", TREES)


def built(name):
    """The tree, and the reference's."""
    options, law = TREES[name]
    reference = synthetic.ImplantedTree(
        options.depth, options.critical, options.trap, law, options.instance, options.single_agent
    )
    return options.compiled(), reference


def all_leaves(tree):
    """Scores of all leaves from left to right, int64[2^depth], in units of a win."""
    rules = Rules(tree)
    states = rules.starts(1)
    for _ in range(tree.depth):
        states = states.repeat(2, axis=0)
        states = rules.play(states, np.arange(len(states)) % 2)
    assert (rules.count_moves(states) == 0).all()
    return rules.scores(states) // SCORE_UNIT


@every_tree
def test_every_leaf_is_that_of_the_reference(name):
    tree, reference = built(name)
    assert all_leaves(tree).tolist() == [reference.leaf(path) for path in reference.leaves()]


@every_tree
def test_the_plan_wins_and_the_first_wrong_move_does_not(name):
    """The value of the root is +1; with two plans the wrong move at the root is worth -1."""
    _, reference = built(name)
    assert synthetic.minimax(reference) == 1
    if name.startswith("both sides"):
        assert [synthetic.minimax(reference, (move,)) for move in (0, 1)] == [1, -1]


def test_leaves_off_the_plan_are_thirds():
    """A correct law fails with a probability below 1e-6."""
    leaves = all_leaves(Implanted(16, [0, 8]).compiled())
    a, b = leaves[: 1 << 15], leaves[1 << 15 :]
    on_plan = (np.arange(1 << 15) >> 7) & 1 == 0  # at depth 8 of 16, left
    assert (a[on_plan] == 1).all()
    for off_plan in (a[~on_plan], b):
        assert chisquare(np.bincount(off_plan + 1)).pvalue > SURE


@pytest.mark.parametrize(("x2", "y"), [(2, [1, 3]), (10, [9, 11]), (18, [17, 19]), (2, [17, 19]), (18, [1, 3])])
def test_averages_of_the_two_subtrees(x2, y):
    """Ramanujan et al. 2010, section 6.1: the leaves of A average 0 and those of B 0.5; exactly so with two critical
    moves each."""
    leaves = all_leaves(Implanted(20, [0, x2], y, leaves="biased").compiled())
    a, b = np.split(leaves, 2)
    assert a.mean() == 0 and b.mean() == 0.5
    assert (a == 1).mean() == 0.5 and (b == -1).mean() == 0.25


def test_averages_with_longer_plans():
    """In the mean over trees: within 5 standard errors."""
    a, b = np.split(all_leaves(Implanted(18, [0, 4, 8], [3, 9, 15], leaves="biased").compiled()), 2)
    error = 5 / len(a) ** 0.5
    assert abs(a.mean()) < error and abs(b.mean() - 0.5) < error


def test_shares():
    """Within 5 standard errors of those asked for; 0 and 1 are exact."""
    leaves = all_leaves(Implanted(16, [0, 2], leaves="shares", first_share=0.3, later_share=0.8).compiled())
    a, b = np.split(leaves, 2)
    missed = np.arange(len(a)) >> 13 & 1 == 1
    assert (a[~missed] == 1).all()
    for off_plan, share in ((a[missed], 0.8), (b, 0.3)):
        assert abs((off_plan == 1).mean() - share) < 5 * (0.25 / len(off_plan)) ** 0.5
        assert not (off_plan == 0).any()
    exact = all_leaves(Implanted(8, [0, 2], leaves="shares", first_share=1.0, later_share=0.0).compiled())
    assert (exact[128:] == 1).all() and exact[:128].mean() == 0


def test_trees_of_an_instance_share_their_leaves():
    """A tree with another plan differs only where the plans do."""
    near, far = (all_leaves(Implanted(10, [0, second]).compiled()) for second in (2, 8))
    assert np.array_equal(near[512:], far[512:])
    assert not np.array_equal(near, all_leaves(Implanted(10, [0, 2], instance=1).compiled()))


@every_tree
def test_trees_keep_the_contract(name):
    tree, _ = built(name)
    words, _, plies = drivers.trace(tree, drivers.keys_of(1, count=300))
    assert (plies == tree.depth).all() and tree.depth == tree.MAX_PLIES
    states, keys = drivers.positions(words, plies), drivers.keys_of(2, count=300)
    assert drivers.first_fault(tree, states, keys) == (-1, "none")
    ends = words[np.arange(len(plies)), plies]
    assert drivers.first_bad_ending(tree, ends, keys, SCORE_UNIT) == (-1, "none")
    movers = set(Rules(tree).movers(drivers.positions(words, plies, ends=False)))
    assert movers == set(range(tree.PLAYERS)) and (1 if tree.single_agent else 2) == tree.PLAYERS
    for row in states[:40]:
        state = contract.unpack(tree, row, 0, 1)
        assert contract.parse_position(tree, contract.position_text(tree, state)) == state


@pytest.mark.parametrize("name", ["two", "alone", "both sides"])
@pytest.mark.parametrize(
    "policy", [Uniform(), pytest.param(Minimax(depth=2), marks=pytest.mark.slow)], ids=["uniform", "minimax"]
)
def test_lanes_play_what_playouts_one_by_one_play(name, policy):
    tree, _ = built(name)
    states, keys = instances(tree, range(50)), drivers.keys_of(4, count=50)
    players = CpuPlayouts(tree, policy), CpuPlayouts(tree, policy, lanes=False)
    tallies = [player.tally(states, keys) for player in players]
    assert np.array_equal(*map(np.stack, tallies))


def test_a_plan_is_seen_once_it_is_complete():
    tree = Implanted(8, [0, 4], [1, 3], leaves="biased").compiled()
    seen = {}
    for text in ("0 0.1.1.1", "0 0.1.1.1.0", "0 0.1.1.1.1", "0 1.0.1", "0 1.0.1.0", "0 1.1.1.0"):
        state = contract.parse_position(tree, text)
        seen[text[2:]] = contract.evaluation(tree, state) * (1 if contract.mover(tree, state) == 0 else -1)
    assert seen == {"0.1.1.1": 0, "0.1.1.1.0": 1, "0.1.1.1.1": 0, "1.0.1": 0, "1.0.1.0": -1, "1.1.1.0": 0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (Implanted(critical=[12, 0]), "game.critical=[12, 0]: must be in increasing order, each depth once"),
        (Implanted(critical=[0, 12, 12]), "game.critical=[0, 12, 12]: must be in increasing order, each depth once"),
        (Implanted(critical=[0, 24]), "game.critical=[0, 24]: must be depths of 0 to 23, below game.depth=24"),
        (Implanted(critical=[-2, 0]), "game.critical=[-2, 0]: must be depths of 0 to 23, below game.depth=24"),
        (Implanted(critical=[0, 3]), "game.critical=[0, 3]: Max moves at even depths, not at 3"),
        (Implanted(critical=[]), "game.critical=[]: must name at least one depth"),
        (Implanted(trap=[2]), "game.trap=[2]: Min moves at odd depths, not at 2"),
        (Implanted(trap=[3, 1]), "game.trap=[3, 1]: must be in increasing order, each depth once"),
        (Implanted(trap=[25]), "game.trap=[25]: must be depths of 0 to 23, below game.depth=24"),
        (Implanted(critical=[2, 4], trap=[1, 3]), "game.trap=[1, 3]: must begin after game.critical, at 3"),
        (Implanted(trap=[1], single_agent=True), "game.trap=[1]: Min has no move with game.single_agent=true"),
        (Implanted(leaves="biased"), "game.leaves=biased takes game.critical and game.trap of two depths or more each"),
        (Implanted(first_share=0.4), "game.first_share=0.4 counts with game.leaves=shares alone"),
        (Implanted(later_share=1.0), "game.later_share=1.0 counts with game.leaves=shares alone"),
    ],
)
def test_bad_depths_and_leaves_are_refused(options, message):
    with pytest.raises(BadInput) as refusal:
        options.compiled()
    assert str(refusal.value) == message


def test_texts():
    tree = Implanted(6, [0, 2], [1, 3], instance=7, leaves="biased").compiled()
    assert isinstance(tree, ImplantedTree)
    state = contract.parse_position(tree, "7 1.0.1")
    assert contract.position_text(tree, state) == "7 1.0.1"
    assert contract.move_text(tree, state, 0) == "left"
    assert contract.board_text(tree, state).splitlines() == [
        "instance 7, ply 3 of 6: Min to move",
        "path 1.0.1",
        "Max's plan, left at 0, 2: missed",
        "Min's plan, left at 1, 3 once Max has missed 0: kept",
    ]
    alone = Implanted(6, [1], single_agent=True).compiled()
    assert contract.board_text(alone, contract.start(alone)).splitlines() == [
        "instance 0, ply 0 of 6: Max to move",
        "path -",
        "Max's plan, left at 1: kept",
    ]
