"""Searches with ``engine=cuda`` and ``engine=device``: the trees that the emulated device grows, and the CPU's."""

from typing import Any, NamedTuple

from gpumcts.tree.settings import Settings
from tests.ptx.driver_cases import Outcome
from tests.tree.drivers import OPERATORS, OTHELLO, RULES, TOY_GAMES, fits, keys_for, operator_of, rule_of, searcher_of
from tests.tree.simulated_device import CASES, MORE, told
from tests.tree.simulated_device import searched as searched_case
from tests.tree.simulated_searches import roots
from tests.tree.test_device_playouts import SETTINGS

TREES, ITERATIONS = 35, 60  # more trees than a warp has lanes
MIN_PARTNERS = 2
TWO_BATCHES = "two batches in flight"
ALL_SETTINGS = {**SETTINGS, TWO_BATCHES: Settings(leaves_per_tree=4, batches_in_flight=2)}


class Search(NamedTuple):
    """A search on toy trees, by names."""

    engine: str
    rule: str
    operator: str
    settings: str = "plain"
    game: str = "dots"

    def __str__(self) -> str:
        return f"engine={self.engine}: {self.operator} by {self.rule}, {self.settings}, on {self.game}"


def pairs() -> list[tuple[str, str]]:
    """Rules and operators: all operators by UCB1, all rules with the average, each with a second partner that fits."""
    chosen = [("ucb1", o) for o in OPERATORS if fits(o, "ucb1")] + [(r, "average") for r in RULES if fits("average", r)]
    chosen = list(dict.fromkeys(chosen))
    for rule in RULES:
        for operator in sorted(OPERATORS, key=lambda o: sum(o == b for _, b in chosen)):
            partners = sum(rule == a for a, _ in chosen)
            if partners < MIN_PARTNERS and fits(operator, rule) and (rule, operator) not in chosen:
                chosen.append((rule, operator))
    for operator in OPERATORS:
        for rule in sorted(RULES, key=lambda r: sum(r == a for a, _ in chosen)):
            partners = sum(operator == b for _, b in chosen)
            if partners < MIN_PARTNERS and fits(operator, rule) and (rule, operator) not in chosen:
                chosen.append((rule, operator))
    return chosen


def searches() -> list[Search]:
    """Every rule and operator with two partners in the device's kernel; settings; and the CPU's trees with cuda."""
    device = [Search("device", rule, operator) for rule, operator in pairs()]
    device += [Search("device", "ucb1", "average", settings) for settings in SETTINGS if settings != "plain"]
    cuda = [Search("cuda", "ucb1", operator, game=game) for operator, game in (("average", "dots"), ("max", "dice"))]
    cuda += [Search("cuda", "rave", "accelerated"), Search("cuda", "ucb1", "minimax", "whole path", "path")]
    cuda += [Search("cuda", "ucb1", "average", TWO_BATCHES)]
    return device + cuda


def outcome(search: Search) -> Outcome:
    """Digests of both."""
    return _searched(search, search.engine), lambda: _searched(search, "cpu")


def _searched(search: Search, engine: str) -> str:
    game: Any = {**TOY_GAMES, "othello": OTHELLO}[search.game]
    rule, operator = rule_of(search.rule), operator_of(search.operator)
    settings = ALL_SETTINGS[search.settings]
    searcher = searcher_of(operator, settings, game, rule, engine=engine, threads=2)
    return " ".join(map(str, told(searcher.search(roots(game, TREES), keys_for(TREES), ITERATIONS))))


def case_outcome(case: str) -> Outcome:
    """The same of a case of the simulator's tests, other settings and games among them."""

    def found(engine: str) -> str:
        return " ".join(map(str, told(searched_case(case, engine))))

    return found("device"), lambda: found("cpu")


def cases() -> list[str]:
    """Those that ask for more than a rule and an operator on dots and boxes, whose kernels ``searches`` has."""
    return [case for case in {**CASES, **MORE} if not case.endswith(" on dots and boxes") and " by " not in case]
