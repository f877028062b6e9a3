"""Options by name: the name of an option is the name of its module (a file or a package), and only what is named is imported."""

import importlib
import importlib.util
import pkgutil
from pathlib import Path
from types import ModuleType
from typing import Any

from gpumcts import cache
from gpumcts.errors import BadInput

FOLDERS = {
    "game": "gpumcts.games",
    "playout": "gpumcts.playouts",
    "selection": "gpumcts.tree.selection",
    "backup": "gpumcts.tree.backup",
}
NOT_OPTIONS = {"__init__", "contract"}


def names(kind: str) -> list[str]:
    """The options of a kind (``game``, ``playout``, ``selection``, ``backup``) that come with the library."""
    package = importlib.import_module(FOLDERS[kind])
    found = (module.name for module in pkgutil.iter_modules(package.__path__) if module.name not in NOT_OPTIONS)
    return sorted(name for name in found if hasattr(importlib.import_module(f"{FOLDERS[kind]}.{name}"), "OPTION"))


def option(kind: str, name: str) -> type:
    """The class of the option ``name``, or of a user's own module given by its dotted name (``my_lab.my_game``).

    Raises BadInput, naming what there is, for an unknown one.
    """
    if not isinstance(name, str) or not all(part.isidentifier() for part in name.split(".")):
        raise BadInput(f"{kind}.name={name!r} is not a name; there are: {', '.join(names(kind))}")
    module = _own_module(kind, name) if "." in name else _library_module(kind, name)
    if not hasattr(module, "OPTION"):
        raise BadInput(
            f"{kind}.name={name}: the module {module.__name__} has no OPTION; there are: {', '.join(names(kind))}"
        )
    return module.OPTION


def _library_module(kind: str, name: str) -> ModuleType:
    dotted = f"{FOLDERS[kind]}.{name}"
    if name in NOT_OPTIONS or importlib.util.find_spec(dotted) is None:
        raise BadInput(f"{kind}.name={name} is not known; there are: {', '.join(names(kind))}")
    return importlib.import_module(dotted)


def _own_module(kind: str, name: str) -> ModuleType:
    try:
        module = importlib.import_module(name)
    except ImportError as error:
        raise BadInput(f"{kind}.name={name}: cannot import it: {error}") from error
    if module.__file__:
        cache.watch(Path(module.__file__))
    return module


def compiled(value: Any) -> Any:
    """What travels into compiled code for an option: itself, or what its ``compiled`` method gives."""
    return value.compiled() if hasattr(value, "compiled") else value


def name_of(value: Any) -> str:
    """What an option is called in a configuration, given its value, as it travels into compiled code or not."""
    module = type(value).__module__
    for folder in FOLDERS.values():
        if module.startswith(f"{folder}."):
            return module.removeprefix(f"{folder}.").partition(".")[0]
    return module
