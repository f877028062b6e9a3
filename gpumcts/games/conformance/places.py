"""Where a fault lies in a user's own source: files and lines out of bodies, tracebacks and numba's messages."""

import builtins
import dis
import inspect
import re
import sys
import sysconfig
import traceback
from collections.abc import Callable
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from gpumcts.games import contract

LIBRARY = Path(__file__).resolve().parents[2]
PYTHON = Path(sysconfig.get_paths()["stdlib"]).resolve()
NAMED = re.compile(r'File "([^"]+)", line (\d+)')
UNKNOWN_NAME = re.compile(r"(?:Untyped global name|NameError: (?:global )?name) '(\w+)'")
MAX_PART = 120
REASONS = (
    (re.compile(r"Unknown attribute '(\w+)' of type (.+)"), "{1} has no field `{0}`"),
    (re.compile(r"Cannot unify (.+?) and (.+?) for '([\w$.]+)'"), "`{2}` is {0} in one place and {1} in another"),
    (
        re.compile(r">>> (\w+)\(((?:u?int64, float64|float64, u?int64)[^)]*)\)"),
        "compiled code has no {0}({1}): a plain integer beside a uint64 makes a float64; write np.uint64(0) for 0",
    ),
    (re.compile(r">>> (.+)"), "compiled code has no {0}"),
)


def sources(option: Any) -> list[Path]:
    """The files of an option: those of its class's module, and of the modules beside it."""
    module = sys.modules[type(option).__module__]
    return [Path(file).resolve() for file in files_of(module)]


def files_of(module: ModuleType) -> set[str]:
    """The file of a module, and those of the loaded modules of its top-level package, the library's own apart."""
    top = module.__name__.partition(".")[0]
    family = [m for name, m in list(sys.modules.items()) if name == top or name.startswith(f"{top}.")]
    files = {getattr(m, "__file__", None) for m in (*family, module)}
    return {file for file in files if file and (Path(file).resolve().is_relative_to(LIBRARY) == _is_ours(module))}


def _is_ours(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] == LIBRARY.name


def shown(file: Any, line: int) -> str:
    """``my_lab/game.py:12``, from the current folder where the file lies below it."""
    path = Path(file).resolve()
    here = Path.cwd()
    return f"{path.relative_to(here) if path.is_relative_to(here) else path}:{line}"


def of_body(body: Callable) -> str:
    """The line where a body is defined."""
    code = code_of(body)
    return shown(code.co_filename, code.co_firstlineno)


def of_class(kind: type) -> str:
    """The line where a class is defined; its module where that is not known."""
    try:
        file, line = inspect.getsourcefile(kind), inspect.getsourcelines(kind)[1]
    except (OSError, TypeError):
        return kind.__module__
    return shown(file, line)


def of_error(error: BaseException, files: list[Path]) -> str:
    """The innermost line of a traceback that lies in one of ``files``; empty where none does."""
    frames = traceback.extract_tb(error.__traceback__)
    inside = [frame for frame in frames if Path(frame.filename).resolve() in files]
    return shown(inside[-1].filename, inside[-1].lineno or 0) if inside else ""


def raised(game: Any, error: BaseException) -> str:
    """``my_lab/game.py:95: parse_position raised ValueError: ...``: where a body of a game raised, and what.

    Empty where none did: then the fault is not the game's.
    """
    found = [frame.f_code for frame, _ in traceback.walk_tb(error.__traceback__)]
    bodies = {code_of(body): name for name, body in bodies_of(type(game)).items()}
    inside = [code for code in found if code in bodies]
    if not inside:
        return ""
    where = of_error(error, sources(game)) or shown(inside[-1].co_filename, inside[-1].co_firstlineno)
    return told(where, bodies[inside[-1]], error)


def told(where: str, verb: str, error: BaseException) -> str:
    """What a verb raised, on one line."""
    return f"{where}: {verb} raised {': '.join([type(error).__name__, *str(error).splitlines()[:1]])}"


def bodies_of(kind: type) -> dict[str, Callable]:
    """The bodies that a class of games has, its own and default ones, by the names of their verbs."""
    verbs = {name: verb for name, verb in vars(contract).items() if hasattr(verb, "implements")}
    found = {name: verb.find(kind) for name, verb in verbs.items()}
    return {name: body for name, body in found.items() if body is not None}


def code_of(body: Callable) -> CodeType:
    """The code of a body, as frames of a traceback have it."""
    return inspect.unwrap(body).__code__


def of_import(error: BaseException) -> str:
    """The line of a user's file that an import fails at: the innermost one outside the library and installed packages.

    Empty where there is none: the module itself was not found.
    """
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        return shown(error.filename, error.lineno)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not is_foreign(frame.filename)]
    return shown(own[-1].filename, own[-1].lineno or 0) if own else ""


def is_foreign(file: str) -> bool:
    """Whether a frame is of the library, of Python, or of an installed package."""
    path = Path(file).resolve()
    return (
        file.startswith("<")
        or "site-packages" in file
        or any(path.is_relative_to(place) for place in (LIBRARY, PYTHON))
    )


def of_fault(text: str, body: Callable, files: list[Path]) -> str:
    """The line of a body that a message of numba is about; the body's first one where it does not say."""
    name = UNKNOWN_NAME.search(text)
    if name is not None:
        for step in dis.get_instructions(body):
            line = step.positions.lineno if step.positions else None
            if step.opname == "LOAD_GLOBAL" and step.argval == name.group(1) and line:
                return shown(body.__code__.co_filename, line)
    return of_message(text, files) or of_body(body)


def of_message(text: str, files: list[Path]) -> str:
    """The first line of one of ``files`` that a message of numba names; empty where it names none."""
    named = [(file, int(line)) for file, line in NAMED.findall(text) if Path(file).resolve() in files]
    return shown(*named[0]) if named else ""


def reason(text: str, files: list[Path]) -> str:
    """What a message of numba says of a body in one of ``files``, on one line."""
    name = UNKNOWN_NAME.search(text)
    if name is not None:
        return _unknown(name.group(1), files)
    for pattern, words in REASONS:
        found = pattern.search(text)
        if found is not None:
            return words.format(*(_shortened(part) for part in found.groups()))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("Failed in")), lines[0] if lines else "unknown")


def _unknown(name: str, files: list[Path]) -> str:
    """What is wrong with a name that compiled code does not know, by what the modules of ``files`` have under it."""
    modules = [
        m
        for m in list(sys.modules.values())
        if (file := getattr(m, "__file__", None)) and Path(file).resolve() in files
    ]
    found = [vars(module)[name] for module in modules if name in vars(module)]
    if not found and not hasattr(builtins, name):
        return f"the name `{name}` is not defined"
    remedy = ": decorate it with @inlined of gpumcts.jit" if any(map(inspect.isfunction, found)) else ""
    return f"the name `{name}` is not known to compiled code{remedy}"


def _shortened(part: str) -> str:
    """A part of a message; the types of arguments that numba spells out can fill a page."""
    text = " ".join(part.split())
    return text if len(text) <= MAX_PART else f"{text[:MAX_PART]}..."
