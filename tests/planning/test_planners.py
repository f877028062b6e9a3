"""Every planner keeps the contract, and finds what value iteration finds. New planners need no new test code."""

import threading
import time

import numpy as np
import pytest

from gpumcts import options
from gpumcts.errors import BadInput
from gpumcts.planning import KIND, queries
from gpumcts.planning.contract import PROGRESS, advance, memory
from gpumcts.planning.queries import Queries
from gpumcts.planning.uct import Uct
from tests.interrupts import raised
from tests.planning.drivers import PLANNERS, VARIANTS, Setting, asked, chain, sea

every_planner = pytest.mark.parametrize("planner", PLANNERS.values(), ids=PLANNERS)
every_variant = pytest.mark.parametrize("planner", VARIANTS.values(), ids=VARIANTS)
POINTS = np.array([1, 2, 7, 50, 400, 3000])

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")


def test_planners_are_found_by_name():
    assert {"uct", "artdp", "pg_id"} <= set(options.names(KIND))
    with pytest.raises(BadInput, match=r"uctt is not known \(did you mean uct\?\); there are: artdp, pg_id, uct"):
        options.option(KIND, "uctt")


@every_variant
def test_actions_named_are_legal(planner):
    setting = sea(3)
    chosen = setting.queries(planner).answers(POINTS)
    assert chosen.shape == (50, len(POINTS)) and chosen.dtype == np.int8
    legal = setting.mdp.actions[setting.roots]
    assert ((legal[:, None] >> chosen.astype(np.uint64)) & np.uint64(1)).all()


@every_variant
def test_plain_python_names_what_compiled_code_names(planner):
    setting, points = sea(3), np.array([1, 5, 40, 150])
    compiled = options.compiled(planner)
    chosen = setting.queries(planner).answers(points)
    for query in range(3):
        kept, progress = memory(compiled, setting.mdp, 1024), np.zeros(PROGRESS, np.int64)
        plain = np.zeros(len(points), np.int8)
        assert advance(
            compiled, setting.mdp, setting.evaluations[0], setting.roots[query], setting.keys[query], points, plain,
            kept, progress,
        )  # fmt: skip
        assert plain.tolist() == chosen[query].tolist()


@every_planner
def test_threads_order_and_company_change_nothing(planner):
    setting = sea(4, queries=60, runs=3)
    chosen = setting.queries(planner).answers(POINTS)
    assert np.array_equal(chosen, setting.queries(planner, threads=3).answers(POINTS))
    backwards = Queries(
        setting.mdp, planner, setting.evaluations, setting.roots[::-1], setting.runs[::-1], setting.keys[::-1]
    )
    assert np.array_equal(chosen[::-1], backwards.answers(POINTS))
    alone = Queries(setting.mdp, planner, setting.evaluations, setting.roots[7:8], setting.runs[7:8], setting.keys[7:8])
    assert np.array_equal(chosen[7:8], alone.answers(POINTS))
    assert len(np.unique(chosen[:, -1])) > 1


@every_planner
def test_later_checkpoints_change_nothing(planner):
    queries = sea(4).queries(planner)
    assert np.array_equal(queries.answers(POINTS)[:, :4], queries.answers(POINTS[:4]))
    assert np.array_equal(queries.answers(POINTS)[:, [2, 5]], queries.answers(POINTS[[2, 5]]))


@every_variant
def test_the_room_changes_nothing(planner):
    """A memory that grows many times, and one that never does: the same nodes, row by row, and the same action."""
    setting = sea(4)
    for query in range(2):
        (small, named), (large, same) = (asked(setting, planner, query, 2000, room) for room in (64, 1 << 14))
        assert named == same and small.store.count[0] == large.store.count[0] > 64
        nodes = int(small.store.count[0])
        assert np.array_equal(small.store.keys[:nodes], large.store.keys[:nodes])
        for field in set(small._fields) - {"store", "bounds", "estimates", "nodes", "actions"}:
            rows = [array[:nodes] for array in (getattr(small, field), getattr(large, field))]
            if field == "successors":  # what stands where nothing was seen is never read
                rows = [
                    np.where(kept.counts[:nodes] > 0, row, -1) for kept, row in zip((small, large), rows, strict=True)
                ]
            if field == "costs" and "visits" in small._fields:
                continue  # of the path
            assert np.array_equal(*rows), field


@every_planner
@pytest.mark.parametrize("discount", [1.0, 0.9])
def test_the_best_action_is_found(planner, discount):
    """In a row of states, with an evaluation that is 10 % off: the optimal action in all of 200 queries."""
    setting = Setting(chain(discount), queries=200)
    if isinstance(planner, Uct):
        planner = planner._replace(exploration=2.0)
    errors = setting.errors(planner, np.array([20_000]))
    assert errors.max() < 1e-9


@every_planner
def test_errors_fall_in_sailing(planner):
    """From far above 1 to below 0.3, on 4 x 4 squares; 100 states, errors of which have standard deviations below 1."""
    errors = sea(4, queries=100).errors(planner, np.array([1, 5000])).mean(axis=0)
    assert errors[0] > 2 and errors[1] < 0.3


@every_planner
def test_an_exact_evaluation_needs_few_samples(planner):
    """Where the evaluation is V*, looking one step ahead often enough is all there is to do."""
    if not hasattr(planner, "explore"):
        return  # the others average over what they explore, or explore to the goal
    setting = Setting(sea(4).mdp, queries=100, noise=0.0)
    assert setting.errors(planner, np.array([500])).mean() < 0.1


def test_stopping():
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        sea(3).queries(Uct()).answers(POINTS, stop)


def slowly(self, part, *arguments):
    """In place of ``Queries._answer``: a query that takes its time."""
    if len(part):
        time.sleep(0.06)
    return range(0)


@pytest.mark.parametrize("threads", [1, 2])
def test_an_interrupt_ends_all_threads(threads, monkeypatch):
    asked = sea(3, queries=100 * threads).queries(Uct(), threads)
    monkeypatch.setattr(Queries, "_answer", slowly)
    begin = time.monotonic()
    with raised(0.3), pytest.raises(KeyboardInterrupt):
        asked.answers(POINTS)
    assert time.monotonic() < begin + 4


def test_a_query_that_fails_ends_all_threads(monkeypatch):
    """The others would go on to their end, for hours, and the error would be told only then."""
    asked = sea(3, queries=200).queries(Uct(), threads=2)

    def full(self, part, *arguments):
        if 10 in part:
            raise BadInput("memory")
        return slowly(self, part)

    monkeypatch.setattr(Queries, "_answer", full)
    begin = time.monotonic()
    with pytest.raises(BadInput, match="memory"):
        asked.answers(POINTS)
    assert time.monotonic() < begin + 4


def test_progress_is_told():
    done: list[int] = []
    sea(3).queries(Uct(), threads=2).answers(POINTS, on_progress=done.append)
    assert sum(done) == 50


@pytest.mark.parametrize("points", [[], [0, 5], [5, 5], [9, 3], [2**31]])
def test_bad_checkpoints(points):
    with pytest.raises(BadInput, match="queries: "):
        sea(3).queries(Uct()).answers(np.array(points, np.int64))


def test_bad_queries():
    setting = sea(3)
    goal = int(np.flatnonzero(setting.mdp.actions == 0)[0])
    one, key = np.zeros(1, np.int64), np.zeros(1, np.uint64)
    for arrays in (
        (setting.evaluations, np.array([goal]), one, key),
        (setting.evaluations, np.array([len(setting.values)]), one, key),
        (setting.evaluations, np.array([-1]), one, key),
        (setting.evaluations, one, one + 1, key),
        (setting.evaluations, one, one, key[:0]),
        (setting.evaluations[:, :5], one, one, key),
    ):
        with pytest.raises(BadInput, match="queries: "):
            Queries(setting.mdp, Uct(), *arrays)
    with pytest.raises(BadInput, match="^threads=0 is not at least 1$"):
        Queries(setting.mdp, Uct(), setting.evaluations, one, one, key, threads=0)


@pytest.mark.parametrize("limit", [2000, 0])
@every_planner
def test_memory_for_no_query_is_refused_before_anything_compiles(planner, limit, monkeypatch):
    setting = sea(10)
    monkeypatch.setattr(queries, "announced", lambda *_, **__: pytest.fail("it compiles"))
    arrays = (setting.evaluations, setting.roots, setting.runs, setting.keys)
    with pytest.raises(
        BadInput, match=r": any query takes 1,024 nodes x .* bytes, .* MiB, and a thread may use 0\.0 MiB"
    ):
        Queries(setting.mdp, planner, *arrays, 2, memory_limit=limit).answers(np.array([1]))


@every_planner
def test_a_planner_that_needs_more_memory_than_it_may_have_is_refused(planner):
    """With the arithmetic, and before it is taken; what suffices changes no answer."""
    setting, points = sea(10), np.array([30_000])
    arrays = (setting.evaluations, setting.roots, setting.runs, setting.keys)
    with pytest.raises(
        BadInput,
        match=r"a query takes more than [\d,]+ nodes, .* bytes beside the old ones until these are copied, together "
        r"[\d.]+ MiB; a thread may use 0\.4 MiB: take fewer samples or threads, or more memory_gb$",
    ) as refusal:
        Queries(setting.mdp, planner, *arrays, 2, memory_limit=900_000).answers(points)
    assert "\n" not in str(refusal.value)
    enough = Queries(setting.mdp, planner, *arrays, 1, memory_limit=1 << 28).answers(points)
    assert (enough == setting.queries(planner).answers(points)).all()
