"""Traces: who was first to play where, the same by every loop, in memory and in registers."""

import numpy as np
import pytest
from numba import njit

from gpumcts.games import contract
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.othello import Othello
from gpumcts.jit import SEPARATE
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.playouts.contract import (
    has_traced_playout,
    has_whole_playout,
    mark,
    traced_playout,
    traced_ply_by_ply,
    whole_playout,
)
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.traces import TracedWhole, marked, traced
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import key_of
from tests.games.drivers import GAMES as INSTANCES
from tests.games.drivers import keys_of, positions, trace
from tests.reference.rave import plain_playouts, read

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
GAMES = {"othello": Othello(), "dots_and_boxes": DotsAndBoxes()}
LEAVES, PLAYOUTS = 12, 3
POINTS = {name: game for name, game in INSTANCES.items() if hasattr(game, "CELLS")}
OWN = [name for name, game in POINTS.items() if has_traced_playout(Uniform(), game)]
QUICK = ("havannah-5-True", "go-default")  # in plain Python


class Own(DotsAndBoxes):
    """Dots and boxes that plays on its own way, which is to note how often it does."""


@whole_playout.implements(Uniform, Own)
def own_whole_playout(policy, game, state, key):
    return np.int64(7), np.int64(8)


@traced_playout.implements(Uniform, Own)
def own_traced_playout(policy, game, state, key, trace):
    score, plies = traced_ply_by_ply(policy, game, state, key, trace)
    return score, plies + 1000  # to be told from the default


def leaves(game, played):
    """Positions of random games as the loops take them for ``played``: an empty trace behind each."""
    words, _, plies = trace(game, keys_of(31, count=4))
    found = positions(words, plies)
    rows = np.zeros((LEAVES, played.WORDS), np.uint64)
    rows[:, : game.WORDS] = found[:: len(found) // LEAVES][:LEAVES]
    return rows


def columns(game, policy, lanes, kind=None):
    """Tallies of a few leaves with their traces."""
    played = traced(game, policy)
    assert kind is None or type(played) is kind
    engine = CpuPlayouts(played, policy, lanes=lanes)
    return engine.columns(leaves(game, played), keys_of(32, count=LEAVES), PLAYOUTS)


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_loop_keeps_the_same(game):
    one_by_one = columns(game, Uniform(), 1)
    assert one_by_one.shape == (LEAVES, 4 + PLAYOUTS * 3)
    assert np.array_equal(one_by_one[:, 4::3].sum(axis=1), one_by_one[:, 0])  # scores
    assert np.array_equal(columns(game, Uniform(), 16), one_by_one)


@pytest.mark.slow
@pytest.mark.parametrize("lanes", [8, 32])
@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_other_lanes_keep_the_same(game, lanes):
    assert np.array_equal(columns(game, Uniform(), lanes), columns(game, Uniform(), 1))


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_outcomes_are_those_without_traces(game):
    states, keys = leaves(game, game), keys_of(32, count=LEAVES)
    assert np.array_equal(
        CpuPlayouts(game, Uniform()).columns(states, keys, PLAYOUTS), columns(game, Uniform(), 16)[:, :4]
    )


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_traces_are_those_of_plain_python(game):
    found, play = columns(game, Uniform(), 16), plain_playouts(game)
    for row, state, key in zip(found[-3:], leaves(game, game)[-3:], keys_of(32, count=LEAVES)[-3:], strict=True):
        kept = [read(row[at : at + 3].tolist(), game.CELLS) for at in range(4, len(row), 3)]
        assert kept == play(contract.unpack(game, state, 0, 1), int(key), PLAYOUTS)


def test_playouts_that_are_cut_tell_of_what_was_played():
    game = GAMES["dots_and_boxes"]
    found = columns(game, Uniform(truncate=2), 16)
    played = [sum(int(word % 2**64).bit_count() for word in row[[5, 6, 8, 9, 11, 12]].tolist()) for row in found]
    assert played == found[:, 3].tolist() and max(played) == 2 * PLAYOUTS


@pytest.mark.slow
def test_other_policies_see_the_game_itself():
    """Informed playouts, one by one: cells add up to the plies, since a line is drawn once."""
    game, policy = GAMES["dots_and_boxes"], Minimax(depth=1).compiled()
    found = columns(game, policy, 16)
    words = found[:, [5, 6, 8, 9, 11, 12]].tolist()
    assert [sum((word % 2**64).bit_count() for word in row) for row in words] == found[:, 3].tolist()


def test_a_game_with_a_playout_of_its_own():
    plain = columns(DotsAndBoxes(), Uniform(), 16)
    own = columns(Own(), Uniform(), 16, TracedWhole)
    assert np.array_equal(own[:, 4:], plain[:, 4:]) and np.array_equal(own[:, :3], plain[:, :3])
    assert np.array_equal(own[:, 3], plain[:, 3] + 1000 * PLAYOUTS)


@njit(**SEPARATE)
def _both_ways(game, policy, states, keys, found, traces, other, by_plies):
    flat, width = states.reshape(-1), states.shape[1]
    for s in range(states.shape[0]):
        state = contract.unpack(game, flat, s * width, 1)
        found[s, 0], found[s, 1] = traced_playout(policy, game, state, keys[s], traces[s])
        other[s, 0], other[s, 1] = traced_ply_by_ply(policy, game, state, keys[s], by_plies[s])


def test_games_that_play_on_their_own_way_trace_on_it_too():
    """Or searches that learn from traces would play ply by ply."""
    assert [name for name, game in POINTS.items() if has_whole_playout(Uniform(), game)] == OWN
    assert set(QUICK) <= set(OWN)


@pytest.mark.slow
@pytest.mark.parametrize("name", OWN)
def test_own_traces_are_those_ply_by_ply(name):
    """Score, plies and trace: from the start, from all positions of some games, and cut."""
    game = POINTS[name]
    words, _, plies = trace(game, keys_of(34, count=3))
    states = np.concatenate([np.repeat(words[:1, 0], 100, axis=0), positions(words, plies)])
    keys, width = keys_of(35, count=len(states)), 2 * -(-game.CELLS // 64)
    for truncate in (0, 5):
        found, other = np.zeros((2, len(states), 2), np.int64)
        traces, by_plies = np.zeros((2, len(states), width), np.uint64)
        _both_ways(game, Uniform(truncate), states, keys, found, traces, other, by_plies)
        assert np.array_equal(found, other)
        assert np.array_equal(traces, by_plies)
        assert len(np.unique(traces[:100], axis=0)) > 50


@pytest.mark.parametrize("name", QUICK)
def test_own_traces_in_plain_python(name):
    """From the start and, where there is a swap, from the choice of the second player; with a trace and without."""
    game = POINTS[name]
    start = contract.start(game)
    for state, number in ((start, 0), (contract.play(game, start, 30), 1)):
        (one, two), key = np.zeros((2, 2 * -(-game.CELLS // 64)), np.uint64), key_of(36, number)
        played = traced_playout(Uniform(), game, state, key, one)
        assert played == traced_ply_by_ply(Uniform(), game, state, key, two)
        assert played == whole_playout(Uniform(), game, state, key)
        assert one.any() and one.tolist() == two.tolist()


@pytest.mark.parametrize("half", [1, 2, 6])
def test_who_was_first(half):
    """Words in registers, in memory, in plain Python and a dictionary, up to 19x19 points and beyond."""
    random = np.random.default_rng(int(key_of(33, half, 0) % 1000))
    players, cells = random.integers(0, 2, 300), random.integers(0, 64 * half + 5, 300)
    first, plain = {}, (np.uint64(0),) * (2 * half)
    in_memory = np.zeros(2 * half, np.uint64)
    for player, cell in zip(players, cells, strict=True):
        first.setdefault(int(cell), int(player))
        plain = marked(plain, player, cell)
        mark(in_memory, player, cell)
    expected = [0] * (2 * half)
    for cell, player in first.items():
        if cell < 64 * half:
            expected[half * player + cell // 64] |= 1 << cell % 64
    found = _compiled_marks(half, players, cells)
    assert [int(word) for word in plain] == expected
    assert in_memory.tolist() == expected
    assert found == (expected, expected)


def _compiled_marks(half, players, cells):
    """(in memory, in registers) from compiled code."""
    memory, words = np.zeros(2 * half, np.uint64), np.zeros(2 * half, np.uint64)
    _fill((np.uint64(0),) * (2 * half), players, cells, memory, words)
    return memory.tolist(), words.tolist()


@njit
def _fill(nothing, players, cells, memory, words):
    found = nothing
    for i in range(players.shape[0]):
        found = marked(found, players[i], cells[i])
        mark(memory, players[i], cells[i])
    for i in range(len(found)):
        words[i] = found[i]
