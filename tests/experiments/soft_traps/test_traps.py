"""experiments.traps: what counts as a soft trap, as unseen and as avoided; runs on Othello at tiny budgets."""

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from experiments.ranking.statistics import Resampled
from experiments.soft_traps import summary as traps_summary
from experiments.soft_traps.report import _share_words
from experiments.soft_traps.search import a_ply_on
from experiments.soft_traps.summary import avoided, escapable, examples, is_trap, unseen
from experiments.traps import LEAST_EPSILON, TrapsKeys
from gpumcts.alpha_beta.leaves import WON
from gpumcts.errors import BadInput
from gpumcts.games import contract
from gpumcts.games.othello import Othello
from gpumcts.kernels.batch import Rules
from gpumcts.match.statistics import wilson
from gpumcts.options import compiled
from gpumcts.playouts.minimax import Minimax
from tests.experiments.ranking.test_rank import after_by_hand

GAME = compiled(Othello())
TRAPS = "game=othello data.games=2 data.from_ply=30 deep=4 strategy=1 threads=1"


def lines_of(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def line(
    evaluation: int, shallow: int, deep: int, best_deep: int, playouts_deep: int | None = None, game: int = 0
) -> dict:
    """A position: h after the shallow choice m, what both searches think of m, of the best move, of the playouts'."""
    found = {
        "evaluation": evaluation,
        "shallow": shallow,
        "deep": deep,
        "best_deep": best_deep,
        "game": game,
        "number": 0,
    }
    known = {} if playouts_deep is None else {"playouts_deep": playouts_deep, "rank_by_playouts": 3.0, "moves": 4}
    return {**found, **known}


POSITIONS = {
    "a win that m misses is no trap": (line(0, 0, -50, 400, 400), (False, False, False, False)),
    "nor is one that m misses while it gains": (line(0, 100, 300, 900, 900), (False, False, False, False)),
    "a piece that is taken back, as the shallow search sees": (line(300, 0, -20, 0, 0), (True, False, False, False)),
    "a loss that it does not see, and nothing helps": (line(10, 0, -300, -250, -250), (True, True, False, False)),
    "one that a move escapes, which playouts do not find": (line(10, 0, -300, 20, -280), (True, True, True, False)),
    "one that playouts avoid by another move than the best": (line(10, 0, -300, 20, -60), (True, True, True, True)),
    "one beside which nothing was played": (line(10, 0, -300, 20), (True, True, True, False)),
}


@pytest.mark.parametrize("name", POSITIONS)
def test_traps_are_those_of_definition_1_and_each_step_a_part_of_the_one_before(name):
    position, expected = POSITIONS[name]
    assert tuple(step(position, 200) for step in (is_trap, unseen, escapable, avoided)) == expected


def test_unseen_traps_and_those_avoided_are_counted_apart():
    lines = [
        {**position, "game": number // 2, "number": number} for number, (position, _) in enumerate(POSITIONS.values())
    ]
    games = np.array([one["game"] for one in lines])
    steps = traps_summary._steps(lines, Resampled(games), TrapsKeys(delta=200, playouts=10))
    assert {name: (row["positions"], row["games"]) for name, row in steps.items()} == {
        "trap": (5, 3), "unseen": (4, 3), "escapable": (3, 2), "avoided": (1, 1),
    }  # fmt: skip
    assert steps["avoided"]["share"][0] == pytest.approx(1 / 7) and steps["avoided"]["of_unseen"][0] == pytest.approx(
        1 / 4
    )
    assert [one["number"] for one in examples(lines, 200, 9)] == [5]
    assert "avoided" not in traps_summary._steps(lines, Resampled(games), TrapsKeys(delta=200))


def test_shares_of_unseen_traps_are_resampled_by_game():
    """Ten traps of one game tell as much as one: the interval is that of two games, for any number of positions."""
    hits, games = np.array([True] * 10 + [False] * 10), np.array([0] * 10 + [1] * 10)
    all_of_them = np.ones(20, bool)
    few = Resampled(games).ratio(hits, all_of_them)
    assert (few.mean, few.low, few.high) == (0.5, 0.0, 1.0)
    apart = Resampled(np.arange(20)).ratio(hits, all_of_them)
    assert 0.2 < apart.low < 0.5 < apart.high < 0.8
    none = traps_summary.share_among(Resampled(games), ~all_of_them, all_of_them, games)
    assert none == pytest.approx([0, *wilson(0, 0, 2)])
    assert traps_summary.share_among(Resampled(games), hits, ~all_of_them, games) is None
    third = np.arange(20) < 3  # in one game alone, which resamples only repeat
    one = traps_summary.share_among(Resampled(games), third & (np.arange(20) > 1), third, games)
    assert one == pytest.approx([1 / 3, *wilson(1 / 3, 0, 1)])


def test_resamples_without_a_trap_say_nothing_of_its_share():
    """Of three games one has traps, and most resamples that lack it would divide by zero."""
    below, hits = np.array([1, 1, 0, 0]), np.array([1, 0, 0, 0])
    found = Resampled([0, 0, 1, 2]).ratio(hits, below)
    assert found == pytest.approx((0.5, 0.5, 0.5))


def test_shares_that_resamples_cannot_bound_have_those_of_games():
    resampled, hits = Resampled([0, 0, 1, 2]), np.zeros(4, bool)
    none, all_of_them = traps_summary._of_positions(resampled, hits), traps_summary._of_positions(resampled, ~hits)
    assert none == pytest.approx([0, *wilson(0, 0, 3)]) and all_of_them == pytest.approx([1, *wilson(3, 0, 3)])
    assert none[2] > 0.5 > all_of_them[1]


def test_soft_traps(run, tmp_path):
    done = run(f"traps {TRAPS} shallow=1 playouts=3 delta=1 deltas=[1,5,20] hydra.run.dir=t")
    assert done.code == 0, done.err
    lines, summary = lines_of(tmp_path / "t"), json.loads((tmp_path / "t/summary.json").read_text())
    shares = [row["share"][0] for row in summary["shares"]["disagree"]]
    assert shares == sorted(shares, reverse=True) and summary["games"] == 2
    played = [line for line in lines if "rank_by_playouts" in line]
    assert 0 < len(played) == sum(escapable(line, 1) for line in lines) == summary["traps"]["escapable"]["positions"]
    assert summary["traps"]["avoided"]["positions"] == sum(avoided(line, 1) for line in played)
    assert len(played) < sum(line["best_deep"] - line["deep"] >= 1 for line in lines)  # some miss a win, or are seen
    chance = sum(line["escapes"] / line["moves"] for line in played)
    assert summary["by_chance"] == pytest.approx(chance) and 0 < chance < len(played)
    for position in played:
        assert 1 <= position["escapes"] < position["moves"]
        assert 1 <= position["rank_by_playouts"] <= position["moves"]
    report = (tmp_path / "t/report.md").read_text()
    assert "Traps that MM-1 does not see, and playouts avoid" in report and "games are not complete" in report
    assert "the document has" not in report  # whose share is of Chess
    assert "Game: othello" in report and "2 games played at random (seed 1): neither data.pgn" in report
    assert "The last plies of MM-4 and of MM-1 belong to different players." in report
    assert "Intervals over 2 games are too narrow." in report and "Intervals over 2 games are too narrow." in done.out


@pytest.mark.parametrize(("sampled", "plies", "whole"), [(False, "", True), (True, "", False), (False, " to 8", False)])
def test_shares_of_games_want_all_their_positions(sampled, plies, whole):
    data = SimpleNamespace(positions_file=None, plies=plies)
    keys = SimpleNamespace(shallow=1, deep=4, strategy=3, delta=5)
    config = SimpleNamespace(keys=keys, policy=data, identity={"game": {"name": "othello"}})
    row = {"share": (0.5, 0.4, 0.6)}
    found = {"sampled": sampled, "deltas": [5], "shares": {"disagree": [row]}, "delta_as_printed": 5}
    (words,) = _share_words(config, found)
    assert ("of the games have such a position" in words) is whole is ("not complete" not in words)


def test_the_least_epsilon_is_that_of_playouts():
    """Which a command refuses before it loads them."""
    assert Minimax(epsilon=LEAST_EPSILON).compiled()[0] == 1  # of all values of a random word
    with pytest.raises(BadInput, match="epsilon"):
        Minimax(epsilon=0.99 * LEAST_EPSILON).compiled()


def test_a_stopped_run_goes_on(run, tmp_path):
    assert run(f"traps {TRAPS} data.positions=5 hydra.run.dir=t").code == 0
    path = tmp_path / "t/results.jsonl"
    before = path.read_text()
    path.write_text("".join(before.splitlines(keepends=True)[:2]) + '{"number": 2, "pos')
    assert run(f"traps {TRAPS} data.positions=5 hydra.run.dir=t").code == 0
    assert path.read_text() == before


def test_a_win_is_as_far_away_for_both_searches():
    """Of a move that mates, the search of its position says a win in one ply, that of the position after it none."""
    counted = np.array([WON, WON - 3, 35, 0, -35, 5 - WON], np.float64)
    assert a_ply_on(counted).tolist() == [WON - 1, WON - 4, 35, 0, -35, 6 - WON]


def test_what_a_trap_is_worth(run, tmp_path):
    """The chosen move is a best one of the shallow search, and both values are those of plain minimax."""
    assert run(f"traps {TRAPS} data.positions=5 deep=3 hydra.run.dir=t", last=True).code == 0
    rules = Rules(GAME)
    for line in lines_of(tmp_path / "t"):
        with np.errstate(over="ignore"):
            state = contract.parse_position(GAME, line["position"])
            number = (
                rules.legal_moves(rules.words(state)).tolist().index(contract.parse_move(GAME, state, line["move"]))
            )
            shallow, deep, now = (after_by_hand(rules.words(state), depth) for depth in (1, 2, 0))
        assert abs(line["shallow"]) > WON // 2 or line["shallow"] == shallow[number] == max(shallow)
        assert abs(line["deep"]) > WON // 2 or line["deep"] == deep[number]
        assert abs(line["best_deep"]) > WON // 2 or line["best_deep"] == max(deep)
        if max(abs(value) for value in [*now, *shallow]) < WON // 2:
            assert line["most_gained"] == max(a - b for a, b in zip(now, shallow, strict=True))


BAD = {
    "traps shallow=2 deep=2": "deep=2: must be above shallow=2",
    "traps epsilon=1e-12": "epsilon=1e-12: must be 0 or at least 2^-32, about 2.3e-10",
    "traps deltas=[]": "deltas: must be differences",
    "traps scale=small": "scale goes with an experiment that has figures for document and small",
    "traps experiment=ramanujan2010understanding/fig2": (
        "data.pgn=null: this experiment takes games of grandmasters; give data"
    ),
    "traps experiment=ramanujan2010understanding/softtraps scale=document": (
        "data.pgn=null: this experiment takes games"
    ),
}


@pytest.mark.parametrize("words", BAD)
def test_bad_input_is_one_line(run, tmp_path, words):
    outcome = run(words)
    assert outcome.code == 2 and outcome.out == ""
    assert len(outcome.err.splitlines()) == 1 and BAD[words] in outcome.err, outcome.err
    assert not list(tmp_path.iterdir())
