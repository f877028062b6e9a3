"""What commands over positions of games take, and what they refuse."""

from typing import Any

from experiments.config.schema import Plain, game_value
from gpumcts.errors import BadInput


def two_player_game(plain: Plain) -> tuple[Any, dict[str, Any]]:
    """The game of a configuration and its identity; refuses games that are not for two."""
    game, identity = game_value(plain)
    if game.PLAYERS != 2:
        raise BadInput(f"game={identity['name']} is for one player; moves are ranked in games for two")
    return game, identity
