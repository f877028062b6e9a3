"""Checks of the bodies of a user's own option, one by one: run in plain Python, and typed by numba by themselves.

What is wrong is one line: file and line of the user's source, the verb, and what it does.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from numba import types
from numba.core.errors import NumbaError

from gpumcts.compiling.class_names import title
from gpumcts.compiling.uncompiled import is_uncompiled
from gpumcts.errors import BadInput
from gpumcts.games.conformance import places
from gpumcts.games.conformance.typed_bodies import returned


def no_int64(answer: Any) -> str:
    """What to say of an answer in plain Python that is no int64."""
    if answer is None:
        return "returns nothing, not int64: give each way through it a return"
    return f"returns {type(answer).__name__}, not int64: wrap it, np.int64(...)"


class Bodies(NamedTuple):
    """The bodies of one option.

    value : the option as it travels into compiled code; contract : the module of its verbs
    classes : those that its bodies are looked up by; files : its sources
    """

    value: Any
    contract: Any
    classes: tuple[type, ...]
    files: list[Path]

    @classmethod
    def of(cls, value: Any, contract: Any, *beside: type) -> "Bodies":
        """``beside``: further classes that its bodies are looked up by, as a policy's by the game's."""
        return cls(value, contract, (type(value), *beside), places.sources(value))

    @property
    def name(self) -> str:
        """Of the option's class."""
        return title(type(self.value))

    @property
    def where(self) -> str:
        """The line of the option's class."""
        return places.of_class(type(self.value))

    def body(self, verb: str) -> Callable | None:
        """The body of a verb, a default one too; None where there is none."""
        found: Callable | None = getattr(self.contract, verb).find(*self.classes)
        return found

    def own(self, verbs: tuple[str, ...]) -> list[str]:
        """Those of ``verbs`` whose body is the user's, in a file or in a notebook's cell."""
        found = [(verb, self.body(verb)) for verb in verbs]
        return [verb for verb, body in found if body is not None and _is_own(body)]

    def typed(self, verbs: tuple[str, ...]) -> list[str]:
        """Those of ``own`` whose types can be asked: all of them, or none under ``NUMBA_DISABLE_JIT=1``."""
        return [] if is_uncompiled() else self.own(verbs)

    def attribute(self, name: str) -> Any:
        """What the class says of itself; raises BadInput where it says nothing."""
        try:
            return getattr(self.value, name)
        except AttributeError:
            raise BadInput(f"{self.where}: {self.name} has no {name}: say it in the class") from None

    def yes_or_no(self, name: str) -> None:
        """Refuse an attribute of the class that is neither True nor False."""
        said = self.attribute(name)
        if not isinstance(said, bool):
            raise BadInput(f"{self.where}: {self.name}.{name} = {said!r}: must be True or False")

    def names(self, name: str) -> None:
        """Refuse an attribute of the class that is no tuple of names, all different."""
        said = self.attribute(name)
        is_names = isinstance(said, tuple) and all(isinstance(one, str) and one for one in said)
        if not is_names or len(set(said)) < len(said):
            raise BadInput(
                f'{self.where}: {self.name}.{name} = {said!r}: must be a tuple of different names, as ("mean",)'
            )

    def require(self, verb: str) -> None:
        """Refuse an option without a body of a verb."""
        if self.body(verb) is None:
            raise BadInput(f"{self.where}: {self.name} has no body of {verb}: write one, @{verb}.implements")

    def refuse(self, verb: str, what: str) -> None:
        """Raise BadInput that names the place of a body."""
        body = self.body(verb)
        raise BadInput(f"{places.of_body(body) if body else self.where}: {verb} {what}")

    def ask(self, verb: str, *arguments: Any) -> Any:
        """What a verb answers in plain Python; raises BadInput where the user's source does."""
        try:
            return getattr(self.contract, verb)(*arguments)
        except (Exception, SystemExit) as error:
            where, body = places.of_error(error, self.files), self.body(verb)
            if not where and body is not None and _is_own(body):
                where = places.of_body(body)
            if not where:
                raise  # a fault of the library's
            said = [type(error).__name__, *str(error).splitlines()[:1]]
            raise BadInput(f"{where}: {verb} raised {': '.join(said)}") from error

    def ask_twice(self, verb: str, *arguments: Any) -> Any:
        """``ask``; refuses a body that answers the same question in two ways, as one that draws from ``np.random``."""
        first, second = self.ask(verb, *arguments), self.ask(verb, *arguments)
        if str(first) != str(second):  # as texts: nan is nan
            self.refuse(verb, f"answers {first}, then {second} to the same question: draw by gpumcts.rng.draw alone")
        return first

    def type_of(self, verb: str, arguments: dict[str, Any]) -> Any:
        """The numba type that the body of a verb returns, given the types of arguments by name."""
        body = self.body(verb)
        assert body is not None
        names = body.__code__.co_varnames[: body.__code__.co_argcount]
        try:
            return returned(body, tuple(arguments[name] for name in names))
        except NumbaError as error:
            text = str(error)
            where = places.of_fault(text, body, self.files)
            raise BadInput(f"{where}: {verb} does not compile: {places.reason(text, self.files)}") from error


def is_number(found: Any) -> bool:
    """Whether a type of numba is that of a real number."""
    return isinstance(found, types.Float | types.Integer | types.Boolean)


def _is_own(body: Callable) -> bool:
    return not Path(body.__code__.co_filename).resolve().is_relative_to(places.LIBRARY)
