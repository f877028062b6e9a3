"""Arrays and buffers of the device, on a CuPy that only notes what it is asked for."""

import importlib.util
import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest

from gpumcts.errors import BadInput
from gpumcts.kernels.cuda import device

needs_compiler = pytest.mark.skipif(
    importlib.util.find_spec("numba_cuda") is None, reason="numba-cuda is not installed"
)


class Runtime:
    """What of CuPy's runtime is called, noted."""

    memcpyHostToDevice = memcpyDeviceToHost = memcpyDeviceToDevice = 0

    def __init__(self) -> None:
        self.calls: list[str] = []

    def __getattr__(self, name):
        return lambda *arguments: self.calls.append(name)


class Hollow(SimpleNamespace):
    """An array of the device of which but shape and type are there."""

    @property
    def size(self):
        return int(np.prod(self.shape))

    @property
    def __cuda_array_interface__(self):
        return {"data": (0, False)}


@pytest.fixture
def hollow_device(monkeypatch):
    """``device.Arrays`` and ``device.HostDeviceBuffer`` on a device that only notes calls: (arrays, buffer, calls)."""
    runtime, stream = Runtime(), SimpleNamespace(ptr=0, synchronize=lambda: None, wait_event=lambda event: None)
    cupy = ModuleType("cupy")
    cupy.empty = lambda shape, dtype: Hollow(shape=shape, dtype=np.dtype(dtype), data=SimpleNamespace(ptr=0))
    cupy_cuda = ModuleType("cupy.cuda")
    cupy_cuda.runtime = runtime
    cupy_cuda.get_current_stream = lambda: SimpleNamespace(record=lambda: None)
    cupy_cuda.Stream = lambda non_blocking: stream
    cupy.pinned = []
    cupy_cuda.alloc_pinned_memory = lambda size: cupy.pinned.append(size) or bytearray(size)
    cupy.cuda = cupy_cuda
    monkeypatch.setitem(sys.modules, "cupy", cupy)
    monkeypatch.setitem(sys.modules, "cupy.cuda", cupy_cuda)
    import numba.cuda

    monkeypatch.setattr(numba.cuda, "as_cuda_array", lambda array, sync: array)
    monkeypatch.setattr(numba.cuda, "external_stream", lambda address: address)
    monkeypatch.setattr(device, "checked", lambda array: array)
    arrays, buffer = device.Arrays.__new__(device.Arrays), device.HostDeviceBuffer.__new__(device.HostDeviceBuffer)
    arrays._stream = buffer._stream = stream
    buffer._memory, buffer.host = cupy.empty((4,), np.uint64), np.zeros(4, np.uint64)
    return arrays, buffer, runtime.calls


def test_another_current_device_is_a_line(hollow_device, monkeypatch):
    """Kernels are compiled and shaped for the first device: another one is refused, not half used."""
    from gpumcts.kernels.cuda import kernels as cuda_kernels

    monkeypatch.setattr(cuda_kernels, "_trial", lambda: "")
    assert device.other_device() == "" and cuda_kernels.trial() == ""
    sys.modules["cupy.cuda"].runtime.getDevice = lambda: 1
    said = r"^this thread's current CUDA device is number 1, and .* CUDA_VISIBLE_DEVICES$"
    for make in (device.Arrays, lambda: device.HostDeviceBuffer(8)):
        with pytest.raises(BadInput, match=said):
            make()
    assert cuda_kernels.trial() == device.other_device()  # which is not kept: other threads have their own


def test_buffers_that_grow_take_few_sizes_of_pinned_memory(hollow_device):
    """CuPy's pool keeps what is given back for requests of its very size: a thousand sizes would stay for good."""
    asked = sys.modules["cupy"].pinned
    for words in range(1, 1000):
        assert len(device.HostDeviceBuffer(words).host) == words
    assert len(set(asked)) < 20 and all(8 * w <= size < 16 * w for w, size in enumerate(asked, 1))


def test_nothing_is_filled_or_copied_at_no_address(hollow_device):
    arrays, buffer, calls = hollow_device
    for shape in ((0,), (5, 0), (0, 4)):
        array, host = arrays.zeros(shape, np.int8), np.zeros(shape, np.int8)
        arrays.upload(host, array)
        arrays.fetch(array, host)
    arrays.widened(arrays.zeros((0, 3), np.int8), 9)
    buffer.upload(2, 2)
    buffer.download(2, 2)
    buffer.clear(2, 2)
    assert calls == []


def test_what_has_elements_is_filled_and_copied(hollow_device):
    arrays, buffer, calls = hollow_device
    array, host = arrays.zeros((2, 3), np.int8), np.zeros((2, 3), np.int8)
    arrays.upload(host, array)
    arrays.fetch(array, host)
    arrays.widened(array, 5)
    buffer.upload(1, 2)
    buffer.download(1, 2)
    buffer.clear(1, 2)
    copies = ["memcpyAsync"] * 2
    assert calls == ["memsetAsync", *copies, "memsetAsync", "memcpy2DAsync", *copies, "memsetAsync"]


@needs_compiler
@pytest.mark.parametrize("shape", [(0,), (5, 0), (0, 4), (5, 0, 3), (5, 3, 2)])
def test_arrays_are_typed_as_kernels_take_them(monkeypatch, shape):
    from numba.cuda.cudadrv import devicearray, devices

    monkeypatch.setattr(devices, "get_context", lambda: None)
    strides = np.zeros(shape, np.float64).strides
    array = devicearray.DeviceNDArray(shape, strides, np.float64, gpu_data=SimpleNamespace())
    assert device.checked(array) is array


def test_arrays_of_another_layout_are_refused():
    with pytest.raises(
        RuntimeError, match=r"^numba-cuda takes an array of shape \(2, 3\) for one of layout F, kernels take C$"
    ):
        device.checked(np.zeros((3, 2)).T)
