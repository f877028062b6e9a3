"""One kernel of a kind at work on a few leaves, its outcomes compared with the CPU's: what tools look at.

python -m benchmarks.device.exercise KIND LEAVES FILE
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.device.kernels import game_and_policy
from benchmarks.ours import keys
from gpumcts.kernels.batch import Rules

KINDS = {  # game, policy, way; or the engine of a search
    "uniform": ("othello", "uniform", "nested"),
    "whole": ("go", "uniform", "whole"),
    "thread": ("othello", "minimax:depth=2", "thread"),
    "warp": ("othello", "minimax:depth=2", "warp"),
    "go": ("go", "uniform", "nested"),
    "attempts": ("go", "uniform", "attempts"),
    "search": ("dots_and_boxes", "uniform", "device"),
    "graphs": ("dots_and_boxes", "uniform", "cuda"),
}


def play(kind: str, leaves: int) -> None:
    """Play by the kernel; RuntimeError where its outcomes are not the CPU's."""
    game_name, policy_name, way = KINDS[kind]
    game, policy = game_and_policy(game_name, policy_name)
    states, leaf_keys = Rules(game).starts(leaves), keys(leaves)
    if way in ("device", "cuda"):
        equal = _searched_alike(game, policy, states, leaf_keys, way)
    else:
        from gpumcts.kernels.cpu import CpuPlayouts
        from gpumcts.kernels.cuda.engine import CudaPlayouts

        engines = CudaPlayouts(game, policy, way), CpuPlayouts(game, policy)
        equal = all(_alike(*(engine.tally(states, leaf_keys, playouts) for engine in engines)) for playouts in (1, 3))
    if not equal:
        raise RuntimeError(f"{kind}: the outcomes are not those of the CPU")


def _alike(ours: Any, theirs: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(ours, theirs, strict=True))


def _searched_alike(game, policy, states, tree_keys, engine: str) -> bool:
    from gpumcts.options import option
    from gpumcts.tree.search import Searcher
    from gpumcts.tree.settings import Settings

    parts = option("selection", "ucb1")(), option("backup", "average")(), Settings()
    tables = [
        Searcher(game, policy, *parts, engine=name).search(states, tree_keys, 20).table for name in (engine, "cpu")
    ]
    return _alike(*tables)


if __name__ == "__main__":
    play(sys.argv[1], int(sys.argv[2]))
    Path(sys.argv[3]).write_text("{}\n", "utf-8")
