"""Values of options and keys: which are taken, and what one line says of the others."""

import pytest

from experiments.config.command_options import MatchKeys
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


@pytest.mark.parametrize(
    "field, given, taken", [("games", 1e3, 1000), ("threads", 2e0, 2), ("seed", 1e15, 10**15), ("memory_gb", 2.0, 2.0)]
)
def test_an_integer_in_exponent_form_is_one(field, given, taken):
    """Hydra reads ``games=1e3`` as 1000.0; a number stays one."""
    found = getattr(typed(MatchKeys, {field: given}), field)
    assert (found, type(found)) == (taken, type(taken))


@pytest.mark.parametrize("given", ["*x", "*", "2026-13-01", "0x_", "...", ":"])
def test_words_that_yaml_cannot_read_are_refused_as_they_were_given(given):
    """Quotes stand around words that YAML reads as something else than text; of these it reads none."""
    with pytest.raises(BadInput) as refusal:
        typed(MatchKeys, {"games": given})
    assert str(refusal.value) == f"games={given}: must be an integer in [1, 10000000]"


@pytest.mark.parametrize("given", [1.5e0, 1e18, float("inf"), float("nan")])
def test_what_is_not_exactly_an_integer_is_refused(given):
    with pytest.raises(BadInput, match="must be an integer in"):
        typed(MatchKeys, {"seed": given})
