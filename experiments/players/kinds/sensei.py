"""player=sensei: UCT of Sensei's Library: its formula, averages, children on a leaf's second visit, solved nodes."""

from collections.abc import Mapping
from typing import Any, Literal, NamedTuple

from experiments.config.budgets import budget_of
from experiments.config.schema import PlayerConfig, option_value
from experiments.config.validation import typed
from experiments.players import tree_players
from experiments.players.contract import Kind
from gpumcts.players.ranges import Uctk
from gpumcts.tree.settings import Settings


class SenseiKeys(NamedTuple):
    """The keys of player=sensei."""

    name: str = "sensei"
    uctk: Uctk = 1.0
    best: Literal["win_rate", "visits"] = "win_rate"
    solve: bool = True


def _configured(plain: Mapping[str, Any], prefix: str) -> PlayerConfig:
    keys = typed(SenseiKeys, plain["player"], f"{prefix}player")
    policy, policy_identity = option_value("playout", plain["playout"], f"{prefix}playout")
    rule, _ = option_value("selection", {"name": "sensei", "uctk": keys.uctk}, f"{prefix}selection")
    operator, _ = option_value("backup", {"name": "average"}, f"{prefix}backup")
    budget = budget_of(plain["budget"], prefix, keys.name, tree_players.UNITS, plays_out=True, follows=True)
    final = "visits" if keys.best == "visits" else "value"
    settings = Settings(final=final, solve=keys.solve, playouts_per_leaf=budget.playouts_per_leaf)
    identity = {"player": keys._asdict(), "playout": policy_identity, "budget": budget.plain}
    return PlayerConfig(keys.name, identity, policy, rule, operator, settings, budget, own=keys)


KIND = Kind(
    _configured,
    tree_players.build,
    keys=SenseiKeys,
    groups=("playout", "budget"),
    units=tree_players.UNITS,
    rated=tree_players.rated,
)
