"""What is kept by an option is kept by its class too: options of two classes may be equal as tuples.

``Uniform(truncate=0) == Staged(truncate=0)``, and the compiled games of two board sizes are equal. A cache without
``typed=True`` takes one for the other.
"""

import ast
import re
from pathlib import Path

import pytest

import gpumcts as g
from gpumcts.options import compiled

ROOT = Path(__file__).resolve().parent.parent.parent
KEEPS = re.compile(r"(^|\.)(lru_)?cache\b")
OPTIONS = {"game", "policy", "rule", "operator", "option", "playout", "backup", "selection", "mdp"}


def untyped(source: str) -> list[str]:
    """Functions of options whose results are kept without their classes."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and OPTIONS & {argument.arg for argument in node.args.args}:
            kept = [ast.unparse(decorator) for decorator in node.decorator_list]
            found += [node.name for word in kept if KEEPS.search(word) and "typed=True" not in word]
    return found


def test_options_may_be_equal_as_tuples():
    assert g.playouts.Uniform() == g.playouts.Staged()
    assert compiled(g.make("gomoku", size=9)) == compiled(g.make("gomoku", size=13))


def test_a_cache_without_classes_is_found():
    assert untyped("@functools.cache\ndef f(game): ...") == ["f"]
    assert untyped("@functools.lru_cache(maxsize=1)\ndef f(n, policy): ...") == ["f"]
    assert untyped("@functools.lru_cache(maxsize=1, typed=True)\ndef f(game): ...") == []
    assert untyped("@functools.cache\ndef f(number): ...") == []


@pytest.mark.parametrize("room", ["gpumcts", "experiments", "benchmarks", "tests"])
def test_what_is_kept_is_kept_by_class(room):
    files = sorted((ROOT / room).rglob("*.py"))
    assert files
    assert [f"{file.name}: {name}" for file in files for name in untyped(file.read_text("utf-8"))] == []
