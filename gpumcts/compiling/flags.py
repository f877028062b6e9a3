"""Numba's options for what compiled code calls."""

from typing import Any

# Without forced inlining calls stay in the playout loop, and LLVM does not vectorise a loop with calls. Without
# ``_nrt`` numba counts no references: it would, with atomic instructions, for every array that goes through a function,
# even an inlined one, and LLVM takes the pairs out of straight code alone, not out of loops. Such code borrows the
# arrays it is given; it can make views of them, but no array of its own (see ``scratch``). Compiled code alone
# calls it, so numba leaves out its wrapper for C: an eighth of all compile time.
JIT_OPTIONS: Any = {"forceinline": True, "error_model": "numpy", "_nrt": False, "no_cfunc_wrapper": True}
