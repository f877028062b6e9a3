"""Cells of several runs: by made-up runs of planners who is near whom, and who needs fewer samples; the first ten."""

from pathlib import Path

import pytest
from pydantic import ValidationError

from experiments import planning
from experiments.reproduction import gathering
from experiments.reproduction.again import digest_of_folder, first_ten_of_several
from experiments.reproduction.catalogue import Order, item_of
from experiments.reproduction.cells import Asked, Digests, read, write
from experiments.reproduction.gathering.common import of_both
from experiments.reproduction.gathering.estimates import sailing, variants
from experiments.reproduction.gathering.planned import planning_digests
from experiments.reproduction.gathering.synthetic import search_digests
from experiments.reproduction.pages import difference_text, value_text
from experiments.runs.results import Result, below
from gpumcts.errors import BadInput
from tests.experiments.config.drivers import composed
from tests.experiments.reproduction import planted
from tests.experiments.reproduction.planted import RECORD

PAPER, ITEM = item_of("kocsis2006bandit/fig4_variants")
UCT = {"name": "uct", "exploration": 10.0, "times_depth": False, "stop": "visits", "depth": 0}
ARTDP = {"name": "artdp", "temperature": 1.0, "initial_values": True}
SAMPLES = {
    "new": (UCT | {"stop": "new"}, 1200),
    "growing": (UCT | {"stop": "growing", "depth": 1}, None),
    "fixed": (UCT | {"stop": "fixed", "depth": 2}, 9000),
    "artdp": (ARTDP, 500),
}


@pytest.fixture(autouse=True)
def made_up(monkeypatch):
    """Runs that were not made have no answers."""
    digests = Digests(all="0" * 64, first_ten="1" * 64)
    monkeypatch.setattr("experiments.reproduction.gathering.estimates.planning_digests", lambda _: digests)


def run(planner, samples, size=4, states=1000):
    """A run whose planner needs so many samples within a tenth, or more than the most that were drawn."""
    ends = (None, None) if samples is None else (int(0.9 * samples), int(1.1 * samples))
    summary = {"size": size, "samples": samples, "low": ends[0], "high": ends[1], "most": 1_000_000, "digest": "0" * 64}
    record = {**RECORD, "label": str(planner), "identity": {}, "command": ["planning.py"]}
    return Result(Path(), {"planner": planner, "states": states}, record, summary)


def cells(**changed):
    """The cells of all orders on one grid."""
    some = {**SAMPLES, **{name: (SAMPLES[name][0], samples) for name, samples in changed.items()}}
    others = [(UCT, 1000), (ARTDP | {"initial_values": False}, 3000)]
    found = variants(PAPER, ITEM, [run(*one) for one in (*some.values(), *others)])
    return {cell.cell: cell for cell in found}


def test_stopping_rules_within_a_factor_of_two_are_near_and_a_fixed_depth_has_no_verdict():
    found = {name.removeprefix("size4-"): cell.verdict for name, cell in cells().items()}
    assert found == {"new": "agrees", "growing": "differs", "fixed": "unpublished", "artdp": "agrees"}


def test_a_cell_that_was_not_reached_is_read_as_it_was_written_and_shown_without_an_end(tmp_path):
    some = cells()["size4-growing"]
    assert read(write(some, tmp_path), tmp_path) == some
    ends = some.shown().difference_interval
    assert ends is not None and ends[1] is None
    assert value_text(some.measured.quantity, "samples") == "over 1,000,000"
    assert difference_text(some).startswith("x 1000.00 [x ") and difference_text(some).endswith(", no end]")
    others = [run(*SAMPLES["growing"]), run(UCT, None)]
    [neither] = variants(PAPER, ITEM, others)
    assert neither.verdict == "open" and difference_text(neither) == ""


@pytest.mark.parametrize(("samples", "verdict"), [(1900, "differs"), (700, "agrees"), (400, "differs")])
def test_near_has_two_sides(samples, verdict):
    assert cells(new=samples)["size4-new"].verdict == verdict


def test_artdp_that_needs_more_with_the_evaluation_differs():
    assert cells(artdp=9000)["size4-artdp"].verdict == "differs"
    assert cells(artdp=2900)["size4-artdp"].verdict == "open"


def test_fewer_states_are_another_budget_and_grids_are_apart():
    small = [run(planner, samples, states=200) for planner, samples in (SAMPLES["new"], (UCT, 1000))]
    assert [cell.verdict for cell in variants(PAPER, ITEM, small)] == ["reduced"]
    assert variants(PAPER, ITEM, [run(*SAMPLES["new"], size=3), run(UCT, 1000, size=4)]) == []


@pytest.mark.parametrize("more", [{"relation": "near"}, {"relation": "above", "factor": 2.0}])
def test_an_order_has_a_factor_where_it_is_near_alone(more):
    with pytest.raises(ValidationError, match="an order has a factor where its relation is near"):
        Order(cell="a", first="b", second="c", **more)


def test_every_run_composes_and_names_the_planners_of_the_orders():
    names = set()
    for cell in next(word for word in ITEM.runs[0].command if word.startswith("cell="))[5:].split(","):
        words = [word for word in ITEM.runs[0].command[1:] if not word.startswith("cell=")]
        config = composed("planning", *words, f"cell={cell}")
        checked = planning.planning_config(config)
        assert (checked.game.size, checked.keys.states) == (2, 1000)
        names.add(planning_name(config))
    assert names == {name for order in ITEM.orders for name in (order.first, order.second)}


def planning_name(config):
    from experiments.analysis.planner_samples import planner_name

    return planner_name(config["planner"])


# ------------------------------------------------------------------------------------------------- made again


SOME = "planning -m game.size=3 planner=uct planner.stop=visits,new threads=1 error=0.01"


def test_the_first_ten_states_are_found_in_a_run_of_ten(run, tmp_path):
    """A run of thirty goes on to further stages, in pieces of two states."""
    for states, samples, folder in ((30, 3000, "all"), (10, 1000, "ten")):
        done = run(f"{SOME} states={states} samples={samples} hydra.sweep.dir='{tmp_path}/{folder}'")
        assert done.code == 0, done.err
    runs = below(tmp_path / "all")
    assert all(len({path.name.partition("-")[0] for path in (run.folder / "pieces").iterdir()}) > 1 for run in runs)
    keys = {run.label: run.provenance["identity"] for run in runs}
    asked = Asked(command=["planning"], keys=keys, seed=1, budget={"states": 30})
    found = planted.cell(asked=asked, digests=of_both(list(map(planning_digests, runs))))
    assert digest_of_folder(found, tmp_path / "ten") == found.digests.first_ten != found.digests.all
    other = {label: {**identity, "seed": 2} for label, identity in keys.items()}
    assert first_ten_of_several(other, below(tmp_path / "ten")) is None


def test_the_first_ten_searches_of_two_rules_are_found_where_the_first_tree_cannot_fail(run, tmp_path):
    """A cell of several runs, as claims about methods that are compared; fewer trees have the same first searches."""
    line = "trees -m game=pgame game.depth=6 selection=ucb1,uniform budget.iterations=20 threads=1 engine=cpu"
    for trees, runs, folder in ((12, 12, "all"), (8, 10, "ten")):
        done = run(f"{line} trees={trees} runs={runs} hydra.sweep.dir='{tmp_path}/{folder}'")
        assert done.code == 0, done.err
    whole = below(tmp_path / "all")
    keys = {run.label: run.provenance["identity"] for run in whole}
    asked = Asked(command=["trees"], keys=keys, seed=1, budget={"trees": 12})
    found = planted.cell(asked=asked, digests=of_both([search_digests(run.folder) for run in whole]))
    assert digest_of_folder(found, tmp_path / "ten") == found.digests.first_ten != found.digests.all


# ---------------------------------------------------------------------------------------------- runs that are gathered


def recorded(label, scale="document", **changes):
    """A run of Figure 4 of that scale whose command line changed this."""
    record = {**RECORD, "label": label, "program": "planning", "changes": changes}
    return Result(Path(label), {"document": "kocsis2006bandit/fig4", "scale": scale}, record, {"interrupted": False})


@pytest.fixture
def gathered(monkeypatch):
    """``gathered(runs, scale)``: the labels of the runs that cells are made of."""
    paper, item = item_of("kocsis2006bandit/fig4")
    monkeypatch.setattr(gathering, "gatherer", lambda _: lambda paper, item, some: [run.label for run in some])

    def gather(runs, scale=None):
        monkeypatch.setattr(gathering, "below", lambda _: runs)
        return gathering.gather(paper, item, Path("here"), scale)

    return gather


def test_cells_are_of_runs_of_one_scale(gathered):
    """All scales of a run work in one folder."""
    runs = [recorded("a", "small"), recorded("b"), recorded("c", "small")]
    assert gathered(runs) == gathered(runs, "document") == ["b"] and gathered(runs, "small") == ["a", "c"]
    assert gathered(runs[::2]) == ["a", "c"]
    with pytest.raises(BadInput, match="here: no finished run of kocsis2006bandit/fig4 with scale=document"):
        gathered(runs[::2], "document")


def test_runs_that_are_not_as_the_item_has_them_give_no_cell(gathered):
    amounts = recorded("a", states=[5, 1000], **{"planner.exploration": [3.0, 10.0]})  # one of its runs has this one
    assert gathered([amounts]) == ["a"]
    for key, program in (("noise", "planning"), ("planner.depth", "planning"), ("budget.iterations", "trees")):
        other = recorded("a", **{key: [5, 1]})
        other.provenance["program"] = program
        with pytest.raises(BadInput, match=rf"a is no run of kocsis2006bandit/fig4: {key}=5 \(of the item: 1\)"):
            gathered([other])


def test_no_cell_is_told(gathered, monkeypatch):
    monkeypatch.setattr(gathering, "gatherer", lambda _: lambda *_: [])
    with pytest.raises(BadInput, match="here: the finished runs of kocsis2006bandit/fig4 give no cell"):
        gathered([recorded("a")])


def test_planners_are_paired_by_size(monkeypatch):
    paper, item = item_of("kocsis2006bandit/fig4")
    runs = [run(planner, samples, size) for size in (3, 2) for planner, samples in ((UCT, 100 * size), (ARTDP, 900))]
    runs.append(run(UCT | {"exploration": 3.0}, 500, 2, states=600))
    found = {cell.cell: cell.verdict for cell in sailing(paper, item, runs)}
    assert found == {"size2-artdp": "agrees", "exploration-3.0-size2": "reduced", "size3-artdp": "agrees"}
