"""Ask a game, of the library or your own, whether it keeps the contract, and how fast it plays.

    python -m experiments.check_game game=othello
    python -m experiments.check_game game=my_lab.connect_four
    python -m experiments.check_game game=go game.size=13

``game`` is a file of conf/game, or the dotted name of a module; ``game.KEY=VALUE`` sets one of its options. First comes
what is asked before anything is compiled; what fails there is one line with file and line. Then come random games,
compiled, against plain Python; then the machine code. The exit code is 1 where something does not hold, 2 where no
game is named, or there is no such game.
"""

import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from rich.box import SIMPLE_HEAD
from rich.table import Table

from experiments.config.validation import shown, typed
from experiments.terminal.console import say, show, showing, shown_in_full, writable
from gpumcts import options
from gpumcts.compiling.class_names import title
from gpumcts.compiling.uncompiled import is_uncompiled
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.conformance.suite import Effort, answers

CONF = Path(__file__).resolve().parent.parent / "conf" / "game"
FEW_MOVES, MANY_GAMES, SOME_GAMES = 64, 2000, 200
PLIES_GONE_THROUGH = 60  # of a random game in plain Python
SECONDS = 1.0


def game_of(words: list[str]) -> tuple[str, Any]:
    """The game that the words of a command line name, as ``game=NAME`` and an option value. Raises BadInput."""
    given: dict[str, Any] = {}
    said: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or key.split(".")[0] != "game" or key.count(".") > 1:
            raise BadInput(f"{word}: the words are game=NAME and game.KEY=VALUE")
        if key == "game.name":
            raise BadInput(f"{word}: the game is named by game=NAME")
        if said.setdefault(key, word) != word:
            raise BadInput(f"{key} is given twice: {said[key]} and {word}")
        given[key] = _read(word, value)
    if "game" not in given:
        raise BadInput("game: name one, by its file in conf/game or by the dotted name of its module, as game=othello")
    name = shown(given.pop("game"))
    plain = _composed(name) | {key.removeprefix("game."): value for key, value in given.items()}
    option = options.option("game", plain.pop("name"))
    return name, typed(option, plain, "game")


def _read(word: str, value: str) -> Any:
    try:
        return yaml.safe_load(value)
    except yaml.YAMLError:
        raise BadInput(f"{word}: cannot read the value") from None


def _composed(name: str) -> dict[str, Any]:
    """The options of a game as its file says them; of a dotted name, whose defaults are its class's, the name alone."""
    file = CONF / f"{name}.yaml"
    if "." in name or "/" in name or not file.is_file():
        return {"name": name}
    return yaml.safe_load(file.read_text(encoding="utf-8"))


def as_compiled(game: Any) -> Any:
    """The game as it travels into compiled code; not asked yet, as ``options.compiled`` would."""
    return game.compiled() if hasattr(game, "compiled") else game


def effort_for(game: Any) -> Effort:
    """How much is asked of a game: less in plain Python where it is long or has many moves."""
    many = game.MAX_MOVES > FEW_MOVES
    every = max(1, game.MAX_PLIES // PLIES_GONE_THROUGH)
    return Effort(SOME_GAMES if many else MANY_GAMES, replayed=2 if many else 4, every=every)


def figures(game: Any) -> Iterator[tuple[str, str]]:
    """What the machine code of uniform playouts is: a name and what there is to say, one after another."""
    policy = options.compiled(options.option("playout", "uniform")())
    yield "step", _step(game, policy)
    yield "playouts", _rate(game, policy)
    yield "registers on sm_90", _registers(game, policy)
    points = getattr(game, "CELLS", 0)
    yield "selection=rave", f"plays it: {points} points" if points else "does not play it: the class says no CELLS"
    yield "playout=minimax", _minimax(game)


def _minimax(game: Any) -> str:
    if not contract.has_evaluation(game):
        return "refused, as player=pvs and all else that rests on an evaluation: it has no evaluation"
    in_lanes = contract.move_set.find(type(game)) is not None and game.LANES
    return "plays it in lanes" if in_lanes else "one playout at a time"


def _step(game: Any, policy: Any) -> str:
    from gpumcts.kernels.lane_check import is_vectorised
    from gpumcts.playouts.traces import may_play_in_lanes, plays_whole

    if plays_whole(policy, game):
        return "the game's own playout: one at a time"
    if not may_play_in_lanes(policy, game):
        return "one at a time: LANES = False"
    vector = is_vectorised(game, policy)
    if vector is None:
        return "in lanes; this CPU has no AVX2 to look for"
    return (
        "vectorised: 16 games in lockstep"
        if vector
        else "NOT vectorised, although LANES = True: a branch or a call is left"
    )


def _rate(game: Any, policy: Any) -> str:
    """Uniform playouts a second on one thread, the best of some calls."""
    from gpumcts.kernels.cpu import CpuPlayouts
    from gpumcts.rng import key_of

    engine = CpuPlayouts(game, policy)
    states, keys = np.array([contract.start(game)], np.uint64), np.array([key_of(1)], np.uint64)
    engine.columns(states, keys, 16)
    count, best, end = 16, 0.0, time.perf_counter() + SECONDS
    while time.perf_counter() < end:
        begin = time.perf_counter()
        engine.columns(states, keys, count)
        seconds = time.perf_counter() - begin
        best, count = max(best, count / seconds), count * 2 if seconds < SECONDS / 8 else count
    return f"{best:,.0f} a second on one core"


def _registers(game: Any, policy: Any) -> str:
    try:
        from gpumcts.kernels.compile_check import TARGETS, check, ptx
        from gpumcts.kernels.cuda.searches import ways
    except ImportError:
        return "not known: numba-cuda is not installed"
    way, kernel = next(iter(ways(game, policy).items()))
    report = check(way, partial(ptx, kernel, game, policy, TARGETS[-1]), TARGETS[-1])
    if report.error.startswith("DynamicLibNotFoundError"):  # NVVM, NVRTC or nvJitLink: no fault of the game
        return "not known: CUDA's compiler is not installed: pip install -e '.[cuda13]' -c constraints.txt"
    if report.error:
        return f"does not compile: {report.error}"
    if report.registers is None:
        return "not known: ptxas (package nvidia-cuda-nvcc) is not installed; it compiles to PTX"
    return f"{report.registers}; {report.stack} bytes of stack, {report.spills} of spills"


def main(arguments: list[str] | None = None) -> int:
    """Ask, and show a table; the exit code."""
    writable()
    return shown_in_full(_main(arguments))


def _main(arguments: list[str] | None) -> int:
    words = sys.argv[1:] if arguments is None else arguments
    if {"-h", "--help"} & {*words}:
        with showing():
            print(__doc__)
        return 0
    try:
        name, option = game_of(words)
        if is_uncompiled():
            raise BadInput("NUMBA_DISABLE_JIT is set: check_game asks compiled code; unset it")
        game = as_compiled(option)
        return _shown(name, game)
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        say("interrupted; the same command starts again")
        return 130


def _shown(name: str, game: Any) -> int:
    table = Table("question", "holds", box=SIMPLE_HEAD)
    faults = []
    try:
        with np.errstate(over="ignore"):
            for question, fault in answers(game, _effort(game)):
                table.add_row(question, "no" if fault else "yes")
                faults += [f"{question}: {fault}"] if fault else []
    finally:  # what has been answered is worth showing whatever stops it
        show(f"game={name}: {title(game)}({_options(game)})", table, *faults)
    if not faults:
        code = Table("machine code", "uniform playouts", box=SIMPLE_HEAD)
        for what, said in figures(game):
            code.add_row(what, said)
        show(code)
    return int(bool(faults))


def _effort(game: Any) -> Effort:
    try:
        return effort_for(game)
    except (AttributeError, TypeError):
        return Effort()  # the first question says what is wrong with the class


def _options(game: Any) -> str:
    return ", ".join(f"{field}={shown(value)}" for field, value in zip(game._fields, game, strict=True))


if __name__ == "__main__":
    sys.exit(main())
