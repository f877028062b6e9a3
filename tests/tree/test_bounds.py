"""A game whose class states too small bounds ends a search by playouts in one line that names game and bound."""

from functools import partial

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.games.dots_and_boxes import DotsAndBoxes
from gpumcts.games.pgame import PGame
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cuda.faults import DeviceLost
from gpumcts.playouts.uniform import Uniform
from gpumcts.tree.backup.average import Average
from gpumcts.tree.incremental_search import IncrementalSearch
from gpumcts.tree.roots import roots_of
from gpumcts.tree.search import Searcher
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.search import TableSearcher
from tests.games.narrow_bounds import FewMoves, FewPlies, FourMoves

WHOLE = Settings(expansion="whole_path", parent_count="children", final="value")


def starts(count):
    return Rules(DotsAndBoxes(1, 2)).starts(count)


def refused(searcher, iterations, positions=1) -> str:
    with pytest.raises(BadInput) as error:
        searcher.search(starts(positions), np.arange(positions, dtype=np.uint64), iterations)
    return str(error.value)


def in_a_table(game, settings, **more):
    return TableSearcher(game, Uniform(), Ucb1(), Average(), settings._replace(table=1 << 8), **more)


@pytest.mark.parametrize("settings", [WHOLE, Settings()], ids=["whole_path", "node"])
def test_a_table_meets_too_many_moves(settings):
    assert refused(in_a_table(FewMoves(1, 2), settings), 20) == (
        f"{FewMoves.__module__}: FewMoves.MAX_MOVES = 5, but the search has met a position with more legal moves; "
        "state the greatest number there can be"
    )


@pytest.mark.parametrize(("settings", "iterations"), [(WHOLE, 1), (Settings(), 20_000)], ids=["whole_path", "node"])
def test_a_table_meets_too_many_plies(settings, iterations):
    assert refused(in_a_table(FewPlies(1, 2), settings), iterations).startswith(
        f"{FewPlies.__module__}: FewPlies.MAX_PLIES = 3, but the search has met a game with more plies"
    )


def test_a_table_meets_it_on_any_thread():
    assert "FewPlies.MAX_PLIES = 3" in refused(in_a_table(FewPlies(1, 2), WHOLE, threads=2), 1, positions=40)


def test_bounds_that_are_met_exactly_are_no_fault():
    """A P-game of three moves and four plies has just these bounds."""
    game = PGame(3, 4)
    searcher = TableSearcher(game, Uniform(), Ucb1(), Average(), WHOLE._replace(table=1 << 8))
    found = searcher.search(Rules(game).starts(2), np.arange(2, dtype=np.uint64), 200)
    assert (game.MAX_MOVES, game.MAX_PLIES) == (3, 4) and list(found.table.count) == [3, 3]


def test_a_forest_is_not_begun_at_a_root_with_too_many_moves():
    parts = SearchParts(FewMoves(1, 2), Uniform(), Ucb1(), Average())
    with pytest.raises(BadInput, match="FewMoves.MAX_MOVES = 5, but the search has met a position with more legal"):
        roots_of(parts, starts(1), np.zeros(1, np.uint64))


@pytest.mark.parametrize("table", [None, 64])
def test_arrays_of_other_shapes_are_refused(table):
    """Compiled code would read what lies behind them in memory, and answer."""
    game, kind = DotsAndBoxes(1, 2), Searcher if table is None else TableSearcher
    made = kind(game, Uniform(), Ucb1(), Average(), Settings(table=table), "cpu")
    states, keys = Rules(game).starts(3), np.zeros(3, np.uint64)
    for search in (made.search, partial(made.follow, on_table=lambda *_: None)):
        points = 5 if search == made.search else [5]
        with pytest.raises(BadInput, match=r"^keys: must be uint64\[3\], one for each of the states, not uint64\[1\]$"):
            search(states, keys[:1], points)
        with pytest.raises(BadInput, match=r"^keys: must be uint64\[3\], one for each of the states, not int64\[3\]$"):
            search(states, keys.astype(np.int64), points)  # which draws other numbers
        with pytest.raises(BadInput, match=r"^keys: must be uint64\[3\], one for each of the states, not a list$"):
            search(states, [1, 2, 3], points)
        with pytest.raises(BadInput, match=r"^states: must be uint64.* positions of DotsAndBoxes, not int64\[3, \d\]$"):
            search(states.astype(np.int64), keys, points)
        with pytest.raises(
            BadInput, match=r"^states: must be uint64\[B, \d\], positions of DotsAndBoxes, not uint64\[3, 9\]$"
        ):
            search(np.zeros((3, 9), np.uint64), keys, points)


def searcher(game, settings, **more):
    return Searcher(game, Uniform(), Ucb1(), Average(), settings, **{"engine": "cpu", **more})


@pytest.mark.parametrize(
    ("settings", "iterations"),
    [
        (WHOLE, 1),
        (Settings(), 20_000),
        pytest.param(Settings(leaves_per_tree=64), 20_000, marks=pytest.mark.slow),
        (Settings(expansion="threshold"), 20_000),
    ],
    ids=["whole_path", "node", "leaves", "threshold"],
)
@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_a_forest_meets_too_many_plies(settings, iterations, threads):
    assert refused(searcher(FewPlies(1, 2), settings, threads=threads), iterations).startswith(
        f"{FewPlies.__module__}: FewPlies.MAX_PLIES = 3, but the search has met a game with more plies"
    )


@pytest.mark.parametrize("threads", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "settings",
    [
        Settings(),
        pytest.param(Settings(leaves_per_tree=64), marks=pytest.mark.slow),
        pytest.param(Settings(leaves_per_tree=8, batches_in_flight=2), marks=pytest.mark.slow),
        pytest.param(WHOLE, marks=pytest.mark.slow),
    ],
    ids=["node", "leaves", "two batches", "whole_path"],
)
def test_a_forest_meets_too_many_moves_below_its_root(settings, threads):
    """Othello begins with four moves, and has more soon after."""
    game = FourMoves()
    states, keys = Rules(game).starts(2), np.arange(2, dtype=np.uint64)
    with pytest.raises(BadInput) as error:
        searcher(game, settings, threads=threads).search(states, keys, 20_000)
    assert str(error.value).startswith(
        f"{FourMoves.__module__}: FourMoves.MAX_MOVES = 4, but the search has met a position with more legal moves"
    )


@pytest.mark.parametrize("budget", [(20_000, None), (None, 60.0)], ids=["iterations", "clock"])
def test_a_search_by_slices_does_not_end_with_what_whole_ones_are_refused_for(monkeypatch, budget):
    """Neither at such a game nor with its device: what was found until then is not shown as a result."""
    game, fault = FewPlies(1, 2), DeviceLost("this process's device is lost (planted)")
    search = IncrementalSearch(searcher(game, Settings()), Rules(game).starts(1)[0], np.uint64(1))
    with pytest.raises(BadInput, match="FewPlies.MAX_PLIES = 3, but the search has met"):
        list(search.slices(*budget))
    assert search.iterations and not search.stopped_by
    searches, fits = searcher(DotsAndBoxes(1, 2), Settings()), starts(1)[0]
    search = IncrementalSearch(searches, fits, np.uint64(1))
    search.go_on(200)

    def lost(*arguments):
        raise fault

    monkeypatch.setattr(searches, "iterate", lost)
    with pytest.raises(DeviceLost, match="planted"):
        list(search.slices(*budget))


def test_a_forest_whose_bounds_are_met_exactly_is_no_fault():
    game = PGame(3, 4)
    found = searcher(game, Settings()).search(Rules(game).starts(2), np.arange(2, dtype=np.uint64), 2_000)
    assert (game.MAX_MOVES, game.MAX_PLIES) == (3, 4) and list(found.table.count) == [3, 3]
