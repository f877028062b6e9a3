"""The games of a match of Chess as a PGN file, ``games.pgn``.

    python -m experiments.pgn run=outputs/match/NAME
    python -m experiments.pgn run=outputs/match/NAME number=17

Games of a match are numbered from 0, rounds of PGN from 1: number=17 is Round "18", and where all games are finished
it is read as ``position=pgn:FILE:18``. The tag Termination says where a side resigned or forfeited.
"""

import sys
from typing import Any

import numpy as np

from experiments.app.command import Command, Run
from experiments.config.command_options import SgfKeys
from experiments.config.schema import Checked, Given, Plain, top_keys
from experiments.runs.records import Played, games_played, naming_game
from experiments.terminal.console import counted, here, show
from gpumcts.whole_files import write_whole

FILE = "games.pgn"
RESULTS = {1: "1-0", 0: "1/2-1/2", -1: "0-1"}


def pgn_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.pgn."""
    keys = top_keys(SgfKeys, plain, ())
    return Checked(keys._asdict(), "pgn", keys)


def prepare(config: Checked) -> None:
    """Refuse a folder that holds no games of such a kind."""
    next(games_played(config, "pgn"), None)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Write the file, whole or not at all; returns the summary."""
    games = [_pgn(played) for played in games_played(config, "pgn")]
    write_whole(run.folder / FILE, "\n".join(games).encode())
    show(f"{counted(len(games), 'game')} in {here(run.folder)}/{FILE}")
    return {"games": len(games), "files": [FILE]}


def _pgn(played: Played) -> str:
    """The PGN of a game."""
    from gpumcts.games.contract import Record, parse_move, play, record_text, start

    game, state, moves = played.game, start(played.game), []
    with np.errstate(over="ignore"), naming_game(played):
        for text in played.line["moves"].split():
            moves.append(parse_move(game, state, text))
            state = play(game, state, moves[-1])
    tags = dict(zip(("White", "Black"), played.names, strict=True))
    tags |= {"Event": f"gpumcts match, seed {played.seed}", "Round": str(played.number + 1)}
    tags |= {"Result": RESULTS[(played.score > 0) - (played.score < 0)]}
    tags |= {} if played.ended is None else {"Termination": played.ended}
    return str(record_text(game, Record(game, {}, start(game), moves, tags)))


COMMAND = Command("pgn", pgn_config, work, prepare)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
