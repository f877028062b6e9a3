"""How long a device was at work, by the spans that an engine notes while it is watched (``CudaPlayouts.watch``)."""

from collections.abc import Iterable, Sequence
from typing import Any


class Busy:
    """What engines do from now on; those that cannot be watched do not count."""

    def __init__(self, engines: Iterable[Any]) -> None:
        self._engines = [engine for engine in engines if hasattr(engine, "watch")]
        for engine in self._engines:
            engine.watch()

    def seconds(self) -> float | None:
        """Seconds in which at least one kernel of an engine ran, engines taken by turns; None where none tells."""
        if not self._engines:
            return None
        return sum(union(engine.spans) for engine in self._engines)


def union(intervals: Sequence[tuple[float, float]]) -> float:
    """Length of the union of intervals (begin, end)."""
    total, reached = 0.0, float("-inf")
    for begin, end in sorted(intervals):
        total += max(0.0, end - max(begin, reached))
        reached = max(reached, end)
    return total
