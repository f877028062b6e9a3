"""Solved nodes: MCTS-Solver (Winands, Björnsson, Saito 2008) for win, loss and draw; Sensei's Library's finished nodes.

A node whose game is over is proven; one with a child that wins for its mover is won, one whose moves all have proven
children is worth the best of them. What is proven is not selected again, save a won root's search, which is over.
Below a move of chance nothing is proven: chance enters a node whatever its proof, and a proof would send the playouts
there to its other moves. Values stay as the playouts made them: Sensei's Library's infinite visits and wins are what
``decide`` makes of a proof.

A proof holds by the rules of the search: in Go those are simple ko and the cap on a game's length below the root, where
positional superko forbids more, so a proven line may contain a move that the game will not allow.
"""

import numpy as np

from gpumcts.games.contract import CHANCE, SCORE_UNIT
from gpumcts.jit import inlined
from gpumcts.tree.backup.contract import flips, player_above
from gpumcts.tree.forest import ROOT, Forest

LOSS, DRAW, WIN = 1, 2, 3
"""What a node is proven to be, for the player who moves at its parent (the root: who moves there)."""
PROOF_NAMES = {WIN: "win", DRAW: "draw", LOSS: "loss"}
OTHER_SIDE = 4  # less the proof: the same for the other player


def unproven(forest: Forest, begin: int, end: int) -> int:
    """How many of the trees ``begin`` to ``end`` make iterations: those whose root is not proven."""
    return end - begin - int(np.count_nonzero(forest.proof[begin:end, : ROOT + 1]))


@inlined
def with_proof(forest, tree, child, candidate):
    """The score of a child in selection: what is proven draws no more playouts."""
    return candidate if forest.proof[tree, child] == 0 else -np.inf


@inlined
def proof_of_score(score, player):
    """The proof of a finished game for ``player`` from the first player's score; 0 where it is no win, loss or draw."""
    if score == 0:
        return DRAW
    if score != SCORE_UNIT and score != -SCORE_UNIT:
        return 0
    return WIN if (score > 0) == (player == 0) else LOSS


@inlined
def proof_of_children(forest, tree, node):
    """What the children prove for the player who moves at ``node``; 0 where they prove nothing."""
    first, count = np.int64(forest.first_child[tree, node]), np.int64(forest.child_count[tree, node])
    best, every = LOSS, count == forest.move_count[tree, node]
    for child in range(first, first + count):
        proof = np.int64(forest.proof[tree, child])
        best = max(best, proof)
        every &= proof != 0
    return best if every or best == WIN else 0


@inlined
def prove(forest, tree, path, movers, depth, score_sum, playouts):
    """Enter what a backed up leaf proves, from the leaf up as far as it goes; below a move of chance nothing.

    score_sum : int64, of the leaf's playouts, for the first player: ``playouts`` times its score if its game is over
    """
    leaf = path[depth]
    if forest.move_count[tree, leaf] != 0 or forest.proof[tree, leaf] != 0:
        return
    for k in range(depth):
        if movers[k] == CHANCE:
            return
    proof = proof_of_score(score_sum // playouts, player_above(movers, depth))
    forest.proof[tree, leaf] = proof
    k = depth - 1
    while proof != 0 and k >= 0:
        proof = proof_of_children(forest, tree, path[k])
        if proof != 0 and flips(movers, k):
            proof = OTHER_SIDE - proof
        forest.proof[tree, path[k]] = proof
        k -= 1


@inlined
def all_solved(forest, begin, end):
    """Whether the root of every tree from ``begin`` to ``end`` is proven."""
    for tree in range(begin, end):
        if forest.proof[tree, ROOT] == 0:
            return False
    return True
