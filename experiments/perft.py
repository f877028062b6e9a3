"""Count the paths of legal moves of a given length: the standard test of a game's rules.

    python -m experiments.perft depth=9
    python -m experiments.perft depth=5 position="---------------------------OX------XO--------------------------- X"

A pass is a ply. Compilation is not in ``seconds``.
"""

import sys
import time
from typing import Any

from experiments.analysis.plots import speed_panel
from experiments.analysis.result_table import perft_cells
from experiments.app.command import Command, Run
from experiments.config.command_options import PerftKeys
from experiments.config.schema import Checked, Given, Plain, as_json, game_value, top_keys
from experiments.runs.presentation import Presentation
from experiments.terminal.console import bar, counted, here, say, seconds_text, shortened, show


def perft_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.perft."""
    keys = top_keys(PerftKeys, plain, ("game",))
    game, game_identity = game_value(plain)
    identity = {"game": game_identity, **keys._asdict()}
    return Checked(as_json(identity), f"{game_identity['name']} depth {keys.depth}", keys, game=game)


def prepare(config: Checked) -> None:
    """Refuse a position that is none."""
    from experiments.config.positions import position_of

    position_of(config, playable=False)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Count; returns the summary."""
    from experiments.config.positions import position_of
    from gpumcts.kernels.batch import Rules

    rules, root = Rules(config.game), position_of(config, playable=False)
    rules.perft(root, min(config.keys.depth, 1))  # compiles
    begin = time.perf_counter()
    with bar(config.slug, 1.0) as shown:
        nodes, finished = rules.perft_and_finished(root, config.keys.depth, shown.reach)
    seconds = time.perf_counter() - begin
    rate = nodes / seconds if seconds > 0 else 0.0
    line = f"{config.slug}: {counted(nodes, 'node')}, {seconds_text(seconds)}, {shortened(rate)} nodes/s"
    if finished:
        line += f"; {finished:,} games are over before, with them {nodes + finished:,}"
    if run.of > 1:
        say(f"[{run.number}/{run.of}] {line}")
    else:
        show(line, f"folder: {here(run.folder)}")
    return {
        "nodes": nodes,
        "finished_before": finished,
        "nodes_per_second": rate,
        "seconds": seconds,
        "depth": config.keys.depth,
    }


def numbers(config: Checked) -> tuple[str, ...]:
    """Those of the summary."""
    return "nodes", "finished_before", "nodes_per_second", "seconds", "depth"


COMMAND = Command(
    "perft",
    perft_config,
    work,
    prepare,
    numbers=numbers,
    results=Presentation(perft_cells, speed_panel("nodes_per_second"), keys=PerftKeys),
)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
