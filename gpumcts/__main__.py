"""The console command: ``gpumcts match game=othello`` is ``python -m experiments.match game=othello``.

The commands belong to a checkout of the project, not to the wheel. An editable install of the checkout has both.
"""

import ast
import importlib
import os
import runpy
import sys
from pathlib import Path

from gpumcts import __version__

CHECKOUT = Path(__file__).resolve().parent.parent
BAD_INPUT = 2  # exit status, as of the commands
USAGE = "usage: gpumcts COMMAND [KEY=VALUE ...]; gpumcts COMMAND --help says more of one"
NO_CHECKOUT = "the commands belong to a checkout of gpumcts, installed with pip install -e .; here is the library alone"


def commands(checkout: Path = CHECKOUT) -> dict[str, str]:
    """The commands of a checkout, and the first line that each says of itself; none where it is no checkout."""
    if not (checkout / "pyproject.toml").is_file():
        return {}
    files = sorted((checkout / "experiments").glob("[!_]*.py"))
    return {file.stem: _first_line(file) for file in files}


def _first_line(file: Path) -> str:
    text = ast.get_docstring(ast.parse(file.read_text("utf-8"))) or ""
    return text.partition("\n")[0]


def main(words: list[str] | None = None, checkout: Path = CHECKOUT) -> int:
    """Run the command that ``words`` name, those of the command line if None; the exit status."""
    name, *rest = (sys.argv[1:] if words is None else words) or ["--help"]
    if name == "--version":
        print(f"gpumcts {__version__}")
        return 0
    known = commands(checkout)
    if not known:
        print(f"error: {NO_CHECKOUT}", file=sys.stderr)
        return BAD_INPUT
    if name in ("-h", "--help"):
        width = max(map(len, known))
        print(USAGE, "", *(f"  {command:{width}}  {says}" for command, says in known.items()), sep="\n")
        return 0
    if name not in known:
        print(f"error: {name} is no command; there are: {', '.join(known)}", file=sys.stderr)
        return BAD_INPUT
    _run(name, rest, checkout)
    return 0


def _run(name: str, words: list[str], checkout: Path) -> None:
    """As ``python -m experiments.NAME`` does: options of one's own are found in the working directory."""
    sys.path[:0] = [os.getcwd(), str(checkout)]
    sys.argv = [str(checkout / "experiments" / f"{name}.py"), *words]
    importlib.import_module("experiments").begin_command()
    runpy.run_module(f"experiments.{name}", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    sys.exit(main())
