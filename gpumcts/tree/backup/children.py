"""Helpers of operators that read a node's children: the best child, the most visited one, the mean over chance."""

from gpumcts.games.contract import CHANCE
from gpumcts.jit import inlined
from gpumcts.tree.backup.contract import flips


@inlined
def has_visited_child(forest, tree, node):
    """Whether any child has been backed up."""
    first = forest.first_child[tree, node]
    for child in range(first, first + forest.child_count[tree, node]):
        if forest.visits[tree, child] > 0:
            return True
    return False


@inlined
def unproven(forest, tree, node):
    """Whether the search may still learn about a node: nothing is proven of it."""
    return forest.proof.shape[1] == 0 or forest.proof[tree, node] == 0


@inlined
def best_value(forest, tree, node, column):
    """The largest of the visited children's values, kept in ``column``, for the player who chooses among them."""
    best = -1.0
    first = forest.first_child[tree, node]
    for child in range(first, first + forest.child_count[tree, node]):
        if forest.visits[tree, child] > 0:
            best = max(best, forest.columns[tree, child, column])
    return best


@inlined
def most_visited(forest, tree, node, column):
    """The child of most visits; among several the one of the highest value, then the earliest (robust max)."""
    first = forest.first_child[tree, node]
    chosen = first
    for child in range(first + 1, first + forest.child_count[tree, node]):
        more = forest.visits[tree, child] - forest.visits[tree, chosen]
        better = forest.columns[tree, child, column] > forest.columns[tree, chosen, column]
        if more > 0 or (more == 0 and better):
            chosen = child
    return chosen


@inlined
def mean_over_chance(forest, tree, node, column):
    """The children's values weighted by visits, which come with their probabilities."""
    weighted, visits = 0.0, 0
    first = forest.first_child[tree, node]
    for child in range(first, first + forest.child_count[tree, node]):
        weighted += forest.visits[tree, child] * forest.columns[tree, child, column]
        visits += forest.visits[tree, child]
    return weighted / visits


@inlined
def seen_from_above(movers, k, for_mover):
    """A value for the player at depth k of the path as the node there stores it."""
    return 1.0 - for_mover if flips(movers, k) else for_mover


@inlined
def best_from_above(forest, tree, node, column, movers, k):
    """The best child's value (its mean over chance) as the node at depth k of the path stores it."""
    if movers[k] == CHANCE:
        return seen_from_above(movers, k, mean_over_chance(forest, tree, node, column))
    return seen_from_above(movers, k, best_value(forest, tree, node, column))
