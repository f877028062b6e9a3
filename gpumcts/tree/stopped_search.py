"""What a search of one tree on the CPU has found where it is told to stop: as one of so many iterations would have."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from gpumcts.tree.checks import min_iterations
from gpumcts.tree.final_move import final_scores
from gpumcts.tree.root_table import root_table
from gpumcts.tree.search_plan import SearchPlan
from gpumcts.tree.search_result import TreeSearchResult
from gpumcts.tree.wave import Stopped, Wave


class SearchStopped(KeyboardInterrupt):
    """A search was told to stop, and ``found`` so much by then."""

    def __init__(self, found: TreeSearchResult) -> None:
        super().__init__()
        self.found = found


@contextmanager
def telling_what_was_found(searcher: SearchPlan, wave: Wave, keys: np.ndarray) -> Iterator[None]:
    """Raise SearchStopped where the block is told to stop between two batches of a single tree that has tried a move.

    Of several trees some are further than others, and a device has what it found with it; there the
    KeyboardInterrupt stays. keys : uint64[1], of the position
    """
    try:
        yield
    except Stopped:
        if wave.trees > 1 or wave.made < min_iterations(searcher.settings):
            raise
        table, by_value = root_table(searcher.operator, wave.forest), searcher.settings.final == "value"
        scores = final_scores(searcher, wave.forest, table)
        more = (wave.forest, 1, wave.clock.split(), scores)
        raise SearchStopped(TreeSearchResult(table, keys, by_value, wave.made, *more)) from None
