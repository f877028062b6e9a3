"""experiments.rank: what methods say, runs that go on, bad input. On Othello, at tiny budgets."""

import csv
import json
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from experiments.ranking.methods import EvaluationKeys, MinimaxKeys, PlayoutsKeys, SearchKeys, checkpoints, method_of
from experiments.ranking.positions import DataKeys, Position, boards_of, played
from experiments.ranking.report import words_of_distinct
from experiments.ranking.statistics import at_time
from gpumcts.alpha_beta.leaves import WON
from gpumcts.games import contract
from gpumcts.games.chess import Chess
from gpumcts.games.othello import Othello
from gpumcts.kernels import paths
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.match.lock import held
from gpumcts.match.statistics import holm
from gpumcts.options import compiled
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.uniform import Uniform

GAME = compiled(Othello())
PGN = Path(os.environ.get("GPUMCTS_DATA", "")) / "gm_games.pgn"
TINY = (
    "game=othello data.games=3 data.positions=4 data.from_ply=20 reference=minimax_3 threads=1 "
    "methods=[minimax_3,evaluation,random_playouts,mm1_playouts,minimax_2] "
    "method.random_playouts.playouts=20 method.mm1_playouts.playouts=4"
)


@pytest.fixture(scope="module")
def boards() -> list[Position]:
    return boards_of(GAME, DataKeys(games=2), 1).boards


def by_hand(words: np.ndarray, depth: int) -> float:
    """Plain minimax in Python, for the player to move; a game that is over is worth WON, whenever."""
    rules = Rules(GAME)
    counts, movers = rules.describe(words[None])
    if counts[0] == 0:
        score = int(np.sign(rules.scores(words[None])[0])) * int(WON)
        return float(-score if movers[0] == 1 else score)
    if depth == 0:
        return float(contract.evaluation(GAME, rules.state(words)))
    found = []
    for move in rules.legal_moves(words):
        after = rules.play(words[None], np.array([move]))
        sign = 1 if rules.movers(after)[0] == movers[0] else -1
        found.append(sign * by_hand(after[0], depth - 1))
    return max(found)


def after_by_hand(words: np.ndarray, depth: int) -> list[float]:
    rules = Rules(GAME)
    mover, values = rules.movers(words[None])[0], []
    for move in rules.legal_moves(words):
        after = rules.play(words[None], np.array([move]))
        values.append(by_hand(after[0], depth) * (1 if rules.movers(after)[0] == mover else -1))
    return values


@pytest.mark.parametrize(
    ("keys", "after"),
    [
        (EvaluationKeys("evaluation"), 0),
        (MinimaxKeys("minimax", 2), 2),
        (SearchKeys("search", 2), 1),
        pytest.param(SearchKeys("search", 1), 0, marks=pytest.mark.slow),
    ],
)
def test_searches_are_minimax_of_the_states_after_the_moves(boards, keys, after):
    """Wins count by when they come, which plain minimax leaves out."""
    method = method_of(keys, GAME, 1, 1)
    with np.errstate(over="ignore"):
        for board in (boards[20], boards[53], boards[-1]):
            values = method.of(board).values
            expected = np.array(after_by_hand(board.words, after))
            far = np.abs(values) > WON // 2
            assert np.where(far, np.sign(values) * WON, values).tolist() == expected.tolist()
            assert np.abs(values[far]).min(initial=WON) >= WON - 60


def test_playouts_are_win_rates_of_the_player_to_move(boards):
    board = next(board for board in boards if Rules(GAME).movers(board.words[None])[0] == 1)
    keys = PlayoutsKeys("playouts", 400, Uniform())
    found = method_of(keys, GAME, 1, 1).of(board)
    rules = Rules(GAME)
    moves = rules.legal_moves(board.words)
    states = rules.play(np.repeat(board.words[None], len(moves), axis=0), moves)
    tally = CpuPlayouts(GAME, Uniform()).tally(states, np.arange(len(moves), dtype=np.uint64), 400)
    others = (400 - tally.wins - tally.draws / 2) / 400  # the second player's
    assert np.abs(found.values - others).max() < 5 * np.sqrt(0.5 / 400)  # 5 standard errors of a difference


def test_a_curve_has_nested_prefixes(boards):
    """The first 10 of 30 playouts are those of a run of 10, and threads decide nothing."""
    assert checkpoints(30) == [1, 3, 10, 30] and checkpoints(45) == [1, 3, 10, 30, 45] and checkpoints(1) == [1]
    long = method_of(PlayoutsKeys("playouts", 30, Uniform()), GAME, 1, 2).of(boards[30])
    short = method_of(PlayoutsKeys("playouts", 10, Uniform()), GAME, 1, 1).of(boards[30])
    assert long.curve[:3].tolist() == short.curve.tolist()
    assert long.curve[-1].tolist() == long.values.tolist()
    assert (np.diff(long.curve_seconds) >= 0).all()


@pytest.mark.slow
def test_distinct_playouts_are_counted(boards):
    """Two ends of one engine: MM-1 players that differ in ties alone, and those that move at random."""
    board = boards[-4]
    greedy, random = (
        method_of(PlayoutsKeys("playouts", 100, Minimax(1, e)), GAME, 1, 1).of(board).distinct for e in (0.0, 1.0)
    )
    assert (greedy <= random).all() and greedy.min() < random.max() <= 100


@pytest.mark.slow
def test_followed_playouts_are_those_of_the_game(boards):
    """Same outcomes and plies; equal paths exactly where scores, plies and all draws are equal."""
    policy = compiled(Minimax(1, 0.5))
    states = np.stack([board.words for board in boards[-6:]])
    keys = np.arange(len(states), dtype=np.uint64)
    plain = CpuPlayouts(GAME, policy).columns(states, keys, 20)
    engine = CpuPlayouts(paths.followed(GAME), policy)
    followed = engine.columns(paths.words_of(states), keys, 20)
    assert followed[:, :4].tolist() == plain.tolist()
    found = paths.paths_of(followed)
    assert found.shape == (6, 20)
    again = paths.paths_of(engine.columns(paths.words_of(states), keys, 20))
    assert (found == again).all() and len(np.unique(found)) > 20


def test_a_sample_is_drawn_under_the_seed(boards):
    keys = DataKeys(games=2, positions=5)
    first, again, other = (boards_of(GAME, keys, seed).boards for seed in (1, 1, 2))
    assert [board.text for board in first] == [board.text for board in again] != [board.text for board in other]
    assert {board.text for board in first} <= {board.text for board in boards}
    assert len(first) == 5


def test_one_position_of_each_game_is_taken_where_plies_are_one(boards):
    """And the first games of more give the first positions."""
    found = boards_of(GAME, DataKeys(games=3, from_ply=20, to_ply=20), 1).boards
    assert [(board.game, board.ply) for board in found] == [(0, 20), (1, 20), (2, 20)]
    assert [board.text for board in found[:2]] == [board.text for board in boards if board.ply == 20]
    some = boards_of(GAME, DataKeys(games=2, from_ply=20, to_ply=22), 1).boards
    assert {board.ply for board in some} == {20, 21, 22}


def test_positions_to_the_end_have_the_identity_that_earlier_runs_had():
    assert "to_ply" not in DataKeys(games=2).identity()
    assert DataKeys(games=2, to_ply=20).identity()["to_ply"] == 20
    words = [DataKeys(from_ply=f, to_ply=t).plies for f, t in ((0, None), (10, None), (31, 31), (0, 9))]
    assert words == ["", " from ply 10 on", " of ply 31", " from ply 0 to 9"]


def test_a_record_is_seen_as_the_players_saw_it():
    """The states of a game from a Record: those of its moves one after the other."""
    rules = Rules(GAME)
    with np.errstate(over="ignore"):
        start = contract.start(GAME)
        moves = [contract.parse_move(GAME, start, "f5")]
    game = played(rules, contract.Record(GAME, {}, start, moves, {"White": "A", "Black": "B", "Date": "1999.01.02"}), 1)
    assert game.title == "A - B, 1999" and len(game.states) == 2
    assert (game.states[1] == rules.play(rules.words(start)[None], np.array(moves))[0]).all()


@pytest.mark.skipif(not PGN.is_file(), reason="GPUMCTS_DATA names no folder with gm_games.pgn")
def test_games_of_a_pgn():
    found = boards_of(compiled(Chess()), DataKeys(pgn=str(PGN), games=2, from_ply=10), 1)
    assert found.games == 2 and {board.game for board in found.boards} == {0, 1}
    assert min(board.ply for board in found.boards) == 10
    assert found.boards[0].text.split()[5] == "6"  # ten plies are five moves
    assert found.boards[0].title == "Geller, Efim P - Kasparov, Gary, 1978"


# ----------------------------------------------------------------------------------------------------------- commands


def values_of(folder: Path) -> dict[str, list[dict]]:
    """The lines of each file of values, by the file's name without its digest."""
    files = sorted((folder / "values").iterdir())
    return {f.name.rsplit("-", 1)[0]: [json.loads(line) for line in f.read_text().splitlines()] for f in files}


def untimed(values: dict[str, list[dict]]) -> dict[str, list[dict]]:
    """Everything but what the clock says."""
    clock = ("seconds", "curve_seconds")
    return {
        name: [{k: v for k, v in line.items() if k not in clock} for line in lines] for name, lines in values.items()
    }


def stamps(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / "values").iterdir()}


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def ranked(tmp_path_factory):
    """The folder of a finished run of TINY."""
    from experiments.rank import COMMAND

    folder = tmp_path_factory.mktemp("ranked") / "a"
    assert COMMAND.main([*TINY.split(), f"hydra.run.dir={folder}"]) == 0
    return folder


@pytest.fixture
def again(ranked, tmp_path) -> Path:
    """A copy of it, as ``a`` in the folder of the test."""
    return Path(shutil.copytree(ranked, tmp_path / "a"))


def test_a_run_writes_its_report_and_goes_on_after_a_kill(run, again):
    files = {"report.md", "board.png", "density.png", "curve.png", "ranks.csv", "boards.csv", "summary.json"}
    assert files <= {path.name for path in again.iterdir()}
    before = values_of(again)
    assert set(before) == {"minimax_3", "evaluation", "random_playouts", "mm1_playouts", "minimax_2"}
    assert all([line["number"] for line in lines] == [0, 1, 2, 3] for lines in before.values())
    (path,) = (again / "values").glob("random_playouts-*")
    text = path.read_text().splitlines(keepends=True)
    path.write_text("".join(text[:2]) + text[2][: len(text[2]) // 2])  # killed while it wrote
    done = run(f"rank {TINY} hydra.run.dir=a")
    assert done.code == 0, done.err
    assert "agreement with minimax_3" in done.out and "4 boards with" in done.out
    after = values_of(again)
    assert untimed(after) == untimed(before)
    assert after["random_playouts"][:2] == before["random_playouts"][:2]
    assert after["minimax_3"] == before["minimax_3"]  # times too: it was not done again
    path.write_text(path.read_text().replace('"number": 1', '"number": "one"'))
    outcome = run(f"rank {TINY} hydra.run.dir=a")
    assert outcome.code == 2 and "line 2: damaged" in outcome.err


def test_another_process_in_the_folder_is_refused(run, again):
    before = stamps(again)
    with held(again):
        outcome = run(f"rank {TINY} hydra.run.dir=a")
    assert (outcome.code, stamps(again)) == (2, before)
    assert f"{again} is in use by another run; wait for it, or choose another" in outcome.err


@pytest.mark.slow
def test_what_only_judges_or_plots_computes_nothing_anew(run, again):
    before, report = stamps(again), (again / "report.md").read_text()
    words = "ties_evaluation=5 ties_win_rate=0.1 board_ply=25 baseline=mm1_playouts hydra.run.dir=a"
    done = run(f"rank {TINY} {words}")
    assert done.code == 0, done.err
    assert stamps(again) == before and (again / "report.md").read_text() != report
    outcome = run(f"rank {TINY} reference=minimax_2 methods=[minimax_2,evaluation] hydra.run.dir=a", last=True)
    assert outcome.code == 0 and stamps(again) == before, outcome.err


@pytest.mark.slow
def test_another_method_adds_its_values_alone(run, again):
    before = stamps(again)
    more = "methods=[minimax_3,evaluation,random_playouts,mm1_playouts,minimax_2,minimax_4] method.minimax_4.depth=1"
    assert run(f"rank {TINY} {more} hydra.run.dir=a", last=True).code == 0
    after = stamps(again)
    (fresh,) = set(after) - set(before)
    assert fresh.startswith("minimax_4-") and all(after[name] == content for name, content in before.items())
    assert run(f"rank {TINY} method.mm1_playouts.playouts=3 hydra.run.dir=a", last=True).code == 0
    (other,) = set(stamps(again)) - set(after)
    assert other.startswith("mm1_playouts-") and all(stamps(again)[name] == content for name, content in after.items())


@pytest.mark.slow
def test_one_folder_serves_all_methods_and_another_seed_has_its_own(run, tmp_path):
    short = TINY.replace("data.positions=4", "data.positions=2")
    for words in ("methods=[minimax_3,evaluation]", "methods=[minimax_3,minimax_2] ties_evaluation=3"):
        assert run(f"rank {short} {words}", last=True).code == 0
    (folder,) = (tmp_path / "outputs/rank").iterdir()
    assert set(values_of(folder)) == {"minimax_3", "evaluation", "minimax_2"}
    assert run(f"rank {short} methods=[minimax_3,evaluation] seed=2", last=True).code == 0
    assert len(list((tmp_path / "outputs/rank").iterdir())) == 2


def test_folders_of_earlier_versions_are_refused(run, again):
    record = json.loads((again / "provenance.json").read_text())
    record["identity"].pop("values_by_method")
    (again / "provenance.json").write_text(json.dumps(record | {"identity": record["identity"] | {"methods": []}}))
    outcome = run(f"rank {TINY} hydra.run.dir=a")
    assert outcome.code == 2 and len(outcome.err.splitlines()) == 1
    assert "values_by_method=true differs from the run in a, where it is not set" in outcome.err


def test_values_of_another_method_are_refused(run, again):
    (path,) = (again / "values").glob("mm1_playouts-*")
    path.write_text(path.read_text().replace('"playouts": 4', '"playouts": 5'))
    outcome = run(f"rank {TINY} hydra.run.dir=a")
    assert outcome.code == 2 and "position 0 is not of method.mm1_playouts; remove the file" in outcome.err


def test_the_summary_is_what_the_values_say(ranked):
    from scipy import stats

    summary, values = json.loads((ranked / "summary.json").read_text()), values_of(ranked)
    pairs = zip(values["minimax_2"], values["minimax_3"], strict=True)
    rho = [stats.spearmanr(a["values"], b["values"]).statistic for a, b in pairs if len(set(b["values"])) > 1]
    assert summary["methods"]["minimax_2"]["rho"][0] == pytest.approx(np.nan_to_num(rho).mean())
    assert summary["baseline"] == "random_playouts" and "p_holm" in summary["differences"]["minimax_2"]
    assert summary["curves"]["random_playouts"]["points"] == [1, 3, 10, 20]


def test_every_rank_and_every_board_is_a_row(ranked):
    """ranks.csv against scipy's ranks of the values, boards.csv against scipy's correlations of these ranks."""
    from scipy import stats

    values = values_of(ranked)
    ranks: dict[tuple[str, str], list[float]] = {}
    for row in rows_of(ranked / "ranks.csv"):
        ranks.setdefault((row["position"], row["method"]), []).append(float(row["rank"]))
    assert len(ranks) == 4 * 5
    for name, lines in values.items():
        for line in lines:
            assert ranks[line["position"], name] == stats.rankdata(-np.array(line["values"])).tolist()
    rows = rows_of(ranked / "boards.csv")
    assert [row["method"] for row in rows] == ["evaluation", "random_playouts", "mm1_playouts", "minimax_2"] * 4
    for row in rows:
        pair = ranks[row["position"], row["method"]], ranks[row["position"], "minimax_3"]
        if row["spearman"]:
            assert float(row["spearman"]) == pytest.approx(np.nan_to_num(stats.spearmanr(*pair).statistic), abs=1e-5)
            assert float(row["kendall"]) == pytest.approx(np.nan_to_num(stats.kendalltau(*pair).statistic), abs=1e-5)
            first = [np.array(one) == min(one) for one in pair]
            assert float(row["best_agrees"]) == pytest.approx((first[0] & first[1]).sum() / first[0].sum(), abs=1e-5)
    games = {line["game"] + 1 for line in values["minimax_3"]}
    assert {int(row["game"]) for row in rows} == games  # from 1, as in position=pgn:FILE:GAME


def test_policies_are_compared_at_equal_playouts_and_at_equal_time(ranked):
    summary, values = json.loads((ranked / "summary.json").read_text()), values_of(ranked)
    assert [row["playouts"] for row in summary["at_playouts"]] == [1, 3]  # 4 against 20 playouts
    for column, row in enumerate(summary["at_playouts"]):
        assert (row["method"], row["less"]) == ("mm1_playouts", "random_playouts")
        curves = {name: summary["curves"][name]["rho"][column][0] for name in ("mm1_playouts", "random_playouts")}
        assert row["rho"][0] == pytest.approx(curves["mm1_playouts"] - curves["random_playouts"])
        assert row["rho"][1] <= row["rho"][0] <= row["rho"][2]
    corrected = holm([row["p"] for row in summary["at_playouts"]])
    assert [row["p_holm"] for row in summary["at_playouts"]] == pytest.approx(corrected)
    for row in summary["at_times"]:
        expected = []
        for name in ("mm1_playouts", "random_playouts"):
            curve = summary["curves"][name]
            expected.append(at_time(np.array(curve["seconds"]), np.array(curve["rho"])[:, 0], row["seconds"]))
        assert row["rho"][0] == pytest.approx(float(expected[0] - expected[1]))
        assert 1 <= row["playouts"][0] <= 4 and 1 <= row["playouts"][1] <= 20
    report = (ranked / "report.md").read_text()
    assert "at equal playouts" in report and "random_playouts (20)" in report
    assert "different playouts a move, mean" in report and "different playouts a move, least" in report
    assert "Positions: 4 positions, a sample (seed 1) of the" in report
    assert "3 games played at random (seed 1)" in report and "counted from 1: random game 0 is game 1." in report
    assert values["mm1_playouts"][0]["method"]["playouts"] == 4


def test_playouts_that_are_not_told_apart_have_a_reason():
    """As with game.repetition=everywhere, where Chess plays them whole."""
    policies = {"random": PlayoutsKeys("playouts", 9, Uniform()), "mm1": PlayoutsKeys("playouts", 9, Minimax(1, 0.1))}
    config = SimpleNamespace(policy=SimpleNamespace(methods=policies))
    both = words_of_distinct(config, {"methods": {"random": {"playouts": 9}, "mm1": {"playouts": 9}}})
    assert "random are not told apart: uniform ones" in both[0] and "mm1 are not told apart: here the game" in both[1]
    assert words_of_distinct(config, {"methods": {"mm1": {"playouts": 9, "distinct": 8.0}}}) == []


def test_help_says_what_the_methods_are(run):
    text = " ".join(run("rank --help").out.split())
    assert "ranked@method" in text and "*quick" in text and "opponent.group" not in text
    assert "counted likewise" not in text


def test_the_plain_command_is_affordable():
    """A sample of positions, MM-4, and hundreds of playouts, not ten thousand."""
    from hydra import compose, initialize_config_dir

    from experiments.app.error_messages import CONF
    from experiments.app.task import plain_of
    from experiments.rank import rank_config

    with initialize_config_dir(str(CONF), version_base="1.3"):
        config = rank_config(plain_of(compose("rank")))
    assert config.policy.data.positions == 50 and config.policy.methods[config.keys.reference].depth == 4
    assert max(getattr(keys, "playouts", 0) for keys in config.policy.methods.values()) <= 300


@pytest.mark.slow
def test_a_sweep_of_ranks_is_gathered(run, tmp_path):
    line = f"rank -m {TINY} methods=[minimax_3,evaluation] seed=1,2 hydra.sweep.dir=s"
    assert run(line, last=True).code == 0
    done = run("report runs=s/*")
    assert done.code == 0 and "evaluation" in done.out
