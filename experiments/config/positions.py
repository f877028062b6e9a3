"""Positions and moves that a user writes, or has in a file: read, checked, and packed."""

import re

import numpy as np

from experiments.config.schema import Checked
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.gtp.position import GtpPosition
from gpumcts.gtp.records import read_record
from gpumcts.kernels.batch import Rules

RECORD = re.compile(r"(?P<form>sgf):(?P<file>.+?)(?::(?P<plies>[0-9]{1,6}))?")
"""``position=sgf:FILE`` or ``position=sgf:FILE:MOVES``: where a game in a file ends, or stands after so many moves."""
NUMBERED = re.compile(r"(?P<form>pgn):(?P<file>.+?)(?::(?P<game>[0-9]{1,6})(?::(?P<plies>[0-9]{1,6}))?)?")
"""``position=pgn:FILE``, ``pgn:FILE:GAME`` or ``pgn:FILE:GAME:PLIES``: the same of a game by its number, from 1."""


def position_of(config: Checked, playable: bool = True) -> np.ndarray:
    """The position of ``position=`` (null: the start) after ``moves=``, uint64[W], and what these forbid (superko).

    Raises BadInput where the text names no position or an illegal move, and, if ``playable``, where the game is over.
    """
    position = _named(config)
    for number, move in enumerate(getattr(config.keys, "moves", "").split(), 1):
        _play(position, move, number)
    words = position.words()
    if playable and not Rules(config.game).count_moves(words[None])[0]:
        named = "moves" if getattr(config.keys, "moves", "") else f"position={config.keys.position}"
        raise BadInput(f"{named}: the game is over there, nothing is left to play")
    return words


def _named(config: Checked) -> GtpPosition:
    game, text = config.game, config.keys.position
    if text is None:
        return GtpPosition(game)
    found = RECORD.fullmatch(text) or NUMBERED.fullmatch(text)
    if found is None:
        with np.errstate(over="ignore"):
            return GtpPosition(game, start=contract.parse_position(game, text))
    told = found.groupdict()
    if contract.record_format(game) != told["form"]:
        raise BadInput(f"position={text}: {config.identity['game']['name']} has no {told['form'].upper()}")
    plies, number = (None if told.get(key) is None else int(told[key]) for key in ("plies", "game"))
    try:
        record = read_record(game, told["file"], plies, 1 if number is None else number)
    except BadInput as error:
        raise BadInput(f"position={told['form']}:{error}") from None
    here = config.identity["game"]
    if other := [f"game.{key}={value:g}" for key, value in record.terms.items() if here[key] != value]:
        raise BadInput(f"position={text}: the file has another board or komi; add {' '.join(other)}")
    return GtpPosition.of_record(record._replace(game=game))


def _play(position: GtpPosition, move: str, number: int) -> None:
    try:
        position.push(position.parse(move))
    except BadInput as error:
        raise BadInput(f"moves: number {number}: {error}") from None
