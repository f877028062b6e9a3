"""Where a fault lies in a game's own source: files and lines out of bodies, tracebacks and numba's messages."""

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
REASONS = (
    (
        re.compile(r"(?:Untyped global name|NameError: (?:global )?name) '(\w+)'"),
        "the name `{0}` is not known to compiled code",
    ),
    (re.compile(r"Unknown attribute '(\w+)' of type (.+)"), "{1} has no field `{0}`"),
    (re.compile(r"Cannot unify (.+?) and (.+?) for '([\w$.]+)'"), "`{2}` is {0} in one place and {1} in another"),
    (re.compile(r">>> (.+)"), "compiled code has no {0}"),
)


def sources(game: Any) -> list[Path]:
    """The files of a game: those of its class's module, of the modules beside it, and of the bodies of its verbs."""
    module = sys.modules[type(game).__module__]
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


def raised(game: Any, error: Exception) -> str:
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


def told(where: str, verb: str, error: Exception) -> str:
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
    own = [frame for frame in frames if not _is_foreign(frame.filename)]
    return shown(own[-1].filename, own[-1].lineno or 0) if own else ""


def _is_foreign(file: str) -> bool:
    """Whether a frame is of the library, of Python, or of an installed package."""
    path = Path(file).resolve()
    return (
        file.startswith("<")
        or "site-packages" in file
        or any(path.is_relative_to(place) for place in (LIBRARY, PYTHON))
    )


def of_message(text: str, files: list[Path]) -> str:
    """The first line of one of ``files`` that a message of numba names; empty where it names none."""
    named = [(file, int(line)) for file, line in NAMED.findall(text) if Path(file).resolve() in files]
    return shown(*named[0]) if named else ""


def reason(text: str) -> str:
    """What a message of numba says, on one line."""
    for pattern, words in REASONS:
        found = pattern.search(text)
        if found is not None:
            return words.format(*(part.strip() for part in found.groups()))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return next((line for line in lines if not line.startswith("Failed in")), lines[0] if lines else "unknown")
