"""Playouts and searches of this checkout beside those of another one, such as an earlier commit.

Two processes take turns of some hundredths of a second, so that a machine whose speed drifts is as fast for both. The
same code can be some per cent faster in one process than in the next, at times ten, so a figure is the median over
several pairs of new processes, beside the least and the greatest of them.
"""

import json
import os
import statistics
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import gpumcts
from benchmarks import playouts, search
from benchmarks.measure import Bench, Row, row_of
from benchmarks.ours import own_policies
from benchmarks.peers.answering import talking
from gpumcts.errors import BadInput
from gpumcts.kernels.playout_loop import LANE_COUNT
from gpumcts.options import as_json, compiled, names
from gpumcts.playouts.contract import has_whole_playout
from gpumcts.playouts.uniform import Uniform

TURN, ROW = 0.025, 2.0  # seconds of a turn, and of a row in a pair of processes, about
MIN_TURNS, MAX_TURNS = 4, 40
MIN_COUNT = LANE_COUNT  # playouts or trees of a turn: fewer leave lanes empty
ITERATIONS = 500
PROCESS = Path(__file__).with_name("beside_process.py")
HERE = Path(gpumcts.__file__).parent.parent
UNIT = "times the other"
Ask = Callable[[str], str]


class Work(NamedTuple):
    """Something that both checkouts are asked to do; options are names and parameters.

    operator : of the search; None for playouts alone
    one_by_one : playouts that do not share lanes
    """

    what: str
    policy: tuple[str, dict[str, Any]] = ("uniform", {})
    operator: tuple[str, dict[str, Any]] | None = None
    rule: tuple[str, dict[str, Any]] = ("ucb1", {})
    one_by_one: bool = False
    iterations: int = ITERATIONS


def there(game: Any, on_cpu: bool) -> list[str]:
    """What the suite compares: that of ``playouts`` and of ``search``, by name."""
    return list(dict.fromkeys([*playouts.there(game, on_cpu), *search.there(game, on_cpu)]))


def suite(bench: Bench) -> Iterator[Row]:
    """How many times as fast as the other checkout this one is, one thread, by what both have.

    A row is the median of ``repeats`` pairs of processes, the least and the greatest of these.
    """
    works = works_of(bench)
    found: dict[str, list[float]] = {work.what: [] for work in works}
    for _ in range(bench.repeats):
        with _process(bench, HERE, works) as ours, _process(bench, bench.checkout or HERE, works) as theirs:
            for number, work in enumerate(works):
                found[work.what] += ratio_of(number, ours, theirs)
    if not any(found.values()):
        raise BadInput(f"checkout={bench.checkout}: it has nothing of what game={bench.game_name} needs")
    if lacking := [what for what, ratios in found.items() if not ratios]:
        bench.say(f"checkout={bench.checkout}: it has nothing of: {', '.join(lacking)}; left out")
    for what, ratios in found.items():
        if ratios:
            yield row_of("beside", what, UNIT, ratios, at={"checkout": str(bench.checkout)})


def works_of(bench: Bench) -> list[Work]:
    """The works of the suite on a game: playouts of each policy, searches with each operator and with RAVE."""
    wanted = [name for name in there(bench.game, on_cpu=True) if bench.wants(name)]
    policies, operators = own_policies(bench.game), names("backup")
    found = [Work("uniform playouts")] if "uniform" in wanted else []
    if "uniform" in wanted and not has_whole_playout(Uniform(), compiled(bench.game)):
        found.append(Work("uniform playouts, one by one", one_by_one=True))
    found += [Work(f"{name} playouts", (name, {})) for name in policies if name in wanted]
    if "minimax" in playouts.there(bench.game, on_cpu=True) and bench.wants("minimax"):
        found += [Work(f"minimax playouts, depth {d}", ("minimax", {"depth": d})) for d in playouts.INFORMED]
    found += [Work(f"UCT, {name}", operator=(name, {})) for name in operators if name in wanted]
    average = ("average", {})
    found += [Work(f"UCT, average, {name} playouts", (name, {}), average) for name in policies if name in wanted]
    return found + ([Work("UCT, average, rave", operator=average, rule=("rave", {}))] if "rave" in wanted else [])


def ratio_of(number: int, ours: Ask, theirs: Ask) -> list[float]:
    """The median ratio of rates in turns of work ``number``: one value, none where they have not the work."""
    if theirs(f"{number} 1 0") == "-":
        return []
    count = _filling(number, ours)
    seconds = float(ours(f"{number} {count} 0"))
    turns = min(max(MIN_TURNS, int(ROW / (2 * seconds))), MAX_TURNS)
    ratios = []
    for turn in range(turns):
        line = f"{number} {count} {turn}"  # the same playouts for both, others in each turn
        taken = {ask: float(ask(line)) for ask in ((ours, theirs) if turn % 2 else (theirs, ours))}
        ratios.append(taken[theirs] / taken[ours])
    return [statistics.median(ratios)]


def _filling(number: int, ask: Ask) -> int:
    """As many playouts or trees as take about ``TURN`` seconds, at least ``MIN_COUNT``."""
    count = MIN_COUNT
    while (seconds := float(ask(f"{number} {count} 0"))) < TURN / 2:
        count *= 2
    return max(MIN_COUNT, int(count * TURN / seconds))


def _process(bench: Bench, folder: Path, works: list[Work]) -> AbstractContextManager[Ask]:
    # The other checkout has its own defaults, and may lack a field that stands at its default here.
    defaults = type(bench.game)._field_defaults
    changed = {key: value for key, value in bench.game._asdict().items() if value != defaults.get(key)}
    game = [bench.game_name, as_json(changed)]
    arguments = ["-P", str(PROCESS), str(folder), json.dumps(game), json.dumps([work._asdict() for work in works])]
    paths = [str(folder), *filter(None, [os.environ.get("PYTHONPATH")])]
    return talking(f"checkout={folder}", arguments, os.environ | {"PYTHONPATH": os.pathsep.join(paths)})
