"""Playout policies: one file each, on the contract of :mod:`gpumcts.playouts.contract`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what type checkers see; the classes are loaded when they are first used
    from gpumcts.playouts.evaluation import Evaluation as Evaluation
    from gpumcts.playouts.go import GoPolicy as GoPolicy
    from gpumcts.playouts.minimax import Minimax as Minimax
    from gpumcts.playouts.staged import Staged as Staged
    from gpumcts.playouts.uniform import Uniform as Uniform


def names() -> list[str]:
    """The names of the playout policies that come with the library, as ``Search(game, playout=...)`` takes them.

    >>> import gpumcts as g
    >>> "uniform" in g.playouts.names()
    True
    """
    from gpumcts import options

    return options.names("playout")


if not TYPE_CHECKING:

    def __getattr__(name: str) -> type:
        if not name[:1].isupper():
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from gpumcts import options

        return options.class_named("playout", name)

    def __dir__() -> list[str]:
        from gpumcts import options

        return ["names", *options.classes("playout")]
