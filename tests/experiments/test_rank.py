"""experiments.rank and experiments.traps: what methods say, runs that go on, bad input. On Othello, at tiny budgets."""

import json
from pathlib import Path

import numpy as np
import pytest

from experiments import traps_summary
from experiments.rank_boards import Board, DataKeys, boards_of, played
from experiments.rank_methods import EvaluationKeys, MinimaxKeys, PlayoutsKeys, SearchKeys, checkpoints, method_of
from experiments.rank_statistics import Resampled
from experiments.traps_search import a_ply_on
from gpumcts.deepening.leaves import WON
from gpumcts.games import contract
from gpumcts.games.othello import Othello
from gpumcts.kernels import paths
from gpumcts.kernels.batch import Rules
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.match.statistics import wilson
from gpumcts.options import compiled
from gpumcts.playouts.minimax import Minimax
from gpumcts.playouts.uniform import Uniform

GAME = compiled(Othello())
PGN = Path(__file__).resolve().parents[3] / "shared/data/gm_games.pgn"
TINY = (
    "game=othello data.games=3 data.positions=4 data.from_ply=20 yardstick=minimax_3 threads=1 "
    "methods=[minimax_3,evaluation,random_playouts,mm1_playouts,minimax_2] "
    "method.random_playouts.playouts=20 method.mm1_playouts.playouts=4"
)
TRAPS = "game=othello data.games=2 data.from_ply=30 deep=4 strategy=1 threads=1"


@pytest.fixture(scope="module")
def boards() -> list[Board]:
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
        (SearchKeys("search", 1), 0),
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


def test_distinct_playouts_are_counted(boards):
    """Two ends of one engine: MM-1 players that differ in ties alone, and those that move at random."""
    board = boards[-4]
    greedy, random = (
        method_of(PlayoutsKeys("playouts", 100, Minimax(1, e)), GAME, 1, 1).of(board).distinct for e in (0.0, 1.0)
    )
    assert (greedy <= random).all() and greedy.min() < random.max() <= 100


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


def test_a_record_is_seen_as_the_players_saw_it():
    """The states of a game from a Record: those of its moves one after the other."""
    rules = Rules(GAME)
    with np.errstate(over="ignore"):
        start = contract.start(GAME)
        moves = [contract.parse_move(GAME, start, "f5")]
    game = played(rules, contract.Record(GAME, {}, start, moves, {"White": "A", "Black": "B", "Date": "1999.01.02"}), 1)
    assert game.title == "A - B, 1999" and len(game.states) == 2
    assert (game.states[1] == rules.play(rules.words(start)[None], np.array(moves))[0]).all()


def test_games_of_a_pgn():
    if not PGN.exists():
        pytest.skip(f"{PGN} is not there")
    from gpumcts.games.chess import Chess

    found = boards_of(compiled(Chess()), DataKeys(pgn=str(PGN), games=2, from_ply=10), 1)
    assert found.games == 2 and {board.game for board in found.boards} == {0, 1}
    assert min(board.ply for board in found.boards) == 10
    assert found.boards[0].text.split()[5] == "6"  # ten plies are five moves
    assert found.boards[0].title == "Geller, Efim P - Kasparov, Gary, 1978"


# ----------------------------------------------------------------------------------------------------------- commands


def lines_of(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


def untimed(lines: list[dict]) -> list[dict]:
    """Everything but what the clock says."""
    kept = [{key: value for key, value in line.items() if key != "seconds"} for line in lines]
    for line in kept:
        line["curves"] = {name: curve["values"] for name, curve in line["curves"].items()}
    return kept


def test_a_run_writes_its_report_and_goes_on_after_a_kill(run, tmp_path):
    done = run(f"rank {TINY} hydra.run.dir=a")
    assert done.code == 0, done.err
    assert "agreement with minimax_3" in done.out and "4 boards with" in done.out
    folder = tmp_path / "a"
    assert {"report.md", "board.png", "density.png", "curve.png", "summary.json"} <= {p.name for p in folder.iterdir()}
    before = lines_of(folder)
    assert [line["number"] for line in before] == [0, 1, 2, 3]
    for line in before:
        assert len(line["moves"]) == len(line["values"]["minimax_3"]) >= 2
        assert line["curves"]["random_playouts"]["points"] == [1, 3, 10, 20]
    text = (folder / "results.jsonl").read_text().splitlines(keepends=True)
    (folder / "results.jsonl").write_text("".join(text[:2]) + text[2][: len(text[2]) // 2])  # killed while it wrote
    assert run(f"rank {TINY} hydra.run.dir=a").code == 0
    after = lines_of(folder)
    assert after[:2] == before[:2]
    assert untimed(after) == untimed(before)
    path = folder / "results.jsonl"
    path.write_text(path.read_text().replace('"number": 1', '"number": "one"'))
    outcome = run(f"rank {TINY} hydra.run.dir=a")
    assert outcome.code == 2 and "line 2: damaged" in outcome.err


def test_the_summary_is_what_the_lines_say(run, tmp_path):
    from scipy import stats

    assert run(f"rank {TINY} ties_evaluation=0 hydra.run.dir=a").code == 0
    summary = json.loads((tmp_path / "a/summary.json").read_text())
    lines = [line for line in lines_of(tmp_path / "a") if len(set(line["values"]["minimax_3"])) > 1]
    rho = [stats.spearmanr(line["values"]["minimax_2"], line["values"]["minimax_3"]).statistic for line in lines]
    assert summary["methods"]["minimax_2"]["rho"][0] == pytest.approx(np.nan_to_num(rho).mean())
    assert summary["baseline"] == "random_playouts" and "p_holm" in summary["differences"]["minimax_2"]
    assert summary["curves"]["random_playouts"]["points"] == [1, 3, 10, 20]


def test_a_sweep_of_ranks_is_gathered(run, tmp_path):
    line = f"rank -m {TINY} methods=[minimax_3,evaluation] seed=1,2 hydra.sweep.dir=s"
    assert run(line).code == 0
    done = run("report runs=s/*")
    assert done.code == 0 and "evaluation" in done.out


def test_soft_traps(run, tmp_path):
    done = run(f"traps {TRAPS} shallow=1 playouts=3 delta=1 'deltas=[1,5,20]' hydra.run.dir=t".replace("'", ""))
    assert done.code == 0, done.err
    lines, summary = lines_of(tmp_path / "t"), json.loads((tmp_path / "t/summary.json").read_text())
    shares = [row["share"][0] for row in summary["shares"]["disagree"]]
    assert shares == sorted(shares, reverse=True) and summary["games"] == 2
    worse = [line for line in lines if line["best_deep"] - line["deep"] >= 1]
    assert summary["avoided"]["traps"] == len(worse) == sum("rank_by_playouts" in line for line in lines) > 0
    for line in worse:
        assert 1 <= line["rank_by_playouts"] <= line["moves"]
    report = (tmp_path / "t/report.md").read_text()
    assert "Traps that playouts avoid" in report and "games are not complete" in report
    assert "the document has" not in report  # whose share is of Chess


def test_a_win_is_as_far_away_for_both_searches():
    """Of a move that mates, the search of its position says a win in one ply, and that of the position after it none."""
    counted = np.array([WON, WON - 3, 35, 0, -35, 5 - WON], np.float64)
    assert a_ply_on(counted).tolist() == [WON - 1, WON - 4, 35, 0, -35, 6 - WON]


def test_shares_that_resamples_cannot_bound_have_those_of_games():
    resampled, hits = Resampled([0, 0, 1, 2]), np.zeros(4, bool)
    none, all_of_them = traps_summary._of_positions(resampled, hits), traps_summary._of_positions(resampled, ~hits)
    assert none == pytest.approx([0, *wilson(0, 0, 3)]) and all_of_them == pytest.approx([1, *wilson(3, 0, 3)])
    assert none[2] > 0.5 > all_of_them[1]


def test_what_a_trap_is_worth(run, tmp_path):
    """The chosen move is a best one of the shallow search, and both values are those of plain minimax."""
    assert run(f"traps {TRAPS} data.positions=5 deep=3 hydra.run.dir=t").code == 0
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
    "rank methods=[minimax_9]": "methods: minimax_9 is not known; there are: minimax_8,",
    "rank methods=[minimax_8]": "give another one beside the yardstick",
    "rank methods=[minimax_8,minimax_8]": "one of them is named twice",
    "rank methods=[minimax_4,evaluation]": "yardstick=minimax_8: must be one of methods",
    "rank yardstick=evaluation baseline=evaluation": "that is the yardstick",
    "rank method.minimax_8.depth=0": "method.minimax_8.depth=0: must be an integer in [1,",
    "rank method.evaluation.kind=luck": "method.evaluation.kind=luck is not known; there are: evaluation, minimax",
    "rank method.random_playouts.playout.name=luck": "luck is not known",
    "rank method.random_playouts.playouts=0": "method.random_playouts.playouts=0: must be",
    "rank budget.iterations=7": "budget.iterations does not count",
    "rank ties_win_rate=2": "ties_win_rate=2: must be a number in [0, 1]",
    "rank game=sailing": "game=sailing is for one player",
    "rank game=dice_duel methods=[minimax_8,evaluation]": "chance moves",
    "rank game=othello data.pgn=games.pgn": "data.pgn=games.pgn: PGN is of game=chess",
    "rank data.pgn=nowhere.pgn": "data.pgn=nowhere.pgn: cannot be read: No such file",
    "rank data.pgn=a.pgn data.positions_file=b.txt": "give one of them",
    "rank data.positions_file=b.txt data.games=3": "data.games=3 does not count",
    "rank game=othello data.games=1 data.from_ply=1000": "no position from ply 1000 on in which there is a choice",
    "traps shallow=2 deep=2": "deep=2: must be above shallow=2",
    "traps deltas=[]": "deltas: must be differences",
}


@pytest.mark.parametrize("line", BAD)
def test_bad_input_is_one_line(run, tmp_path, line):
    outcome = run(line)
    assert outcome.code == 2 and outcome.out == ""
    assert len(outcome.err.splitlines()) == 1 and BAD[line] in outcome.err, outcome.err
    assert not list(tmp_path.iterdir())


FILES = {
    "": "there is none at all",
    "# nothing\n\n": "there is none at all",
    f"{'X' * 64} X\n": "1 are over, 0 have one legal move",
    "abc\n": "line 1: position: Othello takes 64 characters",
}


@pytest.mark.parametrize("content", FILES)
def test_a_file_without_positions_is_one_line(run, tmp_path, content):
    (tmp_path / "p.txt").write_text(content)
    outcome = run("rank game=othello data.positions_file=p.txt")
    assert outcome.code == 2 and len(outcome.err.splitlines()) == 1
    assert FILES[content] in outcome.err
    assert [path.name for path in tmp_path.iterdir()] == ["p.txt"]
