"""player=alpha_beta: alpha-beta to the end of the game, whose budget counts leaves."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from experiments.config.budgets import budget_of
from experiments.config.schema import PlayerConfig
from experiments.config.validation import typed
from experiments.players.contract import Kind
from gpumcts.players.construction import alpha_beta_player

UNITS = ("iterations", "seconds")


class AlphaBetaKeys(NamedTuple):
    """The keys of player=alpha_beta."""

    name: str = "alpha_beta"
    best_so_far: bool = False


def _configured(plain: Mapping[str, Any], prefix: str) -> PlayerConfig:
    keys = typed(AlphaBetaKeys, plain["player"], f"{prefix}player")
    budget = budget_of(plain["budget"], prefix, keys.name, UNITS)
    identity = {"player": keys._asdict(), "budget": {budget.unit: getattr(budget, budget.unit)}}
    return PlayerConfig(keys.name, identity, budget=budget, own=keys)


KIND = Kind(
    _configured,
    lambda player, context, leaves: alpha_beta_player(context, leaves, player.own.best_so_far),
    keys=AlphaBetaKeys,
    groups=("budget",),
    units=UNITS,
    counted="leaves",
    rated=lambda player, context: lambda leaves: alpha_beta_player(context, leaves, player.own.best_so_far),
    chance=False,
)
