"""The recipes of docs/ are run as written: their files in a fresh folder, their commands from it."""

import inspect
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gpumcts.games import contract
from gpumcts.games.conformance.declared import REQUIRED

ROOT = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"```(?P<language>\w+)\n(?P<text>.*?)```", re.DOTALL)
GENERATED = ROOT / "docs" / "papers"
PAGES = sorted(path for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")] if GENERATED not in path.parents)
RECIPES = sorted((ROOT / "docs").glob("add_*.md"))


def _param(path: Path):
    """The recipes that end in searches with every rule, or of a game of their own, take their time to compile."""
    slow = path.stem in ("add_a_backup_operator", "add_a_game")
    return pytest.param(path, id=path.stem, marks=[pytest.mark.slow] if slow else [])


def prose(text):
    """The lines of a page outside tables and blocks of code, with their numbers."""
    code = False
    for number, line in enumerate(text.splitlines(), 1):
        code ^= line.startswith("```")
        if not code and not line.startswith(("|", "```")):
            yield number, line


def paragraphs(text):
    """The paragraphs of a page, and each item of its lists, as words; titles too."""
    words = []
    for _, line in prose(text):
        if not line.strip() or re.match(r"\s*([-*]|\d+\.) |#", line):
            yield words
            words = []
        words = words + line.split()
    yield words


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_prose_is_within_its_bounds(page):
    """No line of over 120 characters, no paragraph of over 80 words."""
    text = page.read_text("utf-8")
    assert not [number for number, line in prose(text) if len(line) > 120]
    assert not [" ".join(words[:6]) for words in paragraphs(text) if len(words) > 80]


def test_there_are_recipes():
    assert len(RECIPES) >= 3


def test_the_arguments_of_bodies_are_those_of_the_contract():
    """As a body is refused that names them otherwise."""
    text = (ROOT / "docs" / "add_a_game.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"`(\w+)\((game[\w, ]*)\)`", text))
    assert {*REQUIRED, "next_move", "evaluation", "random_move"} <= set(listed)
    for verb, arguments in listed.items():
        assert arguments.split(", ") == list(inspect.signature(getattr(contract, verb)).parameters), verb


@pytest.mark.parametrize("recipe", [_param(path) for path in RECIPES])
def test_a_recipe_works_as_written(recipe: Path, tmp_path: Path):
    commands = []
    for block in BLOCK.finditer(recipe.read_text(encoding="utf-8")):
        text = block["text"]
        if block["language"] == "bash":
            commands += [line.split() for line in text.strip().splitlines()]
            continue
        file = tmp_path / text.splitlines()[0].removeprefix("# ")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    assert commands
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    for command in commands:
        assert command[:2] == ["python", "-m"]
        done = subprocess.run(
            [sys.executable, *command[1:]], cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240
        )
        assert done.returncode == 0, done.stderr
