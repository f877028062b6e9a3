"""A search and an engine over it, for the tests of our UCI engine."""

import pytest

from gpumcts.playouts.uniform import Uniform
from gpumcts.programs.clock import Limits
from gpumcts.tree.backup.average import Average
from gpumcts.tree.search import Searcher
from gpumcts.tree.selection.ucb1 import Ucb1
from gpumcts.uci.engine import UciEngine
from tests.uci.drivers import OTHELLO


@pytest.fixture(scope="module")
def searcher():
    return Searcher(OTHELLO, Uniform(), Ucb1(), Average())


@pytest.fixture
def engine(searcher):
    """``engine(iterations=20, ...)``: an engine of Othello; ``.said`` is what it told beside the protocol."""
    made = []

    def make(iterations=20, seconds=None, search=lambda: searcher, **options):
        said = []
        fresh = UciEngine(OTHELLO, search, Limits(iterations, seconds), say=said.append, **options)
        fresh.said = said
        made.append(fresh)
        return fresh

    yield make
    for each in made:
        each.close()
