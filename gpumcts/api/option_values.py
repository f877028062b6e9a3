"""Games by name."""

from typing import Any, TypeAlias

from gpumcts import options

Option: TypeAlias = tuple[Any, ...]
"""A game, policy, rule or operator: an immutable ``NamedTuple`` of its parameters."""


def games() -> list[str]:
    """The names of the games that come with the library, as ``make`` takes them; list[str].

    >>> import gpumcts as g
    >>> "othello" in g.games()
    True
    """
    return options.names("game")


def make(name: str, **parameters: Any) -> Any:
    """A game by its name, with its parameters; the others have their defaults.

    Parameters
    ----------
    name : one of ``games()``, or the dotted name of a module of your own (``my_lab.connect_four``)
    parameters : fields of the game's class, whose docstring describes them

    Returns
    -------
    The game's option, an immutable ``NamedTuple`` whose fields are its parameters

    Raises
    ------
    BadInput : an unknown name or parameter, or a value out of range; one line that names what is allowed

    >>> import gpumcts as g
    >>> g.make("havannah", base=5)
    Havannah(base=5, swap=False, side_weight=4, two_sides_weight=12, corner_weight=8, link_weight=1)
    >>> g.make("havannah", base=99)
    Traceback (most recent call last):
    gpumcts.errors.BadInput: game.base=99: must be an integer in [4, 10]
    """
    return options.named("game", name, parameters)
