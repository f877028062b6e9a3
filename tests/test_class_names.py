"""Two classes of one name in one process are told apart, or refused in one line that names both."""

from typing import NamedTuple

import numba
import numpy as np
import pytest
from numba import types

from gpumcts import class_names, options
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


def test_a_second_class_of_the_same_name_is_refused_before_it_is_compiled():
    first, second = field_class(), field_class()
    second.__module__ = "my_lab.game"
    compile_for(first())
    compile_for(first(size=4))
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
