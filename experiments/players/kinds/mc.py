"""player=mc: plain Monte-Carlo planning (Kocsis et al. 2006): a uniform root move, a playout, the highest average."""

from collections.abc import Mapping
from typing import Any

from experiments.config.budgets import budget_of
from experiments.config.schema import PlayerConfig, option_value
from experiments.players import tree_players
from experiments.players.contract import Kind
from gpumcts.tree.settings import Settings


def _configured(plain: Mapping[str, Any], prefix: str) -> PlayerConfig:
    policy, policy_identity = option_value("playout", plain["playout"], f"{prefix}playout")
    rule, _ = option_value("selection", {"name": "uniform"}, f"{prefix}selection")
    operator, _ = option_value("backup", {"name": "average"}, f"{prefix}backup")
    budget = budget_of(plain["budget"], prefix, "mc", tree_players.UNITS, plays_out=True, follows=True)
    settings = Settings(expansion="root", final="value", playouts_per_leaf=budget.playouts_per_leaf)
    identity = {"player": {"name": "mc"}, "playout": policy_identity, "budget": budget.plain}
    return PlayerConfig("mc", identity, policy, rule, operator, settings, budget)


KIND = Kind(
    _configured,
    tree_players.build,
    groups=("playout", "budget"),
    units=tree_players.UNITS,
    rated=tree_players.rated,
)
