"""What the tutorial and the notebooks have a user write in the checkout is neither told by git nor linted."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
WRITTEN = ("my_lab/last_stone.py", "my_lab/conf/game/last_stone.yaml", "notebooks/my_games/squares.py")


def test_they_are_those_that_the_pages_name():
    pages = (ROOT / "docs/add_a_game.md").read_text("utf-8")
    notebook = (ROOT / "notebooks/03_a_game_of_your_own.ipynb").read_text("utf-8")
    named = re.findall(r"^# (my_lab/\S+)$", pages, re.MULTILINE)
    named += [f"notebooks/{file}" for file in re.findall(r"%%writefile (\S+?)\\n", notebook)]
    assert {*WRITTEN} <= {*named} and {name.rpartition("/")[0].split("/conf")[0] for name in named} == {
        "my_lab",
        "notebooks/my_games",
    }


@pytest.mark.parametrize("file", WRITTEN)
def test_git_ignores_them(file):
    if not (ROOT / ".git").exists():
        pytest.skip("no checkout of git")
    assert subprocess.run(["git", "check-ignore", "-q", file], cwd=ROOT).returncode == 0


def test_ruff_leaves_them_out_where_there_is_no_git():
    excluded = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["ruff"]["extend-exclude"]
    assert all(any(file.startswith(f"{folder}/") for folder in excluded) for file in WRITTEN)
