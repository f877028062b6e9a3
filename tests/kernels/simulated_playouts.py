"""Playouts in Numba's simulator, which must be on before CUDA is imported: run in a process of its own, prints JSON."""

import json
import sys

import numpy as np

from gpumcts.kernels import engines
from tests.kernels.drivers import GAMES, PAIRS, POLICIES, digest, keys_for, positions

SHAPES = {
    "uniform": (12, 3),
    "minimax 2": (2, 2),
    "minimax 3, 4 plies": (2, 1),
    "go": (2, 1),
}  # leaves, playouts of each
LATE = {"othello": 46, "amazons": 36}
QUICK = ("othello", "dots_and_boxes", "dice_duel", "shortest_path")  # another game takes half a minute
MORE_SHAPES = [(1, 1), (1, 2), (3, 1), (5, 31), (2, 32), (3, 33), (1, 64), (1, 1000), (77, 1)]  # of cheap playouts
SPARE = 7  # simulated warps beyond those that have something to do


def batch(game: str, policy: str) -> tuple:
    """(states, keys, playouts) that a simulator, a million times slower than a device, gets through."""
    leaves, playouts = SHAPES.get(policy, (5, 2))
    return positions(GAMES[game], leaves, least=LATE.get(game, 0)), keys_for(leaves), playouts


def shaped(leaves: int, playouts: int) -> tuple:
    """A batch of many playouts that are short."""
    return positions(GAMES["dice_duel"], leaves, least=16), keys_for(leaves), playouts


def main() -> None:
    """Digests by game, policy and kernel, of batches of all shapes, and of one batch cut in different ways."""
    engines.resolve("cudasim")
    sys.setswitchinterval(1e-4)  # simulated threads wait for each other all the time
    from gpumcts.kernels.cuda.engine import CudaPlayouts
    from gpumcts.kernels.cuda.searches import ways

    told = {}
    for game, policy in ((g, p) for g, p in PAIRS if g in QUICK):
        usual = engines.playout_engine("cudasim", GAMES[game], POLICIES[policy])
        for way in ways(usual.game, usual.policy):
            engine = CudaPlayouts(GAMES[game], POLICIES[policy], way)
            told[f"{game}, {policy}, {way}"] = digest(engine.tally(*batch(game, policy)))
    print(json.dumps(told | _shapes_and_cuts()))


def _shapes_and_cuts() -> dict:
    told = {}
    for policy in ("uniform", "minimax 1"):
        engine = engines.playout_engine("cudasim", GAMES["dice_duel"], POLICIES[policy])
        for shape in MORE_SHAPES if policy == "uniform" else MORE_SHAPES[:4]:
            told[f"{policy}, {shape}"] = digest(engine.tally(*shaped(*shape)))
    told["launches of 8"] = digest(_cut(playouts_a_launch=8))
    told["launches of 29"] = digest(_cut(playouts_a_launch=29))
    told["batches of 5"] = digest(_cut(leaves_a_batch=5))
    told["many warps"] = digest(_cut(blocks=36 // 4 + SPARE))
    told["spans"] = _spans()
    told["warp of 32"] = _warp_of_32()
    told["seconds"] = _release()
    return told


def _cut(playouts_a_launch: int | None = None, leaves_a_batch: int = 1 << 18, blocks: int = 2):
    from gpumcts.kernels.cuda import engine as cuda

    cuda.LEAVES_A_BATCH = leaves_a_batch
    engine = engines.playout_engine("cudasim", GAMES["othello"], POLICIES["uniform"])
    engine.took = lambda playouts, begin, end: None
    engine.shape = engine.shape._replace(blocks=blocks)
    engine.playouts_a_launch = playouts_a_launch or 1000
    return engine.tally(*batch("othello", "uniform"))


def _spans() -> list:
    """When the device was busy with three batches, of an engine that is watched and of one that is not any more."""
    engine = engines.playout_engine("cudasim", GAMES["dice_duel"], POLICIES["uniform"])
    engine.tally(*shaped(1, 1))
    engine.watch()
    for _ in range(3):
        engine.tally(*shaped(1, 1))
    return engine.spans


def _warp_of_32() -> dict:
    """Votes, ranks and sums of a simulated warp as large as a real one; lane i has key i % 3, or i if it is alone."""
    from numba import cuda

    from gpumcts.kernels.cuda import warp

    warp.WARP, warp._told = 32, [0] * 32
    told = {"ranks": np.zeros(32, np.int64), "sums": np.zeros((32, 2), np.int64), "alone": np.zeros((32, 2), np.int64)}

    def kernel(ranks, sums, alone):
        lane = int(warp.lane())
        same = warp.peers(lane % 3)
        ranks[lane] = warp.rank(same)
        sums[lane] = warp.sums(same, np.int64(lane), np.int64(-(lane**2)))
        alone[lane] = warp.sums(warp.peers(lane), np.int64(lane), np.int64(1))

    cuda.jit(kernel)[1, 32](*told.values())
    return {name: array.tolist() for name, array in told.items()}


def _release() -> str:
    from gpumcts.kernels.cuda import device

    device.release()
    return "released"


if __name__ == "__main__":
    main()
