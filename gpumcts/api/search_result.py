"""The result of a search from Python, position by position."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from gpumcts.api.positions import check_legal
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.kernels.batch import Rules
from gpumcts.tree.settings import Settings
from gpumcts.tree.solve import PROOF_NAMES
from gpumcts.tree.time_split import TimeSplit
from gpumcts.validation import integer

if TYPE_CHECKING:
    import polars


class SearchResult:
    """What a search of B positions found; ``Search`` returns it.

    It holds the trees, for ``principal_variation``, so let go of it where memory is short.

    >>> import gpumcts as g
    >>> game = g.make("dots_and_boxes", rows=1, columns=2)
    >>> result = g.Search(game, threads=1)(g.start(game), iterations=100, seed=1)
    >>> result.best.shape, int(result.visits[0].sum()), bool(result.values[0].max() <= 1)
    ((1,), 99, True)
    """

    def __init__(self, game: Any, states: npt.NDArray[np.uint64], found: Any, settings: Settings) -> None:
        """``found`` is what a ``gpumcts.tree.search.Searcher`` of ``settings`` found for ``states``, uint64[B, W]."""
        self._rules, self._states, self._found = Rules(game), states, found
        self._made = np.full(len(states), found.iterations, np.int64)
        if settings.solve:
            self._made = found.iterations_made(settings.playouts_per_leaf, settings.root_playouts)
        order = [_order(found, row) for row in range(len(states))]
        self._best = found.decide()
        self._moves = [found.table.move[row][columns] for row, columns in enumerate(order)]
        self._visits = [found.table.visits[row][columns] for row, columns in enumerate(order)]
        self._values = [found.table.value[row][columns] for row, columns in enumerate(order)]
        self._proofs = [found.table.proof[row][columns] for row, columns in enumerate(order)]

    def __len__(self) -> int:
        """The number of positions, B."""
        return len(self._states)

    def __repr__(self) -> str:
        positions = f"{len(self)} position{'' if len(self) == 1 else 's'}"
        most = "" if (self._made == self.iterations).all() else "at most "
        return f"SearchResult({positions}, {most}{self.iterations} iterations each)"

    @property
    def iterations(self) -> int:
        """Iterations that each position was given; ``iterations_made`` has those that it took."""
        return self._found.iterations

    @property
    def iterations_made(self) -> npt.NDArray[np.int64]:
        """Iterations made for each position, int64[B]: fewer than ``iterations`` where ``solve`` proved who wins."""
        return self._made

    @property
    def times(self) -> TimeSplit:
        """Where the time went, in seconds of all threads of the search: ``parts()`` and ``shares()`` by name.

        The parts are selection, growth, playouts, backup, waiting and other, of all positions together. They differ
        from call to call; nothing else of a result does.
        """
        return self._found.times

    @property
    def best(self) -> npt.NDArray[np.int64]:
        """The move to play in each position, int64[B]; ties are broken at random.

        It is the move of most visits, or as ``final`` says of the highest value, velocity or score. With ``solve`` a
        proof decides first: a won move is played, a lost one only where there is no other, and a draw where no unproven
        move has a value of 1/2 or more.
        """
        return self._best

    @property
    def moves(self) -> Sequence[npt.NDArray[np.int64]]:
        """The visited legal moves of each position, B arrays int64[n]: most visited first, then by value."""
        return self._moves

    @property
    def visits(self) -> Sequence[npt.NDArray[np.int64]]:
        """The visits of those moves, B arrays int64[n], in playouts."""
        return self._visits

    @property
    def values(self) -> Sequence[npt.NDArray[np.float64]]:
        """The values of those moves, B arrays float64[n] in [0, 1], for the player to move: 1 wins."""
        return self._values

    def principal_variation(self, row: SupportsIndex, first_move: SupportsIndex | None = None) -> list[int]:
        """The most visited line of position ``row``, or the one that begins with ``first_move``; moves in order.

        It is empty where ``first_move`` is legal and was not visited. Raises BadInput for a row that is none, for a
        first move that is not legal, and where the trees are gone: a search that did not fit into memory at once, or
        whose trees stayed on the device, keeps no lines.
        """
        number = integer("row", row, 0, len(self) - 1)
        first = None if first_move is None else integer("first_move", first_move, 0, 2**31 - 1)
        if first is not None:
            check_legal(self._rules, self._states[number], "first_move", first, f"position {number}")
        try:
            return self._found.principal_variation(number, first)
        except ValueError as error:
            raise BadInput(f"principal_variation: {error}; search fewer positions at once") from None

    def variation_text(self, row: SupportsIndex, first_move: SupportsIndex | None = None) -> str:
        """The line of ``principal_variation`` in the game's notation, moves apart by spaces; raises the same."""
        line = self.principal_variation(row, first_move)
        state, texts = self._rules.state(self._states[integer("row", row, 0, len(self) - 1)]), []
        with np.errstate(over="ignore"):
            for move in line:
                texts.append(str(contract.move_text(self._rules.game, state, move)))
                state = contract.play(self._rules.game, state, move)
        return " ".join(texts)

    def to_frame(self) -> "polars.DataFrame":
        """One row a visited move: position (0 to B - 1), move, text, visits, value, and proof.

        ``value`` is in [0, 1] for the player to move; ``proof`` is win, draw or loss for that player where ``solve``
        has proven it, else null.
        """
        import polars

        columns: dict[str, Any] = {"position": [], "move": [], "text": [], "visits": [], "value": [], "proof": []}
        for row, moves in enumerate(self._moves):
            state = self._rules.state(self._states[row])
            with np.errstate(over="ignore"):
                columns["text"] += [str(contract.move_text(self._rules.game, state, move)) for move in moves.tolist()]
            columns["position"] += [row] * len(moves)
            columns["move"] += moves.tolist()
            columns["visits"] += self._visits[row].tolist()
            columns["value"] += self._values[row].tolist()
            columns["proof"] += [PROOF_NAMES.get(proof) for proof in self._proofs[row].tolist()]
        types = [polars.Int64, polars.Int64, polars.String, polars.Int64, polars.Float64, polars.String]
        return polars.DataFrame(columns, schema=dict(zip(columns, types, strict=True)))


def _order(found: Any, row: int) -> np.ndarray:
    """The columns of a row of the root's table, most visited first, then by value, then by move: int64[n]."""
    table, count = found.table, int(found.table.count[row])
    return np.lexsort((table.move[row, :count], -table.value[row, :count], -table.visits[row, :count]))
