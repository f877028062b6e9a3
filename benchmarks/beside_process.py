"""``python -P beside_process.py FOLDER GAME WORK``: playouts and searches of the checkout in FOLDER, as asked for.

GAME and WORK are JSON: a game's name and parameters, and a list of ``benchmarks.beside.Work``. Each line read holds the
number of a work, how many playouts or trees, and their seed; the answer is the seconds that these took, or ``-`` where
this checkout has not what the work needs.

The other checkout runs this file, too. It takes from ``gpumcts`` what every version of it has.
"""

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Run = Callable[[int, int], Any]


def option_of(kind: str, given: list[Any]) -> Any:
    """The option of a name and its parameters."""
    from gpumcts.options import option

    name, parameters = given
    return option(kind, name)(**parameters)


def run_of(game: Any, work: dict[str, Any]) -> Run:
    """So many playouts from the start of the game under a seed, or searches of so many trees there; on one thread."""
    from gpumcts.kernels.batch import Rules
    from gpumcts.kernels.cpu import CpuPlayouts
    from gpumcts.tree.search import Searcher

    policy, rules = option_of("playout", work["policy"]), Rules(game)

    def begin(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
        return rules.starts(count), np.random.default_rng(seed).integers(0, 1 << 64, count, np.uint64)

    if work["operator"] is None:
        engine = CpuPlayouts(game, policy, 1, **({"lanes": 1} if work["one_by_one"] else {}))
        return lambda count, seed: engine.tally(*begin(count, seed))
    rule, operator = option_of("selection", work["rule"]), option_of("backup", work["operator"])
    searcher = Searcher(game, policy, rule, operator, engine="cpu", threads=1)
    return lambda count, seed: searcher.search(*begin(count, seed), work["iterations"])


def runs_of(game: list[Any], works: list[dict[str, Any]]) -> list[Run | None]:
    """All works, compiled; None for those that need what this checkout has not."""
    from gpumcts.errors import BadInput

    found: list[Run | None] = []
    for work in works:
        try:
            run = run_of(option_of("game", game), work)
            run(1, 0)
        except (BadInput, TypeError):  # an option of another name, or of other parameters
            found.append(None)
        else:
            found.append(run)
    return found


def main(folder: str, game: str, works: str) -> None:
    """Answer until there is no more to read."""
    import gpumcts

    if Path(folder) not in Path(gpumcts.__file__).parents:
        sys.exit(f"gpumcts was imported from {Path(gpumcts.__file__).parent}")
    runs = runs_of(json.loads(game), json.loads(works))
    for line in sys.stdin:
        number, count, seed = map(int, line.split())
        run = runs[number]
        if run is None:
            print("-", flush=True)
            continue
        before = time.perf_counter()
        run(count, seed)
        print(time.perf_counter() - before, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
