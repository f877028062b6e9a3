"""What the players that search a tree by playouts share."""

from collections.abc import Callable, Mapping
from typing import Any

from experiments.config.budgets import Budget
from experiments.config.schema import PlayerConfig
from experiments.config.validation import group_at, typed
from gpumcts.errors import BadInput
from gpumcts.players.construction import Place, fewest_iterations, tree_search, uct_player
from gpumcts.players.uct import UctPlayer
from gpumcts.tree.settings import Settings

UNITS = ("iterations", "seconds")


def settings_of(plain: Mapping[str, Any], budget: Budget, where: str) -> Settings:
    """The settings of a search, with the playouts per leaf that the budget names."""
    if "playouts_per_leaf" in group_at(plain, where):
        raise BadInput(f"{where}.playouts_per_leaf: it is budget.playouts_per_leaf")
    settings = typed(Settings, plain, where)._replace(playouts_per_leaf=budget.playouts_per_leaf)
    if settings.expansion != "threshold" and settings.threshold != 1:
        raise BadInput(f"{where}.threshold={settings.threshold} counts with {where}.expansion=threshold alone")
    for key in ("replacement", "stored_above"):
        value = getattr(settings, key)
        if settings.table is None and value != Settings._field_defaults[key]:
            raise BadInput(f"{where}.{key}={value} counts with {where}.table alone")
    return settings


def seated(player: PlayerConfig, place: Place, iterations: int) -> UctPlayer:
    """As ``Kind.seated``."""
    return uct_player(place, iterations, player.policy, player.rule, player.operator, player.settings)


def rated(player: PlayerConfig, place: Place) -> Callable[[int], UctPlayer]:
    """As ``Kind.rated``."""
    search = tree_search(place, player.policy, player.rule, player.operator, player.settings)
    fewest = fewest_iterations(player.settings)  # below that no move is tried, and the player refuses
    return lambda iterations: UctPlayer(search, max(iterations, fewest))
