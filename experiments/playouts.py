"""Play playouts from one position and count how they end, and how fast they are; for one player, what they bring.

    python -m experiments.playouts count=1000000 engine=cpu threads=1 seed=1
    python -m experiments.playouts playout=minimax playout.depth=1 playout.epsilon=0.1
    python -m experiments.playouts -m playout=uniform,minimax threads=1,2

Playout number i has its own key, so neither the engine nor the threads change an outcome; ``digest`` is that of the
outcomes in order. Compilation and a short first batch are not in ``seconds``.
"""

import hashlib
import sys
import time
from typing import Any

from experiments.analysis.plots import speed_panel
from experiments.analysis.result_table import playouts_cells, playouts_measure
from experiments.app.command import Command, Run
from experiments.config.command_options import PlayoutsKeys
from experiments.config.schema import (
    Checked,
    Given,
    Plain,
    as_json,
    check_policies,
    game_value,
    named,
    option_value,
    top_keys,
)
from experiments.runs.presentation import Presentation
from experiments.terminal.console import bar, here, pairs, say, seconds_text, shortened, show, stop_on_interrupt
from gpumcts.kernels import engines

BATCH_SECONDS = 0.25
FIRST_BATCH = 1024
LARGEST_BATCH = 1 << 20
ENDINGS = ("first_wins", "draws", "second_wins")


def playouts_config(plain: Plain, given: Given | None = None) -> Checked:
    """The checked configuration of experiments.playouts; engine and threads count, since it measures speed."""
    keys = top_keys(PlayoutsKeys, plain, ("game", "playout", "engine"))
    game, game_identity = game_value(plain)
    policy, policy_identity = option_value("playout", plain["playout"], "playout")
    check_policies(game, policy)
    engine = named(plain["engine"], "engine", engines.NAMES)
    identity = {"game": game_identity, "playout": policy_identity, "engine": engine, **keys._asdict()}
    slug = f"{game_identity['name']} {policy_identity['name']} {engine}"
    return Checked(as_json(identity), slug, keys, game=game, policy=policy, engine=engine)


def prepare(config: Checked) -> None:
    """Refuse an engine that is not there, and a position that is none or is over."""
    from experiments.config.positions import position_of
    from experiments.players.preflight import check_engine

    check_engine(config)
    position_of(config)


def work(config: Checked, run: Run) -> dict[str, Any]:
    """Play the playouts in batches of about a quarter of a second; returns the summary."""
    from experiments.config.positions import position_of
    from experiments.players.player_factory import playout_engine_of

    title = f"[{run.number}/{run.of}] {run.label}" if run.of > 1 else f"{config.keys.count} playouts of {config.slug}"
    root = position_of(config)
    with stop_on_interrupt("stopping ...") as stop, bar(title, config.keys.count) as shown:
        engine = playout_engine_of(config)
        tallies = _play(config, engine, root, stop, shown.advance)
    summary = _summary(config, tallies, engine.name)
    if run.of > 1:
        say(f"{title}: {shortened(summary['playouts_per_second'])} playouts/s  {here(run.folder)}")
    else:
        show(pairs({**_shown(summary), "folder": here(run.folder)}))
    return summary


def _play(config: Checked, engine: Any, root: Any, stop: Any, advance: Any) -> dict[str, Any]:
    """Totals over all batches, the seconds they took, and the digest of the outcomes."""
    import numpy as np

    keys_from = _key_maker(config.keys.seed)
    totals = {"playouts": 0, "wins": 0, "draws": 0, "plies": 0, "score": 0}
    digest, seconds, size = hashlib.sha256(), 0.0, min(FIRST_BATCH, config.keys.count)
    engine.tally(np.broadcast_to(root, (size, len(root))), keys_from(0, size))  # compiles, and warms up
    while totals["playouts"] < config.keys.count and not stop.is_set():
        done = totals["playouts"]
        size = min(size, config.keys.count - done)
        states, keys = np.broadcast_to(root, (size, len(root))), keys_from(done, size)
        begin = time.perf_counter()
        tally = engine.tally(states, keys)
        took = time.perf_counter() - begin
        seconds += took
        digest.update(tally.score.astype("<i8").tobytes())
        totals["playouts"] += size
        for name in ("wins", "draws", "plies", "score"):
            totals[name] += int(getattr(tally, name).sum())
        advance(size)
        size = max(1, min(int(size * min(BATCH_SECONDS / max(took, 1e-9), 8)), LARGEST_BATCH))
    return {**totals, "seconds": seconds, "digest": digest.hexdigest()}


def _key_maker(seed: int) -> Any:
    """(first, count) -> keys uint64[count] of the playouts first, first + 1, ... under ``seed``."""
    import numpy as np

    from gpumcts.game_keys import keys_of
    from gpumcts.rng import key_of

    root = key_of(seed)
    return lambda first, count: keys_of(root, np.arange(first, first + count), np.zeros(count, np.int64))


def _endings(config: Checked, totals: dict[str, Any]) -> dict[str, Any]:
    """How the playouts ended: for two players who won, for one the mean of the rewards in [0, 1]."""
    from gpumcts.games.contract import SCORE_UNIT

    playouts = totals["playouts"]
    if config.game.PLAYERS == 1:
        return {"mean_reward": 0.5 + totals["score"] / (2.0 * SCORE_UNIT * playouts) if playouts else None}
    wins, draws = totals["wins"], totals["draws"]
    return dict(zip(ENDINGS, (wins, draws, playouts - wins - draws), strict=True))


def _summary(config: Checked, totals: dict[str, Any], engine: str) -> dict[str, Any]:
    playouts, seconds = totals["playouts"], totals["seconds"]
    return {
        "playouts": playouts,
        "playouts_per_second": playouts / seconds if seconds > 0 else 0.0,
        "mean_plies": totals["plies"] / playouts if playouts else None,
        **_endings(config, totals),
        "seconds": seconds,
        "digest": totals["digest"],
        "interrupted": playouts < config.keys.count,
        "seed": config.keys.seed,
        "engine": engine,
        "threads": config.threads,
    }


def _shown(summary: dict[str, Any]) -> dict[str, str]:
    playouts = summary["playouts"] or 1
    if "mean_reward" in summary:
        ends = {"mean_reward": "-" if summary["mean_reward"] is None else f"{summary['mean_reward']:.6f}"}
    else:
        ends = {key: f"{summary[key]:,} ({100 * summary[key] / playouts:.2f} %)" for key in ENDINGS}
    interrupted = ", interrupted" if summary["interrupted"] else ""
    speed, engine, threads = shortened(summary["playouts_per_second"]), summary["engine"], summary["threads"]
    return {
        "playouts": f"{summary['playouts']:,} in {seconds_text(summary['seconds'])}{interrupted}",
        "playouts/s": f"{speed}, engine {engine}, {threads} thread{'' if threads == 1 else 's'}",
        "mean plies": "-" if summary["mean_plies"] is None else f"{summary['mean_plies']:.3f}",
        **{key.replace("_", " "): text for key, text in ends.items()},
        "digest": summary["digest"],
        "seed": str(summary["seed"]),
    }


def numbers(config: Checked) -> tuple[str, ...]:
    """Those of the summary."""
    ends = ("mean_reward",) if config.game.PLAYERS == 1 else ENDINGS
    return "playouts", "playouts_per_second", "mean_plies", *ends, "seconds", "seed", "threads"


COMMAND = Command(
    "playouts",
    playouts_config,
    work,
    prepare,
    numbers=numbers,
    results=Presentation(
        playouts_cells, speed_panel("playouts_per_second"), measure=playouts_measure, keys=PlayoutsKeys
    ),
)

if __name__ == "__main__":
    sys.exit(COMMAND.main())
