"""Methods that rank moves: each gives a value of every legal move of a position, higher being better for the mover.

A method is an option of the group ``method``, a mapping with a ``kind``:

``evaluation``  the game's evaluation of the state after the move
``minimax``     MM-k of the state after the move, k being ``depth``
``search``      MM-k of the position itself, whose k plies include the move
``playouts``    so many playouts from the state after the move by a policy, an option of the group ``playout``

A new kind is a class of keys in ``KINDS`` and a class with ``of(board)``.
"""

import threading
import time
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, Protocol

import numpy as np
from annotated_types import Interval

from experiments.config.schema import option_value
from experiments.config.validation import shown, typed
from experiments.ranking.positions import Position
from gpumcts.alpha_beta.leaves import WON
from gpumcts.alpha_beta.minimax import Minimax
from gpumcts.alpha_beta.table import MAX_DEPTH
from gpumcts.errors import BadInput
from gpumcts.games.contract import SCORE_UNIT
from gpumcts.games.evaluations import check_evaluation
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.paths import followed, may_be_followed, paths_of, words_of
from gpumcts.options import compiled
from gpumcts.playouts.contract import check_policy
from gpumcts.playouts.uniform import Uniform
from gpumcts.rng import child_key, key_of

PLAYOUT_STREAM = 2  # below the seed: playouts, by the number of the board's game and its ply
Depth = Annotated[int, Interval(ge=1, le=MAX_DEPTH - 1)]


class EvaluationKeys(NamedTuple):
    """The keys of kind ``evaluation``."""

    kind: Literal["evaluation"]


class MinimaxKeys(NamedTuple):
    """The keys of kind ``minimax``."""

    kind: Literal["minimax"]
    depth: Depth


class SearchKeys(NamedTuple):
    """The keys of kind ``search``."""

    kind: Literal["search"]
    depth: Depth


class PlayoutsKeys(NamedTuple):
    """The keys of kind ``playouts``; ``playout`` is an option of that group."""

    kind: Literal["playouts"]
    playouts: Annotated[int, Interval(ge=1, le=10_000_000)]
    playout: Any


KINDS = {"evaluation": EvaluationKeys, "minimax": MinimaxKeys, "search": SearchKeys, "playouts": PlayoutsKeys}


class Valued(NamedTuple):
    """What a method says of the M moves of a position.

    values : float64[M]; in the game's units of evaluation, WON - n a win in n plies; of playouts the win rate in [0, 1]
    seconds : core seconds it took; nodes : positions visited, 0 for playouts
    curve : of playouts, float64[P, M]: values after the first so many of them, the last being ``values``
    curve_seconds : core seconds until then, float64[P]
    distinct : of playouts, how many different ones there were of each move, int64[M]; None where they were not followed
    """

    values: np.ndarray
    seconds: float
    nodes: int = 0
    curve: np.ndarray | None = None
    curve_seconds: np.ndarray | None = None
    distinct: np.ndarray | None = None


class Method(Protocol):
    """What gives values."""

    def of(self, board: Position, stop: threading.Event | None = None) -> Valued:
        """The values of the legal moves of a board, in their order; KeyboardInterrupt where ``stop`` gets set."""
        ...

    def warm(self, board: Position) -> None:
        """A first call, with little to do, after which times are those of the work alone."""
        ...


def checked_method(name: str, plain: Any, game: Any) -> tuple[NamedTuple, dict[str, Any]]:
    """The keys of a method and its identity. Raises BadInput by the key that is wrong."""
    where = f"method.{name}"
    if not isinstance(plain, Mapping):
        raise BadInput(f"{where}={shown(plain)}: must be a method, such as {{kind: minimax, depth: 4}}")
    kind = plain.get("kind")
    if kind not in KINDS:
        raise BadInput(f"{where}.kind={shown(kind)} is not known; there are: {', '.join(KINDS)}")
    keys = typed(KINDS[kind], plain, where)
    if kind in ("evaluation", "minimax"):
        check_evaluation(game, f"{where}.kind={kind}")
    if not isinstance(keys, PlayoutsKeys):
        return keys, {**keys._asdict()}
    if not isinstance(keys.playout, Mapping):
        raise BadInput(
            f"{where}.playout={shown(keys.playout)}: must be a policy, such as {{name: uniform, truncate: 0}}"
        )
    policy, identity = option_value("playout", keys.playout, f"{where}.playout")
    check_policy(policy, game)
    return keys._replace(playout=policy), {**keys._asdict(), "playout": identity}


def checkpoints(playouts: int) -> list[int]:
    """Playouts at which a curve is read: 1, 3, 10, 30, ... and all."""
    found = [step * 10**power for power in range(len(str(playouts))) for step in (1, 3)]
    return [*(point for point in found if point < playouts), playouts]


def after_moves(rules: Rules, words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The legal moves of a packed state, int64[M], and the states after them, uint64[M, W]."""
    moves = rules.legal_moves(words)
    return moves, rules.play(np.repeat(words[None], len(moves), axis=0), moves)


def method_of(keys: Any, game: Any, seed: int, threads: int) -> Method:
    """The method that ``keys`` name on ``game`` (as it travels into compiled code)."""
    if isinstance(keys, PlayoutsKeys):
        return _Playouts(keys, game, seed, threads)
    if isinstance(keys, EvaluationKeys):
        return SearchAfterMoves(game, 0, threads)
    return SearchAfterMoves(game, keys.depth - isinstance(keys, SearchKeys), threads)


class SearchAfterMoves:
    """Values of moves by a search of the state after each: MM-k of it, or its evaluation (k = 0).

    A win there is ``WON``, n plies on ``WON - n``.
    """

    def __init__(self, game: Any, depth: int, threads: int) -> None:
        self._rules, self._depth = Rules(game), depth
        self._searches = Minimax(game, threads=threads)

    def of(self, board: Position, stop: threading.Event | None = None) -> Valued:
        """As ``Method.of``."""
        _, states = after_moves(self._rules, board.words)
        begin = time.process_time()
        values, nodes = self.of_states(board.words, states, stop)
        return Valued(values, time.process_time() - begin, nodes)

    def warm(self, board: Position) -> None:
        """As ``Method.warm``: a search of one ply."""
        _, states = after_moves(self._rules, board.words)
        self._rules.describe(states)
        self._rules.scores(states[:0])
        self._searches.values_of_moves(board.words[None], 1)
        self._searches.search(board.words[None], np.zeros(1, np.uint64), 1)

    def of_states(
        self, words: np.ndarray, states: np.ndarray, stop: threading.Event | None = None
    ) -> tuple[np.ndarray, int]:
        """Values of ``states`` (uint64[M, W]) for who moves in ``words`` (uint64[W]), float64[M]; positions visited."""
        if self._depth == 0:
            found = self._searches.values_of_moves(words[None], 1, stop=stop)
            return self._with_ends(words, states, found.values[0].astype(np.float64)), 0
        values, nodes = self.of_each(np.repeat(words[None], len(states), axis=0), states, stop)
        return values, nodes

    def _with_ends(self, words: np.ndarray, states: np.ndarray, values: np.ndarray) -> np.ndarray:
        """``values`` of a ply's search: a game that ends there is worth WON, as in deeper ones here."""
        ended = self._rules.count_moves(states) == 0
        values[ended] = self._results(np.repeat(words[None], int(ended.sum()), axis=0), states[ended])
        return values

    def _results(self, before: np.ndarray, states: np.ndarray) -> np.ndarray:
        """What games that are over in ``states`` are worth to who moves in ``before``, float64[B]."""
        results = np.sign(self._rules.scores(states)) * float(WON)
        return np.where(self._rules.movers(before) == 0, results, -results)

    def of_each(
        self, before: np.ndarray, states: np.ndarray, stop: threading.Event | None = None
    ) -> tuple[np.ndarray, int]:
        """Values of ``states`` for who moves in ``before`` (both uint64[B, W]), float64[B]; and positions visited.

        Each state is searched by itself; k is at least 1.
        """
        counts, movers = self._rules.describe(states)
        values, nodes = np.zeros(len(states)), 0
        ended, going = np.flatnonzero(counts == 0), np.flatnonzero(counts)
        values[ended] = self._results(before[ended], states[ended])
        if len(going):
            keys = np.zeros(len(going), np.uint64)
            found = self._searches.search(states[going], keys, self._depth, stop)
            same = movers[going] == self._rules.movers(before[going])
            values[going] = np.where(same, found.values, -found.values)
            nodes = int(found.nodes.sum())
        return values, nodes


class _Playouts:
    """Playouts of one policy from the states after the moves, in stages between checkpoints, each with its own keys."""

    def __init__(self, keys: PlayoutsKeys, game: Any, seed: int, threads: int) -> None:
        self._rules, self._seed = Rules(game), seed
        self.points = checkpoints(keys.playouts)
        policy = compiled(keys.playout)
        # uniform playouts all differ, as good as always, and take longer where they are followed
        self._follows = not isinstance(policy, Uniform) and may_be_followed(policy, self._rules.game)
        seen = followed(self._rules.game) if self._follows else self._rules.game
        self._engine = CpuPlayouts(seen, keys.playout, threads)

    def of(self, board: Position, stop: threading.Event | None = None) -> Valued:
        """As ``Method.of``."""
        _, states = after_moves(self._rules, board.words)
        player = int(self._rules.movers(board.words[None])[0])
        going = np.flatnonzero(self._rules.count_moves(states))
        scores = np.zeros(len(states))
        ended = np.setdiff1d(np.arange(len(states)), going)
        scores[ended] = self._rules.scores(states[ended])
        totals, paths, curve, seconds = np.zeros(len(going)), [], [], []
        leaves = states[going]
        if self._follows:
            leaves = words_of(leaves)
        begin, done = time.process_time(), 0
        root = key_of(self._seed, PLAYOUT_STREAM, board.game, board.ply)
        for stage, point in enumerate(self.points):
            columns = self._engine.columns(leaves, _stage_keys(root, going, stage), point - done, stop)
            totals, done = totals + columns[:, 0], point
            if self._follows:
                paths.append(paths_of(columns))
            scores[going] = totals / done
            curve.append(_win_rates(scores, player))
            seconds.append(time.process_time() - begin)
        distinct = None
        if self._follows:
            distinct = np.ones(len(states), np.int64)
            distinct[going] = [len(np.unique(row)) for row in np.hstack(paths)]
        return Valued(curve[-1], seconds[-1], 0, np.stack(curve), np.array(seconds), distinct)

    def warm(self, board: Position) -> None:
        """As ``Method.warm``: one playout."""
        words = words_of(board.words[None]) if self._follows else board.words[None]
        self._engine.columns(words, np.zeros(1, np.uint64))


def _stage_keys(root: np.uint64, moves: np.ndarray, stage: int) -> np.ndarray:
    """A key for each of the moves (their numbers, int64[M]) and the stage, uint64[M]."""
    with np.errstate(over="ignore"):
        return child_key(child_key(root, moves.astype(np.uint64)), np.uint64(stage))


def _win_rates(scores: np.ndarray, player: int) -> np.ndarray:
    """Win rates in [0, 1] of ``player`` from mean scores for the first player."""
    return ((scores if player == 0 else -scores) / SCORE_UNIT + 1) / 2
