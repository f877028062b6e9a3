"""How players that remember come to know again what they knew when a run was cut off."""

from pathlib import Path

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.games.contract import CHANCE
from gpumcts.match.batches import Batch
from gpumcts.match.decisions import Decider
from gpumcts.match.game_batch import GameBatch


def recall(game_batch: GameBatch, games: np.ndarray, decider: Decider, folder: Path) -> bool:
    """Let players that remember choose once more in those of ``games`` (int64[K]) that are begun; False if halted.

    Raises BadInput, naming the ``folder`` of the match, where one chooses otherwise than before.
    """
    begun = games[game_batch.plies[games] > 0]
    if not len(begun) or not any(player.remembers for player in decider.players):
        return True
    past = GameBatch(game_batch.rules, len(game_batch.plies))
    while len(behind := begun[past.plies[begun] < game_batch.plies[begun]]):
        turns = past.to_move(behind)
        for turn in (0, 1, CHANCE):
            batch = Batch(turn, behind[turns == turn])
            if not len(batch.games):
                continue
            played = [game_batch.moves[game][past.plies[game]] for game in batch.games.tolist()]
            moves = np.array(played, np.int64)
            if turn != CHANCE and decider.players[turn].remembers:
                decision = decider.decide(past, batch)
                if decision is None:
                    return False
                differs = decision.moves != moves
                if differs.any():
                    name, game = decider.players[turn].name, batch.games[np.argmax(differs)]
                    raise BadInput(f"{name} does not repeat its choices in game {game} of {folder}")
            past.play(batch.games, moves)
    return True
