"""The verb table: bodies by class, inherited, the same in plain Python and in compiled code."""

from typing import NamedTuple

import pytest
from numba import njit
from numba.core.errors import TypingError

from gpumcts.verbs import inlined, noinline, verb


class Animal(NamedTuple):
    """An option with a number."""

    legs: int = 4


class Bird(Animal):
    """One that inherits."""


class Duck(Bird):
    """One that inherits twice."""


class Stone(NamedTuple):
    """One without fields or a base."""


class Water(NamedTuple):
    """Another family."""

    depth: float = 1.0


@verb("what")
def count(what, times):
    """How many."""


@verb("what")
def sound(what):
    """What it says, as a number."""


@verb("what", "where")
def moves(what, where):
    """How it moves there."""


@verb("where")
def second(number, where):
    """Dispatches on its second argument."""


@count.implements(Animal)
def count_legs(what, times):
    return what.legs * times


@count.implements(Duck)
def count_one_more(what, times):
    return what.legs * times + 1


@sound.implements(object)
def sound_of_all(what):
    return 0


@sound.implements(Bird)
def sound_of_bird(what):
    return 7 + sound_helper(what.legs)


@inlined
def sound_helper(legs):
    """A scalar helper that a body calls."""
    return legs * 100


@moves.implements(Animal, object)
def walks(what, where):
    return 1


@moves.implements(Animal, Water)
def wades(what, where):
    return 2


@moves.implements(Duck, object)
def waddles(what, where):
    return 3


@moves.implements(Duck, Water)
def swims(what, where):
    return 4


@second.implements(Water)
def second_depth(number, where):
    return number * where.depth


@njit
def compiled_count(what, times):
    """The verbs as compiled code sees them."""
    return count(what, times)


@njit
def compiled_sound(what):
    """Likewise."""
    return sound(what)


@njit
def compiled_moves(what, where):
    """Likewise."""
    return moves(what, where)


@njit
def compiled_second(number, where):
    """Likewise."""
    return second(number, where)


@pytest.fixture(params=["plain", "compiled"])
def either(request):
    """(count, sound, moves, second) in plain Python and in compiled code."""
    plain = (count, sound, moves, second)
    return plain if request.param == "plain" else (compiled_count, compiled_sound, compiled_moves, compiled_second)


def test_a_body_is_found_by_class(either):
    assert either[0](Animal(3), 5) == 15


def test_bodies_are_inherited_and_the_nearest_counts(either):
    assert either[0](Bird(2), 5) == 10
    assert either[0](Duck(2), 5) == 11


def test_a_body_for_object_is_the_default(either):
    assert [either[1](what) for what in (Animal(), Stone(), Water())] == [0, 0, 0]
    assert either[1](Bird(2)) == either[1](Duck(2)) == 207


def test_two_classes(either):
    choose = either[2]
    assert [choose(Animal(), Stone()), choose(Animal(), Water())] == [1, 2]
    assert [choose(Bird(), Stone()), choose(Bird(), Water())] == [1, 2]
    assert [choose(Duck(), Stone()), choose(Duck(), Water())] == [3, 4]


def test_any_argument_may_decide(either):
    assert either[3](3, Water(0.5)) == 1.5


def test_parameters_are_values_in_compiled_code():
    assert [compiled_count(Animal(legs), 2) for legs in range(4)] == [0, 2, 4, 6]
    assert len(compiled_count.signatures) >= 1


def test_a_missing_body_is_named_in_plain_python():
    with pytest.raises(TypeError, match="count has no body for Stone"):
        count(Stone(), 1)
    with pytest.raises(TypeError, match="moves has no body for Stone, Water"):
        moves(Stone(), Water())
    with pytest.raises(TypeError, match="count has no body for int"):
        count(3, 1)


def test_a_missing_body_is_an_error_in_compiled_code():
    with pytest.raises(TypingError, match="count"):
        compiled_count(Stone(), 1)
    with pytest.raises(TypingError, match="moves"):
        compiled_moves(Stone(), Water())
    with pytest.raises(TypingError, match="count"):
        compiled_count(3, 1)


def test_a_missing_body_may_come_later():
    with pytest.raises(TypeError):
        count(Water(2.0), 2)

    @count.implements(Water)
    def count_water(what, times):
        return what.depth * times

    assert count(Water(2.0), 2) == 4.0


@pytest.mark.parametrize("classes", [(), (Stone,), (Stone, Water, Stone), (Stone(), Water), ("Stone", Water)])
def test_a_body_is_for_a_class_of_each_argument_that_decides(classes):
    """Else nobody would ever find it."""
    with pytest.raises(TypeError, match="moves.implements takes a class for each of: what, where"):
        moves.implements(*classes)


def test_wrong_argument_names_are_refused():
    with pytest.raises(TypeError, match=r"count: a body takes \(what, times\)"):

        @count.implements(Stone)
        def misnamed(stone, times):
            return 0

    with pytest.raises(TypeError, match="a body takes"):

        @count.implements(Stone)
        def too_short(what):
            return 0

    assert count.find(Stone) is None


def test_a_second_body_for_the_same_class_is_refused():
    with pytest.raises(TypeError, match="count has a body for .*Animal.* already"):

        @count.implements(Animal)
        def again(what, times):
            return 0

    assert count.find(Animal) is count_legs


def test_find_tells_the_body():
    assert count.find(Bird) is count_legs and count.find(Duck) is count_one_more
    assert moves.find(Duck, Water) is swims and moves.find(Bird, Stone) is walks


def test_a_verb_keeps_its_contract():
    assert count.__name__ == "count" and count.__doc__ == "How many."


def test_a_helper_is_itself_in_plain_python():
    assert sound_helper(3) == 300 and not hasattr(sound_helper, "py_func")


@noinline
def shifted(x, by):
    """A helper that is called."""
    return (x << by) ^ x


@inlined
def shifted_twice(x):
    return shifted(shifted(x, 1), 2)


@njit(forceinline=True)
def by_the_helper(x):
    return shifted_twice(x)


@njit
def caller(x):
    return by_the_helper(x)


def test_a_noinline_helper_is_called():
    """The same values as in plain Python; its callers, themselves taken in, call it."""
    assert caller(5) == shifted_twice(5) == 51
    code = caller.inspect_llvm(caller.signatures[0]).splitlines()
    assert sum("noinline" in line and " call " in line for line in code) == 2
    assert not any("shifted_twice" in line and " call " in line for line in code)
