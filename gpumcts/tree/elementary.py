"""Natural logarithm, exponential and power from IEEE basic operations alone, so that every machine gives the same bits.

The C library's versions differ between machines in the last bit, and one bit decides a tie between two moves.
"""

from gpumcts.jit import U, bits_float, float_bits, inlined

LN2_HIGH, LN2_LOW = 6.93147180369123816490e-01, 1.90821492927058770002e-10  # ln 2 in two parts (fdlibm's split)
SQRT_HALF_MANTISSA = U(0x3FE6A09E667F3BCD)  # the bits of sqrt(1/2)
ONE_BITS = U(0x3FF0000000000000)
MANTISSA = U(0x000FFFFFFFFFFFFF)


@inlined
def ln(x):
    """Natural logarithm of a normal float64 x > 0, within 2 units in the last place.

    x = m 2^e with m in [sqrt(1/2), sqrt 2); ln m = 2 artanh(s), s = (m - 1) / (m + 1), as a series to s^21.
    """
    shifted = float_bits(x) + (ONE_BITS - SQRT_HALF_MANTISSA)
    exponent = float((shifted >> U(52)) & U(0x7FF)) - 1023.0
    m = bits_float((shifted & MANTISSA) + SQRT_HALF_MANTISSA)
    s = (m - 1.0) / (m + 1.0)
    q = s * s
    series = 1 / 21.0
    for odd in (19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0):
        series = series * q + 1.0 / odd
    return exponent * LN2_HIGH + (2.0 * s + (2.0 * s * q * series + exponent * LN2_LOW))


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


@inlined
def integer_power(x, n):
    """x^n for an integer n >= 0 by squaring; exact steps, so that decay^1 is decay."""
    result = 1.0
    while n > 0:
        if n & 1:
            result *= x
        x *= x
        n >>= 1
    return result
