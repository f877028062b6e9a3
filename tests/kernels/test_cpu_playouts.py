"""Playouts on the CPU: neither threads, nor lanes and their number, nor the size of a batch change an outcome."""

import threading

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.kernels import lane_check
from gpumcts.kernels.cpu import CpuPlayouts, TallyColumns
from gpumcts.kernels.playout_loop import LANE_COUNT, WIDTHS
from gpumcts.kernels.search_loop import searched_in_lanes
from gpumcts.options import compiled
from gpumcts.playouts.contract import in_lanes
from gpumcts.rng import child_key
from tests.kernels.drivers import GAMES, PAIRS, POLICIES, UNIFORM, digest, keys_for, positions
from tests.playouts.drivers import playouts as playouts_one_by_one

BATCHES = (1, 4, 5, 7, 8, 9, 16, 17, 1000, 10_000)
OTHER_WIDTHS = sorted({*WIDTHS} - {LANE_COUNT})
FEW = {"minimax 2": 40, "minimax 3, 4 plies": 20}


BOARDS = {"othello"}
"""Games with every policy among the quick tests; others with moves that no evaluation chooses: a pair takes seconds."""


DEAR = {"amazons", "chess", "deceptive", "go", "gomoku", "havannah", "implanted", "sailing"}
"""Games whose playouts compile long: tests of their own play them too, and of synthetic trees pgame stays."""


def parameters(pairs, boards=BOARDS, dear=False):
    """The pairs, those of games not in ``boards`` with an informed policy among the slow tests, and all DEAR ones."""
    informed = [pair for pair in pairs if pair[1] not in ("uniform", "staged")]
    slow = [
        pair for pair in informed if dear or pair[0] not in boards or pair[1] in ("minimax 3, 4 plies", "minimax 1")
    ] + [pair for pair in pairs if pair[0] in DEAR]
    slow += [pair for pair in pairs if dear and pair[0] != "othello"]
    return [pytest.param(*pair, marks=[pytest.mark.slow] if pair in slow else []) for pair in pairs]


@pytest.mark.parametrize("game, policy", parameters(PAIRS))
def test_threads_and_lanes(game, policy):
    leaves = FEW.get(policy, 500)
    states, keys = positions(GAMES[game], leaves), keys_for(leaves)
    one = CpuPlayouts(GAMES[game], POLICIES[policy]).tally(states, keys, 6)
    two = CpuPlayouts(GAMES[game], POLICIES[policy], threads=2).tally(states, keys, 6)
    one_by_one = CpuPlayouts(GAMES[game], POLICIES[policy], lanes=1).tally(states, keys, 6)
    assert digest(one) == digest(two) == digest(one_by_one)


def in_lockstep(game, policy):
    """Whether a policy is played in lanes on a game: by the plain loop, or by the one that searches."""
    value = compiled(policy)
    return in_lanes(value, game) or searched_in_lanes(game, value)


@pytest.mark.parametrize(
    "lanes, game, policy",
    [
        pytest.param(lanes, *pair.values, marks=pair.marks)
        for lanes in OTHER_WIDTHS
        for pair in parameters([p for p in PAIRS if GAMES[p[0]].LANES], {"othello"}, dear=True)
    ],
)
def test_the_number_of_lanes(game, policy, lanes):
    """More leaves than lanes, and fewer."""
    if not in_lockstep(GAMES[game], POLICIES[policy]):
        pytest.skip("played one by one whatever is asked for")
    leaves = FEW.get(policy, 300)
    states, keys = positions(GAMES[game], leaves), keys_for(leaves)
    usual, other = CpuPlayouts(GAMES[game], POLICIES[policy]), CpuPlayouts(GAMES[game], POLICIES[policy], lanes=lanes)
    for count in (leaves, 11):
        assert digest(other.tally(states[:count], keys[:count], 3)) == digest(
            usual.tally(states[:count], keys[:count], 3)
        )


@pytest.mark.parametrize("lanes", [-8, 2, 15, 64, True])
def test_other_numbers_of_lanes_are_refused(lanes):
    with pytest.raises(BadInput, match=f"lanes={lanes}: must be 1, for playouts one by one, or one of 8, 16, 32"):
        CpuPlayouts(GAMES["othello"], UNIFORM(), lanes=lanes)


@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=[pytest.mark.slow] if game in DEAR else []) for game in GAMES]
)
def test_batch_sizes(game):
    states, keys = positions(GAMES[game], max(BATCHES)), keys_for(max(BATCHES))
    engine = CpuPlayouts(GAMES[game], UNIFORM())
    whole = np.stack(engine.tally(states, keys))
    for size in BATCHES:
        assert np.array_equal(np.stack(engine.tally(states[:size], keys[:size])), whole[:, :size])


@pytest.mark.parametrize("policy", ["uniform", "uniform, 7 plies", "evaluation", "minimax 1, epsilon"])
@pytest.mark.parametrize("playouts", [1, 2, 7, 40])
def test_playouts_per_leaf(policy, playouts):
    """The tally of a leaf is the sum of its playouts, each under its own key."""
    game, leaves = GAMES["othello"], 9
    states, keys = positions(game, leaves), keys_for(leaves)
    with np.errstate(over="ignore"):
        each = np.array([child_key(key, np.uint64(p)) for key in keys for p in range(playouts)], np.uint64)
    found = playouts_one_by_one(game, POLICIES[policy], np.repeat(states, playouts, axis=0), each)[1]
    scores, plies = found[:, 0], found[:, 1] - found[:, 2]
    rows = np.stack([scores, scores > 0, scores == 0, plies]).reshape(4, leaves, playouts).sum(axis=2)
    assert digest(CpuPlayouts(game, POLICIES[policy]).tally(states, keys, playouts)) == digest(TallyColumns(*rows))


def test_no_leaves():
    tally = CpuPlayouts(GAMES["othello"], UNIFORM()).tally(np.zeros((0, 3), np.uint64), keys_for(0))
    assert tally.score.shape == (0,)


def test_stop():
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        CpuPlayouts(GAMES["othello"], UNIFORM()).tally(positions(GAMES["othello"], 10), keys_for(10), stop=stop)


needs_vectors = pytest.mark.skipif(not lane_check.has_vectors(), reason="this CPU has no AVX2")


def wide_operations(game, lanes, policy="uniform"):
    """Operations on several words at once in the machine code of playouts in lanes."""
    return lane_check.wide_operations(GAMES[game], compiled(POLICIES[policy]), lanes)


@needs_vectors
@pytest.mark.parametrize("lanes", [LANE_COUNT, *(pytest.param(n, marks=pytest.mark.slow) for n in OTHER_WIDTHS)])
def test_lanes_are_vectorised(lanes):
    """The step of Othello in vector registers."""
    assert wide_operations("othello", lanes) > 120  # a step is about 150 such operations


RANDOM = [(g, p) for g, p in PAIRS if p in ("uniform", "staged") and in_lanes(compiled(POLICIES[p]), GAMES[g])]


@needs_vectors
@pytest.mark.parametrize("game, policy", parameters([pair for pair in RANDOM if pair[0] != "othello"]))
def test_steps_said_to_be_branch_free_are_vectorised(game, policy):
    assert wide_operations(game, LANE_COUNT, policy) > lane_check.MIN_WIDE_OPERATIONS


def test_every_game_in_lanes_has_vector_code():
    """A game whose play is said to be branch-free is played in lanes by some policy, which the test above looks at."""
    assert {game for game, _ in RANDOM} == {name for name, game in GAMES.items() if game.LANES}


@pytest.mark.parametrize("leaves", [1, 300])
def test_one_state_for_all_leaves(leaves):
    """A view that repeats one state is as good as copies of it."""
    state, keys = positions(GAMES["othello"], 9)[8], keys_for(leaves)
    engine = CpuPlayouts(GAMES["othello"], UNIFORM())
    view, copies = np.broadcast_to(state, (leaves, len(state))), np.repeat(state[None], leaves, axis=0)
    assert digest(engine.tally(view, keys)) == digest(engine.tally(copies, keys))
