"""The contract of a player: it chooses moves for a batch of positions, and counts its work."""

import re
import threading
from typing import Protocol, runtime_checkable

import numpy as np

RESIGNED, FORFEITED = -1, -2
"""In place of a move: the player resigns the game, or cannot go on and forfeits it."""
NOT_REPORTED, PROVEN_LOSS, PROVEN_DRAW, PROVEN_WIN = -1, 2000, 2001, 2002
"""Values of a reported win rate that are not thousandths: none is reported, or the result is proven."""
SURE_ENOUGH = 950
"""The reported win rate, in thousandths, from which on a player reports a win."""


def fault_of(reason: str) -> str:
    """A reason for a forfeit as others share it: without what stands in parentheses at its end (legal moves)."""
    return re.sub(r"(?<=[^:]) \(.*\)$", "", reason)


def reports_win(reported: np.ndarray) -> np.ndarray:
    """Whether reported win rates, int64[K], say that the player wins, bool[K]."""
    return (reported == PROVEN_WIN) | ((reported >= SURE_ENOUGH) & (reported <= 1000))


def is_report(reported: np.ndarray) -> np.ndarray:
    """Whether reported win rates, int64[K], are thousandths or one of the other values, bool[K]."""
    others = (NOT_REPORTED, PROVEN_LOSS, PROVEN_DRAW, PROVEN_WIN)
    return ((reported >= 0) & (reported <= 1000)) | np.isin(reported, others)


class Player(Protocol):
    """A player of a match.

    Moves are a function of the position, the key, and where it remembers, of the player's earlier choices in the game:
    then games are the same for any batch size, thread count and number of interruptions.

    name : what reports call it
    trusted : True where every move it returns is legal by construction; the match checks every move of the others
    concurrent : True where ``choose`` may be called from several threads at a time
    remembers : True where a choice depends on earlier ones in the same game; a run that goes on asks for those again
    iterations, playouts : work done so far; 0 for players that do not search
    seconds : wall-clock time that choices took so far. Where several go on at once and share their threads, a second
        is counted once (``gpumcts.tree.time_shares``); an external engine has processes of its own, and all seconds

    A player may have ``full_batch``: positions at a time from which on more make it no faster, None for any number. A
    match then hands it no more of them, and its first games end early. It may have ``core_seconds``: processor
    time of all its threads together, in which ``budget.seconds`` is measured on a CPU.
    """

    name: str
    trusted: bool
    concurrent: bool
    remembers: bool
    iterations: int
    playouts: int
    seconds: float

    def choose(
        self, states: np.ndarray, keys: np.ndarray, games: np.ndarray, stop: threading.Event | None = None
    ) -> np.ndarray:
        """A move for each position.

        Parameters
        ----------
        states : uint64[T, W], packed; players are to move in all of them, never chance, and none is over
        keys : uint64[T], ``key_of(seed, game number, ply of the game)``: all chance in the choice comes from it
        games : int64[T], numbers of the games the positions belong to, for players that keep something per game
        stop : where it is set meanwhile, the player may come back early, with any moves or with KeyboardInterrupt

        Returns
        -------
        int64[T], the moves
        """
        ...

    def forget(self, games: np.ndarray) -> None:
        """Let go of what is kept for ``games`` (int64[K]), which are over or about to begin anew.

        Another thread may be in ``choose``, with other games.
        """
        ...


@runtime_checkable
class WinRateReporter(Protocol):
    """A ``Player`` that reports a win rate with each move; the match writes the rates down beside the moves."""

    def choose_and_tell(
        self, states: np.ndarray, keys: np.ndarray, games: np.ndarray, stop: threading.Event | None = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """The moves of ``choose``, and the reported win rate of each for its mover, int64[T].

        A reported win rate is in thousandths, 0 to 1000; PROVEN_LOSS, PROVEN_DRAW or PROVEN_WIN where the search has
        proven the result; or NOT_REPORTED.
        """
        ...


@runtime_checkable
class ExternalPlayer(Protocol):
    """An external engine: it follows the game by its moves, may choose otherwise when asked again, and may end a game.

    The match asks ``choose_after`` in place of ``choose``, writes down why a game was given up, and has no digest. The
    other attributes are those of ``Player``.
    """

    name: str
    trusted: bool
    concurrent: bool
    remembers: bool
    iterations: int
    playouts: int
    seconds: float

    def choose_after(
        self,
        moves: list[list[int]],
        states: np.ndarray,
        keys: np.ndarray,
        games: np.ndarray,
        stop: threading.Event | None = None,
    ) -> tuple[np.ndarray, list[str]]:
        """A move for each position, int64[T], and why it gives the game up, one line of ASCII; empty where it does not.

        moves : those played so far in each game, from its start, chance's included

        Where there is a reason, RESIGNED or FORFEITED stands in place of the move. The rest is as in ``Player.choose``.
        """
        ...

    def forget(self, games: np.ndarray) -> None:
        """As ``Player.forget``."""
        ...


AnyPlayer = Player | ExternalPlayer
"""A player of a match of either protocol."""
