"""Which engine a search is played on: the one that was named, or with ``engine=auto`` the fastest for its trees."""

from collections.abc import Callable
from typing import Any

from gpumcts.compiling.class_names import name_as_written
from gpumcts.errors import BadInput
from gpumcts.kernels.crossover import Crossover
from gpumcts.kernels.engines import playout_engine, resolve
from gpumcts.kernels.playout_engine import PlayoutEngine
from gpumcts.tree.checks import BEYOND_TABLES
from gpumcts.tree.device_search import DeviceEngine
from gpumcts.tree.host.sharing import threads_share_trees
from gpumcts.tree.host.team import useful_threads
from gpumcts.tree.settings import Settings


class EngineChoice:
    """The engines of one search; those made by name are kept.

    game, policy : compiled values that are played; crossover : what ``engine=auto`` chooses by, else None
    """

    def __init__(self, game: Any, policy: Any, threads: int, crossover: Any) -> None:
        self._game, self._policy, self._threads, self._crossover = game, policy, threads, crossover
        self._made: dict[str, PlayoutEngine | DeviceEngine | None] = {}

    @property
    def are_chosen(self) -> bool:
        """Whether the engine is chosen anew for every search."""
        return self._crossover is not None

    def taken(self, engine: Any) -> PlayoutEngine | DeviceEngine | None:
        """The engine of a name, or the one given; None for the CPU. Raises BadInput for one made for another game."""
        if isinstance(engine, str):
            if engine not in self._made:
                self._made[engine] = self._make(resolve(engine))
            engine = self._made[engine]
        played = getattr(engine, "game", self._game)
        if type(played) is not type(self._game):
            theirs, ours = name_as_written(type(played)), name_as_written(type(self._game))
            raise BadInput(f"engine={engine.name}: made for {theirs}, not {ours}")
        return None if engine is None or engine.name == "cpu" else engine

    def fastest(
        self, settings: Settings, trees: int, watched: bool, whole: bool, together: Callable[[], int | None]
    ) -> str:
        """The name of the fastest engine for so many trees, where it is chosen.

        together : tells how many of them a device holds at a time, None for all; asked where it would be taken

        A search whose value is watched stays on the CPU. ``device`` takes ``whole`` searches alone, not slices. The
        first time that another engine than the CPU is the fastest, the device is tried; where it does not work, the CPU
        plays from then on.
        """
        if watched:
            return "cpu"
        found = _fastest(self._crossover, settings, self._threads, trees, whole)
        if found == "device":
            found = _fastest(self._crossover, settings, self._threads, trees, whole, together())
        if found != "cpu" and resolve("auto") == "cpu":
            self._crossover, found = None, "cpu"
        return found

    def _make(self, name: str) -> PlayoutEngine | DeviceEngine | None:
        if name in ("cpu", "device"):
            return DeviceEngine() if name == "device" else None
        return playout_engine(name, self._game, self._policy, self._threads)


def stays_on_cpu(game: Any, policy: Any, settings: Settings, threads: int, most: int) -> bool:
    """Whether ``engine=auto`` takes the CPU for every number of trees up to ``most``: then no device has to be tried.

    game, policy : option values. Numbers of trees are tried in steps of two times. BadInput for a bad table of rates.
    """
    if settings.table is not None:
        return True
    crossover = Crossover(game, policy, threads)
    numbers = [most, *(1 << power for power in range(most.bit_length()))]
    return all(_fastest(crossover, settings, threads, trees, whole=True) == "cpu" for trees in numbers)


def _fastest(
    crossover: Any, settings: Settings, threads: int, trees: int, whole: bool, together: int | None = None
) -> str:
    leaves, playouts, sharing = settings.leaves_per_tree, settings.playouts_per_leaf, 1
    if threads_share_trees(settings, threads, trees, beside_device=False):
        sharing = useful_threads(threads, leaves, playouts)
    holds_all = together is None or together >= trees
    return crossover.fastest(trees, playouts, leaves, sharing, _unfit(settings, whole, holds_all), together)


def _unfit(settings: Settings, whole: bool, holds_all: bool) -> list[str]:
    """Engines that cannot make a search, or have nothing to do in it.

    holds_all : whether a device holds all trees at a time, as it has to where they are kept
    """
    brings_back = settings.final not in BEYOND_TABLES and (holds_all or not settings.reuse)
    found = [] if whole and settings.batches_in_flight == 1 and brings_back else ["device"]
    # Every position of an episode is in the tree: no leaf is left that ``cuda`` could play.
    return [*found, "cuda"] if settings.expansion == "whole_path" else found
