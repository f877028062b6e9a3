"""What ``conf/`` chooses where a command line is silent: the choice of each group of a command, and its values."""

import functools
from pathlib import Path
from typing import Any

import yaml

CONF = Path(__file__).resolve().parents[2] / "conf"


@functools.cache
def default_choices(command: str) -> dict[str, Any]:
    """The choice of each group of a command, by the place of the group: ``backup``, ``opponent.backup``."""
    listed = _read(CONF / f"{command}.yaml").get("defaults", [])
    pairs = [pair for entry in listed if isinstance(entry, dict) for pair in entry.items()]
    return {key.partition("@")[2] or key: choice for key, choice in pairs}


def is_default(command: str, key: str, value: Any, choices: dict[str, Any]) -> bool:
    """Whether a value of a key, named by its place, is what the command takes without it.

    choices : what is chosen in groups, by their places; groups that are not there have the command's own choice
    """
    own = default_choices(command)
    if key in own:
        return own[key] == value
    group, _, name = key.rpartition(".")
    choice = choices.get(group, own.get(group))
    there = values_of_choice(group.rpartition(".")[2], str(choice)) if group else _read(CONF / f"{command}.yaml")
    return name in there and _plain(there[name]) == _plain(value)


@functools.cache
def values_of_choice(group: str, choice: str) -> dict[str, Any]:
    """The values of a choice of a group, those of the choices that it begins with too; empty for one's own module."""
    file = CONF / group / f"{choice}.yaml"
    if not file.is_file():
        return {}
    found: dict[str, Any] = {}
    own = _read(file)
    for base in own.get("defaults", []):
        found |= own if base == "_self_" else values_of_choice(group, base) if isinstance(base, str) else {}
    return {**found, **own}


def _plain(value: Any) -> Any:
    """A value as records have it: infinite numbers are text there."""
    return str(value) if isinstance(value, float) and value in (float("inf"), float("-inf")) else value


def _read(file: Path) -> dict[str, Any]:
    return (yaml.safe_load(file.read_text("utf-8")) or {}) if file.is_file() else {}
