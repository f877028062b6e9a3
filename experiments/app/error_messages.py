"""Hydra's, OmegaConf's and YAML's messages in one line that says what is wrong and what there is instead."""

import difflib
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from hydra.errors import OverrideParseException

from experiments.app import hydra_keys, launchers, ray_settings
from experiments.app.own_modules import as_module, own_module
from experiments.config.choosers import by, choosers
from experiments.config.defaults import CONF
from experiments.config.scales import SCALE, SCALES
from experiments.config.schema import OF_EXPERIMENTS
from experiments.config.validation import RENAMED, renamed
from gpumcts.games.conformance.places import shown
from gpumcts.options import FOLDERS

MISSING_OPTION = re.compile(r"Could not find '(?P<group>[\w./]+?)/(?P<choice>[^/']*)'")
AVAILABLE_OPTIONS = re.compile(r"Available options in '[^']+':(?P<names>(\n[ \t]+\S+(?=\n|$))*)")
MISSING_GROUP = re.compile(r"Could not override '(?P<key>[^']+)'\.\s*No match in the defaults list")
MISSING_PLACE = re.compile(
    r"Could not override '(?P<key>[^']+)'\.\s*Did you mean to override (one of )?(?P<there>[^?]+)\?"
)
MISSING_KEY = re.compile(r"Could not override '(?P<key>[^']+)'\.\s*To append")
NO_KEY_TO_DELETE = re.compile(r"Could not delete from config\. '?(?P<key>[^' ]+)'? does not exist", re.IGNORECASE)
SWEEP = re.compile(r"Ambiguous value for argument '(?P<override>[^']+)'")
NO_TARGET = re.compile(r"Interpolation key '(?P<target>[^']+)' not found\s+full_key: (?P<key>\S+)")
COMMAND_OF = re.compile(r"^# python -m experiments\.(?P<command>\w+) ", re.MULTILINE)
OVERLAYS = ("cell", "experiment", "preset", "shared")
"""Groups whose choices set keys elsewhere."""
EXAMPLE = "experiment=kocsis2006improved/table1"
WHOLE_TRACEBACK = "Traceback (most recent call last)"  # the cause of what another process raised
WRONG_TYPE = re.compile(
    r"Error merging override (?P<override>\S+)\s+Value .* could not be converted to (?P<type>Integer|Float)\b"
)
MEANT = {"gpu": "cuda"}
"""What is meant by a word that is nearer to another name."""
TYPES = {"Integer": "an integer", "Float": "a number"}
CIRCLE = re.compile(r"Recursive interpolation detected\s+full_key: (?P<key>\S+)")


def one_line(error: BaseException, known: Mapping[str, Any] | None = None) -> str:
    """What an error of Hydra, OmegaConf or YAML says; ``known`` is the command's configuration, for suggestions."""
    if isinstance(error, yaml.YAMLError):
        return _of_file(error)
    text = str(error)
    cause = error.__cause__
    if cause is not None and str(cause) not in text and WHOLE_TRACEBACK not in str(cause):
        text = f"{text}\n{cause}"
    known = known or {}
    told = _of_option(text) or _of_key(text, known) or _of_reference(text, known) or _of_type(text)
    return told or _of_syntax(error) or _collapsed(text)


def no_text(folder: str, reason: str) -> str:
    """The error message about the first file of configurations below a folder that is not text in UTF-8."""
    for file in sorted(Path(folder).rglob("*.yaml")):
        try:
            file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            line = file.read_bytes()[: error.start].count(b"\n") + 1
            return f"{file}:{line}: {error.reason}: a file of configurations is text in UTF-8"
        except OSError:
            continue
    return f"{folder}: {reason}: files of configurations are text in UTF-8"


def set_not_chosen(words: Iterable[str], known: Mapping[str, Any]) -> str | None:
    """The error message about ``opponent.player=uci``, which puts a word in a group's place; None where none does.

    known : the command's configuration, empty where it cannot be had
    """
    for word in words:
        key, _, choice = word.partition("=")
        parent, _, group = key.rpartition(".")
        if parent and "@" not in key and choice in choices(group) and (not known or _below(known, parent)):
            return f"{word}: choose it as {group}@{word}"
    return None


def no_such_choice(group: str, choice: object) -> str:
    """The error message about a choice that a group does not have."""
    if module := as_module(group, str(choice)):
        return f"{group}={choice} is not known; a module of your own is named with dots: {group}={module}"
    return _not_among(group, str(choice), choices(group)) + _how_own(group, str(choice))


def _how_own(group: str, choice: str) -> str:
    """How a module of one's own is chosen in a group, for who seems to name one."""
    if "." not in choice:
        return ""
    if group in FOLDERS:
        return f"; a module of your own is named with dots, as {group}=my_lab.mine"
    return "; a module of your own takes a YAML file and --config-dir (docs/add_a_game.md)"


def _not_among(group: str, choice: str, names: list[str]) -> str:
    """``names`` are told in the choice's own folder alone, where it names one: there are forty experiments."""
    folder = choice.rpartition("/")[0]
    there = [name for name in names if folder and name.startswith(f"{folder}/")] or names
    return f"{group}={choice} is not known{guess(choice, names)}; there are: {', '.join(there)}"


def choices(group: str) -> list[str]:
    """What a group of ``conf/`` offers, subfolders included; empty where there is no such group."""
    folder = CONF / group
    if not os.path.isdir(folder):  # nor is a word that is too long for a name
        return []
    return sorted(str(file.relative_to(folder).with_suffix("")) for file in folder.rglob("*.yaml"))


@cache
def command_of(experiment: str) -> str | None:
    """The command that an experiment of ``conf/`` is for, as its file begins with it; None where there is no such."""
    file = CONF / "experiment" / f"{experiment}.yaml"
    found = COMMAND_OF.search(file.read_text(encoding="utf-8")) if os.path.isfile(file) else None
    return None if found is None else found["command"]


@cache
def name_of_choice(group: str, choice: str) -> str | None:
    """The ``name`` a choice of a group of ``conf/`` stands for (``go`` of ``playout=go``); None where it has none."""
    if own_module(group, choice):
        return choice
    file = CONF / group / f"{choice}.yaml"
    # os.path, unlike a Path, takes a text too long for a name, as a position or moves may be, for no file's.
    found = yaml.safe_load(file.read_text(encoding="utf-8")) if os.path.isfile(file) else None
    return found.get("name") if isinstance(found, dict) else None


def _of_file(error: yaml.YAMLError) -> str:
    """``my_lab/conf/game/mine.yaml:1: ...``: where a file of configurations is no YAML, and why."""
    if not isinstance(error, yaml.MarkedYAMLError) or error.problem_mark is None:
        return _collapsed(str(error))
    begun, mark = error.context_mark, error.problem_mark
    unclosed = begun is not None and "<stream end>" in str(error.problem)
    where = shown(mark.name, (begun if begun is not None and unclosed else mark).line + 1)
    return f"{where}: {': '.join(filter(None, [error.context, error.problem]))}"


def _of_option(text: str) -> str | None:
    missing = MISSING_OPTION.search(text)
    if missing is None:
        return None
    group, choice = missing["group"], missing["choice"]
    if group.startswith("hydra/"):  # Hydra's own groups, and the plugins' that are installed
        available = AVAILABLE_OPTIONS.search(text)
        names = {*(available["names"].split() if available else ()), *launchers.choices(group)}
        return _not_among(group, choice, sorted(names))
    parts = f"{group}/{choice}".split("/")
    group = next((parts[:i] for i in range(len(parts) - 1, 0, -1) if choices("/".join(parts[:i]))), parts[:1])
    return no_such_choice(group[0], "/".join(parts[1:]))


def _of_key(text: str, known: Mapping[str, Any]) -> str | None:
    group = MISSING_GROUP.search(text)
    if group is not None:
        key = group["key"]
        return f"{key}: the command has no such group{_who_has(key) or guess(key, list(known))}"
    place = MISSING_PLACE.search(text)
    if place is not None:
        return f"{place['key']}: the command has no such place for it; there are: {place['there']}"
    missing = MISSING_KEY.search(text) or NO_KEY_TO_DELETE.search(text)
    if missing is None:
        return None
    parent, _, last = missing["key"].rpartition(".")
    at: Any = known
    for part in filter(None, parent.split(".")):
        at = at.get(part, {}) if isinstance(at, Mapping) else {}
    names = [str(name) for name in at] if isinstance(at, Mapping) else []
    if keys := choosers(known, missing["key"].split(".")):
        return f"{missing['key']}: the experiment sets it by {by(keys)}; choose {' or '.join(keys)}"
    first = missing["key"].partition(".")[0]
    if known and first not in known and (others := _who_has(first)):
        return f"{missing['key']}: unknown key; the command has no group {first}{others}"
    if missing["key"] == SCALE:
        return f"{SCALE} goes with an experiment that has figures for {' and '.join(SCALES)}, as {EXAMPLE}"
    if RENAMED.get(last) in names:
        return renamed(missing["key"])
    if parent in ray_settings.ADDED_TO:
        return f"{missing['key']}: a key of Ray's own is added with a plus: +{missing['key']}=..."
    if first == "hydra":
        return hydra_keys.unknown_key(missing["key"])
    there = f"; {_what_has(parent, at)}" if names and parent else ""
    return f"{missing['key']}: unknown key{guess(last, names) or _elsewhere(missing['key'], known)}{there}"


def _who_has(group: str) -> str:
    """Which commands have a group: ``; experiments.match has it``; nothing where none has."""
    found = [file.stem for file in sorted(CONF.glob("*.yaml")) if group in _groups_in(file)]
    if not found:
        return ""
    *others, last = [f"experiments.{name}" for name in found]
    return f"; {', '.join(others)} and {last} have it" if others else f"; {last} has it"


def _groups_in(file: Path) -> set[str]:
    """The groups among the defaults of a command."""
    entries = yaml.safe_load(file.read_text(encoding="utf-8"))["defaults"]
    keys = [str(key) for entry in entries if isinstance(entry, dict) for key in entry]
    return {key.removeprefix("optional ").partition("@")[0] for key in keys}


def for_some_choices(message: str, words: Iterable[str], known: Callable[[list[str]], Mapping[str, Any]]) -> str:
    """What to do about a key that only some of the swept choices of its group have; nothing where it is not that.

    known : the configuration that some words make, empty where they make none
    """
    key = message.partition(": unknown key")[0]
    parent, _, last = key.rpartition(".")
    for word in words if key != message else ():
        name, _, values = word.partition("=")
        swept = values.split(",")
        if (name.partition("@")[2] or name) != parent or len(swept) < 2 or not choices(name.partition("@")[0]):
            continue
        if any(last in _below(known([f"{name}={value}"]), parent) for value in swept):
            return (
                f"; {word} sweeps choices without {key} too: give two commands, one for each kind of choice, or an "
                "experiment with an axis that sets both, as conf/experiment/main.yaml"
            )
    return ""


def _below(plain: Any, path: str) -> Mapping[str, Any]:
    """The keys at a path; none where there is no group."""
    for part in path.split("."):
        plain = plain.get(part) if isinstance(plain, Mapping) else None
    return plain if isinstance(plain, Mapping) else {}


def _elsewhere(key: str, known: Mapping[str, Any]) -> str:
    """Where a key belongs that has no place: below a group whose name is near, in other choices, in experiments."""
    first, _, rest = key.partition(".")
    if rest:
        near = [] if first in known else difflib.get_close_matches(first, list(known), n=1)
        return f" (did you mean {near[0]}.{rest}?)" if near else ""
    groups = {group: _with_key(group, key) for group in known if choices(group) and group not in OVERLAYS}
    found = [f"{group}.{key} with {group}={', '.join(some)}" for group, some in groups.items() if some]
    if found:
        return f"; there is {'; '.join(found)}"
    experiments = _with_key("experiment", key) if key in OF_EXPERIMENTS else []
    return f"; it goes with {by({'experiment': experiments})}" if experiments else ""


def _with_key(group: str, key: str) -> list[str]:
    """The choices of a group whose files have a key at the top."""
    begin = re.compile(rf"^{re.escape(key)}:", re.MULTILINE)
    files = {name: CONF / group / f"{name}.yaml" for name in choices(group)}
    return [name for name, file in files.items() if begin.search(file.read_text(encoding="utf-8"))]


def _what_has(group: str, plain: Mapping[str, Any]) -> str:
    """The keys of a group, whose name says which choice has them: ``backup=average has no keys``."""
    name = plain.get("name")
    chosen = isinstance(name, str) and "$" not in name
    keys = [str(key) for key in plain if not (chosen and key == "name")]
    return f"{group}={name} has {', '.join(keys) or 'no keys'}" if chosen else f"{group} has {', '.join(keys)}"


def _of_reference(text: str, known: Mapping[str, Any]) -> str | None:
    target, circle = NO_TARGET.search(text), CIRCLE.search(text)
    if target is not None:
        return (
            _of_target(target["target"], known) or f"{target['key']} refers to {target['target']}, which is not there"
        )
    if circle is not None and circle["key"].startswith("budget."):
        return "budget=same is for opponents; give the player a budget of its own"
    return f"{circle['key']} refers to itself" if circle is not None else None


def _of_target(target: str, known: Mapping[str, Any]) -> str | None:
    """Of a table of an experiment that has no such entry: the key that names the entry, and those that there are."""
    at: Any = known
    parts = target.split(".")
    there = 0
    while there < len(parts) and isinstance(at, Mapping) and parts[there] in at:
        at, there = at[parts[there]], there + 1
    if there in (0, len(parts)) or not isinstance(at, Mapping):
        return None
    names, given = list(map(str, at)), parts[there]
    key = _naming(parts[:there], known)
    return None if key is None else f"{key}={given} is not known{guess(given, names)}; there are: {', '.join(names)}"


def _naming(table: list[str], config: Any) -> str | None:
    """The key that chooses an entry of a table: ``column``, where something refers to ``${columns.${column}...}``."""
    if isinstance(config, Mapping | list):
        values = config.values() if isinstance(config, Mapping) else config
        return next((found for value in values if (found := _naming(table, value))), None)
    steps = r"\.".join(rf"(?:{re.escape(part)}|\$\{{[\w.]+\}})" for part in table)
    found = re.search(rf"\$\{{{steps}\.\$\{{(?P<key>[\w.]+)\}}", config) if isinstance(config, str) else None
    return None if found is None else found["key"]


def _of_type(text: str) -> str | None:
    wrong = WRONG_TYPE.search(text)
    return None if wrong is None else f"{wrong['override']}: must be {TYPES[wrong['type']]}"


def _of_syntax(error: BaseException) -> str | None:
    if isinstance(error, OverrideParseException):
        return not_understood(error.override)
    sweep = SWEEP.search(str(error))
    if sweep is None:
        return None
    return f"{sweep['override']} names several values: add -m to run them all, or quote text that has a comma"


def not_understood(override: str) -> str:
    """The error message about a word that is no override."""
    if override.startswith("runs=") and "{" in override:
        return f"{override!r} is not understood; several patterns stand in a list: runs='[a/**,b/**]'"
    marks = next((mark for mark in "={" if mark in override.partition("=")[2]), None)
    if marks is not None:
        return f"{override!r} is not understood: text with {marks} in it is quoted twice, 'key=\"a{marks}b\"'"
    return f"{override!r} is not understood; write key=value, and quote text twice: 'key=\"a, b\"'"


def guess(word: str, names: Sequence[str]) -> str:
    """A question whether another name was meant, where one is near to the word, else nothing."""
    close = [MEANT[word]] if MEANT.get(word) in names else difflib.get_close_matches(word, names, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def _collapsed(text: str) -> str:
    text = text.split("Config search path")[0].split("\nfull_key:")[0]
    return " ".join(text.replace("To append to your config use", "").split())
