"""The players that there are, by name: modules of ``kinds/``, or a user's own by its dotted name."""

import functools
import importlib
import pkgutil
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

from experiments.config.schema import Given, IdleGroup, Plain, PlayerConfig
from experiments.config.validation import group_at, shown
from experiments.players import kinds
from experiments.players.contract import GROUPS, Kind
from gpumcts.compiling.own_sources import SOURCES, sources_of
from gpumcts.errors import BadInput
from gpumcts.options import own_module


def names() -> list[str]:
    """The kinds of players that come with the commands."""
    return sorted(module.name for module in pkgutil.iter_modules(kinds.__path__))


def kind_of(name: Any, where: str = "player") -> Kind:
    """The kind of player ``name``, or of a user's module (``my_lab.my_player``). Raises BadInput for an unknown one."""
    unknown = f"{where}.name={shown(name)} is not known; there are: {', '.join(names())}"
    if not isinstance(name, str) or not all(part.isidentifier() for part in name.split(".")):
        raise BadInput(unknown)
    if "." in name:
        return _own(name, where)
    if name not in names():
        raise BadInput(unknown)
    return importlib.import_module(f"{kinds.__name__}.{name}").KIND


def _own(name: str, where: str) -> Kind:
    kind = getattr(own_module(f"{where}.name", name), "KIND", None)
    if not isinstance(kind, Kind):
        raise BadInput(f"{where}.name={name}: the module has no KIND of player")
    return kind


def player_of(plain: Plain, prefix: str = "") -> PlayerConfig:
    """The player configured under ``prefix``."""
    where = f"{prefix}player"
    group = group_at(plain["player"], where)
    kind = kind_of(group.get("name"), where)
    if kind.keys is None and len(group) > 1:
        raise BadInput(f"{where}.{next(key for key in group if key != 'name')}: unknown key; {where} has name alone")
    player = kind.configured(plain, prefix)
    return _with_sources(player, group["name"]) if "." in group["name"] else player


def _with_sources(player: PlayerConfig, module: str) -> PlayerConfig:
    """A player of a user's module, whose identity has digests of its source: another version is another run."""
    if not (own := sources_of(_value_of(importlib.import_module(module)))):
        return player
    return replace(player, identity={**player.identity, "player": {**player.identity["player"], SOURCES: own}})


@functools.cache
def _value_of(module: ModuleType) -> object:
    """A value whose class stands in ``module``, which a KIND itself does not; one for each time that it is loaded."""
    return type("Player", (), {"__module__": module.__name__})()


def check_player(game: Any, player: PlayerConfig, prefix: str = "") -> None:
    """Refuse keys of a player that do not go together, or not with the game."""
    kind_of(player.name).check(game, player, prefix)


def check_matched(player: PlayerConfig, opponent: PlayerConfig) -> None:
    """Refuse ``budget.matched`` where the other side counts nothing, or follows in its turn."""
    for prefix, own, other, theirs in (("", player, opponent, "opponent."), ("opponent.", opponent, player, "")):
        if own.budget.matched is None:
            continue
        where = f"{prefix}budget.matched={own.budget.matched}"
        if "budget" not in kind_of(other.name).groups:
            raise BadInput(f"{where}: {theirs}player={other.name} counts no nodes")
        if other.budget.matched is not None:
            raise BadInput(
                f"{where}: the other side follows too; give it a budget of its own, as {theirs}budget.iterations"
            )


def check_no_idle_groups(plain: Plain, given: Given) -> None:
    """Refuse a group that does not count for the player and is set: on the command line, or anew by a file.

    Raises IdleGroup.
    """
    sides = {"": plain, "opponent.": plain["opponent"]}
    counting = {prefix: kind_of(side["player"].get("name")).groups for prefix, side in sides.items()}
    follows = group_at(sides["opponent."]["budget"], "opponent.budget").get("name") == "same"
    for prefix, side in sides.items():
        for group in GROUPS:
            named = any(key == prefix + group or key.startswith(f"{prefix}{group}.") for key in given.keys)
            # What the opponent's budget may follow; a file of an experiment may set it for all of its cells.
            budget_there = (prefix, group) == ("", "budget") and "budget" in counting["opponent."]
            if group in counting[prefix] or (budget_there and (follows or not named)) or prefix + group in given.idle:
                continue
            base = given.defaults()["opponent"] if prefix else given.defaults()
            if named or (side[group] != base[group] and group_at(side[group], prefix + group).get("name") != "same"):
                raise IdleGroup(prefix + group, f"{prefix}player={side['player']['name']}")


def label(identity: Plain) -> str:
    """A player in a few words: what sets it apart from plain UCT."""
    words = [kind_of(identity["player"]["name"]).label(identity)]
    words += [Path(word).name for word in (identity["player"].get("command") or "").split()[:1]]
    for group, plain_name in (("backup", "average"), ("playout", "uniform"), ("selection", "ucb1")):
        option = identity.get(group, {"name": plain_name})
        fields = [f"{key}={shown(value)}" for key, value in option.items() if key in ("decay", "depth")]
        if option["name"] != plain_name:
            words.append("_".join([option["name"], *fields]))
    return " ".join(words)
