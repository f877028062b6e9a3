"""What a match came to."""

import hashlib
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpumcts.match.game_batch import GameBatch, GivenUp

if TYPE_CHECKING:
    from gpumcts.match.statistics import Sprt


class ReportedWins(NamedTuple):
    """Won games whose winner reported the win, and the mean ply (from 0) of the first report."""

    games: int
    mean_ply: float | None


class MatchResult(NamedTuple):
    """What a match came to.

    games : finished games among those asked for, with a sequential test that has decided those it looked at; wins,
        draws, losses : of those, for ``players[0]``
    seconds : wall-clock time of this run, without what earlier runs in the folder took
    digest : sha256 over the lines of ``games.jsonl`` in order of game number; None unless all games are finished or
        the test has decided, and where an ``ExternalPlayer`` plays, whose games nobody can repeat
    interrupted : whether ``stop`` ended the run before the last game, or before the test's decision
    reported_wins : of both players (see ``GameBatch.reported_wins``)
    given_up : of both players
    chosen : moves that each player chose in this run, repeated ones included (``Player.remembers``); the player's
        ``iterations`` grew by the work for these
    sprt : where the sequential test stands, None without one
    """

    games: int
    wins: int
    draws: int
    losses: int
    seconds: float
    digest: str | None
    interrupted: bool
    reported_wins: tuple[ReportedWins, ReportedWins]
    given_up: tuple[GivenUp, GivenUp]
    chosen: tuple[int, int]
    sprt: "Sprt | None" = None


def digest_of(game_batch: GameBatch, games: int) -> str:
    """The digest of games 0 to ``games - 1``, which are finished: sha256 over their lines, in hexadecimal."""
    text = hashlib.sha256()
    for number in range(games):
        text.update(f"{game_batch.lines[number]}\n".encode())
    return text.hexdigest()


def reported_wins_of(game_batch: GameBatch, games: int) -> tuple[ReportedWins, ReportedWins]:
    """When each player first reported the wins that the player had in games 0 to ``games - 1``."""
    plies: tuple[list[int], list[int]] = ([], [])
    for game, ply in sorted(game_batch.reported_wins.items()):
        if game < games:
            plies[int(game_batch.scores[game] < 0)].append(ply)
    first, second = (ReportedWins(len(of_one), float(np.mean(of_one)) if of_one else None) for of_one in plies)
    return first, second
