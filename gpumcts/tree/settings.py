"""How a search adds nodes and picks its move: all that is neither a selection rule nor a backup operator."""

import math
from typing import Annotated, Any, Literal, NamedTuple

from annotated_types import Interval

from gpumcts.tree.forest import MAX_COUNTED_MOVES

LATER = ("in_flight", "batches_in_flight", "roots")
"""Keys that came after results were recorded."""


class Settings(NamedTuple):
    """Options of a search; the sources stand in brackets.

    expansion : ``node``: one node is added an iteration (Ramanujan et al. 2010); ``threshold``: a leaf gets children
        once it has had ``threshold`` playouts (Hashimoto et al. 2012, Fuego); ``whole_path``: every position of the
        episode is stored (Kocsis et al. 2006, Kocsis and Szepesvári 2006), and since the tree plays it to its end, the
        playout policy can only be the uniform one; ``root``: the root's moves alone have nodes, which with
        ``selection=uniform`` is plain Monte-Carlo planning (Kocsis et al. 2006 and Kocsis and Szepesvári 2006, MC)
    threshold : playouts a leaf has before it gets children, for ``expansion=threshold``; ``node`` is 1
    first_play_urgency : what an unvisited move stands for beside values plus biases (Wang and Gelly 2007); infinity
        tries every move once first (Sensei's Library, Ramanujan et al. 2010). Fuego's is 1, beside which it adds the
        bias of an unvisited move, which is infinite
    playouts_per_leaf : P playouts of a leaf count P visits
    leaves_per_tree : leaves a tree puts into one batch
    in_flight : what leaves of a batch that are selected and not yet played are to those selected after them.
        ``virtual_loss`` (Chaslot et al. 2008): visits without reward, which lower a mean and a bias, but not the values
        of operators that do not divide by visits (accelerated). ``unobserved`` (WU-UCT, Liu et al. 2020, eq. 4): visits
        that count in the bias and in no mean; a node without an observed visit is worth 0
    batches_in_flight : with 2 the next batch of a tree is selected while the last one is played, and is backed up after
        it: a device that plays them need not wait. Its leaves are in flight meanwhile, as ``in_flight`` says
    roots : trees of a position that know nothing of each other (root parallelization, Chaslot et al. 2008). They share
        the budget in equal parts; a remainder is not made. Visits of a move are added, its value is the mean of the
        trees' by visits, and what one has proven of it is proven. A tree whose root is proven is done; with ``reuse``
        each keeps its own
    ties : in selection, among equal moves ``random`` (Kocsis et al. 2006, section 2.2) or ``first`` in order of
        generation (Kocsis et al. 2006, Fig. 2); the final move's ties are always random
    final : the move played is the one of most ``visits`` (Fuego) or of highest ``value`` (Kocsis et al. 2006, Sensei's
        Library, Kocsis and Szepesvári 2006); of highest ``velocity``, the visits of late (Hashimoto et al. 2012, eq.
        6), for operators that have it; or of highest ``score``, value plus bias as selection has it at the end
    parent_count : n(s) in the bias is the ``visits`` of s (Sensei's Library, Hashimoto et al. 2012, Kocsis and
        Szepesvári 2006) or the sum of its ``children``'s (Kocsis et al. 2006, Fig. 2)
    reuse : keep the subtree of the moves played for the next search; the position is looked for below the last root,
        the shallowest node that has it is taken
    solve : prove wins, losses and draws where the tree reaches the end of the game, and play by them (Sensei's Library;
        MCTS-Solver, Winands, Björnsson and Saito 2008)
    table : entries of a transposition table of fixed size in place of the tree (Kocsis et al. 2006, section 2.2), an
        even number; None for a tree. For ``tables.search.TableSearcher``
    replacement : what such a table keeps: ``twobigp`` (Kocsis et al. 2006) or ``single`` (see ``tree.tables.table``)
    stored_above : where a child cannot be stored in the table, stored moves of a higher value (in [0, 1]) are preferred
        to a random one (Kocsis et al. 2006, section 2.2, the alternative); infinity prefers none
    """

    expansion: Literal["node", "threshold", "whole_path", "root"] = "node"
    threshold: Annotated[int, Interval(ge=1, le=1_000_000)] = 1
    first_play_urgency: Annotated[float, Interval(ge=0)] = math.inf
    playouts_per_leaf: Annotated[int, Interval(ge=1, le=1_000_000)] = 1
    leaves_per_tree: Annotated[int, Interval(ge=1, le=65_536)] = 1
    in_flight: Literal["virtual_loss", "unobserved"] = "virtual_loss"
    batches_in_flight: Annotated[int, Interval(ge=1, le=2)] = 1
    roots: Annotated[int, Interval(ge=1, le=4096)] = 1
    ties: Literal["random", "first"] = "random"
    final: Literal["visits", "value", "velocity", "score"] = "visits"
    parent_count: Literal["visits", "children"] = "visits"
    reuse: bool = False
    solve: bool = False
    table: Annotated[int, Interval(ge=2, le=2**31 - 1)] | None = None
    replacement: Literal["twobigp", "single"] = "twobigp"
    stored_above: Annotated[float, Interval(ge=0)] = math.inf

    @property
    def root_playouts(self) -> int:
        """Playouts that end in a root before it has a child."""
        return {"node": 1, "threshold": self.threshold, "whole_path": 0, "root": 0}[self.expansion]

    def identity(self) -> dict[str, Any]:
        """What decides results, JSON values but for infinity; ``playouts_per_leaf`` belongs to the budget.

        A key that came later is left out where it has its default: the digests of earlier runs stay as they are.
        """
        later = {key: self._field_defaults[key] for key in LATER}
        plain = self._asdict().items()
        return {key: value for key, value in plain if key != "playouts_per_leaf" and (key, value) not in later.items()}

    def compiled(
        self, evaluate_leaves: bool, cells: int = 0, most_moves: int = MAX_COUNTED_MOVES, in_lanes: bool = False
    ) -> "SearchSwitches":
        """The numbers that travel into compiled code; ``evaluate_leaves`` if the operator wants the leaf's evaluation.

        cells : of the game, where the selection rule learns from traces; most_moves : MAX_MOVES of the game
        in_lanes : LANES of the game
        """
        kind = OneLeaf if self.leaves_per_tree == 1 else SearchSwitches
        return kind(
            threshold=self.root_playouts,
            whole_path=self.expansion == "whole_path",
            first_play_urgency=float(self.first_play_urgency),
            playouts=self.playouts_per_leaf,
            leaves=self.leaves_per_tree,
            random_ties=self.ties == "random",
            children_count=self.parent_count == "children",
            evaluate_leaves=evaluate_leaves,
            flat=self.expansion == "root",
            solve=self.solve,
            cells=cells,
            most_moves=most_moves,
            in_lanes=in_lanes,
        )


class SearchSwitches(NamedTuple):
    """``Settings`` as compiled code reads them; few sets of types, so that hardly an option costs a compilation."""

    threshold: int
    whole_path: bool
    first_play_urgency: float
    playouts: int
    leaves: int
    random_ties: bool
    children_count: bool
    evaluate_leaves: bool
    flat: bool
    solve: bool
    cells: int
    """Points of the game where nodes get all their children at once, for a rule that learns from traces; else 0."""
    most_moves: int  # of a position, that the trees have room for
    in_lanes: bool  # whether paths may be replayed in lockstep


class OneLeaf(SearchSwitches):
    """The same where a tree has one leaf a batch: the steps are compiled without what groups of rows need."""

    __slots__ = ()
