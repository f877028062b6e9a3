"""Compiles the kernels of the device engine without a device, and reports the resources that each one takes.

    python -m gpumcts.tree.device_check [--json] [rule/operator/playout/game ...]

Without a name: every backup operator with ucb1, and every selection rule with average, on uniform playouts of Othello.
A kernel takes half a minute. The exit code is 1 where one fails, or has fused operations, and 2 for a name of none.
"""

import functools
import itertools
import sys
from collections.abc import Iterator

from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.kernels import compile_check
from gpumcts.kernels.compile_check import TARGETS, Report, Target
from gpumcts.tree.device_search import Task, search_tree, task_of
from gpumcts.tree.search_parts import SearchParts
from gpumcts.tree.selection.contract import fits

KINDS = ("selection", "backup", "playout", "game")


def names() -> list[str]:
    """The kernels that are checked where none is named."""
    rules = [f"{rule}/{_operator_for(rule)}" for rule in options.names("selection")]
    operators = [f"ucb1/{operator}" for operator in options.names("backup")]
    return [f"{name}/uniform/othello" for name in dict.fromkeys(rules + operators)]


def _operator_for(rule: str) -> str:
    """``average``, or the first operator that has what the rule asks for."""
    value = options.option("selection", rule)()
    candidates = ["average", *options.names("backup")]
    return next(name for name in candidates if fits(value, options.option("backup", name)()))


def task(name: str) -> Task:
    """A task of the type of a kernel by its name, ``rule/operator/playout/game``, each with its default parameters."""
    parts = name.split("/")
    if len(parts) != len(KINDS):
        raise BadInput(f"kernel {name}: must be rule/operator/playout/game, such as ucb1/average/uniform/othello")
    rule, operator, policy, game = (options.option(kind, part)() for kind, part in zip(KINDS, parts, strict=True))
    return task_of(SearchParts(game, policy, rule, operator), 1, 1, 1)


def ptx(name: str, target: Target) -> str:
    """The PTX of a kernel by its name."""
    return compile_check.each_ptx(search_tree, task(name), target)


def reports(chosen: list[str]) -> Iterator[Report]:
    """A report of every kernel for every device."""
    for name, target in itertools.product(chosen, TARGETS):
        yield compile_check.check(name, functools.partial(ptx, name, target), target)


def main() -> int:
    """Check the kernels named on the command line, or the usual ones."""
    about = str(__doc__).splitlines()[0]
    parser = compile_check.Parser("python -m gpumcts.tree.device_check", description=about)
    parser.add_argument("kernels", nargs="*", metavar="rule/operator/playout/game")
    parser.add_argument("--json", action="store_true", help="reports as JSON in place of a table")
    chosen = parser.parse_args()
    kernels = chosen.kernels or names()
    try:
        for kernel in kernels:
            task(kernel)
    except BadInput as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    found = compile_check.shown(reports(kernels), kernels, chosen.json)
    return int(any(report.error or report.fused for report in found))


if __name__ == "__main__":
    sys.exit(main())
