"""The games of a match as it has left them, for the commands that write them in other formats."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

from experiments.config.schema import Checked, game_value
from experiments.runs.results import CONFIG, Result, read
from experiments.runs.run_directory import SUMMARY
from gpumcts.errors import BadInput

ENDS = (None, "resigned", "forfeited")
GAMES, SIDES = "games.jsonl", ("player", "opponent")


class Played(NamedTuple):
    """A finished game: of what, in which match, and its line of ``games.jsonl``."""

    game: Any
    match: Result
    line: dict[str, Any]

    @property
    def number(self) -> int:
        """In the match, from 0."""
        return self.line["game"]

    @property
    def seed(self) -> Any:
        """That of the match."""
        return self.match.summary.get("seed")

    @property
    def names(self) -> tuple[str, str]:
        """Who moved first, and the other one: the program that sat there, or the player in a few words."""
        player, opponent = (_name(self.match, side) for side in SIDES)
        return (player, opponent) if self.line["first"] == 0 else (opponent, player)

    @property
    def score(self) -> float:
        """For who moved first."""
        return self.line["score"] if self.line["first"] == 0 else -self.line["score"]

    @property
    def ended(self) -> str | None:
        """``resigned`` or ``forfeited`` where it was not played to its end."""
        return self.line.get("ended")


def games_played(config: Checked, form: str) -> Iterator[Played]:
    """The games that ``run`` and ``number`` ask for, in order. Raises BadInput where none is in the format ``form``."""
    from gpumcts.games.contract import record_format

    folder = _folder(config.keys.run)
    result = read(folder)
    if not isinstance(chosen := result.config.get("game"), dict) or "name" not in chosen:
        raise BadInput(f"{folder / CONFIG} is damaged: it names no game")
    name = chosen["name"]
    game, _ = game_value(result.config)
    if record_format(game) != form:
        raise BadInput(f"run={folder}: games of {name} are not written as {form.upper()}")
    found = [line for line in _lines(folder / GAMES) if config.keys.number in (None, line["game"])]
    if not found:
        which = "finished game" if config.keys.number is None else f"finished game number {config.keys.number}"
        raise BadInput(f"run={folder}: there is no {which}")
    for line in sorted(found, key=lambda line: line["game"]):
        yield Played(game, result, line)


@contextmanager
def naming_game(played: Played) -> Iterator[None]:
    """Let a BadInput in the block name the game's file and number."""
    try:
        yield
    except BadInput as error:
        raise BadInput(f"{played.match.folder / GAMES}, game {played.number}: {error}") from None


def _folder(run: str | None) -> Path:
    if run is None:
        raise BadInput("run=null: name the folder of a match, such as run=outputs/match/NAME")
    if not (Path(run) / GAMES).is_file():
        raise BadInput(f"run={run}: there is no {GAMES}; it is not the folder of a match")
    return Path(run)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    from gpumcts.match.journal import whole_lines

    for number, line in enumerate(whole_lines(path), 1):  # the match may be going on, or may have been killed
        try:
            record = json.loads(line)
        except ValueError:
            record = None
        if not _is_game(record):
            raise BadInput(f"{path}, line {number}: not a game")
        yield record


def _is_game(record: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a line has what is read of it, as a match writes it."""
    if not isinstance(record, dict):
        return False
    number, score = record.get("game"), record.get("score")
    counted = type(number) is int and number >= 0 and record.get("first") in (0, 1)
    scored = type(score) in (int, float) and record.get("ended") in ENDS
    return counted and scored and isinstance(record.get("moves"), str)


def _name(result: Result, side: str) -> str:
    """The program that sat there, or the player in a few words."""
    summary = result.summary.get(side, {})
    if not isinstance(summary, dict):
        raise BadInput(f"{result.folder / SUMMARY} is damaged: {side} is no object")
    iterations = summary.get("iterations_a_move")
    words = summary.get("program") or summary.get("label") or side
    return f"{words}, {iterations} iterations" if iterations else str(words)
