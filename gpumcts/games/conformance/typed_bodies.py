"""Each body of a game typed by numba alone, so that a fault has one line: the body's file and line, and what is wrong.

Compiled whole, the same fault comes out of a step that inlines all bodies, hundreds of lines long, naming the caller.
"""

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit, typeof, types
from numba.core import ir
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import FunctionPass, register_pass
from numba.core.errors import NumbaError, UnsupportedBytecodeError
from numba.core.typed_passes import NopythonTypeInference

from gpumcts.compiling.class_names import title
from gpumcts.compiling.uncompiled import is_uncompiled
from gpumcts.errors import BadInput
from gpumcts.games import contract, moves
from gpumcts.games.conformance import places
from gpumcts.rng import key_of
from gpumcts.verbs import JIT_OPTIONS

U = np.uint64
FURTHER = (
    "move_after", "overrun", "staged_move", "move_weight", "chance_move", "chance_weight", "noisy", "decided",
    "move_of_bit", "write_moves", "with_history",
)  # fmt: skip
"""Verbs that only some searches and games need: asked of a game's own bodies alone."""
WHOLE = (
    "mover", "count_moves", "nth_move", "next_move", "score", "evaluation", "evaluation_limit", "random_move",
    *FURTHER[:-2],
)  # fmt: skip
STATES = ("play", "unpack", "with_history")
YES_OR_NO = ("over",)
REAL = ("remaining_plies",)
SETS = ("move_set", "legal_moves")
ALL = ("start", *STATES, *WHOLE, *YES_OR_NO, *REAL, "pack", "write_moves")
GROWING = (types.List, types.Set, types.ListType, types.DictType)
NOT_COMPILED = {
    "IMPORT_NAME": "it imports: write the import at the top of the module",
    "STORE_GLOBAL": "it assigns to a name of the module",
    "LOAD_BUILD_CLASS": "it defines a class",
    "UNPACK_EX": "it unpacks into *names",
}
"""By the instruction of Python that numba has no code for: what the source does."""
LOCATED = re.compile(r"(.*)\. Raised from (.+) \((\d+)(?::\d+)?\)", re.DOTALL)
OPTIONS = {"error_model": JIT_OPTIONS["error_model"], "_nrt": JIT_OPTIONS["_nrt"]}


class _Typed(BaseException):
    """Thrown once types are known: nothing is compiled after that."""

    def __init__(self, found: Any, growing: ir.Loc | None) -> None:
        """``found``: the type that is returned; ``growing``: as ``_growing`` tells."""
        self.found, self.growing = found, growing


@register_pass(mutates_CFG=False, analysis_only=True)
class _StopOnceTyped(FunctionPass):
    _name = "stop_once_typed"

    def __init__(self) -> None:
        FunctionPass.__init__(self)

    def run_pass(self, state: Any) -> bool:
        raise _Typed(state.return_type, _growing(state))


class _TypingAlone(CompilerBase):
    def define_pipelines(self) -> list[Any]:
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.add_pass_after(_StopOnceTyped, NopythonTypeInference)
        passes.finalize()
        return [passes]


def check(game: Any) -> None:
    """Raises BadInput, one line, for the first body of a game (as it travels) that has no types, or wrong ones.

    Under ``NUMBA_DISABLE_JIT=1`` nothing has types, and nothing is asked.
    """
    if is_uncompiled():
        return
    with np.errstate(all="ignore"):
        state = contract.start(game)
    arguments = {
        "game": game,
        "state": state,
        "move": np.int64(0),
        "k": np.int64(0),
        "stream": key_of(0),
        "bit": U(0),
        "count": np.int64(0),
        "out": np.zeros(1, np.int64),
        "earlier": np.zeros((1, len(state)), U),
        "words": np.zeros(len(state), U),
        "at": np.int64(0),
        "stride": np.int64(1),
    }
    first = None
    for verb in sets_of(game):
        _check_set(game, verb, _answer(game, verb, arguments))
    for verb in ALL:
        if verb in FURTHER and not has_own(game, verb):
            continue
        found = _answer(game, verb, arguments)
        first = found if verb == "start" else first
        _check_answer(game, verb, found, first)


def _answer(game: Any, verb: str, arguments: dict[str, Any]) -> Any:
    """The type that the body of a verb returns."""
    body = body_of(game, verb)
    names = body.__code__.co_varnames[: body.__code__.co_argcount]
    files = places.sources(game)
    try:
        return returned(body, tuple(typeof(arguments[name]) for name in names))
    except NumbaError as error:
        text = str(error)
        where = places.of_fault(text, body, files)
        raise BadInput(f"{where}: {verb} does not compile: {places.reason(text, files)}") from error


def sets_of(game: Any) -> list[str]:
    """The verbs of legal moves as a set that a game has a body of; ``count_moves`` and others read it."""
    return [verb for verb in SETS if body_of(game, verb) is not None]


def has_own(game: Any, verb: str) -> bool:
    """Whether a game (as it travels) has another body of a verb than every game has."""
    return body_of(game, verb) not in (None, getattr(contract, verb).find(object))


def body_of(game: Any, verb: str) -> Any:
    """The body of a verb; None where there is none."""
    return getattr(moves if verb == "legal_moves" else contract, verb).find(type(game))


def parts_of(found: Any) -> list[Any]:
    """The types of the parts of a tuple; none for what is no tuple."""
    parts: Any = found  # the stubs of numba's tuples do not say that they can be gone through
    return list(parts) if isinstance(found, types.BaseTuple) else []


def _check_set(game: Any, verb: str, found: Any) -> None:
    """Refuse a set of moves that is not made of uint64."""
    words = [found] if verb == "move_set" else parts_of(found)
    if not words or any(word != types.uint64 for word in words):
        said = written(found) if hasattr(found, "instance_class") else _short(found)
        wanted = "uint64" if verb == "move_set" else "a NamedTuple of uint64"
        where = places.of_body(body_of(game, verb))
        raise BadInput(f"{where}: the set of moves is {said}, not {wanted}: wrap numbers, U(1)")


def returned(body: Callable, signature: tuple[Any, ...]) -> Any:
    """The numba type that a plain function returns for arguments of these types; raises NumbaError if it has none."""
    compiled = njit(pipeline_class=_TypingAlone, **OPTIONS)(body)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of numba, on its own deprecations
        try:
            compiled.compile(signature)
        except _Typed as typed:
            if typed.growing is not None:
                said = "it makes a list, a set or a dict, which compiled code has no memory for: use numbers and tuples"
                raise NumbaError(said, typed.growing) from None
            return typed.found
        except UnsupportedBytecodeError as error:  # which is no NumbaError
            raise _not_compiled(str(error)) from None
    raise AssertionError("typing ends with an exception")


def _not_compiled(text: str) -> NumbaError:
    """What numba says of a statement that it has no code for, with its place, as of all else that has no types."""
    located = LOCATED.fullmatch(text)
    what, loc = (located[1], ir.Loc(located[2], int(located[3]))) if located else (text, None)
    return NumbaError(next((said for name, said in NOT_COMPILED.items() if f"({name})" in what), what), loc)


def _growing(state: Any) -> ir.Loc | None:
    """Where a typed body first makes a list, a set or a dict: typing allows them, compiled code has no memory."""
    for block in state.func_ir.blocks.values():
        for assignment in block.find_insts(ir.Assign):
            if isinstance(state.typemap.get(assignment.target.name), GROWING):
                return assignment.loc
    return None


def _check_answer(game: Any, verb: str, found: Any, first: Any) -> None:
    where = places.of_body(getattr(contract, verb).find(type(game)))
    if verb == "start" or verb in STATES:
        _check_state(verb, found, first, where)
    elif verb in WHOLE and not (isinstance(found, types.Integer) and getattr(found, "signed", False)):
        raise BadInput(f"{where}: {verb} returns {found}, not int64: wrap it, np.int64(...)")
    elif verb in YES_OR_NO and not isinstance(found, types.Boolean | types.Integer):
        raise BadInput(f"{where}: {verb} returns {found}, not a bool")
    elif verb in REAL and not isinstance(found, types.Number):
        raise BadInput(f"{where}: {verb} returns {found}, not float64")


def _check_state(verb: str, found: Any, first: Any, where: str) -> None:
    """Refuse what is no state, or not the class and the words of those that ``start`` returns."""
    kind, wanted = getattr(found, "instance_class", None), getattr(first, "instance_class", None)
    if kind is None:
        raise BadInput(f"{where}: {verb} returns {_short(found)}, not a state: a NamedTuple of uint64")
    words = parts_of(found)
    if len(words) < len(kind._fields):
        left_out = f"field `{kind._fields[len(words)]}` is left out, and compiled code has no default for it"
        raise BadInput(f"{where}: {verb} returns {written(found)}: {left_out}")
    wrong = [name for name, word in zip(kind._fields, words, strict=True) if word != types.uint64]
    beside = "" if verb == "start" else f", start returns {written(first)}"
    if wrong:
        raise BadInput(f"{where}: {verb} returns {written(found)}{beside}: field `{wrong[0]}`")
    if kind is not wanted:
        raise BadInput(f"{where}: {verb} returns {written(found)}{beside}: another class")


def written(found: Any) -> str:
    """A state's type as people read it: ``State(uint64, int64, uint64)``, ``State(uint64 x 3)``."""
    words = [str(word) for word in found]
    same = len(set(words)) == 1 and len(words) > 1
    return f"{title(found.instance_class)}({f'{words[0]} x {len(words)}' if same else ', '.join(words)})"


def _short(found: Any) -> str:
    return re.sub(r"\s+", " ", str(found))[:80]
