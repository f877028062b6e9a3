"""The names of ``import gpumcts``: loaded when used, described with examples that run, and known to type checkers."""

import ast
import doctest
import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from typing import get_type_hints

import pytest

import gpumcts
from gpumcts import options
from gpumcts.api.search import SearchSettings
from gpumcts.tree.settings import Settings

ROOT = Path(gpumcts.__file__).parent
PACKAGES = {"playout": "playouts", "selection": "selection", "backup": "backup"}
HEAVY = {"numba", "numpy", "scipy", "pydantic", "polars", "gpumcts.compiling.cache"}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def _described() -> dict[str, object]:
    """Public names whose docstrings say all that there is to know: of the package, and of the players."""
    found = {name: getattr(gpumcts, name) for name in gpumcts.__all__ if not inspect.ismodule(getattr(gpumcts, name))}
    found |= {f"players.{name}": getattr(gpumcts.players, name) for name in gpumcts.players.names()}
    found |= {f"{package}.names": getattr(gpumcts, package).names for package in (*PACKAGES.values(), "players")}
    return found | {"games": importlib.import_module("gpumcts.api.option_values").games}


DESCRIBED = _described()


def test_importing_loads_nothing_else():
    code = f"import sys, gpumcts; print(sorted({HEAVY!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_dir_lists_the_public_names():
    assert set(gpumcts.__all__) <= set(dir(gpumcts))
    assert all(hasattr(gpumcts, name) for name in gpumcts.__all__)


def test_an_unknown_name_is_told_with_those_there_are():
    with pytest.raises(AttributeError, match="no attribute 'serach'; there are: .*Search"):
        gpumcts.serach  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="no 'Unifrom'; there are: .*Uniform"):
        gpumcts.playouts.Unifrom  # type: ignore[attr-defined]  # noqa: B018


@pytest.mark.parametrize("function", [gpumcts.play, gpumcts.play_out, gpumcts.Search, gpumcts.Search.__call__])
def test_help_names_types_of_arguments_in_short(function):
    """`ArrayLike` and `Unpack` as values spell out what they are made of, in half a screen of private names."""
    signature = str(inspect.signature(function).replace(return_annotation=inspect.Signature.empty))
    assert "_typing" not in signature and "<class 'gpumcts" not in signature


def test_games_are_called_by_name():
    assert gpumcts.games() == options.names("game")  # the package itself, which other modules import from
    assert importlib.import_module("gpumcts.games.othello").Othello() == gpumcts.make("othello")


@pytest.mark.parametrize(("kind", "package"), PACKAGES.items())
def test_packages_of_options_have_every_option_by_its_class(kind, package):
    module = getattr(gpumcts, package)
    assert module.names() == options.names(kind)
    for name in options.names(kind):
        option = options.option(kind, name)
        assert getattr(module, option.__name__) is option


@pytest.mark.parametrize("kind", PACKAGES)
def test_type_checkers_see_every_option(kind):
    """An option that comes with the library has a line under TYPE_CHECKING in the ``__init__`` of its package."""
    told = _told(ROOT / Path(*options.FOLDERS[kind].split(".")[1:]) / "__init__.py")
    assert told == {name: f"{options.FOLDERS[kind]}.{_module(kind, name)}" for name in options.classes(kind)}


@pytest.mark.parametrize("kind", PACKAGES)
def test_every_option_is_described_and_has_defaults(kind):
    for name, option in options.classes(kind).items():
        text = inspect.getdoc(option) or ""
        assert len(text) > 20 and not text.startswith(f"{name}("), name  # what a NamedTuple says of itself
        assert options.value_of(kind, option()) == option()
        assert all(field in text for field in option._fields), name


def _module(kind: str, class_name: str) -> str:
    return next(name for name in options.names(kind) if options.option(kind, name).__name__ == class_name)


def test_type_checkers_see_every_public_name():
    told = _told(ROOT / "__init__.py")
    assert set(told) == set(gpumcts.__all__)
    for name, home in told.items():
        if name != "games":  # a function to type checkers; at run time the package is callable
            expected = getattr(importlib.import_module(home), name, None) or importlib.import_module(f"{home}.{name}")
            assert getattr(gpumcts, name) is expected


def _told(file: Path) -> dict[str, str]:
    """Names that a module imports for type checkers alone, and where from."""
    (guarded,) = (
        node
        for node in ast.parse(file.read_text("utf-8")).body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name)
    )
    imports = [node for node in guarded.body if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def test_a_search_takes_every_setting_by_name():
    assert set(get_type_hints(SearchSettings)) == set(Settings._fields)


@pytest.mark.parametrize("name", [name for name in DESCRIBED if name != "BadInput"])
def test_examples_of_docstrings(name):
    value = DESCRIBED[name]
    found = doctest.DocTestFinder(recurse=inspect.isclass(value)).find(value, name, globs={})
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    for test in found:
        runner.run(test)
    assert runner.tries > 0, f"{name} has no example"
    assert runner.failures == 0
