"""What is shown on a terminal."""

import threading

import pytest
from rich.table import Table

from experiments.terminal.console import counted, pairs, say, seconds_text, shortened, show, stop_on_interrupt, table
from tests.interrupts import cut_wait


def test_square_brackets_are_shown_as_they_are(capsys):
    drawn = Table("what to install")
    drawn.add_row("pip install -e '.[cuda13]'")
    show(drawn, "pip install -e '.[peers]'")
    out = capsys.readouterr().out
    assert "'.[cuda13]'" in out and "'.[peers]'" in out


def test_words_between_colons_are_shown_as_they_are(capsys):
    say("position=sgf:fire:3")
    show(table("title :100:", {"position": "left"}, [["pgn:100:7"]]), pairs({":o:": ":m:"}), "data=a:x:b")
    shown = capsys.readouterr()
    assert shown.err == "position=sgf:fire:3\n"
    assert all(text in shown.out for text in ("title :100:", "pgn:100:7", ":o:  :m:", "data=a:x:b"))


@pytest.mark.parametrize(
    "seconds, text", [(5.22e-5, "52.2 µs"), (0.0123, "12.3 ms"), (4.5, "4.5 s"), (4000.4, "4,000 s"), (3e-8, "0.03 µs")]
)
def test_seconds_have_the_unit_that_suits_them(seconds, text):
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    "seconds, text", [(0.9996, "1 s"), (0.9994, "999 ms"), (9.996e-4, "1 ms"), (999.4, "999 s"), (999.6, "1,000 s")]
)
def test_seconds_that_round_to_a_thousand_are_told_in_the_next_unit(seconds, text):
    assert seconds_text(seconds) == text


@pytest.mark.parametrize(
    "number, text",
    [
        (0, "0"), (0.5, "0.5"), (789, "789"), (1.23e6, "1.23 M"), (-1500, "-1.5 k"), (999.4, "999"), (999.7, "1 k"),
        (999_499, "999 k"), (999_999, "1 M"), (999.9e6, "1 G"), (999.9e9, "1,000 G"), (5e13, "50,000 G"),
    ],
)  # fmt: skip
def test_rates_that_round_to_a_thousand_are_told_in_the_next_unit(number, text):
    assert shortened(number) == text


@pytest.mark.parametrize("number, text", [(0, "0 games"), (1, "1 game"), (1200, "1,200 games")])
def test_counts_agree_with_what_they_count(number, text):
    assert counted(number, "game") == text


def test_an_interrupt_as_a_wait_begins():
    with cut_wait(), pytest.raises(KeyboardInterrupt), stop_on_interrupt("stopping ..."):
        threading.Event().wait(10)
