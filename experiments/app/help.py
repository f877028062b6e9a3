"""``--help`` of a command: its docstring, its keys and defaults, and what each group offers, read from ``conf/``."""

import inspect
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

import yaml
from omegaconf import OmegaConf

from experiments.app.error_messages import no_text
from experiments.app.hydra_calls import check_config_dir
from experiments.config.choosers import all_choosers
from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.validation import describe, hint_of

KEY = re.compile(r"^(?P<key>\w+): (?P<value>.*?)(?:  # (?P<comment>.*))?$")
DEFAULT = re.compile(r"^  - (?:override /)?(?P<group>[\w/]+)(?:@(?P<package>[\w.]+))?: (?P<choice>\w+)$")
COMMAND = re.compile(r"^# python -m experiments\.(?P<command>\w+)")
EXPERIMENT = "experiment"
OF_ONE_COMMAND = ("cell", EXPERIMENT)  # groups whose files are for the command that they begin with
MAX_WIDTH, MIN_TEXT = 120, 30  # letters of a line, and of a comment beside its key

FLAGS = {
    "-m, --multirun": "every combination of comma-separated values: -m backup=average,minimax",
    "-c job [--resolve]": "print the configuration instead of running",
    "-cd FOLDER": "add a folder of configurations of your own (game/my_game.yaml, ...)",
    "--hydra-help": "the rest of what Hydra understands",
}
OF_FLAGS = """\
game, playout, selection and backup take the dotted name of a module of your own as well: game=my_lab.my_game.
hydra.run.dir=FOLDER puts a run elsewhere, hydra.sweep.dir=FOLDER a sweep. hydra/launcher=joblib, submitit_local or ray
plays the runs of a sweep side by side; hydra/sweeper=optuna objective=win_rate 'backup.decay=interval(0.9,0.9999)'
looks for the values that make a number of the summary greatest. Each has an extra of its name:
pip install -e '.[joblib]'."""


def help_text(
    command: Any, conf: Path, width: int | None = None, asked: Sequence[str] = (), own: str | None = None
) -> str:
    """Everything a newcomer needs to use the command, in lines of ``width`` letters; by default, of the terminal's.

    asked : groups (``game``) and choices (``game=go``) of which alone the text shall tell
    own : the user's folder of configurations, whose options count where a group or a choice is asked for

    Raises BadInput for a group or a choice that the command does not have, and where there is no such folder.
    """
    width = min(MAX_WIDTH, width or shutil.get_terminal_size((MAX_WIDTH, 24)).columns)
    module = sys.modules[command.work.__module__]
    lines = (conf / f"{command.name}.yaml").read_text("utf-8").splitlines()
    check_config_dir(own)
    if asked:
        return "\n".join(_asked(command, conf, lines, word, width, own) for word in asked) + "\n"
    about, of_flags = (_filled(text, width) for text in (inspect.getdoc(module) or "", OF_FLAGS))
    flags = "\n".join(["Flags", *(_entry(f"  {flag:<19}  ", text, width) for flag, text in FLAGS.items())])
    parts = [about, _keys(lines, width), _groups(command, conf, lines, width), flags, of_flags]
    return "\n\n".join(part for part in parts if part) + "\n"


def _filled(text: str, width: int) -> str:
    """Paragraphs in lines of ``width`` letters; those with an indented line, as commands are, stay as they are."""
    blocks = text.split("\n\n")
    return "\n\n".join(
        block if re.search("^ ", block, re.MULTILINE) else textwrap.fill(block, width) for block in blocks
    )


def _keys(lines: list[str], width: int) -> str:
    """The keys at the top of a file, each with its default and comment."""
    found = [match for match in map(KEY.match, lines) if match]
    if not found:
        return ""
    pairs = [(f"{match['key']}={match['value']}", match["comment"] or "") for match in found]
    left = max(len(pair[0]) for pair in pairs) + 2
    entries = (_entry(f"  {name:<{left}}", comment, width) for name, comment in pairs)
    return "\n".join(["Keys and their defaults", *entries])


def _entry(left: str, text: str, width: int) -> str:
    """A key and its comment beside it, or below it where little room is left beside it."""
    if not text:
        return left.rstrip()
    if width - len(left) >= MIN_TEXT:
        return textwrap.fill(
            text, width, initial_indent=left, subsequent_indent=" " * len(left), break_on_hyphens=False
        )
    below = " " * (len(left) - len(left.lstrip()) + 4)
    below = below[: max(0, width - MIN_TEXT)]
    filled = textwrap.fill(text, width, initial_indent=below, subsequent_indent=below, break_on_hyphens=False)
    return f"{left.rstrip()}\n{filled}"


def _asked(command: Any, conf: Path, lines: list[str], word: str, width: int, folder: str | None) -> str:
    """One group of the command, or one choice of it."""
    group, _, name = word.partition("=")
    chosen = {match["group"]: match["choice"] for match in _defaults(lines)}
    if group not in chosen:
        raise BadInput(f"--help {word}: the command has no group {group}; it has {', '.join(chosen)}")
    if group in options.FOLDERS and "." in name:
        found = _own_choice(group, name, width)
    else:
        found = _choices(command, conf / group, chosen[group], width, name)
        found += _own_files(group, name, Path(folder), width) if folder and group in options.FOLDERS else []
    if not found:
        raise BadInput(f"--help {word}: {group} has no {name}; --help {group} shows what it has")
    return "\n".join(
        [f"  {group}", *found, *(_of_experiment(conf, name, width) if group == EXPERIMENT and name else [])]
    )


def _own_files(group: str, name: str, folder: Path, width: int) -> list[str]:
    """The options of a group in a user's folder of configurations, or the one that is named."""
    files = [file for file in sorted((folder / group).glob("*.yaml")) if file.is_file() and name in ("", file.stem)]
    return [line for file in files for line in _own_file(group, file, width)]


def _own_file(group: str, file: Path, width: int) -> list[str]:
    """An option of a user's folder; its title alone where the file names no class, but builds on another file."""
    try:
        with file.open(encoding="utf-8") as stream:  # whose name YAML's errors have
            tree = yaml.safe_load(stream)
    except UnicodeDecodeError as error:
        raise BadInput(no_text(str(file.parent), error.reason)) from None
    if not isinstance(tree, dict) or "name" not in tree:
        return [f"    {file.stem}"]
    return _own_choice(group, str(tree["name"]), width, file.stem, tree)


def _own_choice(
    group: str, name: str, width: int, title: str | None = None, values: Mapping[str, Any] | None = None
) -> list[str]:
    """A user's own option, by its dotted name: what its class says of itself, and its keys with what they take.

    title : what the user calls it, if not by its name; values : its file's, which stand for defaults
    """
    cls: Any = options.option(group, name)
    values = {**cls._field_defaults, **(values or {})}
    about = (cls.__doc__ or "").strip().partition("\n")[0]
    about = "" if about.startswith(f"{cls.__name__}(") else about  # Python's, where the class has none
    return [
        f"    {title or name}",
        *([_entry(" " * 23, about, width)] if about else []),
        *(
            _entry(f"{' ' * 25}.{field}={values.get(field, '???')}  ", describe(hint), width)
            for field in cls._fields
            if (hint := hint_of(cls, field)) is not None
        ),
    ]


def _of_experiment(conf: Path, name: str, width: int) -> list[str]:
    """What the file of an experiment says of it, its keys with the names that they take, and what it sweeps over."""
    text = (conf / EXPERIMENT / f"{name}.yaml").read_text("utf-8")
    comments = list(takewhile(lambda line: line.startswith("# "), text.splitlines()[3:]))
    tree = yaml.safe_load(text)
    for entry in tree.get("defaults", []):  # one that adds to another experiment has its keys
        if isinstance(entry, str) and (conf / EXPERIMENT / f"{entry}.yaml").is_file():
            tree = yaml.safe_load((conf / EXPERIMENT / f"{entry}.yaml").read_text("utf-8")) | tree
    keys = [
        _entry(f"{' ' * 25}{key}={tree[key]}  ", ", ".join(names), width)
        for key, names in all_choosers(tree).items()
        if key in tree
    ]
    sweep = [
        _entry(f"{' ' * 25}{key}=", " ".join(str(values).replace(",", ", ").split()), width)
        for key, values in _swept(tree).items()
    ]
    about = [_entry(" " * 23, " ".join(line[2:] for line in comments), width)] if comments else []
    parts = {"its keys, with the names that each takes:": keys, "it sweeps over:": sweep}
    return about + [line for head, lines in parts.items() if lines for line in (f"{' ' * 23}{head}", *lines)]


def _swept(tree: dict[str, Any]) -> dict[str, Any]:
    """What an experiment sweeps over, at the scale that it has where nothing is said."""
    config = OmegaConf.create(tree)
    params = OmegaConf.select(config, "hydra.sweeper.params") or {}
    return {str(key): params[key] for key in params}


def groups_of(command: Any, conf: Path) -> list[str]:
    """The groups of a command."""
    return [match["group"] for match in _defaults((conf / f"{command.name}.yaml").read_text("utf-8").splitlines())]


def _defaults(lines: list[str]) -> list[re.Match]:
    return [match for match in map(DEFAULT.match, lines) if match and match["group"] != "shared"]


def _groups(command: Any, conf: Path, lines: list[str], width: int) -> str:
    """Every group of the command: its choices, what each is, and their keys."""
    chosen = _defaults(lines)
    if not chosen:
        return ""
    about = (
        "Groups: group=choice takes a file of conf/, group.key=value changes a key of it; * is the default. "
        f"--help {chosen[0]['group']} shows one of them alone"
    )
    text = [textwrap.fill(about, width)]
    opponents = [match for match in chosen if (match["package"] or "").startswith("opponent")]
    for match in chosen:
        if match not in opponents:
            name = "@".join(filter(None, [match["group"], match["package"]]))
            text += ["", f"  {name}", *_choices(command, conf / match["group"], match["choice"], width)]
    if opponents:
        about = "The opponent's groups are named group@opponent.group, and their keys opponent.group.key."
        text += ["", textwrap.fill(about, width, initial_indent="  ", subsequent_indent="  ")]
    return "\n".join(text)


def _choices(command: Any, folder: Path, default: str, width: int, only: str = "") -> list[str]:
    """What a group offers, with the keys of each choice; ``only`` one where that is named."""
    entries = []
    for file in sorted(folder.rglob("*.yaml")):
        name = str(file.relative_to(folder).with_suffix(""))
        lines = file.read_text("utf-8").splitlines()
        if only not in ("", name) or not _is_for(command, folder.name, name, lines):
            continue
        overlay = lines[0].startswith("# @package")
        comments = [line[2:] for line in lines if line.startswith("# ")]
        about = comments[2 if overlay else 0]  # above it stand the package and the command line
        mark = "*" if name == default else " "
        left = f"   {mark}{name:<18} "
        entries += [left.rstrip(), _entry(" " * 23, about, width)] if len(name) > 18 else [_entry(left, about, width)]
        if not overlay:
            keys = [match for match in map(KEY.match, lines) if match and match["key"] != "name"]
            entries += [
                _entry(f"{' ' * 25}.{m['key']}={_typed(m['value'])}  ", m["comment"] or "", width) for m in keys
            ]
    return entries


def _is_for(command: Any, group: str, name: str, lines: list[str]) -> bool:
    """Whether a command takes a choice of a group."""
    if group in OF_ONE_COMMAND:
        return command.name == _command_of(lines)
    return group != "game" or command.takes_game is None or command.takes_game(options.option("game", name))


def _command_of(lines: list[str]) -> str | None:
    """The command that a file of ``conf/`` begins with."""
    found = [match["command"] for match in map(COMMAND.match, lines) if match]
    return found[0] if found else None


def _typed(value: str) -> str:
    """A value of a file as one types it on a command line."""
    return {".inf": "inf"}.get(value, value)
