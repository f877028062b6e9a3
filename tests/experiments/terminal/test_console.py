"""What is shown on a terminal."""

from rich.table import Table

from experiments.terminal.console import show


def test_square_brackets_are_shown_as_they_are(capsys):
    table = Table("what to install")
    table.add_row("pip install -e '.[cuda13]'")
    show(table, "pip install -e '.[peers]'")
    out = capsys.readouterr().out
    assert "'.[cuda13]'" in out and "'.[peers]'" in out
