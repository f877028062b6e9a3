"""Two classes of one name in one process are told apart, or refused in one line that names both."""

from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba import types

from gpumcts import options
from gpumcts.compiling import class_names
from gpumcts.errors import BadInput
from gpumcts.games.amazons import Amazons
from gpumcts.games.chess import Chess
from gpumcts.games.clobber import Clobber
from gpumcts.games.go import Go
from gpumcts.games.havannah import Havannah
from gpumcts.games.implanted import Implanted
from gpumcts.games.othello import Othello
from gpumcts.jit import separate
from gpumcts.playouts.traces import Traced
from gpumcts.tree.selection.ucb1 import Ucb1

GAMES = (Amazons, Chess, Clobber, Go, Havannah, Implanted, Othello)


def field_class():
    class Lab(NamedTuple):
        size: int = 3

    return Lab


def compile_for(value):
    return separate(lambda option: None, types.void(numba.typeof(value)), "nothing")


@pytest.fixture(autouse=True)
def nothing_known(monkeypatch):
    monkeypatch.setattr(class_names, "_known", {})


def test_two_classes_of_one_name_have_names_of_their_own_for_compiled_code():
    first, second = field_class(), field_class()
    second.__module__ = "my_lab.game"
    assert class_names.own_classes([first(), (1, second())]) == {first, second}
    assert str(numba.typeof(first())) != str(numba.typeof(second()))
    compile_for(first())
    compile_for(second())
    for kind in (first, second):
        assert class_names.title(kind) == class_names.title(kind()) == "Lab" and repr(kind()) == "Lab(size=3)"


def test_classes_of_one_text_that_are_made_twice_have_names_of_their_own():
    """A cell of a notebook that is run once more."""
    first, second = field_class(), field_class()
    assert class_names.own_classes([first()]) != class_names.own_classes([second()])
    assert numba.typeof(first()).name != numba.typeof(second()).name


def test_a_class_that_another_one_extends_keeps_its_own_name():
    base = field_class()
    lower = type("Lower", (base,), {"__module__": base.__module__})
    class_names.own_classes([base(), lower()])
    assert (repr(base()), repr(lower())) == ("Lab(size=3)", "Lower(size=3)")


def test_own_classes_are_found_in_types_too():
    first, beside = field_class(), field_class()
    class_names.own_classes([first(), beside()])

    class Bundle(NamedTuple):
        inner: tuple
        other: Ucb1

    typed = numba.typeof(((first(), 2), (1, (beside(),)), Ucb1()))
    assert class_names.own_classes([numba.typeof(first()), numba.typeof(1)]) == {first}
    assert class_names.own_classes(kind for kind in typed.types) <= {first, beside}
    assert class_names.own_classes([Ucb1(), 3, np.zeros(2), (Ucb1(),)]) == frozenset()
    assert {first} < class_names.own_classes([Bundle((first(),), Ucb1())])


def test_a_class_that_was_compiled_for_under_its_own_name_is_not_taken_for_another():
    """Where nobody has asked for its classes before: it is refused in one line that names both."""
    first, second = field_class(), field_class()
    second.__module__ = "my_lab.game"
    compile_for(first())
    with pytest.raises(BadInput) as refused:
        compile_for(second())
    said = str(refused.value)
    assert said.startswith("Lab: two classes have this name, ") and "\n" not in said
    assert f"{first.__module__}.{first.__qualname__}" in said and "my_lab.game." in said and "rename" in said


def test_classes_that_numba_tells_apart_are_not_refused():
    """Fields of other types make other types."""

    class Lab(NamedTuple):
        size: np.uint64 = np.uint64(3)

    compile_for(field_class()())
    compile_for(Lab())


def test_a_game_is_called_as_users_call_it_where_it_travels_as_another_class():
    """Not Board9, Base8 or Full10."""
    called = [class_names.title(options.compiled(game())) for game in GAMES]
    assert called == [game.__name__ for game in GAMES]
    go = options.compiled(Go())
    assert class_names.title(Traced(go, ())) == class_names.title(type(go)) == "Go"
    assert class_names.title(Ucb1()) == class_names.title(Ucb1) == "Ucb1"
