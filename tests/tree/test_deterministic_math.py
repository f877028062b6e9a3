"""Logarithm, exponential and power against extended precision, and compiled code against plain Python bit for bit."""

import math
from decimal import Context, Decimal

import numpy as np
import pytest
from numba import njit

from gpumcts.tree.deterministic_math import COUNTS, exp, inverse_root, ln, ln_ln_of_count, ln_of_count, power

COUNT = 20_000


@njit(error_model="numpy")
def _all_ln(values, results):
    for i in range(len(values)):
        results[i] = ln(values[i])


@njit(error_model="numpy")
def _all_exp(values, results):
    for i in range(len(values)):
        results[i] = exp(values[i])


@njit(error_model="numpy")
def _all_power(values, exponents, results):
    for i in range(len(values)):
        results[i] = power(values[i], exponents[i])


@njit(error_model="numpy")
def _all_of_counts(values, lns, ln_lns):
    for i in range(len(values)):
        lns[i], ln_lns[i] = ln_of_count(values[i]), ln_ln_of_count(values[i])


def compiled(function, *arguments):
    """Results of one of the loops above."""
    results = np.empty(len(arguments[0]))
    function(*arguments, results)
    return results


def ulps(found, exact):
    """Largest error in units in the last place of the exact results (extended precision)."""
    return float(np.max(np.abs(found.astype(np.longdouble) - exact) / np.spacing(np.abs(exact.astype(np.float64)))))


def spread(low, high, seed=0):
    """Numbers from low to high, evenly spread over the orders of magnitude, and the whole numbers at the beginning."""
    random = np.random.default_rng(seed)
    return np.exp(random.uniform(math.log(low), math.log(high), COUNT)).clip(low, high)


LN_RANGES = {
    "counts": np.arange(1.0, COUNT + 1.0),
    "large counts": spread(1.0, 1e12),
    "discounted counts": spread(1e-12, 1.0),
    "ratios below 1": 1.0 - spread(2.0**-53, 0.5),
    "ratios above 1": 1.0 + spread(2.0**-52, 1.0),
    "all normal numbers": spread(2.3e-308, 1.7e308),
    "powers of two and their neighbours": np.concatenate(
        [np.nextafter(2.0 ** np.arange(-1000, 1000), direction) for direction in (0.0, np.inf)]
    ),
    "edges of the mantissa's range": np.nextafter(math.sqrt(0.5), [0.0, 1.0]) * 2.0 ** np.arange(-2, 4)[:, None],
}


@pytest.mark.parametrize("name", LN_RANGES)
def test_ln_within_two_units_in_the_last_place(name):
    values = LN_RANGES[name].ravel()
    assert ulps(compiled(_all_ln, values), np.log(values.astype(np.longdouble))) <= 2.0


def test_ln_of_one_is_zero():
    assert ln(1.0) == 0.0
    assert compiled(_all_ln, np.ones(1))[0] == 0.0


def test_ln_rises():
    """Between neighbouring numbers, also from one point of the table to the next, it falls by a last place at most."""
    points = np.concatenate([spread(0.5, 4.0), np.arange(128, 1024) / 256 + 1 / 512])
    values = np.sort(np.concatenate([points, np.nextafter(points, 9.0)]))
    results = compiled(_all_ln, values)
    assert np.all(results[1:] >= results[:-1] - np.spacing(np.abs(results[1:])))


def test_tables_of_counts_are_ln_bit_for_bit():
    """Whole numbers on both sides of the end of the table, and counts that are none, as discounted ones."""
    whole = np.arange(1.0, 3 * COUNTS)
    values = np.concatenate([whole, whole + 0.5, np.nextafter(whole, 0.0), spread(1e-9, 1.0), spread(1.0, 1e12)])
    lns, ln_lns = np.empty(len(values)), np.empty(len(values))
    _all_of_counts(values, lns, ln_lns)
    assert lns.tolist() == compiled(_all_ln, values).tolist()
    above = values > 1.0
    assert ln_lns[above].tolist() == compiled(_all_ln, lns[above]).tolist()
    assert np.all(ln_lns[~above] == -np.inf)
    plain = values[:: len(values) // 1000]
    assert [ln_of_count(float(x)) for x in plain] == lns[:: len(values) // 1000].tolist()
    assert [ln_ln_of_count(float(x)) for x in plain] == ln_lns[:: len(values) // 1000].tolist()


def test_exp_rises():
    """Between neighbours at the ends of its steps too, by a last place at most it falls."""
    points = np.concatenate(
        [np.random.default_rng(6).uniform(-3.0, 3.0, 1000), (np.arange(-300, 300) + 0.5) * np.log(2.0) / 64]
    )
    values = np.sort(np.concatenate([points, np.nextafter(points, 9.0), np.nextafter(points, -9.0)]))
    results = compiled(_all_exp, values)
    assert np.all(results[1:] >= results[:-1] - np.spacing(results[1:]))


@pytest.mark.parametrize("low, high", [(-1.0, 1.0), (-50.0, 50.0), (-700.0, 700.0), (-1e-12, 1e-12)])
def test_exp_within_two_units_in_the_last_place(low, high):
    values = np.random.default_rng(1).uniform(low, high, COUNT)
    assert ulps(compiled(_all_exp, values), np.exp(values.astype(np.longdouble))) <= 2.0


def test_exp_beyond_its_range():
    assert (exp(-701.0), exp(701.0), exp(0.0)) == (0.0, math.inf, 1.0)


@pytest.mark.parametrize(
    "exponent, error", [(1.0, 1e-15), (2.0, 1e-15), (0.5, 1e-15), (16.0, 4e-15), (1000.0, 2.5e-13)]
)
def test_power(exponent, error):
    """x^y as exp(y ln x): the relative error is that of y ln x, absolutely; stated here for x in [1/2, 1]."""
    values = np.random.default_rng(2).uniform(0.5, 1.0, COUNT)
    found = compiled(_all_power, values, np.full(COUNT, exponent))
    exact = values.astype(np.longdouble) ** np.longdouble(exponent)
    assert float(np.max(np.abs(found - exact) / exact)) <= error


def test_inverse_root_within_three_units_in_the_last_place():
    rng = np.random.default_rng(7)
    for x in np.concatenate([np.arange(1.0, 300.0), rng.random(300) * 10.0 ** rng.integers(-300, 300, 300)]):
        exact = Decimal(1) / Decimal(float(x)).sqrt(Context(prec=40))
        assert abs(Decimal(inverse_root(float(x))) - exact) < 3 * Decimal(float(np.spacing(float(exact))))


def test_power_of_zero_and_one():
    for exponent in (0.25, 1.0, 4.0, 1000.0):
        assert (power(0.0, exponent), power(1.0, exponent)) == (0.0, 1.0)


def test_plain_python_gives_the_same_bits():
    values = np.concatenate([part.ravel()[:1000] for part in LN_RANGES.values()])
    assert [ln(float(x)) for x in values] == compiled(_all_ln, values).tolist()
    values = np.random.default_rng(3).uniform(-710.0, 710.0, 2000)
    assert [exp(float(x)) for x in values] == compiled(_all_exp, values).tolist()
    values, exponents = (
        np.random.default_rng(4).uniform(0.0, 1.0, 2000),
        np.random.default_rng(5).uniform(0.1, 100.0, 2000),
    )
    plain = [power(float(x), float(y)) for x, y in zip(values, exponents, strict=True)]
    assert plain == compiled(_all_power, values, exponents).tolist()
