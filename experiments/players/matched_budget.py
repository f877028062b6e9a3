"""A budget that follows the other side (``budget.matched``): the mean nodes a move of that side, as iterations.

They are counted in games of the other side against itself, once; what they come to stands in the run's folder and
binds, so that a match that goes on is the same match. The count is a function of the other side alone, and the same on
every machine.
"""

import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from experiments.config.json_files import read_json, write_json
from experiments.terminal.console import say
from gpumcts.errors import BadInput
from gpumcts.game_keys import keys_of
from gpumcts.games.contract import CHANCE
from gpumcts.kernels.batch import Rules
from gpumcts.match.game_batch import GameBatch
from gpumcts.players.contract import Player
from gpumcts.players.time_budget import check_stop
from gpumcts.rng import key_of

MATCHED = "matched.json"
SEED = 0  # of the games that are counted


def bound_iterations(
    folder: Path,
    side: str,
    game: Any,
    games: int,
    make: Callable[[], Player],
    stop: threading.Event | None = None,
) -> dict[str, int]:
    """Iterations a move, by ``side``: those bound in ``folder``, or what ``games`` games of the other side come to.

    game : option value; make : gives the other side, which counts its work. Raises BadInput where the file there is
        damaged, and KeyboardInterrupt where ``stop`` is set meanwhile.
    """
    path = folder / MATCHED
    if not path.exists():
        found = max(1, round(nodes_a_move(game, make(), games, stop)))
        say(
            f"{side}: {found:,} iterations a move, as many as the other side visits nodes in {games} games against "
            "itself"
        )
        folder.mkdir(parents=True, exist_ok=True)
        write_json(path, {side: found})
    bound: Mapping[str, Any] = read_json(path)
    if set(bound) != {side} or not all(type(number) is int and number >= 1 for number in bound.values()):
        raise BadInput(f"{path} is damaged; start in another folder")
    return dict(bound)


def nodes_a_move(game: Any, player: Player, games: int, stop: threading.Event | None = None) -> float:
    """Mean cost of a move of ``player``, in what it counts, over ``games`` games against itself from the start.

    Raises KeyboardInterrupt where ``stop`` is set meanwhile.
    """
    table, numbers, root = GameBatch(Rules(game), games), np.arange(games), key_of(SEED)
    before, moves = player.iterations, 0
    while len(going := numbers[table.running(numbers)]):
        by_chance = table.to_move(going) == CHANCE
        for batch, chance in ((going[by_chance], True), (going[~by_chance], False)):
            if not len(batch):
                continue
            states, keys = table.states[batch], keys_of(root, batch, table.plies[batch])
            chosen = table.rules.random_moves(states, keys) if chance else player.choose(states, keys, batch, stop)
            check_stop(stop)
            table.play(batch, chosen)
            moves += 0 if chance else len(batch)
    player.forget(numbers)
    return (player.iterations - before) / moves
