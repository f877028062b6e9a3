"""The games of a match as SGF files, one a game.

    python -m experiments.sgf run=outputs/match/NAME
    python -m experiments.sgf run=outputs/match/NAME number=17

A file is called by the number of its game, from 0: ``000017.sgf``. The result is as the game was scored: by area, every
stone on the board alive; ``+R`` where a side resigned, ``+F`` where it forfeited.
"""

import sys
from typing import Any

from experiments.app.command import Command, Run
from experiments.config.command_options import SgfKeys
from experiments.config.schema import Checked, Given, Plain, top_keys
from experiments.runs.records import Played, games_played, naming_game
from experiments.terminal.console import counted, here, show


def sgf_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.sgf."""
    keys = top_keys(SgfKeys, plain, ())
    return Checked(keys._asdict(), "sgf", keys)


def prepare(config: Checked) -> None:
    """Refuse a folder that holds no games of such a kind."""
    next(games_played(config, "sgf"), None)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Write the files; returns the summary."""
    files = []
    for played in games_played(config, "sgf"):
        path = run.folder / f"{played.number:06}.sgf"
        path.write_text(_sgf(played), "utf-8")
        files.append(path.name)
    show(f"{counted(len(files), 'game')} in {here(run.folder)}")
    return {"games": len(files), "files": files}


def _sgf(played: Played) -> str:
    """The SGF of a game."""
    from gpumcts.games.contract import Record, record_text
    from gpumcts.gtp.position import GtpPosition

    position = GtpPosition(played.game)
    with naming_game(played):
        for move in played.line["moves"].split():
            position.push(position.parse(move))
    black, white = played.names
    tags = {"PB": black, "PW": white, "RE": _result(position, played)}
    tags["GN"] = f"game {played.number}, seed {played.seed}"
    return str(record_text(played.game, Record(played.game, {}, position.start, position.moves, tags)))


def _result(position: Any, played: Played) -> str:
    if played.ended is None:
        return str(position.result())
    return f"{'B' if played.score > 0 else 'W'}+{'R' if played.ended == 'resigned' else 'F'}"


COMMAND = Command("sgf", sgf_config, work, prepare)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
