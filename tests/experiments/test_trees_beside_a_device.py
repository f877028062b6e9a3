"""experiments.trees where a device has a part in the searches: those of many pieces are made together."""

import pytest

from experiments.runs import tree_searches
from experiments.runs.tree_searches import PIECES
from gpumcts.tree.search import Searcher
from tests.experiments.test_trees import TINY, summary_of, without_clock
from tests.tree.test_device_playouts import Elsewhere

OWN_SEARCHER = tree_searches.searcher


@pytest.fixture
def elsewhere(monkeypatch):
    """Leaves are played as by a device; how many trees every search had."""
    together = []

    class Noted(Searcher):
        def follow(self, states, *arguments):
            together.append(len(states))
            return super().follow(states, *arguments)

    def made(config, player):
        parts = config.game, player.policy, player.rule, player.operator, player.settings
        return Noted(*parts, engine=Elsewhere(config.game))

    monkeypatch.setattr(tree_searches, "searcher", made)
    return together


@pytest.mark.parametrize(
    ("words", "most", "iterations", "sizes"),
    [
        ("search=default", 1000, 1 << 32, [18]),
        ("search=default", 20, 1 << 32, [9, 9]),
        ("search=default", 17, 1 << 32, [6, 3, 3, 6]),
        ("search=default", 1000, 20 * 40, [9, 9]),
        ("search=default", 3, 1, [6, 3, 3, 6]),
        ("search=whole_path", 1000, 1 << 32, [6, 3, 3, 6]),  # no leaf is left to play: the CPU makes them
    ],
)
def test_beside_a_device_pieces_are_made_together(run, only, monkeypatch, elsewhere, words, most, iterations, sizes):
    """So many searches, and iterations, at most; in files as of single pieces, to the last byte."""
    monkeypatch.setattr(tree_searches, "SEARCHES_A_PIECE", 9)
    words = f"{TINY} {words}"
    with monkeypatch.context() as alone:
        alone.setattr(tree_searches, "searcher", OWN_SEARCHER)
        assert run(words).code == 0
    folder = only("outputs/trees/*")
    pieces, summary = sorted((folder / PIECES).iterdir()), without_clock(summary_of(folder))
    single = [piece.read_bytes() for piece in pieces]
    assert not elsewhere
    for piece in pieces:
        piece.unlink()
    monkeypatch.setattr(tree_searches, "SEARCHES_TOGETHER", most)
    monkeypatch.setattr(tree_searches, "ITERATIONS_TOGETHER", iterations)
    assert run(words).code == 0
    assert [piece.read_bytes() for piece in pieces] == single and elsewhere == sizes
    assert without_clock(summary_of(folder)) == summary
    pieces[1].unlink()
    assert run(words).code == 0
    assert pieces[1].read_bytes() == single[1] and elsewhere == [*sizes, 3]


def test_a_stop_costs_the_pieces_that_are_made_together(run, only, monkeypatch, elsewhere):
    """Those before them stay, and the same command makes the others."""
    monkeypatch.setattr(tree_searches, "SEARCHES_A_PIECE", 9)
    monkeypatch.setattr(tree_searches, "SEARCHES_TOGETHER", 20)
    own = Searcher.follow

    def follow(searcher, *arguments):
        if len(elsewhere) == 2:
            raise KeyboardInterrupt
        return own(searcher, *arguments)

    with monkeypatch.context() as stopping:
        stopping.setattr(Searcher, "follow", follow)
        assert run(f"{TINY} search=default").code == 130
    folder = only("outputs/trees/*")
    assert len(list((folder / PIECES).iterdir())) == 2 and elsewhere == [9, 9]
    assert run(f"{TINY} search=default").code == 0
    assert len(list((folder / PIECES).iterdir())) == 4 and elsewhere == [9, 9, 9]
