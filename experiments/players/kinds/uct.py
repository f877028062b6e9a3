"""player=uct: UCT by the groups playout, selection, backup, search and budget."""

from collections.abc import Mapping
from typing import Any

from experiments.config.budgets import budget_of
from experiments.config.schema import PlayerConfig, option_value
from experiments.players import tree_players
from experiments.players.contract import GROUPS, Kind


def searching_player(
    plain: Mapping[str, Any], prefix: str = "", versus: bool = False, units: tuple[str, ...] = tree_players.UNITS
) -> PlayerConfig:
    """A UCT player from the groups under ``prefix`` (empty, or ``opponent.``), its budget in one of ``units``.

    versus : whether it plays against another side, whose nodes its budget may follow
    """
    policy, policy_identity = option_value("playout", plain["playout"], f"{prefix}playout")
    rule, rule_identity = option_value("selection", plain["selection"], f"{prefix}selection")
    operator, operator_identity = option_value("backup", plain["backup"], f"{prefix}backup")
    budget = budget_of(plain["budget"], prefix, "uct", units, plays_out=True, follows=versus)
    settings = tree_players.settings_of(plain["search"], budget, prefix)
    identity = {
        "player": {"name": "uct"},
        "playout": policy_identity,
        "selection": rule_identity,
        "backup": operator_identity,
        "search": settings.identity(),
        "budget": budget.plain,
    }
    return PlayerConfig("uct", identity, policy, rule, operator, settings, budget)


KIND = Kind(
    lambda plain, prefix: searching_player(plain, prefix, versus=True),
    tree_players.build,
    groups=GROUPS,
    units=tree_players.UNITS,
    rated=tree_players.rated,
)
