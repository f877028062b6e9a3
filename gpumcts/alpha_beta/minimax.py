"""Minimax of a fixed depth (MM-k and MM-k-R of Ramanujan et al. 2010) over batches of positions: all best moves, or
every move's value.

The search is the principal-variation search of this package; its values are those of plain minimax. With an evaluation
it deepens ply by ply, for the order of the moves that this gives, at a root that tells equal moves apart from worse
ones. With playouts at the leaves, which tell nothing of other leaves, it goes to its depth at once, and keeps the first
best of the root's moves in the order in which equal ones are preferred: a shuffled one, so that each is as likely. To
know all that are equal would take 2.9 times the nodes at 2 plies of Chess, and 2.7 times at 4
(docs/performance/minimax.md).
"""

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from gpumcts.alpha_beta.batch import NO_LIMIT, Deepening, DeepeningResult
from gpumcts.alpha_beta.leaves import Evaluated, PlayedOut, Quiescent, check_noisy, has_table
from gpumcts.alpha_beta.roots import BY_LOT, FIRST, NOISIEST, NOISY, SearchLimits
from gpumcts.alpha_beta.search import EVERY_MOVE
from gpumcts.alpha_beta.table import MIN_ENTRIES
from gpumcts.errors import BadInput
from gpumcts.options import compiled

LEAVES = ("evaluation", "playout")
TIES = {"random": BY_LOT, "first": FIRST, "noisy": NOISY, "noisiest": NOISIEST}


class MoveValues(NamedTuple):
    """What every legal move of B positions is worth.

    values : B arrays int64[moves], aligned with the ordered legal moves, for the player who moves there. A win at the
        end of a game, n plies on, is WON - n, a loss its negative; with playouts at the leaves 1 and -1; a draw is 0
    nodes : positions visited, int64[B]; those that are looked at for the order of moves alone are not counted
    """

    values: list[np.ndarray]
    nodes: np.ndarray


class Minimax:
    """Minimax of ``game`` (an option value, for two players, without chance).

    leaf : ``evaluation`` (MM-k) or ``playout`` (MM-k-R)
    quiescence : whether noisy moves are followed beyond the horizon; for games that tell them, with evaluations alone
    entries : of the hash table of each thread, as in ``Deepening``; there is none with playouts
    threads : that share the positions of a batch; results do not depend on it
    ties : which of the moves of the best value ``search`` chooses: ``random``, each with the same probability;
        ``first``, the first in the game's order; for games that tell which are, ``noisy``, one that is noisy, or
        ``noisiest``, one of the noisiest. Among those, and where none is, each with the same probability

    Raises BadInput for a game not for two players, another leaf or ties, and where quiescence or ``noisy`` cannot be.
    """

    def __init__(
        self,
        game: Any,
        leaf: str = "evaluation",
        quiescence: bool = False,
        entries: int = 1 << 20,
        threads: int = 1,
        ties: str = "random",
    ) -> None:
        check_leaf(compiled(game), leaf, quiescence)
        check_ties(compiled(game), ties)
        self._ties = TIES[ties]
        option = PlayedOut() if leaf == "playout" else Quiescent() if quiescence else Evaluated()
        self._searches = Deepening(game, entries if has_table(option) else MIN_ENTRIES, threads, option)
        self.game = self._searches.game

    def search(
        self,
        states: np.ndarray,
        keys: np.ndarray,
        depth: int,
        stop: threading.Event | None = None,
        on_done: Callable[[int], None] | None = None,
    ) -> DeepeningResult:
        """Choose a move of each of ``states`` (uint64[B, W], none of them over) by minimax of ``depth`` plies, the
        move's own ply included: of those with the best value one that ``ties`` prefers.

        keys : uint64[B]; chance among equal moves, and that of playouts, comes from them

        The others, what is found and what is raised are as in ``Deepening.search``; nothing is proven where playouts
        are the leaves.
        """
        slack = 1 if has_table(self._searches.leaf) else 0
        roots, _ = self._searches.advanced(states, keys, self._limits(depth, slack), stop, on_done)
        return DeepeningResult(roots.moves, roots.values, roots.depths, roots.nodes, roots.proven)

    def values_of_moves(
        self,
        states: np.ndarray,
        depth: int,
        keys: np.ndarray | None = None,
        stop: threading.Event | None = None,
        on_done: Callable[[int], None] | None = None,
    ) -> MoveValues:
        """The exact value of every legal move of ``states``, searched to ``depth`` plies, its own included.

        keys : as in ``search``, for playouts at the leaves; with evaluations values do not depend on them, and 0 serves
        """
        keys = np.zeros(len(states), np.uint64) if keys is None else keys
        limits = self._limits(depth, int(EVERY_MOVE))
        roots, counts = self._searches.advanced(states, keys, limits, stop, on_done, move_values=True)
        values = [row[:moves].copy() for row, moves in zip(roots.move_values, counts, strict=True)]
        return MoveValues(values, roots.nodes)

    def _limits(self, depth: int, slack: int) -> SearchLimits:
        if depth < 1:
            raise BadInput(f"budget.depth={depth} is not at least 1")
        last = min(depth, self._searches.max_depth)
        return SearchLimits(NO_LIMIT, 1 if has_table(self._searches.leaf) else last, last, slack, self._ties)


def values_of_moves(
    game: Any, states: np.ndarray, depth: int, keys: np.ndarray | None = None, leaf: str = "evaluation", **options: Any
) -> MoveValues:
    """``Minimax(game, leaf, **options).values_of_moves(states, depth, keys)``."""
    return Minimax(game, leaf, **options).values_of_moves(states, depth, keys)


def check_leaf(game: Any, leaf: str, quiescence: bool, prefix: str = "") -> None:
    """Refuse a leaf that there is not, and quiescence that cannot be, by the keys under ``prefix``. Raises BadInput."""
    if leaf not in LEAVES:
        raise BadInput(f"{prefix}player.leaf={leaf!r}: must be {' or '.join(LEAVES)}")
    if quiescence and leaf == "playout":
        raise BadInput(f"{prefix}player.quiescence=true counts with {prefix}player.leaf=evaluation alone")
    if quiescence:
        check_noisy(game, f"{prefix}player.quiescence=true")


def check_ties(game: Any, ties: str, prefix: str = "") -> None:
    """Refuse ties that there are not, and those that the game does not tell apart, likewise. Raises BadInput."""
    if ties not in TIES:
        raise BadInput(f"{prefix}player.ties={ties!r}: must be {', '.join(list(TIES)[:-1])} or {list(TIES)[-1]}")
    if ties in ("noisy", "noisiest"):
        check_noisy(game, f"{prefix}player.ties={ties}")


def minimax_name(depth: int, leaf: str, quiescence: bool = False, ties: str = "random") -> str:
    """What Ramanujan et al. 2010 calls a player: MM-2, MM-2-R; MM-2-Q with quiescence, and other ties, which it has
    not, by their name."""
    kind = "-R" if leaf == "playout" else "-Q" if quiescence else ""
    return f"MM-{depth}{kind}" + ("" if ties == "random" else f" ties={ties}")
