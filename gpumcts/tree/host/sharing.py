"""Whether the threads of a search share each of its trees, and the team they make then."""

import numba

from gpumcts.tree.host.team import Team, is_worth_a_team, team_of, team_room, useful_threads
from gpumcts.tree.iteration.steps import is_shared
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.selection.contract import learner
from gpumcts.tree.settings import Settings

# Of a batch that threads share beside a device: with fewer, waiting takes what sharing gives
# (docs/performance/one-tree.md).
MIN_LEAVES_BESIDE_DEVICE = 1024
MAX_THREADS_BESIDE_DEVICE = 8  # of a tree: sixteen are slower (docs/performance/h200.md)


def team_for(parts: SearchParts, threads: int, beside_device: bool) -> Team:
    """A team of so many threads, as many as have something to do."""
    settings, game = parts.settings, parts.game
    leaves, shared = settings.leaves_per_tree, is_shared(learner(parts.rule), parts.operator, parts.switches)
    if beside_device:
        useful = useful_threads(min(threads, MAX_THREADS_BESIDE_DEVICE), leaves, playouts=1)  # a device plays them
    else:
        useful = useful_threads(threads, leaves, settings.playouts_per_leaf)
    return team_of(
        useful, leaves, game.MAX_MOVES, parts.room // leaves, parts.kept_columns, shared,
        settings.playouts_per_leaf, bool(game.LANES),
    )  # fmt: skip


def threads_share_trees(settings: Settings, threads: int, trees: int, beside_device: bool) -> bool:
    """Whether the threads share each tree, one after the other: there are too few trees for one each.

    Beside a device only a tree that is alone: of several, half go on while the device plays the leaves of the others.
    Never in plain Python: a game's error there ends one thread, and the others would wait for its share without end.
    """
    if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]
        return False
    if settings.batches_in_flight > 1 or threads < 2 * trees:
        return False
    if beside_device:
        return trees == 1 and settings.leaves_per_tree >= MIN_LEAVES_BESIDE_DEVICE
    return is_worth_a_team(settings.leaves_per_tree, settings.playouts_per_leaf)


def slots_of_threads(parts: SearchParts, threads: int, trees: int, beside_device: bool) -> int:
    """Slots a tree is given beside those of its nodes, where threads take slots of their own in it."""
    if not threads_share_trees(parts.settings, threads, trees, beside_device):
        return 0
    return team_room(team_for(parts, threads, beside_device), parts.settings.leaves_per_tree)
