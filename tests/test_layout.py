"""The rooms of gpumcts/: imports go one way, as docs/architecture.md says, and files are of one subject."""

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LEVELS = (
    {"games"},
    {"playouts"},
    {"kernels"},
    {"tree", "solver", "alpha_beta", "planning"},
    {"programs"},
    {"gtp", "uci"},
    {"players"},
    {"match"},
    {"api"},
)
"""From the bottom to the top; the modules of the root stand below, but for the two that open the door."""
LOWEST, OF_ROOT = "compiling", -1
"""The room below the modules of the root."""
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms} | {LOWEST: OF_ROOT - 1}
LEAVES = ("errors", "machine", "resources")
"""Modules of the root that import none of the library: all may use them."""
DOORS = ("__init__.py", "__main__.py")
BODIES = (
    "games/chess/informed.py",
    "games/chess/repetition.py",
    "games/amazons/attempts.py",
    "games/go/attempts.py",
    "games/go/playout.py",
    "games/havannah/playout.py",
)
"""Games' own bodies of verbs of playouts."""
ROOMS_OF_TREE = {
    "backup": {"backup"},
    "selection": {"backup", "selection"},
    "iteration": {"backup", "selection", "iteration"},
    "host": {"backup", "selection", "iteration", "host"},
    "tables": {"backup", "selection", "iteration", "host", "tables"},
}
"""The rooms of gpumcts/tree/ that each of them imports from; all of them import modules of its root."""
CUDA = {"kernels/cuda", "kernels/compile_check.py"}
FILES = sorted((ROOT / "gpumcts").rglob("*.py"))
LINES = 400


def names_of(nodes: Iterable[ast.AST]) -> Iterator[str]:
    """What the import statements among some nodes name, dotted."""
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (f"{alias.name}." for alias in node.names)


def names(path: Path) -> set[str]:
    """What a file imports, within functions too."""
    return set(names_of(ast.walk(ast.parse(path.read_text("utf-8")))))


def imported(path: Path) -> set[str]:
    """Rooms of gpumcts that a file imports from when it is imported itself; "" for modules of the root."""
    found = names_of(ast.parse(path.read_text("utf-8")).body)
    rooms = {name.split(".")[1] for name in found if name.startswith("gpumcts.")} - set(LEAVES)
    return {room if room in LEVEL else "" for room in rooms}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down(path):
    parts = path.relative_to(ROOT / "gpumcts").parts
    level = LEVEL.get(parts[0], OF_ROOT)
    above = {room for room in imported(path) if LEVEL.get(room, OF_ROOT) > level}
    if "/".join(parts) in BODIES:
        above -= {"playouts"}
    assert not above or parts in [(door,) for door in DOORS], f"imports {', '.join(sorted(above))}"


@pytest.mark.parametrize("name", LEAVES)
def test_leaves_import_none_of_the_library(name):
    assert not [found for found in names(ROOT / "gpumcts" / f"{name}.py") if found.startswith("gpumcts")]


def test_all_rooms_have_a_level():
    rooms = {path.name for path in (ROOT / "gpumcts").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms == set(LEVEL)


@pytest.mark.parametrize("name", BODIES)
def test_what_may_import_upwards_does(name):
    assert "playouts" in imported(ROOT / "gpumcts" / name)


def test_files_are_of_one_subject():
    more = [path for folder in ("benchmarks", "tests") for path in (ROOT / folder).rglob("*.py")]
    assert not [path for path in FILES + more if len(path.read_text("utf-8").splitlines()) > LINES]


@pytest.mark.parametrize("room", ROOMS_OF_TREE)
def test_rooms_of_the_tree_import_one_way(room):
    used = {name for path in (ROOT / "gpumcts/tree" / room).rglob("*.py") for name in names(path)}
    within = {name.split(".")[2] for name in used if name.startswith("gpumcts.tree.")}
    assert within & set(ROOMS_OF_TREE) <= ROOMS_OF_TREE[room]


def test_all_rooms_of_the_tree_are_named():
    assert {path.parent.name for path in (ROOT / "gpumcts/tree").glob("*/__init__.py")} == set(ROOMS_OF_TREE)


def test_cuda_has_a_room_of_its_own():
    drivers = ("numba.cuda.", "cupy.", "cuda.")
    users = [path for path in FILES for name in names(path) if f"{name}.".startswith(drivers)]
    rooms = {str(path.relative_to(ROOT / "gpumcts")) for path in users}
    assert rooms and all(room in CUDA or room.rpartition("/")[0] in CUDA for room in rooms), rooms
