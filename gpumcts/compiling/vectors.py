"""The width of vectors in compiled code: 512 bits on processors that lose nothing by it.

LLVM takes vectors of 256 bits even where registers hold 512, since early processors with AVX-512 lowered their clock
for the wider ones. Those that came later hardly do. They are known by an instruction that counts the bits of a whole
vector (AVX-512 VPOPCNTDQ: Intel from Ice Lake on, AMD from Zen 4 on).
"""

from typing import Any

import numba
from llvmlite.binding import get_host_cpu_features

NO_LOSS = "avx512vpopcntdq"
WIDE = "-prefer-256-bit"


def prefer_widest() -> None:
    """Have numba compile for 512 bits where that is no loss, before it makes its target for the processor.

    What NUMBA_CPU_NAME, NUMBA_CPU_FEATURES, NUMBA_ENABLE_AVX or ``numba.config`` say of the target is left as it is.
    """
    config: Any = numba.config  # type: ignore[attr-defined]
    if config.CPU_NAME is not None or config.CPU_FEATURES is not None or not config.ENABLE_AVX:
        return
    try:
        features = get_host_cpu_features()
    except RuntimeError:  # LLVM does not know this processor
        return
    if features.get(NO_LOSS):
        config.CPU_FEATURES = f"{features.flatten()},{WIDE}"
