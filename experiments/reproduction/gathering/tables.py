"""Cells made of the files of Table 1 of Hashimoto et al. 2012: shares of draws, and one algorithm beside the other."""

from collections.abc import Iterator, Sequence

from experiments.reproduction.catalogue import Item, Order, Paper
from experiments.reproduction.cells import Cell
from experiments.reproduction.derived import cell_from
from experiments.reproduction.gathering.common import published_of_order
from experiments.reproduction.quantities import Measured, Points, Share
from gpumcts.errors import BadInput


def draws(paper: Paper, item: Item, sources: Sequence[Cell]) -> list[Cell]:
    """The share of draws of every match, beside what is said of its game: an order's cell is the game's name."""
    return [cell for source in sources for cell in _draws(item, source)]


def _draws(item: Item, source: Cell) -> Iterator[Cell]:
    quantity = source.measured.quantity
    if not isinstance(quantity, Points):
        raise BadInput(f"{source.path}: has no draws")
    for order in item.orders:
        if source.cell.startswith(f"{order.cell}-"):
            measured = Measured(unit="rate", quantity=Share(hits=quantity.draws, count=quantity.count))
            title = f"{source.title}, {_algorithm(source)}"
            yield cell_from(
                item, [source], f"{source.item}-{source.cell}", title, measured, published_of_order(item, order)
            )


def ahead(paper: Paper, item: Item, sources: Sequence[Cell]) -> list[Cell]:
    """Table 1 (a) beside (b), cell by cell: win rates against plain UCT.

    It is judged where the paper's two figures are further apart than both of its intervals reach.
    """
    found = []
    by_item = {name: {cell.cell: cell for cell in sources if cell.item == name} for name in item.derived_from}
    first, second = (by_item[name] for name in item.derived_from)
    for name in (name for name in first if name in second):
        both = [first[name], second[name]]
        one, other = (cell.measured.quantity for cell in both)
        names = (_algorithm(both[0]), _algorithm(both[1]))
        measured = Measured(unit="rate", quantity=one, other=other, names=names)
        title = f"{both[0].title}: {names[0]} over {names[1]}"
        relation = "above" if _apart(*both) else "unstated"
        order = Order(cell=name, first=names[0], relation=relation, second=names[1])
        found.append(cell_from(item, both, name, title, measured, published_of_order(item, order)))
    return found


def _apart(one: Cell, other: Cell) -> bool:
    first, second = one.published, other.published
    if first.value is None or second.value is None:
        return False
    return first.value - second.value > first.half + second.half


def _algorithm(source: Cell) -> str:
    return str(source.asked.keys["backup"]["name"]).capitalize()
