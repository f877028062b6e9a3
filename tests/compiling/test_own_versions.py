"""No version of a user's own game is taken for another: two of one name, edited files, reloads, cells of a notebook."""

import importlib
import os
import subprocess
import sys
import time
import types
from pathlib import Path

import pytest

import gpumcts as g
from gpumcts.compiling import cache, own_sources
from gpumcts.compiling.class_names import own_classes
from gpumcts.games import contract
from tests.games.conformance import heap

UP_TO_3, UP_TO_2 = ("min(state.left, U(3))",) * 2, ("min(state.left, U(3))", "min(state.left, U(2))")
HELPED = ("min(state.left, U(3))", "min(state.left, U(most.MOST))"), ("U = np.uint64\n", "import {}\n\nU = np.uint64\n")


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A folder that Python imports from."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # two versions within a second have the same stamp
    yield tmp_path
    for name in ("one_lab.game", "other_lab.game"):
        heap.forget(name)


def legal(game) -> list[int]:
    """The moves at the start, by compiled code."""
    return [int(move) for move in g.legal_moves(game, g.start(game)) if move >= 0]


def test_two_games_of_one_class_name_are_played_each_by_its_rules(lab):
    heap.write(lab, "one_lab.game", UP_TO_3)
    heap.write(lab, "other_lab.game", UP_TO_2)
    one, other = g.make("one_lab.game"), g.make("other_lab.game")
    assert type(one).__qualname__ == type(other).__qualname__
    assert [legal(game) for game in (one, other, one)] == [[1, 2, 3], [1, 2], [1, 2, 3]]
    assert repr(one) == repr(other) == "Heap(stones=21)"


def test_a_game_that_is_loaded_anew_is_played_by_its_new_rules(lab):
    heap.write(lab, "one_lab.game", UP_TO_3)
    module = importlib.import_module("one_lab.game")
    assert legal(module.Heap()) == [1, 2, 3]
    heap.write(lab, "one_lab.game", UP_TO_2)
    importlib.reload(module)
    assert legal(module.Heap()) == [1, 2]


def test_a_cell_that_is_run_once_more_is_played_by_its_new_rules(lab, monkeypatch):
    """A module without a file: no code of it is kept on disk."""
    cell = types.ModuleType("cell_lab")
    monkeypatch.setitem(sys.modules, "cell_lab", cell)
    for change, moves in ((UP_TO_3, [1, 2, 3]), (UP_TO_2, [1, 2])):
        heap.write(lab, "one_lab.game", change)
        exec((lab / "one_lab" / "game.py").read_text(), cell.__dict__)
        assert legal(cell.Heap()) == moves
        assert not cache.keeps(own_classes([cell.Heap()]))


def folder_of(lab, *changes):
    """Where code of a game is kept that a process imports after these changes, and whether it is."""
    heap.forget("one_lab.game")
    heap.write(lab, "one_lab.game", *changes)
    classes = own_classes([importlib.import_module("one_lab.game").Heap()])
    return cache.folder(classes), cache.keeps(classes)


def test_each_version_has_a_folder(lab):
    first, edited = folder_of(lab, UP_TO_3)[0], folder_of(lab, UP_TO_2)[0]
    assert first != edited and folder_of(lab, UP_TO_3)[0] == first


@pytest.mark.parametrize("name", ["most", "beside.most"])
def test_a_helper_counts_wherever_it_lies(lab, name, monkeypatch):
    """In a module, or in another package than the game's; the class is given as a value."""
    helper = lab / f"{name.replace('.', '/')}.py"
    helper.parent.mkdir(exist_ok=True)
    imported = (HELPED[0], (HELPED[1][0], HELPED[1][1].format(f"{name} as most" if "." in name else name)))
    found = []
    for number in (3, 2, 3):
        helper.write_text(f"MOST = {number}\n")
        for loaded in (name, name.partition(".")[0]):
            monkeypatch.delitem(sys.modules, loaded, raising=False)
        importlib.invalidate_caches()
        found.append(folder_of(lab, *imported)[0])
    assert found[0] == found[2] != found[1]


def test_code_is_kept_where_files_are_older_than_the_process(lab, monkeypatch):
    """A file that was changed since may hold another text than what was imported."""
    assert not folder_of(lab, UP_TO_3)[1]
    monkeypatch.setattr(own_sources, "STARTED", time.time() + 10)
    assert folder_of(lab, UP_TO_3)[1]


def test_a_module_that_is_only_mentioned_is_not_run(lab):
    """Its text counts; a script that is imported where it is needed stays unread by Python."""
    (lab / "one_lab").mkdir()
    (lab / "one_lab" / "report.py").write_text("raise SystemExit('run by nobody')\n")
    lazily = (
        "def heap_start(game):\n",
        "def heap_start(game):\n    if False:\n        from one_lab.report import draw\n",
    )
    heap.write(lab, "one_lab.game", lazily)
    kind = type(importlib.import_module("one_lab.game").Heap())
    assert "one_lab.report" not in sys.modules and "one_lab.game" in own_sources.version_of(kind).sources


def test_bodies_in_another_module_than_the_class_count(lab):
    heap.write(lab, "one_lab.game")
    kind = importlib.import_module("one_lab.game").Heap
    before = own_sources.version_of(kind)
    (lab / "other_lab").mkdir()
    (lab / "other_lab" / "game.py").write_text(
        "from gpumcts.games import contract\nfrom one_lab.game import Heap\n\n\n"
        "@contract.evaluation.implements(Heap)\ndef worth(game, state):\n    return 1\n"
    )
    importlib.import_module("other_lab.game")
    assert "other_lab.game" in own_sources.version_of(kind).sources and "other_lab.game" not in before.sources


def test_a_class_of_the_library_with_a_body_from_outside_has_a_folder_of_its_own(lab, monkeypatch):
    monkeypatch.setattr(own_sources, "_bodies", {})
    monkeypatch.setattr(own_sources, "_extended", set())
    duel = g.make("dice_duel")
    assert own_classes([duel]) == frozenset()
    ours = test_each_version_has_a_folder
    for verb, body in ((contract.play, contract.start), (ours, ours)):  # a body, and a verb, that count for nothing
        own_sources.note_body(verb, (type(duel),), body)
        assert own_classes([duel]) == frozenset()
    own_sources.note_body(contract.play, (type(duel), heap_class()), ours)  # for both together alone
    assert own_classes([duel]) == frozenset()
    own_sources.note_body(contract.play, (type(duel),), ours)
    assert own_classes([(duel,)]) == {type(duel)} and cache.folder({type(duel)}) != cache.folder()
    assert {__name__, heap.__name__} <= own_sources.version_of(type(duel)).sources.keys()
    assert type(duel).__name__ == "DiceDuel"


def heap_class():
    return type("Heap", (tuple,), {"__module__": "nowhere_lab"})


def test_values_of_constants_count(lab, monkeypatch):
    """Those that the text takes from elsewhere too."""
    told = ("U = np.uint64\n", "import os\n\nMOST = int(os.environ['MOST'])\nU = np.uint64\n")
    found = []
    for most in ("3", "2", "3"):
        monkeypatch.setenv("MOST", most)
        found.append(folder_of(lab, told)[0])
    assert found[0] == found[2] != found[1]


def test_no_code_is_kept_of_a_script_or_of_a_class_within_a_function(lab, monkeypatch):
    """Other processes cannot load it: they know no such class."""
    monkeypatch.setattr(own_sources, "STARTED", time.time() + 10)
    heap.write(lab, "one_lab.game")
    game = importlib.import_module("one_lab.game").Heap
    within = type("Heap", (game,), {"__module__": "one_lab.game", "__qualname__": "made.<locals>.Heap"})
    script = type("Heap", (game,), {"__module__": "__main__", "__qualname__": "Heap"})
    assert [cache.keeps(frozenset({kind})) for kind in (game, within, script)] == [True, False, False]


def test_a_folder_that_cannot_be_made_keeps_nothing(lab, monkeypatch):
    monkeypatch.setattr(own_sources, "STARTED", time.time() + 10)
    heap.write(lab, "one_lab.game")
    classes = own_classes([importlib.import_module("one_lab.game").Heap()])
    assert cache.keeps(classes)
    (lab / "file").write_text("")
    monkeypatch.setattr(cache, "_library", str(lab / "file"))
    with cache.pointed(classes) as kept:
        assert not kept


SHOWN = """
import gpumcts as g
game = g.make("one_lab.game")
if {edits}:
    from pathlib import Path
    file = Path("one_lab/game.py")
    file.write_text(file.read_text().replace("min(state.left, U(3))", "min(state.left, U(2))"))
print([int(move) for move in g.legal_moves(game, g.start(game)) if move >= 0])
"""


@pytest.mark.slow
def test_an_edit_while_a_process_lives_poisons_nothing(lab):
    """The process plays what it imported; one that begins later plays what it imports."""
    heap.write(lab, "one_lab.game", UP_TO_3)
    os.utime(lab / "one_lab" / "game.py", (1, 1))
    environment = {
        **os.environ,
        "GPUMCTS_CACHE": str(lab / "cache"),
        "PYTHONPATH": f"{Path(__file__).parents[2]}:{lab}",
    }
    said = [
        subprocess.run(
            [sys.executable, "-c", SHOWN.format(edits=edits)], cwd=lab, env=environment, capture_output=True, text=True
        ).stdout.strip()
        for edits in (True, False, False)
    ]
    assert said == ["[1, 2, 3]", "[1, 2]", "[1, 2]"]
