"""What the pages show: figures and differences in their units, rules in words, commands that a shell reads."""

import shlex

import pytest

from experiments.reproduction.catalogue import items
from experiments.reproduction.cells import write
from experiments.reproduction.pages import command_text, difference_text, generate, value_text
from experiments.reproduction.quantities import Estimate, Measured, Published
from tests.experiments.reproduction.planted import cell


@pytest.mark.parametrize(
    ("unit", "ours", "difference"),
    [
        ("slope", "0.3 [0.28, 0.32]", "-0.047 [-0.067, -0.027]"),
        ("correlation", "0.3 [0.28, 0.32]", "-0.05 [-0.07, -0.03]"),
        ("rate", "30.0 [28.0, 32.0]", "-4.7 [-6.7, -2.7]"),
        ("rate difference", "30.0 [28.0, 32.0]", "-4.7 [-6.7, -2.7]"),
    ],
)
def test_a_difference_is_in_the_unit_of_its_figure(unit, ours, difference):
    quantity = Estimate(count=6, number=0.3, low=0.28, high=0.32)
    published = Published(relation="near", value=0.347, half=0.0347, budget={}, source="Figure 5")
    some = cell(measured=Measured(unit=unit, quantity=quantity), published=published)
    assert value_text(quantity, unit) == ours and difference_text(some) == difference


def test_the_page_of_figure_5_says_its_rule_and_shows_its_slopes(tmp_path):
    quantity = Estimate(count=6, number=0.3, low=0.28, high=0.32)
    published = Published(relation="near", value=0.347, half=0.0347, budget={}, source="Figure 5")
    more = {"paper": "kocsis2006improved", "item": "fig5", "published": published}
    write(cell("deeper-001", measured=Measured(unit="slope", quantity=quantity), **more), tmp_path)
    pages = generate(tmp_path, tmp_path)
    page = " ".join(pages[tmp_path / "kocsis2006improved.md"].split())
    assert "| 0.3 [0.28, 0.32] | 6 | near 0.347 | -0.047 [-0.067, -0.027] |" in page
    assert "near within a tenth of it" in page
    rule = "for a slope or a correlation, within what the paper prints or the item's rule names"
    assert rule in pages[tmp_path / "README.md"]


def test_every_printed_command_is_read_by_a_shell_as_the_catalogue_has_it():
    odd = ["trees", "a='b c'", "d=$HOME", 'e="f"', "g=[0,2],[0,4]"]
    assert shlex.split(command_text(odd)) == ["python", "-m", "experiments.trees", *odd[1:]]
    for item in items().values():
        for run in item.runs:
            assert shlex.split(command_text(run.command))[3:] == run.command[1:]
