"""Accelerated UCT: Hashimoto et al. 2012, section 4, eq. 5 to 7, with the virtual child of Fig. 2."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.jit import inlined
from gpumcts.tree.backup import contract
from gpumcts.tree.backup.contract import back_up, decayed_playouts, flips, own_playouts, player_above, reward_for, value

RATE, VELOCITY, OWN_SUM, OWN_VELOCITY = 0, 1, 2, 3


class Accelerated(NamedTuple):
    """Children weigh by velocity: v <- decay v + (1 if taken), so recently visited moves weigh more; 48 bytes a node.

    decay : in (0, 1]; 1 is UCT. Hashimoto et al. 2012 tries 1 - 0.1^k, k = 1 to 7

    The playouts made in a position before it had children are a virtual child: their mean, with the velocity they had
    built up, which only decays from then on. Selection's bias counts visits, as in UCB1 (eq. 5).
    """

    decay: Annotated[float, Interval(gt=0, le=1)] = 0.999

    COLUMNS = ("rate", "velocity", "own_sum", "own_velocity")
    EVALUATES = False


OPTION = Accelerated


@value.implements(Accelerated)
def accelerated_value(operator, forest, tree, node):
    # A node that only virtual loss has visited has no rate yet: a loss. Otherwise virtual loss leaves the rate alone.
    return forest.columns[tree, node, RATE]


@contract.velocity.implements(Accelerated)
def accelerated_velocity(operator, forest, tree, node):
    return forest.columns[tree, node, VELOCITY]


@inlined
def revalue(forest, tree, path, movers, k, depth, reward, playouts, fading, grown):
    """Take a visit of ``playouts`` playouts into the velocities and the value of the node at depth k of the path.

    fading, grown : what the visit makes of velocities, by ``decayed_playouts``. The children's values are final.
    """
    columns, node = forest.columns, path[k]
    columns[tree, node, OWN_VELOCITY] *= fading
    if k == depth:
        columns[tree, node, OWN_SUM] += reward_for(player_above(movers, k), reward, playouts)
        columns[tree, node, OWN_VELOCITY] += grown
    own = own_playouts(forest, tree, node)
    mean = columns[tree, node, OWN_SUM] / own if own > 0 else 0.0
    weight = columns[tree, node, OWN_VELOCITY] if own > 0 else 0.0
    weighted = weight * mean
    first = forest.first_child[tree, node]
    for child in range(first, first + forest.child_count[tree, node]):
        velocity = columns[tree, child, VELOCITY] * fading
        if k < depth and child == path[k + 1]:
            velocity += grown
        columns[tree, child, VELOCITY] = velocity
        rate = columns[tree, child, RATE]
        weighted += velocity * (1.0 - rate if flips(movers, k) else rate)
        weight += velocity
    if forest.child_count[tree, node] > 0:
        columns[tree, node, RATE] = weighted / weight
    else:
        columns[tree, node, RATE] = mean


@back_up.implements(Accelerated)
def accelerated_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    fading, grown = decayed_playouts(operator.decay, playouts)
    for k in range(depth, -1, -1):
        revalue(forest, tree, path, movers, k, depth, reward, playouts, fading, grown)
