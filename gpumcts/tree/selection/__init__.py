"""Selection rules: one file each, on the contract of :mod:`gpumcts.tree.selection.contract`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what type checkers see; the classes are loaded when they are first used
    from gpumcts.tree.selection.bast import Bast as Bast
    from gpumcts.tree.selection.best_or_random import BestOrRandom as BestOrRandom
    from gpumcts.tree.selection.boltzmann import Boltzmann as Boltzmann
    from gpumcts.tree.selection.depth_decayed import DepthDecayed as DepthDecayed
    from gpumcts.tree.selection.epsilon_greedy import EpsilonGreedy as EpsilonGreedy
    from gpumcts.tree.selection.rave import Rave as Rave
    from gpumcts.tree.selection.sensei import Sensei as Sensei
    from gpumcts.tree.selection.ucb1 import Ucb1 as Ucb1
    from gpumcts.tree.selection.ucb1_tuned import Ucb1Tuned as Ucb1Tuned
    from gpumcts.tree.selection.uniform import Uniform as Uniform


def names() -> list[str]:
    """The names of the selection rules that come with the library, as ``Search(game, selection=...)`` takes them.

    >>> import gpumcts as g
    >>> "ucb1" in g.selection.names()
    True
    """
    from gpumcts import options

    return options.names("selection")


if not TYPE_CHECKING:

    def __getattr__(name: str) -> type:
        if not name[:1].isupper():
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from gpumcts import options

        return options.class_named("selection", name)

    def __dir__() -> list[str]:
        from gpumcts import options

        return ["names", *options.classes("selection")]
