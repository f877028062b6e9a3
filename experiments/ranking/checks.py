"""What commands over positions of games take, and what they refuse."""

from typing import Any

from experiments.config.schema import Given, Plain, game_value
from gpumcts.errors import BadInput


def two_player_game(plain: Plain) -> tuple[Any, dict[str, Any]]:
    """The game of a configuration and its identity; refuses games that are not for two."""
    game, identity = game_value(plain)
    if game.PLAYERS != 2:
        raise BadInput(f"game={identity['name']} is for one player; moves are ranked in games for two")
    return game, identity


def refuse_budget(plain: Plain, given: Given | None) -> None:
    """Refuse a budget but as the name of an experiment's scale: methods have their own depths and playouts."""
    if given is None:
        return
    if idle := sorted(key for key in given.keys if key.startswith("budget.")):
        raise BadInput(f"{idle[0]} does not count; methods have their own depths and playouts")
    if "budget" in given.keys and "scales" not in plain:
        raise BadInput(
            f"budget={plain['budget']['name']} counts with experiment=... alone; methods have their own depths and playouts"
        )
