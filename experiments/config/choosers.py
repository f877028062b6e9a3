"""The keys of an experiment that choose entries of its tables, as ``k`` in ``backup.decay: ${decays.${k}}``.

Trees are configurations as files have them, references unresolved.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeGuard

from experiments.config.scales import SCALE

TOKEN = re.compile(r"\$\{(?P<key>[\w.]+)\}|\$\{|\}")
REFERENCE = re.compile(r"\$\{(?:oc\.select:)?(?P<path>[\w.<>*]+)")
MAX_STEPS = 5  # from table to table
MAX_NAMED = 5


def choosers(tree: Any, path: Sequence[str]) -> dict[str, list[str]]:
    """The keys that decide what stands at a path, each with the names of the entries that it chooses from.

    The scale is none of them: it is how much is done, not what.
    """
    node = tree
    for step, part in enumerate(path):
        node = node.get(part) if isinstance(node, Mapping) else None
        if _refers(node):
            found = _of_text(tree, node, list(path[step + 1 :]), 0)
            return {key: names for key, names in found.items() if key != SCALE}
    return {}


def all_choosers(tree: Mapping[str, Any]) -> dict[str, list[str]]:
    """Every key of a tree that chooses entries of its tables, the scale too, with the names of the entries."""
    found: dict[str, list[str]] = {}
    for text in texts(tree):
        for key, names in _of_text(tree, text, [], MAX_STEPS).items():
            found.setdefault(key, names)
    return found


def texts(node: Any) -> Iterator[str]:
    """Every text in a tree that refers to something."""
    if isinstance(node, Mapping | list):
        for value in node.values() if isinstance(node, Mapping) else node:
            yield from texts(value)
    elif _refers(node):
        yield node


def by(keys: Mapping[str, Sequence[str]]) -> str:
    """Choosers in a message, with the names they choose from, of many the first and the last: ``k=1, ..., 7``."""
    return " and ".join(
        f"{key}={', '.join(names) if len(names) <= MAX_NAMED else f'{names[0]}, ..., {names[-1]}'}"
        for key, names in keys.items()
    )


def _refers(node: Any) -> TypeGuard[str]:
    return isinstance(node, str) and "${" in node


def _of_text(tree: Any, text: str, rest: list[str], steps: int) -> dict[str, list[str]]:
    """The choosers in a text, and in what it refers to; ``rest`` is the path below that which is asked for."""
    found: dict[str, list[str]] = {}
    for reference in REFERENCE.finditer(_marked(text)):
        parts = reference["path"].split(".")
        for step, part in enumerate(parts):
            if part.startswith("<"):
                tables = [table for table in _at(tree, parts[:step]) if isinstance(table, Mapping)]
                found.setdefault(part[1:-1], list(dict.fromkeys(str(name) for table in tables for name in table)))
        for node in filter(_refers, _at(tree, parts + rest)) if steps < MAX_STEPS else ():
            found |= {key: names for key, names in _of_text(tree, node, [], steps + 1).items() if key not in found}
    return found


def _marked(text: str) -> str:
    """``${decays.${k}}`` as ``${decays.<k>}``; a reference with a dot, as ``${game.name}``, within another is ``*``."""
    words, depth, begin = [], 0, 0
    for token in TOKEN.finditer(text):
        words.append(text[begin : token.start()])
        begin, key = token.end(), token["key"]
        if key is None:
            depth += 1 if token[0] == "${" else -1
        words.append(token[0] if key is None or not depth else "*" if "." in key else f"<{key}>")
    return "".join([*words, text[begin:]])


def _at(tree: Any, parts: Sequence[str]) -> list[Any]:
    """What stands at a path, whose marked parts stand for all names."""
    nodes = [tree]
    for part in parts:
        tables = [node for node in nodes if isinstance(node, Mapping)]
        if part[:1] in ("<", "*"):
            nodes = [value for table in tables for value in table.values()]
        else:
            nodes = [table[part] for table in tables if part in table]
    return nodes
