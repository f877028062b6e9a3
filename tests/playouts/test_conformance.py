"""Every playout policy keeps the contract on every game. A new policy is tested here without new test code."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from gpumcts import options
from gpumcts.games import contract
from gpumcts.games.contract import CHANCE, SCORE_UNIT
from gpumcts.playouts.contract import has_whole_playout
from tests.games.drivers import GAMES as INSTANCES
from tests.games.drivers import keys_of, positions, trace
from tests.playouts import plain, signatures
from tests.playouts.drivers import (
    FLOATING,
    GAMES,
    PAIRS,
    POLICIES,
    QUICK,
    both_ways,
    chosen,
    code_of_playouts,
    compiled_outcomes,
    plain_outcomes,
    playouts,
    starts,
)
from tests.reference.playout import legal_moves, rescaled_evaluation

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
every_policy = pytest.mark.parametrize("policy", POLICIES.values(), ids=POLICIES)
PLAYING = {name: policy for name, policy in POLICIES.items() if "truncate" in policy._fields}  # the others make no move


def parameters(pairs):
    """Games and policies by name as parameters of a test."""
    return [
        pytest.param(GAMES[g], POLICIES[p], id=f"{p}-{g}", marks=[] if (g, p) in QUICK else [pytest.mark.slow])
        for g, p in pairs
    ]


every_pair = pytest.mark.parametrize("game, policy", parameters(PAIRS))
every_playing_pair = pytest.mark.parametrize("game, policy", parameters([(g, p) for g, p in PAIRS if p in PLAYING]))


def some_states(game):
    """A few states of random games where a player has a choice."""
    words, _, plies = trace(game, keys_of(21, count=3))
    states = [contract.unpack(game, row, 0, 1) for row in positions(words, plies)]
    states = [s for s in states if contract.count_moves(game, s) > 1 and contract.mover(game, s) != CHANCE]
    return states[:: max(1, len(states) // 8)]


@every_policy
def test_class_attributes(policy):
    assert isinstance(policy.LANES, bool)
    assert hash(policy) == hash(type(policy)(*policy)), "an option is a key"


@every_playing_pair
def test_chosen_moves_are_legal(game, policy):
    for state in some_states(game):
        assert set(chosen(game, policy, state, keys_of(22, count=200))) <= set(legal_moves(game, state))


@every_pair
def test_plain_python_gives_the_outcomes_of_compiled_code(game, policy):
    assert plain_outcomes(game, policy, 3) == compiled_outcomes(game, policy, 3)


@every_playing_pair
def test_playouts_that_are_not_cut_end_with_the_game(game, policy):
    count = 100
    for truncate in (0, 65_535):
        cut = policy._replace(truncate=truncate)
        lasts, found = playouts(game, cut, starts(game, count), keys_of(23, count=count))
        outcomes, plies, past, moves = found.T
        assert (moves == 0).all() and (plies - past <= game.MAX_PLIES).all() and (past >= 0).all()
        assert (np.abs(outcomes) <= SCORE_UNIT).all()
        states = [contract.unpack(game, row, 0, 1) for row in lasts]
        assert outcomes.tolist() == [contract.score(game, state) for state in states]
        if game.MAX_MOVES > 1:
            assert len(np.unique(lasts, axis=0)) > 1, "keys make no difference"


@every_playing_pair
@pytest.mark.parametrize("truncate", [1, 3])
def test_a_playout_that_is_cut_is_the_beginning_of_the_whole_one(game, policy, truncate):
    count = 30
    keys = keys_of(24, count=count)
    lasts, found = playouts(game, policy._replace(truncate=truncate), starts(game, count), keys)
    whole, entire = playouts(game, policy._replace(truncate=0), starts(game, count), keys)
    assert np.array_equal(found[:, 1] - found[:, 2], np.minimum(truncate, entire[:, 1] - entire[:, 2]))
    for row, end, (outcome, plies, _, moves), key in zip(lasts, whole, found.tolist(), keys, strict=True):
        state = contract.unpack(game, row, 0, 1)
        assert plies == truncate or moves == 0
        assert outcome == (rescaled_evaluation(game, state) if moves else contract.score(game, state))
        # The rest of the playout, under the key moved on by the plies gone, arrives where the whole one did.
        further = key + np.uint64(plies * 0x9E3779B97F4A7C15 % 2**64)
        again, _ = playouts(game, policy._replace(truncate=0), row[None], np.array([further], np.uint64))
        assert np.array_equal(again[0], end)


@every_pair
def test_a_finished_game_needs_no_playout(game, policy):
    words, _, plies = trace(game, keys_of(25, count=50))
    ends = words[np.arange(len(plies)), plies]
    _, found = playouts(game, policy, ends, keys_of(26, count=50))
    scores = [contract.score(game, contract.unpack(game, row, 0, 1)) for row in ends]
    assert found[:, 0].tolist() == scores
    assert (found[:, 1] == found[:, 2]).all()


PLAYED_WHOLE = [
    pytest.param(
        game,
        policy,
        id=f"{name}-{kind}",
        marks=[] if name == "havannah-least" else [pytest.mark.slow],
    )
    for name, game in INSTANCES.items()
    for kind, policy in PLAYING.items()
    if has_whole_playout(options.compiled(policy), game)
]
"""Policies that games play in a way of their own; of the boards of a game one is quick."""


def test_a_playout_of_the_games_own_is_there():
    assert PLAYED_WHOLE


@pytest.mark.parametrize("game, policy", PLAYED_WHOLE)
def test_whole_playouts_are_those_ply_by_ply(game, policy):
    """Outcomes and plies from the start, from all positions of some games, their ends too, and cut."""
    words, _, plies = trace(game, keys_of(27, count=6))
    states = np.concatenate([starts(game, 300), positions(words, plies)])
    keys = keys_of(28, count=len(states))
    for truncate in (0, 5):
        cut = policy._replace(truncate=truncate)
        whole, ply_by_ply = both_ways(game, cut, states, keys)
        assert np.array_equal(whole, ply_by_ply)
        assert len(np.unique(whole[:300], axis=0)) > 10 or truncate


@every_pair
def test_no_floating_point(game, policy):
    code = code_of_playouts(game, policy)
    assert len(code) > 10_000
    assert not {match.group() for match in FLOATING.finditer(code)}


def test_floating_point_would_be_seen():
    code = "%.9 = fmul double %.7, %.8"
    assert FLOATING.search(code) and FLOATING.search("sitofp i64 %x to double")


def test_signatures():
    """Outcomes at a fixed seed, to change on purpose only: ``python -m tests.playouts.signatures`` writes them anew."""
    recorded = signatures.recorded()
    names = [f"{game} {policy}" for game, policy in QUICK]
    assert set(names) <= set(recorded)
    assert signatures.computed(names) == {name: recorded[name] for name in names}


@pytest.mark.slow
def test_all_signatures():
    assert signatures.computed(signatures.recorded()) == signatures.recorded()


def test_outcomes_without_compilation():
    """The same playouts in a process where numba compiles nothing."""
    root = Path(__file__).parents[2]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(root)}
    command = [sys.executable, "-m", plain.__name__]
    done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")  # no warning either: words wrap around on purpose
    theirs = json.loads(done.stdout)
    assert theirs == {
        f"{game} {policy}": compiled_outcomes(GAMES[game], POLICIES[policy], plain.PLAYOUTS) for game, policy in QUICK
    }
