"""Players from typed options: searches made ready, each player in one call.

    context = PlayerContext(game, threads=2)
    player = uct_player(context, 1000, Uniform(), Ucb1(), Average(), Settings())

A search that is made here is compiled in whole, so that nobody waits for it while seconds are counted.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gpumcts.alpha_beta.batch import Deepening
from gpumcts.alpha_beta.minimax import Minimax
from gpumcts.alpha_beta.table import entries_in
from gpumcts.games.evaluations import check_evaluation
from gpumcts.kernels.batch import Rules
from gpumcts.options import compiled
from gpumcts.players.alpha_beta import AlphaBetaPlayer
from gpumcts.players.game_checks import check_no_chance
from gpumcts.players.minimax import MinimaxPlayer
from gpumcts.players.pvs import PvsPlayer
from gpumcts.players.random import RandomPlayer
from gpumcts.players.uct import UctPlayer
from gpumcts.resources import usable_cores
from gpumcts.tree.checks import min_iterations
from gpumcts.tree.host.thread_pool import ThreadPool
from gpumcts.tree.position_searcher import PositionSearcher
from gpumcts.tree.search import Searcher
from gpumcts.tree.settings import Settings
from gpumcts.tree.tables.search import TableSearcher


def _nobody(done: float) -> None:
    return None


class PlayerContext(NamedTuple):
    """What a player is built for, and what it may use.

    game : option value
    name : what reports call the player
    engine : ``cpu``, ``cuda``, ``device``, ``cudasim`` or ``auto``
    threads : CPU threads; None for every core
    memory_limit : bytes that trees may take; None for what is free
    workers : threads shared with the other side's search; None for threads of its own
    on_progress : told the moves that were found, fractions of a move included, from any thread
    """

    game: Any
    name: str = "player"
    engine: str = "auto"
    threads: int | None = None
    memory_limit: int | None = None
    workers: ThreadPool | None = None
    on_progress: Callable[[float], None] = _nobody

    @property
    def cores(self) -> int:
        """The threads, every core that this process may use where none are given."""
        return self.threads or usable_cores()


def tree_search(
    context: PlayerContext, playout: Any, selection: Any, backup: Any, settings: Settings
) -> PositionSearcher:
    """A compiled search by option values, in a table of fixed size where ``settings.table`` has one.

    Raises BadInput for parts that do not go together, for an engine that is not there, and where not one tree fits.
    """
    parts = (context.game, playout, selection, backup, settings)
    limits: dict[str, Any] = {"engine": context.engine, "threads": context.cores, "memory_limit": context.memory_limit}
    made: PositionSearcher
    if settings.table is not None:
        made = TableSearcher(*parts, **limits)
    else:
        made = Searcher(*parts, **limits, workers=context.workers)
    made.search(made.rules.starts(1), np.zeros(1, np.uint64), min_iterations(settings)).decide()
    return made


def deepening_search(context: PlayerContext, table_mb: int = 16) -> Deepening:
    """A compiled principal-variation search whose hash table has ``table_mb`` MiB a thread."""
    check_evaluation(compiled(context.game), "player=pvs")
    made = Deepening(context.game, entries_in(table_mb), context.cores)
    check_no_chance(made.game, "player=pvs")
    made.search(Rules(made.game).starts(1), np.zeros(1, np.uint64), nodes=1)
    return made


def minimax_search(
    context: PlayerContext, leaf: str = "evaluation", quiescence: bool = False, ties: str = "random", table_mb: int = 16
) -> Minimax:
    """A compiled minimax search of fixed depth; the options are those of ``gpumcts.alpha_beta.minimax.Minimax``."""
    if leaf == "evaluation":
        check_evaluation(compiled(context.game), "player=minimax")
    made = Minimax(context.game, leaf, quiescence, entries_in(table_mb), context.cores, ties)
    check_no_chance(made.game, "player=minimax")
    made.search(Rules(made.game).starts(1), np.zeros(1, np.uint64), 1)
    return made


def uct_player(
    context: PlayerContext, iterations: int, playout: Any, selection: Any, backup: Any, settings: Settings
) -> UctPlayer:
    """A player of ``iterations`` iterations a move; as ``tree_search`` and ``UctPlayer`` raise."""
    search = tree_search(context, playout, selection, backup, settings)
    return UctPlayer(search, iterations, context.name, lambda done: context.on_progress(done / iterations))


def alpha_beta_player(context: PlayerContext, leaves: int, best_so_far: bool = False) -> AlphaBetaPlayer:
    """A player by alpha-beta to the end of the game, of ``leaves`` leaves a move."""

    def told(done: float) -> None:
        context.on_progress(done / leaves)

    return AlphaBetaPlayer(context.game, leaves, best_so_far, context.name, threads=context.cores, on_progress=told)


def pvs_player(
    context: PlayerContext, nodes: int | None = None, depth: int | None = None, table_mb: int = 16
) -> PvsPlayer:
    """A player by principal-variation search, of so many nodes a move, or plies."""
    return PvsPlayer(deepening_search(context, table_mb), nodes, depth, context.name, context.on_progress)


def minimax_player(
    context: PlayerContext,
    depth: int,
    leaf: str = "evaluation",
    quiescence: bool = False,
    ties: str = "random",
    table_mb: int = 16,
) -> MinimaxPlayer:
    """MM-k, or with ``leaf="playout"`` MM-k-R, for k = ``depth`` plies (Ramanujan et al. 2010, section 4)."""
    search = minimax_search(context, leaf, quiescence, ties, table_mb)
    return MinimaxPlayer(search, depth, context.name, context.on_progress)


def random_player(context: PlayerContext) -> RandomPlayer:
    """A player of uniformly random moves."""
    return RandomPlayer(context.game, name=context.name)
