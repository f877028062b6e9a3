"""Mistakes planted in a user's own operator, rule or policy: one line each, with file and line, before compiling."""

import sys
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import pytest

from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.games.othello import Othello
from gpumcts.playouts.contract import check_policy, choose
from tests.games.conformance import heap, lab

BACK_UP, VALUE, CHOOSE = "@back_up.implements", "@value.implements", "@choose.implements"
RETURNED = "    return forest.columns[tree, node, VALUE]"
LEARN = """\
@learn.implements(Patience)
def patience_learn(rule, forest, switches, tree, path, movers, depth, tally, row):
    return None
"""
MISTAKES = {
    "name": (
        "backup",
        [("(mean - forest", "(meen - forest")],
        "forest.columns[tree, node, VALUE] +=",
        "back_up raised NameError: name 'meen' is not defined",
    ),
    "ends_the_program": (
        "backup",
        [("(mean - forest", "(exit(0) - forest")],
        "forest.columns[tree, node, VALUE] +=",
        "back_up raised SystemExit: 0",
    ),
    "unreached_name": (
        "backup",
        [(RETURNED, f"    if operator.step > 1.0:\n        return rewrd\n{RETURNED}")],
        "return rewrd",
        "value does not compile: the name `rewrd` is not defined",
    ),
    "plain_function": (
        "backup",
        [(RETURNED, "    return half(forest.columns[tree, node, VALUE])")],
        "return half",
        "the name `half` is not known to compiled code: decorate it with @inlined of gpumcts.jit",
    ),
    "row": (
        "backup",
        [(RETURNED, "    return forest.columns[tree, node]")],
        VALUE,
        "value returns an array, not float64",
    ),
    "beyond_one": (
        "backup",
        [(RETURNED, "    return forest.columns[tree, node, VALUE] + 6.5")],
        VALUE,
        " after rewards in [0, 1]: a value is in [0, 1] too",
    ),
    "a_sum_for_a_mean": (
        "backup",
        [(" / playouts", ""), ("+= operator.step * (mean", "+= (mean")],
        VALUE,
        "value returns 2 after rewards in [0, 1]: a value is in [0, 1] too, and `reward` the sum of `playouts`",
    ),
    "below_the_leaf": (
        "backup",
        [("node = path[k]", "node = path[k + 1]")],
        "forest.columns[tree, node, VALUE] +=",
        "back_up raised IndexError: index 2147483647 is out of bounds",
    ),
    "list": (
        "backup",
        [("        node = path[k]", "        node = [path[k], 0][0]")],
        "node = [",
        "back_up does not compile: it makes a list, a set or a dict",
    ),
    "array": (
        "backup",
        [
            ("        node = path[k]", "        node = path[k] + int(np.zeros(1)[0])"),
            ("VALUE = 0\n", "import numpy as np\n\nVALUE = 0\n"),
        ],
        "node = path[k] +",
        "back_up does not compile: compiled code has no zeros(",
    ),
    **{
        f"statement_{number}": (
            "backup",
            [("        node = path[k]", f"        node = path[k]\n        {statement}")],
            statement.partition("\n")[0],
            f"back_up does not compile: {words}",
        )
        for number, (statement, words) in enumerate(
            {
                "import math": "it imports: write the import at the top of the module",
                "global VALUE\n        VALUE = 0": "it assigns to a name of the module",
                "first, *rest = 1, 2": "it unpacks into *names",
                "class Inner: ...": "it defines a class",
                "text = f'{1:>3}'": "format spec in f-strings not supported yet",
            }.items()
        )
    },
    "no_learn": (
        "selection",
        [("] = 5.0\n", "] = 5.0\n\n    TRACES = True\n")],
        "class Patience",
        "Patience has no body of learn: write one, @learn.implements",
    ),
    "no_learner": (
        "selection",
        [
            ("] = 5.0\n", "] = 5.0\n\n    TRACES = True\n"),
            ("import prepare, score", "import learn, prepare, score"),
            ("\n\n@prepare", f"\n\n{LEARN}\n\n@prepare"),
        ],
        "class Patience",
        "Patience has no body of learner: write one, @learner.implements",
    ),
    "no_value": ("backup", [("@value.implements(Moving)\n", "")], "class Moving", "Moving has no body of value"),
    "no_columns": ("backup", [('    COLUMNS = ("value",)\n', "")], "class Moving", "Moving has no COLUMNS: say it"),
    "text_for_columns": (
        "backup",
        [('COLUMNS = ("value",)', 'COLUMNS = ("value")')],
        "class Moving",
        "Moving.COLUMNS = 'value': must be a tuple of different names",
    ),
    "no_evaluates": ("backup", [("    EVALUATES = False\n", "")], "class Moving", "Moving has no EVALUATES"),
    "no_back_up": ("backup", [("@back_up.implements(Moving)\n", "")], "class Moving", "Moving has no body of back_up"),
    "column": (
        "backup",
        [(RETURNED, "    return forest.columns[tree, node, 1]")],
        RETURNED.strip()[:30],
        "value raised IndexError: index 1 is out of bounds for axis 2 with size 1",
    ),
    "score": (
        "selection",
        [("    missed = ", "    missed = totl - ")],
        "missed = ",
        "score raised NameError: name 'totl' is not defined",
    ),
    "prepare": (
        "selection",
        [("    return total, rule.weight", "    return total")],
        "@prepare",
        "prepare returns float, not two float64",
    ),
    "no_prepare": (
        "selection",
        [("@prepare.implements(Patience)\n", "")],
        "class Patience",
        "Patience has no body of prepare: write one, @prepare.implements",
    ),
    "counts": (
        "selection",
        [("] = 5.0\n", '] = 5.0\n\n    COUNTS = "wieght"\n')],
        "class Patience",
        "Patience.COUNTS = 'wieght': must be the name of a field, or empty",
    ),
    "fraction": (
        "playout",
        [("    return nth_move(game, state, count_moves(game, state) - 1)", "    return 0.5")],
        CHOOSE,
        "choose returns float, not int64",
    ),
    "branch": (
        "playout",
        [("    return nth", "    if policy.truncate > 9:\n        return 0.5\n    return nth")],
        CHOOSE,
        "choose returns float64, not int64",
    ),
    "no_return": (
        "playout",
        [("return nth_move(", "nth_move(")],
        CHOOSE,
        "choose returns nothing, not int64: give each way through it a return",
    ),
    "arguments": (
        "playout",
        [("nth_move(game, state, count_moves(game, state) - 1)", "nth_move(game, state)")],
        "return nth_move",
        "choose raised TypeError: ",
    ),
    "illegal": (
        "playout",
        [("count_moves(game, state) - 1)", "count_moves(game, state) - 1) + 1")],
        CHOOSE,
        "choose returns 4, which is not a legal move there",
    ),
    "own_draws": (
        "playout",
        [("count_moves(game, state) - 1)", "np.random.randint(count_moves(game, state)))")],
        CHOOSE,
        " to the same question: draw by gpumcts.rng.draw alone",
    ),
    "own_draws_of_a_rule": (
        "selection",
        [
            ("    missed = ", "    missed = random() - "),
            ("from typing import", "from random import random\nfrom typing import"),
        ],
        "@score",
        " to the same question: draw by gpumcts.rng.draw alone",
    ),
    "no_lanes": ("playout", [("    LANES = False\n", "")], "class Last", "Last has no LANES: say it in the class"),
    "no_truncate": (
        "playout",
        [("    truncate: Annotated[int, Interval(ge=0, le=65535)] = 0\n", "")],
        "class Last",
        "Last has no field truncate",
    ),
}


@pytest.fixture
def written(tmp_path, monkeypatch):
    """``written(kind, name, *changes)``: an option as a module that can be imported, until the test is over."""
    monkeypatch.syspath_prepend(str(tmp_path))
    names = []

    def write(kind: str, name: str, *changes: tuple[str, str]) -> Path:
        names.append(name)
        if kind == "game":
            return heap.write(tmp_path, name, *changes)
        return lab.write(tmp_path, kind, name, *changes)

    yield write
    for name in names:
        heap.forget(name)


def asked(kind: str, name: str, game) -> None:
    """Ask an option as commands do, a policy with a game."""
    value = lab.load(kind, name)
    if kind == "playout":
        check_policy(value, game)


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    """A small game, as it travels into compiled code."""
    folder = tmp_path_factory.mktemp("board")
    with heap.importable(folder, "lab_board.heap") as name:
        yield heap.load(name)


@pytest.mark.parametrize("kind", lab.SOURCES)
def test_an_option_without_a_mistake_holds(kind, written, game):
    written(kind, f"lab_sound_{kind}.own")
    asked(kind, f"lab_sound_{kind}.own", game)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named(mistake, written, game):
    kind, changes, line, words = MISTAKES[mistake]
    file = written(kind, f"lab_{mistake}.own", *changes)
    with pytest.raises(BadInput) as refusal:
        asked(kind, f"lab_{mistake}.own", game)
    said = str(refusal.value)
    assert "\n" not in said and words in said
    number = heap.line_of(file, line)
    assert any(f"{file.name}:{at}:" in said for at in (number, number + 1)), said


CALLED = {
    "game": "Heap is a game",
    "playout": "Last is a playout policy",
    "selection": "Patience is a selection rule",
    "backup": "Moving is a backup operator",
}


@pytest.mark.parametrize("asked_for", CALLED)
@pytest.mark.parametrize("kind", CALLED)
def test_an_option_of_another_kind_is_told_what_it_is(kind, asked_for, written, game):
    name = type(game).__module__ if kind == "game" else f"lab_kind_{kind}.own"
    if kind != "game":
        written(kind, name)
    if kind == asked_for:
        assert options.option(asked_for, name)
        return
    said = f"{asked_for}=.*: {CALLED[kind]}, not a {CALLED[asked_for].partition(' is a ')[2]}$"
    with pytest.raises(BadInput, match=f"^{said}"):
        options.option(asked_for, name)
    with pytest.raises(BadInput, match=f"^{said}"):
        options.value_of(asked_for, options.option(kind, name)())


def test_a_game_of_the_librarys_with_a_policy_body_of_ones_own_stays_a_game():
    class Corners(Othello):
        pass

    class Last(NamedTuple):
        truncate: int = 0

    @choose.implements(Last, Corners)
    def last_choose(policy, game, state, stream):
        return 0

    options._check_kind("game", "my_lab.corners", Corners)
    with pytest.raises(BadInput, match="^backup=my_lab.corners: Corners is a "):
        options._check_kind("backup", "my_lab.corners", Corners)


def test_a_policy_whose_body_is_for_nothing_is_told_that(written, game):
    written("playout", "lab_unread.own", ("@choose.implements(Last, object)\n", ""))
    with pytest.raises(BadInput, match=r"^playout=lab_unread.own is not for game=\S+: no body of choose is for it; "):
        asked("playout", "lab_unread.own", game)


def test_a_mistake_in_a_cell_without_a_file_is_named(monkeypatch):
    cell = ModuleType("lab_cell")
    monkeypatch.setitem(sys.modules, "lab_cell", cell)
    text = lab.SOURCES["backup"].replace("        node = path[k]", "        node = [path[k], 0][0]")
    exec(compile(text, "<cell>", "exec"), vars(cell))
    with pytest.raises(BadInput, match=r"<cell>:\d+: back_up does not compile: it makes a list"):
        options.value_of("backup", cell.Moving())
