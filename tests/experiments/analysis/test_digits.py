"""Numbers with as many digits as people need."""

import pytest

from experiments.analysis.digits import fewer_digits, significant


@pytest.mark.parametrize(
    ("text", "digits"), [("0.25", 2), ("-12.50", 4), ("1e-05", 1), ("0.00091348005", 8), ("100", 3)]
)
def test_digits_that_a_number_is_written_with(text, digits):
    assert significant(text) == digits


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        (["0.91348005863081516", "0.5"], ["0.9135", "0.5"]),
        (["0.91348005863", "0.91347005863"], ["0.91348", "0.91347"]),
        (["0.99999900000012"], ["0.999999"]),
        (["123456789", "uniform", "inf", "nan"], ["123456789", "uniform", "inf", "nan"]),
        (["0.123456"], ["0.1235"]),
    ],
)
def test_numbers_are_as_short_as_they_stay_different(texts, shown):
    assert list(fewer_digits(texts, 4).values()) == shown


def test_what_somebody_wrote_stays_as_it_is():
    assert fewer_digits(["0.123456", "0.1234567"], 4, 6) == {"0.123456": "0.123456", "0.1234567": "0.1235"}
