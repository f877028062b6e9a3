"""Runs of several games: which of them are drawn together, and what a game is called."""

from collections.abc import Sequence

from experiments.analysis.grid import grid_of
from experiments.analysis.labels import told_briefly
from experiments.runs.results import Result
from gpumcts.errors import BadInput

GAME = "game"


def drawn_together(results: Sequence[Result]) -> list[list[Result]]:
    """The runs of each game, by the keys in which they differ; all in one where each game has but one run.

    A matrix that has the games on an axis stays whole.
    """
    games: dict[str | None, list[Result]] = {}
    for result in results:
        games.setdefault(_game_of(result), []).append(result)
    if len(games) < 2 or all(len(some) == 1 for some in games.values()) or _is_matrix_of_games(results):
        return [list(results)]
    return [told_briefly(some) for some in games.values()]


def game_title(name: str) -> str:
    """A game in a title: one of the library's in words, one's own by the name of its class."""
    if "." not in name:
        return name.replace("_", " ").capitalize()
    from gpumcts.compiling.class_names import title
    from gpumcts.options import option

    try:
        return title(option(GAME, name))
    except BadInput:  # the module was moved since
        return name.rpartition(".")[2].replace("_", " ").capitalize()


def _game_of(result: Result) -> str | None:
    return (result.provenance.get("identity") or {}).get(GAME, {}).get("name")


def _is_matrix_of_games(results: Sequence[Result]) -> bool:
    grid = grid_of(results)
    return grid is not None and len(grid.keys) == 2 and GAME in grid.keys and not grid.scattered
