"""Natural logarithm, exponential and power from IEEE basic operations alone, so that every machine gives the same bits.

The C library's versions differ between machines in the last bit, and one bit decides a tie between two moves.
"""

from decimal import Context, Decimal

import numpy as np

from gpumcts.bits import bits_float, float_bits
from gpumcts.jit import inlined

U = np.uint64
LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # ln 2 in two parts (fdlibm's split)
SQRT_HALF_BITS = U(0x3FE6A09E667F3BCD)
ONE_BITS = U(0x3FF0000000000000)
MANTISSA = U(0x000FFFFFFFFFFFFF)
GRID_SHIFT = U(46)  # the grid of ln's table keeps the upper six bits of the mantissa
GRID_HALF = U(1 << 45)
GRID_BEGIN = U(int(SQRT_HALF_BITS + GRID_HALF) >> 46)
GRID_SIZE = (int(ONE_BITS) + (27 << 46) >> 46) - int(GRID_BEGIN) + 1
COUNTS = 1024  # the table of logarithms of visits: 8 KB, so that it stays in the cache
STEP_BITS, STEP_MASK = U(6), U(63)  # exp's table has 64 steps between one power of two and the next
STEPS_OF_LN2 = 64 / 0.6931471805599453
STEP_HIGH, STEP_LOW = LN2_HIGH / 64, LN2_LOW / 64
ROUNDER = 1.5 * 2.0**52 + 1023 * 64  # the bias of the exponent comes with it
INVERSE_ROOT_OF_BITS = U(0x5FE6EB50C7B537A9)
EXP_OF_STEP = np.array(  # mantissas of 2^(j / 64)
    [float_bits(float(Context(prec=40).power(2, Decimal(j) / 64))) & MANTISSA for j in range(64)]
)
LN_OF_GRID = np.array(
    [float(Decimal(bits_float(int(GRID_BEGIN) + i << 46)).ln(Context(prec=40))) for i in range(GRID_SIZE)]
)


@inlined
def ln(x):
    """Natural logarithm of a normal float64 x > 0, within 2 units in the last place.

    x = m 2^e with m in [sqrt(1/2), sqrt 2); c is the point of the grid nearest to m (1 near 1), r = (m - c) / c, and
    ln m = ln c + ln(1 + r): a table, and the series to r^8 in few dependent steps.
    """
    shifted = float_bits(x) + (ONE_BITS - SQRT_HALF_BITS)
    exponent = float(np.int64((shifted >> U(52)) & U(0x7FF)) - 1023)
    m_bits = (shifted & MANTISSA) + SQRT_HALF_BITS
    point = (m_bits + GRID_HALF) >> GRID_SHIFT
    c = bits_float(point << GRID_SHIFT)
    r = (bits_float(m_bits) - c) / c
    q = r * r
    tail = (-1 / 6.0 + r * (1 / 7.0)) + q * (-1 / 8.0)
    series = (-1 / 2.0 + r * (1 / 3.0)) + q * ((-1 / 4.0 + r * (1 / 5.0)) + q * tail)
    return (exponent * LN2_HIGH + LN_OF_GRID[point - GRID_BEGIN]) + (r + (q * series + exponent * LN2_LOW))


LN_OF_COUNT = np.array([-np.inf] + [ln(float(n)) for n in range(1, COUNTS)])
LN_LN_OF_COUNT = np.array([-np.inf, -np.inf] + [ln(ln(float(n))) for n in range(2, COUNTS)])


@inlined
def ln_of_count(x):
    """``ln(x)``, bit for bit, from a table where x is a small whole number, as visits are."""
    n = np.int64(x)
    return LN_OF_COUNT[U(n)] if n < COUNTS and float(n) == x else ln(x)


@inlined
def ln_ln_of_count(x):
    """``ln(ln(x))`` likewise; minus infinity where x is at most 1."""
    n = np.int64(x)
    if n < COUNTS and float(n) == x:
        return LN_LN_OF_COUNT[U(n)]
    return ln(ln(x)) if x > 1.0 else -np.inf


@inlined
def exp(x):
    """e^x of a float64 in [-700, 700], within 2 units in the last place; 0 below, infinity above.

    x = (q + j / 64) ln 2 + r with abs(r) <= ln 2 / 128, and e^x = 2^q 2^(j / 64) e^r: bits of the exponent, a table,
    and the series to r^5 in few dependent steps. Adding ``ROUNDER`` rounds to an integer and leaves it in the low bits.
    """
    if x < -700.0:
        return 0.0
    if x > 700.0:
        return np.inf
    rounded = x * STEPS_OF_LN2 + ROUNDER
    steps = float_bits(rounded)
    whole = rounded - ROUNDER
    r = (x - whole * STEP_HIGH) - whole * STEP_LOW
    q = r * r
    series = r + q * ((1 / 2.0 + r * (1 / 6.0)) + q * (1 / 24.0 + r * (1 / 120.0)))
    scale = bits_float(EXP_OF_STEP[steps & STEP_MASK] | ((steps >> STEP_BITS) << U(52)))
    return scale + scale * series


@inlined
def inverse_root(x):
    """1 / sqrt(x) of a normal float64 x > 0, within 3 units in the last place.

    Without a root and a division, which vector code waits for: a line through the logarithm's bits comes within 3.5 %,
    and each of four of Newton's steps squares the error.
    """
    y = bits_float(INVERSE_ROOT_OF_BITS - (float_bits(x) >> U(1)))
    half = 0.5 * x
    y = y * (1.5 - half * y * y)
    y = y * (1.5 - half * y * y)
    y = y * (1.5 - half * y * y)
    return y * (1.5 - half * y * y)


@inlined
def power(x, y):
    """x^y for x >= 0 and any y > 0, as exp(y ln x)."""
    return exp(y * ln(x)) if x > 0.0 else 0.0
