"""The searches behind soft traps: what a shallow and a deep search think of the shallow one's choice, lines of play.

Values are for the player to move, in the game's units of evaluation; a win in n plies is WON - n.
"""

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from experiments.config.schema import Checked
from experiments.ranking.methods import PlayoutsKeys, SearchAfterMoves, after_moves, method_of
from experiments.ranking.positions import Position, move_texts
from experiments.soft_traps.summary import escapable
from gpumcts.alpha_beta.leaves import WON_LEAST
from gpumcts.alpha_beta.minimax import Minimax
from gpumcts.games import contract
from gpumcts.kernels.batch import Rules
from gpumcts.playouts.minimax import Minimax as Players
from gpumcts.rng import child_key, draw, key_of

TIE_STREAM = 3  # below the seed: the choice among equal moves, by game and ply
LINE_PLIES = 6


class Traps:
    """Searches of one run."""

    def __init__(self, config: Checked) -> None:
        keys = config.keys
        self._config, self._keys, self._rules = config, keys, Rules(config.game)
        self._minimax = Minimax(config.game, threads=config.threads)
        self._deep = SearchAfterMoves(config.game, keys.deep - 1, config.threads)
        policy = Players(keys.shallow, keys.epsilon)
        options = PlayoutsKeys("playouts", keys.playouts, policy)
        self._playouts = method_of(options, config.game, keys.seed, config.threads) if keys.playouts else None

    def lines(self, numbers: Sequence[int], boards: Sequence[Position], stop: threading.Event) -> list[dict[str, Any]]:
        """A line of results.jsonl for each of some boards; KeyboardInterrupt where ``stop`` is set meanwhile."""
        keys, states = self._keys, np.stack([board.words for board in boards])
        shallow = self._minimax.values_of_moves(states, keys.shallow, stop=stop).values
        chosen = [_choice(values, self._key(board)) for values, board in zip(shallow, boards, strict=True)]
        now = self._minimax.values_of_moves(states, 1, stop=stop).values
        deep = self._deep_values(states, chosen, stop)
        keys_of_ties = np.array([self._key(board) for board in boards], np.uint64)
        best = self._minimax.search(states, keys_of_ties, keys.deep, stop).values
        seen = self._minimax.values_of_moves(states, keys.strategy + 1, stop=stop).values if keys.strategy else None
        found = []
        for i, (number, board, move) in enumerate(zip(numbers, boards, chosen, strict=True)):
            line = {
                "number": number, "game": board.game, "ply": board.ply, "title": board.title, "position": board.text,
                "move": move_texts(self._config.game, board.words)[move],
                "shallow": int(shallow[i][move]), "deep": int(deep[i]), "best_deep": int(best[i]),
                "evaluation": int(now[i][move]),
            }  # fmt: skip
            if seen is not None:
                line["most_gained"] = int((now[i] - seen[i]).max())
            if self._playouts is not None and escapable(line, keys.delta):
                line |= self._avoided(board, move, stop)
            found.append(line)
        return found

    def _key(self, board: Position) -> np.uint64:
        return key_of(self._keys.seed, TIE_STREAM, board.game, board.ply)

    def _deep_values(self, states: np.ndarray, chosen: Sequence[int], stop: threading.Event) -> np.ndarray:
        """The deep search's values of the chosen moves, float64[B]; the positions after them are one batch."""
        moves = [self._rules.legal_moves(words)[move] for words, move in zip(states, chosen, strict=True)]
        after = self._rules.play(states, np.array(moves, np.int64))
        return a_ply_on(self._deep.of_each(states, after, stop)[0])

    # ----------------------------------------------------------------------------------------- playouts and lines

    def _avoided(self, board: Position, move: int, stop: threading.Event) -> dict[str, Any]:
        """What playouts say of a trap: its rank by them, their own choice, what the deep search thinks of both."""
        from experiments.ranking.statistics import ranks

        assert self._playouts is not None
        _, states = after_moves(self._rules, board.words)
        deep = a_ply_on(self._deep.of_states(board.words, states, stop)[0])
        valued = self._playouts.of(board, stop)
        texts, key = move_texts(self._config.game, board.words), self._key(board)
        theirs = _choice(valued.values, key)
        best = _choice(deep, key)
        return {
            "moves": len(deep), "best": texts[best], "escapes": int((deep - deep[move] >= self._keys.delta).sum()),
            "playouts_choose": texts[theirs], "playouts_deep": int(deep[theirs]),
            "rank_by_playouts": float(ranks(valued.values)[move]), "rank_by_deep": float(ranks(deep)[move]),
            "win_rates": [float(valued.values[move]), float(valued.values[theirs])],
            "distinct": None if valued.distinct is None else valued.distinct.tolist(),
            "line": self._line(states[move], stop), "better_line": self._line(states[theirs], stop),
        }  # fmt: skip

    def _line(self, words: np.ndarray, stop: threading.Event) -> list[str]:
        """Best play from a packed state, as the deep search has it: each move by what is left of its plies."""
        texts: list[str] = []
        for depth in range(self._keys.deep - 1, max(0, self._keys.deep - 1 - LINE_PLIES), -1):
            if not self._rules.count_moves(words[None])[0]:
                break
            move = self._minimax.search(words[None], np.array([key_of(depth)], np.uint64), depth, stop).moves
            with np.errstate(over="ignore"):
                texts.append(contract.move_text(self._rules.game, self._rules.state(words), int(move[0])))
            words = self._rules.play(words[None], move)[0]
        return texts


def a_ply_on(values: np.ndarray) -> np.ndarray:
    """Values counted from after a move (float64[B]), as counted from before the move: wins are a ply farther."""
    return np.where(np.abs(values) >= WON_LEAST, values - np.sign(values), values)


def _choice(values: np.ndarray, key: np.uint64) -> int:
    """The number of a move of the best value; of several each is equally likely."""
    best = np.flatnonzero(values == values.max())
    with np.errstate(over="ignore"):
        return int(best[int(draw(child_key(key, np.uint64(0)), 0, np.uint64(len(best))))])
