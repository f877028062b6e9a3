"""A fault on the device: one line, once, and known to the process from then on; how a batch goes, without a device."""

import importlib.util
import sys
import threading
from types import SimpleNamespace

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.kernels import crossover, engines
from gpumcts.kernels.cuda import device, faults
from gpumcts.kernels.cuda.captured_graph import PLAYED, WORDS
from gpumcts.kernels.cuda.faults import DriverRefusal
from gpumcts.options import option
from tests.kernels.drivers import GAMES, UNIFORM

needs_compiler = pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed"
)
LOST = r"^this process's device is lost \(illegal address\); start it again, or take engine=cpu$"


class RuntimeFault(RuntimeError):
    """As CuPy's, which has a number."""

    status = 700


@pytest.fixture(autouse=True)
def sound_again(monkeypatch):
    monkeypatch.setattr(faults, "_lost", "")


@faults.telling
def ask(error: Exception | None = None) -> str:
    """A call of the device, which fails."""
    if error is not None:
        raise error
    return "answered"


@pytest.mark.parametrize(
    "error",
    [
        RuntimeFault("cudaErrorIllegalAddress: an illegal memory access was encountered"),
        RuntimeError("cudaErrorIllegalAddress: an illegal memory access was encountered"),
        RuntimeError("Call to cuLaunchKernel results in CUDA_ERROR_ILLEGAL_ADDRESS"),
    ],
)
def test_a_fault_is_a_line_and_is_known_from_then_on(error):
    assert ask() == "answered" and faults.lost() == ""
    with pytest.raises(device.DeviceLost, match=LOST) as raised:
        ask(error)
    assert raised.value.__cause__ is error and isinstance(raised.value, BadInput)
    with pytest.raises(device.DeviceLost, match=LOST):
        ask()  # the driver is not asked again


def test_a_fault_that_the_device_contains():
    """An error of NVLink or of the hardware: the driver refuses all further calls of the process."""
    with pytest.raises(device.DeviceLost, match=r"^this process's device is lost \(contained\)"):
        ask(RuntimeError("cudaErrorContained: contained"))


@pytest.mark.parametrize("said", ["CUDA_ERROR_OUT_OF_MEMORY: why", "cudaErrorMemoryAllocation: why"])
def test_a_device_without_memory_is_a_line(said):
    """For a kernel's stack, or its code; the device goes on. What was told in a line before says more."""
    with pytest.raises(BadInput, match=r"^the device has no memory left to run a kernel; "):
        ask(RuntimeError(said))
    assert faults.lost() == "" and ask() == "answered"
    with pytest.raises(BadInput, match=f"^cannot get 5 MiB: {said}$"):
        ask(BadInput(f"cannot get 5 MiB: {said}"))


def test_other_errors_are_no_faults():
    for error in (RuntimeError("CUDA_ERROR_INVALID_HANDLE"), ValueError("cudaErrorInvalidValue")):
        with pytest.raises(type(error)) as raised:
            ask(error)
        assert raised.value is error
    assert faults.lost() == "" and ask() == "answered"


def test_engines_know_it(monkeypatch, capsys):
    """``auto`` goes on with the CPU, in searches that were made before too; ``cuda`` is refused in the same line."""
    monkeypatch.setattr(device, "describe", lambda: device.DeviceInfo("A device", (9, 0), 132, 1 << 30, "13.0"))
    choice = crossover.Crossover(GAMES["othello"], UNIFORM(), 1)
    assert choice.fastest(1 << 20, 64) != "cpu"
    with pytest.raises(device.DeviceLost):
        ask(RuntimeFault())
    assert choice.fastest(1 << 20, 64) == "cpu"
    assert engines.resolve("auto") == "cpu" and "device is lost" in capsys.readouterr().err
    with pytest.raises(BadInput, match=r"^engine=cuda: this process's device is lost"):
        engines.resolve("cuda")


def test_what_goes_after_a_fault_is_quiet(monkeypatch, capsys):
    """Memory is not given back, and of what the driver refuses nothing is printed; other errors are, as ever."""
    asked = []
    pool = SimpleNamespace(free_all_blocks=lambda: asked.append("free"))
    cupy = SimpleNamespace(get_default_memory_pool=lambda: pool, get_default_pinned_memory_pool=lambda: pool)
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setattr(sys, "unraisablehook", sys.__unraisablehook__)

    class Event:
        def __init__(self, error: Exception) -> None:
            self.error = error

        def __del__(self):
            raise self.error

    device.release()
    Event(RuntimeFault())
    assert asked == ["free", "free"] and "RuntimeFault" in capsys.readouterr().err
    with pytest.raises(device.DeviceLost):
        ask(RuntimeFault())
    device.release()
    Event(RuntimeFault())
    assert asked == ["free", "free"] and capsys.readouterr().err == ""
    Event(ValueError("another"))
    assert "ValueError: another" in capsys.readouterr().err


@needs_compiler
def test_a_first_kernel_that_meets_a_fault(monkeypatch):
    from gpumcts.kernels.cuda import kernels as cuda_kernels

    def refused(*arguments):
        raise RuntimeError("CUDA_ERROR_ILLEGAL_ADDRESS")

    monkeypatch.setattr(cuda_kernels, "jit", refused)
    assert cuda_kernels._trial.__wrapped__() == "a first kernel failed: RuntimeError: CUDA_ERROR_ILLEGAL_ADDRESS"
    assert "device is lost" in cuda_kernels.trial()


@needs_compiler
def test_the_first_kernel_knows_it(monkeypatch):
    from gpumcts.kernels.cuda import kernels as cuda_kernels

    monkeypatch.setattr(cuda_kernels, "_trial", lambda: "")
    assert cuda_kernels.trial() == ""
    with pytest.raises(device.DeviceLost):
        ask(RuntimeFault())
    assert "device is lost" in cuda_kernels.trial()


# ------------------------------------------------------------------------------------------------------------- batches


class Clock:
    """The device's time, and what was asked of it, in order."""

    def __init__(self) -> None:
        self.now, self.asked = 0.0, []


class Event:
    """A moment of the device."""

    address = 0

    def __init__(self, clock: Clock) -> None:
        self.clock, self.at = clock, clock.now

    def record(self) -> None:
        self.at = self.clock.now

    def wait(self) -> None:
        self.clock.asked.append("wait")

    def since(self, earlier: "Event") -> float:
        return self.at - earlier.at


class HostDeviceBuffer:
    """Memory of a device that does nothing but tell of it."""

    stream, device = 0, None

    def __init__(self, words: int, clock: Clock) -> None:
        self.host, self.clock = np.zeros(words, np.uint64), clock

    def upload(self, begin: int, end: int) -> None:
        self.clock.asked.append("up")

    def download(self, begin: int, end: int) -> None:
        self.clock.asked.append("down")

    def clear(self, begin: int, end: int) -> None:
        pass

    def record_event(self) -> Event:
        return Event(self.clock)

    def captured(self, queue) -> "Graph":
        return Graph(self.clock)


class Graph:
    """What was captured, a second of the device's; ``interrupt`` : Ctrl-C comes as it goes off."""

    def __init__(self, clock: Clock) -> None:
        self.clock, self.answer, self.interrupt = clock, 0, False

    def launch(self) -> int:
        self.clock.asked.append("graph")
        self.clock.now += 1
        if self.interrupt:
            raise KeyboardInterrupt
        return self.answer

    def words(self, *events: int) -> np.ndarray:
        return np.zeros(WORDS, np.int64)


@pytest.fixture
def engine(monkeypatch):
    """An engine whose launches take a second each, on a device that is not there."""
    pytest.importorskip("numba_cuda")
    from gpumcts.kernels.cuda.device_clock import DeviceClock
    from gpumcts.kernels.cuda.engine import CudaPlayouts

    told, made = Clock(), CudaPlayouts.__new__(CudaPlayouts)
    made.game, made.policy = GAMES["othello"], option("playout", "uniform")()
    made._batches, made._room, made._copiers, made._cores = [], 0, None, 1
    made.playouts_a_launch, made.told, made.times, made.learned = 1000, told, [], []
    made.learn = lambda count, seconds: made.learned.append((count, seconds))
    made.took = lambda count, begin, end: made.times.append((count, made.clock.enter(begin, end)))

    def launch(job, stream):
        told.asked.append("launch")
        told.now += 1

    made.launch = launch
    monkeypatch.setattr(device, "host_device_buffer", lambda words: HostDeviceBuffer(words, Clock()))
    made.clock = DeviceClock()
    monkeypatch.setattr(device, "host_device_buffer", lambda words: HostDeviceBuffer(words, told))
    return made


def test_no_start_waits_for_the_device(engine):
    """Of many launches two are queued at once, the rest when somebody waits for the batch anyway."""
    in_flight, _ = engine.in_flight_batches(5000)
    in_flight.start(5000, 1)
    assert engine.told.asked == ["up", "launch", "launch"]
    in_flight.finish()
    assert engine.told.asked[3:] == ["wait", "launch"] * 3 + ["down", "wait"]
    assert engine.times == [(5000, 5.0)]


def test_a_batch_is_told_its_own_time_alone(engine):
    """The second begins while the device is busy with the first."""
    one, other = engine.in_flight_batches(2000)
    one.start(2000, 1)
    engine.told.now -= 2  # the other is sent off while the device has not yet begun
    other.start(1000, 1)
    engine.told.now = 0
    one._end.at, other._end.at = 2.0, 3.0
    one.finish()
    other.finish()
    assert engine.times == [(2000, 2.0), (1000, 1.0)]


def test_a_stopped_batch_queues_no_more(engine):
    stop = threading.Event()
    in_flight, _ = engine.in_flight_batches(5000)
    in_flight.start(5000, 1, stop)
    stop.set()
    in_flight.finish()
    assert engine.told.asked.count("launch") == 2 and engine.told.asked[-2:] == ["down", "wait"]


@pytest.mark.parametrize("leaves", [1000, 1 << 18])
def test_after_a_fault_nobody_waits(engine, monkeypatch, leaves):
    """One error, that of the launch: both batches are given up, and nothing is raised while they are cleared away."""
    from gpumcts.kernels.cuda import engine as cuda

    monkeypatch.setattr(cuda, "LEAVES_A_BATCH", leaves)
    real, states = engine.launch, np.zeros((4000, 3), np.uint64)
    launches = []

    def launch(job, stream):
        launches.append(job)
        if len(launches) == 3:
            ask(RuntimeFault())
        real(job, stream)

    engine.launch = launch
    with pytest.raises(device.DeviceLost, match=LOST) as raised:
        engine.tally(states, np.zeros(4000, np.uint64))
    assert isinstance(raised.value.__cause__, RuntimeFault) and raised.value.__context__ is raised.value.__cause__
    assert not any(in_flight.under_way for in_flight in engine._batches)


def test_an_interrupt_leaves_something_to_wait_for(engine):
    """Ctrl-C among the launches: what was queued is waited for before its memory is used again."""

    def launch(job, stream):
        raise KeyboardInterrupt

    engine.launch, real = launch, engine.launch
    in_flight, _ = engine.in_flight_batches(1000)
    with pytest.raises(KeyboardInterrupt):
        in_flight.start(1000, 1)
    assert in_flight.under_way and engine.told.asked == ["up", "down"]
    engine.launch = real
    in_flight.finish()
    assert engine.told.asked[2:] == ["wait"] and engine.times == []  # nothing more is played, nothing is learned


def sent_as_a_graph(engine):
    """A batch that is under way as a graph, after it went call by call."""
    in_flight, _ = engine.in_flight_batches(1000)
    for _ in range(2):
        in_flight.start(1000, 1)
        in_flight.finish()
    in_flight.start(1000, 1)
    assert engine.told.asked.count("graph") == 2
    return in_flight


def test_a_graph_is_told_once(engine):
    """Not again where compiled code has waited for it and the clock knows; what a launch may have is learned still."""
    in_flight = sent_as_a_graph(engine)
    engine.times.clear()
    in_flight.graph_words()[PLAYED], in_flight._graph.end.at = 1, in_flight._graph.begin.at + 0.5
    in_flight.finish()
    assert engine.times == [] and engine.learned == [(1000, 0.5)]
    in_flight.start(1000, 1)
    in_flight.finish()
    assert len(engine.times) == 1


def test_an_interrupt_leaves_a_graph_to_wait_for(engine):
    in_flight = sent_as_a_graph(engine)
    in_flight.finish()
    in_flight._graph.graph.interrupt = True
    with pytest.raises(KeyboardInterrupt):
        in_flight.start(1000, 1)
    assert in_flight.under_way and in_flight._back.at == engine.told.now


def test_nothing_is_under_way_in_batches_that_are_handed_out(engine):
    """Ctrl-C may have come again while one was waited for; another search lays its leaves out otherwise."""
    in_flight = sent_as_a_graph(engine)
    assert engine.in_flight_batches(500)[0] is in_flight and not in_flight.under_way
    assert engine.told.asked[-1] == "wait"


def test_a_graph_that_is_refused(engine):
    """Nobody waits for it, but for the other batch: the device goes on."""
    in_flight, other = sent_as_a_graph(engine), engine._batches[1]
    other.start(1000, 1)
    with pytest.raises(DriverRefusal):
        in_flight.check_graph(2)
    assert in_flight.under_way and other.under_way
    in_flight.finish()
    in_flight._graph.graph.answer = 2
    with pytest.raises(BadInput, match=r"^the device has no memory left to run a kernel; "):
        in_flight.start(1000, 1)
    assert not in_flight.under_way and other.under_way
    with pytest.raises(device.DeviceLost):
        in_flight.check_graph(719)
    assert not other.under_way


def test_one_state_is_sent_once(engine):
    """Bytes of the way there: of a leaf its key, and its state only where it has one of its own."""
    sent = []
    state = np.arange(3, dtype=np.uint64)
    for states in (np.broadcast_to(state, (1000, 3)), np.repeat(state[None], 1000, axis=0)):
        engine._batches, engine._room = [], 0
        uploads = []
        engine.in_flight_batches(1000)
        for in_flight in engine._batches:
            in_flight._buffer.upload = lambda begin, end, sent=uploads: sent.append(end - begin)
        engine.tally(states, np.zeros(1000, np.uint64))
        sent += uploads
    assert sent == [1 + 1000 + 3, 1 + 1000 + 3000]


def test_outcomes_of_single_playouts():
    from gpumcts.kernels.tally import Outcomes, TallyColumns

    score, plies = np.array([1 << 20, 0, -(1 << 20), -3]), np.array([60, 61, 1, (1 << 30) - 1])
    words = (score.astype(np.uint64) << np.uint64(32)) | plies.astype(np.uint64)
    found = Outcomes(words)
    expected = TallyColumns(score, np.array([1, 0, 0, 0]), np.array([0, 1, 0, 0]), plies)
    assert len(found) == 4 and all(a.dtype == np.int64 for a in found)
    assert all((a == b).all() for a, b in zip(found, expected, strict=True))
    assert (found[3] == plies).all() and (np.stack(found) == np.stack(expected)).all()
