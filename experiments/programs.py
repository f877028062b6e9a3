"""Programs outside that sit in a match: the keys of player=gtp, and how they are found, looked at and seated."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from experiments.values import typed
from gpumcts.errors import BadInput
from gpumcts.gtp.program import Log, words_of
from gpumcts.players.gtp import GtpPlayer, Terms, look_at


class GtpPlayerKeys(NamedTuple):
    """The keys of player=gtp."""

    name: str = "gtp"
    command: str | None = None
    setup: list[str] = []
    seconds: Annotated[int, Interval(ge=1, le=86_400)] | None = None
    patience: Annotated[float, Interval(gt=0, le=1e6)] = 60.0
    processes: Annotated[int, Interval(ge=1, le=4096)] | None = None


def program_keys(plain: Mapping[str, Any], prefix: str) -> GtpPlayerKeys:
    """A program that speaks GTP. Raises BadInput, about keys under ``prefix`` (empty, or ``opponent.``)."""
    keys = typed(GtpPlayerKeys, plain["player"], f"{prefix}player")
    if any("\n" in command for command in (keys.command or "", *keys.setup)):
        raise BadInput(f"{prefix}player.command and {prefix}player.setup: each command is one line")
    if keys.seconds is not None and keys.seconds >= keys.patience:
        raise BadInput(
            f"{prefix}player.patience={keys.patience:g}: must be above {prefix}player.seconds={keys.seconds}"
        )
    return keys


def terms_of(keys: GtpPlayerKeys, prefix: str = "") -> Terms:
    """How the program is started; raises BadInput where it is not named."""
    key = f"{prefix}player.command"
    if keys.command is None:
        raise BadInput(f"{key}=null: name the program, such as '{key}=\"gnugo --mode gtp\"'")
    return Terms(words_of(keys.command, key), keys.setup, keys.seconds, keys.patience)


_LOOKED_AT: dict[Any, str] = {}


def version(game: Any, keys: GtpPlayerKeys, prefix: str = "") -> str:
    """What the program calls itself; it is started once for all runs of a sweep. Raises BadInput where that fails."""
    terms = terms_of(keys, prefix)
    key = (repr(game), repr(terms))
    if key not in _LOOKED_AT:
        try:
            _LOOKED_AT[key] = look_at(game, terms)
        except BadInput as error:
            raise BadInput(f"{prefix}player.command={keys.command}: {error}") from None
    return _LOOKED_AT[key]


def seated(
    game: Any, keys: GtpPlayerKeys, side: str, processes: int, folder: Path, on_progress: Callable[[float], None]
) -> GtpPlayer:
    """The player; what its program says on stderr goes into ``folder``."""
    return GtpPlayer(game, terms_of(keys), processes, side, Log(folder / f"{side}.stderr.txt"), on_progress)
