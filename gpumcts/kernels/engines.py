"""Engines by name: what runs the playouts. Importing this loads no CUDA; asking for an engine does."""

import functools
import sys
from importlib import metadata
from typing import Any

import numba

from gpumcts.errors import BadInput
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.crossover import Crossover
from gpumcts.kernels.cuda import device
from gpumcts.kernels.playout_engine import PlayoutEngine

NAMES = ("auto", "cpu", "cuda", "device", "cudasim")
MAX_COPIERS = 4  # threads that move batches into pinned memory: more wait for the host's memory
PACKAGES = ("numba", "numba-cuda", "cupy-cuda12x", "cupy-cuda13x", "cuda-bindings", "nvidia-nvvm", "nvidia-nvjitlink")


def playout_engine(name: str, game: Any, policy: Any, threads: int = 1) -> PlayoutEngine:
    """The engine ``name`` for a game and a playout policy (option values).

    ``auto`` is CUDA if a device can be used, else the CPU on ``threads`` threads (searches with ``auto`` go by
    ``crossover``); ``device``, which tells where trees grow, is CUDA. Raises BadInput for an unknown name, and for CUDA
    where no device can be used.
    """
    resolved = resolve(name)
    if resolved == "cpu":
        return CpuPlayouts(game, policy, threads)
    from gpumcts.kernels.cuda.engine import CudaPlayouts

    return CudaPlayouts(game, policy, cores=min(threads, MAX_COPIERS))


def resolve(name: str) -> str:
    """``cpu``, ``cuda``, ``device`` or ``cudasim`` for an engine's name, ``auto`` decided; BadInput if unavailable."""
    if name not in NAMES:
        raise BadInput(f"engine={name}: there are {', '.join(NAMES)}")
    if name == "cudasim":
        _simulate()
    if name in ("cuda", "device") and (problem := cuda_problem()):
        raise BadInput(f"engine={name}: {problem}; engine=cpu works without a GPU")
    if name == "auto":
        return _automatic()
    return name


def crossover(name: str, game: Any, policy: Any, threads: int) -> Crossover | None:
    """What ``engine=auto`` goes by from search to search; None for other engines, and where there is but the CPU.

    A device that the driver shows is not tried before it is to play: CUDA's imports and a first kernel take a second.
    None where it was tried before, and does not work.
    """
    if name != "auto":
        return None
    if _known_problem():
        resolve(name)  # says why, where there is a device
        return None
    return Crossover(game, policy, threads)


def _known_problem() -> bool:
    """Whether it is known by now that CUDA cannot be used, without a first kernel for it."""
    if device.simulated() or device.lost() or device.describe().problem:
        return True
    kernels = sys.modules.get("gpumcts.kernels.cuda.kernels")
    return kernels is not None and kernels.is_tried() and bool(cuda_problem())


def _automatic() -> str:
    found, problem = device.describe(), cuda_problem()
    if found.name and problem and not device.simulated():
        _say_once(f"gpumcts: engine=auto takes the CPU: {found.name} cannot be used: {problem}")
    return "cpu" if problem else "cuda"


@functools.cache
def _say_once(text: str) -> None:
    """A line on stderr, once in a process: a run asks for its engine several times."""
    print(text, file=sys.stderr)


def _simulate() -> None:
    """Switch Numba's simulator on for this process."""
    if not device.simulated() and "numba.cuda" in sys.modules:
        raise BadInput("engine=cudasim: CUDA is in use in this process already; the simulator needs one of its own")
    numba.config.ENABLE_CUDASIM = 1  # type: ignore[attr-defined]


def cuda_problem() -> str:
    """What keeps CUDA from being used, on one line; empty if nothing does, a first kernel included."""
    if device.simulated():
        return "the simulator is on in this process"
    if problem := device.lost():
        return problem
    if problem := device.describe().problem:
        return problem
    from gpumcts.kernels.cuda.kernels import trial

    return trial()


def available() -> dict[str, Any]:
    """What there is, for people: what ``device.describe`` tells, ``cuda`` (usable), ``problem``, ``packages``."""
    problem = cuda_problem()
    return {**device.describe()._asdict(), "cuda": not problem, "problem": problem, "packages": packages()}


def packages() -> dict[str, str]:
    """Versions of the packages that decide what a device does, of those that are installed."""
    found = {}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found
