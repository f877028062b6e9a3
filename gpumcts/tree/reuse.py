"""Subtree reuse: what a search learnt below the moves that were then played goes into the game's next search."""

from typing import Any

import numpy as np

from gpumcts.games.contract import CHANCE, pack, play, unpack
from gpumcts.jit import entry, inlined
from gpumcts.kernels.batch import Rules
from gpumcts.tree.backup.contract import turn_root
from gpumcts.tree.forest import CAPACITIES, NO_NODE, ROOT, Forest, capacity_class
from gpumcts.tree.solve import proof_of_children

PLIES_BACK = 4  # a player's next turn is sought so many plies below its last one
MOST_NODES = 65_536  # of a ply that are looked at: nodes with fewer visits than their even share have little to hand on


@inlined
def same_state(words, at, target, width):
    """Whether the packed state at ``at`` is the target."""
    for i in range(width):
        if words[at + i] != target[i]:
            return False
    return True


@entry
def _find(game, forest, tree, root, target, words, nodes, nexts):
    """The shallowest visited node of a tree whose state is ``target``, by deepening; NO_NODE if there is none.

    A ply has at most the visits of the root, so at most about ``MOST_NODES`` of its nodes have the least number of
    visits that is asked for.

    words : uint64[(PLIES_BACK + 1) * W], nodes and nexts : int64[PLIES_BACK + 1], all scratch
    """
    width = root.shape[0]
    least = max(np.int64(1), np.int64(forest.visits[tree, ROOT]) // MOST_NODES)
    for most in range(1, PLIES_BACK + 1):
        for i in range(width):
            words[i] = root[i]
        level, nodes[0], nexts[0] = 0, ROOT, 0
        while level >= 0:
            node = nodes[level]
            if level == most:
                if same_state(words, level * width, target, width):
                    return node
                level -= 1
                continue
            if nexts[level] >= forest.child_count[tree, node]:
                level -= 1
                continue
            child = np.int64(forest.first_child[tree, node]) + nexts[level]
            nexts[level] += 1
            if forest.visits[tree, child] < least:
                continue
            state = play(game, unpack(game, words, level * width, 1), np.int64(forest.action[tree, child]))
            level += 1
            pack(game, state, words, level * width, 1)
            nodes[level], nexts[level] = child, 0
    return np.int64(NO_NODE)


@entry
def _transplant(source, source_tree, node, target, tree, origin, pending):
    """Copy the subtree below ``node`` over the bare root of ``target``'s tree, compactly, nearest nodes first.

    origin, pending : int32[N] scratch: which node of the source each new node comes from, and the new nodes in a queue
    """
    origin[ROOT] = node
    target.visits[tree, ROOT] = source.visits[source_tree, node]
    for column in range(source.columns.shape[2]):
        target.columns[tree, ROOT, column] = source.columns[source_tree, node, column]
    queue_end, at = 1, 0
    pending[0] = ROOT
    used = np.int64(1)
    while at < queue_end:
        new = pending[at]
        at += 1
        old = origin[new]
        count = np.int64(source.child_count[source_tree, old])
        target.child_count[tree, new] = count
        target.first_child[tree, new] = NO_NODE
        if count == 0:
            continue
        size = min(CAPACITIES[capacity_class(count)], abs(np.int64(source.move_count[source_tree, old])))
        target.first_child[tree, new] = used
        first = np.int64(source.first_child[source_tree, old])
        for i in range(count):
            target.visits[tree, used + i] = source.visits[source_tree, first + i]
            target.move_count[tree, used + i] = source.move_count[source_tree, first + i]
            target.action[tree, used + i] = source.action[source_tree, first + i]
            if source.proof.shape[1] > 0:
                target.proof[tree, used + i] = source.proof[source_tree, first + i]
            for column in range(source.columns.shape[2]):
                target.columns[tree, used + i, column] = source.columns[source_tree, first + i, column]
            origin[used + i] = first + i
            pending[queue_end] = used + i
            queue_end += 1
        used += size
    target.used[tree] = used
    if target.proof.shape[1] > 0 and target.move_count[tree, ROOT] > 0:  # for who moves here, as the children's are
        target.proof[tree, ROOT] = proof_of_children(target, tree, ROOT)


def _other_moves(rules: Rules, positions: np.ndarray) -> bool:
    """Whether another player's values are asked for in the second of two positions (uint64[2 W]) than in the first."""
    above, there = (0 if mover == CHANCE else mover for mover in rules.movers(positions.reshape(2, -1)))
    return above != there


class Kept:
    """The trees of earlier searches by game number: the forest, the tree's row in it, the packed state of its root."""

    def __init__(self) -> None:
        self._trees: dict[int, tuple[Forest, int, np.ndarray]] = {}

    def keep(self, games: np.ndarray, forest: Forest, roots: np.ndarray) -> None:
        """Remember the trees of ``games`` (int64[T]) and their roots (uint64[T, W])."""
        for tree, game_number in enumerate(games):
            self._trees[int(game_number)] = (forest, tree, roots[tree])

    def forget(self, games: np.ndarray) -> None:
        """Let go of the trees of finished games."""
        for game_number in games:
            self._trees.pop(int(game_number), None)

    def most_used(self, games: np.ndarray) -> int:
        """The largest tree kept for any of ``games``, in slots; 0 if none is."""
        found = (self._trees.get(int(number)) for number in games)
        return max((int(entry[0].used[entry[1]]) for entry in found if entry), default=0)

    def hand_on(self, rules: Rules, operator: Any, games: np.ndarray, roots: np.ndarray, forest: Forest) -> None:
        """Move what is known about ``roots`` (uint64[T, W]) into the bare trees of ``forest``."""
        turn = turn_root.find(type(operator))
        width = roots.shape[1]
        words = np.empty((PLIES_BACK + 1) * width, np.uint64)
        nodes, nexts = np.empty(PLIES_BACK + 1, np.int64), np.empty(PLIES_BACK + 1, np.int64)
        origin, pending = (np.empty(forest.visits.shape[1], np.int32) for _ in range(2))
        for tree, game_number in enumerate(games):
            entry = self._trees.get(int(game_number))
            if entry is None:
                continue
            source, source_tree, root = entry
            node = int(_find(rules.game, source, source_tree, root, roots[tree], words, nodes, nexts))
            if node != NO_NODE:
                _transplant(source, source_tree, node, forest, tree, origin, pending)
                if turn is not None:
                    parent = width * (np.flatnonzero(nodes == node)[0] - 1)
                    if _other_moves(rules, words[parent : parent + 2 * width]):
                        turn(operator, forest, tree)
