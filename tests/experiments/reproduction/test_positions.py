"""Cells of ranks and of soft traps from planted folders: known figures, verdicts by rule, and what is refused."""

import json
import shutil

import pytest

from experiments.reproduction import again
from experiments.reproduction.catalogue import Order, item_of
from experiments.reproduction.gathering import gather
from experiments.reproduction.page_plots import drawn, plot
from experiments.reproduction.pages import page_of, published_text
from gpumcts.errors import BadInput
from tests.experiments.reproduction import planted
from tests.experiments.reproduction.planted import ALIKE, BACKWARDS, HALF

PAPER, FIG1 = item_of("ramanujan2010understanding/fig1")
_, FIG2 = item_of("ramanujan2010understanding/fig2")
_, SOFT = item_of("ramanujan2010understanding/softtraps")
VALUES = {
    "minimax_8": ALIKE, "evaluation": BACKWARDS, "random_playouts": HALF, "mm1_playouts": BACKWARDS, "minimax_2": HALF,
    "minimax_2_playouts": ALIKE,
}  # fmt: skip
RHOS = {
    "evaluation": -1.0, "random_playouts": 0.8, "mm1_playouts": -1.0, "minimax_2": 0.8, "minimax_2_playouts": 1.0,
}  # fmt: skip
CLAIMS = {
    "mm2-playouts-less-evaluation": 2.0, "mm2-playouts-less-random": 0.2, "mm2-playouts-less-heuristic": 2.0,
    "mm2-playouts-diagonal": 1.0,
}  # fmt: skip


def cells(item, folder):
    return {cell.cell: cell for cell in gather(PAPER, item, folder)}


# ------------------------------------------------------------------------------------------------------------- ranks


def test_ranks_give_a_cell_a_correlation_and_the_rule_judges_the_orders(tmp_path):
    found = cells(FIG1, planted.ranks(tmp_path / "run", VALUES, RHOS))
    assert {name: round(found[name].measured.quantity.value, 9) for name in CLAIMS} == CLAIMS
    assert {found[name].verdict for name in CLAIMS} == {"agrees"}
    assert found["random-playouts-rho"].measured.quantity.value == pytest.approx(0.8)
    assert found["random-playouts-tau"].measured.quantity.value == pytest.approx(0.6)  # 8 of 10 pairs in order
    assert found["random-playouts-tau-all"].measured.quantity.value == pytest.approx(0.6)
    assert len(found) == len(FIG1.orders) + 4 * len(RHOS)
    beside = {name for name in found if name not in CLAIMS}
    assert {found[name].verdict for name in beside} == {"unpublished"}
    page = page_of(FIG1, list(reversed(found.values())))
    assert page.verdicts.word == "agrees"
    assert [cell.cell for cell in page.cells[:5]] == [order.cell for order in FIG1.orders]  # claims first
    asked = found["evaluation-rho"].asked
    assert "/somewhere" not in asked.model_dump_json() and "data.pgn=gm_games.pgn" in asked.command
    assert asked.keys["methods"]["minimax_8"] == {"kind": "minimax", "depth": 8}


def test_the_other_order_differs(tmp_path):
    values = {**VALUES, "minimax_2_playouts": BACKWARDS, "evaluation": ALIKE}
    rhos = {**RHOS, "minimax_2_playouts": -1.0, "evaluation": 1.0}
    found = cells(FIG1, planted.ranks(tmp_path / "run", values, rhos))
    assert found["mm2-playouts-less-evaluation"].verdict == "differs"
    assert found["mm2-playouts-less-heuristic"].verdict == "open"  # both are backwards
    assert found["mm2-playouts-diagonal"].verdict == "differs"
    assert page_of(FIG1, list(found.values())).verdicts.word == "differs"


@pytest.mark.parametrize(
    "words",
    [
        ("method.minimax_8.depth=6",),
        ("method.random_playouts.playouts=9999",),
        ("method.mm1_playouts.playouts=100",),
        ("method.minimax_2_playouts.playouts=30",),
    ],
)
def test_ranks_at_another_depth_or_with_other_playouts_never_agree(tmp_path, words):
    found = cells(FIG1, planted.ranks(tmp_path / "run", VALUES, RHOS, *words))
    assert {cell.verdict for cell in found.values()} == {"reduced"}
    assert page_of(FIG1, list(found.values())).verdicts.word == "reduced"


def test_ranks_that_are_not_those_of_their_summary_are_refused(tmp_path):
    folder = planted.ranks(tmp_path / "run", {**VALUES, "minimax_2_playouts": HALF}, RHOS)
    with pytest.raises(BadInput, match="the values of minimax_2_playouts are not those of its summary"):
        cells(FIG1, folder)


def test_ranks_of_a_position_that_is_missing_are_refused(tmp_path):
    folder = planted.ranks(tmp_path / "run", VALUES, RHOS)
    path = next(folder.glob("values/minimax_8-*.jsonl"))
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    with pytest.raises(BadInput, match=r"minimax_8-.*\.jsonl: position 2 is missing; finish the run first"):
        cells(FIG1, folder)


def test_ranks_of_one_game_have_no_interval(tmp_path):
    folder = planted.ranks(tmp_path / "run", VALUES, RHOS, boards=1)
    with pytest.raises(BadInput, match="positions of one game give no interval"):
        cells(FIG1, folder)


def test_an_order_needs_methods_that_were_run(tmp_path):
    item = FIG1.model_copy(update={"orders": [Order(cell="a", first="minimax_7", relation="above", value=0.0)]})
    with pytest.raises(BadInput, match="has no method minimax_7"):
        gather(PAPER, item, planted.ranks(tmp_path / "run", VALUES, RHOS))


def test_the_first_ten_of_ranks_are_found_in_a_run_of_one_game(tmp_path):
    cell = cells(FIG1, planted.ranks(tmp_path / "all", VALUES, RHOS))["evaluation-rho"]
    one = planted.ranks(tmp_path / "one", VALUES, RHOS, "data.games=1", boards=1)
    assert again.digest_of_folder(cell, one) == cell.digests.first_ten
    shutil.rmtree(one)
    planted.ranks(one, {**VALUES, "evaluation": HALF}, RHOS, "data.games=1", boards=1)
    assert again.digest_of_folder(cell, one) != cell.digests.first_ten


# ------------------------------------------------------------------------------------------------------------- traps


def position(number, game, evaluation=0, shallow=0, deep=0, best_deep=0, **more):
    told = {"number": number, "game": game, "position": f"board {number}", "move": "e2e4", "ply": 31}
    values = {"evaluation": evaluation, "shallow": shallow, "deep": deep, "best_deep": best_deep}
    return {**told, **values, **more}


AVOIDED = {"playouts_deep": -50, "rank_by_playouts": 3.0, "moves": 4, "playouts_choose": "d2d4", "line": ["e7e5"] * 6,
           "better_line": ["d7d5"] * 6, "escapes": 1}  # fmt: skip
TRAPS = [
    position(0, 0),
    position(1, 1, 10, 0, -300, 20, **AVOIDED),
    position(2, 2, 10, 0, -300, 20, **{**AVOIDED, "playouts_deep": -280}),
    position(3, 3, 10, 0, -300, -250),
]


def steps(trap, unseen, escapable, avoided):
    counts = {"trap": trap, "unseen": unseen, "escapable": escapable, "avoided": avoided}
    rows = {name: {"positions": count, "share": [count / 4, 0.0, 1.0]} for name, count in counts.items()}
    return {"traps": rows, "by_chance": 0.5, "games": 4}


def test_a_trap_that_playouts_avoid_makes_the_claim_and_is_shown(tmp_path):
    found = cells(FIG2, planted.traps(tmp_path / "run", "fig2", TRAPS, steps(3, 3, 2, 1)))
    assert (found["found"].measured.quantity.value, found["found"].verdict) == (1.0, "agrees")
    assert found["steps-avoided-of-escapable"].measured.quantity.value == 0.5
    assert found["steps-avoided-of-escapable"].measured.other.value == 0.25
    assert found["trap-1"].title.startswith("`board 1`: MM-2 plays e2e4 (e7e5 e7e5 e7e5), playouts d2d4")
    assert "found" not in [cell.cell for cell in drawn(list(found.values()))]  # a count has no interval to draw
    assert found["trap-1"].measured.quantity.value == 250 and "trap-2" not in found
    assert page_of(FIG2, list(found.values())).verdicts.word == "agrees"


def test_the_share_of_traps_that_playouts_avoid_is_resampled_by_game(tmp_path):
    """Ten positions of one game tell as much as one."""
    lines = [position(n, n // 10, 10, 0, -300, 20, **AVOIDED) for n in range(20)]
    for line in lines[10:]:
        line["playouts_deep"] = -280
    counts = {"trap": 20, "unseen": 20, "escapable": 20, "avoided": 10}
    rows = {name: {"positions": n, "share": [n / 20, 0.0, 1.0]} for name, n in counts.items()}
    summary = {"traps": rows, "by_chance": 5.0, "games": 2}
    some = cells(FIG2, planted.traps(tmp_path / "run", "fig2", lines, summary))["steps-avoided-of-escapable"]
    quantity = some.measured.quantity
    assert (quantity.value, quantity.interval, quantity.count) == (0.5, (0.0, 1.0), 20)
    assert some.measured.other.value == 0.25


def test_no_trap_leaves_the_claim_open(tmp_path):
    lines = [TRAPS[0], TRAPS[3] | {"number": 1}, TRAPS[2], TRAPS[3]]
    found = cells(FIG2, planted.traps(tmp_path / "run", "fig2", lines, steps(3, 3, 1, 0)))
    assert (found["found"].measured.quantity.value, found["found"].verdict) == (0.0, "open")


def test_a_trap_at_another_depth_is_no_agreement(tmp_path):
    found = cells(FIG2, planted.traps(tmp_path / "run", "fig2", TRAPS, steps(3, 3, 2, 1), "deep=6"))
    assert {cell.verdict for cell in found.values()} == {"reduced"}


def test_traps_that_are_not_those_of_their_summary_are_refused(tmp_path):
    folder = planted.traps(tmp_path / "run", "fig2", TRAPS, steps(3, 3, 2, 2))
    with pytest.raises(BadInput, match="its positions are not those of its summary: avoided"):
        cells(FIG2, folder)
    path = folder / "results.jsonl"
    path.write_text(path.read_text()[:-40])
    with pytest.raises(BadInput, match=r"results\.jsonl holds a line that is no position's"):
        cells(FIG2, folder)


def shares(at_100, at_300, games):
    rows = [{"games": at_100}, {"games": at_300}]
    return {"shares": {"disagree": rows, "loses": rows}, "deltas": [100, 300], "games": games}


def test_shares_of_games_are_shown_beside_52_per_cent_and_not_judged(tmp_path):
    lines = [position(n, n, 0, 0, -300 if n < 3 else 0, 20) for n in range(50)]
    lines[3] = position(3, 3, 0, 0, -150, 20)
    found = cells(SOFT, planted.traps(tmp_path / "run", "softtraps", lines, shares(4, 3, 50)))
    assert {name: found[name].measured.quantity.hits for name in found} == {
        "disagree-100": 4, "disagree-300": 3, "reading-loses-100": 4,
    }  # fmt: skip
    assert {cell.verdict for cell in found.values()} == {"unpublished"}
    assert published_text(found["disagree-100"]) == "52.0 ± 14.1" and published_text(found["reading-loses-100"]) == ""
    assert page_of(SOFT, list(found.values())).verdicts.word == "unpublished"
    plot(list(found.values()), tmp_path / "plot.svg")
    assert (tmp_path / "plot.svg").read_text().count("paper, condition not named") == 1


def test_shares_that_are_not_those_of_their_positions_are_refused(tmp_path):
    lines = [position(n, n, 0, 0, -300 if n < 3 else 0, -300) for n in range(50)]
    with pytest.raises(BadInput, match="its positions are not those of its summary: disagree at 300"):
        cells(SOFT, planted.traps(tmp_path / "run", "softtraps", lines, shares(3, 4, 50)))


@pytest.mark.parametrize("words", [("deep=6",), ("data.from_ply=10",), ("data.positions=5",)])
def test_shares_at_another_depth_or_of_parts_of_games_are_reduced(tmp_path, words):
    lines = [position(n, n, 0, 0, -300, 20) for n in range(50)]
    found = cells(SOFT, planted.traps(tmp_path / "run", "softtraps", lines, shares(50, 50, 50), *words))
    assert {cell.verdict for cell in found.values()} == {"reduced"}
    assert page_of(SOFT, list(found.values())).verdicts.word == "reduced"


def test_the_first_ten_of_traps_are_found_in_a_shorter_run(tmp_path):
    lines = [position(n, n, 0, 0, -300, 20) for n in range(12)]
    told = shares(12, 12, 12)
    cell = cells(SOFT, planted.traps(tmp_path / "all", "softtraps", lines, told))["disagree-100"]
    some = planted.traps(tmp_path / "some", "softtraps", lines[:11], told)
    assert again.digest_of_folder(cell, some) == cell.digests.first_ten != cell.digests.all
    other = [json.loads(json.dumps(line)) for line in lines[:11]]
    other[9]["deep"] = -299
    different = planted.traps(tmp_path / "different", "softtraps", other, told)
    assert again.digest_of_folder(cell, different) != cell.digests.first_ten
