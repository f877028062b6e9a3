"""Mistakes planted in a user's own game: each is named by one line with file and line, before anything is compiled."""

import itertools
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

from gpumcts.compiling import own_sources
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.conformance import watch
from gpumcts.games.conformance.suite import Suite, bad_positions
from tests.games.conformance import heap, lab
from tests.games.conformance.mistakes import MISTAKES, OF_FURTHER_VERBS

ROOT = Path(__file__).resolve().parents[3]


LOOP = "    while state.turn < U(2):\n        pass\n"
ENDLESS = {
    "of_play": (("    if state.left == U(0):", f"{LOOP}    if state.left == U(0):"), "pass", "play"),
    "of_a_helper": (
        ("    return np.int64(min(state.left, U(3)))", "    return waited(state)"),
        "pass",
        "count_moves",
    ),
    "that_catches_what_it_can": (
        (
            "    return np.int64(state.turn)",
            "    while True:\n        try:\n            len(state)\n        except Exception:\n            break",
        ),
        "",
        "mover",
    ),
}
HELPER = ("OPTION = Heap\n", f"OPTION = Heap\n\n\ndef waited(state):\n{LOOP}\n")


@pytest.fixture
def written(tmp_path, monkeypatch):
    """``written(name, *changes)``: the game as a module of its own that can be imported, until the test is over."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def write(name, *changes):
        names.append(name)
        return heap.write(tmp_path, name, *changes)

    yield write
    for name in names:
        heap.forget(name)


def test_the_game_without_a_mistake_holds(written):
    written("lab_sound.heap")
    assert heap.load("lab_sound.heap").WORDS == 2


@pytest.mark.parametrize("mistake", [*MISTAKES, *OF_FURTHER_VERBS])
def test_a_mistake_is_named(mistake, written):
    changes, line, words = (MISTAKES | OF_FURTHER_VERBS)[mistake]
    file = written(f"lab_{mistake}.heap", *changes)
    with pytest.raises(BadInput) as refusal:
        heap.load(f"lab_{mistake}.heap")
    said = str(refusal.value)
    assert "\n" not in said and words in said
    number = heap.line_of(file, line)
    assert any(f"{file.name}:{at}" in said for at in (number, number + 1)), said


def test_moves_may_be_written_in_any_case(written):
    written("lab_take.heap", ('f"take{move}"', 'f"Take{move}"'))
    game = heap.load("lab_take.heap")
    assert [contract.parse_move(game, contract.start(game), text) for text in ("Take2", "take3", "TAKE1")] == [2, 3, 1]
    with pytest.raises(BadInput, match="'take4' is not legal here; legal: Take1 Take2 Take3"):
        contract.parse_move(game, contract.start(game), "take4")


def test_moves_that_differ_in_case_alone_are_told_apart(written):
    written("lab_case.heap", ('f"take{move}"', '("", "a", "A", "b")[move]'))
    game = heap.load("lab_case.heap")
    assert [contract.parse_move(game, contract.start(game), text) for text in ("a", "A", "B")] == [1, 2, 3]


UNCOMPILED = """
from gpumcts import options
from gpumcts.kernels.cpu import CpuPlayouts
from tests.games.conformance import heap, lab

game = heap.load("lab_plain.heap")
policy, *_ = [options.compiled(lab.load(kind, f"lab_plain.{kind}")) for kind in ("playout", "backup", "selection")]
engine = CpuPlayouts(game, policy)
"""


def test_uncompiled_options_of_ones_own_are_asked_all_but_types(written, tmp_path):
    """Which the next compiled run asks: nothing says that they held."""
    file = written("lab_plain.heap", ("    return np.int64(k + 1)", "    return np.int64([1, 2, 3][k])"))
    for kind in lab.SOURCES:
        lab.write(tmp_path, kind, f"lab_plain.{kind}")
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": f"{ROOT}{os.pathsep}{tmp_path}"}
    done = subprocess.run(
        [sys.executable, "-c", UNCOMPILED], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    with pytest.raises(BadInput, match=f"{file.name}:[0-9]+: nth_move does not compile: it makes a list"):
        heap.load("lab_plain.heap")


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(watch, "LIMIT_SECONDS", 0.3)
    monkeypatch.setattr(watch, "LOOK_SECONDS", 0.05)


@pytest.mark.parametrize("thread", ["main", "another"])
@pytest.mark.parametrize("loop", ENDLESS)
def test_a_body_that_never_returns_is_named(loop, thread, written, impatient):
    """With the line that Python is in, in whatever thread it is asked."""
    change, line, verb = ENDLESS[loop]
    name = f"lab_{loop}_{thread}.heap"
    file = written(name, change, HELPER)
    if thread == "main":
        with pytest.raises(BadInput) as refusal:
            heap.load(name)
        said = str(refusal.value)
    else:
        with ThreadPoolExecutor(1) as pool:
            said = str(pool.submit(heap.load, name).exception(timeout=30))
    numbers = [n for n, text in enumerate(file.read_text().splitlines(), 1) if "while" in text or text.strip() == line]
    place, _, words = said.partition(": ")
    assert words == f"{verb} has not returned after 0.3 s in plain Python: does a loop never end?"
    first, last = min(numbers), max(numbers) + 3
    assert place.rpartition(":")[0].endswith("heap.py") and first <= int(place.rpartition(":")[2]) <= last


def test_many_calls_may_take_longer_than_one(impatient):
    end = time.process_time() + 0.6

    def body(number):
        return sum(range(1000)) > 0 and time.process_time() > end

    assert watch.watched(any, map(body, itertools.count()))


def test_a_call_that_waits_is_left_alone(impatient):
    """As at a debugger's prompt."""

    def body():
        time.sleep(0.6)
        return "waited"

    assert watch.watched(body) == "waited"


def test_a_body_that_raises_is_an_answer_of_the_suite(written):
    """As ``parse_position`` does that unpacks whatever text it is given: one line, and the next question is asked."""
    unpacked = ('left, turn = parts if len(parts := text.split()) == 2 else ("", "")', "left, turn = text.split()")
    file = written("lab_raises.heap", unpacked)
    asked = Suite(heap.load("lab_raises.heap"))
    said = asked.run(bad_positions)
    line = heap.line_of(file, "left, turn = text.split()")
    assert said.endswith(
        f"heap.py:{line}: parse_position raised ValueError: not enough values to unpack (expected 2, got 0)"
    )

    def wrong(suite):
        raise KeyError("of the suite itself")

    with pytest.raises(KeyError):
        asked.run(wrong)


def test_a_body_that_ends_the_program_is_an_answer_of_the_suite(written):
    parts = "parts if len(parts := text.split()) == 2 else "
    file = written("lab_ends.heap", (f'{parts}("", "")', f"{parts}exit(0)"))
    said = Suite(heap.load("lab_ends.heap")).run(bad_positions)
    assert said.endswith(f"heap.py:{heap.line_of(file, 'left, turn = parts')}: parse_position raised SystemExit: 0")


def test_a_command_says_it_in_one_line(written, tmp_path):
    """As every command does, with an exit code of its own."""
    written("my_lab.heap", ("MAX_PLIES = 60", "MAX_PLIES = 5"))
    (tmp_path / "conf" / "game").mkdir(parents=True)
    (tmp_path / "conf" / "game" / "heap.yaml").write_text("name: my_lab.heap\nstones: 21\n")
    words = ["-m", "experiments.playouts", "--config-dir", str(tmp_path / "conf"), "game=heap", "count=10"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT)])}
    done = subprocess.run([sys.executable, *words], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("error: ") and "my_lab/heap.py:" in line and "Heap.MAX_PLIES = 5" in line


def test_it_is_asked_once_a_version(written, monkeypatch):
    """A stamp in the compile cache stands for the answer, until the source changes."""
    from gpumcts.games import conformance

    monkeypatch.setattr(own_sources, "STARTED", time.time() + 10)  # files that are older than the process
    written("lab_stamped.heap")
    game = heap.load("lab_stamped.heap")
    asked = []
    monkeypatch.setattr(conformance, "check", asked.append)
    monkeypatch.setattr(conformance, "_held", set())
    conformance.check_once("gpumcts.games.conformance.check", game)
    assert not asked
    heap.forget("lab_stamped.heap")
    written("lab_stamped.heap", ("MAX_PLIES = 60", "MAX_PLIES = 61"))
    heap.load("lab_stamped.heap")
    assert len(asked) == 1


def test_a_package_is_asked_too(written, tmp_path):
    """Its class may stand in a module of its own; a game without any body is told the first that it needs."""
    file = written("lab_package.game.rules", ("@contract.start.implements(Heap)\n", ""))
    (file.parent / "__init__.py").write_text("from lab_package.game.rules import Heap\n\nOPTION = Heap\n")
    with pytest.raises(BadInput, match=r"lab_package/game/rules\.py:\d+: Heap has no body of start"):
        heap.load("lab_package.game")


def test_a_game_without_a_file_is_asked_each_time(monkeypatch):
    """A notebook's cell: no hash of its source would tell that it has changed."""
    from gpumcts.games import conformance

    monkeypatch.setitem(sys.modules, "lab_cell", ModuleType("lab_cell"))
    cell = type("Heap", (tuple,), {"__module__": "lab_cell"})
    again = type("Heap", (tuple,), {"__module__": "lab_cell"})
    asked = []
    monkeypatch.setattr(conformance, "check", asked.append)
    monkeypatch.setattr(conformance, "_held", set())
    for game in (cell(), again(), again()):
        conformance.check_once("gpumcts.games.conformance.check", game)
    assert [type(game) for game in asked] == [cell, again]
