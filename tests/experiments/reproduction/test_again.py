"""The digest of a cell's first ten games or searches, from the runs that made them again."""

import pytest

from experiments.reproduction import again
from experiments.reproduction.cells import cells_below
from gpumcts.errors import BadInput


def test_a_cell_of_several_runs_is_gathered(tmp_path, monkeypatch):
    """Its keys stand by the run, so that no single run is it: section 6.2 of Ramanujan et al. 2010."""
    both = {cell.cell: cell for cell in cells_below() if cell.item == "sec6_claims"}
    cell = both["c70-two"]
    made = [
        both["c70-one"],
        cell.model_copy(update={"digests": cell.digests.model_copy(update={"first_ten": "0" * 64})}),
    ]
    monkeypatch.setattr(again, "gather", lambda paper, item, folder: made)
    assert again.digest_of_folder(cell, tmp_path) == "0" * 64
    made.pop()
    with pytest.raises(BadInput, match="no run of ramanujan2010understanding/sec6_claims/c70-two"):
        again.digest_of_folder(cell, tmp_path)
