"""The games of a match as SGF files, one a game.

    python -m experiments.sgf run=outputs/match/NAME
    python -m experiments.sgf run=outputs/match/NAME number=17

The result is as the game was scored: by area, every stone on the board alive; ``+R`` where a side resigned, ``+F`` where it
forfeited.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from experiments.command import Command, Run
from experiments.console import here, show
from experiments.results import Result, read
from experiments.schema import Checked, game_value, sgf_config
from gpumcts.errors import BadInput

GAMES, SIDES = "games.jsonl", ("player", "opponent")


def prepare(config: Checked) -> None:
    """Refuse a folder that holds no games of such a kind."""
    next(_records(config), None)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Write the files; returns the summary."""
    files = []
    for number, text in _records(config):
        path = run.folder / f"{number:06}.sgf"
        path.write_text(text, "utf-8")
        files.append(path.name)
    show(f"{len(files)} games in {here(run.folder)}")
    return {"games": len(files), "files": files}


def _records(config: Checked) -> Iterator[tuple[int, str]]:
    """Number and SGF of each game asked for."""
    from gpumcts.games.contract import has_records

    folder = _folder(config.keys.run)
    result = read(folder)
    name = result.config.get("game", {}).get("name")
    game, _ = game_value(result.config)
    if not has_records(game):
        raise BadInput(f"run={folder}: games of {name} are not written as SGF")
    found = [line for line in _lines(folder / GAMES) if config.keys.number in (None, line["game"])]
    if not found:
        which = "finished game" if config.keys.number is None else f"finished game number {config.keys.number}"
        raise BadInput(f"run={folder}: there is no {which}")
    for line in sorted(found, key=lambda line: line["game"]):
        yield line["game"], _sgf(game, result, line)


def _folder(run: str | None) -> Path:
    if run is None:
        raise BadInput("run=null: name the folder of a match, such as run=outputs/match/NAME")
    if not (Path(run) / GAMES).is_file():
        raise BadInput(f"run={run}: there is no {GAMES}; it is not the folder of a match")
    return Path(run)


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            record = json.loads(line)
            yield {**record, "game": int(record["game"])}
        except (ValueError, KeyError, TypeError):
            raise BadInput(f"{path}, line {number}: not a game") from None


def _sgf(game: Any, result: Result, line: dict[str, Any]) -> str:
    """The SGF of a line of ``games.jsonl``."""
    from gpumcts.games.contract import Record, record_text
    from gpumcts.gtp.position import Position

    position = Position(game)
    for move in line["moves"].split():
        position.push(position.parse(move))
    black, white = (_name(result, side) for side in (SIDES if line["first"] == 0 else reversed(SIDES)))
    seed = result.summary.get("seed")
    tags = {"PB": black, "PW": white, "RE": _result(position, line), "GN": f"game {line['game']}, seed {seed}"}
    return str(record_text(game, Record(game, {}, position.start, position.moves, tags)))


def _name(result: Result, side: str) -> str:
    """The program that sat there, or the player in a few words."""
    summary = result.summary.get(side, {})
    iterations = summary.get("iterations_a_move")
    words = summary.get("program") or summary.get("label") or side
    return f"{words}, {iterations} iterations" if iterations else str(words)


def _result(position: Any, line: dict[str, Any]) -> str:
    if line.get("ended") is None:
        return str(position.result())
    won_by_first = (line["score"] > 0) == (line["first"] == 0)
    return f"{'B' if won_by_first else 'W'}+{'R' if line['ended'] == 'resigned' else 'F'}"


COMMAND = Command("sgf", sgf_config, work, prepare)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
