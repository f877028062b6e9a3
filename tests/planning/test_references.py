"""The planners against slow ones in plain Python: every node, sample for sample.

Sums are made in another order there, so values agree to 1e-9; counts and the actions named agree exactly. Where two
bounds of UCT differ by less than a sum's rounding its reference gives up, and the samples before are compared.
"""

import numpy as np
import pytest

from gpumcts.planning.artdp import Artdp
from gpumcts.planning.pg_id import PgId
from gpumcts.planning.store import depth_of, state_of
from gpumcts.planning.uct import Uct
from tests.planning.drivers import Setting, asked, chain, sea
from tests.reference import planning as reference
from tests.reference.uct import NearTie

SAMPLES = (1, 2, 9, 60, 1500)
SAME = 1e-9
UCTS = {
    "default": {},
    "new": {"stop": "new"},
    "fixed": {"stop": "fixed", "depth": 3, "exploration": 2.0},
    "growing": {"stop": "growing", "depth": 2},
    "times depth": {"times_depth": True, "exploration": 1.0},
    "fixed, times depth": {"times_depth": True, "exploration": 0.5, "stop": "fixed", "depth": 4},
    "no exploration": {"exploration": 0.0},
}


def irregular(mdp):
    """The same problem with costs that make no two ways cost the same, which would be ties."""
    return mdp._replace(costs=mdp.costs * (1 + 0.1 * np.sin(np.arange(mdp.costs.size)).reshape(mdp.costs.shape)))


SETTINGS = {
    "sailing": sea(4),
    "chain": Setting(irregular(chain()), 50, noise=0.5),
    "discounted": Setting(irregular(chain(0.8)), 50, noise=0.5),
}

pytestmark = pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
every_setting = pytest.mark.parametrize("setting", SETTINGS.values(), ids=SETTINGS)


def slow(cls, setting, query, **options):
    """The reference for one query."""
    problem = reference.problem_of(setting.mdp)
    evaluation, root = setting.evaluations[setting.runs[query]].tolist(), int(setting.roots[query])
    return cls(problem, evaluation, root, int(setting.keys[query]), discount=setting.mdp.discount, **options)


def nodes_of(kept):
    """{(state, depth): node} of a memory."""
    count = int(kept.store.count[0])
    return {(int(state_of(kept.store, node)), int(depth_of(kept.store, node))): node for node in range(count)}


@every_setting
@pytest.mark.parametrize("options", UCTS.values(), ids=UCTS)
def test_uct(setting, options):
    compared = 0
    for query in range(3):
        for samples in SAMPLES:
            kept, named = asked(setting, Uct(**options), query, samples)
            plain = slow(reference.Uct, setting, query, **options)
            try:
                plain.run(samples)
            except NearTie:
                break
            compared += samples
            nodes = nodes_of(kept)
            assert nodes.keys() == plain.nodes.keys()
            for place, node in nodes.items():
                known = plain.nodes[place]
                assert kept.visits[node] == known["visits"]
                counts = {action: count for action, (count, _) in known["tried"].items()}
                assert {a: n for a, n in enumerate(kept.counts[node].tolist()) if n} == counts
                for action, (count, total) in known["tried"].items():
                    assert kept.means[node, action] == pytest.approx(total / count, abs=SAME)
            assert not plain.nodes[plain.root, 0]["tried"] or named == plain.best()
    assert compared >= sum(SAMPLES), "little was compared"


@every_setting
@pytest.mark.parametrize("options", [{}, {"temperature": 0.3}, {"temperature": 5.0, "initial_values": False}])
def test_artdp(setting, options):
    for query in range(3):
        for samples in SAMPLES:
            kept, named = asked(setting, Artdp(**options), query, samples)
            plain = slow(reference.Artdp, setting, query, **options)
            plain.run(samples)
            found, nodes = {}, nodes_of(kept)
            for (state, _), node in nodes.items():
                assert kept.values[node] == pytest.approx(plain.values.get(state, plain.initial[state]), abs=SAME)
                for action, k in zip(*np.nonzero(kept.counts[node]), strict=True):
                    after = int(setting.mdp.successors[state, action, k])
                    assert nodes[after, 0] == kept.successors[node, action, k]
                    found.setdefault((state, int(action)), {})[after] = int(kept.counts[node, action, k])
            assert found == plain.seen
            assert named == plain.best()


@every_setting
@pytest.mark.parametrize(
    "options", [{}, {"tolerance": 3.0, "longest": 5}, {"confidence": 0.5, "spread": 0.0, "unknown": 2.0}]
)
def test_pg_id(setting, options):
    horizons = set()
    for query in range(3):
        for samples in SAMPLES:
            kept, named = asked(setting, PgId(**options), query, samples)
            plain = slow(reference.PgId, setting, query, **options)
            plain.run(samples)
            nodes = nodes_of(kept)
            assert nodes.keys() == plain.nodes.keys()
            for place, node in nodes.items():
                known = plain.nodes[place]
                tries = {action: sum(seen.values()) for action, seen in known["seen"].items()}
                assert {a: n for a, n in enumerate(kept.counts[node].sum(axis=1).tolist()) if n} == tries
                assert kept.values[node] == pytest.approx(known["value"], abs=SAME)
                assert kept.errors[node] == pytest.approx(known["error"], abs=SAME)
                for action in known["q"]:
                    assert kept.costs[node, action] == pytest.approx(known["q"][action], abs=SAME)
                    assert kept.widths[node, action] == pytest.approx(known["width"][action], abs=SAME)
            assert not plain.nodes[plain.root, 0]["q"] or named == plain.best()
            horizons.add(plain.horizon)
    assert len(horizons) > 1, "the horizon never grew"


def test_a_new_state_stops_an_episode_and_the_root_never_does():
    """With stop=visits every episode adds a node at most, and every node but the root was visited as a stop first."""
    for stop in ("visits", "new"):
        kept, _ = asked(sea(4), Uct(stop=stop), 0, 1500)
        through = kept.counts[: int(kept.store.count[0])].sum(axis=1)
        visits = kept.visits[: len(through)]
        assert visits[0] - through[0] <= 1  # the episode in which the samples ended
        stopped = visits[1:] - through[1:]
        assert (stopped >= 1).all()
        assert stop == "visits" or (stopped <= 2).all()
    assert (visits[1:] > 1).any()


def test_a_fixed_depth_is_the_depth_of_every_episode():
    kept, _ = asked(sea(5), Uct(stop="fixed", depth=3), 0, 900)
    count = int(kept.store.count[0])
    depths = np.array([int(depth_of(kept.store, node)) for node in range(count)])
    through = kept.counts[:count].sum(axis=1)
    assert depths.max() == 3 and (through[depths == 3] == 0).all() and (through[depths == 2] > 0).any()
