"""Positions to play from, keys, and digests of what the playouts came to."""

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from gpumcts import options
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import TallyColumns
from gpumcts.playouts.contract import plays
from gpumcts.rng import child_key, key_of
from tests.games.drivers import for_tests, has_stages

ROOT = Path(__file__).resolve().parents[2]
GAMES = for_tests()
UNIFORM, MINIMAX, EVALUATION, STAGED, GO = (
    options.option("playout", name) for name in ("uniform", "minimax", "evaluation", "staged", "go")
)
POLICIES = {
    "uniform": UNIFORM(),
    "uniform, 7 plies": UNIFORM(truncate=7),
    "evaluation": EVALUATION(),
    "evaluation, sigmoid": EVALUATION("sigmoid"),
    "staged": STAGED(),
    "go": GO(),
    "minimax 1": MINIMAX(depth=1),
    "minimax 1, epsilon": MINIMAX(depth=1, epsilon=0.25),
    "minimax 2": MINIMAX(depth=2),
    "minimax 3, 4 plies": MINIMAX(depth=3, epsilon=0.1, truncate=4),
}

CURVED = ("othello", "chess")  # the curve is the same in all games
PAIRS = [
    (g, p)
    for g in GAMES
    for p in POLICIES
    if plays(POLICIES[p], GAMES[g])
    and (p != "staged" or has_stages(GAMES[g]))
    and (p != "evaluation, sigmoid" or g in CURVED)
]
"""Names of games and policies to try together; where a game has no stages, playouts in stages are the uniform ones."""


def keys_for(count: int, seed: int = 1) -> np.ndarray:
    """A key a leaf, uint64[count]."""
    with np.errstate(over="ignore"):
        return child_key(key_of(seed), np.arange(count, dtype=np.uint64))


def positions(game: Any, count: int, seed: int = 1, least: int = 0) -> np.ndarray:
    """Positions ``least`` plies into random games and more, the odd one at its end: uint64[count, W]."""
    rules = Rules(game)
    states = rules.starts(count)
    most = least + np.arange(count) % max(1, min(40, game.MAX_PLIES // 2))
    for ply in range(int(most.max())):
        going = np.flatnonzero((rules.count_moves(states) > 0) & (ply < most))
        if len(going):
            moves = rules.random_moves(states[going], keys_for(count, seed + 1 + ply)[going])
            states[going] = rules.play(states[going], moves)
    return states


def digest(tally: TallyColumns) -> str:
    """Of the tallies of all leaves, in order."""
    return hashlib.sha256(np.stack(tally).tobytes()).hexdigest()[:16]


def told_by(module: str, *arguments: str) -> Any:
    """What a module, run in a process of its own, prints as JSON."""
    command = [sys.executable, "-m", module, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)
