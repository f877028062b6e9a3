"""Two batches of a tree in flight against one, with ``engine=cuda``: rates, the device's share, the host's time a leaf.

By it one sees from which leaves a batch L and playouts a leaf P on the second batch keeps the device busy
(``search.batches_in_flight``, docs/many_leaves.md).
"""

import time
from collections.abc import Iterator
from typing import Any

from benchmarks.device.sizes import Sizes
from benchmarks.measure import Contender, Row, compare, row_of
from benchmarks.ours import keys
from gpumcts.kernels.batch import Rules
from gpumcts.options import option
from gpumcts.playouts.uniform import Uniform
from gpumcts.tree.search import Searcher
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from gpumcts.tree.time_split import TimeSplit

REPEATS = 3
MIN_BATCHES, MAX_BATCHES = 8, 4096  # batches of a turn
SUITE = "batches"


def rows_of_batches(game: str, leaves: int, chosen: Sizes, engine: Any = "cuda") -> Iterator[Row]:
    """Of a game by its name and so many leaves a batch, at every number of playouts a leaf.

    For one batch in flight and for two: iterations/s (their ratio is that of two against one), the same by the time of
    the kernels alone, their share of all time, and seconds in which the host did not wait, by leaf.
    """
    for playouts in chosen.batch_playouts:
        both = [_Turns(game, leaves, playouts, batches, engine) for batches in (1, 2)]
        batches = both[0].batches(chosen.turn)
        contenders = [turns.contender(batches) for turns in both]
        yield from compare(SUITE, "iterations/s", contenders, REPEATS, [contenders[0].what])
        yield from (turns.row() for turns in both)


class _Turns:
    """Searches of one tree from the start of the game, by one thread: a tree keeps no more than one busy."""

    def __init__(self, game: str, leaves: int, playouts: int, batches: int, engine: Any) -> None:
        settings = Settings(leaves_per_tree=leaves, playouts_per_leaf=playouts, batches_in_flight=batches)
        made: Any = option("game", game)()
        self._searcher = Searcher(made, Uniform(), Ucb1(), option("backup", "average")(), settings, engine=engine)
        self._start = Rules(self._searcher.game).starts(1)
        self._leaves = leaves
        self._at = {"leaves": leaves, "playouts": playouts, "batches": batches}
        self._what = f"{game}, L = {leaves}, P = {playouts}, {batches} in flight"
        self._found: list[tuple[int, TimeSplit]] = []

    def run(self, iterations: int) -> None:
        """Search so many iterations, and at least two batches."""
        iterations = max(2 * self._leaves, iterations)
        found = self._searcher.search(self._start, keys(1), iterations)
        assert found.times is not None
        self._found.append((iterations, found.times))

    def batches(self, seconds: float) -> int:
        """Batches of a turn that lasts about so long."""
        self.run(1)  # compiles
        begin = time.perf_counter()
        self.run(MIN_BATCHES * self._leaves)
        return min(MAX_BATCHES, max(MIN_BATCHES, int(MIN_BATCHES * seconds / (time.perf_counter() - begin))))

    def contender(self, batches: int) -> Contender:
        """A turn of so many batches; what was searched before is forgotten."""
        self._found.clear()
        return Contender(self._what, self.run, batches * self._leaves, self._at, (self._searcher.engine,))

    def row(self) -> Row:
        """What a leaf costs the host, by the turns after the one that warms up."""
        spent = [1e6 * (times.seconds - times.waiting) / iterations for iterations, times in self._found[1:]]
        return row_of(SUITE, f"{self._what}: host", "us/leaf", spent, at=self._at)
