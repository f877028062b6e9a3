"""What is installed: a wheel with the library alone, and a checkout whose commands have a console command."""

import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from gpumcts import __version__
from gpumcts.__main__ import CHECKOUT, commands, main

ROOT = Path(__file__).resolve().parent.parent
ELSEWHERE = shutil.ignore_patterns(
    ".git", ".venv", "outputs", "multirun", "__pycache__", "*.egg-info", "build", ".*_cache"
)
USE = """
import importlib.util, sys
import gpumcts as g
assert importlib.util.find_spec("experiments") is None
game = g.make("dots_and_boxes", rows=1, columns=1)
search = g.Search(game, threads=1)
assert search(g.start(game), iterations=50).visits[0].sum() == 49
assert g.play_match(game, (search.player(20), g.players.Random()), games=4).games == 4
print(g.__file__)
"""


def test_help_lists_the_commands(capsys):
    assert main(["--help"]) == 0
    out = capsys.readouterr().out
    assert all(f"  {name} " in out for name in ("match", "search", "playouts", "report"))
    assert "Play one player against another, colours alternating, and count." in out
    assert main([]) == 0


def test_the_version_needs_no_checkout(capsys, tmp_path):
    assert main(["--version"], tmp_path) == 0
    assert capsys.readouterr().out == f"gpumcts {__version__}\n"


def test_commands_are_those_of_the_checkout():
    names = {file.stem for file in (ROOT / "experiments").glob("*.py")} - {"__init__"}
    assert CHECKOUT == ROOT and set(commands()) == names
    assert all(line.endswith(".") and line.count("(") == line.count(")") for line in commands().values())


def test_an_unknown_command_is_one_line(capsys):
    assert main(["nope", "game=othello"]) == 2
    assert capsys.readouterr().err.startswith("error: nope is no command; there are: bench, ")


def test_without_a_checkout_it_says_so(capsys, tmp_path):
    assert main(["match"], tmp_path) == 2
    assert capsys.readouterr().err.startswith("error: the commands belong to a checkout of gpumcts")


@pytest.mark.parametrize("words", [("-m", "experiments.match"), ("-m", "gpumcts", "match")])
def test_an_interrupt_while_a_command_is_imported_is_one_line(tmp_path, words):
    """It happens within Hydra here."""
    (tmp_path / "hydra.py").write_text("raise KeyboardInterrupt")
    environment = os.environ | {"PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    done = subprocess.run([sys.executable, *words], env=environment, capture_output=True, text=True, cwd=tmp_path)
    assert done.stderr == "interrupted\n"
    assert done.returncode == -signal.SIGINT


def _environment(folder: Path) -> Path:
    """A fresh virtual environment with this one's packages, but not what is installed as editable; its programs."""
    subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    (site,) = folder.glob("lib/python*/site-packages")
    (site / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return folder / "bin"


def _run(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run([*map(str, words)], cwd=cwd, env=environment, capture_output=True, text=True)


@pytest.fixture
def checkout(tmp_path):
    """A copy, since building writes beside the sources."""
    return Path(shutil.copytree(ROOT, tmp_path / "checkout", ignore=ELSEWHERE))


@pytest.mark.slow
def test_the_wheel_is_the_library_alone(checkout, tmp_path):
    built = _run(sys.executable, "-m", "pip", "wheel", "--no-deps", "-w", tmp_path / "wheel", checkout, cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    (wheel,) = (tmp_path / "wheel").glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"gpumcts"}
    assert "gpumcts/py.typed" in names
    programs = _environment(tmp_path / "fresh")
    installed = _run(programs / "python", "-m", "pip", "install", "--no-deps", "--no-index", wheel, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    used = _run(programs / "python", "-c", USE, cwd=tmp_path)
    assert used.returncode == 0, used.stderr
    assert Path(used.stdout.strip()).is_relative_to(tmp_path / "fresh")
    told = _run(programs / "gpumcts", "match", cwd=tmp_path)
    assert told.returncode == 2
    assert told.stderr.startswith("error: the commands belong to a checkout of gpumcts")


@pytest.mark.slow
def test_an_editable_install_has_the_commands(checkout, tmp_path):
    programs, cwd = _environment(tmp_path / "fresh"), tmp_path / "somewhere"
    cwd.mkdir()
    installed = _run(programs / "python", "-m", "pip", "install", "--no-deps", "-e", checkout, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr
    for command in ([programs / "gpumcts", "perft"], [programs / "python", "-m", "experiments.perft"]):
        done = _run(*command, "game=dots_and_boxes", "depth=2", cwd=cwd)
        assert done.returncode == 0, done.stderr
        assert "depth 2: 132 nodes" in done.stdout
    refused = _run(programs / "gpumcts", "perft", "depth=-1", cwd=cwd)
    assert refused.returncode == 2
    assert refused.stderr.strip() == "error: depth=-1: must be an integer in [0, 64]"
