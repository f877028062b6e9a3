"""Searches by the device engine in Numba's simulator: run in a process of its own, prints JSON."""

import contextlib
import io
import json
import sys
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gpumcts import call_size
from gpumcts.errors import BadInput
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.kernels import engines
from gpumcts.kernels.cuda import device, simulated_memory
from gpumcts.options import option
from gpumcts.tree import device_search
from gpumcts.tree import memory as tree_memory
from gpumcts.tree.device_search import DeviceEngine
from gpumcts.tree.forest import Layout, bytes_per_slot
from gpumcts.tree.search import Searcher
from gpumcts.tree.settings import Settings
from tests.tree.drivers import (
    OPERATORS,
    OTHELLO,
    RULES,
    TOY_GAMES,
    UNIFORM,
    fits,
    keys_for,
    operator_of,
    othello_states,
    packed,
    rule_of,
    searcher_of,
)
from tests.tree.simulated_searches import digest, roots

TREES, DUEL = 3, DotsAndBoxes(1, 2)
DOTS, DICE, PATH = (TOY_GAMES[name] for name in ("dots", "dice", "path"))
THRESHOLD = Settings("threshold", 3, 1.1, ties="first", parent_count="children")
STARTS, LATE = packed(OTHELLO, othello_states()[:3]), packed(OTHELLO, othello_states()[3:])

Case = tuple[Any, Any, str, str, Settings, int]  # game, roots, rule, operator, settings, iterations
FIRST = ("average", "accelerated", "discounted", "minimax")
CASES: dict[str, Case] = {
    **{f"{o} on dots and boxes": (DOTS, None, "ucb1", o, Settings(), 30) for o in FIRST},
    "chance, several leaves": (DICE, None, "ucb1", "accelerated", Settings(leaves_per_tree=2), 80),
    "unobserved": (DOTS, None, "ucb1", "average", Settings(leaves_per_tree=5, in_flight="unobserved"), 60),
    "roots": (DOTS, None, "ucb1", "average", Settings(roots=3, leaves_per_tree=2), 90),
    "chance, depth_decayed": (DICE, None, "depth_decayed", "discounted", Settings(playouts_per_leaf=2), 60),
    "chance, threshold": (DICE, None, "sensei", "mix", THRESHOLD, 90),
    "whole path": (PATH, None, "ucb1", "minimax", Settings("whole_path", leaves_per_tree=2), 40),
    "the end of othello": (OTHELLO, LATE, "ucb1", "implicit_minimax", Settings(), 60),
    "whole games of othello": (OTHELLO, STARTS, "ucb1", "average", Settings(), 6),
    "minimax playouts": (DICE, None, "ucb1", "average", Settings(), 20),
    "uniform sampling": (DOTS, None, "uniform", "average", Settings("whole_path"), 12),
    "the root alone": (DICE, None, "boltzmann", "average", Settings("root"), 30),
    "rave": (DOTS, None, "rave", "discounted", Settings(leaves_per_tree=2, playouts_per_leaf=2), 30),
    "bounds, solved": (DUEL, None, "bast", "bast", Settings(solve=True), 60),
}
MORE: dict[str, Case] = {
    "leaves and playouts": (DOTS, None, "ucb1", "max", Settings(leaves_per_tree=3, playouts_per_leaf=2), 50),
    "rounds": (DOTS, None, "epsilon_greedy", "average_rounds", Settings(leaves_per_tree=2), 60),
    "variances, solved": (OTHELLO, LATE, "ucb1_tuned", "average_variance", Settings(solve=True, leaves_per_tree=2), 80),
    **{f"{o} on dots and boxes": (DOTS, None, "ucb1", o, Settings(), 30) for o in OPERATORS if o not in FIRST},
    **{f"{o} in a dice duel": (DICE, None, "ucb1", o, Settings(leaves_per_tree=2), 80) for o in OPERATORS},
    **{f"{o} on othello": (OTHELLO, LATE, "ucb1", o, Settings(), 40) for o in OPERATORS},
    **{
        f"{o} by {r}": (DOTS, None, r, o, Settings(), 30) for r in RULES if r != "ucb1" for o in OPERATORS if fits(o, r)
    },
}
# What the simulator runs. The others are cases of ``tests/ptx``, which executes their PTX, and a part of the pairs.
OFTEN = tuple(f"{o} on dots and boxes" for o in ("average", "accelerated", "minimax"))
PAIRS = tuple(case for case in MORE if " by " in case)


def searched(case: str, engine: Any) -> Any:
    """What a case finds."""
    game, states, rule, operator, settings, iterations = {**CASES, **MORE}[case]
    states = roots(game, TREES) if states is None else states
    policy = option("playout", "minimax")(depth=2) if case == "minimax playouts" else UNIFORM
    searcher = Searcher(game, policy, rule_of(rule), operator_of(operator), settings, engine=engine)
    return searcher.search(states, keys_for(len(states)), iterations)


def dots(trees: int = 5, iterations: int = 12, settings: Settings = Settings(), engine: Any = None, **more: Any) -> Any:
    """A search on dots and boxes, on the device unless an engine is named."""
    searcher = searcher_of(operator_of("average"), settings, DOTS, engine=engine or DeviceEngine())
    return searcher.search(roots(DOTS, trees), keys_for(trees), iterations, **more)


def played_on(engine: Any) -> list[str]:
    """Of a search that goes on from what an earlier one knows, after a move."""
    searcher = searcher_of(operator_of("accelerated"), Settings(reuse=True), DOTS, engine=engine)
    states, games = roots(DOTS, TREES), np.arange(TREES)
    first = searcher.search(states, keys_for(TREES), 40, games=games)
    states = searcher.rules.play(states, first.decide())
    return told(searcher.search(states, keys_for(TREES, seed=2), 20, games=games))


def told(found: Any) -> list[str]:
    """Of all nodes of all trees, where they are, and of the root tables: to the last bit."""
    trees = [digest(found)] if found.forest is not None else []
    return trees + [array.tobytes().hex() for array in found.table]


def followed(engine: Any) -> dict[str, list[str]]:
    """The root tables on the way of a search whose roots are shown, by iterations."""
    searcher, shown = searcher_of(operator_of("average"), Settings(leaves_per_tree=2), DOTS, engine=engine), {}

    def show(point: int, wave: slice, table: Any) -> None:
        shown[f"{point}, {wave.start} to {wave.stop}"] = [array.tobytes().hex() for array in table]

    searcher.follow(roots(DOTS, TREES), keys_for(TREES), [4, 16, 31], show)
    return shown


# ------------------------------------------------------------------------------------------------------- scarce memory


@contextlib.contextmanager
def holding(module: Any, **values: Any) -> Iterator[None]:
    """Names of a module with other values meanwhile."""
    kept = {name: getattr(module, name) for name in values}
    vars(module).update(values)
    try:
        yield
    finally:
        vars(module).update(kept)


@contextlib.contextmanager
def device_with(trees: float, told_bytes: int | None = None) -> Iterator[io.StringIO]:
    """A device where so many trees of ``dots`` fit, which says it has ``told_bytes`` free; yields what is printed."""
    searcher = searcher_of(operator_of("average"), Settings(), DOTS, engine=DeviceEngine())
    size = searcher.parts.memory.slots(12) * bytes_per_slot(Layout(1, DOTS.MAX_MOVES)) + device_search.extra_tree_bytes(
        searcher.parts
    )
    memory, printed = int(trees * size), io.StringIO()
    answer = told_bytes or int(memory / tree_memory.SHARE_OF_DEVICE) + 1
    with (
        holding(simulated_memory, SIMULATED_MEMORY=memory),
        holding(device, free_memory=lambda: answer),
        contextlib.redirect_stderr(printed),
    ):
        yield printed


def growing() -> dict[str, Any]:
    """A search that starts with no room for nodes, with memory for its growth and without."""
    done: list[int] = []
    with holding(tree_memory, SLOTS_PER_NODE=0.0):
        grown = told(dots(4, 120, on_progress=done.append))
    with holding(tree_memory, SLOTS_PER_NODE=0.0), device_with(6, told_bytes=1 << 30) as printed:
        again: list[int] = []
        halved = told(dots(4, 120, on_progress=again.append))
    return {"grown": grown, "halved": halved, "done": sum(done), "again": sum(again), "printed": printed.getvalue()}


def failing() -> dict[str, Any]:
    """Searches for which memory is scarce: foreseen, unforeseen, and not enough for a single tree."""
    with holding(tree_memory, SLOTS_PER_NODE=3.0):  # so that no forest grows
        return _failing()


def _failing() -> dict[str, Any]:
    with device_with(2.5) as printed:
        foreseen = told(dots())
        quiet = printed.getvalue()
    with device_with(2.5, told_bytes=1 << 30) as printed:
        done: list[int] = []
        unforeseen = told(dots(on_progress=done.append))
    with device_with(0.5, told_bytes=1 << 30):
        single = _error_of(lambda: dots(trees=1))
    with device_with(0.5):
        refused = _error_of(lambda: dots(trees=1))
    return {
        "foreseen": foreseen,
        "quiet": quiet,
        "unforeseen": unforeseen,
        "printed": printed.getvalue(),
        "done": sum(done),
        "single": single,
        "refused": refused,
    }


def _error_of(action: Callable[[], Any]) -> str:
    try:
        action()
    except BadInput as error:
        return str(error)
    return ""


def stopped() -> dict[str, Any]:
    """Progress of a search that is stopped when it first tells of some, and what became of it."""
    done, stop = [], threading.Event()

    def stop_soon(iterations: int) -> None:
        done.append(iterations)
        stop.set()

    try:
        dots(5, 1_000_000, stop=stop, on_progress=stop_soon)
    except KeyboardInterrupt:
        return {"done": done, "end": "stopped"}
    return {"done": done, "end": "finished"}


def paced() -> list[int]:
    """Launches of searches of one searcher, one after the other, the last of twice as many trees."""
    searcher = searcher_of(operator_of("average"), Settings(), DOTS, engine=DeviceEngine())
    launches = []
    with (
        holding(call_size, SECONDS_A_CALL=1e9),
        holding(tree_memory, SLOTS_PER_NODE=3.0),
    ):  # so that no forest grows
        for trees, iterations in ((1, 20), (1, 20), (2, 45)):
            searcher.device_kernel.spans = []
            searcher.search(roots(DOTS, trees), keys_for(trees), iterations)
            launches.append(len(searcher.device_kernel.spans))
            searcher.device_kernel.pace = trees, min(searcher.device_kernel.pace[1], 80)
    return launches


def brought_back(engine: Any = None) -> list[bool]:
    """Whether the trees come back: of one tree, and of two, where neither is small."""
    with holding(device_search, MAX_FETCHED_BYTES=0):
        return [dots(trees, 3, engine=engine).forest is not None for trees in (1, 2)]


def main(more: bool) -> None:
    """All of it as JSON, or ``more``, which are PAIRS."""
    engines.resolve("cudasim")
    found: dict[str, Any] = {case: told(searched(case, DeviceEngine())) for case in (PAIRS if more else OFTEN)}
    if more:
        print(json.dumps(found))
        return
    found["reuse"], found["followed"] = played_on(DeviceEngine()), followed(DeviceEngine())
    with holding(device_search, MAX_FETCHED_BYTES=0):
        found["left on the device"] = told(dots())
    found.update(paced=paced(), brought_back=brought_back(), times=dots().times._asdict())
    found.update(growing=growing(), failing=failing(), stopped=stopped(), by_name=_error_of(_by_name))
    print(json.dumps(found))


def _by_name() -> None:
    searcher_of(operator_of("average"), engine="device")


if __name__ == "__main__":
    main(more="more" in sys.argv)
