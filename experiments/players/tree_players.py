"""What the players that search a tree by playouts share."""

from collections.abc import Callable, Mapping
from typing import Any

from experiments.config.budgets import Budget
from experiments.config.schema import PlayerConfig
from experiments.config.validation import group_at, typed
from experiments.players.contract import keys_under
from gpumcts.errors import BadInput
from gpumcts.players.construction import PlayerContext, tree_search, uct_player
from gpumcts.players.descriptions import check_settings
from gpumcts.players.uct import UctPlayer
from gpumcts.tree.checks import min_iterations
from gpumcts.tree.settings import Settings

UNITS = ("iterations", "seconds")


def settings_of(plain: Mapping[str, Any], budget: Budget, prefix: str) -> Settings:
    """The settings of the group ``search`` under ``prefix`` (empty, or ``opponent.``), with the budget's playouts."""
    where = f"{prefix}search"
    if "playouts_per_leaf" in group_at(plain, where):
        raise BadInput(f"{where}.playouts_per_leaf: it is budget.playouts_per_leaf")
    settings = typed(Settings, plain, where)._replace(playouts_per_leaf=budget.playouts_per_leaf)
    with keys_under(prefix):
        check_settings(settings)
    return settings


def build(player: PlayerConfig, context: PlayerContext, iterations: int) -> UctPlayer:
    """As ``Kind.build``."""
    return uct_player(context, iterations, player.policy, player.rule, player.operator, player.settings)


def rated(player: PlayerConfig, context: PlayerContext) -> Callable[[int], UctPlayer]:
    """As ``Kind.rated``."""
    search = tree_search(context, player.policy, player.rule, player.operator, player.settings)
    fewest = min_iterations(player.settings)  # below that no move is tried, and the player refuses
    return lambda iterations: UctPlayer(search, max(iterations, fewest))
