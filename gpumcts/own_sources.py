"""The text of a user's own options, by which a run knows of which version of them it is."""

import ast
import functools
import hashlib
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

SOURCES = "_sources"
"""Key of the identity of an own option; no field of a NamedTuple begins with an underscore."""
DIGITS = 16


def sources_of(value: Any) -> dict[str, str]:
    """Digests of the modules that a user's own option is made of, by name; none for one of the library.

    They are the option's module, the packages it lies in, and what these import of the same package at the top. Of a
    script (``__main__``) only definitions count: functions, classes, and constants in capitals. A module without a
    file, as a notebook, has no digest.
    """
    return dict(_sources_of(type(value)))


@functools.cache
def _sources_of(kind: type) -> dict[str, str]:
    # By class: a module that is loaded anew has another one, and the text of an earlier version stays as it was read.
    if kind.__module__.partition(".")[0] == __name__.partition(".")[0]:
        return {}
    found: dict[str, str] = {}
    waiting = [kind.__module__]
    while waiting:
        name = waiting.pop()
        file = _file_of(name)
        if name in found or file is None:
            continue
        text = file.read_text("utf-8", "replace")
        counted = _definitions(text) if name == "__main__" else text
        found[name] = hashlib.sha256(counted.encode()).hexdigest()[:DIGITS]
        if name != "__main__":
            waiting += [*_packages(name), *_imported(name, text, file.name == "__init__.py")]
    return {name: found[name] for name in sorted(found)}


def _file_of(name: str) -> Path | None:
    module = sys.modules.get(name)
    try:
        file = getattr(module, "__file__", None) if module else getattr(importlib.util.find_spec(name), "origin", None)
    except (ImportError, ValueError):
        return None
    return Path(file) if file and file.endswith(".py") and Path(file).is_file() else None


def _packages(name: str) -> list[str]:
    """The packages that a module lies in: ``my_lab.backup.median`` in ``my_lab.backup`` and ``my_lab``."""
    parts = name.split(".")
    return [".".join(parts[:end]) for end in range(1, len(parts))]


def _imported(name: str, text: str, is_package: bool) -> Iterator[str]:
    """What a module may import of its own package at the top; names that are no modules have no file."""
    top, base = name.partition(".")[0], name if is_package else name.rpartition(".")[0]
    try:
        tree = ast.parse(text)
    except SyntaxError:  # the file has been changed since it was imported
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.partition(".")[0] == top)
        elif isinstance(node, ast.ImportFrom):
            above = base.split(".")[: len(base.split(".")) - node.level + 1] if node.level else []
            whence = ".".join([*above, *([node.module] if node.module else [])])
            if whence.partition(".")[0] == top:
                yield from (whence, *(f"{whence}.{alias.name}" for alias in node.names))


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
