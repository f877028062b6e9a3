"""The forest as a data structure: blocks of children, free lists, memory, growth."""

import re

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import CHANCE
from gpumcts.games.pgame import PGame
from gpumcts.playouts.uniform import Uniform
from gpumcts.tree import memory as tree_memory
from gpumcts.tree.backup.contract import value
from gpumcts.tree.forest import (
    CAPACITIES,
    NO_NODE,
    PER_NODE,
    ROOT,
    Layout,
    add_child,
    bytes_per_slot,
    capacity_class,
    clear_node,
    empty_forest,
    most_nodes,
    slots_of_children,
    take_block,
    widened,
    with_room,
)
from gpumcts.tree.host import wave as wave_module
from gpumcts.tree.host.team import SLOTS, ensure_chunk, team_of
from gpumcts.tree.search import Searcher
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from tests.reference.playout import legal_moves
from tests.tree.drivers import OPERATORS, OTHELLO, TOY_GAMES, keys_for, operator_of, othello_states, packed, searcher_of
from tests.tree.test_device_playouts import FIRST, slow_unless

SHAPES = {
    "node": Settings(),
    "threshold": Settings(expansion="threshold", threshold=4),
    "whole_path": Settings(expansion="whole_path"),
    "leaves": Settings(leaves_per_tree=8, playouts_per_leaf=2),
    "urgency": Settings(first_play_urgency=0.5),
    "root": Settings(expansion="root"),
    "solve": Settings(solve=True, leaves_per_tree=2),
}


def blocks_of(forest, tree):
    """(first slot, size, whether it is free) of every block of a tree, those in use first."""
    blocks, pending = [(ROOT, 1, False)], [ROOT]
    while pending:
        node = pending.pop()
        count = int(forest.child_count[tree, node])
        if count:
            first = int(forest.first_child[tree, node])
            size = min(int(CAPACITIES[capacity_class(count)]), abs(int(forest.move_count[tree, node])))
            blocks.append((first, size, False))
            pending += range(first, first + count)
    for index, block in enumerate(forest.free[tree]):
        while block != NO_NODE:
            blocks.append((int(block), int(CAPACITIES[index]), True))
            block = forest.first_child[tree, block]
    return blocks


def assert_every_slot_in_one_block(forest, tree):
    """No two blocks overlap, and none has been lost: in use or free, they are all the slots handed out."""
    owners = np.zeros(forest.visits.shape[1], np.int64)
    for first, size, _ in blocks_of(forest, tree):
        owners[first : first + size] += 1
    used = int(forest.used[tree])
    assert owners[:used].tolist() == [1] * used
    assert not owners[used:].any()


def assert_sound(forest, tree, game, state, settings):
    """Moves are legal and distinct, counts those of the game, visits add up, and only the own playouts that may be."""
    pending, nodes = [(ROOT, state)], 0
    while pending:
        node, state = pending.pop()
        nodes += 1
        moves, mover = legal_moves(game, state), int(contract.mover(game, state))
        assert forest.move_count[tree, node] == (-len(moves) if mover == CHANCE else len(moves))
        first, count = int(forest.first_child[tree, node]), int(forest.child_count[tree, node])
        children = range(first, first + count)
        taken = [int(forest.action[tree, child]) for child in children]
        assert len(set(taken)) == count and set(taken) <= set(moves)
        own = int(forest.visits[tree, node]) - sum(int(forest.visits[tree, child]) for child in children)
        if count:
            assert own == own_playouts_expected(settings, node)
        else:
            assert own >= settings.playouts_per_leaf
        pending += [(child, contract.play(game, state, move)) for child, move in zip(children, taken, strict=True)]
    return nodes


def own_playouts_expected(settings, node):
    """Playouts that begin in a node before it has children."""
    if settings.expansion in ("whole_path", "root"):
        return 0
    leaves = settings.threshold if settings.expansion == "threshold" else 1
    return leaves * settings.playouts_per_leaf


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "game", ["othello", *(g if g == "dots" else pytest.param(g, marks=pytest.mark.slow) for g in TOY_GAMES)]
)
def test_blocks_and_counts(game, shape):
    settings = SHAPES[shape]
    states = list(othello_states()) if game == "othello" else [contract.start(TOY_GAMES[game])] * 2
    game = OTHELLO if game == "othello" else TOY_GAMES[game]
    searcher = searcher_of(operator_of("average"), settings, game)
    iterations = 60 if settings.expansion == "whole_path" else 600
    forest = searcher.search(packed(game, states), keys_for(len(states)), iterations).forest
    for tree, state in enumerate(states):
        assert forest.visits[tree, ROOT] == iterations * settings.playouts_per_leaf or forest.proof[tree].any()
        assert_every_slot_in_one_block(forest, tree)
        assert assert_sound(forest, tree, game, state, settings) <= forest.used[tree]


@pytest.mark.parametrize("operator", [slow_unless(o in FIRST, o) for o in OPERATORS])
def test_values_lie_between_0_and_1(operator):
    """At every node of large trees, for every operator, with virtual loss long gone."""
    operator = operator_of(operator)
    searcher = searcher_of(operator, Settings(leaves_per_tree=4))
    forest = searcher.search(packed(OTHELLO, othello_states()), keys_for(4), 3000).forest
    for tree in range(4):
        nodes = [first + i for first, size, free in blocks_of(forest, tree)[1:] if not free for i in range(size)]
        visited = [node for node in nodes if forest.visits[tree, node] > 0]
        values = np.array([value(operator, forest, tree, node) for node in visited[:500]])
        assert np.all((values >= 0) & (values <= 1))


def test_blocks_grow_and_are_reused():
    forest = empty_forest(1, 200, Layout(1))
    forest.used[0], forest.first_child[0, ROOT], forest.move_count[0, ROOT] = 1, NO_NODE, 5
    children = [int(add_child(forest, 0, ROOT, 10 + i)) for i in range(5)]
    assert children == [1, 3, 6, 7, 12]  # blocks of 1, 2, 4 and, since there are no more moves, 5
    assert forest.used[0] == 1 + 1 + 2 + 4 + 5
    assert forest.action[0, 8:13].tolist() == [10, 11, 12, 13, 14]
    assert [int(head) for head in forest.free[0, :4]] == [1, 2, 4, NO_NODE]
    assert take_block(forest, 0, 1, 2) == 2  # a free one
    assert take_block(forest, 0, 1, 2) == 13  # a new one
    assert take_block(forest, 0, 2, 3) == 15  # smaller than its class: never from the list


def test_capacities_reach_the_most_moves():
    assert CAPACITIES[-1] >= 32_767
    assert np.all(np.diff(CAPACITIES) > 0)
    assert [int(CAPACITIES[capacity_class(n)]) for n in (1, 2, 3, 5, 7, 9, 33, 2049)] == [1, 2, 4, 6, 8, 12, 48, 3072]


def test_more_room_changes_nothing_else():
    forest = searcher_of(operator_of("average")).search(packed(OTHELLO, othello_states()), keys_for(4), 100).forest
    before = forest.visits.shape[1]
    larger = with_room(forest, before + 1000)
    for name, old in forest._asdict().items():
        new = getattr(larger, name)
        assert np.array_equal(new[:, :before] if name in forest._fields[:PER_NODE] else new, old)


@pytest.mark.parametrize("iterations", [2, 5, 40, 3000])
@pytest.mark.parametrize("expansion", ["node", "whole_path"])
def test_most_nodes(iterations, expansion):
    """No tree of a P-game has more nodes, and one that is searched to its end as many."""
    game = PGame(branching=3, depth=5)
    searcher = Searcher(game, Uniform(), Ucb1(exploration=5.0), operator_of("average"), Settings(expansion=expansion))
    roots = searcher.rules.starts(1)
    most = most_nodes(3, 5, iterations, expansion == "whole_path")
    forest = searcher.search(roots, keys_for(1), iterations).forest
    blocks = [(first, size) for first, size, free in blocks_of(forest, 0) if not free]
    nodes = sum(int((forest.visits[0, first : first + size] > 0).sum()) for first, size in blocks)
    assert nodes <= most <= 1 + 3 + 9 + 27 + 81 + 243
    assert iterations < 3000 or nodes == most


def same(one, other):
    """Whether two searches came to the same."""
    return all(np.array_equal(a, b) for a, b in zip(one.table, other.table, strict=True))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_forest_that_is_too_small_grows(monkeypatch, shape):
    """Growing it in the middle of a search gives what a forest large enough from the beginning gives."""
    states, keys = packed(OTHELLO, othello_states()), keys_for(4)
    searcher = searcher_of(operator_of("accelerated"), SHAPES[shape])
    plenty = searcher.search(states, keys, 1000)
    grown = []

    def spy(arrays, slots):
        grown.append(slots)
        return widened(arrays, slots)

    monkeypatch.setattr(tree_memory, "SLOTS_PER_NODE", 0.001)
    monkeypatch.setattr(tree_memory, "SPREAD", 0.0)
    monkeypatch.setattr(wave_module, "widened", spy)
    tight = searcher.search(states, keys, 1000)
    assert same(plenty, tight)
    assert shape in ("threshold", "root") or len(grown) >= 2
    assert plenty.principal_variation(0) == tight.principal_variation(0)


# -------------------------------------------------------------------------------------------------------------- memory


def test_bytes_a_node():
    """Average takes at most 32 bytes a node, the slack of the blocks included; measured 22.1 to 25.3."""
    searcher = searcher_of(operator_of("average"))
    forest = searcher.search(packed(OTHELLO, othello_states()[:2]), keys_for(2), 2000).forest
    slot_bytes = bytes_per_slot(Layout(1, OTHELLO.MAX_MOVES))
    assert bytes_per_slot(Layout(1, OTHELLO.MAX_MOVES, solve=True)) == slot_bytes + 1
    assert slot_bytes == sum(a.itemsize for a in forest[:5]) + forest.columns.itemsize == 22
    for tree in range(2):
        nodes = assert_sound(forest, tree, OTHELLO, othello_states()[tree], Settings())
        assert nodes == 2000
        assert forest.used[tree] * slot_bytes / nodes <= 32
    assert forest.visits.shape[1] * slot_bytes / 2000 <= 36  # what is set aside, most of it never touched


@pytest.mark.parametrize("operator", OPERATORS)
def test_documented_bytes_a_node(operator):
    """Every operator's docstring states what bytes_per_slot says."""
    option = type(operator_of(operator))
    stated = re.search(r"(\d+) bytes a node", option.__doc__)
    assert stated and int(stated[1]) == bytes_per_slot(Layout(len(option.COLUMNS)))


def test_waves_give_the_same():
    """Memory for two trees at a time, then for all: the same moves, visits and values."""
    states, keys = packed(OTHELLO, list(othello_states()) + [othello_states()[0]]), keys_for(5)
    operator = operator_of("accelerated")
    at_once = searcher_of(operator).search(states, keys, 400)
    slot_bytes = bytes_per_slot(Layout(len(operator.COLUMNS), OTHELLO.MAX_MOVES))
    limit = int(2.5 * searcher_of(operator).parts.memory.slots(400) * slot_bytes)
    in_waves = searcher_of(operator, memory_limit=limit)
    assert in_waves.wave(5, 400) == 2
    waves = in_waves.search(states, keys, 400)
    for tree in range(5):
        assert waves.root_children(tree) == at_once.root_children(tree)
    assert waves.decide().tolist() == at_once.decide().tolist()
    assert waves.forest is None
    with pytest.raises(ValueError, match="waves"):
        waves.principal_variation(0)


def test_too_little_memory_is_refused_with_the_arithmetic():
    searcher = searcher_of(operator_of("accelerated"), memory_limit=1 << 20)
    with pytest.raises(BadInput) as caught:
        searcher.search(packed(OTHELLO, othello_states()), keys_for(4), 1_000_000)
    message = str(caught.value)
    slots = searcher.parts.memory.slots(1_000_000)
    assert message.startswith("budget.iterations=1000000: a tree takes ")
    assert f"{slots:,} slots" in message
    assert f"{slots * bytes_per_slot(Layout(4, OTHELLO.MAX_MOVES)) / 2**20:,.1f} MiB" in message
    assert "\n" not in message


@pytest.mark.parametrize("moves", [1, 2, 33, 82, 271, 500])
def test_slots_that_children_take(moves):
    """All that a node's blocks take on their way to all of its children, and what a thread of a team makes sure of."""
    forest = empty_forest(1, 5 * moves, Layout(1))
    forest.used[0] = 1
    clear_node(forest, 0, ROOT, 0)
    forest.move_count[0, ROOT] = moves
    for move in range(moves):
        add_child(forest, 0, ROOT, move)
    assert forest.used[0] - 1 == slots_of_children(moves)
    assert team_of(2, 512, moves, moves, 4).node_slots == slots_of_children(moves)


@pytest.mark.parametrize("leaves", [64, 100, 1024])
@pytest.mark.parametrize("moves", [40, 218])
def test_chunks_grow_with_the_tree(leaves, moves):
    """Two needs of a thread at first, eight in a large tree: of a bundle's leaves, the coordinator's of large nodes."""
    threads, bundle, most = 16, 48, 16  # rows of a bundle and of what goes into one, at most
    of_leaves = max(bundle, min(leaves, 64)) * moves
    of_nodes = leaves // (most + 1) * slots_of_children(moves)
    team = team_of(threads, leaves, moves, moves, 4)
    forest = empty_forest(1, 1, Layout(1))
    for thread, need in ((0, max(of_leaves, of_nodes)), (1, of_leaves)):
        for used, times in ((1, 2), (256 * need, 4), (1_000_000_000, 8)):
            team.board[SLOTS], team.chunks[:] = used, 0
            ensure_chunk(forest, team, thread, need)
            assert list(team.chunks[thread, :2]) == [used, used + times * need]
            assert team.board[SLOTS] == used + times * need
