"""player=pvs: principal-variation search over the game's evaluation (Kocsis et al. 2006, section 3.3)."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from experiments.config.budgets import budget_of
from experiments.config.schema import PlayerConfig
from experiments.config.validation import typed
from experiments.players.contract import Kind
from gpumcts.players.construction import Place, deepening_search, pvs_player
from gpumcts.players.pvs import PvsPlayer

UNITS = ("nodes", "depth", "seconds")


class PvsKeys(NamedTuple):
    """The keys of player=pvs."""

    name: str = "pvs"
    table_mb: Annotated[int, Interval(ge=1, le=1_048_576)] = 16


def _configured(plain: Mapping[str, Any], prefix: str) -> PlayerConfig:
    keys = typed(PvsKeys, plain["player"], f"{prefix}player")
    budget = budget_of(plain["budget"], prefix, keys.name, UNITS)
    identity = {"player": keys._asdict(), "budget": {budget.unit: getattr(budget, budget.unit)}}
    return PlayerConfig(keys.name, identity, budget=budget, own=keys, table_mb=keys.table_mb)


def _rated(player: PlayerConfig, place: Place) -> Callable[[int], PvsPlayer]:
    searches = deepening_search(place, player.table_mb)
    return lambda nodes: PvsPlayer(searches, nodes=nodes)


KIND = Kind(
    _configured,
    lambda player, place, nodes: pvs_player(place, nodes or None, player.budget.depth, player.table_mb),
    keys=PvsKeys,
    groups=("budget",),
    units=UNITS,
    counted="nodes",
    rated=_rated,
    chance=False,
)
