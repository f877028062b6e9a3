"""player=mc: plain Monte-Carlo planning (Kocsis et al. 2006): a uniform root move, a playout, the highest average.

What search that is, ``MonteCarlo`` of ``gpumcts.players`` says.
"""

from collections.abc import Mapping
from typing import Any

from experiments.config.budgets import budget_of
from experiments.config.schema import PlayerConfig, option_value
from experiments.players import tree_players
from experiments.players.contract import Kind
from gpumcts.players.descriptions import MonteCarlo


def _configured(plain: Mapping[str, Any], prefix: str) -> PlayerConfig:
    policy, policy_identity = option_value("playout", plain["playout"], f"{prefix}playout")
    budget = budget_of(plain["budget"], prefix, "mc", tree_players.UNITS, plays_out=True, follows=True)
    search = MonteCarlo(playout=policy, playouts_per_leaf=budget.playouts_per_leaf).search()
    identity = {"player": {"name": "mc"}, "playout": policy_identity, "budget": budget.plain}
    return PlayerConfig("mc", identity, policy, search.selection, search.backup, search.settings, budget)


KIND = Kind(
    _configured,
    tree_players.build,
    groups=("playout", "budget"),
    units=tree_players.UNITS,
    rated=tree_players.rated,
)
