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
from gpumcts.games.conformance import watch
from gpumcts.games.conformance.suite import Suite, bad_positions
from tests.games.conformance import heap

ROOT = Path(__file__).resolve().parents[3]

COUNTED = "@contract.count_moves.implements(Heap)\ndef heap_count_moves(game, state):\n" + (
    "    return np.int64(min(state.left, U(3)))\n"
)
NUMBERED = "@contract.nth_move.implements(Heap)\ndef heap_nth_move(game, state, k):\n    return np.int64(k + 1)\n"
MISTAKES = {
    "max_plies": (
        [("MAX_PLIES = 60", "MAX_PLIES = 5")],
        "class Heap",
        "Heap.MAX_PLIES = 5, but a random game was not over",
    ),
    "max_moves": ([("MAX_MOVES = 3", "MAX_MOVES = 2")], "class Heap", "Heap.MAX_MOVES = 2, but count_moves returns 3"),
    "words": (
        [("    MAX_PLIES = 60", "    WORDS = 3\n    MAX_PLIES = 60")],
        "@contract.state_of",
        "Heap.WORDS = 3, but its states have 2 words",
    ),
    "type_error": (
        [("U(move), state.turn ^ U(1)", "U(move), state.turn ^ 'a'")],
        "return State(state.left - U(move)",
        "play raised ",
    ),
    "plain_zero": (
        [("U(move), state.turn ^ U(1)", "U(move), state.turn ^ U(1) | (state.turn if state.turn > U(5) else 0)")],
        "return State(state.left - U(move)",
        "a plain integer beside a uint64 makes a float64; write np.uint64(0) for 0",
    ),
    "undefined_name": (
        [("np.int64(min(state.left, U(3)))", "np.int64(min(state.left, most))")],
        "return np.int64(min(",
        "count_moves raised NameError: name 'most' is not defined",
    ),
    "field_type": (
        [("U(move), state.turn ^ U(1))", "U(move), np.int64(1 - state.turn))")],
        "@contract.play",
        "play returns State(uint64, int64), start returns State(uint64 x 2): field `turn`",
    ),
    "no_state_at_first": (
        [("return State(U(game.stones), U(0))", "State(U(game.stones), U(0))")],
        "@contract.start",
        "start returns nothing: not a NamedTuple of np.uint64",
    ),
    "a_tuple_at_first": (
        [("return State(U(game.stones), U(0))", "return U(game.stones), U(0)")],
        "@contract.start",
        "start returns tuple: not a NamedTuple of np.uint64",
    ),
    "a_number_at_first": (
        [("return State(U(game.stones), U(0))", "return U(game.stones)")],
        "@contract.start",
        "start returns uint64: not a NamedTuple of np.uint64",
    ),
    "a_list_after_a_move": (
        [("return State(state.left - U(move), state.turn ^ U(1))", "return [state.left - U(move), state.turn ^ U(1)]")],
        "@contract.play",
        "play returns list: not a NamedTuple of np.uint64",
    ),
    "plain_integers_from_text": (
        [("return State(U(int(left)), U(int(turn)))", "return State(int(left), int(turn))")],
        "@contract.parse_position",
        "parse_position returns State(int64 x 2), start returns State(uint64 x 2): field `left`",
    ),
    "forgotten_verb": (
        [("@contract.score.implements(Heap)\n", "")],
        "class Heap",
        "Heap has no body of score: write one, @contract.score.implements",
    ),
    "state_not_named": ([("@contract.state_of(Heap)\n", "")], "class Heap", "nothing says what states of Heap are"),
    "arguments": (
        [("def heap_mover(game, state):", "def heap_mover(state, game):")],
        "@contract.mover",
        "TypeError: mover: a body takes (game, state)",
    ),
    "unsigned": (
        [("return np.int64(state.turn)", "return state.turn")],
        "@contract.mover",
        "mover returns uint64, not int64: wrap it, np.int64(...)",
    ),
    "no_return": (
        [("return np.int64(state.turn)", "np.int64(state.turn)")],
        "@contract.mover",
        "mover returns nothing, not int64: give each way through it a return",
    ),
    "order": (
        [("return np.int64(k + 1)", "return np.int64(3 - k)")],
        "@contract.nth_move",
        "nth_move gives move 2 after 3: moves rise, from 0 to 2^31 - 1",
    ),
    "revived": (
        [
            (
                "        return state\n    return State(state.left",
                "        return State(U(3), state.turn)\n    return State(state.left",
            )
        ],
        "@contract.play",
        "playing on from a finished game revives it: return the state as it is where the game is over",
    ),
    "score": (
        [
            (
                "-SCORE_UNIT if state.turn == U(0) else SCORE_UNIT",
                "-2 * SCORE_UNIT if state.turn == U(0) else SCORE_UNIT",
            )
        ],
        "@contract.score",
        "score returns -2097152, outside [-SCORE_UNIT, SCORE_UNIT]",
    ),
    "over": (
        [
            (
                "@contract.score",
                "@contract.over.implements(Heap)\ndef heap_over(game, state):\n    return False\n\n\n@contract.score",
            )
        ],
        "@contract.over",
        "over answers no where count_moves returns 0, and 64 plies later: no playout would end",
    ),
    "texts": (
        [("State(U(int(left)), U(int(turn)))", "State(U(int(left)), U(0))")],
        "@contract.parse_position",
        "parse_position gives another state than position_text wrote",
    ),
    "move_text": (
        [('f"take{move}"', '"abc"[move]')],
        'return "abc"[move]',
        "move_text raised IndexError: string index out of range",
    ),
    "no_text": ([('return f"take{move}"', "return move")], "@contract.move_text", "move_text returns int, not text"),
    "named_moves": (
        [
            ("    LANES = False\n", "    LANES = False\n    NAMED_MOVES = True\n"),
            ('f"take{move}"', 'f"{move} of {int(state.left)}"'),
        ],
        "@contract.move_text",
        "move_text gives '1 of 19' for move 1, and '1 of 21' in an earlier position: no Heap.NAMED_MOVES = True",
    ),
    "named_moves_are_none": (
        [("    LANES = False\n", "    LANES = False\n    NAMED_MOVES = None\n")],
        "class Heap",
        "Heap.NAMED_MOVES = None: must be True or False",
    ),
    "board_text": (
        [('"o" * int(state.left)', '"o" * state.stones')],
        'return "o" * state.stones',
        "board_text raised AttributeError: 'State' object has no attribute 'stones'",
    ),
    "players": ([("PLAYERS = 2", "PLAYERS = 1")], "@contract.mover", "mover returns 1, and Heap.PLAYERS = 1"),
    "missing_attribute": ([("    LANES = False\n", "")], "class Heap", "Heap has no LANES: say it in the class"),
    "syntax": (
        [("    return np.int64(k + 1)", "    return np.int64(k + 1")],
        "return np.int64(k + 1",
        "SyntaxError: '('",
    ),
    "compiled_alone": (
        [
            (
                "return np.int64(k + 1)",
                "return np.int64([k + 1, 0][0] if isinstance(state.left, dict) else sorted([k + 1])[0])",
            )
        ],
        "return np.int64([k",
        "nth_move does not compile: ",
    ),
    "branch_of_another_type": (
        [("return np.int64(state.turn)", "return np.int64(state.turn) if state.left < U(99) else 0.5")],
        "@contract.mover",
        "mover returns float64, not int64: wrap it, np.int64(...)",
    ),
    "plain_function": (
        [
            ("np.int64(min(state.left, U(3)))", "np.int64(min(state.left, three()))"),
            ("OPTION = Heap\n", "OPTION = Heap\n\n\ndef three():\n    return U(3)\n"),
        ],
        "return np.int64(min(",
        "the name `three` is not known to compiled code: decorate it with @inlined of gpumcts.jit",
    ),
    "number_among_the_moves": (
        [
            (NUMBERED, ""),
            (COUNTED, "@moves.from_word(Heap)\ndef heap_moves(game, state):\n    return (1 << int(state.left)) - 1\n"),
            ("from gpumcts.games import contract\n", "from gpumcts.games import contract, moves\n"),
        ],
        "@moves.from_word",
        "the set of moves is int64, not uint64: wrap numbers, U(1)",
    ),
    "number_among_words_of_moves": (
        [
            (NUMBERED, ""),
            (
                COUNTED,
                "@moves.from_set(Heap)\ndef heap_moves(game, state):\n    return sets.Two(U(1) << state.left, 0)\n",
            ),
            ("from gpumcts.games import contract\n", "from gpumcts.games import contract, moves, sets\n"),
        ],
        "@moves.from_set",
        "the set of moves is Two(uint64, int64), not a NamedTuple of uint64: wrap numbers, U(1)",
    ),
    "number_among_the_moves_now_and_then": (
        [
            (NUMBERED, ""),
            (
                COUNTED,
                "@moves.from_word(Heap)\ndef heap_moves(game, state):\n"
                "    found = ((U(1) << min(state.left, U(3))) - U(1)) << U(1)\n"
                "    return found + (0 if game.stones < 99 else 1)\n",
            ),
            ("from gpumcts.games import contract\n", "from gpumcts.games import contract, moves\n"),
        ],
        "@moves.from_word",
        "the set of moves is int64, not uint64: wrap numbers, U(1)",
    ),
}


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


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(mistake, written):
    changes, line, words = MISTAKES[mistake]
    file = written(f"lab_{mistake}.heap", *changes)
    with pytest.raises(BadInput) as refusal:
        heap.load(f"lab_{mistake}.heap")
    said = str(refusal.value)
    assert "\n" not in said and words in said
    number = heap.line_of(file, line)
    assert any(f"{file.name}:{at}" in said for at in (number, number + 1)), said


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
