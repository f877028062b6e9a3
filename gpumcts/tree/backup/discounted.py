"""Discounted UCT: Hashimoto et al. 2012, eq. 2 to 4, carried to trees as section 5.1 says."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.jit import inlined
from gpumcts.tree.backup.contract import (
    back_up,
    count,
    decayed_playouts,
    mean_of,
    observed,
    observed_count,
    player_above,
    reward_for,
    total_count,
    value,
)

COUNT, SUM, TOTAL, VISITS = 0, 1, 2, 3
FORGOTTEN = 1e-200  # no count fades below it: however old the visits, w / n keeps its digits and is never 0 / 0


class Discounted(NamedTuple):
    """Old playouts are forgotten: at each position of the path every move does n <- decay n + I, w <- decay w + R.

    48 bytes a node.

    decay : in (0, 1]; 1 is UCT. Positions off the path are left alone, as velocities are

    s, the sum of the discounted counts, takes in the playouts made before the position had children (decayed like a
    move not taken), as n(s) does in UCT; s <- decay s + 1 is the same sum in one step.
    """

    decay: Annotated[float, Interval(gt=0, le=1)] = 0.999

    COLUMNS = ("discounted_count", "discounted_sum", "discounted_total", "visits_backed_up")
    EVALUATES = False

    def beside_traces(self) -> "DiscountedByMove":
        """What takes its place with RAVE (Hashimoto et al. 2012, note 9)."""
        return DiscountedByMove(self.decay)


class DiscountedByMove(NamedTuple):
    """Each move counts its own updates: n <- decay n + 1, w <- decay w + R for the move that is taken; 40 bytes a node.

    Other moves stay as they are. Hashimoto et al. 2012, note 9, of Discounted UCT with RAVE: "Unlike in the definition
    of Discounted UCB, t and j indicate the situation after the tth update for move j is performed." n(s) counts visits.
    """

    decay: float = 0.999

    COLUMNS = ("discounted_count", "discounted_sum", "visits_backed_up")
    EVALUATES = False


OPTION = Discounted


@value.implements(Discounted)
def discounted_value(operator, forest, tree, node):
    return mean_of(forest.columns[tree, node, SUM], observed_count(operator, forest, tree, node))


@count.implements(Discounted)
def discounted_count(operator, forest, tree, node):
    in_flight = forest.visits[tree, node] - forest.columns[tree, node, VISITS]
    return forest.columns[tree, node, COUNT] + in_flight


@observed_count.implements(Discounted)
def discounted_observed_count(operator, forest, tree, node):
    virtual_loss = observed(forest, tree, node) - forest.columns[tree, node, VISITS]
    return forest.columns[tree, node, COUNT] + virtual_loss


@total_count.implements(Discounted)
def discounted_total_count(operator, forest, tree, node):
    in_flight = forest.visits[tree, node] - forest.columns[tree, node, VISITS]
    return forest.columns[tree, node, TOTAL] + in_flight


@inlined
def fade(columns, tree, child, fading):
    """Multiply a child's n and w by ``fading``."""
    n = columns[tree, child, COUNT]
    if n > 0.0:
        factor = fading if n * fading > FORGOTTEN else FORGOTTEN / n
        columns[tree, child, COUNT] *= factor
        columns[tree, child, SUM] *= factor


@back_up.implements(Discounted)
def discounted_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    fading, grown = decayed_playouts(operator.decay, playouts)
    columns = forest.columns
    for k in range(depth, -1, -1):
        node = path[k]
        columns[tree, node, TOTAL] = columns[tree, node, TOTAL] * fading + grown
        columns[tree, node, VISITS] += playouts
        first = forest.first_child[tree, node]
        for child in range(first, first + forest.child_count[tree, node]):
            fade(columns, tree, child, fading)
        if k < depth:
            taken = path[k + 1]
            columns[tree, taken, COUNT] += grown
            mean = reward_for(player_above(movers, k + 1), reward, playouts) / playouts
            columns[tree, taken, SUM] += grown * mean
    fade(columns, tree, path[0], fading)  # the root is no move of any position, but has a value
    columns[tree, path[0], COUNT] += grown
    columns[tree, path[0], SUM] += grown * (reward_for(player_above(movers, 0), reward, playouts) / playouts)


# ------------------------------------------------------------------------------------------- beside RAVE: by the move

VISITS_BY_MOVE = 2


@value.implements(DiscountedByMove)
def discounted_by_move_value(operator, forest, tree, node):
    return mean_of(forest.columns[tree, node, SUM], observed_count(operator, forest, tree, node))


@count.implements(DiscountedByMove)
def discounted_by_move_count(operator, forest, tree, node):
    in_flight = forest.visits[tree, node] - forest.columns[tree, node, VISITS_BY_MOVE]
    return forest.columns[tree, node, COUNT] + in_flight


@observed_count.implements(DiscountedByMove)
def discounted_by_move_observed_count(operator, forest, tree, node):
    virtual_loss = observed(forest, tree, node) - forest.columns[tree, node, VISITS_BY_MOVE]
    return forest.columns[tree, node, COUNT] + virtual_loss


@back_up.implements(DiscountedByMove)
def discounted_by_move_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    fading, grown = decayed_playouts(operator.decay, playouts)
    columns = forest.columns
    for k in range(depth, -1, -1):
        node, mean = path[k], reward_for(player_above(movers, k), reward, playouts) / playouts
        columns[tree, node, COUNT] = columns[tree, node, COUNT] * fading + grown
        columns[tree, node, SUM] = columns[tree, node, SUM] * fading + grown * mean
        columns[tree, node, VISITS_BY_MOVE] += playouts
