"""Games written by the recipe of docs/, today's and the one before ``state_of``, go through every question."""

import importlib.util
import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from experiments import check_game
from gpumcts.errors import BadInput
from gpumcts.games.conformance.suite import answers
from tests.games.conformance import heap

ROOT = Path(__file__).resolve().parents[2]
BEFORE = ROOT / "tests" / "games" / "conformance" / "recipe_of_old.txt"

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Where modules of a user's own lie; they are found as long as compiled code of them may be loaded."""
    found = tmp_path_factory.mktemp("labs")
    sys.path.append(str(found))
    return found


@pytest.fixture
def lab(folder, monkeypatch):
    """The same folder, as the current one."""
    monkeypatch.chdir(folder)
    return folder


@pytest.mark.slow
def test_a_game_of_the_recipe_before_goes_on_working(lab):
    """With ``WORDS`` and ``unpack`` of its own, and no class of states named."""
    file = lab / "old_lab" / "last_stone.py"
    file.parent.mkdir()
    file.write_text(BEFORE.read_text())
    assert "WORDS = 2" in BEFORE.read_text() and "state_of" not in BEFORE.read_text()
    _, option = check_game.game_of(["game=old_lab.last_stone"])
    game = check_game.as_compiled(option)
    assert [fault for _, fault in answers(game)] == [""] * 17


def test_a_table_says_what_holds(lab, capsys):
    heap.write(lab, "table_lab.game")
    assert check_game.main(["game=table_lab.game", "game.stones=9"]) == 0
    said = capsys.readouterr().out
    assert "game=table_lab.game: Heap(stones=9)" in said and "one at a time: LANES = False" in said
    assert len(re.findall(r" yes\s*$", said, re.MULTILINE)) == 17 and "a second on one core" in said
    if find_spec("numba_cuda") is not None:
        assert re.search(r"registers on sm_90 +(\d+; 0 bytes of stack|not known: ptxas)", said)


def test_a_table_says_what_does_not(lab, capsys):
    """One line with file and line; what would be compiled next is not."""
    file = heap.write(lab, "fault_lab.game", ("MAX_MOVES = 3", "MAX_MOVES = 2"))
    assert check_game.main(["game=fault_lab.game"]) == 1
    said = capsys.readouterr().out
    line = heap.line_of(file, "class Heap")
    assert f"fault_lab/game.py:{line}: Heap.MAX_MOVES = 2, but count_moves returns 3 after 0 plies" in said
    assert len(re.findall(r" no\s*$", said, re.MULTILINE)) == 1 and "machine code" not in said


def test_without_a_compiler_there_is_nothing_to_ask(monkeypatch, capsys):
    monkeypatch.setattr(check_game, "is_uncompiled", lambda: True)
    assert check_game.main(["game=othello"]) == 2
    assert capsys.readouterr().err == "error: NUMBA_DISABLE_JIT is set: check_game asks compiled code; unset it\n"


def test_an_interrupt_is_one_line(lab, capsys):
    """What has been answered is shown before it."""
    heap.write(
        lab,
        "stopped_lab.game",
        ("    if state.left == U(0):", "    raise KeyboardInterrupt\n    if state.left == U(0):"),
    )
    assert check_game.main(["game=stopped_lab.game"]) == 130
    done = capsys.readouterr()
    assert done.err == "interrupted; the same command starts again\n"
    assert len(re.findall(r" yes\s*$", done.out, re.MULTILINE)) == 1


@pytest.mark.parametrize(
    "words, message",
    [
        (["othello"], "othello: the words are game=NAME and game.KEY=VALUE"),
        ([], "game: name one, by its file in conf/game or by the dotted name of its module"),
        (["game.stones=3"], "game: name one"),
        (["game=nonesuch"], "game=nonesuch is not known; there are: amazons"),
        (["game=otello"], "game=otello is not known (did you mean othello?); there are: amazons"),
        (["game=no_lab.game"], "game=no_lab.game: cannot import it: No module named 'no_lab'"),
        (["game=othello", "game.corners=3"], "game.corners: unknown key; game has corner_weight"),
        (["game=othello", "game.corner_weight=-1"], "game.corner_weight=-1: must be an integer in [0, 100]"),
        (["game=othello", "playout=uniform"], "playout=uniform: the words are game=NAME and game.KEY=VALUE"),
        (["game=othello", "game.corner_weight=[1"], "game.corner_weight=[1: cannot read the value"),
        (["game=go", "game.size=10"], "game.size=10"),
        (["game=othello", "game=go"], "game is given twice: game=othello and game=go"),
        (["game=go", "game.size=9", "game.size=13"], "game.size is given twice: game.size=9 and game.size=13"),
        (["game=null"], "game=null is not known; there are: amazons"),
        (
            [f"game={check_game.CONF.parent / 'match'}"],
            "/conf/match' is not a name; there are: amazons",
        ),
        (["game=othello", "game.name=heap"], "game.name=heap: the game is named by game=NAME"),
    ],
)
def test_words_that_name_no_game(words, message, capsys):
    assert check_game.main(words) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("error: ") and message in line


def test_a_module_that_cannot_be_read_is_one_line(lab):
    (lab / "unread_lab").mkdir()
    (lab / "unread_lab" / "game.py").write_text("import nothing_of_that_name\n")
    with pytest.raises(
        BadInput, match=r"unread_lab/game\.py:1: cannot import it: No module named 'nothing_of_that_name'"
    ):
        heap.load("unread_lab.game")


def test_a_module_without_an_option_is_told_what_it_lacks(lab):
    heap.write(lab, "lacking_lab.game", ("\nOPTION = Heap\n", ""))
    with pytest.raises(BadInput) as refusal:
        heap.load("lacking_lab.game")
    said = "game=lacking_lab.game: the module has no OPTION: end it with OPTION = and the name of its class"
    assert str(refusal.value) == said


def test_helper_modules_are_part_of_the_source(lab):
    """An edit of a module beside the game's is a new version, which is asked and compiled anew."""
    from gpumcts.compiling import cache
    from gpumcts.compiling.class_names import own_classes

    (lab / "helper_lab").mkdir()
    (lab / "helper_lab" / "common.py").write_text("MOST = 3\n")
    heap.write(
        lab,
        "helper_lab.game",
        ("    MAX_MOVES = 3", "    MAX_MOVES = MOST"),
        ("U = np.uint64\n", "U = np.uint64\nfrom helper_lab.common import MOST\n"),
    )
    before = cache.folder(own_classes([heap.load("helper_lab.game")]))
    heap.forget("helper_lab.game")
    (lab / "helper_lab" / "common.py").write_text("MOST = 4\n")
    assert cache.folder(own_classes([heap.load("helper_lab.game")])) != before
    assert importlib.util.find_spec("helper_lab.common") is not None and "helper_lab.common" in sys.modules


def test_an_edited_game_is_compiled_anew(lab):
    """Code that was compiled of an earlier version, under the same names, answers nothing."""
    from gpumcts.games.conformance.drivers import keys_of, trace

    keys = keys_of(1, count=50)
    heap.write(lab, "edited_lab.game")
    most = trace(heap.load("edited_lab.game"), keys)[1].max()
    heap.forget("edited_lab.game")
    heap.write(lab, "edited_lab.game", ("min(state.left, U(3))", "min(state.left, U(2))"))
    assert (most, trace(heap.load("edited_lab.game"), keys)[1].max()) == (3, 2)


def test_a_compiler_that_is_not_installed_is_no_fault_of_the_game(monkeypatch):
    """The environment of ``make run`` has no NVRTC; the table names the extra, and other errors stay errors."""
    from gpumcts.games.othello import Othello
    from gpumcts.kernels import compile_check
    from gpumcts.playouts.uniform import Uniform

    def says(error):
        report = compile_check.Report("warp", "sm_90a", error=error)
        monkeypatch.setattr(compile_check, "check", lambda *words: report)
        return check_game._registers(Othello(), Uniform())

    assert says("DynamicLibNotFoundError: no libnvrtc.so").startswith(
        "not known: CUDA's compiler is not installed: pip"
    )
    assert says("TypingError: bad") == "does not compile: TypingError: bad"
