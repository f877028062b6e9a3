"""gpumcts' kernels and what drives them on the emulated device: every outcome is the CPU's, to the last bit.

A few cases are quick, all are ``slow``. Each case runs twice, in another order of threads and with another
poison.
"""

import functools

import pytest

from gpumcts import options
from gpumcts.kernels import compile_check
from gpumcts.options import compiled
from gpumcts.playouts.traces import Traced
from tests.ptx.driver_cases import CASES as DRIVER
from tests.ptx.inside import cases as enumerated
from tests.ptx.playout_cases import kernel_of, rows
from tests.ptx.record import RECORD, known
from tests.ptx.running import ROOT, run_cases
from tests.ptx.search_cases import MIN_PARTNERS, cases, pairs, searches
from tests.tree.drivers import OPERATORS, RULES, fits

DEAR = ("goes on from", "on the way", "Any allocation")
"""Driver's cases of several kernels, or of many searches."""
QUICK = (
    "playouts of uniform on othello, nested",
    "playouts of minimax 1 on dots_and_boxes, warp",
    "engine=device: average by ucb1, plain, on dots",
    *(name for name in DRIVER if not any(words in name for words in DEAR)),
)
GROUPS = {
    **{f"playouts on {kind}": [str(row) for row in rows() if type(compiled(row.game)).__name__ == kind] for kind in
       dict.fromkeys(type(compiled(row.game)).__name__ for row in rows())},
    "searches": [str(search) for search in searches()],
    "cases": [f"case: {name}" for name in cases()],
    "driver": list(DRIVER),
}  # fmt: skip
ALL = [(group, name) for group, names in GROUPS.items() for name in names]


@pytest.fixture(scope="module")
def quick(emulator):
    """What the quick cases find, from one process."""
    return run_cases(QUICK)


@functools.cache
def group_of(name):
    """What the cases of a group find."""
    return run_cases(GROUPS[name], timeout=7200)


def assert_same(record):
    """Both runs found what the CPU finds."""
    assert "fault" not in record, record["fault"]
    assert record["found"] == [record["expected"]] * 2


@pytest.mark.parametrize("name", QUICK)
def test_quick_case(quick, name):
    assert_same(quick[name])


@pytest.mark.slow
@pytest.mark.parametrize("group, name", ALL)
def test_case(emulator, group, name):
    assert_same(group_of(group)[name])


# --------------------------------------------------------------------------------------------------- nothing is missing


def test_every_kernel_of_playouts_has_a_row():
    """Every game by every policy in every way, as options and ``ways`` tell, with traces and without."""
    names = options.names("game")
    found = list(compile_check.kernels(names))
    found += compile_check.kernels([n for n in names if compile_check.has_points(compile_check.game_of(n))], [], True)
    wanted = {
        (type(game.game if traced else game).__name__, type(policy).__name__, traced, name.rpartition(" ")[2])
        for name, _, game, policy in found
        if (traced := isinstance(game, Traced)) in (False, True)
    }
    assert wanted and wanted <= {kernel_of(row) for row in rows()}


def test_every_rule_and_operator_has_partners():
    """Two at least, where as many fit."""
    chosen = pairs()
    assert all(fits(operator, rule) for rule, operator in chosen)
    for rule in RULES:
        partners = sum(fits(operator, rule) for operator in OPERATORS)
        assert sum(rule == r for r, _ in chosen) >= min(partners, MIN_PARTNERS), rule
    for operator in OPERATORS:
        partners = sum(fits(operator, rule) for rule in RULES)
        assert sum(operator == o for _, o in chosen) >= min(partners, MIN_PARTNERS), operator


def test_names_are_cases():
    assert {name for _, name in ALL} == set(enumerated()) and set(QUICK) <= set(enumerated())


def test_every_case_has_been_executed():
    """The record has a row for each, the CPU's outcome in both runs; and none for what is no case any more."""
    found = known(RECORD)
    assert set(found) == {name for _, name in ALL}, f"python -m tests.ptx record {RECORD.relative_to(ROOT)}"
    assert [name for name, row in found.items() if not row["equal"]] == []
