"""Cells of ranks of moves: correlations with a deep search and their differences, Figure 1 of Ramanujan et al. 2010."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from experiments.config.schema import as_json
from experiments.ranking.checks import two_player_game
from experiments.ranking.methods import MinimaxKeys, PlayoutsKeys, checked_method
from experiments.ranking.statistics import Agreement, Interval, Resampled, pooled_rho, pooled_tau
from experiments.ranking.summary import Ranker
from experiments.ranking.values import values_file
from experiments.reproduction.catalogue import Item, Order, Paper
from experiments.reproduction.cells import Cell, Digests
from experiments.reproduction.gathering.common import cell_of
from experiments.reproduction.gathering.positions import Line, digests_of, estimate, first_of, lines_of
from experiments.reproduction.quantities import Measured, Published
from experiments.runs.results import Result
from gpumcts.errors import BadInput

UNIT = "correlation"
TITLES = {
    "evaluation": "evaluation",
    "random_playouts": "random playouts",
    "mm1_playouts": "heuristic playouts",
    "minimax_2": "MM-2 search",
    "minimax_2_playouts": "MM-2 playouts",
}
BUDGETS = {
    "random_playouts": "random_playouts",
    "mm1_playouts": "heuristic_playouts",
    "minimax_2_playouts": "mm2_playouts",
}
"""What the paper calls the playouts of a method, as a budget."""
TOLERANCE = 1e-9


def rank_digests(result: Result) -> Digests:
    """Of every value of every method, and of the first ten moves of the first position."""
    lines = _values(result, _methods(result)[1])
    values = [[line["position"], name, values] for line in lines for name, values in line["values"].items()]
    return digests_of(values, [[text, name, first_of(row)] for text, name, row in values[: len(lines[0]["values"])]])


def _methods(result: Result) -> tuple[dict[str, Any], dict[str, Any]]:
    """The keys of a run's methods, and what decides what each says, as the command has them."""
    game, _ = two_player_game(result.config)
    found = {name: checked_method(name, result.config["method"][name], game) for name in result.config["methods"]}
    return {name: own for name, (own, _) in found.items()}, {name: as_json(own) for name, (_, own) in found.items()}


def correlations(paper: Paper, item: Item, results: Sequence[Result]) -> list[Cell]:
    """A cell a method and correlation, and one an order of the item's."""
    return [cell for result in results for cell in _Ranked(paper, item, result).cells()]


def _values(result: Result, definitions: dict[str, Any]) -> list[Line]:
    """What all methods of a run say, by position, as ``ranking.values.Values.of`` has it."""
    count = result.summary["boards"]
    by_method = {name: lines_of(values_file(result.folder, name, own), count) for name, own in definitions.items()}
    first = next(iter(by_method.values()))
    return [
        {**first[number], "values": {name: lines[number]["values"] for name, lines in by_method.items()}}
        for number in range(count)
    ]


class _Ranked:
    """The correlations of a run, made again from the values of its methods and checked against its summary."""

    def __init__(self, paper: Paper, item: Item, result: Result) -> None:
        self._paper, self._item, self._result = paper, item, result
        self._methods, self._definitions = _methods(result)
        self._digests = rank_digests(result)
        judge = self._ranker()
        lines = [
            line for line in _values(result, self._definitions) if judge.agreement(line, judge.reference) is not None
        ]
        self._resampled = Resampled([line["game"] for line in lines])
        self._found: dict[str, list[Agreement]] = {
            name: [one for line in lines if (one := judge.agreement(line, name)) is not None]
            for name in self._methods
            if name != judge.reference
        }
        self._boards = len(lines)
        self._check()

    def _ranker(self) -> Ranker:
        """The rules for ties of the run."""
        config = self._result.config
        ties = {
            name: "win_rate" if isinstance(own, PlayoutsKeys) else "evaluation" for name, own in self._methods.items()
        }
        return Ranker({name: config[f"ties_{unit}"] for name, unit in ties.items()}, config["reference"])

    def _check(self) -> None:
        """Refuse a summary that is not of these values."""
        for name, found in self._found.items():
            told = self._result.summary["methods"].get(name, {}).get("rho", [math.nan])[0]
            if not math.isclose(told, float(np.mean([one.rho for one in found])), abs_tol=TOLERANCE):
                raise BadInput(f"{self._result.folder}: the values of {name} are not those of its summary")

    def cells(self) -> Iterator[Cell]:
        """A cell an order, then one a method and correlation."""
        for order in self._item.orders:
            yield self._ordered(order)
        for name, found in self._found.items():
            sums = np.stack([one.pooled for one in found])
            for key, words, interval in (
                ("rho", "Spearman", self._mean(name, "rho")),
                ("tau", "Kendall", self._mean(name, "tau")),
                ("rho-all", "Spearman, all moves", self._resampled.pooled(sums, pooled_rho)),
                ("tau-all", "Kendall, all moves", self._resampled.pooled(sums, pooled_tau)),
            ):
                yield self._cell(f"{_slug(name)}-{key}", f"{_title(name)}: {words}", interval, self._published())

    def _mean(self, name: str, key: str) -> Interval:
        return self._resampled.mean([getattr(one, key) for one in self._found[name]])

    def _ordered(self, order: Order) -> Cell:
        """Spearman's of one method less that of another on the same boards; or one's beside a bound."""
        for name in filter(None, (order.first, order.second)):
            if name not in self._found:
                raise BadInput(f"{self._result.folder}: has no method {name}, which {self._item.name} compares")
        if order.second is None:
            bound = order.value
            title, interval = f"{_title(order.first)}: Spearman beside {bound:g}", self._mean(order.first, "rho")
        else:
            bound, title = 0.0, f"{_title(order.first)} less {_title(order.second)}: Spearman"
            one, other = ([board.rho for board in self._found[name]] for name in (order.first, order.second))
            interval = self._resampled.mean(np.array(one) - np.array(other))
        return self._cell(order.cell, title, interval, self._published(order.relation, bound))

    def _published(self, relation: Any = "unstated", value: float | None = None) -> Published:
        value = None if relation == "unstated" else value
        return Published(relation=relation, value=value, budget=self._item.budget, source=self._item.place)

    def _cell(self, name: str, title: str, interval: Interval, published: Published) -> Cell:
        measured = Measured(unit=UNIT, quantity=estimate(self._boards, interval, self._result.folder))
        some = [self._result]
        cell = cell_of(self._paper, self._item, name, title, some, measured, published, self._budget(), self._digests)
        return cell.model_copy(update={"asked": cell.asked.model_copy(update={"keys": self._keys(cell.asked.keys)})})

    def _keys(self, identity: dict[str, Any]) -> dict[str, Any]:
        """A run's identity with its methods and rules for ties, which its folder keeps apart."""
        own = {key: self._result.config[key] for key in ("reference", "ties_evaluation", "ties_win_rate")}
        return {**identity, "methods": self._definitions, **own}

    def _budget(self) -> dict[str, int | float]:
        methods = self._methods
        reference = methods[self._result.config["reference"]]
        depth = {"depth": reference.depth} if isinstance(reference, MinimaxKeys) else {}
        playouts: dict[str, int | float] = {
            str(BUDGETS.get(name, name)): own.playouts for name, own in methods.items() if isinstance(own, PlayoutsKeys)
        }
        return {"boards": self._boards, **depth, **playouts}


def _title(name: str) -> str:
    return TITLES.get(name, name.replace("_", " "))


def _slug(name: str) -> str:
    return name.lower().replace("_", "-")
