"""Playouts in Numba's simulator, which must be on before CUDA is imported: run in a process of its own, prints JSON."""

import json

from gpumcts.kernels import engines
from tests.kernels.drivers import GAMES, POLICIES, digest, keys_for, positions

SHAPES = {"uniform": (12, 3), "minimax 2": (2, 2), "minimax 3, 4 plies": (2, 1)}  # leaves, playouts of each
LATE = {"othello": 46}


def batch(game: str, policy: str) -> tuple:
    """(states, keys, playouts) that a simulator, a million times slower than a device, gets through."""
    leaves, playouts = SHAPES.get(policy, (5, 2))
    return positions(GAMES[game], leaves, least=LATE.get(game, 0)), keys_for(leaves), playouts


def main() -> None:
    """Digests by game and policy, and those of one batch cut in different ways."""
    told = {}
    for game, policy in ((g, p) for g in GAMES for p in POLICIES):
        engine = engines.playout_engine("cudasim", GAMES[game], POLICIES[policy])
        told[f"{game}, {policy}"] = digest(engine.tally(*batch(game, policy)))
    told["launches of 8"] = digest(_cut(playouts_a_launch=8))
    told["launches of 29"] = digest(_cut(playouts_a_launch=29))
    told["flights of 5"] = digest(_cut(leaves_a_flight=5))
    told["seconds"] = _release()
    print(json.dumps(told))


def _cut(playouts_a_launch: int | None = None, leaves_a_flight: int = 1 << 18):
    from gpumcts.kernels import cuda

    cuda.LEAVES_A_FLIGHT = leaves_a_flight
    engine = engines.playout_engine("cudasim", GAMES["othello"], POLICIES["uniform"])
    engine.took = lambda playouts, seconds: None
    engine.playouts_a_launch = playouts_a_launch or engine.playouts_a_launch
    return engine.tally(*batch("othello", "uniform"))


def _release() -> str:
    from gpumcts.kernels import device

    device.release()
    return "released"


if __name__ == "__main__":
    main()
