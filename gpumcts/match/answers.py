"""What players answer, read and checked: what cannot be played or written down never reaches the journal."""

from typing import Any, NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.match.game_batch import GameBatch
from gpumcts.players.contract import FORFEITED, RESIGNED, AnyPlayer, is_report
from gpumcts.validation import said


class Decision(NamedTuple):
    """What is decided for a batch of K games.

    moves : int64[K]; RESIGNED or FORFEITED where the game is given up
    reported : int64[K], win rates that the player reported with them (``WinRateReporter``), or None
    reasons : why games are given up (``ExternalPlayer``), empty text for the others; None where none is
    """

    moves: np.ndarray
    reported: np.ndarray | None = None
    reasons: list[str] | None = None


def reported(name: str, answer: Any) -> Decision:
    """What ``choose_and_tell`` of the player ``name`` came to. Raises BadInput where it is not two."""
    moves, rates = _pair(name, "choose_and_tell", answer, "win rates")
    return Decision(moves, reported=rates)


def reasoned(name: str, answer: Any) -> Decision:
    """What ``choose_after`` of the player ``name`` came to. Raises BadInput where it is not two."""
    moves, reasons = _pair(name, "choose_after", answer, "reasons")
    return Decision(moves, reasons=None if isinstance(reasons, list) and not any(reasons) else reasons)


def _pair(name: str, method: str, answer: Any, second: str) -> tuple[Any, Any]:
    if not isinstance(answer, tuple) or len(answer) != 2:
        raise BadInput(f"{name}: {method} returns {said(answer)}; must be a tuple of the moves and their {second}")
    first, other = answer
    return first, other


def check(decision: Decision, game_batch: GameBatch, games: np.ndarray, player: AnyPlayer) -> None:
    """Refuse what ``player`` decided for ``games`` (int64[K]) where it cannot be played. Raises BadInput."""
    moves, rates, reasons = decision
    _check_column(f"{player.name} chose", moves, games)
    if rates is not None:
        _check_column(f"{player.name} reported", rates, games)
        if not (known := is_report(rates)).all():
            value = rates[np.argmin(known)]
            raise BadInput(
                f"{player.name} reported {value}; must be thousandths in [0, 1000], NOT_REPORTED or a proven result"
            )
    on = np.ones(len(games), bool) if reasons is None else ~_given_up(player.name, moves, reasons)
    if player.trusted:
        return
    at = game_batch.first_illegal(games[on], moves[on])
    if at is not None:
        game = games[on][at]
        raise BadInput(f"{player.name} made an illegal move in game {game}, ply {game_batch.plies[game]}")


def _check_column(did: str, column: Any, games: np.ndarray) -> None:
    if not isinstance(column, np.ndarray) or column.shape != games.shape or column.dtype.kind not in "iu":
        what = f"{column.dtype}{list(column.shape)}" if isinstance(column, np.ndarray) else said(column)
        raise BadInput(f"{did} {what} for {len(games)} positions; must be int64[{len(games)}]")


def _given_up(name: str, moves: np.ndarray, reasons: Any) -> np.ndarray:
    """Which games are given up, bool[K]: those with a reason."""
    texts = isinstance(reasons, list) and all(isinstance(reason, str) for reason in reasons)
    if not texts or len(reasons) != len(moves):
        raise BadInput(f"{name} gave the reasons {said(reasons)}; must be a list of {len(moves)} texts")
    given_up = np.array([bool(reason) for reason in reasons])
    if not np.isin(moves[given_up], (RESIGNED, FORFEITED)).all():
        raise BadInput(f"{name} gave a reason with a move; must be with RESIGNED or FORFEITED in place of it")
    return given_up
