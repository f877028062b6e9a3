"""The benchmark beside another checkout."""

import json
from contextlib import nullcontext
from pathlib import Path

import pytest

from benchmarks import beside, beside_process
from benchmarks.measure import Bench, Grid
from benchmarks.peers.answering import talking
from gpumcts.errors import BadInput
from gpumcts.games.havannah import Havannah
from gpumcts.games.othello import Othello

HERE = Path(beside.__file__).parent.parent


def bench_of(game, name, *only):
    return Bench(game, name, "cpu", 1, 1, (), Path(), Grid([1], [1], 1), only)


def test_this_checkout_beside_itself(run, monkeypatch, tmp_path):
    monkeypatch.setattr(beside, "ROW", 0.01)
    done = run(f"bench suites=[beside] checkout={HERE} only=[uniform] repeats=1 hydra.run.dir=here")
    assert done.code == 0, done.err
    rows = json.loads((tmp_path / "here" / "figures.json").read_text("utf-8"))
    assert [row["what"] for row in rows] == ["uniform playouts", "uniform playouts, one by one"]
    assert all(row["median"] > 0 and row["at"] == {"checkout": str(HERE)} for row in rows)


def test_what_the_other_checkout_lacks_is_told(monkeypatch, capsys):
    """Here all but the first work; where it lacks all, that is the user's mistake."""
    monkeypatch.setattr(beside, "_process", lambda bench, folder, works: nullcontext(folder))
    monkeypatch.setattr(beside, "ratio_of", lambda number, ours, theirs: [] if number else [2.0])
    rows = list(beside.suite(bench_of(Othello(), "othello", "uniform")))
    assert [(row.what, row.median) for row in rows] == [("uniform playouts", 2.0)]
    told = "checkout=None: it has nothing of: uniform playouts, one by one; left out\n"
    assert capsys.readouterr().out == told
    monkeypatch.setattr(beside, "ratio_of", lambda number, ours, theirs: [])
    with pytest.raises(BadInput, match="it has nothing of what game=othello needs"):
        list(beside.suite(bench_of(Othello(), "othello", "uniform")))


def test_what_is_compared():
    found = [work.what for work in beside.works_of(bench_of(Othello(), "othello", "minimax", "average", "rave"))]
    depths = [f"minimax playouts, depth {depth}" for depth in (1, 2, 3)]
    assert found == [*depths, "UCT, average", "UCT, minimax", "UCT, average, rave"]
    found = [work.what for work in beside.works_of(bench_of(Havannah(base=4), "havannah", "uniform"))]
    assert found == ["uniform playouts"]  # whole playouts are never in lanes


def test_a_ratio_is_that_of_rates():
    """Ours takes 2 ms a playout, theirs 3 ms: 1.5 times as fast. Turns are of as many playouts as fill them."""
    asked, seeds = [], {}

    def taking(seconds):
        def ask(line):
            number, count, seed = map(int, line.split())
            assert number == 4
            asked.append(count)
            seeds.setdefault(seconds, []).append(seed)
            return str(seconds * count)

        return ask

    assert beside.ratio_of(4, taking(2e-3), taking(3e-3)) == [pytest.approx(1.5)]
    assert set(asked) == {1, beside.MIN_COUNT}
    turns = list(range(beside.MIN_TURNS))
    assert seeds[2e-3][-len(turns) :] == seeds[3e-3][-len(turns) :] and set(seeds[2e-3]) >= set(turns)
    assert beside.ratio_of(4, taking(1e-5), taking(1e-5)) == [pytest.approx(1)]
    assert max(asked) * 1e-5 == pytest.approx(beside.TURN, rel=0.01)
    assert beside.ratio_of(4, taking(1e-5), lambda line: "-") == []


def test_what_a_checkout_lacks_is_left_out():
    other = beside.Work("no such policy", ("no_such_policy", {}))._asdict()
    parameter = beside.Work("no such parameter", ("uniform", {"no_such": 1}))._asdict()
    assert beside_process.runs_of(["othello", {}], [other, parameter]) == [None, None]
    assert beside_process.runs_of(["no_such_game", {}], [beside.Work("uniform")._asdict()]) == [None]


def test_the_other_checkout_has_its_own_defaults(monkeypatch):
    """It may lack a field that stands at its default here."""
    monkeypatch.setattr(beside, "talking", lambda name, arguments, environment: arguments)
    arguments = beside._process(bench_of(Havannah(base=4), "havannah"), Path("other"), [])
    assert json.loads(arguments[3]) == ["havannah", {"base": 4}]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("import no_such_module", "its process failed: ModuleNotFoundError: No module named 'no_such_module'"),
        ("", "its process failed: ModuleNotFoundError: No module named 'gpumcts.errors'"),
    ],
)
def test_a_checkout_that_is_none(run, tmp_path, text, message):
    (tmp_path / "other" / "gpumcts").mkdir(parents=True)
    (tmp_path / "other" / "gpumcts" / "__init__.py").write_text(text)
    done = run("bench suites=[beside] checkout=other only=[uniform] repeats=1")
    assert (done.code, done.out) == (2, "")
    assert done.err.splitlines()[-1] == f"error: checkout={tmp_path / 'other'}: {message}"


def test_a_process_answers_from_its_own_folder(tmp_path):
    arguments = ["-P", str(beside.PROCESS), str(tmp_path), '["othello", {}]', "[]"]
    with (
        talking("checkout=other", arguments) as ask,
        pytest.raises(BadInput, match=f"^checkout=other: its process failed: gpumcts was imported from {HERE}"),
    ):
        ask("0 1 0")
