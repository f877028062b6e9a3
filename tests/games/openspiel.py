"""Random games of ours played in OpenSpiel too, which is asked at every ply."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from gpumcts.games.contract import SCORE_UNIT
from gpumcts.rng import key_of
from tests.games import drivers

Numbers = Callable[[np.ndarray, np.ndarray], Any]
Trace = Callable[[Any, np.ndarray], tuple[np.ndarray, np.ndarray, np.ndarray]]


def as_ours(moves: np.ndarray, earlier: np.ndarray) -> np.ndarray:
    """The numbers of a game whose moves have the same ones there."""
    return moves


def one_by_one(number_there: Callable[[int], int]) -> Numbers:
    """The numbers of moves by that of one."""
    return lambda moves, earlier: [number_there(int(move)) for move in moves]


def keys_from(first: int, games: int, path: int = 10) -> np.ndarray:
    """Keys of games ``first`` and on, uint64[games]."""
    return np.array([key_of(path, number) for number in range(first, first + games)], np.uint64)


def follow(
    game: Any,
    theirs: str,
    numbers_there: Numbers,
    keys: np.ndarray,
    trace: Trace = drivers.trace,
    repetition: bool = False,
) -> tuple[np.ndarray, np.ndarray, int]:
    """Play random games; at every ply the legal moves, the mover, the end and the result must be those of OpenSpiel.

    theirs : the game there, with its parameters
    numbers_there : their numbers of moves of ours (int64[N]) after earlier ones: [N], or [N, S] where a move of ours is
        S there
    keys : uint64[G] of the games; trace : plays them
    repetition : whether it ends games that repeat a position, as draws; they are followed until then

    Returns the states by game and ply, the plies of the games, and how many ended there as repetitions.
    """
    other_game = pytest.importorskip("pyspiel").load_game(theirs)
    words, played, plies = trace(game, keys)
    repeated = 0
    for g in range(len(keys)):
        states, other = words[g, : plies[g] + 1], other_game.new_initial_state()
        numbers, moves, _ = drivers.described(game, states, np.zeros(len(states), np.uint64))
        for ply in range(plies[g]):
            if repetition and other.is_terminal():
                assert other.returns() == [0.0, 0.0]
                repeated += 1
                break
            count, mover = numbers[ply, :2]
            assert count > 0 and mover == other.current_player()
            earlier = played[g, :ply]
            make_move(
                other,
                in_stages(numbers_there(moves[ply, :count], earlier)),
                in_stages(numbers_there(played[g, ply : ply + 1], earlier))[0],
            )
        else:
            assert numbers[plies[g], 0] == 0 and other.is_terminal()
            if not repetition or any(other.returns()):
                assert numbers[plies[g], 3] == other.returns()[0] * SCORE_UNIT
    return words, plies, repeated


def in_stages(numbers: Any) -> np.ndarray:
    """Numbers as int64[N, S]."""
    found = np.asarray(numbers, np.int64)
    return found[:, None] if found.ndim == 1 else found


def make_move(other: Any, legal: np.ndarray, chosen: np.ndarray) -> None:
    """Make a move there, stage by stage, each with the legal ones that go on from the stages before."""
    assert len(np.unique(legal, axis=0)) == len(legal), "a move has two numbers"
    for stage, action in enumerate(chosen.tolist()):
        assert np.unique(legal[:, stage]).tolist() == other.legal_actions()
        legal = legal[legal[:, stage] == action]
        other.apply_action(action)
    assert len(legal) == 1
