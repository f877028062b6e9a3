"""What a kind of player is: a module of ``kinds/`` with a ``KIND``, and a file of ``conf/player/`` that names it."""

import contextlib
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from experiments.config.schema import PlayerConfig
from gpumcts.errors import BadInput
from gpumcts.players.construction import Place
from gpumcts.players.contract import Anyone, Player
from gpumcts.players.external_engine import OutsidePlayer

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
    """How a program outside is started, looked at and seated.

    terms : how it is started, from the words of its command, its checked keys and their prefix; raises BadInput
    look_at : what it calls itself, from the game and the terms; raises BadInput where it does not start or cannot play
        the game
    player : game, terms, processes, side, log and ``on_progress`` to the player
    example : a command, for who has named none
    """

    terms: Callable[[list[str], Any, str], Any]
    look_at: Callable[[Any, Any], str]
    player: Callable[..., OutsidePlayer]
    example: str


@dataclass(frozen=True)
class Kind:
    """A kind of player.

    configured : a checked player from plain groups under a prefix (empty, or ``opponent.``); raises BadInput
    seated : the player at its place, with a budget of so many iterations, or what it counts (0 where its budget is no
        number)
    keys : the NamedTuple of its keys in the group ``player``; None where it has ``name`` alone
    groups : the groups that count for it; setting another one is refused
    units : units that its budget may have; of ``budget.seconds`` it is measured in the first one
    counted : what it counts as its work
    rated : gives the player with a budget of so many units, to measure its speed; None where seconds are no unit of it
    chance : whether it plays games in which chance moves
    check : raises BadInput where its keys do not go together, or not with the game
    label : it in a few words, by its identity
    program : how it is started, where it is a program outside (``external_engines.external_engine``)
    """

    configured: Callable[[Mapping[str, Any], str], PlayerConfig]
    seated: Callable[[PlayerConfig, Place, int], Anyone]
    keys: Any = None
    groups: tuple[str, ...] = ()
    units: tuple[str, ...] = ()
    counted: str = "iterations"
    rated: Callable[[PlayerConfig, Place], Callable[[int], Player]] | None = None
    chance: bool = True
    check: Callable[[Any, PlayerConfig, str], None] = _checks_nothing
    label: Callable[[Mapping[str, Any]], str] = _own_name
    program: Program | None = None
