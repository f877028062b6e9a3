"""Compiled drivers of the rules of any game: random games, and properties of their states.

They are ``jit.entry`` points: a user's own game is a part of the source that their compiled code is kept for.
"""

from typing import Any

import numpy as np

from gpumcts.games import contract
from gpumcts.jit import entry, inlined
from gpumcts.rng import PLY_STEP, key_of

U = np.uint64
FAULTS = (
    "none",
    "mover is not 0, 1 or CHANCE",
    "there are more legal moves than MAX_MOVES",
    "the legal moves are not strictly increasing, or not in [0, 2^31)",
    "next_move and nth_move do not agree",
    "next_move goes on after the last move",
    "random_move or chance_move is not legal",
    "the evaluation of a position that is not over is beyond evaluation_limit",
    "remaining_plies is negative or not finite",
    "over answers yes before the end",
    "pack and unpack are not inverse for another stride",
    "overrun is not 0 before the end",
)
ENDINGS = (
    "none",
    "the score is outside [-SCORE_UNIT, SCORE_UNIT]",
    "playing on revived a finished game",
    "playing on changed the score",
    "over does not answer within 64 plies after the end",
    "overrun is not the number of plies past the end",
)


def keys_of(*path: int, count: int) -> np.ndarray:
    """Keys number 0 to count - 1 at ``path``, uint64[count]."""
    return np.array([key_of(*path, number) for number in range(count)], np.uint64)


@inlined
def _drawn(game, state, stream):
    if contract.mover(game, state) == contract.CHANCE:
        return contract.chance_move(game, state, stream)
    return contract.random_move(game, state, stream)


@entry
def _trace(game, keys, words, moves, plies):
    flat, room, width = words.reshape(-1), words.shape[1], words.shape[2]
    for g in range(keys.shape[0]):
        state, ply, stream = contract.start(game), 0, keys[g]
        contract.pack(game, state, flat, g * room * width, 1)
        while ply < room - 1 and contract.count_moves(game, state) > 0:
            moves[g, ply] = _drawn(game, state, stream)
            state = contract.play(game, state, moves[g, ply])
            ply += 1
            stream += PLY_STEP
            contract.pack(game, state, flat, (g * room + ply) * width, 1)
        plies[g] = ply


def trace(game: Any, keys: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random games: states uint64[G, P, W] by ply, moves int64[G, P], plies int64[G]; P is one above MAX_PLIES."""
    room = game.MAX_PLIES + 1
    words = np.zeros((len(keys), room, game.WORDS), np.uint64)
    moves, plies = np.full((len(keys), room), contract.NO_MOVE, np.int64), np.zeros(len(keys), np.int64)
    _trace(game, keys, words, moves, plies)
    return words, moves, plies


def positions(words: np.ndarray, plies: np.ndarray, ends: bool = True) -> np.ndarray:
    """The states of a trace, one after another, uint64[S, W], with or without the final ones."""
    return np.concatenate([words[g, : plies[g] + ends] for g in range(len(words))])


@inlined
def _is_legal(game, state, move):
    found = False
    for k in range(contract.count_moves(game, state)):
        found |= contract.nth_move(game, state, k) == move
    return found


@inlined
def _fault(game, state, stream, most, spare):
    count, who = contract.count_moves(game, state), contract.mover(game, state)
    if who not in (0, 1, contract.CHANCE):
        return 1
    if count > most:
        return 2
    before = np.int64(contract.NO_MOVE)
    for k in range(count):
        move = contract.nth_move(game, state, k)
        if move <= before or move >= 1 << 31:
            return 3
        for between in range(before, min(move, before + 70)):
            if contract.next_move(game, state, between) != move:
                return 4
        before = move
    if contract.next_move(game, state, before) != contract.NO_MOVE:
        return 5
    if count > 0:
        if not _is_legal(game, state, _drawn(game, state, stream)):
            return 6
        if abs(contract.evaluation(game, state)) > contract.evaluation_limit(game):
            return 7
        if not 0.0 <= contract.remaining_plies(game, state) < 1e9:
            return 8
        if contract.over(game, state):
            return 9
        if contract.overrun(game, state) != 0:
            return 11
    contract.pack(game, state, spare, 3, 5)
    if contract.unpack(game, spare, 3, 5) != state:
        return 10
    return 0


@entry
def _first_fault(game, states, keys, most, spare):
    flat, width = states.reshape(-1), states.shape[1]
    for s in range(states.shape[0]):
        fault = _fault(game, contract.unpack(game, flat, s * width, 1), keys[s % keys.shape[0]], most, spare)
        if fault > 0:
            return s, fault
    return -1, 0


def first_fault(game: Any, states: np.ndarray, keys: np.ndarray) -> tuple[int, str]:
    """The first state (uint64[S, W]) of a random game that breaks the contract and how; (-1, "none") if none does."""
    spare = np.zeros(3 + 5 * game.WORDS, np.uint64)
    at, fault = _first_fault(game, states, keys, game.MAX_MOVES, spare)
    return at, FAULTS[fault]


@inlined
def _ending(game, state, stream, unit):
    result = contract.score(game, state)
    if abs(result) > unit:
        return 1
    past = 0
    while not contract.over(game, state):
        state = contract.play(game, state, contract.random_move(game, state, stream))
        stream += PLY_STEP
        past += 1
        if contract.count_moves(game, state) != 0:
            return 2
        if contract.score(game, state) != result:
            return 3
        if past == 64:
            return 4
    if contract.overrun(game, state) != past:
        return 5
    for further in range(1, 65):
        state = contract.play(game, state, contract.random_move(game, state, stream + U(further) * PLY_STEP))
        if contract.count_moves(game, state) != 0:
            return 2
        if contract.score(game, state) != result:
            return 3
    return 0


@entry
def _first_ending(game, states, keys, unit):
    flat, width = states.reshape(-1), states.shape[1]
    for s in range(states.shape[0]):
        fault = _ending(game, contract.unpack(game, flat, s * width, 1), keys[s], unit)
        if fault > 0:
            return s, fault
    return -1, 0


def first_bad_ending(game: Any, ends: np.ndarray, keys: np.ndarray, unit: int) -> tuple[int, str]:
    """The first finished state (uint64[S, W]) that does not stay finished as lanes need it, and what happened."""
    at, fault = _first_ending(game, ends, keys, unit)
    return at, ENDINGS[fault]


@entry
def _described(game, states, streams, numbers, moves, remaining):
    flat, width = states.reshape(-1), states.shape[1]
    for s in range(states.shape[0]):
        state = contract.unpack(game, flat, s * width, 1)
        count, who = contract.count_moves(game, state), contract.mover(game, state)
        numbers[s, 0], numbers[s, 1], numbers[s, 2] = count, who, np.int64(contract.over(game, state))
        for k in range(min(count, moves.shape[1])):  # a count beyond MAX_MOVES is told of elsewhere
            moves[s, k] = contract.nth_move(game, state, k)
        if count == 0:
            numbers[s, 3] = contract.score(game, state)
        else:
            numbers[s, 3] = contract.evaluation(game, state)
            numbers[s, 4] = _drawn(game, state, streams[s])
            remaining[s] = contract.remaining_plies(game, state)


def described(game: Any, states: np.ndarray, streams: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What compiled code says of states (uint64[S, W]).

    numbers int64[S, 5]: count_moves, mover, over, score where finished and evaluation elsewhere, the move drawn from
    ``streams[s]``; the legal moves int64[S, MAX_MOVES], filled with NO_MOVE, those beyond left out;
    remaining_plies float64[S].
    """
    numbers = np.zeros((len(states), 5), np.int64)
    moves, remaining = np.full((len(states), game.MAX_MOVES), contract.NO_MOVE, np.int64), np.zeros(len(states))
    _described(game, states, streams, numbers, moves, remaining)
    return numbers, moves, remaining
