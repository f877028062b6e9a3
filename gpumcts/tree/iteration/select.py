"""Selection by the rule: rows of a group choose at its node one after the other, a row that is alone goes down to its
leaf."""

import numpy as np

from gpumcts.cpu_only import prefetch
from gpumcts.jit import inlined
from gpumcts.rng import PLY_STEP
from gpumcts.tree.forest import NO_NODE, add_in_flight
from gpumcts.tree.iteration.batch import AT, CHOICE, NEW_CHILD, NEXT, STAYS, THROUGH_CHANCE, TIES, UNTIL, is_alone
from gpumcts.tree.iteration.best_child import best_child
from gpumcts.tree.iteration.group_choice import chosen_by_estimates
from gpumcts.tree.selection.contract import tries_unvisited
from gpumcts.tree.settings import OneLeaf, SearchSwitches
from gpumcts.verbs import verb

U = np.uint64
ABREAST = 32  # rows: what they ask for ahead fits the nearest cache


@verb("switches")
def select(rule, operator, forest, switches, begin, end, side, batch):
    """Select in the groups ``begin`` to ``end`` of the open ones in list ``side`` until each needs the game.

    The other list of the pair is written over.
    """


@select.implements(OneLeaf)
def select_rows(rule, operator, forest, switches, begin, end, side, batch):
    """Rows are alone in their trees, which lie in the cache, mostly: they go down one after the other."""
    for i in range(begin, end):
        row = np.int64(batch.open[i, side])
        tree, code = np.int64(batch.trees[row]), batch.depths[row]
        node, goes_on = np.int64(batch.paths[row, code]), True
        while goes_on:
            code, node, goes_on = go_down(rule, operator, forest, switches, tree, node, code, row, batch)
        batch.codes[row] = code


@select.implements(SearchSwitches)
def select_groups(rule, operator, forest, switches, begin, end, side, batch):
    """Rows that are alone go down side by side, ABREAST of them at most.

    Each waits for memory at each level, so what the next level reads is asked for one level ahead for all of them.
    """
    for first in range(begin, end, ABREAST):
        going = choose_in_groups(rule, operator, forest, switches, first, min(first + ABREAST, end), side, batch)
        while going > first:
            going = go_down_abreast(rule, operator, forest, switches, first, going, side, batch)


@inlined
def choose_in_groups(rule, operator, forest, switches, begin, end, side, batch):
    """Choose in groups of several rows, and list the rows that are alone in the other list; where that ends.

    ``batch.codes`` holds the depth that a row alone has reached.
    """
    going = begin
    for i in range(begin, end):
        head = np.int64(batch.open[i, side])
        tree = np.int64(batch.trees[head])
        if is_alone(batch, head):
            batch.codes[head] = batch.depths[head]
            batch.open[going, side ^ 1] = head
            going += 1
        else:
            batch.codes[head] = choose(rule, operator, forest, switches, tree, head, batch)
    return going


@inlined
def go_down_abreast(rule, operator, forest, switches, begin, end, side, batch):
    """Take the rows listed one level down; where the list of those that go on ends."""
    for i in range(begin, end):
        prefetch_children(forest, np.int64(batch.open[i, side ^ 1]), batch)
    still = begin
    for i in range(begin, end):
        row = np.int64(batch.open[i, side ^ 1])
        tree, depth = np.int64(batch.trees[row]), batch.codes[row]
        node = np.int64(batch.paths[row, depth])
        batch.codes[row], node, goes_on = go_down(rule, operator, forest, switches, tree, node, depth, row, batch)
        if goes_on:
            prefetch_node(forest, tree, node)
            batch.open[still, side ^ 1] = row
            still += 1
    return still


@inlined
def prefetch_node(forest, tree, node):
    """Ask for what ``go_down`` reads of a node, and for its move, which is played later."""
    prefetch(forest.action, (tree, node))
    prefetch(forest.first_child, (tree, node))
    prefetch(forest.child_count, (tree, node))
    prefetch(forest.move_count, (tree, node))


@inlined
def prefetch_children(forest, row, batch):
    """Ask for what the choice among the children reads, at the node that a row has reached."""
    tree = np.int64(batch.trees[row])
    first = np.int64(forest.first_child[tree, np.int64(batch.paths[row, batch.codes[row]])])
    if first != NO_NODE:
        prefetch(forest.visits, (tree, first))
        prefetch(forest.columns, (tree, first, np.int64(0)))


@inlined
def go_down(rule, operator, forest, switches, tree, node, depth, row, batch):
    """One level of a row that is alone: (code, the node that it goes on at, whether it does).

    The code is the depth reached, with NEW_CHILD where an unvisited move of that node is to be tried, or THROUGH_CHANCE
    where chance moves there.
    """
    stream = batch.streams[row, TIES] + U(depth) * PLY_STEP
    moves, children = np.int64(forest.move_count[tree, node]), np.int64(forest.child_count[tree, node])
    if is_leaf(forest, switches, tree, node, depth):
        return depth, node, False
    if moves < 0:
        return depth | THROUGH_CHANCE, node, False
    if children < moves and tries_new(rule, switches, stream, moves, children):
        return depth | NEW_CHILD, node, False
    chosen, best = best_child(rule, operator, forest, switches, tree, node, depth, stream)
    if lacks_better(switches, moves, children, best):
        return depth | NEW_CHILD, node, False
    batch.paths[row, depth + 1] = chosen
    return depth + 1, chosen, True


@inlined
def is_leaf(forest, switches, tree, node, depth):
    """Whether an iteration ends at the node."""
    if forest.move_count[tree, node] == 0 or (depth > 0 and switches.flat):
        return True
    return forest.child_count[tree, node] == 0 and forest.visits[tree, node] < switches.threshold


@inlined
def tries_new(rule, switches, stream, moves, children):
    """Whether an unvisited move, of which there are some, is tried before children are compared."""
    if children == 0:
        return True
    return switches.first_play_urgency == np.inf and tries_unvisited(rule, stream, moves - children, moves)


@inlined
def lacks_better(switches, moves, children, best):
    """Whether an unvisited move is tried in place of the best child, whose score is ``best``."""
    return children < moves and (best == -np.inf or best <= switches.first_play_urgency < np.inf)


# --------------------------------------------------------------------------------------------------- a group of several


@inlined
def choose(rule, operator, forest, switches, tree, head, batch):
    """The rows of a group choose at its node, in row order, as far as they do without the game.

    Returns the depth, with NEW_CHILD where the rows from AT on, up to UNTIL, try unvisited moves, or THROUGH_CHANCE
    where chance moves; with neither all rows have chosen. A choice counts as a visit of node and child for the rows
    that follow.
    """
    depth = batch.depths[head]
    row, node = np.int64(batch.links[head, AT]), np.int64(batch.paths[head, depth])
    if chosen_by_estimates(rule, operator, forest, switches, tree, head, node, depth, batch):
        return depth
    tried = np.int64(0)  # unvisited moves that rows from AT on try
    while row != NO_NODE:
        moves, children = np.int64(forest.move_count[tree, node]), np.int64(forest.child_count[tree, node]) + tried
        stream = batch.streams[row, TIES] + U(depth) * PLY_STEP
        if tried == 0 and is_leaf(forest, switches, tree, node, depth):
            batch.links[row, CHOICE] = STAYS
        elif moves < 0:
            return depth | THROUGH_CHANCE
        elif children < moves and tries_new(rule, switches, stream, moves, children):
            tried += 1
        elif tried > 0:
            return depth | NEW_CHILD
        else:
            chosen, best = best_child(rule, operator, forest, switches, tree, node, depth, stream)
            if lacks_better(switches, moves, children, best):
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
