"""Many searches of many synthetic trees: what they find on the way, kept piece by piece.

A run is done in pieces of some trees each, and a finished piece is a file in the run's folder: a run that is stopped
goes on with the pieces that are missing. Where a device has a part in the searches, those of many pieces are made
together: it wants tens of thousands of trees at a time.
"""

import threading
from collections.abc import Callable
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from experiments.config.schema import Checked
from experiments.players.player_factory import searcher
from experiments.players.run_engine import played_by
from experiments.runs.array_files import read_npz, write_npz
from experiments.runs.tree_work import TreesWork
from experiments.runs.work_clock import WorkClock
from experiments.terminal.console import counted, say_if_long
from gpumcts.games.contract import NO_MOVE
from gpumcts.games.instances import instances
from gpumcts.kernels.batch import Rules
from gpumcts.rng import key_of
from gpumcts.solver.alpha_beta import root_scores, search_budget, solve
from gpumcts.tree.root_table import RootTable, decide

SEARCHES_A_PIECE = 2000
SEARCHES_TOGETHER = 1 << 16  # beside a device, at most: more keep it no busier
ITERATIONS_TOGETHER = 1 << 32  # about a minute of a device, which a stop costs
PIECES = "pieces"
NOTHING = np.zeros(0, np.int64)


class Piece(NamedTuple):
    """What the searches of some trees gave at C checkpoints: S searches, the runs of a tree in succession.

    A tree without a wrong move cannot fail, and where nothing else is asked for, it is not searched.
    """

    trees: np.ndarray  # int64 [K] numbers of the instances
    decisive: np.ndarray  # bool [K] whether a move of the root is worse than another
    searched: np.ndarray  # int64 [S] numbers of the instances that were searched
    failed: np.ndarray  # bool [S, C] the move chosen is worse than the best; nothing without exact values
    visits: np.ndarray  # int32 [S, C] of the root's moves
    wrong: np.ndarray  # int32 [S, C] of moves worse than the best; without exact values, of all moves but move 0
    below: np.ndarray  # int64 [S] iterations after which the root's value was last below the level
    leaves: (
        np.ndarray
    )  # int64 [K * runs] leaves of the whole search of alpha-beta, of all trees; empty for other methods
    values: np.ndarray  # float32 [S, C, M] of the root's moves; nan before a visit; empty without a level


class Found(NamedTuple):
    """What the searches of a piece give: its columns of the same names."""

    failed: np.ndarray
    visits: np.ndarray
    wrong: np.ndarray
    below: np.ndarray
    values: np.ndarray


def checkpoints(iterations: int, a_decade: int, leaves: int = 1) -> list[int]:
    """Numbers of iterations from 1 to ``iterations``, so many a decade: 1, 2, 5, 10, ... for three.

    All but the last are rounded up to multiples of ``leaves``, those that a tree has in a batch.
    """
    found, power = [], 1
    while power <= iterations:
        steps = (1, 2, 5) if a_decade == 3 else [10 ** (i / a_decade) for i in range(a_decade)]
        found += [round(step * power) for step in steps]
        power *= 10
    rounded = {-(-point // leaves) * leaves for point in found}
    return sorted({point for point in rounded if point < iterations} | {iterations})


def points_of(config: Checked) -> list[int]:
    """The checkpoints of a run."""
    assert config.player is not None and config.player.budget.iterations is not None
    leaves = config.player.settings.leaves_per_tree if config.keys.method == "search" else 1
    return checkpoints(config.player.budget.iterations, config.keys.points, leaves)


def numbers_of_pieces(config: Checked) -> list[range]:
    """The numbers of the instances of each piece."""
    first, count = int(getattr(config.game, "instance", 0)), config.keys.trees
    size = max(1, SEARCHES_A_PIECE // config.keys.runs)
    return [range(first + a, first + min(a + size, count)) for a in range(0, count, size)]


def follow(
    config: Checked,
    folder: Path,
    stop: threading.Event,
    on_progress: Callable[[float], None],
    on_read: Callable[[float], None],
) -> tuple[list[Piece], TreesWork]:
    """All pieces, those of ``folder`` read, the others made and written there, and the work of all of them.

    ``on_progress`` is told the share of the run that is made, ``on_read`` that which is read. KeyboardInterrupt where
    ``stop`` is set meanwhile.
    """
    (folder / PIECES).mkdir(exist_ok=True)
    made, work = _Maker(config, stop), TreesWork(folder)
    pieces, everything = list[Piece](), numbers_of_pieces(config)
    paths = [_path(folder, number) for number in range(len(everything))]
    while (number := len(pieces)) < len(everything):
        if paths[number].exists():
            pieces.append(_read(paths[number]))
            on_read(len(everything[number]) / config.keys.trees)
            continue
        end = min(len(everything), number + made.most_together)
        missing = list(takewhile(lambda number: not paths[number].exists(), range(number, end)))
        if not made.elsewhere(sum(len(everything[number]) for number in missing)):
            del missing[1:]
        trees = range(everything[number].start, everything[missing[-1]].stop)
        share = len(trees) / config.keys.trees
        whole = made.piece(trees, lambda done, share=share: on_progress(done * share))
        for number in missing:
            pieces.append(_part(whole, everything[number]))
            write_npz(paths[number], **pieces[-1]._asdict())
        work.note(made.iterations, made.clock.seconds, made.engine)
    if work.engine is None:
        work.engine = made.engine
    return pieces, work


def _path(folder: Path, number: int) -> Path:
    return folder / PIECES / f"{number:05d}.npz"


def _part(whole: Piece, trees: range) -> Piece:
    """The piece of some of the trees of another one; of alpha-beta, which is made piece by piece, all of them."""
    rows = slice(*np.searchsorted(whole.trees, (trees.start, trees.stop)))
    searches = slice(*np.searchsorted(whole.searched, (trees.start, trees.stop)))
    by_search = {name: getattr(whole, name)[searches] for name in ("searched", *Found._fields)}
    return Piece(trees=whole.trees[rows], decisive=whole.decisive[rows], leaves=whole.leaves, **by_search)


def is_whole(config: Checked, folder: Path) -> bool:
    """Whether all pieces of a run are in its folder."""
    return all(_path(folder, number).exists() for number in range(len(numbers_of_pieces(config))))


def pieces_of(folder: Path) -> list[Piece]:
    """The pieces of a finished run, in order; for what its summary does not say."""
    return [_read(path) for path in sorted((folder / PIECES).glob("[0-9]*.npz"))]


def _read(path: Path) -> Piece:
    return Piece(*read_npz(path, Piece._fields))


class _Maker:
    """Makes pieces with one searcher, compiled when the first is needed; ``clock`` has the seconds of work."""

    def __init__(self, config: Checked, stop: threading.Event) -> None:
        self.config, self.stop, self.iterations = config, stop, 0
        self.points, self.clock = points_of(config), WorkClock()
        self._searcher: Any = None

    @property
    def engine(self) -> str:
        """The name of the engine of the last search."""
        return played_by(self.config, self._searcher)

    @property
    def most_together(self) -> int:
        """Pieces that are made together beside a device, at most."""
        searches = max(1, SEARCHES_A_PIECE // self.config.keys.runs) * self.config.keys.runs
        return max(1, min(SEARCHES_TOGETHER, ITERATIONS_TOGETHER // self.points[-1]) // searches)

    def elsewhere(self, trees: int) -> bool:
        """Whether a device has a part in the searches of so many trees; those that it does not hold go in waves.

        ``cuda`` has none where every position of an episode is stored: no leaf is left to play.
        """
        player = self.config.player
        if self.config.keys.method != "search" or player is None or player.settings.table is not None:
            return False
        search = self._ready(trees * self.config.keys.runs)
        return search.on_device or (search.engine is not None and player.settings.expansion != "whole_path")

    def piece(self, trees: range, on_progress: Callable[[float], None]) -> Piece:
        """The piece of the instances ``trees``."""
        config = self.config
        solving = f"still solving {counted(len(trees), 'tree')}, to know the wrong moves; smaller trees take less"
        with self.clock.running(), say_if_long(solving):
            roots = instances(config.game, trees)
            right = self._right_moves(roots)
        decisive = np.asarray(~right.all(axis=1))
        skip = config.keys.exact and config.keys.level is None  # where nothing but failures is asked for
        chosen = np.flatnonzero(decisive) if skip else np.arange(len(trees))
        owners = np.repeat(chosen, config.keys.runs)
        runs = range(config.keys.runs)
        keys = np.array([key_of(config.keys.seed, trees[tree], run) for tree in chosen for run in runs], np.uint64)
        numbers = np.asarray(trees, np.int64)
        if not len(owners):
            on_progress(1.0)
            found = self._nothing()
        else:
            make = self._search if config.keys.method == "search" else self._alpha_beta
            found = make(roots[owners], keys, right[owners], on_progress)
        with self.clock.running(), say_if_long(solving):
            leaves = NOTHING if config.keys.method == "search" else self._leaves(trees, roots)
        self.iterations += len(owners) * self.points[-1]
        return Piece(numbers, decisive, numbers[owners], leaves=leaves, **found._asdict())

    def _nothing(self) -> Found:
        """What no search gives."""
        none = np.zeros((0, len(self.points)), np.int32)
        return Found(none.astype(bool), none, none, NOTHING, np.zeros((0, 0, 0), np.float32))

    def _leaves(self, trees: range, roots: np.ndarray) -> np.ndarray:
        """Leaves of the whole search of alpha-beta, int64[K * runs], of all trees whether they can fail or not."""
        config = self.config
        runs = range(config.keys.runs)
        keys = np.array([key_of(config.keys.seed, tree, run) for tree in trees for run in runs], np.uint64)
        states = np.repeat(roots, len(runs), axis=0)
        return solve(config.game, states, keys, threads=config.threads, stop=self.stop).leaves

    def _right_moves(self, roots: np.ndarray) -> np.ndarray:
        """bool[K, M]: which moves of the roots are worth as much as the best; move 0 alone where that is unasked."""
        if not self.config.keys.exact:
            counts = Rules(self.config.game).count_moves(roots)[:, None]
            number = np.arange(counts.max())[None, :]
            return (number == 0) | (number >= counts)
        scores, counts = root_scores(self.config.game, roots, threads=self.config.threads, stop=self.stop)
        sign = np.where(Rules(self.config.game).movers(roots) == 1, -1, 1)[:, None]
        worth = np.where(np.arange(scores.shape[1]) < counts[:, None], sign * scores, np.iinfo(np.int64).min)
        return (worth == worth.max(axis=1, keepdims=True)) | (np.arange(scores.shape[1]) >= counts[:, None])

    def _search(self, states, keys, right, on_progress) -> Found:
        config, player = self.config, self.config.player
        assert player is not None
        search = self._ready(len(states))
        failed = np.zeros((len(states), len(self.points)), bool)
        visits, wrong = (np.zeros((len(states), len(self.points)), np.int32) for _ in range(2))
        watched = config.keys.level is not None
        shape = (len(self.points), right.shape[1]) if watched else (0, 0)
        values = np.full((len(states), *shape), np.nan, np.float32)
        at_random = Rules(config.game).random_moves(states, keys)

        def on_table(iterations: int, trees: slice, table: RootTable) -> None:
            column = self.points.index(iterations)
            moves = decide(table, player.settings.final == "value", keys[trees])
            moves = np.where(moves == NO_MOVE, at_random[trees], moves)  # before any is tried
            failed[trees, column] = ~right[trees][np.arange(len(moves)), moves] & config.keys.exact
            there = np.arange(table.move.shape[1]) < table.count[:, None]
            astray = ~np.take_along_axis(right[trees], table.move, axis=1) & there
            visits[trees, column] = (table.visits * there).sum(axis=1)
            wrong[trees, column] = (table.visits * astray).sum(axis=1)
            if watched:
                rows, columns = np.nonzero(there)
                values[trees.start + rows, column, table.move[rows, columns]] = table.value[rows, columns]

        total, level = len(states) * self.points[-1], config.keys.level
        with self.clock.running():
            below = search.follow(
                states, keys, self.points, on_table, level, self.stop, lambda done: on_progress(done / total)
            )
        return Found(failed, visits, wrong, below, values)

    def _ready(self, trees: int) -> Any:
        """The searcher, compiled for the engine that searches so many trees; kernels have compilers of their own."""
        config = self.config
        if self._searcher is None:
            assert config.player is not None
            self._searcher = searcher(config, config.player)
        self._searcher.adapt(trees, self.points[-1], watched=config.keys.level is not None)
        return self._searcher

    def _alpha_beta(self, states, keys, right, on_progress) -> Found:
        best = self.config.keys.method == "alpha_beta_best"
        threads = self.config.threads
        with self.clock.running():
            found = search_budget(
                self.config.game, states, keys, self.points, best_so_far=best, threads=threads, stop=self.stop
            )
        failed = ~np.take_along_axis(right, found.moves, axis=1)
        on_progress(1.0)
        none = np.zeros((len(states), len(self.points)), np.int32)
        unknown = np.zeros((len(states), 0, 1), np.float32)  # of this shape since digests of runs contain it
        return Found(failed, none, none, NOTHING, unknown)
