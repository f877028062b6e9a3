"""Graphs sent by compiled code, with a driver of Python's functions in place of one; the clock of a device."""

import ctypes
from types import SimpleNamespace

import numpy as np
import pytest

from gpumcts.jit import entry
from gpumcts.kernels.cuda import captured_graph, device_clock
from gpumcts.kernels.cuda.captured_graph import PLAYED, WORDS, CapturedGraph
from gpumcts.kernels.cuda.faults import DriverRefusal
from gpumcts.kernels.cuda.graph_calls import await_played, send_again

GRAPH, STREAM, BEGIN, END, BACK, BASE = 11, 22, 33, 44, 55, 66


class Driver:
    """Answers as it is told, and notes what it was asked; events are milliseconds apart by their names."""

    def __init__(self, answers):
        self.asked, self.answers = [], answers
        plain = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
        timed = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_float), ctypes.c_void_p, ctypes.c_void_p)
        self.functions = [plain(self._asked(name)) for name in captured_graph.FUNCTIONS[:3]] + [timed(self._elapsed)]
        addresses = [ctypes.cast(function, ctypes.c_void_p).value for function in self.functions]
        self.words = np.array([*addresses, GRAPH, STREAM, BEGIN, END, BACK, 0], np.int64)

    def _asked(self, name):
        def answer(first, second):
            self.asked.append((name, first, *([second] if name != "cuEventSynchronize" else [])))
            return self.answers.get(name, 0)

        return answer

    def _elapsed(self, told, earlier, later):
        told[0] = later - earlier
        return 0


def send(words):
    return send_again(words)


def wait(words, base, span):
    return await_played(words, base, span)


BOTH = [pytest.param(True, id="compiled"), pytest.param(False, id="plain")]
sent, awaited = entry(send), entry(wait)


@pytest.mark.parametrize("compiled", BOTH)
def test_a_graph_is_sent_again(compiled):
    driver = Driver({})
    driver.words[PLAYED] = 1
    assert (sent if compiled else send)(driver.words) == driver.words[PLAYED] == 0
    assert driver.asked == [("cuGraphLaunch", GRAPH, STREAM), ("cuEventRecord", BACK, STREAM)]


@pytest.mark.parametrize("compiled", BOTH)
def test_a_graph_is_awaited(compiled):
    driver, span = Driver({}), np.zeros(2)
    assert (awaited if compiled else wait)(driver.words, 3, span) == 0
    assert driver.asked == [("cuEventSynchronize", BACK)] and driver.words[PLAYED] == 1
    assert span.tolist() == pytest.approx([0.030, 0.041])


@pytest.mark.parametrize("name", captured_graph.FUNCTIONS[:3])
@pytest.mark.parametrize("compiled", BOTH)
def test_the_answer_is_told(compiled, name):
    driver, span = Driver({name: 719}), np.full(2, -1.0)
    if name == "cuEventSynchronize":
        assert (awaited if compiled else wait)(driver.words, 3, span) == 719 and span.tolist() == [-1.0, -1.0]
        assert driver.words[PLAYED] == 0
    else:
        assert (sent if compiled else send)(driver.words) == 719 and driver.asked[-1][0] == name


@pytest.mark.parametrize("compiled", BOTH)
def test_no_graph(compiled):
    words, span = np.zeros(WORDS, np.int64), np.full(2, -1.0)
    assert (sent if compiled else send)(words) == 0
    assert (awaited if compiled else wait)(words, 0, span) == 0 and span.tolist() == [-1.0, -1.0]


class Captures:
    """The driver's calls for a graph, each noted; ``answers`` by their names, else 0."""

    def __init__(self, **answers):
        self.asked, self._answers = [], answers

    def __getattr__(self, name):
        def call(*arguments):
            self.asked.append(name)
            if name == "cuStreamEndCapture":
                arguments[1]._obj.value = GRAPH
            return self._answers.get(name, 0)

        return call


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_a_capture_that_fails_ends(monkeypatch, error):
    """The stream is to be of use, and what was captured is given back."""
    driver = Captures()
    monkeypatch.setattr(captured_graph, "driver_library", lambda: driver)

    def fail():
        raise error

    with pytest.raises(error):
        CapturedGraph(STREAM, fail)
    assert driver.asked == ["cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphDestroy"]


@pytest.mark.parametrize("name", ["cuStreamBeginCapture_v2", "cuStreamEndCapture", "cuGraphInstantiateWithFlags"])
def test_a_capture_that_is_refused(monkeypatch, name):
    driver = Captures(**{name: 999})
    monkeypatch.setattr(captured_graph, "driver_library", lambda: driver)
    with pytest.raises(DriverRefusal, match=f"{name.partition('_')[0].removesuffix('WithFlags')}: it answers 999"):
        CapturedGraph(STREAM, list)
    assert "cuStreamEndCapture" in driver.asked


class Passed:
    """An event at a moment in seconds."""

    def __init__(self, moment=0.0):
        self.moment = moment

    def wait(self):
        pass

    def since(self, earlier):
        return self.moment - earlier.moment


def test_what_two_spans_share_counts_once(monkeypatch):
    """Two streams: spans that overlap, one within another, one that touches it."""
    monkeypatch.setattr(device_clock.device, "host_device_buffer", lambda words: SimpleNamespace(record_event=Passed))
    clock = device_clock.DeviceClock()
    assert clock.spans is None
    clock.watch()
    spans = [(1.0, 3.0), (2.0, 4.0), (2.5, 3.5), (4.0, 4.5)]
    own = [clock.enter(Passed(begin), Passed(end)) for begin, end in spans]
    assert own == [2.0, 1.0, 1.0, 0.5]  # all of it where it has nothing of its own
    assert clock.busy == 3.5 and clock.spans == spans


def test_an_old_base_gives_way(monkeypatch):
    """Milliseconds since an event have 24 bits."""
    moments, now = iter((0.0, 12.0)), [100.0]
    buffer = SimpleNamespace(record_event=lambda: Passed(next(moments)))
    monkeypatch.setattr(device_clock.device, "host_device_buffer", lambda words: buffer)
    monkeypatch.setattr(device_clock.time, "perf_counter", lambda: now[0])
    clock = device_clock.DeviceClock()
    first, offset = clock.base()
    assert (first.moment, offset) == (0.0, 0.0)
    now[0] += 11.0
    second, offset = clock.base()
    assert (second.moment, offset) == (12.0, 12.0)
    clock.watch()
    clock.enter(Passed(11.5), Passed(13.0))  # it had begun before
    assert clock.spans == [(11.5, 13.0)] and clock.base() == (second, 12.0)
