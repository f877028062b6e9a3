"""Backup operators: one file each, on the contract of :mod:`gpumcts.tree.backup.contract`."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # what type checkers see; the classes are loaded when they are first used
    from gpumcts.tree.backup.accelerated import Accelerated as Accelerated
    from gpumcts.tree.backup.accelerated_adaptive import AcceleratedAdaptive as AcceleratedAdaptive
    from gpumcts.tree.backup.accelerated_root_first import AcceleratedRootFirst as AcceleratedRootFirst
    from gpumcts.tree.backup.average import Average as Average
    from gpumcts.tree.backup.average_rounds import AverageRounds as AverageRounds
    from gpumcts.tree.backup.average_variance import AverageVariance as AverageVariance
    from gpumcts.tree.backup.bast import Bast as Bast
    from gpumcts.tree.backup.discounted import Discounted as Discounted
    from gpumcts.tree.backup.heuristic_prior import HeuristicPrior as HeuristicPrior
    from gpumcts.tree.backup.implicit_minimax import ImplicitMinimax as ImplicitMinimax
    from gpumcts.tree.backup.max import Max as Max
    from gpumcts.tree.backup.minimax import Minimax as Minimax
    from gpumcts.tree.backup.mix import Mix as Mix
    from gpumcts.tree.backup.power_mean import PowerMean as PowerMean
    from gpumcts.tree.backup.robust_max import RobustMax as RobustMax


def names() -> list[str]:
    """The names of the backup operators that come with the library, as ``Search(game, backup=...)`` takes them.

    >>> import gpumcts as g
    >>> "average" in g.backup.names()
    True
    """
    from gpumcts import options

    return options.names("backup")


if not TYPE_CHECKING:

    def __getattr__(name: str) -> type:
        if not name[:1].isupper():
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from gpumcts import options

        return options.class_named("backup", name)

    def __dir__() -> list[str]:
        from gpumcts import options

        return ["names", *options.classes("backup")]
