"""Ramanujan et al. 2010, section 6: its formulas to the digits printed, the configurations, and every experiment at a
tiny budget."""

import csv
import math
from pathlib import Path

import numpy as np
import pytest
import yaml
from hydra import compose, initialize_config_dir

from experiments import trees
from experiments.app.error_messages import CONF
from experiments.app.task import plain_of
from experiments.config.schema import Checked
from experiments.papers import ramanujan2010understanding as document
from experiments.papers.ramanujan2010understanding import claims, fig3, fig6, searches, tables
from experiments.runs import tree_searches as following
from gpumcts.games.implanted import Implanted
from gpumcts.games.instances import instances
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.options import compiled
from gpumcts.playouts.uniform import Uniform

ITEMS = ("fig3", "table2", "table3", "fig6", "sec6_claims")
SCALES = ("small", "document")


def composed(item: str, *overrides: str) -> tuple[dict, Checked]:
    """The plain configuration of one run, and what is checked of it."""
    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = compose("trees", [f"experiment=ramanujan2010understanding/{item}", *overrides])
        plain = plain_of(config)
    assert isinstance(plain, dict)
    return plain, trees.trees_config(plain)


def listed(plain: dict, scale: str, key: str) -> list:
    """What a sweep goes through, as values."""
    return yaml.safe_load(f"[{plain['scales'][scale][key]}]")


# ---------------------------------------------------------------------------------------------------- configurations


def test_every_item_has_a_title_and_an_end():
    assert set(document.CONCLUSIONS) == {*ITEMS, "table1", "sec4"}
    assert set(document.CONCLUSIONS) <= set(document.TITLES)


def test_figure_3_takes_every_pair_of_depths():
    plain, checked = composed("fig3")
    pairs = [[d1, d2] for d1 in range(0, 22, 2) for d2 in range(d1 + 2, 24, 2)]
    assert sorted(listed(plain, "document", "pairs")) == pairs
    assert sorted(listed(plain, "small", "pairs")) == [pair for pair in pairs if pair[1] <= 14]
    assert {0.4, 0.7} <= set(listed(plain, "document", "exploration"))
    game, rule, keys = checked.identity["game"], checked.player.rule, checked.keys
    assert (game["depth"], game["leaves"], game["trap"], game["single_agent"]) == (24, "thirds", [], False)
    assert (rule.lowest_reward, keys.level, keys.exact, keys.trees) == (-1, 0.85, False, 100)


@pytest.mark.parametrize("d2", range(2, 24, 2))
def test_the_horizons_of_figure_3_reach_beyond_convergence(d2):
    _, checked = composed("fig3", f"game.critical=[{d2 - 2},{d2}]", "selection.exploration=0.7")
    assert checked.player.iterations > 2 * fig3.eq1(d2 - 2, d2, 18, 7, 2.4)  # a fit of ours


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize(("row", "x"), [("shallow", 2), ("mid", 10), ("deep", 18)])
@pytest.mark.parametrize(("column", "y"), [("shallow", 1), ("mid", 9), ("deep", 17)])
def test_the_plans_of_tables_2_and_3(scale, row, x, column, y):
    made = [composed(item, f"scale={scale}", f"shape={row}_{column}")[1] for item in ("table2", "table3")]
    assert made[0].identity == made[1].identity
    game, keys = made[0].identity["game"], made[0].keys
    assert (game["critical"], game["trap"], game["depth"], game["leaves"]) == ([0, x], [y, y + 2], 20, "biased")
    assert (made[0].player.rule.exploration, keys.trees, keys.runs) == (0.7, 1, {"small": 50, "document": 100}[scale])


@pytest.mark.parametrize("scale", SCALES)
def test_figure_6_and_the_claims_compose(scale):
    plain, _ = composed("fig6", f"scale={scale}")
    assert 0.542 in listed(plain, scale, "epsilon")
    for shape in listed(plain, scale, "shape"):
        _, checked = composed("fig6", f"scale={scale}", f"shape={shape}", "selection.epsilon=0.542")
        assert (type(checked.player.rule).__name__, checked.identity["game"]["leaves"]) == ("EpsilonGreedy", "shares")
        assert checked.identity["game"]["critical"] == ([0] if shape == "a" else [0, 2])
    plain, checked = composed("sec6_claims", f"scale={scale}")
    assert {len(depths) for depths in listed(plain, scale, "critical")} == {1, 2, 3, 4}
    assert checked.identity["game"]["depth"] == 24


# ----------------------------------------------------------------------------------------------------------- formulas


def test_the_least_of_figure_6():
    grid = np.arange(1, 1000) / 1000
    values = [fig6.unfavorable(epsilon, 0.5) for epsilon in grid]
    assert (grid[np.argmin(values)], round(min(values), 1)) == fig6.LEAST == (0.542, 95.3)


def test_the_formulas_of_section_6_2():
    assert fig6.needed_visits(0.7, 0.1, 30) == pytest.approx(60)  # eq. 3: (60 + 30 * 0.1) / 90 is 0.7
    assert fig6.needed_visits(0.7, 0.8, 30) == 0
    epsilon, p, q, tau = 0.1, 0.5, 0.75, 0.7
    whole = fig6.scenario_a(epsilon, p, fig6.needed_in_a(p, tau))
    assert whole == pytest.approx(2 / (1 - p) + (1 + tau - 2 * p) / ((1 - epsilon) * (1 - p) * (1 - tau)))
    assert fig6.favorable(epsilon, p) == pytest.approx(2 / 0.9 * (4 + 10 / 0.9))
    left = fig6.printed_share(p)
    assert left == 3 / 8 and fig6.corrected_share(p) == 3 / 4
    ties = left + q - 2 * left * q
    printed = (
        2 / ties
        + left * (1 - q) / ties * fig6.favorable(epsilon, p)
        + (1 - left) * q / ties * fig6.unfavorable(epsilon, p)
    )
    assert fig6.scenario_b(epsilon, p, q, left) == pytest.approx(printed)


def test_the_corrected_share_is_that_of_figure_5():
    """Playouts from behind the root's moves: within 5 standard errors of (1 + p)/2 and of q, and far from 3p/4.

    Every tree has leaves enough that the errors are those of independent draws.
    """
    game, p, q, count = (
        compiled(Implanted(critical=[0, 2], leaves="shares", first_share=0.75, later_share=0.5)),
        0.5,
        0.75,
        40_000,
    )
    roots, rules = instances(game, range(count)), Rules(game)
    for move, share in ((0, fig6.corrected_share(p)), (1, q)):
        behind = rules.play(roots, np.full(count, move))
        tally = CpuPlayouts(game, Uniform()).tally(behind, np.arange(count, dtype=np.uint64))
        won = tally.wins.mean()
        assert abs(won - share) < 5 * math.sqrt(share * (1 - share) / count) < abs(won - fig6.printed_share(p))


def test_equations_1_and_2_agree():
    for d1, d2 in ((0, 2), (4, 10), (12, 22)):
        assert claims.eq2((d1, d2), 0.8, 1.5, 2.37) == pytest.approx(fig3.eq1(d1, d2, 0.8, 0.8 * 1.5, 2.37))
    assert claims.eq2((2, 4, 6), 1, 1, 3) == pytest.approx(3 + 2 * (3 + 2 * 3))
    assert claims.eq2((8,), 0.5, 9, 2) == pytest.approx(8)


def point(d1: int, d2: int, time: float | None) -> fig3.Point:
    return fig3.Point(0.7, d1, d2, 10, 10**6, 0, time, time, time)


def test_the_fit_finds_what_made_its_points():
    pairs = [(d1, d2) for d1 in range(0, 22, 2) for d2 in range(d1 + 2, 24, 2)]
    exact = fig3.fit_eq1([point(*pair, fig3.eq1(*pair, 3.0, 5.0, 2.37)) for pair in pairs])
    assert exact is not None
    assert (exact.a, exact.b, exact.growth) == pytest.approx((3.0, 5.0, 2.37), rel=1e-5)
    noise = np.exp(np.random.default_rng(1).normal(0, 0.1, len(pairs)))
    noisy = fig3.fit_eq1(
        [point(*pair, fig3.eq1(*pair, 3.0, 5.0, 2.37) * off) for pair, off in zip(pairs, noise, strict=True)]
    )
    assert noisy is not None
    assert noisy.low < 2.37 < noisy.high < noisy.low + 0.1
    assert noisy.factor == pytest.approx(math.exp(0.1), abs=0.03)
    assert fig3.fit_eq1([point(*pair, None) for pair in pairs]) is None
    some = [point(*pair, fig3.eq1(*pair, 3.0, 5.0, 2.37) if pair[1] < 22 else None) for pair in pairs]
    fitted = fig3.fit_eq1(some)
    assert fitted is not None and (exact.used, fitted.used) == (66, 55)


# ----------------------------------------------------------------------------------------------------------- searches


def some_searches() -> searches.Searches:
    """Two searches seen after 1, 3, 5 and 9 iterations: one tied until 5, where A leads; one led by B from 3 on."""
    points = np.array([1.0, 3, 5, 9])
    visits = np.array([[(0, 0), (1, 1), (2, 2), (6, 2)], [(0, 0), (1, 1), (1, 3), (1, 7)]], np.float64)
    none = (np.nan, np.nan)
    values = np.array([[none, (1, 1), (1, 0), (0.5, 0)], [none, (-1, 1), (-1, 1), (-1, 0.5)]])
    return searches.Searches(points, np.array([7.0, np.inf]), visits, values)


def test_what_is_read_from_followed_searches():
    seen = some_searches()
    for after_a_round in (False, True):
        column, ahead = searches.first_lead(seen, after_a_round)
        assert column.tolist() == [2, 1] and ahead.tolist() == [searches.A, searches.B]
    assert searches.at(seen, seen.visits[:, :, 0], np.array([7.0, 4.0])).tolist() == [4.0, 1.0]
    share = searches.share_of_b(seen, seen.crossing)
    assert share[0] == pytest.approx(2 / 6) and np.isnan(share[1])
    value = searches.value_of_a(seen, seen.crossing)
    assert value[0] == pytest.approx((2 + 3) / 2 / 4) and np.isnan(value[1])
    assert searches.first_reaching(seen, seen.visits[:, :, 0], np.array([4.0, 2.0])).tolist() == [7.0, np.inf]
    mean = searches.mean_of([1.0, 3.0, np.inf])
    assert mean[:2] == (2, 2.0) and mean.half == pytest.approx(1.959964)


def test_an_uneven_lead_is_no_tie_broken_by_a_round():
    seen = some_searches()
    seen.visits[1, 1] = (1, 2)
    assert searches.first_lead(seen, after_a_round=False)[1].tolist() == [0, 1]
    assert searches.first_lead(seen, after_a_round=True)[1].tolist() == [0, -1]


# ------------------------------------------------------------------------------------------------------------- trends


def printed_cells(times: dict = tables.TABLE_2) -> list[tables.Cell]:
    """The document's own figures as if they were ours."""

    def mean(value: float) -> searches.Mean:
        return searches.Mean(50, value, 3.6, value)  # an interval of 1 on both sides

    cells = []
    for row in tables.DEPTHS:
        for i, column in enumerate(tables.DEPTHS):
            for j, start in enumerate(tables.STARTS):
                worth = mean(tables.VALUES.get((row, column), 0.8))
                cells.append(
                    tables.Cell(
                        0.7, row, column, start, mean(times[row][i][j]), mean(tables.TABLE_3[row][i][j]), 0.0, worth, 0
                    )
                )
    return cells


def test_the_documents_own_tables_pass_and_others_fail():
    lines = tables.trends(printed_cells())
    assert len(lines) == 7
    assert all(": holds" in line for line in lines[:6]) and lines[6].startswith("off by a factor of 1.00 in the median")
    turned = {row: tuple((u, f) for f, u in reversed(line)) for row, line in tables.TABLE_2.items()}
    lines = tables.trends(printed_cells(turned))
    assert [": does not hold" in line for line in lines[:3]] == [True, True, True]


def test_trends_of_too_few_plans_are_not_told():
    """One pair of plans says nothing of how its depth matters, and a gap within chance not which start takes longer."""
    few = [cell for cell in printed_cells() if (cell.maximum, cell.minimum) == ("mid", "shallow")]
    few = [cell._replace(time=cell.time._replace(deviation=3600.0)) for cell in few]
    lines = tables.trends(few)
    assert len([line for line in lines if ": cannot be told" in line]) == 4 and "holds" not in "".join(lines[:4])


def test_a_cell_that_no_search_began_has_no_figures():
    none = searches.mean_of([])
    cell = tables.Cell(0.7, "mid", "mid", "F", none, none, 0.0, none, 0)
    for rows in (tables.times_rows([cell]), tables.shares_rows([cell])):
        assert "nan" not in " ".join(rows[0]) and rows[0][4:6] == ["-", "-"]


# ---------------------------------------------------------------------------------------------------------- tiny runs

TINY = "engine=cpu threads=1 scale=small scales.small.trees=4"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.slow
def test_figure_3_in_little(run, only):
    pairs = '"[0,2],[0,4],[0,6],[2,6],[4,6]"'
    done = run(
        f"trees experiment=ramanujan2010understanding/fig3 {TINY} game.depth=8 budget.iterations=2000",
        f"scales.small.pairs={pairs}", 'scales.small.exploration="0.7"',
    )  # fmt: skip
    assert done.code == 0
    assert "Reduced: 5 of the 6 pairs of depths" in done.out and "2.37" in done.out
    rows = rows_of(only("multirun/ramanujan2010understanding/*/fig3.csv"))
    assert [(int(row["d1"]), int(row["d2"])) for row in rows] == [(0, 2), (0, 4), (0, 6), (2, 6), (4, 6)]
    assert all(float(row["median"]) >= 1 and float(row["eq1"]) > 0 for row in rows)
    assert only("multirun/ramanujan2010understanding/*/fig3.png").stat().st_size > 10_000


@pytest.mark.slow
def test_tables_2_and_3_in_little(run, only):
    little = "engine=cpu threads=1 scale=small game.depth=8 budget.iterations=3000 scales.small.runs=12"
    shapes = {"shallow_shallow": (2, 1), "shallow_mid": (2, 5), "mid_shallow": (4, 1), "mid_mid": (4, 5)}
    more = [f"shapes.{name}.critical=[0,{x}]" for name, (x, _) in shapes.items()]
    more += [f"shapes.{name}.trap=[{y},{y + 2}]" for name, (_, y) in shapes.items()]
    more += [f"hydra.sweeper.params.shape='{','.join(shapes)}'"]
    first = run(f"trees experiment=ramanujan2010understanding/table2 {little}", *more)
    assert first.code == 0 and "iterations, mean" in first.out and "unfavourable starts take longer" in first.out
    assert "Max shallow (0, 2) and mid (0, 4); Min shallow (1, 3) and mid (5, 7)" in first.out
    made = only("multirun/ramanujan2010understanding/*/tables2and3.csv")
    before = {path: path.stat().st_mtime_ns for path in made.parent.glob("*/pieces/*.npz")}
    second = run(f"trees experiment=ramanujan2010understanding/table3 {little}", *more)
    assert second.code == 0 and "visits in B, %" in second.out
    assert before == {path: path.stat().st_mtime_ns for path in made.parent.glob("*/pieces/*.npz")} and len(before) == 4
    for path in before:
        (piece,) = following.pieces_of(path.parent.parent)
        assert piece.values.shape == (12, piece.wrong.shape[1], 2)
        assert np.isnan(piece.values[:, 0]).all()  # after the root's own playout
        assert ((piece.values[:, 3:] >= 0) & (piece.values[:, 3:] <= 1)).all()
    rows = rows_of(made)
    assert len(rows) == 8 and sum(int(row["searches"]) + int(row["never"]) for row in rows) <= 4 * 12
    assert all(0 <= float(row["share_mean"]) <= 100 for row in rows if int(row["searches"]))


@pytest.mark.slow
def test_figure_6_in_little(run, only):
    done = run(
        "trees experiment=ramanujan2010understanding/fig6 engine=cpu threads=1 scale=small budget.iterations=200 "
        "scales.small.trees=60",
        'scales.small.epsilon="0.2,0.542"',
    )  # fmt: skip
    assert done.code == 0
    assert "95.3" in done.out and "printed p' 3.56 visits, corrected 5.33" in done.out
    rows = rows_of(only("multirun/ramanujan2010understanding/*/fig6.csv"))
    assert [(row["scenario"], row["epsilon"]) for row in rows] == [
        ("A", "0.2"),
        ("A", "0.542"),
        ("B", "0.2"),
        ("B", "0.542"),
    ]
    assert [float(row["ahead"]) for row in rows[:2]] == [0, 0]  # in scenario A no tie can break for the right
    assert float(rows[3]["model_unlucky"]) == pytest.approx(95.3, abs=0.05)


@pytest.mark.slow
def test_the_claims_in_little(run, only):
    done = run(
        f"trees experiment=ramanujan2010understanding/sec6_claims {TINY} game.depth=8 budget.iterations=2000",
        'scales.small.critical="[0],[2],[6],[2,6],[2,4,6]"', 'scales.small.exploration="0.7"',
    )  # fmt: skip
    assert done.code == 0
    assert "growth per 2 levels" in done.out and "eq. 2 fitted" in done.out
    rows = rows_of(only("multirun/ramanujan2010understanding/*/sec6_claims.csv"))
    assert [row["k"] for row in rows] == ["1", "1", "1", "2", "3"] * 2
    assert all(row["eq2"] for row in rows if row["single_agent"] == "false")
