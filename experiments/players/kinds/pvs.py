"""player=pvs: principal-variation search over the game's evaluation (Kocsis et al. 2006, section 3.3)."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from experiments.config.budgets import budget_of
from experiments.config.schema import PlayerConfig
from experiments.config.validation import typed
from experiments.players.contract import Kind
from gpumcts.games.evaluations import check_evaluation
from gpumcts.players.construction import PlayerContext, deepening_search, pvs_player
from gpumcts.players.pvs import PvsPlayer
from gpumcts.players.ranges import TableMebibytes

UNITS = ("nodes", "depth", "seconds")


class PvsKeys(NamedTuple):
    """The keys of player=pvs."""

    name: str = "pvs"
    table_mb: TableMebibytes = 16


def _configured(plain: Mapping[str, Any], prefix: str) -> PlayerConfig:
    keys = typed(PvsKeys, plain["player"], f"{prefix}player")
    budget = budget_of(plain["budget"], prefix, keys.name, UNITS)
    identity = {"player": keys._asdict(), "budget": {budget.unit: getattr(budget, budget.unit)}}
    return PlayerConfig(keys.name, identity, budget=budget, own=keys, table_mb=keys.table_mb)


def _rated(player: PlayerConfig, context: PlayerContext) -> Callable[[int], PvsPlayer]:
    searches = deepening_search(context, player.table_mb)
    return lambda nodes: PvsPlayer(searches, nodes=nodes)


KIND = Kind(
    _configured,
    lambda player, context, nodes: pvs_player(context, nodes or None, player.budget.depth, player.table_mb),
    keys=PvsKeys,
    groups=("budget",),
    units=UNITS,
    counted="nodes",
    rated=_rated,
    chance=False,
    check=lambda game, player, prefix: check_evaluation(game, f"{prefix}player=pvs"),
)
