"""The rooms of experiments/: the root holds commands, imports go one way, the library's tests know nothing of them."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LEVELS = (
    {"terminal"},
    {"config"},
    {"players"},
    {"runs"},
    {"analysis"},
    {"ranking", "soft_traps"},
    {"papers"},
    {"app"},
    {"reproduction"},
)
"""From the bottom to the top; commands stand above."""
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
EXPERIMENTS = sorted((ROOT / "experiments").rglob("*.py"))
LINES = 400
OTHERS = ("check_game", "gpu_check", "reproduce")
"""Commands with a command line of their own, which no file configures."""


def imported(path: Path) -> Iterator[str]:
    """Dotted names of the modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def test_the_root_of_experiments_holds_commands_alone():
    modules = {path.stem for path in (ROOT / "experiments").glob("*.py")} - {"__init__", *OTHERS}
    assert modules == {path.stem for path in (ROOT / "conf").glob("*.yaml")}
    folders = {path.name for path in (ROOT / "experiments").iterdir() if path.is_dir()} - {"__pycache__"}
    assert folders == set(LEVEL)


@pytest.mark.parametrize("path", EXPERIMENTS, ids=name_of)
def test_imports_go_down(path):
    """Rooms of one level may know each other in one direction alone, which Python sees to."""
    parts = path.relative_to(ROOT / "experiments").parts
    level = LEVEL.get(parts[0], len(LEVELS))
    for module in imported(path):
        head, *rest = module.split(".")
        if head == "experiments" and rest:
            assert LEVEL.get(rest[0], len(LEVELS)) <= level, f"{name_of(path)} imports {module}"
            assert len(parts) == 1 or rest[0] in LEVEL, f"{name_of(path)} imports the command {rest[0]}"
        assert head != "benchmarks" or len(parts) == 1, f"{name_of(path)} imports {module}"


@pytest.mark.parametrize("top", ["gpumcts", "benchmarks"])
def test_others_know_nothing_of_the_experiments(top):
    for path in sorted((ROOT / top).rglob("*.py")):
        assert not any(module.split(".")[0] == "experiments" for module in imported(path)), name_of(path)


def test_no_test_of_the_library_imports_experiments():
    for path in sorted((ROOT / "tests").rglob("*.py")):
        if path.relative_to(ROOT / "tests").parts[0] not in ("experiments", "benchmarks"):
            assert not any(module.split(".")[0] == "experiments" for module in imported(path)), name_of(path)


def test_files_are_of_one_subject():
    for path in (*EXPERIMENTS, *(ROOT / "benchmarks").rglob("*.py")):
        assert len(path.read_text("utf-8").splitlines()) <= LINES, name_of(path)
