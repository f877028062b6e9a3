"""A search from Python: its options, checked, and batches of positions."""

import contextlib
import difflib
import inspect
import re
import threading
from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any, Literal, SupportsIndex, TypedDict, TypeGuard, Unpack

import numpy as np
import numpy.typing as npt

from gpumcts.api.interrupts import stoppable
from gpumcts.api.option_values import Option
from gpumcts.api.positions import batch_of, check_deciding
from gpumcts.api.search_result import SearchResult
from gpumcts.errors import BadInput
from gpumcts.game_keys import keys_of
from gpumcts.kernels.engines import NAMES
from gpumcts.options import value_of
from gpumcts.players.construction import PlayerContext, tree_search
from gpumcts.players.descriptions import Origin, Uct, checked_settings
from gpumcts.rng import key_of
from gpumcts.tree.checks import check_budget
from gpumcts.tree.settings import Settings
from gpumcts.validation import integer, said, seed_of

MAX_THREADS = 4096
MAX_ITERATIONS = 2**31 - 1


class SearchSettings(TypedDict, total=False):
    """The settings of ``Search``; ``gpumcts.tree.settings.Settings`` describes them, with their sources."""

    expansion: Literal["node", "threshold", "whole_path", "root"]
    threshold: int
    first_play_urgency: float
    playouts_per_leaf: int
    leaves_per_tree: int
    in_flight: Literal["virtual_loss", "unobserved"]
    batches_in_flight: int
    roots: int
    ties: Literal["random", "first"]
    final: Literal["visits", "value", "velocity", "score"]
    parent_count: Literal["visits", "children"]
    reuse: bool
    solve: bool
    table: int | None
    replacement: Literal["twobigp", "single"]
    stored_above: float


class Search:
    """Monte-Carlo tree search (UCT: Kocsis and Szepesvari 2006) of many positions of a game at once.

    Parameters
    ----------
    game : what ``make`` gives, a game of your own, or a name
    playout : a policy of ``gpumcts.playouts``, or its name
    selection : a rule of ``gpumcts.selection``, or its name
    backup : an operator of ``gpumcts.backup``, or its name
    engine : ``auto``, ``cpu``, ``cuda``, ``device`` or ``cudasim``; ``auto`` takes what is fastest on this machine
    threads : CPU threads, every core this process may use if None
    memory_gb : memory that the trees may take, in GiB; 40 % of what is free if None
    settings : how trees grow and moves are picked: ``expansion``, ``threshold``, ``first_play_urgency``,
        ``playouts_per_leaf``, ``leaves_per_tree``, ``in_flight``, ``batches_in_flight``, ``roots``, ``ties``,
        ``final``, ``parent_count``, ``reuse``, ``solve``, ``table``, ``replacement``, ``stored_above``;
        ``gpumcts.tree.settings.Settings`` describes them. ``reuse`` is for ``player``: positions searched here belong
        to no game

    A result depends on what is searched, iterations and seed, not on engine or threads. The first search of a kind
    compiles, seconds to a minute; later processes find the code in the cache. Several threads may call one ``Search``;
    it can be copied and pickled, so that processes of a pool have one each.

    A ``Search`` does not change: other settings are another ``Search``.

    Raises BadInput, one line that names what is allowed, for unknown names, values out of range, and parts that do not
    go together.

    >>> import gpumcts as g
    >>> game = g.make("dots_and_boxes", rows=1, columns=2)
    >>> search = g.Search(game, selection=g.selection.Ucb1(exploration=0.5), threads=1)
    >>> result = search(g.start(game, batch=2), iterations=200, seed=1)
    >>> g.move_text(game, g.start(game), result.best[0])
    'a2b2'
    >>> g.Search(game, backup="avrage")
    Traceback (most recent call last):
    gpumcts.errors.BadInput: backup=avrage is not known (did you mean average?); there are: accelerated, ...
    """

    _MADE_OF = ("_game", "_playout", "_selection", "_backup", "_settings", "_engine", "_threads", "_memory_limit")
    __slots__ = (*_MADE_OF, "__weakref__", "_searcher", "_turn")  # `search.threads = 1` would change nothing

    def __init__(
        self,
        game: Option | str,
        playout: Option | str = "uniform",
        selection: Option | str = "ucb1",
        backup: Option | str = "average",
        engine: str = "auto",
        threads: SupportsIndex | None = None,
        memory_gb: float | None = None,
        **settings: "Unpack[SearchSettings]",
    ) -> None:
        _check_names(settings)
        self._game = value_of("game", game)
        self._playout = value_of("playout", playout)
        self._selection = value_of("selection", selection)
        self._backup = value_of("backup", backup)
        self._settings = checked_settings(settings)
        self._engine, self._threads = engine_named(engine), threads_of(threads)
        self._memory_limit = bytes_of(memory_gb)
        self._make_ready()

    def _make_ready(self) -> None:
        context = PlayerContext(self._game, "search", self._engine, self._threads, self._memory_limit)
        with stoppable(), named_as_here():
            self._searcher = tree_search(context, self._playout, self._selection, self._backup, self._settings)
        self._turn = contextlib.nullcontext() if self._searcher.concurrent else threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """What it was made of: a copy, or one in another process, is compiled or loaded from the cache there."""
        return {name: getattr(self, name) for name in self._MADE_OF}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name, value in state.items():
            setattr(self, name, value)
        self._make_ready()

    def __repr__(self) -> str:
        parts = [repr(part) for part in (self._game, self._playout, self._selection, self._backup)]
        defaults = Settings()._asdict().items()
        changed = {name: value for name, value in self._settings._asdict().items() if (name, value) not in defaults}
        named = {**changed, "engine": self._engine, "threads": self._threads}
        return f"Search({', '.join([*parts, *(f'{name}={value!r}' for name, value in named.items())])})"

    @property
    def game(self) -> Option:
        """The game that is searched, as ``make`` gives it."""
        return self._game

    @property
    def settings(self) -> Settings:
        """How trees grow and moves are picked."""
        return self._settings

    def __call__(
        self, states: "npt.ArrayLike", iterations: SupportsIndex = 1000, seed: SupportsIndex = 1
    ) -> SearchResult:
        """Search each of ``states``, all of them together.

        Parameters
        ----------
        states : uint64[B, W], positions that are not over, in which a player is to move. They come from ``start``,
            ``play``, ``after`` or ``position``: other words are not checked against the rules of the game
        iterations : of each position, enough to try a move: 2, more with ``threshold`` or ``roots``, 1 with
            ``expansion`` whole_path or root. Times ``playouts_per_leaf``, by ``roots``, it must be below 2^31
        seed : 0 to 2^64 - 1. Position b is searched under the key (seed, b): its result depends on its row, not on B

        Returns
        -------
        SearchResult of B positions

        Raises BadInput for another shape or type, for a position that is over or where chance is to move, for other
        iterations, with ``reuse``, which is for ``player``, and where memory does not suffice. Ctrl-C ends the search
        within about 0.1 s of compiled work; the ``Search`` can be used again.
        """
        given = batch_of(self._searcher.game.WORDS, states).copy()
        if self._settings.reuse:
            raise BadInput("search.reuse=true: positions that are searched belong to no game; it is for search.player")
        budget, root = self._budget(iterations), key_of(seed_of(seed))
        check_deciding(self._searcher.rules, given)
        rows = np.arange(len(given))
        keys = keys_of(root, rows, np.zeros(len(given), np.int64))
        with stoppable() as stop, self._turn, named_as_here():
            found = self._searcher.search(given, keys, budget, stop)
            return SearchResult(self._searcher.game, given, found, self.settings)

    def player(self, iterations: SupportsIndex = 1000) -> Uct:
        """This search as a player of ``play_match``, ``iterations`` a move, as a search takes them.

        Raises BadInput for other iterations.

        >>> import gpumcts as g
        >>> game = g.make("dots_and_boxes", rows=1, columns=2)
        >>> search = g.Search(game, threads=1)
        >>> match = g.play_match(game, (search.player(iterations=50), g.players.Random()), games=10, seed=1)
        >>> match.games
        10
        """
        origin = Origin(self._game, self._engine, self._threads, self._memory_limit)
        return Uct(self._budget(iterations), self._playout, self._selection, self._backup, self._settings, origin)

    def _budget(self, iterations: SupportsIndex) -> int:
        """Iterations of a position, checked."""
        budget = integer("iterations", iterations, 1, MAX_ITERATIONS)
        with named_as_here():
            check_budget(budget, self._settings)
        return budget


@contextlib.contextmanager
def named_as_here() -> Iterator[None]:
    """Errors within speak of ``iterations`` and ``playouts_per_leaf``, which the command line has under ``budget``."""
    try:
        yield
    except BadInput as error:
        text = re.sub(r"\bbudget\.", "", str(error))
        if text == str(error):
            raise  # as it is, a lost device too
        raise BadInput(text) from None


def engine_named(engine: str) -> str:
    """``engine`` as it is; raises BadInput, naming those there are, for another."""
    if not isinstance(engine, str) or engine not in NAMES:
        raise BadInput(f"engine={said(engine)}: must be one of {', '.join(NAMES)}")
    return engine


def threads_of(threads: SupportsIndex | None) -> int:
    """CPU threads: as many as asked for, or as this process may use; raises BadInput for a number out of range."""
    if threads is not None:
        return integer("threads", threads, 1, MAX_THREADS)
    return PlayerContext(None).cores


def _check_names(given: Mapping[str, Any]) -> None:
    """Refuse keyword arguments of ``Search`` that there are not. Raises BadInput, with the nearest that there is."""
    there = [*(name for name in inspect.signature(Search).parameters if name != "settings"), *Settings._fields]
    for name in given:
        if name not in there:
            near = difflib.get_close_matches(name, there, n=1)
            meant = f" (did you mean {near[0]}?)" if near else ""
            raise BadInput(f"search.{name}: unknown parameter{meant}; a Search has {', '.join(there)}")


def bytes_of(memory_gb: float | None) -> int | None:
    """A limit in GiB as bytes; None for none. Raises BadInput for what is no number in [1e-9, 1e9)."""
    if memory_gb is None:
        return None
    # NumPy's own numbers would overflow.
    number = memory_gb.item() if isinstance(memory_gb, np.generic) else memory_gb
    if not _is_real(number) or not 1e-9 <= number < 1e9:
        raise BadInput(f"memory_gb={said(memory_gb)}: must be a number of at least 1e-9 and below 1e9, or None")
    return int(number * 2**30)


def _is_real(number: object) -> TypeGuard[float]:
    return isinstance(number, Real) and not isinstance(number, bool)
