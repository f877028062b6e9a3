"""What source documents publish, and what of it is worked out here."""

from fractions import Fraction
from typing import NamedTuple


class Published(NamedTuple):
    """A win rate as a document prints it, in [0, 1], its games, and the iterations a move, where they are known.

    enough : games that ours have to have to be tested against it
    """

    win_rate: float
    games: int
    iterations: int | None
    enough: int = 400


class Worked(NamedTuple):
    """One value of a worked figure: ours, and the exact one, printed in the document or derived from its equations."""

    what: str
    exact: Fraction
    ours: float
    source: str
