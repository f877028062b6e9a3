"""The root at the end of a search: its children, the move to play, the principal variation."""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numba
import numpy as np

from gpumcts.games.contract import NO_MOVE, remaining_plies, unpack
from gpumcts.jit import entry, inlined
from gpumcts.rng import FINAL_STREAM, child_key, draw
from gpumcts.struct_of_arrays import Array, allocate
from gpumcts.tree.backup.contract import value
from gpumcts.tree.forest import NO_NODE, ROOT
from gpumcts.tree.solve import DRAW, LOSS, WIN

U = np.uint64
NO_MOVES, LOSSES, BELOW_DRAWS, DRAWS, ABOVE_DRAWS, WINS = range(6)  # ranks of moves by what is proven of them


@entry
def horizons_of(game, roots, horizons):
    """Estimated plies to the end from each of ``roots`` (uint64[B, W]), into float64[B]."""
    words, width = roots.reshape(-1), roots.shape[1]
    for row in range(roots.shape[0]):
        horizons[row] = remaining_plies(game, unpack(game, words, row * width, 1))


class Child(NamedTuple):
    """A move of the root: visits, and its value in [0, 1] and proof (0 for none) for the player who moves there."""

    move: int
    visits: int
    value: float
    proof: int = 0


class RootTable(NamedTuple):
    """The root's visited moves of T trees, M columns; row t has ``count[t]`` of them, in the order of first visits."""

    count: Annotated[np.ndarray, Array(np.int64)]
    move: Annotated[np.ndarray, Array(np.int64, "moves")]
    visits: Annotated[np.ndarray, Array(np.int64, "moves")]
    value: Annotated[np.ndarray, Array(np.float64, "moves")]  # for the player who moves at the root
    proof: Annotated[np.ndarray, Array(np.int64, "moves")]
    """LOSS, DRAW or WIN for that player where the search has proven it, else 0."""

    def children(self, tree: int) -> list[Child]:
        """The moves of one root, most visited first, then by value."""
        rows = zip(self.move[tree], self.visits[tree], self.value[tree], self.proof[tree], strict=True)
        found = [Child(int(m), int(n), float(v), int(p)) for m, n, v, p in rows][: self.count[tree]]
        return sorted(found, key=lambda child: (-child.visits, -child.value, child.move))


@inlined
def fill_row(operator, forest, tree, table):
    """Row ``tree`` of a RootTable."""
    first, i = np.int64(forest.first_child[tree, ROOT]), 0
    for child in range(first, first + np.int64(forest.child_count[tree, ROOT])):
        if forest.visits[tree, child] > 0:
            table.move[tree, i] = forest.action[tree, child]
            table.visits[tree, i] = forest.visits[tree, child]
            table.value[tree, i] = value(operator, forest, tree, child)
            table.proof[tree, i] = forest.proof[tree, child] if forest.proof.shape[1] > 0 else 0
            i += 1
    table.count[tree] = i


@entry
def _fill(operator, forest, table):
    for tree in range(forest.visits.shape[0]):
        fill_row(operator, forest, tree, table)


@entry
def _pick(keys, equals, picks):
    for tree in range(keys.shape[0]):
        picks[tree] = np.int64(draw(child_key(keys[tree], FINAL_STREAM), 0, U(equals[tree])))


@entry
def _most_visited_path(forest, tree, node, moves):
    """Moves of the most visited line below ``node``; how many."""
    length = 0
    while forest.child_count[tree, node] > 0 and forest.move_count[tree, node] > 0 and length < moves.shape[0]:
        first = np.int64(forest.first_child[tree, node])
        best = first
        for child in range(first + 1, first + forest.child_count[tree, node]):
            if forest.visits[tree, child] > forest.visits[tree, best]:
                best = child
        if forest.visits[tree, best] == 0:  # of a batch that is in flight
            return length
        moves[length] = forest.action[tree, best]
        length += 1
        node = best
    return length


def empty_table(trees: int, moves: int, zeros: Callable = np.zeros) -> RootTable:
    """A table of so many rows and columns; its arrays come from ``zeros(shape, dtype)``."""
    return allocate(RootTable, (trees,), {"moves": moves}, zeros=zeros)


def prepare_table(operator: Any, forest: Any) -> None:
    """Compile or load what ``root_table`` needs for an operator and for forests of one type."""
    kinds = tuple(numba.typeof(value) for value in (operator, forest, empty_table(1, 1)))
    _fill.prepare(kinds, "the table of the root")


def root_table(operator, forest) -> RootTable:
    """The root tables of all trees of a forest."""
    trees, most = forest.visits.shape[0], max(1, int(forest.child_count[:, ROOT].max(initial=1)))
    table = empty_table(trees, most)
    _fill(operator, forest, table)
    widest = max(1, int(table.count.max(initial=1)))  # with RAVE, children are there that no playout has visited
    return table if widest == most else RootTable(table.count, *(array[:, :widest].copy() for array in table[1:]))


def decide(table: RootTable, by_value: bool, keys: np.ndarray, final_scores: np.ndarray | None = None) -> np.ndarray:
    """The move to play at each root, int64[T]: most visits or highest value, ties at random under ``keys`` (uint64[T]).

    final_scores : float64[T, M], by which moves are chosen in place of both

    A move that is proven to win is played; one that is proven to lose, where there is no other; one that is proven to
    draw, where no unproven move of a value of at least 1/2 is there. NO_MOVE where no move has been tried.
    """
    present = np.arange(table.move.shape[1]) < table.count[:, None]
    plain = table.value if by_value else table.visits.astype(np.float64)
    best = _best(table, plain if final_scores is None else final_scores, present)
    picks = np.empty(len(keys), np.int64)
    _pick(keys, best.sum(axis=1), picks)
    column = (np.cumsum(best, axis=1) > picks[:, None]).argmax(axis=1)
    return np.where(table.count > 0, table.move[np.arange(len(table.move)), column], NO_MOVE)


def values_of_moves(table: RootTable, moves: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The values float64[T] and proofs int64[T] of one move of each root (int64[T]); NaN and 0 of one not visited."""
    present = np.arange(table.move.shape[1]) < table.count[:, None]
    is_move = present & (table.move == moves[:, None])
    rows, column, visited = np.arange(len(table.move)), is_move.argmax(axis=1), is_move.any(axis=1)
    return np.where(visited, table.value[rows, column], np.nan), np.where(visited, table.proof[rows, column], 0)


def _best(table: RootTable, scores: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Which moves are the best: bool[T, M]. What is proven of them comes before ``scores`` of any sign."""
    proof = table.proof
    draws = (proof == DRAW).any(axis=1, keepdims=True)
    unproven = np.where(draws & (table.value < 0.5), BELOW_DRAWS, ABOVE_DRAWS)
    ranks = np.select([proof == WIN, proof == DRAW, proof == LOSS], [WINS, DRAWS, LOSSES], unproven)
    ranks = np.where(present, ranks, NO_MOVES)
    highest = ranks == ranks.max(axis=1, keepdims=True)
    scores = np.where(highest, np.where(proof == 0, scores, 0.0), -np.inf)
    return highest & (scores == scores.max(axis=1, keepdims=True))


def principal_variation(forest, tree: int, first_move: int | None = None, most: int = 64) -> list[int]:
    """The most visited line from the root of a tree, or the one that begins with ``first_move``."""
    moves = np.empty(most, np.int64)
    node, line = ROOT, []
    if first_move is not None:
        first = int(forest.first_child[tree, ROOT])
        block = forest.action[tree, first : first + int(forest.child_count[tree, ROOT])]
        found = np.flatnonzero(block == first_move)
        if not len(found):
            return []
        node, line = first + int(found[0]), [first_move]
    assert node != NO_NODE
    return line + [int(m) for m in moves[: _most_visited_path(forest, tree, node, moves)]]
