"""``--help`` of a command: its docstring, its keys and defaults, and what each group offers, read from ``conf/``."""

import inspect
import re
import sys
import textwrap
from pathlib import Path
from typing import Any

KEY = re.compile(r"^(?P<key>\w+): (?P<value>.*?)(?:  # (?P<comment>.*))?$")
DEFAULT = re.compile(r"^  - (?:override /)?(?P<group>[\w/]+)(?:@(?P<package>[\w.]+))?: (?P<choice>\w+)$")
WIDTH = 118

FLAGS = """\
Flags
  -m, --multirun       every combination of comma-separated values: -m backup=average,minimax
  -c job [--resolve]   print the configuration instead of running
  -cd FOLDER           add a folder of configurations of your own (game/my_game.yaml, ...)
  --hydra-help         the rest of what Hydra understands

game, playout, selection and backup take the dotted name of a module of your own as well: game=my_lab.my_game.
hydra.run.dir=FOLDER puts a run elsewhere, hydra.sweep.dir=FOLDER a sweep. hydra/launcher=joblib, submitit_local or ray
plays the runs of a sweep side by side; hydra/sweeper=optuna objective=win_rate 'backup.decay=interval(0.9,0.9999)'
looks for the values that make a number of the summary greatest. Each has an extra of its name:
pip install -e '.[joblib]'."""


def help_text(command: Any, conf: Path) -> str:
    """Everything a newcomer needs to use the command."""
    module = sys.modules[command.work.__module__]
    lines = (conf / f"{command.name}.yaml").read_text("utf-8").splitlines()
    parts = [inspect.getdoc(module) or "", _keys(lines), _groups(conf, lines), FLAGS]
    return "\n\n".join(part for part in parts if part) + "\n"


def _keys(lines: list[str]) -> str:
    """The keys at the top of a file, each with its default and comment."""
    found = [match for match in map(KEY.match, lines) if match]
    if not found:
        return ""
    pairs = [(f"{match['key']}={match['value']}", match["comment"] or "") for match in found]
    width = max(len(pair[0]) for pair in pairs) + 2
    return "\n".join(["Keys and their defaults", *(_entry(f"  {name:<{width}}", comment) for name, comment in pairs)])


def _entry(left: str, text: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent=left, subsequent_indent=" " * len(left)) if text else left.rstrip()


def _groups(conf: Path, lines: list[str]) -> str:
    """Every group of the command: its choices, what each is, and their keys."""
    chosen = [match for match in map(DEFAULT.match, lines) if match and match["group"] != "shared"]
    if not chosen:
        return ""
    text = ["Groups: group=choice takes a file of conf/, group.key=value changes a key of it; * is the default"]
    opponents = [match for match in chosen if (match["package"] or "").startswith("opponent")]
    for match in chosen:
        if match not in opponents:
            name = "@".join(filter(None, [match["group"], match["package"]]))
            text += ["", f"  {name}", *_choices(conf / match["group"], match["choice"])]
    if opponents:
        text += ["", "  The opponent's groups are named group@opponent.group, and their keys opponent.group.key."]
    return "\n".join(text)


def _choices(folder: Path, default: str) -> list[str]:
    entries = []
    for file in sorted(folder.rglob("*.yaml")):
        name = str(file.relative_to(folder).with_suffix(""))
        lines = file.read_text("utf-8").splitlines()
        overlay = lines[0].startswith("# @package")
        comments = [line[2:] for line in lines if line.startswith("# ")]
        about = comments[2 if overlay else 0]  # above it stand the package and the command line
        mark = "*" if name == default else " "
        short = len(name) <= 18
        entries.append(_entry(f"   {mark}{name:<18} ", about) if short else f"   {mark}{name}\n{' ' * 23}{about}")
        if not overlay:
            keys = [match for match in map(KEY.match, lines) if match and match["key"] != "name"]
            entries += [_entry(f"{' ' * 25}.{m['key']}={_typed(m['value'])}  ", m["comment"] or "") for m in keys]
    return entries


def _typed(value: str) -> str:
    """A value of a file as one types it on a command line."""
    return {".inf": "inf"}.get(value, value)
