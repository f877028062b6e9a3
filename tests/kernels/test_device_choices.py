"""Tables of what a check of a device measured: which kernel is taken, with how many registers; files without any."""

import json

import pytest

from gpumcts.errors import BadInput
from gpumcts.kernels.cuda import device_choices
from gpumcts.kernels.cuda.driver import DeviceInfo
from gpumcts.options import compiled, option

GO, OTHELLO, CLOBBER, DOTS = (
    compiled(option("game", name)()) for name in ("go", "othello", "clobber", "dots_and_boxes")
)
MINIMAX_2 = compiled(option("playout", "minimax")(depth=2))
UNIFORM = option("playout", "uniform")()
UCB1, AVERAGE, MINIMAX = (
    option(*words)() for words in (("selection", "ucb1"), ("backup", "average"), ("backup", "minimax"))
)
WAYS = [{"game": "go:Board9", "policy": "uniform:Uniform", "rates": {"nested": 3e7, "whole": 5e7}}]
NAMES = {"rule": "ucb1:Ucb1", "policy": "uniform:Uniform", "game": "othello:Othello"}
CAPS = [
    {**NAMES, "operator": "average:Average", "rates": {"0": 5e7, "168": 8e7, "128": 6e7}},
    {**NAMES, "operator": "minimax:Minimax", "rates": {"0": 9e7, "168": 8e7, "128": 6e7}},
]


@pytest.fixture
def table(tmp_path, monkeypatch):
    """Puts a table in its place, for a device of this name."""

    def put(**content):
        file = tmp_path / "kernels.json"
        file.write_text(json.dumps({"device": "A device", "ways": WAYS, "caps": CAPS, **content}))
        monkeypatch.setenv(device_choices.VARIABLE, str(file))
        device_choices._read.cache_clear()
        return file

    monkeypatch.setattr(device_choices, "describe", lambda: DeviceInfo("A device"))
    return put


def test_nothing_is_measured(monkeypatch, tmp_path):
    monkeypatch.delenv(device_choices.VARIABLE, raising=False)
    monkeypatch.setattr(device_choices.cache, "root", lambda: tmp_path)
    assert device_choices.fastest_way(GO, UNIFORM, ["attempts", "nested", "whole"]) == "attempts"
    assert device_choices.best_cap(UCB1, AVERAGE, UNIFORM, OTHELLO) is None
    assert device_choices.fastest_way(CLOBBER, MINIMAX_2, ["nested", "warp"]) == "warp"  # by the packaged table
    assert device_choices.fastest_way(DOTS, UNIFORM, ["whole", "nested"]) == "whole"  # no table knows it


def test_the_fastest_is_taken(table):
    table()
    assert device_choices.fastest_way(GO, UNIFORM, ["nested", "whole"]) == "whole"
    assert device_choices.fastest_way(GO, UNIFORM, ["nested"]) == "nested"
    assert device_choices.fastest_way(OTHELLO, UNIFORM, ["nested"]) == "nested"
    assert device_choices.best_cap(UCB1, AVERAGE, UNIFORM, OTHELLO) == 168
    assert device_choices.best_cap(UCB1, MINIMAX, UNIFORM, OTHELLO) is None
    assert device_choices.best_cap(UCB1, option("backup", "accelerated")(), UNIFORM, GO) == 168


def test_another_device_is_not_followed(table):
    table(device="Another device")
    assert device_choices.fastest_way(GO, UNIFORM, ["nested", "whole"]) == "nested"
    assert device_choices.best_cap(UCB1, AVERAGE, UNIFORM, OTHELLO) is None


@pytest.mark.parametrize(
    "content, said",
    [
        ({"device": 3}, "device must be a name"),
        ({"ways": [{"game": "go"}]}, "KeyError: 'policy'"),
        ({"caps": [{**CAPS[0], "rates": {"many": 1.0}}]}, "rates are told by numbers of registers"),
        ({"caps": [{**CAPS[0], "rates": {"²": 1.0}}]}, "rates are told by numbers of registers"),
        ({"caps": [{**CAPS[0], "rates": {"128": -1}}]}, "rates must be positive numbers"),
    ],
)
def test_what_is_no_table(table, content, said):
    file = table(**content)
    with pytest.raises(BadInput, match=rf"^{file} is no table of kernels: .*{said}"):
        device_choices.best_cap(UCB1, AVERAGE, UNIFORM, OTHELLO)


def test_no_such_file(monkeypatch):
    monkeypatch.setenv(device_choices.VARIABLE, "/nowhere/kernels.json")
    with pytest.raises(BadInput, match=r"^GPUMCTS_KERNELS=/nowhere/kernels.json: there is no such file$"):
        device_choices.fastest_way(GO, UNIFORM, ["nested"])


def test_ways_of_go_begin_with_attempts():
    """Chains in local memory come last: a device plays ply by ply three times as fast."""
    cuda_searches = pytest.importorskip("gpumcts.kernels.cuda.searches")
    havannah = compiled(option("game", "havannah")())
    assert list(cuda_searches.ways(GO, UNIFORM)) == ["attempts", "nested", "whole"]
    assert list(cuda_searches.ways(havannah, UNIFORM)) == ["whole", "nested"]
