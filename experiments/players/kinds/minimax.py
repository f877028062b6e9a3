"""player=minimax: minimax of a fixed depth, MM-k and MM-k-R of Ramanujan et al. 2010."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from experiments.config.budgets import budget_of
from experiments.config.schema import PlayerConfig
from experiments.config.validation import typed
from experiments.players.contract import Kind
from gpumcts.alpha_beta.minimax import check_leaf, check_ties, minimax_name
from gpumcts.games.evaluations import check_evaluation
from gpumcts.players.construction import PlayerContext, minimax_player
from gpumcts.players.minimax import MinimaxPlayer
from gpumcts.players.ranges import Leaf, TableMebibytes, Ties

UNITS = ("depth",)


class MinimaxKeys(NamedTuple):
    """The keys of player=minimax."""

    name: str = "minimax"
    leaf: Leaf = "evaluation"
    quiescence: bool = False
    ties: Ties = "random"
    table_mb: TableMebibytes = 16


def _configured(plain: Mapping[str, Any], prefix: str) -> PlayerConfig:
    keys = typed(MinimaxKeys, plain["player"], f"{prefix}player")
    budget = budget_of(plain["budget"], prefix, keys.name, UNITS)
    identity = {"player": keys._asdict(), "budget": {budget.unit: getattr(budget, budget.unit)}}
    table_mb = keys.table_mb if keys.leaf == "evaluation" else 0  # with playouts there is no table
    return PlayerConfig(keys.name, identity, budget=budget, own=keys, table_mb=table_mb)


def _build(player: PlayerConfig, context: PlayerContext, iterations: int) -> MinimaxPlayer:
    own, depth = player.own, player.budget.depth
    assert depth is not None
    return minimax_player(context, depth, own.leaf, own.quiescence, own.ties, own.table_mb)


def _check(game: Any, player: PlayerConfig, prefix: str) -> None:
    if player.own.leaf == "evaluation":
        check_evaluation(game, f"{prefix}player=minimax")
    check_leaf(game, player.own.leaf, player.own.quiescence, prefix)
    check_ties(game, player.own.ties, prefix)


def _label(identity: Mapping[str, Any]) -> str:
    keys = identity["player"]
    return minimax_name(identity["budget"]["depth"], keys["leaf"], keys["quiescence"], keys["ties"])


KIND = Kind(
    _configured,
    _build,
    keys=MinimaxKeys,
    groups=("budget",),
    units=UNITS,
    counted="nodes",
    chance=False,
    check=_check,
    label=_label,
)
