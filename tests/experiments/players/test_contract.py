"""Refusals name a player's keys as they are set on its side; the keys are those that Python has."""

from typing import get_args, get_type_hints

import pytest

import gpumcts as g
from experiments.players.contract import keys_under
from experiments.players.registry import kind_of, names
from gpumcts.alpha_beta.minimax import LEAVES, TIES
from gpumcts.errors import BadInput
from gpumcts.players.ranges import Leaf, Ties

DESCRIPTIONS = [getattr(g.players, name) for name in g.players.names()]

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


@pytest.mark.parametrize("name", ["nothing", "__init__", "", "uct.", 7, None])
def test_what_is_no_player_is_refused(name):
    with pytest.raises(BadInput, match=r"^player\.name=.* is not known; there are: alpha_beta, gtp"):
        kind_of(name)


@pytest.mark.parametrize("kind", names())
def test_commands_and_python_have_the_same_keys_of_a_player(kind):
    """A key of the group ``player`` is a field of the description: the same values are allowed, with one default."""
    keys = kind_of(kind).keys
    (description,) = (given for given in DESCRIPTIONS if _name_of(given) == kind)
    allowed = get_type_hints(description, include_extras=True)
    own = {} if keys is None else get_type_hints(keys, include_extras=True)
    for key in own.keys() - {"name", "command"}:  # a command may be missing until the run begins
        assert own[key] == allowed[key], key
        assert keys._field_defaults[key] == description._field_defaults[key], key


def _name_of(description):
    """The name of the kind that a description has in identities."""
    required = {"depth": 1, "command": "program"}
    needed = {field: required[field] for field in description._fields if field not in description._field_defaults}
    needed |= {"nodes": 1} if description is g.players.Pvs else {}
    return description(**needed).identity()["player"]["name"]


def test_minimax_knows_what_a_player_may_ask_of_it():
    assert (get_args(Leaf), get_args(Ties)) == (LEAVES, tuple(TIES))
