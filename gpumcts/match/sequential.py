"""Matches that end once a sequential test has decided: which of their games count.

Games end in any order, and short ones first. So the test looks at games in the order of their numbers, two at a time:
one in which each player moves first. What it decides, and after which game, is then a function of the games alone.
"""

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from gpumcts.errors import BadInput
from gpumcts.match.game_batch import UNFINISHED
from gpumcts.validation import check_real, said

if TYPE_CHECKING:
    from gpumcts.match.statistics import Sprt

PAIR = 2  # games between two looks of the test
GO_ON = "go on"


class SequentialTest(NamedTuple):
    """A test of the Elo difference ``elo0`` (H0) against ``elo1`` (H1), by ``statistics.sprt``.

    alpha : probability of accepting H1 where H0 holds; beta : of the converse; both in (0, 0.5)
    """

    elo0: float
    elo1: float
    alpha: float = 0.05
    beta: float = 0.05

    def of(self, wins: int, draws: int, losses: int) -> "Sprt":
        """Where the test stands after so many results."""
        from gpumcts.match.statistics import sprt  # brings scipy, which a match without a test does not need

        return sprt(wins, draws, losses, *self)


def sequential_test(values: Iterable[float] | None) -> SequentialTest | None:
    """The test of ``[elo0, elo1]`` or ``[elo0, elo1, alpha, beta]``; None for None.

    Raises BadInput for other numbers of them, for what is no finite number, and for what ``statistics.sprt`` refuses.
    """
    if values is None:
        return None
    if isinstance(values, str | Set | Mapping) or not isinstance(values, Iterable):  # sets have no order
        raise BadInput(f"sprt={said(values)}: must be two Elo differences, as (0, 10)")
    given = list(values)
    for value in given:
        check_real("sprt", value)
    asked = f"sprt=[{','.join(f'{float(value):g}' for value in given)}]"
    if len(given) not in (2, 4):
        raise BadInput(f"{asked}: must be two Elo differences, or four numbers: elo0, elo1, alpha, beta")
    test = SequentialTest(*map(float, given))
    try:
        test.of(0, 0, 0)
    except BadInput as error:
        raise BadInput(f"{asked}: {str(error).partition(': ')[2]}") from None
    return test


class TestedGames:
    """The games of a match that a test has looked at: of games 0 to ``games - 1``, those before its decision."""

    __test__ = False  # nothing for pytest to collect

    def __init__(self, test: SequentialTest, games: int) -> None:
        self._test, self._games = test, games
        self.results = [0, 0, 0]  # wins, draws and losses of ``players[0]``
        self.state = test.of(0, 0, 0)

    @property
    def counted(self) -> int:
        """How many games the test has looked at: games 0 to ``counted - 1``."""
        return sum(self.results)

    @property
    def decided(self) -> bool:
        """Whether no more game is needed."""
        return self.state.decision != GO_ON

    def look(self, scores: Sequence[int] | np.ndarray) -> bool:
        """Look at the games that have ended since; whether the test has decided.

        scores : [G] of the games in the order of their numbers, for ``players[0]``; UNFINISHED where one has none
        """
        while not self.decided and self.counted < self._games:
            pair = [int(score) for score in scores[self.counted : min(self.counted + PAIR, self._games)]]
            if UNFINISHED in pair:
                break
            for score in pair:
                self.results[1 - (score > 0) + (score < 0)] += 1
            self.state = self._test.of(*self.results)
        return self.decided
