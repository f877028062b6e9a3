"""Options by name, which is the name of a module (a file or a package); only what is named is imported."""

import difflib
import importlib
import importlib.util
import math
import pkgutil
import re
import textwrap
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from gpumcts.compiling.class_names import admit, title
from gpumcts.compiling.own_sources import SOURCES, contracts_of, is_own, sources_of
from gpumcts.errors import BadInput
from gpumcts.validation import check_fields, checked, said

FOLDERS = {
    "game": "gpumcts.games",
    "playout": "gpumcts.playouts",
    "selection": "gpumcts.tree.selection",
    "backup": "gpumcts.tree.backup",
}
CALLED = {"game": "game", "playout": "playout policy", "selection": "selection rule", "backup": "backup operator"}
"""What an option of a kind is called in messages."""
NOT_OPTIONS = {"__init__", "contract"}
MAX_SHOWN = 100  # characters of a value that is none of an option

CHECKS = {
    "game": "gpumcts.games.conformance.check",
    "playout": "gpumcts.playouts.conformance.check_class",
    "selection": "gpumcts.tree.conformance.check_rule",
    "backup": "gpumcts.tree.conformance.check_operator",
}
"""What asks a user's own option whether it keeps the contract; it takes the value as it travels."""
TOGETHER = "gpumcts.playouts.conformance.check_policy"

_own: dict[type, str] = {}
"""The kind of each class of a user's own options; these are checked before they are compiled."""


def names(kind: str) -> list[str]:
    """The options of a kind (``game``, ``playout``, ``selection``, ``backup``) that come with the library."""
    package = importlib.import_module(FOLDERS[kind])
    found = (module.name for module in pkgutil.iter_modules(package.__path__) if module.name not in NOT_OPTIONS)
    return sorted(name for name in found if hasattr(importlib.import_module(f"{FOLDERS[kind]}.{name}"), "OPTION"))


def classes(kind: str) -> dict[str, type]:
    """The classes of the options of a kind that come with the library, by the name of the class (``Ucb1``)."""
    found = (option(kind, name) for name in names(kind))
    return {cls.__name__: cls for cls in found}


def class_named(kind: str, name: str) -> type:
    """The class called ``name``, such as ``Ucb1``, of the options of a kind; for lazily loaded attributes of packages.

    Raises AttributeError, naming what there is, for an unknown one.
    """
    if not name[:1].isupper():  # a module, or what Python itself asks for
        raise AttributeError(f"module {FOLDERS[kind]!r} has no attribute {name!r}")
    module = re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()
    if importlib.util.find_spec(f"{FOLDERS[kind]}.{module}") is not None:
        found = getattr(importlib.import_module(f"{FOLDERS[kind]}.{module}"), "OPTION", None)
        if found is not None and found.__name__ == name:
            return found
    there = classes(kind)
    if name not in there:
        raise AttributeError(f"module {FOLDERS[kind]!r} has no {name!r}; there are: {', '.join(there)}")
    return there[name]


def option(kind: str, name: str) -> type:
    """The class of the option ``name``, or of a user's own module given by its dotted name (``my_lab.my_game``).

    Raises BadInput, naming what there is, for an unknown one.
    """
    if not isinstance(name, str) or not all(part.isidentifier() for part in name.split(".")):
        raise BadInput(f"{kind}={said(name)} is not a name; there are: {', '.join(names(kind))}")
    module = own_module(kind, name) if "." in name else _library_module(kind, name)
    if not hasattr(module, "OPTION"):
        if "." not in name:
            raise _unknown(kind, name)
        raise BadInput(f"{kind}={name}: the module has no OPTION: end it with OPTION = and the name of its class")
    if kind in CHECKS and "." in name:
        if not isinstance(module.OPTION, type) or not hasattr(module.OPTION, "_field_defaults"):
            raise BadInput(
                f"{kind}={name}: its OPTION is no class of fields: write class Name(NamedTuple), and OPTION = Name"
            )
        _check_kind(kind, name, module.OPTION)
        check_fields(module.OPTION)
        admit(module.OPTION)
        _own[module.OPTION] = kind
    return module.OPTION


def _check_kind(kind: str, given: str, cls: type) -> None:
    """Refuse a user's own class that is an option of other kinds alone, by the verbs that it has bodies of.

    One without a body of any verb is told what its kind needs when it is asked.
    """
    modules = {*contracts_of(cls), *(base.__module__ for base in cls.__mro__)}
    found = [other for other, package in FOLDERS.items() if any(_lies_in(package, module) for module in modules)]
    if found and kind not in found:
        raise BadInput(f"{kind}={given}: {title(cls)} is a {CALLED[found[0]]}, not a {CALLED[kind]}")


def _lies_in(package: str, module: str) -> bool:
    return module.startswith(f"{package}.")


def _library_module(kind: str, name: str) -> ModuleType:
    dotted = f"{FOLDERS[kind]}.{name}"
    if name in NOT_OPTIONS or importlib.util.find_spec(dotted) is None:
        raise _unknown(kind, name)
    return importlib.import_module(dotted)


def _unknown(kind: str, name: str) -> BadInput:
    there = names(kind)
    near = difflib.get_close_matches(name, there, n=1)
    meant = f" (did you mean {near[0]}?)" if near else ""
    return BadInput(f"{kind}={name} is not known{meant}; there are: {', '.join(there)}")


def own_module(key: str, name: str) -> ModuleType:
    """A user's module, the value of ``key``. Raises BadInput, with file and line, where it cannot be imported."""
    from gpumcts.games.conformance import places

    try:
        module = importlib.import_module(name)
    except (Exception, SystemExit) as error:  # whatever a user's file does as it is read, a script's end too
        where, said = places.of_import(error), (str(error).splitlines() or [""])[0]
        what = "cannot import it" if isinstance(error, ImportError) else type(error).__name__
        raise BadInput(": ".join([f"{key}={name}", *([where] if where else []), what, said])) from error
    return module


def compiled(value: Any) -> Any:
    """What travels into compiled code for an option: itself, or what its ``compiled`` method gives.

    A user's own option is asked first whether it keeps the contract (``CHECKS``), once for each version of its source.
    Raises BadInput, with file and line, where it does not.
    """
    found = value.compiled() if hasattr(value, "compiled") else value
    admit(type(found))
    if type(value) in _own:
        from gpumcts.games import conformance

        if is_own(type(found)):
            _own.setdefault(type(found), _own[type(value)])
        conformance.check_once(CHECKS[_own[type(value)]], found)
    return found


def check_own(value: Any) -> None:
    """Ask an option whether it keeps the contract, if it is a user's own. Raises BadInput, with file and line."""
    if type(value) in _own:
        compiled(value)


def check_together(policy: Any, game: Any) -> None:
    """Ask a user's own playout policy whether it keeps the contract on a game, both as they travel. Raises BadInput."""
    if type(policy) in _own:
        from gpumcts.games import conformance

        conformance.check_once(TOGETHER, policy, game)


def name_of(value: Any) -> str:
    """What an option is called in a configuration, given its value, as it travels into compiled code or not."""
    module = type(value).__module__
    for folder in FOLDERS.values():
        if module.startswith(f"{folder}."):
            return module.removeprefix(f"{folder}.").partition(".")[0]
    return module


def named(kind: str, name: str, parameters: Mapping[str, Any]) -> Any:
    """The value of the option ``name`` with ``parameters``, by field, and the defaults of the others.

    Raises BadInput for an unknown name or parameter, a value out of range, and parameters that do not go together.
    """
    value = checked(option(kind, name), parameters, kind)
    compiled(value)  # refuses parameters that do not go together
    return value


def value_of(kind: str, given: Any) -> Any:
    """An option of a kind that a user gives, by name or as a value, checked.

    Raises BadInput for what is neither, for an option of another kind, and as ``named`` does.
    """
    if isinstance(given, str):
        return named(kind, given, {})
    if isinstance(given, type) and hasattr(given, "_fields"):
        raise BadInput(f"{kind}={title(given)}: a class; take a value of it, {title(given)}(...)")
    if not hasattr(given, "_asdict") or not _is_of_kind(kind, given):
        shown = textwrap.shorten(said(given), MAX_SHOWN, placeholder=" ...")  # arrays fill pages
        raise BadInput(f"{kind}={shown}: must be a {kind} or its name; there are: {', '.join(names(kind))}")
    if is_own(type(given)):
        _check_kind(kind, title(given), type(given))
        check_fields(type(given))
    value = checked(type(given), given._asdict(), kind)
    if is_own(type(given)):
        _own[type(given)] = kind
    compiled(value)
    return value


def _is_of_kind(kind: str, given: Any) -> bool:
    """Whether an option that comes with the library is of ``kind``; a user's own is what its owner says it is."""
    return is_own(type(given)) or type(given).__module__.startswith(f"{FOLDERS[kind]}.")


def identity(value: Any) -> dict[str, Any]:
    """An option as the identity of a run has it: ``{"name": ..., every field}``.

    That of a user's own has digests of its source too (``own_sources``): another version is another run.
    """
    own = sources_of(value)
    return {"name": name_of(value), **value._asdict(), **({SOURCES: own} if own else {})}


def as_json(value: Any) -> Any:
    """Values of an identity as JSON, which has no infinity."""
    if isinstance(value, Mapping):
        return {key: as_json(inner) for key, inner in value.items()}
    return str(value) if isinstance(value, float) and math.isinf(value) else value
