"""The rooms of gpumcts/: imports go one way, as docs/architecture.md says, and files are of one subject."""

import ast
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
LEVEL = {room: level for level, rooms in enumerate(LEVELS) for room in rooms}
DOORS = ("__init__.py", "__main__.py")
BODIES = (
    "games/chess/informed.py",
    "games/chess/repetition.py",
    "games/go/attempts.py",
    "games/go/playout.py",
    "games/havannah/playout.py",
)
"""Games' own bodies of verbs of playouts."""
FILES = sorted((ROOT / "gpumcts").rglob("*.py"))
LINES = 400


def imported(path: Path) -> set[str]:
    """Rooms of gpumcts that a file imports from when it is imported itself; "" for modules of the root."""
    found = set()
    for node in ast.parse(path.read_text("utf-8")).body:
        names = []
        if isinstance(node, ast.ImportFrom) and node.module:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("gpumcts.")}
    return {room if room in LEVEL else "" for room in found}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_go_down(path):
    parts = path.relative_to(ROOT / "gpumcts").parts
    level = LEVEL.get(parts[0], -1)
    above = {room for room in imported(path) if LEVEL.get(room, -1) > level}
    if "/".join(parts) in BODIES:
        above -= {"playouts"}
    assert not above or parts in [(door,) for door in DOORS], f"imports {', '.join(sorted(above))}"


def test_all_rooms_have_a_level():
    rooms = {path.name for path in (ROOT / "gpumcts").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert rooms == set(LEVEL)


@pytest.mark.parametrize("name", BODIES)
def test_what_may_import_upwards_does(name):
    assert "playouts" in imported(ROOT / "gpumcts" / name)


def test_files_are_of_one_subject():
    assert not [path for path in FILES if len(path.read_text("utf-8").splitlines()) > LINES]
