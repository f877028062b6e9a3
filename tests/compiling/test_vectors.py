"""How wide vectors are, by what the processor has and what is said of it."""

import numba
import pytest
from llvmlite.binding import get_host_cpu_features

from gpumcts.compiling import vectors
from gpumcts.kernels import lane_check
from gpumcts.kernels.playout_loop import LANE_COUNT, playing_in_lanes
from gpumcts.options import compiled, option


class Features(dict):
    """Features of a processor, as LLVM tells them."""

    def flatten(self):
        return ",".join(f"{'+' if there else '-'}{name}" for name, there in self.items())


@pytest.mark.parametrize(
    "features, said, target",
    [
        ({"avx2": True, vectors.NO_LOSS: True}, {}, f"+avx2,+{vectors.NO_LOSS},-prefer-256-bit"),
        ({"avx512f": True, vectors.NO_LOSS: False}, {}, None),
        ({"neon": True}, {}, None),
        ({vectors.NO_LOSS: True}, {"CPU_NAME": "generic"}, None),
        ({vectors.NO_LOSS: True}, {"CPU_FEATURES": "+avx2"}, "+avx2"),
        ({vectors.NO_LOSS: True}, {"ENABLE_AVX": 0}, None),
    ],
)
def test_widest_where_nothing_is_lost(monkeypatch, features, said, target):
    for name, value in {"CPU_NAME": None, "CPU_FEATURES": None, "ENABLE_AVX": 1, **said}.items():
        monkeypatch.setattr(numba.config, name, value)
    monkeypatch.setattr(vectors, "get_host_cpu_features", lambda: Features(features))
    vectors.prefer_widest()
    assert target == numba.config.CPU_FEATURES


def test_a_processor_that_llvm_does_not_know(monkeypatch):
    def fail():
        raise RuntimeError("no features")

    monkeypatch.setattr(numba.config, "CPU_FEATURES", None)
    monkeypatch.setattr(vectors, "get_host_cpu_features", fail)
    vectors.prefer_widest()
    assert numba.config.CPU_FEATURES is None


@pytest.mark.skipif(not get_host_cpu_features().get(vectors.NO_LOSS), reason="this CPU has no such vectors")
def test_playouts_in_lanes_take_them():
    game, policy = compiled(option("game", "othello")()), compiled(option("playout", "uniform")())
    assert lane_check.machine_code(playing_in_lanes(LANE_COUNT), game, policy).count("%zmm") > 100
