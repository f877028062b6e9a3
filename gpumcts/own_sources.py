"""The text of a user's own options, by which a run knows of which version of them it is, and so does compiled code."""

import ast
import functools
import hashlib
import importlib.util
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

SOURCES = "_sources"
"""Key of the identity of an own option; no field of a NamedTuple begins with an underscore."""
DIGITS = 16
LIBRARY = Path(__file__).resolve().parent
OTHERS = (
    *(Path(sysconfig.get_paths()[key]).resolve() for key in ("stdlib", "platstdlib", "purelib", "platlib")),
    *(LIBRARY.parent / beside for beside in ("experiments", "benchmarks", "hydra_plugins")),
)
"""Where modules lie that are no user's: Python's, installed ones, and those of the commands."""
STARTED = time.time()


class Version(NamedTuple):
    """Of which version a class is.

    sources : digests of the modules that it is made of, by name
    certain : whether their files hold what was imported: none is missing, and none was changed since this process began
    """

    sources: dict[str, str]
    certain: bool


def sources_of(value: Any) -> dict[str, str]:
    """Digests of the modules that a user's own option is made of, by name; none for one of the library.

    They are the option's module, the packages it lies in, and all that these import and that is neither the library's,
    nor Python's, nor installed. Of a script (``__main__``) only definitions count: functions, classes, and constants in
    capitals. A module without a file, as a notebook, has no digest.
    """
    return dict(version_of(type(value)).sources)


def is_own(kind: type) -> bool:
    """Whether a class is a user's own: not of the library."""
    return kind.__module__.partition(".")[0] != LIBRARY.name


@functools.cache
def version_of(kind: type) -> Version:
    """The version of a class, as its files are when this is asked for the first time."""
    # By class: a module that is loaded anew has another one, and the text of an earlier version stays as it was read.
    if not is_own(kind):
        return Version({}, True)
    found: dict[str, str] = {}
    certain = _file_of(kind.__module__) is not None
    waiting = [kind.__module__]
    while waiting:
        name = waiting.pop()
        file = _file_of(name)
        if name in found or file is None or not _is_own_file(file):
            continue
        certain &= file.stat().st_mtime < STARTED
        text = file.read_text("utf-8", "replace")
        counted = _definitions(text) if name == "__main__" else text
        found[name] = hashlib.sha256(counted.encode()).hexdigest()[:DIGITS]
        waiting += [*_packages(name), *_imported(name, text, file.name == "__init__.py")]
    return Version({name: found[name] for name in sorted(found)}, certain)


def _file_of(name: str) -> Path | None:
    module = sys.modules.get(name)
    try:
        file = getattr(module, "__file__", None) if module else getattr(importlib.util.find_spec(name), "origin", None)
    except (ImportError, ValueError):
        return None
    return Path(file) if file and file.endswith(".py") and Path(file).is_file() else None


def _is_own_file(file: Path) -> bool:
    path = file.resolve()
    installed = any(part in ("site-packages", "dist-packages") for part in path.parts)
    return not installed and not any(path.is_relative_to(folder) for folder in (LIBRARY, *OTHERS))


def _packages(name: str) -> list[str]:
    """The packages that a module lies in: ``my_lab.backup.median`` in ``my_lab.backup`` and ``my_lab``."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def _imported(name: str, text: str, is_package: bool) -> Iterator[str]:
    """What a module may import: all of its own package at the top, and else what is loaded."""
    top, base = name.partition(".")[0], name if is_package else name.rpartition(".")[0]

    def counts(whence: str) -> bool:
        return whence.partition(".")[0] == top or whence in sys.modules

    try:
        tree = ast.parse(text)
    except SyntaxError:  # the file has been changed since it was imported
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if counts(alias.name))
        elif isinstance(node, ast.ImportFrom):
            above = base.split(".")[: len(base.split(".")) - node.level + 1] if node.level else []
            whence = ".".join([*above, *([node.module] if node.module else [])])
            if counts(whence):
                names = (whence, *(f"{whence}.{alias.name}" for alias in node.names))
                yield from (found for found in names if counts(found))


def _definitions(text: str) -> str:
    """Functions, classes and constants in capitals of a script, as they are written there."""
    lines = text.splitlines()
    parts = []
    for node in ast.parse(text).body:
        if _defines(node):
            first = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", []))])
            parts += lines[first - 1 : node.end_lineno]
    return "\n".join(parts)


def _defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) and target.id.isupper() for target in node.targets)
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def changed(key: str, folder: Path, there: str) -> str | None:
    """What is said where identities differ at ``key``: one line if that is a source of an own option, else None.

    folder : of the earlier run; there : what that has at the key, as ``journal.first_difference`` tells it
    """
    option, mark, name = key.partition(f".{SOURCES}")
    if not mark:
        return None
    if not name and there == "not set":
        return f"{option}: the run in {folder} does not say of which version it is; start in another folder"
    return f"{_shown(name.removeprefix('.'), option)} has changed since the run in {folder}; start in another folder"


def _shown(name: str, option: str) -> str:
    """A module by its file, from the current folder where that lies below it; without one by what names it."""
    file = _file_of(name) if name else None
    if file is None:
        return name or option
    here, path = Path.cwd(), file.resolve()
    return str(path.relative_to(here) if path.is_relative_to(here) else path)
