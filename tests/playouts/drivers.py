"""Compiled drivers that work for every policy on every game, and the policies that the conformance suite runs over."""

import re
from typing import Any

import numba
import numpy as np
from numba import njit

from gpumcts import options
from gpumcts.games import contract
from gpumcts.jit import SEPARATE
from gpumcts.playouts.contract import outcome, play_out, plays, ply_by_ply, whole_playout
from gpumcts.rng import key_of
from tests.games.drivers import for_tests, has_stages, keys_of, variants
from tests.reference.playout import legal_moves

GAMES = for_tests()
POLICIES = {
    f"{name}-{variant}": policy
    for name in options.names("playout")
    for variant, policy in variants(options.option("playout", name)).items()
}
PAIRS = [
    (g, p)
    for g in GAMES
    for p in POLICIES
    if plays(POLICIES[p], GAMES[g]) and (not p.startswith("staged") or has_stages(GAMES[g]))
]
"""Names of games and policies to try together; where a game has no stages, playouts in stages are the uniform ones."""
SLOW_TO_COMPILE = {"amazons", "chess", "go", "gomoku", "havannah"}
RECORDED = [(g, p) for g, p in PAIRS if g not in SLOW_TO_COMPILE or not p.startswith("minimax") or p == "minimax-least"]
"""Those whose outcomes are kept in a file (``signatures``): those that compile in time."""
SYNTHETIC = {"deceptive", "implanted", "pgame", "sailing", "shortest_path"}
DEPTH_OF_OTHERS = {("dots_and_boxes", "minimax-greatest"), ("dice_duel", "minimax-least")}
"""Of Othello two depths are quick, of two more games one each."""
QUICK = [
    (g, p)
    for g, p in RECORDED
    if (not p.startswith("minimax") or g == "othello" or (g, p) in DEPTH_OF_OTHERS)
    and (g != "othello" or p != "minimax-greatest")
    and (g not in SYNTHETIC or p == "uniform-default" or (g, p) == ("pgame", "evaluation-default"))
    and (g not in ("connect_four", "gomoku") or p == "uniform-default")
    and g not in ("amazons", "chess", "go")  # their own tests play
]
"""Those that neither compile long nor play long in plain Python; of games that are alike not every policy."""
FLOATING = re.compile(r"\b(double|float|half|f(?:add|sub|mul|div|rem|neg|cmp)|[su]itofp|fpto[su]i)\b")


@njit(nogil=True, error_model="numpy")  # not from the cache, whose code cannot be read as text
def _playouts(game, policy, states, keys, lasts, found):
    flat, out, width = states.reshape(-1), lasts.reshape(-1), states.shape[1]
    for s in range(states.shape[0]):
        last, plies = play_out(game, policy, contract.unpack(game, flat, s * width, 1), keys[s])
        contract.pack(game, last, out, s * width, 1)
        found[s, 0] = outcome(policy, game, last)
        found[s, 1] = plies
        found[s, 2] = contract.overrun(game, last)
        found[s, 3] = contract.count_moves(game, last)


def playouts(game: Any, policy: Any, states: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """One playout from each of ``states`` (uint64[S, W]): last states uint64[S, W] and int64[S, 4].

    The four columns: outcome, plies, plies of these past the end, legal moves of the last state.
    """
    lasts, found = np.zeros_like(states), np.zeros((len(states), 4), np.int64)
    _playouts(game, options.compiled(policy), states, keys, lasts, found)
    return lasts, found


@njit(**SEPARATE)
def _both_ways(game, policy, states, keys, whole, by_plies):
    flat, width = states.reshape(-1), states.shape[1]
    for s in range(states.shape[0]):
        state = contract.unpack(game, flat, s * width, 1)
        whole[s, 0], whole[s, 1] = whole_playout(policy, game, state, keys[s])
        by_plies[s, 0], by_plies[s, 1] = ply_by_ply(policy, game, state, keys[s])


def both_ways(game: Any, policy: Any, states: np.ndarray, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(score, plies) of a playout from each of ``states``, int64[S, 2]: by ``whole_playout``, and ply by ply."""
    whole, by_plies = np.zeros((len(states), 2), np.int64), np.zeros((len(states), 2), np.int64)
    _both_ways(game, options.compiled(policy), states, keys, whole, by_plies)
    return whole, by_plies


def code_of_playouts(game: Any, policy: Any) -> str:
    """The LLVM code of the driver above for a game and a policy."""
    states, keys, found = np.zeros((1, game.WORDS), np.uint64), np.zeros(1, np.uint64), np.zeros((1, 4), np.int64)
    arguments = (game, options.compiled(policy), states, keys, states, found)
    signature = tuple(numba.typeof(argument) for argument in arguments)
    _playouts.compile(signature)
    return _playouts.inspect_llvm(signature)


def chosen(game: Any, policy: Any, state: Any, keys: np.ndarray) -> np.ndarray:
    """The move that ``policy`` chooses in ``state`` under each of ``keys``, int64[K]; -1 where it is not a legal one.

    It is seen from the state after a playout of one ply, so that nothing more needs to be compiled.
    """
    states = np.array([state], np.uint64).repeat(len(keys), axis=0)
    lasts, _ = playouts(game, policy._replace(truncate=1), states, keys)
    moves = np.full(len(keys), contract.NO_MOVE, np.int64)
    for move in legal_moves(game, state):
        moves[(lasts == np.array(contract.play(game, state, move), np.uint64)).all(axis=1)] = move
    return moves


def starts(game: Any, count: int) -> np.ndarray:
    """``count`` starting positions, uint64[count, W]."""
    return np.array([contract.start(game)], np.uint64).repeat(count, axis=0)


def plain_outcomes(game: Any, policy: Any, count: int) -> list[list[int]]:
    """[outcome, plies, words of the last state ...] of playouts from the start, in plain Python."""
    found, policy = [], options.compiled(policy)
    for number in range(count):
        last, plies = play_out(game, policy, contract.start(game), key_of(20, number))
        found.append([int(outcome(policy, game, last)), int(plies), *map(int, last)])
    return found


def compiled_outcomes(game: Any, policy: Any, count: int) -> list[list[int]]:
    """The same from compiled code."""
    lasts, found = playouts(game, policy, starts(game, count), keys_of(20, count=count))
    return [[*row[:2].tolist(), *last.tolist()] for row, last in zip(found, lasts, strict=True)]
