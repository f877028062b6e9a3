"""What can be chosen about the informed playouts of Go."""

from typing import Annotated, NamedTuple

from annotated_types import Interval


class GoPolicy(NamedTuple):
    """Fuego's order of moves; see the package. With all of it off the moves are those of ``Uniform``.

    capture, defend, low_liberty, patterns, any_capture : whether there is the stage
    correction : whether a self-atari is moved to the liberty that avoids it
    mercy : players pass from a difference of so many stones on, in percent of the points of the board; 0 means never
    truncate : plies after which the evaluation stands for the outcome; 0 plays to the end
    """

    capture: bool = True
    defend: bool = True
    low_liberty: bool = True
    patterns: bool = True
    any_capture: bool = True
    correction: bool = True
    mercy: Annotated[int, Interval(ge=0, le=100)] = 30
    truncate: Annotated[int, Interval(ge=0, le=65535)] = 0

    LANES = False
