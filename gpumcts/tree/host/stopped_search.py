"""The result of a stopped search of one tree on the CPU: that of a search with as many iterations."""

from collections.abc import Iterator
from contextlib import contextmanager

from gpumcts.tree.checks import min_iterations
from gpumcts.tree.final_move import final_scores
from gpumcts.tree.host.wave import Stopped, Wave
from gpumcts.tree.root_table import root_table
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.search_result import TreeSearchResult


class SearchStopped(KeyboardInterrupt):
    """A search was told to stop, and ``found`` so much by then."""

    def __init__(self, found: TreeSearchResult) -> None:
        super().__init__()
        self.found = found


@contextmanager
def telling_what_was_found(parts: SearchParts, wave: Wave) -> Iterator[None]:
    """Raise SearchStopped where the block is told to stop between two batches of a single tree that has tried a move.

    Of several trees some are further than others, and a device has what it found with it; there the
    KeyboardInterrupt stays.
    """
    try:
        yield
    except Stopped:
        if wave.trees > 1 or wave.made < min_iterations(parts.settings):
            raise
        table, by_value = root_table(parts.operator, wave.forest), parts.settings.final == "value"
        scores = final_scores(parts, wave.forest, table)
        more = (wave.forest, 1, wave.clock.split(), scores)
        raise SearchStopped(TreeSearchResult(table, wave.keys, by_value, wave.made, *more)) from None
