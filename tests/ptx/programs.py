"""What the small programs of ``planted`` share: their names, and an array of words that a kernel works on."""

from collections.abc import Callable
from typing import Any

from tests.ptx.bare import Kernel, Memory, written

PROGRAMS: dict[str, Callable[[], Any]] = {}
MINE = "shl.b64 %rd17, %rd18, 3; add.s64 %rd2, %rd1, %rd17;"  # %rd2 is the address of the thread's own word


def program(function: Callable[[], Any]) -> Callable[[], Any]:
    """Enter a program under its name."""
    PROGRAMS[function.__name__] = function
    return function


def on_words(body: str, threads: int = 32, blocks: int = 1, words: Any = 64, before: str = "") -> list[int]:
    """What a kernel makes of an array of words, 0 to 63 unless others are given."""
    memory = Memory(range(words) if isinstance(words, int) else words)
    Kernel(written(body, before=before))(blocks, threads, memory.address)
    return memory.values().tolist()
