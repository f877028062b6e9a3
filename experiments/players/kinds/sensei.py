"""player=sensei: UCT of Sensei's Library: its formula, averages, children on a leaf's second visit, solved nodes.

What search that is, ``Sensei`` of ``gpumcts.players`` says.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from experiments.config.budgets import budget_of
from experiments.config.schema import PlayerConfig, option_value
from experiments.config.validation import typed
from experiments.players import tree_players
from experiments.players.contract import Kind
from gpumcts.players.descriptions import Sensei
from gpumcts.players.ranges import Best, Uctk


class SenseiKeys(NamedTuple):
    """The keys of player=sensei."""

    name: str = "sensei"
    uctk: Uctk = 1.0
    best: Best = "win_rate"
    solve: bool = True


def _configured(plain: Mapping[str, Any], prefix: str) -> PlayerConfig:
    keys = typed(SenseiKeys, plain["player"], f"{prefix}player")
    policy, policy_identity = option_value("playout", plain["playout"], f"{prefix}playout")
    budget = budget_of(plain["budget"], prefix, keys.name, tree_players.UNITS, plays_out=True, follows=True)
    search = Sensei(
        playout=policy,
        playouts_per_leaf=budget.playouts_per_leaf,
        uctk=keys.uctk,
        best=keys.best,
        solve=keys.solve,
    ).search()
    identity = {"player": keys._asdict(), "playout": policy_identity, "budget": budget.plain}
    return PlayerConfig(keys.name, identity, policy, search.selection, search.backup, search.settings, budget, own=keys)


KIND = Kind(
    _configured,
    tree_players.build,
    keys=SenseiKeys,
    groups=("playout", "budget"),
    units=tree_players.UNITS,
    rated=tree_players.rated,
)
