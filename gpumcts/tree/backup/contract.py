"""The contract of a backup operator: the verbs that every operator implements, and shared helpers.

An operator is a ``NamedTuple`` of numbers with these class attributes:

``COLUMNS``    names of its float64 columns of the forest, 8 bytes a node each
``EVALUATES``  True where ``back_up`` wants the leaf's rescaled evaluation

Values are in [0, 1] for the player who moves at the parent; where the mover changes from a node's parent to the node,
its children's values flip. When ``back_up`` runs, ``forest.visits`` of the path holds this iteration too and nothing in
flight.

A value is a mean over ``observed`` visits, which are all of them with ``search.in_flight=virtual_loss``: there a visit
in flight is one without reward.
"""

import numpy as np

from gpumcts.games.contract import CHANCE
from gpumcts.jit import inlined
from gpumcts.verbs import verb


@verb("operator")
def value(operator, forest, tree, node):
    """The value of a visited node for selection and the final move: float64 in [0, 1] for the mover at its parent.

    It reads the node and what lies below it alone.
    """


@verb("operator")
def count(operator, forest, tree, node):
    """n(s, a) of selection, float64 > 0: visits, those in flight included, of the node alone."""


@verb("operator")
def observed_count(operator, forest, tree, node):
    """n(s, a) that a value is a mean over, float64 >= 0: ``count`` less what is unobserved (``search.in_flight``)."""


@verb("operator")
def total_count(operator, forest, tree, node):
    """n(s) of selection, float64 > 0."""


@verb("operator")
def back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    """Back up one leaf along its path.

    path : int32, nodes from the root (0) to the leaf (depth); movers : int8, who moves at each of them
    reward : float64, sum of the leaf's playouts in [0, playouts] for the first player
    evaluation : float64, the leaf's rescaled evaluation in [0, 1] for the first player, where ``EVALUATES``
    """


# A verb that only some operators answer, whose back-up reads and writes no node but those of the path, each by itself.
# Threads share such a back-up. These operators need no ``back_up``.


@verb("operator")
def back_up_at(operator, forest, tree, path, movers, k, depth, reward, playouts, evaluation):
    """Back up one leaf at depth k of its path alone; arguments as of ``back_up``."""


@back_up.implements(object)
def back_up_each(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    for k in range(depth, -1, -1):
        back_up_at(operator, forest, tree, path, movers, k, depth, reward, playouts, evaluation)


# Verbs that only some operators answer, for the rules that name one of them in ``NEEDS``; no defaults.


@verb("operator")
def variance(operator, forest, tree, node):
    """The variance of the rewards of a visited node, float64 >= 0; rewards in [0, 1]."""


@verb("operator")
def bound(operator, forest, tree, node):
    """An upper bound of what a visited node is worth under best play, float64, for the mover at its parent."""


@verb("operator")
def velocity(operator, forest, tree, node):
    """How often a visited node has been taken of late, float64 >= 0 (Hashimoto et al. 2012, eq. 6)."""


@verb("operator")
def owed(operator, forest, tree, node):
    """Whether the present round of its parent owes the node a visit (Ramanujan et al. 2010, section 6.2), bool."""


# A verb of the few operators that read the root's own columns; called in Python, where a kept tree goes on.


@verb("operator")
def turn_root(operator, forest, tree):
    """Make the root's columns those of the player who moves there; they were of the one who moved at its parent."""


@count.implements(object)
def visits_count(operator, forest, tree, node):
    return float(forest.visits[tree, node])


@observed_count.implements(object)
def observed_visits_count(operator, forest, tree, node):
    return float(observed(forest, tree, node))


@total_count.implements(object)
def visits_total(operator, forest, tree, node):
    return float(forest.visits[tree, node])


@inlined
def observed(forest, tree, node):
    """Visits that values know of: all but the unobserved ones, where those are counted apart."""
    visits = np.int64(forest.visits[tree, node])
    if forest.unobserved.shape[1] > 0:
        visits -= forest.unobserved[tree, node]
    return visits


@inlined
def mean_of(total, count):
    """A mean; 0 of nothing, the least a node can be worth: unobserved."""
    return total / count if count > 0 else 0.0


@inlined
def mean_over_observed(forest, tree, node, total):
    """A mean over the observed visits of a node that has been visited."""
    # The shape does not change in a scan of children, so the compiler takes the question out of there.
    if forest.unobserved.shape[1] > 0:
        return mean_of(total, observed(forest, tree, node))
    return total / forest.visits[tree, node]


@inlined
def player_above(movers, k):
    """For whom the node at depth k of a path is valued: who moves at its parent; at the root, who moves there.

    Below a chance node, and at one in the root, the first player.
    """
    player = movers[k - 1] if k > 0 else movers[0]
    return 0 if player == CHANCE else player


@inlined
def player_at(movers, k):
    """For whom the children of the node at depth k are valued."""
    return 0 if movers[k] == CHANCE else movers[k]


@inlined
def flips(movers, k):
    """Whether the children's values of the node at depth k are for the other player than its own."""
    return player_at(movers, k) != player_above(movers, k)


@inlined
def reward_for(player, reward, playouts):
    """A sum of rewards of the first player as ``player`` sees it."""
    return reward if player == 0 else playouts - reward


@inlined
def own_playouts(forest, tree, node):
    """Playouts that began in the node itself, before it had children: its visits less its children's."""
    own = np.int64(forest.visits[tree, node])
    first = np.int64(forest.first_child[tree, node])
    for child in range(first, first + forest.child_count[tree, node]):
        own -= forest.visits[tree, child]
    return own


@inlined
def decayed_playouts(decay, playouts):
    """(decay^P, 1 + decay + ... + decay^(P-1)): what P successive visits make of a velocity (Hashimoto et al. 2012, eq.
    6, P times).

    By doubling; the quotient (1 - decay^P) / (1 - decay) would lose half the digits at a decay of 1 - 1e-7.
    """
    fading, grown = 1.0, 0.0
    power, total = decay, 1.0  # decay^n, and the sum of the powers below n, for n = 1, 2, 4, ...
    while playouts > 0:
        if playouts & 1:
            grown = grown * power + total
            fading *= power
        total += total * power
        power *= power
        playouts >>= 1
    return fading, grown
