"""Source digests of a user's own options: the version of them that a run, and compiled code, belongs to."""

import ast
import functools
import hashlib
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np
import psutil

SOURCES = "_sources"
"""Key of the identity of an own option; no field of a NamedTuple begins with an underscore."""
DIGITS = 16
LIBRARY = Path(__file__).resolve().parent.parent
OTHERS = (
    *(Path(sysconfig.get_paths()[key]).resolve() for key in ("stdlib", "platstdlib", "purelib", "platlib")),
    *(LIBRARY.parent / beside for beside in ("experiments", "benchmarks", "hydra_plugins")),
)
"""Where modules lie that are no user's: Python's, installed ones, and those of the commands."""
STARTED = psutil.Process().create_time()
SCRIPTS = ("__main__", "__mp_main__")
CONSTANTS = (bool, int, float, str, np.generic, np.ndarray)

body_modules: set[str] = set()
"""Modules of the library that have bodies of verbs: another process compiles the same if it has them all."""
_bodies: dict[type, set[str]] = {}
"""Modules outside the library that have bodies of verbs for a class, by class."""
_contracts: dict[type, set[str]] = {}
"""Modules of the library that declare those verbs, by class."""
_extended: set[type] = set()
"""The classes of the library among them, and ``object``, whose bodies are defaults."""


class Version(NamedTuple):
    """Of which version a class is.

    sources : digests of the modules that it is made of, by name
    constants : digest of the constants in capitals that these modules have
    certain : whether their files hold what was imported: none is missing, and none was changed since this process began
    """

    sources: dict[str, str]
    constants: str
    certain: bool


def sources_of(value: Any) -> dict[str, str]:
    """Digests of the modules that a user's own option is made of, by name; none for one of the library.

    They are the option's module, those with bodies of verbs for it, the packages these lie in, and all that they import
    and that is neither the library's, nor Python's, nor installed. Of a script (``__main__``) only definitions count:
    functions, classes, and constants in capitals. A module without a file, as a notebook, has no digest.
    """
    return dict(version_of(type(value)).sources)


def is_own(kind: type) -> bool:
    """Whether a class is a user's own: not of the library."""
    return _top(kind.__module__) != LIBRARY.name


def is_extended(kind: type) -> bool:
    """Whether a class of the library has a body of a verb from outside."""
    return bool(_extended) and not is_own(kind) and any(base in _extended for base in kind.__mro__)


def note_body(contract: Callable, classes: tuple[type, ...], body: Callable) -> None:
    """Note that a body of the verb of a ``contract`` is registered for classes.

    Where a user's own class is among them, code without that class does not take the body in.
    """
    if _top(body.__module__) == LIBRARY.name:
        body_modules.add(body.__module__)
        return
    if _top(contract.__module__) != LIBRARY.name:
        return
    of_library = {kind for kind in classes if kind is object or not is_own(kind)}
    concerned = set(classes) - of_library
    if not concerned:
        concerned = of_library
        _extended.update(of_library)
    for kind in concerned:
        _bodies.setdefault(kind, set()).add(body.__module__)
        _contracts.setdefault(kind, set()).add(contract.__module__)


def contracts_of(kind: type) -> set[str]:
    """The modules that declare the verbs of which a class, or one that it extends, has bodies from outside."""
    return {name for base in kind.__mro__ for name in _contracts.get(base, ()) if base is not object}


def version_of(kind: type) -> Version:
    """The version of a class, as its files are when this is asked for the first time."""
    return _version_of(kind, _modules_of(kind))


def _modules_of(kind: type) -> frozenset[str]:
    """The modules outside the library that a class stands in, or that have bodies for it or for what it extends."""
    found = {name for base in kind.__mro__ for name in _bodies.get(base, ())}
    return frozenset({kind.__module__, *found} if is_own(kind) else found)


@functools.cache
def _version_of(kind: type, modules: frozenset[str]) -> Version:
    # By class: a module that is loaded anew has another one, and the text of an earlier version stays as it was read.
    found: dict[str, str] = {}
    constants: list[tuple[str, str, str]] = []
    certain = not (is_own(kind) and (kind.__module__ in SCRIPTS or "<locals>" in kind.__qualname__))
    tops, waiting = {_top(name) for name in modules}, list(modules)
    while waiting:
        name = waiting.pop()
        file = _file_of(name)
        if name in found or (file is None and not _is_unknown(name)):
            continue
        if file is None:
            certain = False
            continue
        if _top(name) not in tops and not _is_own_file(file):
            continue
        certain &= max(file.stat().st_mtime, file.stat().st_ctime) < STARTED
        text = file.read_text("utf-8", "replace")
        counted = _definitions(text) if name in SCRIPTS else text
        found[name] = hashlib.sha256(counted.encode()).hexdigest()[:DIGITS]
        constants += _constants_of(name)
        waiting += [*_packages(name), *_imported(name, text, file.name == "__init__.py")]
    certain &= found.keys() >= modules
    sources = {name: found[name] for name in sorted(found)}
    return Version(sources, hashlib.sha256(repr(sorted(constants)).encode()).hexdigest()[:DIGITS], certain)


def _top(name: str) -> str:
    return name.partition(".")[0]


def _constants_of(name: str) -> Iterator[tuple[str, str, str]]:
    """Numbers, texts and arrays in capitals that a module has by now: their values need not stand in its text."""
    for key, value in list(vars(sys.modules[name]).items()) if name in sys.modules else []:
        if key.isupper() and isinstance(value, CONSTANTS):
            shown = hashlib.sha256(value.tobytes()).hexdigest() if isinstance(value, np.ndarray) else repr(value)
            yield name, key, shown


def _file_of(name: str) -> Path | None:
    """The file of a module, without importing it or any other."""
    module = sys.modules.get(name)
    if module is not None:
        files = [getattr(module, "__file__", None) or ""]
    else:
        above, _, last = name.rpartition(".")
        folders = getattr(sys.modules.get(above), "__path__", None) or ()
        files = [f"{folder}/{last}{end}" for folder in folders for end in (".py", "/__init__.py")]
    return next((Path(file) for file in files if file.endswith(".py") and Path(file).is_file()), None)


def _is_unknown(name: str) -> bool:
    """Whether a module is loaded of which no text is known, and which is not Python's, installed, or a package's."""
    module: ModuleType | None = sys.modules.get(name)
    if module is None or _top(name) in sys.stdlib_module_names or hasattr(module, "__path__"):
        return False
    file = getattr(module, "__file__", None)
    return file is None or _is_own_file(Path(file))


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
    name = _name_in_package(name)
    top, base = _top(name), name if is_package else name.rpartition(".")[0]

    def counts(whence: str) -> bool:
        return _top(whence) == top or whence in sys.modules

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


def _name_in_package(name: str) -> str:
    """The name that a script has which is run as a module, ``python -m my_lab.script``; that of others is theirs."""
    spec = getattr(sys.modules.get(name), "__spec__", None) if name in SCRIPTS else None
    return spec.name if spec is not None else name


def _definitions(text: str) -> str:
    """Functions, classes and constants in capitals of a script, as they are written there; all of what is no Python."""
    lines = text.split("\n")  # those that ast counts; a form feed ends none
    parts = []
    try:
        body = ast.parse(text).body
    except SyntaxError:  # the file has been changed since it was run
        return text
    for node in body:
        if _defines(node):
            first = min([node.lineno, *(mark.lineno for mark in getattr(node, "decorator_list", []))])
            parts += lines[first - 1 : node.end_lineno]
    return "\n".join(parts)


def _defines(node: ast.stmt) -> bool:
    if isinstance(node, ast.Assign):
        return all(_is_constant(target) for target in node.targets)
    if isinstance(node, ast.AnnAssign):
        return _is_constant(node.target)
    return isinstance(node, ast.FunctionDef | ast.ClassDef)


def _is_constant(target: ast.expr) -> bool:
    """Whether what is assigned to is a name in capitals, or several of them."""
    if isinstance(target, ast.Tuple | ast.List):
        return all(_is_constant(part) for part in target.elts)
    return isinstance(target, ast.Name) and target.id.isupper()


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
