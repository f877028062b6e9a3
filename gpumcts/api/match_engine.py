"""The engine of a match from Python: ``engine=auto`` is the CPU where no search of the match is faster elsewhere."""

from typing import Any

from gpumcts.kernels.cuda import device
from gpumcts.options import value_of
from gpumcts.players.construction import PlayerContext
from gpumcts.players.descriptions import (
    AlphaBeta,
    Description,
    Gtp,
    Minimax,
    MonteCarlo,
    Pvs,
    Random,
    Sensei,
    Uci,
    Uct,
    checked_settings,
)
from gpumcts.tree.engine_choice import stays_on_cpu

BY_THEMSELVES = (AlphaBeta, Gtp, Minimax, Pvs, Random, Uci)
"""Players that no engine plays for: they play no playouts, or bring their own."""


def on_its_engine(player: Description, context: PlayerContext, trees: int) -> tuple[Description, PlayerContext]:
    """A player and its context with the engine that it is to be built with, of ``context.engine`` or its ``Search``'s.

    trees : positions that it searches together at most

    Where ``auto`` takes the CPU for every search, that is ``cpu``. Then no device is tried, which takes a second, and
    both sides of a match search at the same time. A player of a user's own has the engine that it is given.
    """
    if isinstance(player, BY_THEMSELVES) and context.engine == "auto":
        return player, context._replace(engine="cpu")
    if not isinstance(player, Uct | MonteCarlo | Sensei):
        return player, context
    search = player if isinstance(player, Uct) else player.search()
    engine, threads = context.engine, context.cores
    if search.origin is not None:
        engine, threads = search.origin.engine, search.origin.threads
    if engine != "auto" or device.describe().problem or not _stays(search, context.game, threads, trees):
        return player, context._replace(engine=engine)
    if search.origin is not None:
        player = search._replace(origin=search.origin._replace(engine="cpu"))
    return player, context._replace(engine="cpu")


def _stays(search: Uct, game: Any, threads: int, trees: int) -> bool:
    settings = checked_settings(search.settings._asdict())
    return stays_on_cpu(game, value_of("playout", search.playout), settings, threads, trees * settings.roots)
