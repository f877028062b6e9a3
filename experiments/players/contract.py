"""What a kind of player is: a module of ``kinds/`` with a ``KIND``, and a file of ``conf/player/`` that names it."""

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from experiments.config.schema import PlayerConfig
from gpumcts.errors import BadInput
from gpumcts.players.construction import PlayerContext
from gpumcts.players.contract import AnyPlayer, Player
from gpumcts.players.external_engine import ExternalEnginePlayer

GROUPS = ("playout", "selection", "backup", "search", "budget")
"""Groups of a configuration that may count for a player."""
_OWN_KEY = re.compile(rf"(?<![\w.@])(?=(?:{'|'.join(('player', *GROUPS))})[.=]\w)")


@contextlib.contextmanager
def keys_under(prefix: str) -> Iterator[None]:
    """Keys of a player that a refusal names stand under ``prefix`` (empty, or ``opponent.``).

    What a search is made of knows its keys by their groups alone: ``search.roots`` becomes ``opponent.search.roots``.
    Raises BadInput in place of one that is raised meanwhile.
    """
    try:
        yield
    except BadInput as error:
        if not prefix:
            raise
        raise BadInput(_OWN_KEY.sub(prefix, str(error))) from None


def _checks_nothing(game: Any, player: PlayerConfig, prefix: str) -> None:
    return None


def _own_name(identity: Mapping[str, Any]) -> str:
    return str(identity["player"]["name"])


@dataclass(frozen=True)
class Program:
    """How an external engine is started, probed and built into a player.

    launch : how it is started, from the words of its command, its checked keys and their prefix; raises BadInput
    probe : its name and version, from the game and the launch; raises BadInput where it does not start or cannot play
        the game
    player : game, launch, processes, side, log and ``on_progress`` to the player
    example : a command, for who has named none
    """

    launch: Callable[[list[str], Any, str], Any]
    probe: Callable[[Any, Any], str]
    player: Callable[..., ExternalEnginePlayer]
    example: str


@dataclass(frozen=True)
class Kind:
    """A kind of player.

    configured : a checked player from plain groups under a prefix (empty, or ``opponent.``); raises BadInput
    build : the player from its context, with a budget of so many iterations, or of what it counts (0 where its budget
        is no number)
    keys : the NamedTuple of its keys in the group ``player``; None where it has ``name`` alone
    groups : the groups that count for it; setting another one is refused
    units : units that its budget may have; of ``budget.seconds`` it is measured in the first one
    counted : what it counts as its work
    rated : gives the player with a budget of so many units, to measure its speed; None where seconds are no unit of it
    chance : whether it plays games in which chance moves
    check : raises BadInput where its keys do not go together, or not with the game
    label : it in a few words, by its identity
    program : how it is started, where it is an external engine (``external_engines.external_engine``)
    """

    configured: Callable[[Mapping[str, Any], str], PlayerConfig]
    build: Callable[[PlayerConfig, PlayerContext, int], AnyPlayer]
    keys: Any = None
    groups: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    counted: str = "iterations"
    rated: Callable[[PlayerConfig, PlayerContext], Callable[[int], Player]] | None = None
    chance: bool = True
    check: Callable[[Any, PlayerConfig, str], None] = _checks_nothing
    label: Callable[[Mapping[str, Any]], str] = _own_name
    program: Program | None = None
