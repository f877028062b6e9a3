"""What a move may cost, and in which units each player counts it."""

from collections.abc import Mapping
from typing import Annotated, Any, NamedTuple

from annotated_types import Interval

from experiments.config.validation import group_at, shown, typed
from gpumcts.errors import BadInput
from gpumcts.players.ranges import Depth, Iterations, Nodes, Playouts

EXAMPLES = {"iterations": 1000, "nodes": 100_000, "depth": 4, "seconds": 0.1, "matched": 4}


class Budget(NamedTuple):
    """What a move may cost, in one unit: iterations (leaves of alpha-beta), core seconds, nodes, plies of depth, or
    what it costs the other side: ``matched`` is the games of the other side against itself in which that is counted."""

    iterations: Iterations | None = 1000
    playouts_per_leaf: Playouts = 1
    seconds: Annotated[float, Interval(gt=0, le=1e6)] | None = None
    nodes: Nodes | None = None
    depth: Depth | None = None
    matched: Annotated[int, Interval(ge=1, le=1_000_000)] | None = None

    @property
    def unit(self) -> str:
        """The unit that is given."""
        return next(unit for unit in EXAMPLES if getattr(self, unit) is not None)

    @property
    def plain(self) -> dict[str, Any]:
        """The keys that are given."""
        return {key: value for key, value in self._asdict().items() if value is not None}


def budget_of(
    plain: Mapping[str, Any],
    prefix: str,
    player: str,
    units: tuple[str, ...],
    plays_out: bool = False,
    follows: bool = False,
) -> Budget:
    """The budget of a player under ``prefix`` (empty, or ``opponent.``), in one of the player's ``units``.

    plays_out : whether it plays playouts, of which a leaf may have several
    follows : whether there is another side whose nodes its budget may follow (``budget.matched``)
    """
    where = f"{prefix}budget"
    group = group_at(plain, where)
    budget = typed(Budget, {key: value for key, value in group.items() if key != "name"}, where)
    given = [unit for unit in EXAMPLES if getattr(budget, unit) is not None]
    if not given:
        raise BadInput(f"{where}: give one of {_listed(tuple(EXAMPLES))}; here all are null")
    units += ("matched",) if follows else ()
    asked = [unit for unit in given if unit != group.get("name")] or given
    if not set(asked) & set(units):
        unit = next((unit for unit in units if unit == "depth"), units[0])
        raise BadInput(f"{where}: {prefix}player={player} takes {_listed(units)}; e.g. {_example(prefix, unit)}")
    if len(given) > 1:
        values = " and ".join(f"{where}.{unit}={_short(getattr(budget, unit))}" for unit in given)
        write = " or ".join(_example(prefix, unit, getattr(budget, unit)) for unit in asked if unit in units)
        raise BadInput(f"{values}: a budget has one unit; write {write}, or set one to null")
    if not plays_out and budget.playouts_per_leaf != 1:
        raise BadInput(f"{where}.playouts_per_leaf={budget.playouts_per_leaf}: {prefix}player={player} has no playouts")
    return budget


def _listed(units: tuple[str, ...]) -> str:
    return " or ".join([*filter(None, [", ".join(units[:-1])]), units[-1]])


def _example(prefix: str, unit: str, value: Any = None) -> str:
    """How a command line gives a budget in ``unit``, of so many, or of as many as one may try."""
    group = "budget@opponent.budget" if prefix else "budget"
    return f"{group}={unit} {prefix}budget.{unit}={_short(EXAMPLES[unit] if value is None else value)}"


def _short(number: float) -> str:
    """``2`` for 2.0, as seconds are read."""
    return shown(int(number) if number == int(number) else number)
