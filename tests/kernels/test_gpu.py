"""The same of real hardware: ``pytest -m gpu``."""

import threading

import numpy as np
import pytest

from gpumcts.kernels import engines
from gpumcts.kernels.cpu import CpuPlayouts
from gpumcts.kernels.cuda import device
from gpumcts.kernels.cuda import kernels as cuda_kernels
from gpumcts.options import compiled
from tests.kernels.drivers import GAMES, MINIMAX, PAIRS, POLICIES, UNIFORM, digest, keys_for, positions

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("default")]
LEAVES = {"minimax 2": 2000, "minimax 3, 4 plies": 1000}


@pytest.fixture(autouse=True)
def needs_a_device():
    """Skips where there is none that can be used, and says why."""
    if problem := engines.cuda_problem():
        pytest.skip(problem)


def both(game: str, policy: object) -> tuple:
    """The engines to compare."""
    return engines.playout_engine("cuda", GAMES[game], policy), CpuPlayouts(GAMES[game], policy, threads=4)


@pytest.mark.parametrize("game, policy", PAIRS)
def test_cuda_is_cpu(game, policy):
    leaves = LEAVES.get(policy, 20_000)
    states, keys = positions(GAMES[game], leaves), keys_for(leaves)
    cuda, cpu = both(game, POLICIES[policy])
    for playouts in (1, 3):
        assert digest(cuda.tally(states, keys, playouts)) == digest(cpu.tally(states, keys, playouts))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_whole_games_of_minimax(depth):
    states, keys = positions(GAMES["othello"], 200), keys_for(200)
    cuda, cpu = both("othello", MINIMAX(depth=depth, epsilon=0.05))
    assert digest(cuda.tally(states, keys, 2)) == digest(cpu.tally(states, keys, 2))


@pytest.mark.parametrize(("leaves", "playouts"), [(1, 1), (1, 100_000), (31, 33), (100_000, 1), (300, 1000)])
def test_shapes(leaves, playouts):
    states, keys = positions(GAMES["othello"], leaves), keys_for(leaves)
    cuda, cpu = both("othello", UNIFORM())
    expected = digest(cpu.tally(states, keys, playouts))
    assert digest(cuda.tally(states, keys, playouts)) == expected
    cuda.took = lambda *told: None
    cuda.playouts_a_launch = 997
    assert digest(cuda.tally(states, keys, playouts)) == expected


@pytest.mark.parametrize("way", ["thread", "nested", "warp"])
@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("game", ["othello", "dots_and_boxes", "dice_duel"])
def test_every_kernel_of_informed_playouts(game, depth, way):
    from gpumcts.kernels.cuda.engine import CudaPlayouts
    from gpumcts.kernels.cuda.searches import ways

    value, policy = GAMES[game], MINIMAX(depth=depth, epsilon=0.1, truncate=0 if depth < 3 else 8)
    if way not in ways(compiled(value), compiled(policy)):
        pytest.skip("there is no such kernel")
    states, keys = positions(value, 300), keys_for(300)
    expected = digest(CpuPlayouts(value, policy, threads=4).tally(states, keys, 3))
    for threads in (None, 64):
        assert digest(CudaPlayouts(value, policy, way, threads).tally(states, keys, 3)) == expected


@pytest.mark.parametrize("truncate", [0, 7])
@pytest.mark.parametrize("way", ["attempts", "nested", "whole"])
@pytest.mark.parametrize("game", ["go", "havannah", "amazons"])
def test_every_kernel_of_uniform_playouts(game, way, truncate):
    from gpumcts.kernels.cuda.engine import CudaPlayouts
    from gpumcts.kernels.cuda.searches import ways

    value, policy = GAMES[game], UNIFORM(truncate=truncate)
    if way not in ways(compiled(value), compiled(policy)):
        pytest.skip("there is no such kernel")
    states, keys = positions(value, 5000, least=20), keys_for(5000)
    expected = digest(CpuPlayouts(value, policy, threads=4).tally(states, keys, 3))
    assert digest(CudaPlayouts(value, policy, way).tally(states, keys, 3)) == expected


@pytest.mark.parametrize("playouts", [1, 2, 31, 32, 33, 64, 1000])
def test_playouts_of_a_leaf(playouts):
    """Lanes of a warp that share a leaf, and that do not; with no more playouts than threads, and a few more."""
    cuda, cpu = both("othello", UNIFORM())
    resident = cuda.shape.blocks * cuda.shape.threads
    for total in (7 * playouts, resident + resident // 100):
        leaves = -(-total // playouts)
        states, keys = positions(GAMES["othello"], leaves), keys_for(leaves)
        assert digest(cuda.tally(states, keys, playouts)) == digest(cpu.tally(states, keys, playouts))


@pytest.mark.parametrize("threads", [32, 64, 96, 128, 256])
def test_block_sizes(threads):
    """The driver holds as many blocks at once as we think, and no block size changes an outcome."""
    from numba import cuda as numba_cuda

    from gpumcts.kernels.cuda.engine import CudaPlayouts

    engine = CudaPlayouts(GAMES["othello"], UNIFORM(), threads=threads)
    function = next(iter(engine._kernel.overloads.values()))._codelibrary.get_cufunc()
    told = numba_cuda.current_context().get_active_blocks_per_multiprocessor(function, threads, 0)
    assert engine.shape.warps == told * threads // 32
    states, keys = positions(GAMES["othello"], 5000), keys_for(5000)
    assert digest(engine.tally(states, keys, 3)) == digest(both("othello", UNIFORM())[1].tally(states, keys, 3))


def test_a_cap_on_registers():
    """A kernel with a cap is another kernel, in the cache too: it has no more registers, and the same results."""
    from gpumcts.kernels.cuda.each import ForEachKernel
    from gpumcts.tree import device_check
    from gpumcts.tree.device_search import search_tree

    task = device_check.task("ucb1/average/uniform/dots_and_boxes")
    found = [
        ForEachKernel(search_tree, task, "a search", registers=cap).shape.registers for cap in (None, 96, None, 96)
    ]
    assert found[0] > 96 >= found[1] and found[2:] == found[:2]


def test_one_state_for_all_leaves():
    """Its words are sent once; in several batches too."""
    states, keys = positions(GAMES["othello"], 9)[8:], keys_for(3000)
    cuda, cpu = both("othello", UNIFORM())
    view = np.broadcast_to(states[0], (3000, states.shape[1]))
    for playouts in (1, 2):
        assert digest(cuda.tally(view, keys, playouts)) == digest(cpu.tally(view, keys, playouts))


@pytest.mark.alone
def test_spans_and_the_cost_of_a_launch():
    from benchmarks.busy import union
    from gpumcts.kernels.cuda.launch_cost import costs

    cuda, _ = both("othello", UNIFORM())
    cuda.watch()
    for _ in range(3):
        cuda.tally(positions(GAMES["othello"], 1000), keys_for(1000))
    assert len(cuda.spans) == 3 and union(cuda.spans) > 0
    found = costs(GAMES["othello"], UNIFORM())
    assert [cost.route for cost in found] == ["numba", "driver", "graph"]
    assert all(0 < cost.host <= cost.whole for cost in found)


def test_a_million_in_several_flights():
    game, count = GAMES["othello"], 1_000_000
    keys = np.arange(count, dtype=np.uint64)
    states = np.repeat(positions(game, 1), count, axis=0)
    cuda, cpu = both("othello", UNIFORM())
    assert digest(cuda.tally(states, keys)) == digest(cpu.tally(states, keys))


def test_stop():
    cuda, _ = both("othello", UNIFORM())
    stop = threading.Event()
    stop.set()
    with pytest.raises(KeyboardInterrupt):
        cuda.tally(positions(GAMES["othello"], 10), keys_for(10), stop=stop)


def test_memory_comes_back():
    import cupy

    device.release()
    before = cupy.get_default_memory_pool().total_bytes()
    cuda, _ = both("othello", UNIFORM())
    cuda.tally(positions(GAMES["othello"], 10_000), keys_for(10_000))
    assert cupy.get_default_memory_pool().total_bytes() > before
    del cuda
    device.release()
    assert cupy.get_default_memory_pool().total_bytes() <= before


def test_no_memory_is_said_in_one_line():
    from gpumcts.errors import BadInput

    with pytest.raises(BadInput, match=r"^engine=cuda: cannot get .*$"):
        device.host_device_buffer(1 << 45)


def test_a_first_kernel():
    assert cuda_kernels.trial() == ""
    found = engines.available()
    assert found["cuda"] and found["name"] and found["capability"] >= (5, 0) and found["multiprocessors"] > 0
