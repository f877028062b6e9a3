"""Which positions are ranked is kept from the check of a run to the run itself, by the game's class too."""

from experiments.ranking.positions import DataKeys, boards_of
from gpumcts.games.gomoku import Gomoku
from gpumcts.options import compiled


def test_positions_of_two_sizes_are_told_apart():
    """Compiled games of two sizes are equal as tuples."""
    small, large = compiled(Gomoku(size=9)), compiled(Gomoku(size=13))
    assert small == large
    keys = DataKeys(games=1, from_ply=3, to_ply=3)
    assert len(boards_of(small, keys, 1).boards[0].words) < len(boards_of(large, keys, 1).boards[0].words)
