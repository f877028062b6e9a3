"""player=random: uniformly random moves."""

from experiments.config.schema import PlayerConfig
from experiments.players.contract import Kind
from gpumcts.players.construction import random_player

KIND = Kind(
    lambda plain, prefix: PlayerConfig("random", {"player": {"name": "random"}}),
    lambda player, context, iterations: random_player(context),
)
