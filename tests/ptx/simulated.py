"""A case of ``playout_cases`` or ``search_cases`` in numba's simulator, as far as that runs it: for ``kernel_faults``.

    python -m tests.ptx.simulated CASE

A warp has 4 lanes there and a launch 2 blocks; arrays are NumPy's. Leaves are few, since it is slow.
"""

import sys

from gpumcts.kernels import engines
from gpumcts.options import compiled

LEAVES, PLAYOUTS, ITERATIONS, TREES = 9, 3, 20, 5


def main() -> None:
    """Print a digest of what the simulator finds."""
    engines.resolve("cudasim")
    sys.setswitchinterval(1e-4)  # its threads wait for each other all the time
    from tests.ptx import playout_cases, search_cases
    from tests.tree import simulated_device

    name = sys.argv[1]
    for row in playout_cases.rows():
        if str(row) == name:
            return print(_playouts(row))
    if name.startswith("driver: Forests"):
        return print(simulated_device.growing()["grown"])
    for search in search_cases.searches():
        if str(search) == name:
            return print(_search(search))
    raise SystemExit(f"error: no case is called {name!r}")


def _playouts(row) -> str:
    from gpumcts.kernels.cuda.engine import CudaPlayouts
    from tests.kernels.drivers import digest, keys_for, positions

    engine = CudaPlayouts(row.game, row.policy, row.way)
    return digest(engine.tally(positions(compiled(row.game), LEAVES), keys_for(LEAVES), PLAYOUTS))


def _search(search) -> list[str]:
    from gpumcts.tree.device_search import DeviceEngine
    from tests.tree.drivers import TOY_GAMES, keys_for, operator_of, rule_of, searcher_of
    from tests.tree.simulated_device import told
    from tests.tree.simulated_searches import roots
    from tests.tree.test_device_playouts import SETTINGS

    game = TOY_GAMES[search.game]
    rule, operator = rule_of(search.rule), operator_of(search.operator)
    searcher = searcher_of(operator, SETTINGS[search.settings], game, rule, engine=DeviceEngine())
    return told(searcher.search(roots(game, TREES), keys_for(TREES), ITERATIONS))


if __name__ == "__main__":
    main()
