"""Natural logarithm, exponential and power from IEEE basic operations alone, so that every machine gives the same bits.

The C library's versions differ between machines in the last bit, and one bit decides a tie between two moves.
"""

from decimal import Context, Decimal

import numpy as np

from gpumcts.jit import U, bits_float, float_bits, inlined

LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # ln 2 in two parts (fdlibm's split)
SQRT_HALF_BITS = U(0x3FE6A09E667F3BCD)
ONE_BITS = U(0x3FF0000000000000)
MANTISSA = U(0x000FFFFFFFFFFFFF)
GRID_SHIFT = U(46)  # the grid of ln's table keeps the upper six bits of the mantissa
GRID_HALF = U(1 << 45)
GRID_BEGIN = U(int(SQRT_HALF_BITS + GRID_HALF) >> 46)
GRID_SIZE = (int(ONE_BITS) + (27 << 46) >> 46) - int(GRID_BEGIN) + 1
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


@inlined
def exp(x):
    """e^x of a float64 in [-700, 700], within 2 units in the last place; 0 below, infinity above.

    x = k ln 2 + r with abs(r) <= ln 2 / 2; e^r as a Taylor series to r^13.
    """
    if x < -700.0:
        return 0.0
    if x > 700.0:
        return float("inf")
    k = int(x * 1.4426950408889634 + (0.5 if x >= 0 else -0.5))
    r = (x - k * LN2_HIGH) - k * LN2_LOW
    series = 1.0
    for n in (13.0, 12.0, 11.0, 10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0):
        series = 1.0 + series * (r / n)
    return series * bits_float(U(k + 1023) << U(52))


@inlined
def power(x, y):
    """x^y for x >= 0 and any y > 0, as exp(y ln x)."""
    return exp(y * ln(x)) if x > 0.0 else 0.0
