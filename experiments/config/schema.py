"""What each command takes, as typed values: from here on nobody sees a configuration again.

``conf/`` and these classes say the same keys with the same defaults (a test holds them together). What is wrong is
refused here, in one line that names the key, before any work.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from experiments.config.budgets import Budget
from experiments.config.validation import group_at, shown, typed
from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.options import as_json as as_json  # what commands make of the identity that they give to Checked
from gpumcts.playouts.contract import check_policy
from gpumcts.resources import free_memory, usable_cores
from gpumcts.tree.settings import Settings

Plain = Mapping[str, Any]


OF_EXPERIMENTS = (
    "title",
    "document",
    "panel",
    "k",
    "decays",
    "scale",
    "scales",
    "shape",
    "shapes",
    "names",
    "option",
    "options",
    "memory",
    "memories",
    "column",
    "columns",
    "by",
    "budgets",
    "board",
    "boards",
    "policy",
    "policies",
    "owns",
    "kinds",
    "round",
    "rounds",
    "extras",
    "finals",
)
"""Keys that an experiment may add at the top."""


class Given(NamedTuple):
    """What the command line says, for what can only be judged by it.

    keys : set there, ``backup`` or ``opponent.backup.decay``; defaults : composes the command's own configuration
    idle : groups that may be set although they do not count, since they count in another run of the sweep
    """

    keys: frozenset[str]
    defaults: Callable[[], Plain]
    idle: frozenset[str] = frozenset()


class IdleGroup(BadInput):
    """A group that is set and does not count: ``opponent.backup`` beside ``opponent.player=random``."""

    def __init__(self, group: str, beside: str) -> None:
        super().__init__(f"{group} does not count for {beside}; leave it out")
        self.group = group


class Study(NamedTuple):
    """What an experiment adds: what its run is called, the table or figure it reproduces, its panel, and its cell."""

    title: str | None = None
    document: str | None = None
    panel: str | None = None
    k: Annotated[int, Interval(ge=1, le=7)] | None = None


@dataclass(frozen=True)
class PlayerConfig:
    """A player: its name, and for those that search the values of the groups that count.

    identity : the plain values that decide how it plays
    own : its own keys, checked
    table_mb : MiB of a hash table that each thread of it has
    program : keys of an external engine that is the player
    """

    name: str
    identity: dict[str, Any]
    policy: Any = None
    rule: Any = None
    operator: Any = None
    settings: Settings = Settings()
    budget: Budget = Budget(iterations=None)
    own: Any = None
    table_mb: int = 0
    program: Any = None

    @property
    def plays_out(self) -> bool:
        """Whether it searches a tree or a table by playouts."""
        return self.policy is not None

    @property
    def iterations(self) -> int:
        """What the player counts, a move: iterations (alpha-beta: leaves, pvs: nodes).

        0 where it does not search, and where its budget is in seconds, a depth, or the other side's.
        """
        return self.budget.iterations or self.budget.nodes or 0


@dataclass(frozen=True)
class Checked:
    """A checked configuration of one run.

    identity : what decides its result, JSON values; the folder's digest is made of it
    slug : what the folder is called before the digest
    at_once : runs of its sweep that share this machine at a time
    trees_at_once : positions that a player searches together at most; None where it is not known
    """

    identity: dict[str, Any]
    slug: str
    keys: Any
    game: Any = None
    policy: Any = None
    player: PlayerConfig | None = None
    opponent: PlayerConfig | None = None
    engine: str = "auto"
    study: Study = Study()
    at_once: int = 1
    trees_at_once: int | None = None

    @property
    def threads(self) -> int:
        """CPU threads: those asked for, or as many as this process may use, shared out among the runs at a time."""
        return self.keys.threads or max(1, usable_cores() // self.at_once)

    @property
    def memory_limit(self) -> int | None:
        """Bytes the trees may take; None for what is free, of which runs at a time have a share each."""
        if self.keys.memory_gb is not None:
            return int(min(self.keys.memory_gb * 2**30, 2**62))
        if self.at_once == 1:
            return None
        from gpumcts.tree.memory import SHARE_OF_MEMORY

        free = int(SHARE_OF_MEMORY * free_memory())
        return free // self.at_once


def option_value(kind: str, plain: Plain, where: str) -> tuple[Any, dict[str, Any]]:
    """The value of an option and its identity: ``{"name": ..., every field}``, and of an own one its sources."""
    fields = dict(group_at(plain, where))
    name = fields.pop("name", None)
    if not isinstance(name, str):
        there = ", ".join(options.names(kind))
        raise BadInput(f"{where}.name={shown(name)}: must be the name of a module; there are: {there}")
    try:
        option = options.option(kind, name)
    except BadInput as error:
        raise BadInput(str(error).replace(f"{kind}=", f"{where}.name=", 1)) from None
    value = typed(option, fields, where)
    if kind != "game":  # game_value asks that, with the fields that do not go together
        options.check_own(value)
    return value, {**options.identity(value), "name": name}


def game_value(plain: Plain) -> tuple[Any, dict[str, Any]]:
    """The game as rules and searches take it, and its identity; refuses fields that do not go together."""
    value, identity = option_value("game", plain["game"], "game")
    return options.compiled(value), identity


def named(plain: Plain, where: str, known: Collection[str]) -> str:
    """The name that a group chooses, which has no other keys."""
    name = group_at(plain, where).get("name")
    if name not in known:
        raise BadInput(f"{where}.name={shown(name)} is not known; there are: {', '.join(known)}")
    if len(plain) > 1:
        raise BadInput(f"{where}.{next(key for key in plain if key != 'name')}: unknown key; {where} has name alone")
    return str(name)


def top_keys(cls: type, plain: Plain, groups: Collection[str]) -> Any:
    """The plain keys at the top of a command's configuration, as ``cls``."""
    return typed(cls, {key: value for key, value in plain.items() if key not in groups})


def check_policies(game: Any, *policies: Any) -> None:
    """Refuse playouts that are not for the game; None where a player plays none."""
    for policy in policies:
        if policy is not None:
            check_policy(policy, game)
