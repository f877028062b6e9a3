"""The game an engine has on its board, move by move.

Plain Python, there before anything is compiled. In long games alone, rules that look back at all of it are compiled.
"""

from typing import Any

import numpy as np

from gpumcts.games import contract
from gpumcts.kernels.batch import Rules

LONG = 30  # positions; plain Python looks back at so many in some milliseconds


def prepare_long_games(game: Any) -> None:
    """Have the rules compiled that long games of ``game`` (an option value) ask for, while nobody's clock runs."""
    if contract.has_history(game):
        rules = Rules(game)
        start = rules.starts(1)[0]
        words = rules.with_history(start, start[None])
        rules.count_moves(words[None])
        rules.legal_moves(words)


class Position:
    """The current position of a game, and those before it; ``game`` is an option value.

    number : of the game, from 0; start : the state it begins with (None: the game's own); moves : played so far
    """

    def __init__(self, game: Any, number: int = 0, start: Any = None) -> None:
        self.game, self.number = game, number
        self.moves: list[int] = []
        self.start = contract.start(game) if start is None else start
        self._states = [self.start]
        self._earlier: list[np.ndarray] = []  # the same packed, as far as they have been asked for
        self._looks_back = contract.has_history(game)
        self._seen: Any = None  # the last state as ``with_history`` gives it, once someone has asked

    @property
    def state(self) -> Any:
        """The position as the game's NamedTuple, with what the game so far forbids (superko)."""
        if not self._looks_back:
            return self._states[-1]
        if self._seen is None:
            self._seen = self._looking_back()
        return self._seen

    def _looking_back(self) -> Any:
        missing = self._states[len(self._earlier) : -1]
        self._earlier += [self._packed(state) for state in missing]
        earlier = np.array(self._earlier, np.uint64).reshape(-1, self.game.WORDS)
        if not self._long:
            with np.errstate(over="ignore"):
                return contract.with_history(self.game, self._states[-1], earlier)
        rules = Rules(self.game)
        return rules.state(rules.with_history(self._packed(self._states[-1]), earlier))

    @property
    def mover(self) -> int:
        """Who moves: 0 or 1."""
        return int(contract.mover(self.game, self._states[-1]))

    @property
    def legal(self) -> list[int]:
        """The legal moves; none where the game is over."""
        if self._long:
            return Rules(self.game).legal_moves(self.words()).tolist()
        with np.errstate(over="ignore"):
            return [int(contract.nth_move(self.game, self.state, k)) for k in range(self._count())]

    @property
    def only_move(self) -> int | None:
        """The legal move, where there is but one."""
        if self._count() != 1:
            return None
        with np.errstate(over="ignore"):
            return int(contract.nth_move(self.game, self.state, 0))

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self._count() == 0

    @property
    def _long(self) -> bool:
        """Whether compiled rules answer, which take a while to load and then no time."""
        return self._looks_back and len(self._states) > LONG

    def _count(self) -> int:
        """Legal moves; 0 where the game is over."""
        if self._long:
            return int(Rules(self.game).count_moves(self.words()[None])[0])
        with np.errstate(over="ignore"):
            return int(contract.count_moves(self.game, self.state))

    def parse(self, text: str) -> int:
        """The legal move that ``text`` names; raises BadInput where it names none."""
        with np.errstate(over="ignore"):
            return int(contract.parse_move(self.game, self.state, text))

    def push(self, move: int) -> None:
        """Play a legal move of whoever is to move."""
        with np.errstate(over="ignore"):
            self._states.append(contract.play(self.game, self._states[-1], move))
        self.moves.append(move)
        self._seen = None

    def _pop(self) -> None:
        self._states.pop()
        del self._earlier[len(self._states) - 1 :]
        self.moves.pop()
        self._seen = None

    def _change_last(self, state: Any) -> None:
        """Put another state in the place of the current one."""
        self._states[-1] = state
        self._seen = None

    # ------------------------------------------------------------------------------------------------------ text

    def text(self, move: int) -> str:
        """A legal move."""
        with np.errstate(over="ignore"):
            return str(contract.move_text(self.game, self.state, move))

    def line(self, moves: list[int]) -> list[str]:
        """A line of moves from here."""
        state, texts = self.state, []
        with np.errstate(over="ignore"):
            for move in moves:
                texts.append(str(contract.move_text(self.game, state, move)))
                state = contract.play(self.game, state, move)
        return texts

    def board(self) -> str:
        """The board drawn, several lines."""
        with np.errstate(over="ignore"):
            return str(contract.board_text(self.game, self.state))

    def moves_left(self) -> float:
        """An estimate of how many moves the player to move has yet."""
        with np.errstate(over="ignore"):
            return max(1.0, float(contract.remaining_plies(self.game, self.state)) / 2)

    def words(self) -> np.ndarray:
        """The position packed, uint64[W]."""
        return self._packed(self.state)

    def _packed(self, state: Any) -> np.ndarray:
        words = np.empty(self.game.WORDS, np.uint64)
        contract.pack(self.game, state, words, 0, 1)
        return words
