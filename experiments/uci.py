"""Our engine for GUIs and match programs of chess: it reads UCI on stdin and answers on stdout, until quit or end.

    python -m experiments.uci game=chess budget.seconds=1
    python -m experiments.uci game=chess budget=iterations budget.iterations=20000

``go nodes`` (iterations), ``movetime`` and ``infinite`` are done as said; with a clock or without a word,
``budget.seconds`` of wall-clock time, or the iterations, are the most a move takes. Scores are 400 log10(p / (1 - p))
centipawns for a win rate p. What is no answer goes to stderr; the engine makes no folder.
"""

import os
import sys
from io import BytesIO
from typing import Any

from experiments.app.command import Command, Run
from experiments.app.serving import check_serving, own_streams, serving_config, tell_batches
from experiments.config.command_options import UciKeys
from experiments.config.schema import Checked, Given, Plain


def uci_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.uci."""
    return serving_config(plain, UciKeys, "UCI")


def prepare(config: Checked) -> None:
    """Refuse an engine that is not there, a budget that does not fit, and a game that has chance."""
    from gpumcts.players.game_checks import check_no_early_chance

    check_serving(config)
    check_no_early_chance(config.game, "experiments.uci")


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Serve until nobody asks any more."""
    from experiments.players.player_factory import searcher
    from experiments.terminal.console import say
    from gpumcts.players.game_checks import check_no_chance
    from gpumcts.programs.clock import Limits
    from gpumcts.programs.position import prepare_long_games
    from gpumcts.programs.rehearsal import rehearse
    from gpumcts.uci.engine import UciEngine
    from gpumcts.uci.info import InfoWriter

    assert config.player is not None
    player = config.player

    def make() -> Any:
        check_no_chance(config.game, "experiments.uci")
        made: Any = searcher(config, player)
        prepare_long_games(config.game)
        rehearse(made, config.game, lambda position, found: InfoWriter(position, 1, BytesIO()).write(found))
        return made

    limits = Limits(player.budget.iterations, player.budget.seconds)
    tell_batches(config)
    with own_streams() as (source, sink):
        engine = UciEngine(config.game, make, limits, config.keys.seed, say)
        engine.serve(source, sink)
    if engine.compiling:
        os._exit(0)  # nothing stops a compiler, and its files are written whole or not at all
    engine.close()
    return {}


COMMAND = Command("uci", uci_config, work, prepare, serves=True)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
