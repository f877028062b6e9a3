"""What the host does around kernels: waves, failed allocations, growing forests, stops, pinned memory, graphs."""

import contextlib
import io
import re
import threading
from collections.abc import Callable
from typing import Any

from gpumcts.errors import BadInput
from gpumcts.tree.settings import Settings
from tests.ptx import control
from tests.tree.drivers import keys_for, operator_of, searcher_of
from tests.tree.simulated_device import DOTS, brought_back, dots, followed, holding, played_on, told
from tests.tree.simulated_searches import roots

TREES, ITERATIONS = 5, 12
HALVED = r"gpumcts: engine=device: no [\d.]+ MiB of device memory for \d trees; going on with \d\n"
MOST = -5  # where ``take_turns`` is told how many turns it may take
Outcome = tuple[str, Callable[[], str]]  # what the emulated device finds, and what says what it should find
CASES: dict[str, Callable[[], Outcome]] = {}


def case(function: Callable[[], Outcome]) -> Callable[[], Outcome]:
    """Enter a case under the first line of its docstring."""
    assert function.__doc__
    CASES[f"driver: {function.__doc__.splitlines()[0].rstrip('.')}"] = function
    return function


def _of_a_tree() -> int:
    """Bytes of a tree of ``dots`` on the device."""
    from gpumcts.tree import device_search
    from gpumcts.tree.forest import Layout, bytes_per_slot

    searcher = searcher_of(operator_of("average"), game=DOTS, engine="device")
    slot_bytes = bytes_per_slot(Layout(1, DOTS.MAX_MOVES))
    return searcher.parts.memory.slots(ITERATIONS) * slot_bytes + device_search.extra_tree_bytes(searcher.parts)


def _tables(found: Any) -> str:
    """The root tables alone: of trees in waves, no forest comes back."""
    return " ".join(array.tobytes().hex() for array in found.table)


def _on_cpu() -> str:
    """What the cases with scarce memory should find."""
    return _tables(dots(TREES, engine="cpu"))


def _with_memory(trees: float, told_bytes: int | None, starting_slots: float = 3.0) -> tuple[str, str]:
    """What a search finds on a device with room for so many trees, and what it prints."""
    from gpumcts.tree import memory as tree_memory

    printed = io.StringIO()
    with holding(tree_memory, SLOTS_PER_NODE=starting_slots):
        total = int(trees * _of_a_tree())
        told_free = told_bytes or int(total / 0.9) + 1
        with control.memory(total, told_free), contextlib.redirect_stderr(printed):
            return _tables(dots(TREES, engine="device")), printed.getvalue()


@case
def waves_foreseen() -> Outcome:
    """Trees in waves, as free memory tells."""
    found, printed = _with_memory(2.5, None)
    return found + printed, _on_cpu


@case
def waves_halved() -> Outcome:
    """A wave is halved where memory fails though it was told free."""
    found, printed = _with_memory(2.5, 1 << 30)
    return f"{found} {bool(re.fullmatch(HALVED, printed))}", lambda: f"{_on_cpu()} True"


@case
def allocations_that_fail() -> Outcome:
    """Any allocation of a search fails once."""
    from gpumcts.kernels.cuda import device

    found = set()
    for after in range(0, 60, 7):
        device.release()
        control.fail_allocation(after)
        with contextlib.redirect_stderr(io.StringIO()):
            found.add(_tables(dots(TREES, engine="device")))
    control.fail_allocation(-1)
    return " ".join(found), _on_cpu


@case
def no_memory_for_a_tree() -> Outcome:
    """A single tree that does not fit is refused in a line."""
    try:
        _with_memory(0.5, 1 << 30)
    except BadInput as error:
        pattern = r"budget\.iterations=12: engine=device: no [\d.]+ MiB of device memory, for a single tree"
        return str(bool(re.fullmatch(pattern, str(error)))), lambda: "True"
    return "no error", lambda: "True"


@case
def no_memory_for_leaves() -> Outcome:
    """Leaves that do not fit are refused in a line."""
    from gpumcts.kernels.cuda import device

    with control.memory(1 << 10):
        try:
            device.host_device_buffer(1 << 20)
        except BadInput as error:
            return str(error).partition(":")[0], lambda: "engine=cuda"
    return "no error", lambda: "engine=cuda"


@case
def no_memory_to_launch() -> Outcome:
    """Where the driver has no memory to run a kernel, a wave is halved, and leaves are refused in a line."""
    from gpumcts.kernels.cuda import device

    printed, said = io.StringIO(), ""
    control.refuse_launch(1)
    with contextlib.redirect_stderr(printed):
        found = _tables(dots(TREES, engine="device"))
    for engine, trees in (("device", 1), ("cuda", TREES)):
        searcher = searcher_of(operator_of("average"), game=DOTS, engine=engine)
        searcher.search(roots(DOTS, 1), keys_for(1), 2)
        device.release()
        control.refuse_launch(0)
        try:
            searcher.search(roots(DOTS, trees), keys_for(trees), ITERATIONS)
        except BadInput as error:
            said += f"{error}\n"
    control.refuse_launch(-1)
    halved = [line for line in printed.getvalue().splitlines(keepends=True) if "engine=device" in line]
    return "".join([found, *halved, said]), _halved_for_launches


def _halved_for_launches() -> str:
    halved = "gpumcts: engine=device: device memory does not suffice to run the kernel for 5 trees; going on with 3\n"
    alone = "budget.iterations=12: engine=device: device memory does not suffice to run the kernel, for a single tree\n"
    full = "the device has no memory left to run a kernel; end other processes that use it, or take engine=cpu\n"
    return _on_cpu() + halved + alone + full


@case
def memory_of_other_streams() -> Outcome:
    """Memory that the pool hands on is in use in another stream: of CuPy's own work, and of another search's."""
    import cupy
    import numpy as np
    from cupy.cuda import runtime

    from gpumcts.kernels.cuda import device

    size, found = 1 << 10, []
    ours, theirs = device.arrays(), device.arrays()

    def numbers() -> Any:
        array = ours.zeros((4, size), np.int64)
        ours.upload(np.arange(4 * size).reshape(4, size), array)
        return array

    def back(array: Any) -> bool:
        host = np.zeros(array.shape, np.int64)
        ours.fetch(array, host)
        return bool((host[:, :size] == np.arange(4 * size).reshape(4, size)).all())

    kept, gone = ours.zeros((4, size), np.int64), numbers()  # CuPy's default stream copies an array that then goes
    kind = runtime.memcpyDeviceToDevice
    runtime.memcpyAsync(device.address(kept), device.address(gone), gone.nbytes, kind, 0)
    del gone
    again = theirs.zeros((4, size), np.int64)
    theirs.record_event().wait()
    cupy.cuda.get_current_stream().synchronize()
    found.append(back(kept))

    gone = numbers()  # a search copies an array that then goes, and another search is given its memory
    wide = ours.widened(gone, 2 * size)
    del gone
    more = theirs.zeros((4, size), np.int64)
    theirs.record_event().wait()
    found.append(back(wide))
    return f"{found} {again.shape == more.shape}", lambda: "[True, True] True"


@case
def growing() -> Outcome:
    """Forests that begin without room grow."""
    from gpumcts.tree import memory as tree_memory

    with holding(tree_memory, SLOTS_PER_NODE=0.0):
        found = told(dots(4, 120, engine="device"))
    return " ".join(found), lambda: " ".join(told(dots(4, 120, engine="cpu")))


def _stopped(engine: str) -> Outcome:
    """Whether a search ends that is told to stop at its first word of progress."""
    stop = threading.Event()
    try:
        dots(TREES, 1_000_000, engine=engine, stop=stop, on_progress=lambda done: stop.set())
    except KeyboardInterrupt:
        return "stopped", lambda: "stopped"
    return "not stopped", lambda: "stopped"


@case
def stopping() -> Outcome:
    """A search that is stopped ends after its launch."""
    return _stopped("device")


@case
def checkpoints() -> Outcome:
    """Roots are shown on the way."""
    return str(followed("device")), lambda: str(followed("cpu"))


@case
def reuse() -> Outcome:
    """A search goes on from an earlier one's trees."""
    return str(played_on("device")), lambda: str(played_on("cpu"))


@case
def small_forests() -> Outcome:
    """Of forests that are not small, a single tree comes back."""
    return str(brought_back("device")), lambda: "[True, False]"


@case
def two_engines() -> Outcome:
    """Two searches at the same time, on two threads."""
    found: dict[int, str] = {}

    def search(number: int) -> None:
        searcher = searcher_of(operator_of("average"), game=DOTS, engine=("device", "cuda")[number])
        found[number] = _tables(searcher.search(roots(DOTS, 40), keys_for(40), 30))

    threads = [threading.Thread(target=search, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return f"{found[0]} {found[1]}", _two_on_cpu


def _two_on_cpu() -> str:
    searcher = searcher_of(operator_of("average"), game=DOTS, engine="cpu")
    expected = _tables(searcher.search(roots(DOTS, 40), keys_for(40), 30))
    return f"{expected} {expected}"


def _turn_by_turn(trees: int, iterations: int, settings: Settings, threads: int) -> tuple[str, list[tuple[int, int]]]:
    """What ``engine=cuda`` finds, and turns of the halves that each call from Python asked for and took."""
    from gpumcts.tree.host import device_playouts

    calls, take_turns = [], device_playouts.take_turns

    def noted(*arguments: Any) -> int:
        calls.append((arguments[MOST], take_turns(*arguments)))
        return calls[-1][1]

    with holding(device_playouts, take_turns=noted):
        searcher = searcher_of(operator_of("average"), settings, DOTS, engine="cuda", threads=threads)
        found = searcher.search(roots(DOTS, trees), keys_for(trees), iterations)
    return _tables(found), calls


@case
def graphs() -> Outcome:
    """Batches that are sent again go as graphs, many turns in a call: of two halves, of one, with a rest."""
    found, expected = [], []
    for trees, leaves, threads, iterations in ((40, 1, 2, 150), (40, 2, 1, 301), (1, 3, 1, 200)):
        settings = Settings(leaves_per_tree=leaves, playouts_per_leaf=2)
        tables, calls = _turn_by_turn(trees, iterations, settings, threads)
        found.append(f"{tables} {max(calls)[1] > 50} {sum(took for _, took in calls) > 5 * len(calls)}")
        expected.append(f"{_tables(dots(trees, iterations, settings, 'cpu'))} True True")
    return " ".join(found), lambda: " ".join(expected)


@case
def graphs_that_grow() -> Outcome:
    """Trees without room grow between two turns of a call."""
    from gpumcts.tree import memory as tree_memory

    with holding(tree_memory, SLOTS_PER_NODE=0.0):
        tables, calls = _turn_by_turn(9, 120, Settings(), 2)
    return (
        f"{tables} {any(1 < took < asked for asked, took in calls)}",
        lambda: f"{_tables(dots(9, 120, engine='cpu'))} True",
    )


@case
def graphs_of_one_launch() -> Outcome:
    """A batch that takes several launches goes call by call, and as a graph once a launch may have all of it."""
    from gpumcts.kernels.cuda.engine import CudaPlayouts

    searcher = searcher_of(operator_of("average"), Settings(playouts_per_leaf=8), DOTS, engine="cuda")
    engine = searcher.engine
    assert isinstance(engine, CudaPlayouts)
    (in_flight, _), states, seen = engine.in_flight_batches(6, 8), roots(DOTS, 6), []
    for most in (16, 16, 48, 48, 47):
        engine.playouts_a_launch = most
        to_states, to_keys, tally = in_flight.arrays(6, 8)
        to_states[:], to_keys[:], tally[:] = states, keys_for(6), -1
        in_flight.start(6, 8)
        seen.append(in_flight.graph_words() is not None)
        in_flight.finish()
        seen.append(tally.tobytes().hex())
    graphs = (False, False, True, True, False)
    return str(seen), lambda: str([word for graph in graphs for word in (graph, _columns(states))])


def _columns(states: Any) -> str:
    from gpumcts.kernels.cpu import CpuPlayouts
    from tests.tree.drivers import UNIFORM

    return CpuPlayouts(DOTS, UNIFORM).columns(states, keys_for(6), 8).tobytes().hex()


@case
def graphs_on_another_thread() -> Outcome:
    """A second search, on a thread that has asked the device for nothing yet, goes as graphs from its first batch."""
    searcher, found = searcher_of(operator_of("average"), game=DOTS, engine="cuda"), list[str]()

    def search() -> None:
        found.append(_tables(searcher.search(roots(DOTS, 9), keys_for(9), 30)))

    search()
    thread = threading.Thread(target=search)
    thread.start()
    thread.join()
    return " ".join(found), lambda: " ".join([_tables(dots(9, 30, engine="cpu"))] * 2)


@case
def graphs_that_stop() -> Outcome:
    """A search whose turns are taken in calls stops between two of them."""
    return _stopped("cuda")


@case
def flights() -> Outcome:
    """Two batches of a tree in flight are gathered, sent and counted many in a call, with room and without."""
    from gpumcts.tree import memory as tree_memory
    from gpumcts.tree.host import in_flight

    calls, fly, found, expected = [], in_flight.fly, [], []

    def noted(*arguments: Any) -> int:
        calls.append(fly(*arguments))
        return calls[-1]

    for trees, leaves, iterations, slots in ((1, 3, 200, 3.0), (4, 2, 151, 3.0), (1, 2, 300, 0.0)):
        settings = Settings(leaves_per_tree=leaves, playouts_per_leaf=2, batches_in_flight=2)
        calls.clear()
        with holding(in_flight, fly=noted), holding(tree_memory, SLOTS_PER_NODE=slots):
            tables = _tables(dots(trees, iterations, settings, "cuda"))
        found.append(f"{tables} {max(calls) > 20} {sum(calls) > iterations // leaves - 10}")
        expected.append(f"{_tables(dots(trees, iterations, settings, 'cpu'))} True True")
    return " ".join(found), lambda: " ".join(expected)


@case
def threads_share_a_tree() -> Outcome:
    """All threads share a tree whose leaves a device plays: with a rest, with little room, solved."""
    from gpumcts.tree import memory as tree_memory
    from gpumcts.tree.host import shared_tree, sharing

    calls, run_coordinator, found, expected = [], shared_tree.run_coordinator, [], []

    def noted(*arguments: Any) -> int:
        calls.append(run_coordinator(*arguments))
        return calls[-1]

    for leaves, iterations, slots, solve in ((150, 1805, 3.0, False), (128, 6000, 0.0, False), (128, 1280, 3.0, True)):
        settings = Settings(leaves_per_tree=leaves, solve=solve)
        calls.clear()
        few = holding(sharing, MIN_LEAVES_BESIDE_DEVICE=100)
        with few, holding(shared_tree, run_coordinator=noted), holding(tree_memory, SLOTS_PER_NODE=slots):
            searcher = searcher_of(operator_of("average"), settings, DOTS, engine="cuda", threads=3)
            tables = _tables(searcher.search(roots(DOTS, 1), keys_for(1), iterations))
        found.append(f"{tables} {calls[-1] == iterations // leaves * leaves}")
        expected.append(f"{_tables(dots(1, iterations, settings, 'cpu'))} True")
    return " ".join(found), lambda: " ".join(expected)


@case
def launch_costs() -> Outcome:
    """The cost of a launch is measured by numba, by the driver, and as a graph."""
    from gpumcts.kernels.cuda import launch_cost
    from tests.kernels.drivers import GAMES, UNIFORM

    with holding(launch_cost, LAUNCHES=5, REPEATS=2):
        found = launch_cost.costs(GAMES["dice_duel"], UNIFORM())
    return " ".join(cost.route for cost in found if 0 < cost.host <= cost.whole), lambda: "numba driver graph"
