"""Programs outside that sit in a match: the keys of player=gtp and player=uci, how they are found, looked at and seated."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from experiments.config.schema import PlayerConfig
from experiments.config.validation import typed
from gpumcts.errors import BadInput
from gpumcts.players import gtp, uci
from gpumcts.players.construction import Place
from gpumcts.players.contract import Anyone
from gpumcts.players.external_engine import OutsidePlayer
from gpumcts.programs.process import Log, words_of

Patience = Annotated[float, Interval(gt=0, le=1e6)]
Processes = Annotated[int, Interval(ge=1, le=4096)] | None


class GtpPlayerKeys(NamedTuple):
    """The keys of player=gtp."""

    name: str = "gtp"
    command: str | None = None
    setup: list[str] = []
    seconds: Annotated[int, Interval(ge=1, le=86_400)] | None = None
    patience: Patience = 60.0
    processes: Processes = None


class UciPlayerKeys(NamedTuple):
    """The keys of player=uci."""

    name: str = "uci"
    command: str | None = None
    options: dict[str, bool | int | float | str | None] | None = None
    depth: Annotated[int, Interval(ge=1, le=1000)] | None = None
    nodes: Annotated[int, Interval(ge=1, le=10**15)] | None = None
    seconds: Annotated[float, Interval(gt=0, le=86_400)] | None = None
    patience: Patience = 60.0
    processes: Processes = None


ProgramKeys = GtpPlayerKeys | UciPlayerKeys
PROGRAM_KEYS = {"gtp": GtpPlayerKeys, "uci": UciPlayerKeys}
"""The keys of each player that is a program outside."""
GNU_GO = "gnugo --mode gtp --level 1 --chinese-rules --positional-superko --capture-all-dead --play-out-aftermath"
"""GNU Go by our rules of Go: area, stones on the board alive, superko by position."""
EXAMPLES = {"gtp": GNU_GO, "uci": "gnuchess --uci"}
CHESS960 = "uci_chess960"  # in lower case
LIMITS = ("depth", "nodes", "seconds")


def program_keys(plain: Mapping[str, Any], prefix: str) -> ProgramKeys:
    """A program that speaks GTP or UCI. Raises BadInput, about keys under ``prefix`` (empty, or ``opponent.``)."""
    keys: ProgramKeys = typed(PROGRAM_KEYS[plain["player"]["name"]], plain["player"], f"{prefix}player")
    setup = keys.setup if isinstance(keys, GtpPlayerKeys) else []
    if any("\n" in command for command in (keys.command or "", *setup)):
        raise BadInput(f"{prefix}player.command and {prefix}player.setup: each command is one line")
    if keys.seconds is not None and keys.seconds >= keys.patience:
        raise BadInput(
            f"{prefix}player.patience={keys.patience:g}: must be above {prefix}player.seconds={keys.seconds:g}"
        )
    return keys


def external_engine(plain: Mapping[str, Any], prefix: str) -> PlayerConfig:
    """The configured player. How many processes it has decides no result."""
    keys = program_keys(plain, prefix)
    identity = {key: value for key, value in keys._asdict().items() if key != "processes"}
    return PlayerConfig(keys.name, {"player": identity}, program=keys)


def seated_by_factory(player: PlayerConfig, place: Place, iterations: int) -> Anyone:
    """Raises RuntimeError: a program outside is given the folder of its run, by ``seated``."""
    raise RuntimeError(f"{player.name} is seated in the folder of a run")


def terms_of(keys: ProgramKeys, prefix: str = "") -> gtp.Terms | uci.Terms:
    """How the program is started; raises BadInput where it is not named, or has no limit or several."""
    key = f"{prefix}player.command"
    if keys.command is None:
        raise BadInput(f"{key}=null: name the program, such as '{key}=\"{EXAMPLES[keys.name]}\"'")
    words = words_of(keys.command, key)
    if isinstance(keys, GtpPlayerKeys):
        return gtp.Terms(words, keys.setup, keys.seconds, keys.patience)
    for name, value in (keys.options or {}).items():
        if name.lower() == CHESS960 and str(value).lower() == "true":
            raise BadInput(
                f"{prefix}player.options.{name}={value}: castling is told as in chess (e1g1); leave it false"
            )
    return uci.Terms(words, _go_of(keys, prefix), keys.options or {}, keys.patience, keys.seconds)


def _go_of(keys: UciPlayerKeys, prefix: str) -> str:
    """The one limit of a move as UCI has it: ``depth 3``, ``nodes 1000``, ``movetime 500``."""
    given = [name for name in LIMITS if getattr(keys, name) is not None]
    if len(given) != 1:
        names = ", ".join(f"{prefix}player.{name}" for name in LIMITS)
        raise BadInput(f"{prefix}player=uci takes one limit a move of {names}; given: {', '.join(given) or 'none'}")
    if keys.seconds is not None:
        return f"movetime {max(1, round(1000 * keys.seconds))}"
    return f"{given[0]} {getattr(keys, given[0])}"


_LOOKED_AT: dict[Any, str] = {}


def version(game: Any, keys: ProgramKeys, prefix: str = "") -> str:
    """What the program calls itself; it is started once for all runs of a sweep. Raises BadInput where that fails."""
    terms = terms_of(keys, prefix)
    key = (repr(game), repr(terms))
    if key not in _LOOKED_AT:
        try:
            _LOOKED_AT[key] = gtp.look_at(game, terms) if isinstance(terms, gtp.Terms) else uci.look_at(game, terms)
        except BadInput as error:
            raise BadInput(f"{prefix}player.command={keys.command}: {error}") from None
    return _LOOKED_AT[key]


def seated(
    game: Any, keys: ProgramKeys, side: str, processes: int, folder: Path, on_progress: Callable[[float], None]
) -> OutsidePlayer:
    """The player; what its program says on stderr goes into ``folder``."""
    terms, log = terms_of(keys), Log(folder / f"{side}.stderr.txt")
    if isinstance(terms, gtp.Terms):
        return gtp.GtpPlayer(game, terms, processes, side, log, on_progress)
    return uci.UciPlayer(game, terms, processes, side, log, on_progress)
