"""Options of a game whose values are refused: one line that names the key, the value, and what is allowed."""

import pytest

from experiments.config.validation import typed
from gpumcts.errors import BadInput
from gpumcts.games.sailing import Sailing


@pytest.mark.parametrize(
    "fields, message",
    [
        ({"size": 1}, "game.size=1: must be an integer in [2, 64]"),
        ({"size": 65}, "game.size=65: must be an integer in [2, 64]"),
        ({"size": 2.5}, "game.size=2.5: must be an integer in [2, 64]"),
        ({"patience": 7}, "game.patience=7: must be an integer in [8, 32]"),
        ({"wind_from": 1}, "game.wind_from=1: must be true or false"),
    ],
)
def test_options_are_refused(fields, message):
    with pytest.raises(BadInput) as refusal:
        typed(Sailing, {**Sailing()._asdict(), **fields}, "game")
    assert str(refusal.value) == message
