"""Whether the step of a playout became vector code on the CPU."""

import functools
import re
from collections.abc import Callable
from typing import Any

from llvmlite.binding import get_host_cpu_features
from numba import njit

from gpumcts.kernels.cpu import evaluate_signature
from gpumcts.kernels.playout_loop import LANE_COUNT, playing_in_lanes
from gpumcts.verbs import JIT_OPTIONS

WIDE = re.compile(r"^\s+vp(?:s[lr]lv?q|and\w*|or\w*|xor\w*|ternlog\w*|addq|subq)\s.*%[yz]mm", re.MULTILINE)
MIN_WIDE_OPERATIONS = 20
"""Operations that a step in vector code has at least; what is around it has fewer."""


def has_vectors() -> bool:
    """Whether this CPU has registers whose use is looked for: AVX2."""
    return bool(get_host_cpu_features().get("avx2"))


def machine_code(function: Callable, game: Any, policy: Any) -> str:
    """The machine code of an evaluation step, as ``jit.separate`` compiles it, but not from the cache.

    game, policy : as they travel into compiled code
    """
    signature = evaluate_signature(game, policy)
    compiled = njit(**JIT_OPTIONS)(function)
    compiled.compile(signature)
    return compiled.inspect_asm(signature.args)


def wide_operations(game: Any, policy: Any, lanes: int = LANE_COUNT) -> int:
    """Shifts, logic and sums of several 64-bit words at once in the machine code of playouts in lanes.

    game, policy : as they travel into compiled code
    """
    return len(WIDE.findall(machine_code(playing_in_lanes(lanes), game, policy)))


@functools.lru_cache(maxsize=None, typed=True)  # options of two classes may be equal as tuples
def is_vectorised(game: Any, policy: Any) -> bool | None:
    """Whether the step is; None where this CPU cannot tell."""
    return wide_operations(game, policy) > MIN_WIDE_OPERATIONS if has_vectors() else None
