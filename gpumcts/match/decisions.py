"""What the players decide: each is asked for the moves of a batch, is timed, and its answer is checked (``answers``).

A choice is a function of the position and of the key (seed, game, ply), so it does not matter in which batch it is
made, or when.
"""

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gpumcts.game_keys import keys_of
from gpumcts.games.contract import CHANCE
from gpumcts.match.answers import Decision, check, reasoned, reported
from gpumcts.match.batches import Batch
from gpumcts.match.game_batch import GameBatch
from gpumcts.players.contract import AnyPlayer, ExternalPlayer, WinRateReporter
from gpumcts.rng import key_of


class _Question(NamedTuple):
    """What a player is asked: a move in each of ``games`` (int64[K]).

    states : uint64[K, W], packed; keys : uint64[K], ``key_of(seed, game, ply)``. All arrays are the player's own.
    """

    game_batch: GameBatch
    games: np.ndarray
    states: np.ndarray
    keys: np.ndarray


class Decider:
    """Asks both players of a match, and draws the moves of chance.

    players : those of the match; at_once : batches that they may be asked about at the same time
    stop : ends the match
    seconds_a_position : what it took each player in the latest batch; 0 before the first
    """

    def __init__(self, players: tuple[AnyPlayer, AnyPlayer], seed: int, at_once: int, stop: threading.Event) -> None:
        self.players, self._root, self._stop = players, key_of(seed), stop
        self._ask, self._read = zip(*(_ways(player) for player in players), strict=True)
        self._asking = threading.Semaphore(at_once)
        self._counting = threading.Lock()  # guards what follows against two batches at once
        self._chosen = [0, 0]
        self.seconds_a_position = [0.0, 0.0]

    @property
    def chosen(self) -> tuple[int, int]:
        """Moves that each player chose so far, repeated ones too."""
        first, second = self._chosen
        return first, second

    def decide(self, game_batch: GameBatch, batch: Batch) -> Decision | None:
        """The moves of ``batch``, or None where the match is halted: a search cut short may choose otherwise.

        Raises BadInput for an illegal move of a player that is not trusted, and for an answer that is none.
        """
        turn, games = batch
        states, keys = game_batch.states[games], keys_of(self._root, games, game_batch.plies[games])
        if turn == CHANCE:
            return Decision(game_batch.rules.random_moves(states, keys))
        question = _Question(game_batch, games.copy(), states, keys)
        decision = self._answer(turn, question)
        if decision is not None:
            check(decision, game_batch, games, self.players[turn])
        return decision

    def _answer(self, turn: int, question: _Question) -> Decision | None:
        """What player ``turn`` answers, once there is room to ask; None where the match is halted."""
        with self._asking:
            if self._stop.is_set():
                return None
            begin = time.perf_counter()
            try:
                answer = self._ask[turn](question, self._stop)
                with self._counting:
                    self._chosen[turn] += len(question.games)
                    self.seconds_a_position[turn] = (time.perf_counter() - begin) / len(question.games)
            except KeyboardInterrupt:
                if self._stop.is_set():
                    return None
                raise
            return None if self._stop.is_set() else self._read[turn](answer)


def _ways(player: AnyPlayer) -> tuple[Callable[[_Question, threading.Event], Any], Callable[[Any], Decision]]:
    """How ``player`` is asked, and how its answer is read.

    Its protocol is looked up here, once: that takes as long as a small batch's moves.
    """
    if isinstance(player, ExternalPlayer):
        return partial(_ask_external, player), partial(reasoned, player.name)
    if isinstance(player, WinRateReporter):
        return partial(_ask_for, player.choose_and_tell), partial(reported, player.name)
    return partial(_ask_for, player.choose), Decision


def _ask_for(choose: Callable[..., Any], question: _Question, stop: threading.Event) -> Any:
    return choose(question.states, question.keys, question.games, stop)


def _ask_external(player: ExternalPlayer, question: _Question, stop: threading.Event) -> Any:
    game_batch, games, states, keys = question
    before = [list(game_batch.moves.get(game, ())) for game in games.tolist()]
    return player.choose_after(before, states, keys, games, stop)
