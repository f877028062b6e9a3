"""A user's own operator, selection rule and playout policy as source text, and the same with a mistake planted."""

import importlib
from pathlib import Path
from typing import Any

from gpumcts import options

SOURCES = {
    "backup": '''\
"""A moving average."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.tree.backup.contract import back_up, player_above, reward_for, value

VALUE = 0


def half(number):
    return 0.5 * number


class Moving(NamedTuple):
    """step : share of the newest playout"""

    step: Annotated[float, Interval(gt=0, le=1)] = 0.05

    COLUMNS = ("value",)
    EVALUATES = False


OPTION = Moving


@value.implements(Moving)
def moving_value(operator, forest, tree, node):
    return forest.columns[tree, node, VALUE]


@back_up.implements(Moving)
def moving_back_up(operator, forest, tree, path, movers, depth, reward, playouts, evaluation):
    for k in range(depth, -1, -1):
        node = path[k]
        mean = reward_for(player_above(movers, k), reward, playouts) / playouts
        forest.columns[tree, node, VALUE] += operator.step * (mean - forest.columns[tree, node, VALUE])
''',
    "selection": '''\
"""A move's value, and the share of visits that it has not had."""

from typing import Annotated, NamedTuple

from annotated_types import Interval

from gpumcts.tree.backup.contract import count, value
from gpumcts.tree.selection.contract import prepare, score


class Patience(NamedTuple):
    """weight : of the value"""

    weight: Annotated[float, Interval(ge=0, le=1e6)] = 5.0


OPTION = Patience


@prepare.implements(Patience)
def patience_prepare(rule, operator, forest, switches, tree, node, total, depth, stream):
    return total, rule.weight


@score.implements(Patience)
def patience_score(rule, operator, forest, tree, child, prepared, stream):
    missed = 1.0 - count(operator, forest, tree, child) / prepared[0]
    return missed + prepared[1] * value(operator, forest, tree, child)
''',
    "playout": '''\
"""The last legal move."""

from typing import Annotated, NamedTuple

import numpy as np
from annotated_types import Interval

from gpumcts.games.contract import count_moves, nth_move
from gpumcts.playouts.contract import choose


class Last(NamedTuple):
    """truncate : see any policy"""

    truncate: Annotated[int, Interval(ge=0, le=65535)] = 0

    LANES = False


OPTION = Last


@choose.implements(Last, object)
def last_choose(policy, game, state, stream):
    return nth_move(game, state, count_moves(game, state) - 1)
''',
}


def write(folder: Path, kind: str, name: str, *changes: tuple[str, str]) -> Path:
    """The option of a kind as module ``name``, each first text replaced by its second."""
    text = SOURCES[kind]
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    file = folder / f"{name.replace('.', '/')}.py"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    importlib.invalidate_caches()
    return file


def load(kind: str, name: str) -> Any:
    """The value of the option of a module, asked as every command asks."""
    return options.value_of(kind, options.option(kind, name)())
