"""Refusals name a player's keys as they are set on its side."""

import pytest

from experiments.players.contract import keys_under
from gpumcts.errors import BadInput

REFUSALS = {
    "search.roots=2: must be 1 with search.table": "opponent.search.roots=2: must be 1 with opponent.search.table",
    "search.batches_in_flight=2: engine=device keeps one batch of a tree in flight; take engine=cpu or cuda": (
        "opponent.search.batches_in_flight=2: engine=device keeps one batch of a tree in flight; "
        "take engine=cpu or cuda"
    ),
    "selection=rave wants game=go": "opponent.selection=rave wants game=go",
    "memory_gb=1: too little": "memory_gb=1: too little",
    "opponent.search.reuse=1: must be true": "opponent.search.reuse=1: must be true",
    "take player@opponent.player=mc": "take player@opponent.player=mc",
    "player=pvs: no playout. A search=": "opponent.player=pvs: no playout. A search=",
    "research.x=1, playouts of a leaf: 3": "research.x=1, playouts of a leaf: 3",
}


@pytest.mark.parametrize("said", REFUSALS)
def test_keys_of_the_opponent(said):
    for prefix, expected in (("opponent.", REFUSALS[said]), ("", said)):
        with pytest.raises(BadInput) as told, keys_under(prefix):
            raise BadInput(said)
        assert str(told.value) == expected


def test_other_errors_pass():
    with pytest.raises(ValueError, match=r"^search\.roots=2$"), keys_under("opponent."):
        raise ValueError("search.roots=2")
