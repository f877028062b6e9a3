"""Compiles every kernel without a device, and reports the resources that each one takes.

    python -m gpumcts.kernels.compile_check [--json] [--device sm_90a] [--playout NAME] [--traced] [game ...]
    python -m gpumcts.kernels.compile_check --playout uniform --traced go:size=19 havannah:base=10

A game has its default options but for those named behind it. ``--traced`` is for the kernels that searches with
``selection=rave`` play by. PTX is linked as the engines link it, by nvJitLink (Hopper's for ``sm_90a``), so the
registers are those of what runs; ``ptxas`` may tell others. The exit code is 1 where a kernel fails.
"""

import argparse
import contextlib
import functools
import itertools
import json
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple, NoReturn

import numba
import numpy as np
from annotated_types import Interval

from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.kernels.cuda.code_options import FUSED, tables_in_memory, unfused
from gpumcts.kernels.cuda.occupancy import tighter

Target = tuple[int, int, str]
TARGETS: tuple[Target, ...] = ((8, 0, ""), (9, 0, "a"))
"""Compute capabilities, with the suffix that numba gives from 9.0 on."""
FLOATS = re.compile(r"^\s*(?:@!?%\w+\s+)?(\w[\w.]*\.(?:bf16|f16|f32|f64)\b[\w.]*)", re.MULTILINE)  # instructions
MAX_VARIANTS = 8  # values of a field that are tried for the class they become in compiled code


class Report(NamedTuple):
    """One kernel for one device; stack, spills and local in bytes, None where it failed; ``error`` on one line then.

    floats : instructions on floating point in its PTX
    fused : those of them that fuse a product into a sum, or that ptxas may make such
    local : bytes of local memory that its PTX asks for
    """

    kernel: str
    capability: str
    registers: int | None = None
    stack: int | None = None
    spills: int | None = None
    floats: int = 0
    fused: int = 0
    local: int = 0
    error: str = ""


def kernels(
    games: Iterable[str], playouts: Sequence[str] = (), keeping_traces: bool = False
) -> Iterator[tuple[str, Callable, Any, Any]]:
    """Name, kernel, game and policy: each game with each class that a policy becomes, by each kernel that plays it.

    games : as ``game_of`` takes them
    playouts : policies by name, which every one of the games must have; all that a game has if there are none
    keeping_traces : the kernels that tell who was first to play where, in place of the usual ones
    """
    from gpumcts.kernels.cuda.searches import ways
    from gpumcts.playouts.contract import check_policy, plays
    from gpumcts.playouts.traces import traced

    for text, policy in itertools.product(games, playouts or options.names("playout")):
        game, seen = game_of(text), set()
        if keeping_traces and not has_points(game):
            raise BadInput(f"--traced: wants games whose moves are points (CELLS), and game={text} is none")
        for value in variants(options.option("playout", policy)):
            compiled = options.compiled(value)
            if playouts:
                check_policy(compiled, game)
            if type(compiled) in seen or not plays(compiled, game):
                continue
            seen.add(type(compiled))
            played = traced(game, compiled) if keeping_traces else game
            for way, kernel in ways(played, compiled).items():
                yield f"{value} on {text}, {'traced, ' if keeping_traces else ''}{way}", kernel, played, compiled


def game_of(text: str) -> Any:
    """The game that ``go`` or ``go:size=13:komi=6.5`` stands for, as it travels into compiled code. Raises BadInput."""
    name, *words = text.split(":")
    option = options.option("game", name)
    return options.compiled(options.named("game", name, dict(_field(name, option, word) for word in words)))


def _field(name: str, option: Any, word: str) -> tuple[str, Any]:
    """A field of a game's option and its value, from ``size=13``."""
    key, _, written = word.partition("=")
    if key not in option._fields:
        raise BadInput(f"{name}:{word}: unknown key; game={name} has {', '.join(option._fields)}")
    kind = type(option._field_defaults[key])
    try:
        value = written if kind is str else json.loads(written)
    except ValueError:
        value = None
    if type(value) is not kind and (kind, type(value)) != (float, int):
        raise BadInput(f"{name}:{word}: {key} must be a value such as {option._field_defaults[key]}")
    return key, value


def has_points(game: Any) -> bool:
    """Whether playouts of a game can tell who was first to play where."""
    return getattr(game, "CELLS", 0) > 0


def variants(option: type) -> list[Any]:
    """The default value of an option, and every value of its fields of few values (a depth may become a class)."""
    found = [option()]
    for field, annotation in option.__annotations__.items():
        for bounds in getattr(annotation, "__metadata__", ()):
            whole = isinstance(bounds, Interval) and isinstance(bounds.ge, int) and isinstance(bounds.le, int)
            if whole and bounds.le - bounds.ge < MAX_VARIANTS and annotation.__origin__ is int:
                found += [option(**{field: value}) for value in range(bounds.ge, bounds.le + 1)]
    return found


@contextlib.contextmanager
def pretended_device(target: Target) -> Iterator[None]:
    """Answer numba's question for the device, which it asks even where it compiles for another, without one."""
    from numba.cuda import dispatcher

    class Pretended:
        compute_capability = target[:2]

    real, dispatcher.get_current_device = dispatcher.get_current_device, lambda: Pretended
    try:
        yield
    finally:
        dispatcher.get_current_device = real


def ptx(kernel: Callable, game: Any, policy: Any, target: Target) -> str:
    """The PTX of a playout kernel; ``policy`` as it travels into compiled code."""
    from gpumcts.kernels.cuda.kernels import kernel_signature

    with tables_in_memory():
        return _ptx(kernel, kernel_signature(game, policy), target)


def each_ptx(body: Callable[[int, Any], None], task: Any, target: Target) -> str:
    """The PTX of a kernel of ``gpumcts.kernels.cuda.each``."""
    from gpumcts.kernels.cuda.each import each_kernel

    with unfused(), tables_in_memory():
        return _ptx(each_kernel(body), (numba.typeof(task), numba.int64), target)


def _ptx(kernel: Callable, signature: tuple, target: Target) -> str:
    from numba import cuda

    capability = target if target[2] else target[:2]
    with pretended_device(target):
        return cuda.compile_ptx(kernel, signature, cc=capability, device=False, abi="numba")[0]


def link(code: str, target: Target, registers: int | None = None) -> tuple[int, int, int]:
    """Registers (``registers`` at most), bytes of stack and of spills (stores and loads) of a kernel, by nvJitLink."""
    from cuda.core import Linker, LinkerOptions, ObjectCode

    options = LinkerOptions(arch=name_of(target), max_register_count=registers, ptxas_options=["-v"])
    linker = Linker(ObjectCode.from_ptx(code.encode()), options=options)
    linker.link("cubin")
    said = linker.get_info_log()
    frames = _numbers(said, r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+)")
    stack, stores, loads = np.sum(frames, axis=0).tolist()
    return max(n for (n,) in _numbers(said, r"Used (\d+) registers")), stack, stores + loads


def name_of(target: Target) -> str:
    """A target as the tools name it, such as ``sm_90a``."""
    return "sm_{}{}{}".format(*target)


def _numbers(text: str, pattern: str) -> list[tuple[int, ...]]:
    return [tuple(int(n) for n in match.groups()) for match in re.finditer(pattern, text)]


def tightened(code: str, target: Target) -> tuple[int, int, int]:
    """What ``link`` tells of a playout kernel, capped where the engine caps it (``cuda.kernels.tightened``)."""
    usual = link(code, target)
    cap = tighter(usual[0], target[:2])
    capped = link(code, target, cap) if cap else usual
    return capped if capped[1] <= usual[1] else usual


def check(name: str, produce: Callable[[], str], target: Target, linked: Callable = link) -> Report:
    """What the PTX that ``produce`` gives takes of a device, ``linked`` by ``link`` or ``tightened``."""
    report = Report(name, name_of(target))
    try:
        code = produce()
        local = sum(n for (n,) in _numbers(code, r"\.local .*\[(\d+)\]"))
        found = FLOATS.findall(code)
        fused = len(FUSED.findall(code))
        report = report._replace(floats=len(found), fused=fused, local=local)
        registers, stack, spills = linked(code, target)
        return report._replace(registers=registers, stack=stack, spills=spills)
    except Exception as error:  # one kernel that fails must not hide the others
        lines = [line.strip() for line in str(error).splitlines() if line.strip()]
        return report._replace(error=f"{type(error).__name__}: {lines[0] if lines else ''}")


class Parser(argparse.ArgumentParser):
    """A command line whose errors are one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        """End the process with exit code 2."""
        self.exit(2, f"error: {message}\n")


def main() -> int:
    """Check the kernels that the command line names, or all; 1 where one fails, 2 for an unknown game or policy."""
    about = str(__doc__).splitlines()[0]
    parser = Parser("python -m gpumcts.kernels.compile_check", description=about)
    parser.add_argument("games", nargs="*", metavar="game", help="games, as go or go:size=13; all if none is named")
    parser.add_argument(
        "--playout", action="append", default=[], help="policy by name, may be repeated; all if none is"
    )
    parser.add_argument(
        "--traced", action="store_true", help="the kernels that keep traces, in place of those that do not"
    )
    names = {name_of(target): target for target in TARGETS}
    parser.add_argument("--device", choices=names, help="compute capability; every one if none is named")
    parser.add_argument("--json", action="store_true", help="reports as JSON in place of a table")
    chosen = parser.parse_args()
    try:
        games = chosen.games or [n for n in options.names("game") if not chosen.traced or has_points(game_of(n))]
        found = list(kernels(games, chosen.playout, chosen.traced))
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    reports = (
        check(name, functools.partial(ptx, kernel, game, policy, target), target, tightened)
        for name, kernel, game, policy in found
        for target in ([names[chosen.device]] if chosen.device else TARGETS)
    )
    return int(any(report.error for report in shown(reports, [name for name, *_ in found], chosen.json)))


def shown(reports: Iterable[Report], kernels: Sequence[str], as_json: bool) -> list[Report]:
    """The reports, printed: each as it comes, since all of them take minutes; as JSON, all in one.

    kernels : their names, the longest of which decides the width of the table
    """
    made = []
    width = max((len(name) for name in kernels), default=0)
    if not as_json:
        print(head(width), flush=True)
    for report in reports:
        made.append(report)
        if not as_json:
            print(row(report, width), flush=True)
    if as_json:
        print(json.dumps([report._asdict() for report in made]))
    return made


def head(width: int) -> str:
    """The first line of a table whose names of kernels have ``width`` letters at most."""
    return f"{'kernel':{width}}  device  registers  local  stack  spills  floats"


def row(report: Report, width: int) -> str:
    """A report for people, as a line below ``head``."""
    found = (report.registers, report.local, report.stack, report.spills, report.floats)
    numbers = ("-" if number is None else str(number) for number in found)
    told = report.error or "{:>9}  {:>5}  {:>5}  {:>6}  {:>6}".format(*numbers)
    return f"{report.kernel:{width}}  {report.capability:6}  {told}"


if __name__ == "__main__":
    sys.exit(main())
