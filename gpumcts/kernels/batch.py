"""The rules of one game for batches of packed states, compiled; what players, matches and commands use of a game."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from gpumcts.compiling.class_names import title
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.contract import (
    CHANCE,
    NO_MOVE,
    chance_move,
    count_moves,
    move_after,
    mover,
    next_move,
    pack,
    play,
    random_move,
    score,
    unpack,
    with_history,
)
from gpumcts.jit import entry
from gpumcts.options import compiled

U = np.uint64
TURNS = 1 << 18
"""Of a perft in a call: 8 ms in Othello, 0.1 s in Amazons on one core."""
SECONDS_BETWEEN_SHARES = 0.2
PLIES_OF_SHARES = 3  # the share of a perft that is done is told by the moves of so many plies


@entry
def _play_batch(game, states, moves, after):
    words, out, width = states.reshape(-1), after.reshape(-1), states.shape[1]
    for b in range(states.shape[0]):
        pack(game, play(game, unpack(game, words, b * width, 1), moves[b]), out, b * width, 1)


@entry
def _describe_batch(game, states, counts, movers):
    words, width = states.reshape(-1), states.shape[1]
    for b in range(states.shape[0]):
        state = unpack(game, words, b * width, 1)
        counts[b] = count_moves(game, state)
        movers[b] = mover(game, state)


@entry
def _score_batch(game, states, scores):
    words, width = states.reshape(-1), states.shape[1]
    for b in range(states.shape[0]):
        scores[b] = score(game, unpack(game, words, b * width, 1))


@entry
def _random_batch(game, states, keys, moves):
    words, width = states.reshape(-1), states.shape[1]
    for b in range(states.shape[0]):
        state = unpack(game, words, b * width, 1)
        if mover(game, state) == CHANCE:
            moves[b] = chance_move(game, state, keys[b])
        else:
            moves[b] = random_move(game, state, keys[b])


@entry
def _look_back(game, states, earlier):
    state = with_history(game, unpack(game, states.reshape(-1), 0, 1), earlier)
    pack(game, state, states.reshape(-1), 0, 1)


@entry
def _legal_moves(game, states, moves):
    state = unpack(game, states.reshape(-1), 0, 1)
    move = np.int64(NO_MOVE)
    for k in range(moves.shape[0]):
        move = np.int64(move_after(game, state, move, k))
        moves[k] = move


@entry
def _perft(game, depth, words, moves, level, turns):
    """At most so many ``turns`` of a perft by a stack: level d of ``words`` is the state after d plies.

    Returns the level to go on at, -1 at the end; what was found of positions at ``depth``, and of games over before.
    """
    width = len(words) // (depth + 1)
    nodes, finished = 0, 0
    while level >= 0 and turns > 0:
        turns -= 1
        state = unpack(game, words, level * width, 1)
        if level == depth - 1:
            count = count_moves(game, state)
            nodes += count
            finished += count == 0
            level -= 1
            continue
        fresh = moves[level] == NO_MOVE
        moves[level] = next_move(game, state, moves[level])
        if moves[level] == NO_MOVE:
            finished += fresh
            level -= 1
            continue
        pack(game, play(game, state, moves[level]), words, (level + 1) * width, 1)
        level += 1
        moves[level] = NO_MOVE
    return level, nodes, finished


def check_batch(game: Any, states: np.ndarray, keys: np.ndarray | None) -> None:
    """Refuse what is not B states uint64[B, W] of a compiled ``game``, with B ``keys`` or None. Raises BadInput.

    Compiled code, which checks no bounds, would read beyond the arrays; and it draws other numbers from signed keys.
    """
    shape = _shape(states)
    if len(shape) != 2 or shape[1] != game.WORDS or not _is_unsigned(states):
        raise BadInput(f"states: must be uint64[B, {game.WORDS}], positions of {title(game)}, not {_said(states)}")
    if keys is not None and (_shape(keys) != shape[:1] or not _is_unsigned(keys)):
        raise BadInput(f"keys: must be uint64[{shape[0]}], one for each of the states, not {_said(keys)}")


def _shape(array: Any) -> tuple[int, ...]:
    return getattr(array, "shape", ())


def _is_unsigned(array: Any) -> bool:
    return getattr(array, "dtype", None) == np.uint64


def _said(array: Any) -> str:
    return f"{array.dtype}{list(array.shape)}" if hasattr(array, "dtype") else f"a {type(array).__name__}"


class Rules:
    """Compiled rules of ``game`` (an option value) on batches; states are uint64[B, W], moves int64[B]."""

    def __init__(self, game: Any) -> None:
        self.game = compiled(game)
        self.width: int = self.game.WORDS

    def starts(self, count: int) -> np.ndarray:
        """``count`` starting positions, uint64[count, W]."""
        return np.tile(self.words(contract.start(self.game)), (count, 1))

    def play(self, states: np.ndarray, moves: np.ndarray) -> np.ndarray:
        """The states after legal ``moves``, uint64[B, W]; legality is not checked."""
        after = np.empty_like(states)
        _play_batch(self.game, states, moves, after)
        return after

    def with_history(self, state: np.ndarray, earlier: np.ndarray) -> np.ndarray:
        """``contract.with_history`` of a packed state, uint64[W], after ``earlier`` ones, uint64[k, W]; a new array."""
        states = state.reshape(1, -1).copy()
        _look_back(self.game, states, np.ascontiguousarray(earlier))
        return states[0]

    def describe(self, states: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Number of legal moves, int64[B] (0 where the game is over), and movers, int64[B] (0, 1 or 2 = chance)."""
        counts, movers = np.empty(len(states), np.int64), np.empty(len(states), np.int64)
        _describe_batch(self.game, states, counts, movers)
        return counts, movers

    def count_moves(self, states: np.ndarray) -> np.ndarray:
        """Number of legal moves, int64[B]; 0 where the game is over."""
        return self.describe(states)[0]

    def movers(self, states: np.ndarray) -> np.ndarray:
        """Who moves, int64[B]: 0, 1, or 2 where chance does."""
        return self.describe(states)[1]

    def scores(self, states: np.ndarray) -> np.ndarray:
        """Scores of finished games for the first player, int64[B] in [-SCORE_UNIT, SCORE_UNIT]."""
        scores = np.empty(len(states), np.int64)
        _score_batch(self.game, states, scores)
        return scores

    def random_moves(self, states: np.ndarray, keys: np.ndarray) -> np.ndarray:
        """A random legal move of each state under ``keys`` uint64[B] by ``move_weight``; an outcome if chance moves."""
        moves = np.empty(len(states), np.int64)
        _random_batch(self.game, states, keys, moves)
        return moves

    def legal_moves(self, state: np.ndarray) -> np.ndarray:
        """The legal moves of one packed state (uint64[W]), increasing, int64[n]."""
        states = state.reshape(1, -1)
        moves = np.empty(int(self.count_moves(states)[0]), np.int64)
        _legal_moves(self.game, states, moves)
        return moves

    def perft(self, state: np.ndarray, depth: int) -> int:
        """Number of move sequences of length ``depth`` from one packed state (uint64[W])."""
        return self.perft_and_finished(state, depth)[0]

    def perft_and_finished(
        self, state: np.ndarray, depth: int, on_share: Callable[[float], None] | None = None
    ) -> tuple[int, int]:
        """``perft``, and the number of games that are over before; some published counts (Othello's) are their sum.

        on_share : told now and then which share of the work is done, in [0, 1], as if all moves led to equally many
        """
        told = time.monotonic()
        words, moves = np.empty((depth + 1) * self.width, np.uint64), np.empty(depth + 1, np.int64)
        words[: self.width], moves[0] = state, NO_MOVE
        level, nodes, finished = 0, int(depth == 0), 0
        while level >= 0 and depth > 0:  # Ctrl-C is heard between two calls of compiled code
            level, more, over = _perft(self.game, depth, words, moves, level, TURNS)
            nodes, finished = nodes + int(more), finished + int(over)
            if on_share is not None and level >= 0 and time.monotonic() - told > SECONDS_BETWEEN_SHARES:
                on_share(self._share_done(words.reshape(depth + 1, -1), moves, level))
                told = time.monotonic()
        return nodes, finished

    def _share_done(self, states: np.ndarray, moves: np.ndarray, level: int) -> float:
        """The share of a perft that is done: what is before ``moves`` above a level, and theirs at it with its own."""
        share, width = 0.0, 1.0
        for ply in range(min(level + 1, PLIES_OF_SHARES)):
            legal = self.legal_moves(states[ply])
            width /= max(len(legal), 1)  # a finished game has none
            share += width * float(np.searchsorted(legal, moves[ply], "right" if ply == level else "left"))
        return share

    def state(self, words: np.ndarray) -> Any:
        """One packed state (uint64[W]) as the game's NamedTuple, for the text verbs."""
        with np.errstate(over="ignore"):
            return contract.unpack(self.game, words, 0, 1)

    def words(self, state: Any) -> np.ndarray:
        """The game's NamedTuple as a packed state, uint64[W]."""
        words = np.empty(self.width, np.uint64)
        contract.pack(self.game, state, words, 0, 1)
        return words
