"""Figure 3 of Kocsis et al. 2006, to the last digit."""

from fractions import Fraction

from experiments.papers.kocsis2006improved.fig3 import SAMPLES, fig3

ROWS = {row.what: row for row in fig3()}


def test_every_value_is_exact():
    for row in ROWS.values():
        assert abs(Fraction(row.ours) - row.exact) <= Fraction(2.0**-53), row.what


def test_the_unstorable_child():
    """Preferred for ever it makes A look lost; at random A is worth what the draws say; preferring B, A is won."""
    names = ("A, C taken for unvisited", "A, random where C cannot be stored", "A, stored moves above 1/2 preferred")
    assert [ROWS[name].ours for name in names[::2]] == [1 / SAMPLES, 1.0]
    random = ROWS[names[1]].ours
    assert abs(random - 0.5) < 4 * (0.25 / SAMPLES) ** 0.5  # 4 standard deviations of a fair coin
    assert ROWS["C in the table"].ours == 0.0


def test_the_sudden_change():
    """From 1 to 0 by one sample, and then eighty of the other move; the mean loses a hundredth and goes on to H."""
    assert [ROWS[f"B {when} G is sampled, minimax"].ours for when in ("before", "after")] == [1.0, 0.0]
    assert [ROWS[f"B {when} G is sampled, average"].ours for when in ("before", "after")] == [1.0, 0.99]
    waiting = [ROWS[f"samples of C until B is sampled again, {name}"].ours for name in ("minimax", "average")]
    assert waiting == [80.0, 0.0]
    assert ROWS["B after H is sampled, minimax"].ours == 1.0
