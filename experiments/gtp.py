"""Our engine for GUIs and match programs: it reads GTP on stdin and answers on stdout, until quit or the end of input.

    python -m experiments.gtp game=othello budget.seconds=1
    python -m experiments.gtp game=amazons budget=iterations budget.iterations=20000

``budget.seconds`` is wall-clock time here, and a clock (time_settings, time_left) may lower it. Black moves
first; in Amazons, Chess and Clobber White does. What is no answer goes to stderr; the engine makes no folder.
"""

import os
import sys
from collections.abc import Mapping
from typing import Any

from experiments.app.command import Command, Run
from experiments.app.serving import check_serving, own_streams, serving_config, tell_batches
from experiments.config.command_options import GtpKeys
from experiments.config.schema import Checked, Given, Plain, game_value
from gpumcts.compiling.own_sources import SOURCES


def gtp_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.gtp."""
    return serving_config(plain, GtpKeys, "GTP")


def prepare(config: Checked) -> None:
    """Refuse an engine that is not there, a budget that does not fit, and a game that has chance."""
    from gpumcts.players.game_checks import check_no_chance

    check_serving(config)
    check_no_chance(config.game, "experiments.gtp")


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Serve until nobody asks any more."""
    from dataclasses import replace

    from experiments.players.player_factory import searcher
    from experiments.terminal.console import say
    from gpumcts.gtp.engine import GtpEngine
    from gpumcts.gtp.stream import serve
    from gpumcts.programs.clock import Limits
    from gpumcts.programs.position import prepare_long_games
    from gpumcts.programs.rehearsal import rehearse

    assert config.player is not None
    player, game = config.player, config.identity["game"]

    def make(value: Any) -> Any:
        made: Any = searcher(replace(config, game=value), player)
        prepare_long_games(value)
        rehearse(made, value, lambda position, found: found.worth(found.decide()))
        return made

    def with_terms(terms: Mapping[str, Any]) -> Any:
        return game_value({"game": {"name": game["name"], **terms}})[0]

    limits = Limits(player.budget.iterations, player.budget.seconds)
    tell_batches(config)
    with own_streams() as (source, sink):
        terms = {key: value for key, value in game.items() if key not in ("name", SOURCES)}
        engine = GtpEngine(config.game, make, limits, config.keys.seed, terms, with_terms, say, config.keys.resign)
        serve(engine.handle, source, sink)
    if engine.compiling:
        os._exit(0)  # nothing stops a compiler, and its files are written whole or not at all
    engine.close()
    return {}


COMMAND = Command("gtp", gtp_config, work, prepare, serves=True)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
