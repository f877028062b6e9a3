"""What is refused before any work: absent engines and programs, too little memory, games that a player cannot play."""

from experiments.config.schema import Checked, PlayerConfig
from experiments.players.contract import keys_under
from experiments.players.external_engines import is_missing, version
from experiments.players.registry import kind_of
from experiments.players.run_engine import engine_of
from gpumcts.errors import BadInput
from gpumcts.kernels.engines import resolve
from gpumcts.players.game_checks import check_no_chance
from gpumcts.players.table_memory import check_tables
from gpumcts.tree.checks import min_iterations
from gpumcts.tree.host.sharing import slots_of_threads
from gpumcts.tree.memory import without_iterations
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.tables.parts import TableParts


def sides(config: Checked) -> list[tuple[str, PlayerConfig]]:
    """The configured players, each with the prefix of its keys."""
    return [(prefix, p) for prefix, p in (("", config.player), ("opponent.", config.opponent)) if p is not None]


def check_memory(config: Checked) -> None:
    """Raise BadInput, with the arithmetic, where a search of a configured player cannot fit or cannot be made."""
    tables = [(f"{prefix}player.table_mb", player.table_mb) for prefix, player in sides(config) if player.table_mb]
    check_tables(tables, config.threads, config.memory_limit)
    for prefix, player in sides(config):
        if player.plays_out:
            with keys_under(prefix):
                _check_search(config, player)


def _check_search(config: Checked, player: PlayerConfig) -> None:
    """Refuse a search that cannot be made, or whose tree cannot fit."""
    options = (config.game, player.policy, player.rule, player.operator, player.settings)
    parts: SearchParts | TableParts
    if player.settings.table is not None:
        parts = TableParts(*options, engine=config.engine, memory_limit=config.memory_limit)
    else:
        parts = SearchParts(*options, memory_limit=config.memory_limit)
    if player.budget.iterations is not None:
        parts.positions_together(1, player.budget.iterations)
        return
    of_threads: dict[str, int] = {}
    if isinstance(parts, SearchParts) and config.opponent is None and resolve(engine_of(config)) == "cpu":
        # One position, whose tree threads may share.
        slots = slots_of_threads(parts, config.threads, player.settings.roots, beside_device=False)
        of_threads = {"slots_beside": slots}
    try:
        parts.positions_together(1, min_iterations(player.settings), **of_threads)
    except BadInput as error:
        if player.settings.table is not None:
            raise
        why = without_iterations(error).partition(";")[0]
        raise BadInput(f"memory_gb={config.keys.memory_gb}: too little for any search: {why}") from None


def check_missing_programs(config: Checked) -> None:
    """Raise BadInput where no file has the name of a program: before other questions, which may compile the game."""
    for prefix, player in sides(config):
        if player.program is not None and is_missing(player.program, prefix):
            version(config.game, player.program, prefix)  # which says why it cannot be started


def check_chance(config: Checked) -> None:
    """Raise BadInput where chance moves in the game of a player that takes none."""
    for prefix, player in sides(config):
        if not kind_of(player.name).chance:
            check_no_chance(config.game, f"{prefix}player={player.name}")


def check_programs(config: Checked) -> None:
    """Raise BadInput where a program of player=gtp or player=uci is missing, or does not start."""
    for prefix, player in sides(config):
        if player.program is not None:
            version(config.game, player.program, prefix)


def check_engine(config: Checked) -> None:
    """Raise BadInput where the engine cannot be had on this machine."""
    resolve(engine_of(config))
