"""The instances of games that the conformance suites run over, and the compiled drivers that work for every game."""

from typing import Any, get_type_hints

from annotated_types import Interval

from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.conformance.drivers import described, first_bad_ending, first_fault, keys_of, positions, trace

__all__ = ["described", "first_bad_ending", "first_fault", "keys_of", "positions", "trace"]


def variants(option: type) -> dict[str, Any]:
    """An option with its defaults, with every field at its least, and with every field at its greatest value."""
    least, greatest = {}, {}
    for field, hint in get_type_hints(option, include_extras=True).items():
        for limit in getattr(hint, "__metadata__", ()):
            if isinstance(limit, Interval):
                least[field] = limit.ge if limit.ge is not None else limit.gt + 1
                greatest[field] = limit.le if limit.le is not None else limit.lt - 1
    found = {"default": option(), "least": option(**least), "greatest": option(**greatest)}
    others = {name: value for name, value in found.items() if value != found["default"] and _goes_together(value)}
    return {"default": found["default"], **others}


def _goes_together(value: Any) -> bool:
    """Whether an option's ``compiled`` takes its fields as they are."""
    try:
        options.compiled(value)
    except BadInput:
        return False
    return True


FOR_TESTS: dict[str, dict[str, Any]] = {
    "amazons": {"size": 6, "turn": "split"},
    "gomoku": {"size": 9},
    "havannah": {"base": 4},
}
"""Options by game where the usual ones take too long for the suites that go over all games and policies."""
MORE: dict[str, list[dict[str, Any]]] = {
    "amazons": [{"size": 6}, {"size": 6, "turn": "split"}, {"turn": "split"}],
    "gomoku": [{"size": 9}, {"size": 19}],
    "havannah": [{"base": 5, "swap": True}, {"base": 6}, {"base": 9}],
}
"""Further options by game for the suite of rules."""

FEWER = {"amazons": 30, "chess": 24, "go": 30, "gomoku": 300, "havannah": 200}
"""Random games that the suite of rules plays, by game, where positions have many moves."""
MANY_MOVES = {"amazons": 64, "go": 12}
"""Positions of these games that have more moves are not gone through in plain Python."""

LONG = {"chess": 9, "gomoku": 9}
"""Games of so many plies that of their positions only every so many-th is gone through in plain Python."""


def for_tests() -> dict[str, Any]:
    """Every game by name as the suites over games and policies play it: as it travels into compiled code."""
    return {
        name: options.compiled(options.option("game", name)(**FOR_TESTS.get(name, {})))
        for name in options.names("game")
    }


def _instances() -> dict[str, Any]:
    found = {}
    for name in options.names("game"):
        option = options.option("game", name)
        for variant, game in variants(option).items():
            found[f"{name}-{variant}"] = options.compiled(game)
        for more in MORE.get(name, []):
            found["-".join([name, *map(str, more.values())])] = options.compiled(option(**more))
    return found


GAMES = _instances()


def is_large(name: str) -> bool:
    """Whether the tests of one of GAMES take long: for its many moves, or as one more board of a game to compile."""
    return name.startswith(("amazons-", "havannah-")) or name in (
        "chess-least",
        "clobber-greatest",
        "clobber-least",
        "go-least",
        "go-greatest",
        "gomoku-least",
        "gomoku-greatest",
        "gomoku-19",
    )


def most_in_plain_python(name: str) -> int:
    """The most moves that a position of one of GAMES has if it is to be gone through in plain Python."""
    return MANY_MOVES.get(name.split("-")[0], 1 << 15)


def gone_through(name: str, number: int) -> bool:
    """Whether position ``number`` of a random game of one of GAMES is gone through in plain Python."""
    return number % LONG.get(name.split("-")[0], 1) == 0


def has_stages(game: Any) -> bool:
    """Whether moves drawn in stages are others than random ones."""
    return contract.staged_move.find(type(game)) is not contract.staged_move.find(object)
