"""Conformance checks of a user's own backup operator or selection rule.

It is asked before anything is compiled: what the class says, its bodies on a small tree in plain Python, where an index
out of range is an error, and the types of each body alone.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numba import typeof, types

from gpumcts import options
from gpumcts.compiling.uncompiled import is_uncompiled
from gpumcts.errors import BadInput
from gpumcts.games.conformance.bodies import Bodies, is_number
from gpumcts.games.conformance.typed_bodies import parts_of
from gpumcts.kernels.playout_loop import TALLY_COLUMNS
from gpumcts.rng import key_of
from gpumcts.tree.backup import contract as backup
from gpumcts.tree.forest import ROOT, Forest, Layout, add_child, empty_forest
from gpumcts.tree.selection import contract as selection
from gpumcts.tree.settings import SearchSwitches, Settings

OF_NODES = ("value", "count", "observed_count", "variance", "bound", "velocity")
BACK_UPS = ("back_up", "back_up_at")
OF_OPERATORS = (*OF_NODES, "total_count", "owed", *BACK_UPS)
OF_RULES = ("prepare", "score", "node_factor", "child_weight", "tries_unvisited", "learn")
LINES = ((0,), (1,), (0, 0), (0, 1), (1, 0), (2,), (0, 0, 1), (2, 0), (0, 1, 0), (1, 0, 0))
"""Moves from the root to the leaves of the trial, an iteration each."""
REWARDS = (1.0, 0.0, 0.5)  # a playout
MOST_PLAYOUTS = 2  # of a leaf: one and more in turns
NOWHERE = 2**31 - 1  # on the path below its leaf, where nothing may be read: no node
SLACK = 1e-9  # of a value: sums are rounded
CELLS = 9  # points of the trial's game, for rules that learn from traces
ROW = np.zeros((1, TALLY_COLUMNS + 3), np.int64)  # one playout's score and trace


class Trial(NamedTuple):
    """A tree of a few nodes, which an operator and a rule that learns fill."""

    forest: Forest
    switches: SearchSwitches
    path: np.ndarray  # int32 [8]
    movers: np.ndarray  # int8 [8]

    @classmethod
    def empty(cls, columns: int, evaluates: bool, traces: bool) -> "Trial":
        """A root alone, of three moves."""
        forest = empty_forest(1, 64, Layout(columns, most_moves=CELLS))
        forest.used[0], forest.first_child[0, ROOT], forest.move_count[0, ROOT] = 1, -1, 3
        switches = Settings(leaves_per_tree=2).compiled(evaluates, CELLS if traces else 0, CELLS)
        return cls(forest, switches, np.zeros(8, np.int32), np.arange(8, dtype=np.int8) % 2)

    def go_down(self, line: tuple[int, ...], playouts: int = 1) -> int:
        """Put the nodes of a line on the path, those that are missing added, and visits on each; the depth."""
        self.path[1:] = NOWHERE
        node = ROOT
        for depth, move in enumerate(line, 1):
            first, count = int(self.forest.first_child[0, node]), int(self.forest.child_count[0, node])
            known = [child for child in range(first, first + count) if self.forest.action[0, child] == move]
            node = known[0] if known else int(add_child(self.forest, 0, node, move))
            self.forest.move_count[0, node] = 3
            self.path[depth] = node
        self.forest.visits[0, self.path[: len(line) + 1]] += playouts
        return len(line)

    def types(self, rule: Any, operator: Any) -> dict[str, Any]:
        """The types of the arguments of all verbs by name."""
        whole = dict.fromkeys(("tree", "node", "child", "depth", "k", "row", "unvisited", "moves"), types.int64)
        real = dict.fromkeys(("reward", "evaluation", "total"), types.float64)
        arrays = {name: typeof(getattr(self, name)) for name in ("forest", "switches", "path", "movers")}
        own = {"rule": typeof(rule), "operator": typeof(operator), "playouts": types.int64, "tally": typeof(ROW)}
        return {**whole, **real, **arrays, **own, "stream": types.uint64}


def check_operator(operator: Any) -> None:
    """Raises BadInput, one line with file and line, where a backup operator does not keep the contract."""
    asked = Bodies.of(operator, backup)
    asked.names("COLUMNS")
    asked.yes_or_no("EVALUATES")
    asked.require("value")
    if asked.body("back_up") is backup.back_up_each and asked.body("back_up_at") is None:
        raise BadInput(f"{asked.where}: {asked.name} has no body of back_up: write one, @back_up.implements")
    trial = Trial.empty(len(operator.COLUMNS), operator.EVALUATES, traces=False)
    with np.errstate(all="ignore"):
        for number, line in enumerate(LINES):
            playouts, mean = 1 + number % MOST_PLAYOUTS, REWARDS[number % len(REWARDS)]
            depth = trial.go_down(line, playouts)
            arguments = (operator, trial.forest, 0, trial.path, trial.movers, depth, mean * playouts, playouts, mean)
            asked.ask("back_up", *arguments)
            _ask_nodes(asked, operator, trial, depth)
    given = trial.types(None, operator)
    for verb in asked.typed(OF_OPERATORS):
        found = asked.type_of(verb, given)
        if verb not in BACK_UPS and not is_number(found):
            asked.refuse(verb, f"returns {_short(found)}, not float64")


def _ask_nodes(asked: Bodies, operator: Any, trial: Trial, depth: int) -> None:
    """The answers of an operator about the nodes of a path."""
    for node in trial.path[: depth + 1]:
        for verb in (*asked.own(OF_NODES), "total_count"):
            answer = asked.ask_twice(verb, operator, trial.forest, 0, np.int64(node))
            _check_real(asked, verb, answer)
            if verb == "value" and not -SLACK <= answer <= 1 + SLACK:
                why = "a value is in [0, 1] too, and `reward` the sum of `playouts`"
                asked.refuse(verb, f"returns {answer:g} after rewards in [0, 1]: {why}")


def check_rule(rule: Any) -> None:
    """Raises BadInput, one line with file and line, where a selection rule does not keep the contract.

    It is asked with ``average``, or the first operator of the library that has what the rule needs.
    """
    asked = Bodies.of(rule, selection)
    _check_attributes(asked)
    asked.require("prepare")
    asked.require("score")
    operator = _operator_for(rule)
    traces = selection.learns_from_traces(rule)
    if traces:
        _check_learner(asked)
    trial = Trial.empty(selection.column_count(rule, operator), operator.EVALUATES, traces)
    with np.errstate(all="ignore"):
        for number, line in enumerate(LINES):
            depth = trial.go_down(line)
            reward = REWARDS[number % len(REWARDS)]
            backup.back_up(operator, trial.forest, 0, trial.path, trial.movers, depth, reward, 1, reward)
            if traces:
                arguments = (rule, trial.forest, trial.switches, 0, trial.path, trial.movers, depth, ROW.copy(), 0)
                asked.ask("learn", *arguments)
            _ask_scores(asked, operator, trial, number)
    _check_types(asked, trial.types(rule, operator))


def _check_learner(asked: Bodies) -> None:
    """Refuse a rule that traces playouts and does not learn from them: by default no rule does."""
    asked.require("learn")
    if asked.body("learner") is selection.learner_of_none:
        raise BadInput(f"{asked.where}: {asked.name} has no body of learner: write one, @learner.implements")


def _check_attributes(asked: Bodies) -> None:
    """Refuse optional attributes of a rule that are not what they must be."""
    kind, rule = type(asked.value), asked.value
    needs, counts = getattr(rule, "NEEDS", None), getattr(rule, "COUNTS", None)
    if needs is not None and needs not in OF_OPERATORS:
        known = ", ".join(("variance", "bound", "velocity", "owed"))
        raise BadInput(f"{asked.where}: {asked.name}.NEEDS = {needs!r}: must be a verb of operators, one of {known}")
    if counts not in (None, "", *kind._fields):
        raise BadInput(f"{asked.where}: {asked.name}.COUNTS = {counts!r}: must be the name of a field, or empty")
    for name in ("DRAWS", "TRACES"):
        if hasattr(rule, name):
            asked.yes_or_no(name)
    if hasattr(rule, "COLUMNS"):
        asked.names("COLUMNS")


def _operator_for(rule: Any) -> Any:
    names = ["average"] if getattr(rule, "NEEDS", None) is None else options.names("backup")
    found = next(operator for name in names if selection.fits(rule, operator := options.option("backup", name)()))
    return found.beside_traces() if selection.learns_from_traces(rule) and hasattr(found, "beside_traces") else found


def _ask_scores(asked: Bodies, operator: Any, trial: Trial, number: int) -> None:
    """The scores of the root's children, and whether a node tries an unvisited move."""
    rule, forest, stream = asked.value, trial.forest, key_of(number)
    total = float(backup.total_count(operator, forest, 0, ROOT))
    prepared = asked.ask_twice("prepare", rule, operator, forest, trial.switches, 0, ROOT, total, 0, stream)
    if not isinstance(prepared, tuple) or len(prepared) != 2:
        asked.refuse("prepare", f"returns {_short(prepared)}, not two float64")
    first = int(forest.first_child[0, ROOT])
    for child in range(first, first + int(forest.child_count[0, ROOT])):
        _check_real(asked, "score", asked.ask_twice("score", rule, operator, forest, 0, child, prepared, stream))
        if "child_weight" in asked.own(OF_RULES):
            _check_real(asked, "child_weight", asked.ask("child_weight", rule, operator, forest, 0, child))
    if "node_factor" in asked.own(OF_RULES):
        _check_real(asked, "node_factor", asked.ask("node_factor", rule, prepared))
    asked.ask_twice("tries_unvisited", rule, stream, 1, 3)


def _check_types(asked: Bodies, given: dict[str, Any]) -> None:
    """The bodies of a rule, each compiled alone."""
    if is_uncompiled():
        return
    prepared = asked.type_of("prepare", given)
    if len(parts_of(prepared)) != 2 or not all(map(is_number, parts_of(prepared))):
        asked.refuse("prepare", f"returns {_short(prepared)}, not two float64")
    for verb in asked.typed(OF_RULES):
        found = asked.type_of(verb, {**given, "prepared": prepared})
        if verb not in ("prepare", "learn") and not is_number(found):
            asked.refuse(verb, f"returns {_short(found)}, not {'a bool' if verb == 'tries_unvisited' else 'float64'}")


def _check_real(asked: Bodies, verb: str, answer: Any) -> None:
    if not isinstance(answer, int | float | np.number | np.bool_):
        asked.refuse(verb, f"returns {_short(answer)}, not float64")
    if math.isnan(answer):  # type: ignore[arg-type]
        asked.refuse(verb, "returns nan, which no score can be compared with")


def _short(found: Any) -> str:
    """A type of numba, or that of a value of Python, in a few words."""
    if isinstance(found, types.Array):
        return f"an array of {found.dtype}"
    if isinstance(found, types.Type):
        return " ".join(str(found).split())[:80]
    return "an array" if isinstance(found, np.ndarray) else type(found).__name__
