"""What differs for code that runs uncompiled, under ``NUMBA_DISABLE_JIT=1``."""

import warnings

import numba


def is_uncompiled() -> bool:
    """Whether everything runs in plain Python. No body has types then."""
    return bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]


def let_words_wrap() -> None:
    """Keep NumPy quiet about words that wrap around, where nothing is compiled: bitboards and generators mean them to.

    Compiled code says nothing either. A filter holds in every thread, as ``numpy.errstate`` does not.
    """
    if is_uncompiled():
        warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)
