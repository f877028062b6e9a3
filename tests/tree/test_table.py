"""The transposition table itself: what it keeps, refuses, and where it finds it; against rules written out by hand."""

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.instances import nodes
from gpumcts.games.pgame import PGame
from gpumcts.jit import entry
from gpumcts.rng import key_of
from gpumcts.tree.forest import NO_NODE
from gpumcts.tree.tables.table import (
    BYTES_AN_ENTRY,
    COUNTS,
    INDEX,
    LINE,
    REWARD_UNIT,
    Table,
    acceptable,
    add,
    empty_table,
    find,
    memory_of,
    note_parent_visits,
    parent_visits_of,
    replacement_of,
    rewards_for,
    store,
    table_index,
    visits_of,
)
from tests.reference.table import Buckets, Entry
from tests.tree.table_drivers import content

U = np.uint64
TWO, ONE = replacement_of(2), replacement_of(2, "single")


def put(table, kept, index, depth, parent, visits=1):
    """Offer a position; whether it is there afterwards."""
    store(table, 0, kept, U(index), depth, parent, visits, U(visits * REWARD_UNIT))
    return find(table, 0, kept, U(index)) != NO_NODE


def kept_in(table):
    """The indices in the slots of the first bucket."""
    return [entry and entry[INDEX] for entry in content(table)[:2]]


# ------------------------------------------------------------------------------------------------------- replacement


def test_the_first_slot_keeps_the_smaller_depth():
    table = empty_table(1, 2)
    assert put(table, TWO, 10, depth=5, parent=1)
    assert put(table, TWO, 11, depth=3, parent=1)  # the smaller depth goes first; 10 moves over
    assert kept_in(table) == [11, 10]
    assert put(table, TWO, 12, depth=1, parent=1)  # 11 moves over, but its parent has as many visits as 10's: 10 stays
    assert kept_in(table) == [12, 10]


def test_the_second_slot_keeps_the_larger_parent():
    table = empty_table(1, 2)
    put(table, TWO, 10, depth=2, parent=1)
    put(table, TWO, 11, depth=4, parent=7)
    assert kept_in(table) == [10, 11]
    assert not put(table, TWO, 12, depth=4, parent=7)  # as many: the incumbent stays
    assert not put(table, TWO, 13, depth=2, parent=6)  # equal depth does not displace either
    assert put(table, TWO, 14, depth=9, parent=8)
    assert kept_in(table) == [10, 14]


def test_what_the_first_slot_displaces_may_push_out_the_second():
    table = empty_table(1, 2)
    put(table, TWO, 10, depth=2, parent=9)
    put(table, TWO, 11, depth=4, parent=7)
    assert put(table, TWO, 12, depth=1, parent=1)
    assert kept_in(table) == [12, 10]


def test_single_keeps_the_larger_parent_whatever_the_depth():
    table = empty_table(1, 2)  # two buckets of one
    put(table, ONE, 10, depth=5, parent=4)
    assert not put(table, ONE, 12, depth=1, parent=4)
    assert put(table, ONE, 14, depth=6, parent=5)
    assert put(table, ONE, 11, depth=6, parent=1)
    assert kept_in(table) == [14, 11]


def test_a_displaced_entry_takes_all_it_knows_along():
    table = empty_table(1, 2)
    put(table, TWO, 10, depth=5, parent=3, visits=4)
    slot = find(table, 0, TWO, U(10))
    add(table, 0, slot, 6, 2, U(REWARD_UNIT))
    assert content(table)[0] == (10, 5 * REWARD_UNIT, 6, 6, 5)
    put(table, TWO, 11, depth=2, parent=1)
    assert content(table)[1] == (10, 5 * REWARD_UNIT, 6, 6, 5)


def test_noting_the_parent_leaves_the_rest():
    table = empty_table(1, 2)
    put(table, TWO, 10, depth=5, parent=3, visits=4)
    note_parent_visits(table, 0, 0, 2**31 + 5)
    assert (visits_of(table, 0, 0), parent_visits_of(table, 0, 0)) == (4, 2**31 + 5)


@pytest.mark.parametrize("replacement", ["twobigp", "single"])
def test_like_the_reference_and_acceptable_means_stored(replacement):
    """A thousand random offers to three buckets: the same slots, and ``acceptable`` foretells what ``store`` does."""
    rng = np.random.default_rng(3)
    kept, table, reference = replacement_of(6, replacement), empty_table(1, 6), Buckets(6, replacement)
    refused = 0
    for _ in range(1000):
        index, depth, parent = int(rng.integers(40)), int(rng.integers(1, 9)), int(rng.integers(1, 30))
        if reference.find(index):
            continue
        foretold = acceptable(table, 0, kept, U(index), depth, parent)
        assert foretold == reference.accepts(index, depth, parent) == reference.offer(Entry(index, depth, parent))
        assert put(table, kept, index, depth, parent) == foretold
        refused += not foretold
        assert [entry and (entry[INDEX], entry[3], entry[4]) for entry in content(table)] == [
            entry and (entry.index, entry.parent, entry.depth) for bucket in reference.buckets for entry in bucket
        ]
    assert 100 < refused < 900


@entry
def _offers(table, kept, indices, depths, parents):
    for i in range(indices.shape[0]):
        tree = i % table.entries.shape[0]
        slot = find(table, tree, kept, indices[i])
        if slot == NO_NODE:
            store(table, tree, kept, indices[i], depths[i], parents[i], 1, indices[i])
        else:
            add(table, tree, slot, parents[i], 1, indices[i])


@pytest.mark.parametrize("replacement", ["twobigp", "single"])
def test_compiled_is_plain_python(replacement):
    rng = np.random.default_rng(4)
    kept, tables = replacement_of(8, replacement), (empty_table(3, 8), empty_table(3, 8))
    offers = rng.integers(60, size=900).astype(U), rng.integers(1, 9, size=900), rng.integers(1, 30, size=900)
    _offers(tables[0], kept, *offers)
    getattr(_offers, "__wrapped__")(tables[1], kept, *offers)  # noqa: B009
    assert np.array_equal(tables[0].entries, tables[1].entries)
    assert (tables[0].entries[:, :, COUNTS] != 0).all()


# ---------------------------------------------------------------------------------------------------- layout and sizes


def test_an_entry_takes_32_bytes_and_a_bucket_one_line():
    assert BYTES_AN_ENTRY == 32 and memory_of(1 << 20) == 32 << 20
    for trees, entries in ((1, 2), (3, 6), (2, 1000)):
        table = empty_table(trees, entries)
        assert table.entries.nbytes == trees * memory_of(entries)
        assert table.entries.ctypes.data % LINE == 0
        assert not table.entries.any() and not table.roots.any()


def test_rewards_are_exact_for_either_player():
    visits = 2**31 - 1
    for rewards in (0, 1, REWARD_UNIT * visits, 3 * REWARD_UNIT // 2):
        first, second = (rewards_for(player, U(rewards), visits) for player in (0, 1))
        assert first + second == visits and first * REWARD_UNIT == rewards
    assert rewards_for(2, U(REWARD_UNIT), 3) == 1.0  # where chance moves: the first player's


# ------------------------------------------------------------------------------------------------------ the table index


def test_pgames_are_found_by_their_preorder_index():
    """All nodes of a small tree, visited in preorder: 0, 1, 2, ..."""
    game, order = PGame(3, 4), []

    def visit(state):
        order.append(int(table_index(game, state)))
        for k in range(int(contract.count_moves(game, state))):
            visit(contract.play(game, state, contract.nth_move(game, state, k)))

    visit(contract.start(game))
    assert order == list(range(nodes(3, 4)))


def test_other_positions_are_found_by_a_hash():
    """The order of moves does not matter where positions do not hold it; different positions differ, in every bit."""
    game = DotsAndBoxes(2, 2)
    begin = contract.start(game)
    moves = [contract.nth_move(game, begin, k) for k in range(12)]
    either = [
        contract.play(game, contract.play(game, begin, a), b) for a, b in ((moves[0], moves[5]), (moves[5], moves[0]))
    ]
    assert table_index(game, either[0]) == table_index(game, either[1])
    found = {
        int(table_index(game, contract.play(game, contract.play(game, begin, a), b)))
        for a in moves
        for b in moves
        if a < b
    }
    assert len(found) == 66
    for bit in range(64):
        assert 10 < sum(index >> bit & 1 for index in found) < 56  # of 66 fair bits, outside with probability 1e-8


def test_positions_are_told_apart_by_the_whole_index():
    table = empty_table(1, 2)
    put(table, TWO, 7, depth=1, parent=1)
    assert find(table, 0, TWO, U(8)) == find(table, 0, TWO, U(7 + 2**40)) == NO_NODE


# ------------------------------------------------------------------------------------------------------ what is refused


@pytest.mark.parametrize("entries", [0, 1, 3, 1001, -2])
@pytest.mark.parametrize("replacement", ["twobigp", "single"])
def test_sizes_that_are_none(entries, replacement):
    with pytest.raises(BadInput, match=rf"^search.table={entries}: a table has an even number of entries, at least 2$"):
        replacement_of(entries, replacement)


def test_other_bad_values():
    with pytest.raises(BadInput, match="^search.replacement=twodeep: must be one of twobigp, single$"):
        replacement_of(10, "twodeep")
    for level in (-0.5, float("nan")):
        with pytest.raises(BadInput, match=f"^search.stored_above={level}: "):
            replacement_of(10, stored_above=level)
    assert replacement_of(10, "single", 0.5) == (1, 10, 0.5) and replacement_of(10) == (2, 5, np.inf)


def test_tables_of_many_trees_are_their_own():
    table = empty_table(4, 4)
    for tree in range(4):
        store(table, tree, replacement_of(4), U(key_of(tree)), 1, 1, 1, U(0))
    assert isinstance(table, Table)
    assert [[slot for slot in content(table, tree) if slot][0][INDEX] for tree in range(4)] == [
        int(key_of(t)) for t in range(4)
    ]
