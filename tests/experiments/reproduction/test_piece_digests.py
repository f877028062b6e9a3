"""Digests of searches of trees where some trees cannot fail and are not searched, in pieces of today and of earlier."""

from pathlib import Path

import numpy as np
import pytest

from experiments.reproduction.gathering import synthetic
from experiments.reproduction.gathering.common import digest_of
from experiments.reproduction.gathering.synthetic import search_digests
from experiments.runs.tree_searches import PIECES, Piece, pieces_of

TINY = "trees game=pgame game.depth=4 trees=8 runs=9 budget.iterations=20 engine=cpu threads=1"


@pytest.mark.parametrize("method", ["search", "alpha_beta"])
def test_a_run_with_a_piece_of_no_tree_that_can_fail_is_gathered(run, only, monkeypatch, method):
    monkeypatch.setattr("experiments.runs.tree_searches.SEARCHES_A_PIECE", 9)
    assert run(f"{TINY} method={method}").code == 0
    folder = only("outputs/trees/*")
    pieces = pieces_of(folder)
    assert {len(piece.searched) for piece in pieces} == {0, 9}
    found = search_digests(folder)
    for path, piece in zip(sorted((folder / PIECES).iterdir()), pieces, strict=True):
        if not len(piece.searched):  # as earlier commits wrote it
            np.savez_compressed(path, **piece._replace(values=np.zeros((0, 0, 1), np.float32))._asdict())
    assert search_digests(folder) == found
    searched = [piece for piece in pieces if len(piece.searched)]
    monkeypatch.setattr(synthetic, "pieces_of", lambda _: searched)
    assert search_digests(folder).first_ten == found.first_ten != found.all


@pytest.mark.parametrize("shape", [(0, 0), (0, 1)])
def test_digests_of_pieces_that_are_all_searched_are_those_of_their_arrays(monkeypatch, shape):
    """Of searches values have the shape [S, 0, 0] where nothing is watched, of alpha-beta [S, 0, 1]."""
    every = {"trees": 3, "decisive": 3, "searched": 6, "failed": (6, 4), "visits": (6, 4), "wrong": (6, 4), "below": 6,
             "leaves": 0, "values": (6, *shape)}  # fmt: skip
    pieces = [Piece(**{name: np.full(size, number) for name, size in every.items()}) for number in (1, 2)]
    monkeypatch.setattr(synthetic, "pieces_of", lambda _: pieces)
    columns = [np.concatenate([getattr(piece, name) for piece in pieces]) for name in Piece._fields]
    assert search_digests(Path()).all == digest_of(columns)
