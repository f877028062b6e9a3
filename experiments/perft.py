"""Count the paths of legal moves of a given length: the standard test of a game's rules.

    python -m experiments.perft depth=9
    python -m experiments.perft depth=5 position="---------------------------OX------XO--------------------------- X"

A pass is a ply. Compilation is not in ``seconds``.
"""

import sys
import time
from typing import Any

from experiments.command import Command, Run
from experiments.console import here, say, shortened, show
from experiments.schema import Checked, perft_config


def prepare(config: Checked) -> None:
    """Refuse a position that is none."""
    from experiments.positions import position_of

    position_of(config, playable=False)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Count; returns the summary."""
    from experiments.positions import position_of
    from gpumcts.kernels.batch import Rules

    rules, root = Rules(config.game), position_of(config, playable=False)
    rules.perft(root, min(config.keys.depth, 1))  # compiles
    begin = time.perf_counter()
    nodes, finished = rules.perft_and_finished(root, config.keys.depth)
    seconds = time.perf_counter() - begin
    rate = nodes / seconds if seconds > 0 else 0.0
    line = f"{config.slug}: {nodes:,} nodes, {seconds:.3g} s, {shortened(rate)} nodes/s"
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


COMMAND = Command("perft", perft_config, work, prepare)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
