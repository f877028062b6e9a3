"""Progress of a running match: the finished games, and the players' expectations of the others."""

from typing import NamedTuple

import numpy as np

from gpumcts.players.contract import NOT_REPORTED, PROVEN_DRAW, PROVEN_LOSS, PROVEN_WIN


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


def win_rates_of(reported: np.ndarray) -> np.ndarray:
    """Reported win rates (int64[K]) in [0, 1], float64[K]; NaN where none was reported."""
    known = [reported == NOT_REPORTED, reported == PROVEN_LOSS, reported == PROVEN_DRAW, reported == PROVEN_WIN]
    return np.select(known, [np.nan, 0.0, 0.5, 1.0], reported / 1000)
