"""Progress of a running match: the finished games, and the players' expectations of the others."""

import time
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpumcts.match.batches import Batch
from gpumcts.match.game_batch import GameBatch
from gpumcts.players.contract import NOT_REPORTED, PROVEN_DRAW, PROVEN_LOSS, PROVEN_WIN

if TYPE_CHECKING:
    from gpumcts.match.statistics import Sprt


class Progress(NamedTuple):
    """Where a match stands.

    games : asked for; finished : of those; wins, draws, losses : of those, for ``players[0]``
    moves : played by this run; seconds : wall-clock time of this run
    earlier : moves of these games that earlier runs played
    ply : the greatest number of moves that an unfinished game has
    expected : of both players, the mean win rate in [0, 1] that the player reported with the last move in each
        unfinished game; None where the player reported none
    begun : unfinished games that have a move
    plies, finished_plies : of all games, chance's included, and of those that are finished
    chosen : moves that each player chose in this run, repeated ones included
    sprt : where the sequential test stands that ends the match, by the games it has looked at; None without one
    """

    games: int
    finished: int
    wins: int
    draws: int
    losses: int
    moves: int
    seconds: float
    earlier: int
    ply: int = 0
    expected: tuple[float | None, float | None] = (None, None)
    begun: int = 0
    plies: int = 0
    finished_plies: int = 0
    chosen: tuple[int, int] = (0, 0)
    sprt: "Sprt | None" = None

    def moves_in_all(self, plies_a_game: float) -> float:
        """About how many moves the match has, where a game of which nothing is known has ``plies_a_game``.

        Games that are finished tell how long the others are, but short ones finish first: so an unfinished one that has
        begun counts as one more of ``plies_a_game`` for the mean.
        """
        known = self.finished + self.begun
        mean = (self.finished_plies + self.begun * plies_a_game) / known if known else plies_a_game
        plies = max(self.finished_plies + (self.games - self.finished) * mean, self.plies)
        moves = self.earlier + self.moves
        return plies * moves / self.plies if self.plies and moves else plies


class Expectations:
    """The win rates that both players reported last in each of ``games`` games."""

    def __init__(self, games: int) -> None:
        self._rates = np.full((2, games), np.nan)

    def note(self, turn: int, games: np.ndarray, reported: np.ndarray) -> None:
        """Note what player ``turn`` reported in ``games`` (int64[K], all different; see ``WinRateReporter``)."""
        inside = games < self._rates.shape[1]
        self._rates[turn, games[inside]] = win_rates_of(reported[inside])

    def means(self, running: np.ndarray) -> tuple[float | None, float | None]:
        """The mean of each player over the games that are ``running`` (bool[G]) and have a reported win rate."""
        reported = [rates[running & ~np.isnan(rates)] for rates in self._rates]
        first, second = (float(rates.mean()) if len(rates) else None for rates in reported)
        return first, second


class Scoreboard:
    """Keeps count of games 0 to ``games - 1`` while this run plays them. The match locks it."""

    def __init__(self, game_batch: GameBatch, games: int) -> None:
        self._game_batch, self._numbers = game_batch, np.arange(games)
        self._begin = time.perf_counter()
        self._earlier = int(game_batch.plies[:games].sum())
        self._moves = 0
        self._results = np.zeros(3, np.int64)  # wins, draws and losses of players[0]
        self._expectations = Expectations(games)
        self._count(self._numbers[~game_batch.running(self._numbers)])

    def note(self, batch: Batch, reported: np.ndarray | None, ended: np.ndarray) -> None:
        """Note a move in each game of ``batch``.

        reported : int64[K], win rates that the player reported with the moves, or None
        ended : numbers of the games that ended with them
        """
        self._moves += len(batch.games)
        self._count(ended)
        if reported is not None:
            self._expectations.note(batch.turn, batch.games, reported)

    def _count(self, ended: np.ndarray) -> None:
        """Count the results of games that are over (int64[K])."""
        scores = self._game_batch.scores[ended]
        self._results += ((scores > 0).sum(), (scores == 0).sum(), (scores < 0).sum())

    def progress(self, chosen: tuple[int, int]) -> Progress:
        """Where the games stand; ``chosen`` : moves that each player chose in this run (``Decider.chosen``)."""
        wins, draws, losses = self._results.tolist()
        running, plies = self._game_batch.running(self._numbers), self._game_batch.plies[self._numbers]
        return Progress(
            games=len(self._numbers),
            finished=wins + draws + losses,
            wins=wins,
            draws=draws,
            losses=losses,
            moves=self._moves,
            seconds=time.perf_counter() - self._begin,
            earlier=self._earlier,
            ply=int(plies.max(where=running, initial=0)),
            expected=self._expectations.means(running),
            begun=int((running & (plies > 0)).sum()),
            plies=int(plies.sum()),
            finished_plies=int(plies[~running].sum()),
            chosen=chosen,
        )


def win_rates_of(reported: np.ndarray) -> np.ndarray:
    """Reported win rates (int64[K]) in [0, 1], float64[K]; NaN where none was reported."""
    known = [reported == NOT_REPORTED, reported == PROVEN_LOSS, reported == PROVEN_DRAW, reported == PROVEN_WIN]
    return np.select(known, [np.nan, 0.0, 0.5, 1.0], reported / 1000)
