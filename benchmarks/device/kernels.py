"""The kernels that tests and suites want, compiled beforehand on all cores, with the registers of what will run.

    python -m benchmarks.device.kernels SIZES NUMBER/OF FILE

compiles every OF-th of them, from NUMBER on, into the compile cache, and writes a line of JSON for each to FILE.
"""

import json
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.device import sizes
from benchmarks.device.sizes import Sizes
from gpumcts import options
from gpumcts.kernels import compile_check
from gpumcts.tree import device_check


def game_and_policy(game: str, policy: str) -> tuple[Any, Any]:
    """Option values of ``go`` and ``minimax:depth=2``."""
    name, *words = policy.split(":")
    fields = {key: int(value) for key, value in (word.split("=") for word in words)}
    return options.option("game", game)(), options.option("playout", name)(**fields)


def wanted(chosen: Sizes) -> Iterator[tuple[str, Callable[[], dict[str, Any]]]]:
    """Names of kernels, and what compiles each and tells of it; those that take longest first."""
    for name in device_check.names()[: chosen.searches_first]:
        yield f"search {name}", lambda name=name: search(name)
    for name in chosen.searches:
        for cap in chosen.caps:
            yield f"search {name}, cap {cap}", lambda name=name, cap=cap: search(name, cap)
    for name, _, game, policy in compile_check.kernels(chosen.games):
        yield name, lambda way=name.rpartition(" ")[2], game=game, policy=policy: playouts(game, policy, way)
    for game, policy in chosen.cells:
        values = game_and_policy(game, policy)
        for way in ways_of(*values):
            yield f"{game}, {policy}, {way}", lambda way=way, values=values: playouts(*values, way)


def ways_of(game: Any, policy: Any) -> list[str]:
    """The ways to play a policy on a game (option values)."""
    from gpumcts.kernels.cuda.searches import ways

    return list(ways(options.compiled(game), options.compiled(policy)))


def playouts(game: Any, policy: Any, way: str) -> dict[str, Any]:
    """Compile a playout kernel, or load it: its shape."""
    from gpumcts.kernels.cuda.engine import CudaPlayouts

    return CudaPlayouts(game, policy, way).shape._asdict()


def search(name: str, cap: int = 0) -> dict[str, Any]:
    """Compile the kernel of a whole search with a cap on its registers, or none."""
    from gpumcts.kernels.cuda.each import ForEachKernel
    from gpumcts.tree.device_search import search_tree

    return ForEachKernel(
        search_tree, device_check.task(name), f"CUDA search: {name}", registers=cap or None
    ).shape._asdict()


def main(size: str, share: str, file: Path) -> None:
    """Compile a share; a kernel that fails says so in its line and costs no other."""
    number, of = map(int, share.split("/"))
    kernels = list(wanted(sizes.NAMED[size]))[number::of]
    with file.open("a", encoding="utf-8") as lines:
        for name, compile_it in kernels:
            begin = time.monotonic()
            try:
                told = compile_it()
            except Exception as error:  # whatever it is, the next kernel may do
                told = {"error": f"{type(error).__name__}: {error}".splitlines()[0]}
            lines.write(json.dumps({"kernel": name, "seconds": time.monotonic() - begin, **told}) + "\n")
            lines.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], Path(sys.argv[3]))
