"""The scale of an experiment in records of runs, those of earlier commits too, and in command lines."""

import pytest

from experiments.config.scales import as_typed_today, old_scale, scale_of

SCALES = {"small": {}, "document": {}}


@pytest.mark.parametrize(
    ("config", "scale"),
    [
        ({"scales": SCALES, "scale": "small", "budget": {"name": "iterations"}}, "small"),
        ({"scales": SCALES, "budget": {"name": "document"}}, "document"),
        ({"budget": {"name": "iterations"}}, None),
        ({}, None),
    ],
)
def test_the_scale_of_a_run_is_read(config, scale):
    assert scale_of(config) == scale


def test_recorded_words_are_written_as_they_are_typed_today():
    recorded = ["experiment=go/gnugo", "budget=document", "budget=small,document", "budget=seconds", "budget.seconds=1"]
    assert as_typed_today(recorded)[1:3] == ["scale=document", "scale=small,document"]
    assert as_typed_today(recorded)[3:] == recorded[3:]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["games=2", "budget=small"], "budget=small: it is called scale=small now, and goes with experiment=..."),
        (["budget=seconds", "budget@opponent.budget=same"], None),
    ],
)
def test_the_old_word_is_told_the_new_one(words, said):
    assert old_scale(words) == said
