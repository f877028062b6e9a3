"""The engine of a run: ``engine=auto`` is the CPU where no search of the run is faster elsewhere."""

from typing import Any

from experiments.config.schema import Checked
from gpumcts.kernels.cuda import device
from gpumcts.kernels.engines import resolve
from gpumcts.tree.engine_choice import stays_on_cpu


def engine_of(config: Checked) -> str:
    """The engine that players are made with: the one asked for, or ``cpu`` where ``auto`` takes it for every search.

    Then no device is tried, which takes a second, and both sides of a match search at the same time. Where there is no
    device no table of rates is read.
    """
    if config.engine != "auto" or config.trees_at_once is None or device.describe().problem:
        return config.engine
    players = [player for player in (config.player, config.opponent) if player is not None and player.plays_out]
    stay = [
        stays_on_cpu(config.game, p.policy, p.settings, config.threads, config.trees_at_once * p.settings.roots)
        for p in players
    ]
    return "cpu" if all(stay) else config.engine


def played_by(config: Checked, searcher: Any) -> str:
    """The engine's name for a summary: of ``auto`` the one that a searcher played its last search on."""
    if (name := engine_of(config)) != "auto":
        return resolve(name)
    engine = getattr(searcher, "engine", None)
    return "cpu" if engine is None else engine.name
