"""Selection: the rows of a group choose among a node's children by the selection rule, one after the other."""

import numpy as np

from gpumcts.jit import inlined
from gpumcts.rng import PLY_STEP
from gpumcts.tree.batch import AT, CHOICE, NEW_CHILD, NEXT, STAYS, THROUGH_CHANCE, TIES, UNTIL, is_alone
from gpumcts.tree.best_child import best_child
from gpumcts.tree.forest import NO_NODE, add_in_flight
from gpumcts.tree.group_choice import MAX_CHILDREN, MIN_CHILDREN, choose_by_parts, scores_by_parts
from gpumcts.tree.selection.contract import tries_unvisited

U = np.uint64


@inlined
def select(rule, operator, forest, switches, begin, end, side, batch):
    """Select in the groups ``begin`` to ``end`` of the open ones in list ``side`` until each needs the game."""
    for i in range(begin, end):
        head = np.int64(batch.open[i, side])
        tree = np.int64(batch.trees[head])
        batch.codes[head] = descend(rule, operator, forest, switches, tree, head, batch)


@inlined
def is_leaf(forest, switches, tree, node, depth):
    """Whether an iteration ends at the node."""
    if forest.move_count[tree, node] == 0 or (depth > 0 and switches.flat):
        return True
    return forest.child_count[tree, node] == 0 and forest.visits[tree, node] < switches.threshold


@inlined
def descend(rule, operator, forest, switches, tree, head, batch):
    """Select for a group: a row alone goes down by the selection rule until the tree ends; several choose at one node.

    Returns the depth reached, with NEW_CHILD where unvisited moves of that node are to be tried, or THROUGH_CHANCE
    where chance moves there. In a group of several that is for its rows from AT on, up to UNTIL with NEW_CHILD; with
    neither all its rows have chosen. A choice counts as a visit of node and child for the rows that follow.
    """
    alone, depth = is_alone(batch, head), batch.depths[head]
    row, node = np.int64(batch.links[head, AT]), np.int64(batch.paths[head, depth])
    if not alone and scores_by_parts(rule) and chooses_by_parts(forest, switches, tree, node, depth):
        choose_by_parts(rule, operator, forest, switches, tree, head, node, depth, batch)
        return depth
    tried = np.int64(0)  # unvisited moves that rows from AT on try
    while row != NO_NODE:
        moves, children = np.int64(forest.move_count[tree, node]), np.int64(forest.child_count[tree, node]) + tried
        stream = batch.streams[row, TIES] + U(depth) * PLY_STEP
        if tried == 0 and is_leaf(forest, switches, tree, node, depth):
            if alone:
                return depth
            batch.links[row, CHOICE] = STAYS
        elif moves < 0:
            return depth | THROUGH_CHANCE
        elif children < moves and (
            children == 0
            or (switches.first_play_urgency == np.inf and tries_unvisited(rule, stream, moves - children, moves))
        ):
            if alone:
                return depth | NEW_CHILD
            tried += 1
        elif tried > 0:
            return depth | NEW_CHILD
        else:
            chosen, best = best_child(rule, operator, forest, switches, tree, node, depth, stream)
            lacks = children < moves and (best == -np.inf or best <= switches.first_play_urgency < np.inf)
            if alone:
                if lacks:
                    return depth | NEW_CHILD
                node = chosen
                depth += 1
                batch.paths[row, depth] = node
                continue
            if lacks:
                tried = np.int64(1)
            else:
                batch.links[row, CHOICE] = chosen - np.int64(forest.first_child[tree, node])
                add_in_flight(forest, tree, chosen, switches.playouts)
        add_in_flight(forest, tree, node, switches.playouts)
        row = np.int64(batch.links[row, NEXT])
        if tried == 0:
            batch.links[head, AT] = row
        else:
            batch.links[head, UNTIL] = row
            if switches.cells > 0:
                return depth | NEW_CHILD
    return depth | NEW_CHILD if tried > 0 else depth


@inlined
def chooses_by_parts(forest, switches, tree, node, depth):
    """Whether all rows at a node choose among children in the tree, many of them."""
    moves, children = np.int64(forest.move_count[tree, node]), np.int64(forest.child_count[tree, node])
    return children == moves and MIN_CHILDREN <= children <= MAX_CHILDREN and not (depth > 0 and switches.flat)
