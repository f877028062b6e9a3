"""player=uci: a program outside that speaks UCI."""

from typing import NamedTuple

from experiments.players.contract import Program
from experiments.players.external_engines import Patience, Processes, external_engine
from gpumcts.errors import BadInput
from gpumcts.players.ranges import UciDepth, UciNodes, UciSeconds
from gpumcts.players.uci import Terms, UciPlayer, look_at

CHESS960 = "uci_chess960"  # in lower case
LIMITS = ("depth", "nodes", "seconds")


class UciPlayerKeys(NamedTuple):
    """The keys of player=uci."""

    name: str = "uci"
    command: str | None = None
    options: dict[str, bool | int | float | str | None] | None = None
    depth: UciDepth | None = None
    nodes: UciNodes | None = None
    seconds: UciSeconds | None = None
    patience: Patience = 60.0
    processes: Processes = None


def _terms(words: list[str], keys: UciPlayerKeys, prefix: str) -> Terms:
    """Raises BadInput where a move has no limit or several, or castling is to be told as in Chess960."""
    for name, value in (keys.options or {}).items():
        if name.lower() == CHESS960 and str(value).lower() == "true":
            raise BadInput(
                f"{prefix}player.options.{name}={value}: castling is told as in chess (e1g1); leave it false"
            )
    return Terms(words, _go_of(keys, prefix), keys.options or {}, keys.patience, keys.seconds)


def _go_of(keys: UciPlayerKeys, prefix: str) -> str:
    """The one limit of a move as UCI has it: ``depth 3``, ``nodes 1000``, ``movetime 500``."""
    given = [name for name in LIMITS if getattr(keys, name) is not None]
    if len(given) != 1:
        names = ", ".join(f"{prefix}player.{name}" for name in LIMITS)
        raise BadInput(f"{prefix}player=uci takes one limit a move of {names}; given: {', '.join(given) or 'none'}")
    if keys.seconds is not None:
        return f"movetime {max(1, round(1000 * keys.seconds))}"
    return f"{given[0]} {getattr(keys, given[0])}"


KIND = external_engine(UciPlayerKeys, Program(_terms, look_at, UciPlayer, "gnuchess --uci"))
