"""Handicaps (section 4.1.1 of GTP 2), and the status of stones at the end."""

from typing import Any

import numpy as np

from gpumcts.games import contract
from gpumcts.gtp.arguments import SYNTAX, Refusal, number
from gpumcts.gtp.position import GtpPosition

COMMANDS = FIXED, FREE, GIVEN = "fixed_handicap", "place_free_handicap", "set_free_handicap"
MOST = 9  # stones of a fixed handicap
STATUSES = ("alive", "seki", "dead")


def points_of(command: str, game: Any, arguments: list[str]) -> list[str]:
    """The points of a handicap that one of ``COMMANDS`` asks for, by name; raises Refusal."""
    if command == GIVEN:
        if not arguments:
            raise Refusal(SYNTAX)
        return arguments
    most = _count(arguments)
    # GTP lets a program place fewer stones of its own choice than asked for
    counts = range(min(most, MOST), 0, -1) if command == FREE else (most,)
    names: list[str] = next((names for count in counts if (names := contract.handicap_points(game, count))), [])
    if not names:
        raise Refusal("invalid number of stones")
    return names


def with_handicap(position: GtpPosition, names: list[str]) -> GtpPosition:
    """A new game that begins with the stones, which are no moves; raises Refusal, and BadInput that names the point."""
    game = position.game
    if position.words().tolist() != GtpPosition(game).words().tolist():
        raise Refusal("board not empty")
    return GtpPosition(game, position.number + 1, contract.with_handicap(game, names))


def _count(arguments: list[str]) -> int:
    count = number(arguments, 0)
    if len(arguments) != 1 or count != int(count):
        raise Refusal(SYNTAX)
    return int(count)


def status_list(position: GtpPosition, arguments: list[str]) -> str:
    """The chains of a status in a finished game, a line each: all live, since the game is scored as it stands."""
    if len(arguments) != 1 or arguments[0].lower() not in STATUSES:
        raise Refusal(SYNTAX)
    if not position.over:
        raise Refusal("cannot tell: the game is not over")
    if arguments[0].lower() != "alive":
        return ""
    with np.errstate(over="ignore"):
        return "\n".join(" ".join(chain) for chain in contract.chains(position.game, position.state))
